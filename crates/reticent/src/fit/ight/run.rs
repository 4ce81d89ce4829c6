//! The loop.

use super::super::noisy_descent::{
    CentreAndScales, DescentInput, Progress, Rows, keep_largest, largest_columns, typical_length,
};
use super::super::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released,
};
use super::plan::{IghtPlan, Work};
use crate::fit::ClassRates;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::Ledger;

impl PrivatePlan for IghtPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "ight",
            task: self.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
    }

    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let mut progress = Progress {
            watch,
            done: 0,
            total: self.iterations(),
        };
        let weights = match &self.work {
            Work::Descents(_) => {
                self.run_descents(population, rates, ledger, randomness, &mut progress)?
            }
            Work::Peeling(peeling) => peeling.run(
                population,
                &self.facts,
                self.loss,
                ledger,
                randomness,
                &mut progress,
            )?,
        };
        let output = |weights: &[f64]| {
            let (constant, weights) = weights.split_last().unwrap_or((&0.0, &[]));
            LinearFunction::of(weights, self.constant * constant)
        };
        let outputs = weights.chunks(self.facts.columns + 1).map(output).collect();
        Ok(Released::Linear(outputs))
    }
}

impl IghtPlan {
    /// One descent after another, each on the columns that the previous one left.
    ///
    /// What is returned has the margins of centred rows, and the log-odds of the rates for its intercepts.
    fn run_descents(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let Work::Descents(descents) = &self.work else {
            return Ok(Vec::new());
        };
        let mut columns: Vec<u32> = (0..self.facts.columns as u32).collect();
        let mut found = match &self.centring {
            Some(centring) => centring.find(population, &self.facts, ledger, randomness)?,
            None => CentreAndScales::default(),
        };
        let slope = descents.first().map_or(1.0, |(_, descent)| descent.slope);
        let offsets = found.offsets(rates, slope);
        let outputs = self.task.outputs();
        let mut weights = vec![0.0; outputs * (columns.len() + 1)];
        for (stage, descent) in descents {
            let input = DescentInput {
                population,
                facts: &self.facts,
                columns: &columns,
                centre: &found.centre,
                scales: &found.scales,
                offsets: &offsets,
                mass: rates.map_or(1.0, |rates| rates.mass),
            };
            let start = if stage.warm {
                weights
            } else {
                vec![0.0; outputs * (columns.len() + 1)]
            };
            (weights, _) = descent.run(&input, start, ledger, randomness, progress)?;
            if let Some(count) = stage.leaves {
                let kept = largest_columns(&weights, count, columns.len() + 1);
                weights = keep_columns(&weights, &kept, columns.len() + 1);
                columns = values_at(&columns, &kept);
                for values in [&mut found.centre, &mut found.scales] {
                    if !values.is_empty() {
                        *values = values_at(values, &kept);
                    }
                }
            }
        }
        let unit = descents
            .last()
            .is_some_and(|(_, descent)| descent.rows == Rows::Unit);
        let length = if unit {
            typical_length(&self.facts, columns.len(), self.constant)
        } else {
            1.0
        };
        if let Some(count) = self.nonzero {
            keep_largest(&mut weights, count, columns.len() + 1);
        }
        let shape = (self.constant, columns.len());
        let weights = found.for_enforced_rows(weights, rates, length, shape);
        let scatter_weights = |weights| scatter(&columns, weights, self.facts.columns, length);
        Ok(weights
            .chunks(columns.len() + 1)
            .flat_map(scatter_weights)
            .collect())
    }
}

/// For each function of `block` weights, those of the columns at these places, and the constant's.
fn keep_columns(weights: &[f64], kept: &[usize], block: usize) -> Vec<f64> {
    let of_function =
        |weights: &[f64]| [values_at(weights, kept), vec![weights[block - 1]]].concat();
    weights.chunks(block).flat_map(of_function).collect()
}

/// The values at these places.
fn values_at<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|place| all[*place]).collect()
}

/// The weights of some columns and the constant's, divided by `length`, at their places among all
/// columns.
fn scatter(columns: &[u32], weights: &[f64], width: usize, length: f64) -> Vec<f64> {
    let mut all = vec![0.0; width + 1];
    for (column, weight) in columns.iter().zip(weights) {
        all[*column as usize] = weight / length;
    }
    if let Some(constant) = weights.last() {
        all[width] = constant / length;
    }
    all
}
