//! Tables whose true weights are known.

use reticent::fit::Task;
use reticent::table::{Table, Target};

use crate::synthetic::{Source, dense};

/// How columns go together. Each is uniform in [−1, 1]: the distribution function of a normal number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Columns {
    Independent,
    /// 0.5^|i−j| between the normal numbers.
    Neighbours,
    /// 0.5 between any two normal numbers.
    Together,
}

/// A kind of tables.
#[derive(Debug, Clone, Copy)]
pub struct Design {
    pub task: Task,
    pub width: usize,
    /// How many columns matter.
    pub matter: usize,
    pub columns: Columns,
}

/// Records to learn from and to measure on.
const RECORDS: usize = 20_000;
const FRESH: usize = 10_000;
/// The largest and the smallest true weight, and the share of the largest: of classes, in log-odds.
const SIZES: (f64, f64) = (1.0, 0.2);
const LOG_ODDS: f64 = 1.5;
/// The deviation of what the columns do not explain of a number.
const RESIDUAL: f64 = 0.5;

impl Design {
    /// Every design.
    pub fn all() -> Vec<Self> {
        let columns = [Columns::Independent, Columns::Neighbours, Columns::Together];
        let mut all = Vec::new();
        for task in [Task::Linear, Task::Logistic] {
            for (width, matter) in [(30, 5), (200, 10)] {
                all.extend(columns.map(|columns| Self {
                    task,
                    width,
                    matter,
                    columns,
                }));
            }
        }
        all
    }

    /// The name in progress and memory.
    pub fn name(&self) -> String {
        let columns = match self.columns {
            Columns::Independent => "independent",
            Columns::Neighbours => "0.5^\\|i−j\\|",
            Columns::Together => "0.5 each",
        };
        let task = self.task.name();
        format!("{task} | {} of {} | {columns}", self.matter, self.width)
    }

    /// The true weights, and tables to learn from and to measure on.
    pub fn tables(&self, seed: u64) -> (Vec<f64>, [Table<'static>; 2]) {
        let mut source = Source::new(seed);
        let mut weights = vec![0.0; self.width];
        let largest = match self.task {
            Task::Linear => SIZES.0,
            _ => LOG_ODDS * SIZES.0,
        };
        for k in 0..self.matter {
            let part = k as f64 / (self.matter - 1) as f64;
            let size = largest * (1.0 - part * (1.0 - SIZES.1 / SIZES.0));
            let sign = if source.uniform() < 0.5 { 1.0 } else { -1.0 };
            loop {
                let place = (source.uniform() * self.width as f64) as usize;
                if weights[place] == 0.0 {
                    weights[place] = sign * size;
                    break;
                }
            }
        }
        let tables = [RECORDS, FRESH].map(|rows| self.table(&weights, rows, &mut source));
        (weights, tables)
    }

    fn table(&self, weights: &[f64], rows: usize, source: &mut Source) -> Table<'static> {
        let mut values = Vec::with_capacity(rows * self.width);
        let (mut class, mut targets) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let common = source.normal();
            let mut before = source.normal();
            let mut score = 0.0;
            for weight in weights {
                let own = source.normal();
                let normal = match self.columns {
                    Columns::Independent => own,
                    Columns::Neighbours => 0.5 * before + 0.75f64.sqrt() * own,
                    Columns::Together => 0.5f64.sqrt() * (common + own),
                };
                before = normal;
                let x = 1.0 - libm::erfc(normal * std::f64::consts::FRAC_1_SQRT_2);
                score += weight * x;
                values.push(x as f32);
            }
            match self.task {
                Task::Linear => targets.push(score + RESIDUAL * source.normal()),
                _ => {
                    let second = source.uniform() < 1.0 / (1.0 + (-score).exp());
                    class.push(u32::from(second));
                }
            }
        }
        let target = match self.task {
            Task::Linear => Target::Values(targets),
            _ => Target::Classes {
                class,
                names: ["0", "1"].map(str::to_owned).to_vec(),
            },
        };
        dense(values, rows, self.width, target)
    }
}
