//! The synthetic experiments of the papers on recovery: DP-IGHT § 6.1 and knowledge transfer § 5.1.

use reticent::fit::{Facts, LinearFunction, Task};
use reticent::table::{RecordBound, Table, Target, TargetRange};

use crate::synthetic::{Source, dense};

/// Which paper's generator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paper {
    /// Entries U(−2, 2), rows longer than 2s scaled to that.
    Ight,
    /// Entries U(−1, 1).
    Transfer,
}

/// One panel of a figure: a generator, its sizes, and linear or logistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Panel {
    pub paper: Paper,
    pub task: Task,
    pub records: usize,
    pub columns: usize,
    /// s*, a public number.
    pub nonzero: usize,
}

/// The variance of a linear target's noise.
const VARIANCE: f64 = 0.1;
pub const DELTA: f64 = 0.01;

/// The eight panels.
pub fn panels() -> Vec<Panel> {
    let sizes = [
        (Paper::Ight, 1000, 1000, 10),
        (Paper::Ight, 5000, 5000, 30),
        (Paper::Transfer, 800, 1000, 10),
        (Paper::Transfer, 4000, 5000, 50),
    ];
    let both = [Task::Linear, Task::Logistic];
    sizes
        .into_iter()
        .flat_map(|size| both.map(|task| (task, size)))
        .map(|(task, (paper, records, columns, nonzero))| Panel {
            paper,
            task,
            records,
            columns,
            nonzero,
        })
        .collect()
}

/// What a panel draws from a seed: a table, and the weights that its targets follow.
pub struct Drawn {
    pub table: Table<'static>,
    pub weights: Vec<f64>,
}

impl Panel {
    /// The name of its files and jobs.
    pub fn name(&self) -> String {
        let paper = match self.paper {
            Paper::Ight => "ight",
            Paper::Transfer => "transfer",
        };
        format!("{paper}-{}-{}", self.task.name(), self.columns)
    }

    /// What it is called on a page.
    pub fn title(&self) -> String {
        let paper = match self.paper {
            Paper::Ight => "DP-IGHT § 6.1",
            Paper::Transfer => "Knowledge transfer § 5.1",
        };
        let Self {
            records,
            columns,
            nonzero,
            ..
        } = self;
        format!(
            "{paper}, {}: n = {records}, d = {columns}, s* = {nonzero}",
            self.task.name()
        )
    }

    /// The paper's grid.
    pub fn budgets(&self) -> [f64; 5] {
        match (self.paper, self.task) {
            (Paper::Transfer, Task::Linear) => [0.8, 1.5, 2.5, 3.5, 5.0],
            _ => [2.0, 4.0, 6.0, 8.0, 10.0],
        }
    }

    /// The declared bound of an entry: the generator's, and for scaled rows twice 2s over a
    /// length that next to none falls below.
    fn entry(&self) -> f64 {
        match self.paper {
            Paper::Ight => {
                let length = (4.0 * self.columns as f64 / 3.0).sqrt();
                4.0 * self.nonzero as f64 / (0.95 * length)
            }
            Paper::Transfer => 1.0,
        }
    }

    /// The declared range of a linear target: three of its deviations.
    pub fn range(&self) -> TargetRange {
        let spread = self.nonzero as f64 * self.entry().powi(2) / 9.0;
        let high = 3.0 * (spread + VARIANCE).sqrt();
        TargetRange { low: -high, high }
    }

    pub fn facts(&self) -> Facts {
        Facts {
            records: self.records as u64,
            columns: self.columns,
            rows: RecordBound::Linf(self.entry()),
        }
    }

    /// The table of a seed, with all columns.
    pub fn draw(&self, seed: u64) -> Drawn {
        self.drawn(seed, self.records, |_| true)
    }

    /// So many records of a seed, with the columns of the true support only.
    pub fn draw_support(&self, seed: u64, records: usize) -> Drawn {
        self.drawn(seed, records, |weight| weight != 0.0)
    }

    fn drawn(&self, seed: u64, records: usize, keep: impl Fn(f64) -> bool) -> Drawn {
        let mut source = Source::new(seed);
        let mut truth = self.truth(&mut source);
        let kept: Vec<usize> = (0..self.columns).filter(|&j| keep(truth[j])).collect();
        let mut values = Vec::with_capacity(records * kept.len());
        let mut margins = Vec::with_capacity(records);
        let reach = if self.paper == Paper::Ight { 2.0 } else { 1.0 };
        let mut row = vec![0.0; self.columns];
        for _ in 0..records {
            row.iter_mut()
                .for_each(|x| *x = (reach * (2.0 * source.uniform() - 1.0)) as f32);
            self.scale(&mut row);
            margins.push(row.iter().zip(&truth).map(|(x, w)| f64::from(*x) * w).sum());
            values.extend(kept.iter().map(|&j| row[j]));
        }
        let target = self.target(&margins, &mut source);
        if self.task == Task::Logistic {
            // P(y = 1) = 1/(1 + exp(x·θ*)): the log-odds are those of −θ*.
            truth.iter_mut().for_each(|weight| *weight = -*weight);
        }
        Drawn {
            table: dense(values, records, kept.len(), target),
            weights: kept.iter().map(|&j| truth[j]).collect(),
        }
    }

    /// s* weights, uniform between −1 and 1, the others 0.
    fn truth(&self, source: &mut Source) -> Vec<f64> {
        let mut truth = vec![0.0; self.columns];
        let mut left = self.nonzero;
        while left > 0 {
            let column = (source.uniform() * self.columns as f64) as usize;
            if truth[column] == 0.0 {
                truth[column] = 2.0 * source.uniform() - 1.0;
                left -= 1;
            }
        }
        truth
    }

    fn scale(&self, row: &mut [f32]) {
        let length = row
            .iter()
            .map(|x| f64::from(*x).powi(2))
            .sum::<f64>()
            .sqrt();
        let most = 2.0 * self.nonzero as f64;
        if self.paper == Paper::Ight && length > most {
            row.iter_mut().for_each(|x| *x *= (most / length) as f32);
        }
    }

    fn target(&self, margins: &[f64], source: &mut Source) -> Target {
        match self.task {
            Task::Linear => {
                let noisy = margins
                    .iter()
                    .map(|m| m + VARIANCE.sqrt() * source.normal());
                Target::Values(noisy.collect())
            }
            _ => Target::Classes {
                class: margins
                    .iter()
                    .map(|m| u32::from(source.uniform() < 1.0 / (1.0 + m.exp())))
                    .collect(),
                names: vec!["0".to_owned(), "1".to_owned()],
            },
        }
    }
}

/// ‖θ̂ − θ*‖/‖θ*‖, where θ̂ was fitted to targets that were divided by `scale`.
pub fn error(fitted: &LinearFunction, scale: f64, truth: &[f64]) -> f64 {
    let mut difference = truth.to_vec();
    for &(column, weight) in &fitted.weights {
        difference[column as usize] -= weight * scale;
    }
    let norm = |weights: &[f64]| weights.iter().map(|w| w * w).sum::<f64>().sqrt();
    norm(&difference) / norm(truth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_support_alone_is_drawn_as_it_is_among_all_columns() {
        let wide: Vec<Panel> = (panels().into_iter())
            .filter(|panel| panel.columns == 1000)
            .collect();
        assert!(!wide.is_empty());
        for panel in wide {
            let few = Panel {
                records: 20,
                ..panel
            };
            let (all, some) = (few.draw(5), few.draw_support(5, 20));
            assert_eq!(all.table.target, some.table.target);
            let of = |weights: &[f64]| -> Vec<usize> {
                (0..weights.len()).filter(|&j| weights[j] != 0.0).collect()
            };
            let support = of(&all.weights);
            assert_eq!((support.len(), some.weights.len()), (10, 10));
            let row = |table: &Table, i: usize| {
                let mut row = vec![0.0; table.features.width()];
                table.features.for_row(i, |column, x| row[column] = x);
                row
            };
            let (whole, part) = (row(&all.table, 19), row(&some.table, 19));
            for (place, &column) in support.iter().enumerate() {
                assert_eq!(whole[column], part[place]);
                assert_eq!(all.weights[column], some.weights[place]);
            }
        }
    }
}
