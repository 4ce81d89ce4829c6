//! The loop.

use super::super::flow::{
    Ground, Progress, Rows, keep_largest, largest_columns, product, typical_length,
};
use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, Planned, Subject, Task, Watch, sealed,
};
use super::plan::{Plan, Work};
use crate::mechanism::ReleaseError;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::Ledger;

impl Planned for Plan {
    fn name(&self) -> &'static str {
        "ight"
    }

    fn task(&self) -> Task {
        self.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Spends(&self.spending)
    }

    fn outline(&self) -> Vec<Line> {
        self.lines()
    }

    fn run(
        &self,
        subject: Subject<'_>,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        let population = sealed(self, subject)?;
        let mut ledger = self.spending.ledger().map_err(ReleaseError::from)?;
        let mut progress = Progress {
            watch,
            done: 0,
            total: self.iterations(),
        };
        let weights = match &self.work {
            Work::Flows(_) => self.flows(population, &mut ledger, randomness, &mut progress)?,
            Work::Peeling(peeling) => peeling.run(
                population,
                &self.facts,
                self.loss,
                &mut ledger,
                randomness,
                &mut progress,
            )?,
        };
        let output = |weights: &[f64]| {
            let (constant, weights) = weights.split_last().unwrap_or((&0.0, &[]));
            Output::of(weights, self.constant * constant)
        };
        let outputs = weights.chunks(self.facts.columns + 1).map(output).collect();
        Ok(Fitted::linear(outputs, ledger.statement()))
    }
}

impl Plan {
    /// One flow after the other, each on the columns that the one before has left.
    fn flows(
        &self,
        population: &dyn Population,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let Work::Flows(flows) = &self.work else {
            return Ok(Vec::new());
        };
        let mut columns: Vec<u32> = (0..self.facts.columns as u32).collect();
        let mut centre = match &self.centring {
            Some(centring) => centring.find(population, &self.facts, ledger, randomness)?,
            None => Vec::new(),
        };
        let outputs = self.task.outputs();
        let mut weights = vec![0.0; outputs * (columns.len() + 1)];
        for (stage, flow) in flows {
            let ground = Ground {
                population,
                facts: &self.facts,
                columns: &columns,
                centre: &centre,
            };
            let start = if stage.warm {
                weights
            } else {
                vec![0.0; outputs * (columns.len() + 1)]
            };
            weights = flow.run(&ground, start, ledger, randomness, progress)?;
            if let Some(count) = stage.leaves {
                let kept = largest_columns(&weights, count, columns.len() + 1);
                weights = of_kept(&weights, &kept, columns.len() + 1);
                columns = at(&columns, &kept);
                centre = if centre.is_empty() {
                    centre
                } else {
                    at(&centre, &kept)
                };
            }
        }
        let unit = flows
            .last()
            .is_some_and(|(_, flow)| flow.rows == Rows::Unit);
        let length = if unit {
            typical_length(&self.facts, columns.len(), self.constant)
        } else {
            1.0
        };
        if let Some(count) = self.nonzero {
            keep_largest(&mut weights, count, columns.len() + 1);
        }
        let block = columns.len() + 1;
        if self.constant > 0.0 {
            // A margin is w·(x − m) + b₀·w₀ = w·x + b₀·(w₀ − w·m/b₀).
            for weights in weights.chunks_mut(block) {
                weights[block - 1] -= product(&centre, weights) / self.constant;
            }
        }
        let spread_out = |weights| spread_out(&columns, weights, self.facts.columns, length);
        Ok(weights.chunks(block).flat_map(spread_out).collect())
    }
}

/// Of each function of `block` weights those of the columns at these places, and the constant's.
fn of_kept(weights: &[f64], kept: &[usize], block: usize) -> Vec<f64> {
    let of_function = |weights: &[f64]| [at(weights, kept), vec![weights[block - 1]]].concat();
    weights.chunks(block).flat_map(of_function).collect()
}

/// What is at these places.
fn at<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|place| all[*place]).collect()
}

/// The weights of some columns, and the constant's, over `length` and among those of all columns.
fn spread_out(columns: &[u32], weights: &[f64], width: usize, length: f64) -> Vec<f64> {
    let mut all = vec![0.0; width + 1];
    for (column, weight) in columns.iter().zip(weights) {
        all[*column as usize] = weight / length;
    }
    if let Some(constant) = weights.last() {
        all[width] = constant / length;
    }
    all
}
