//! The loop.

use super::super::noisy_descent::{DescentInput, Progress, keep_largest};
use super::super::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released, Task,
};
use super::column_choice::start_from;
use super::column_frames::undo_frames;
use super::defaults;
use super::plan::SelectPlan;
use super::rounds::{RoundColumns, RoundFit};
use super::sparsity::{ColumnsToFit, columns_to_fit};
use super::target_frame::Evidence;
use crate::fit::ClassRates;
use crate::noise::Generator;
use crate::population::{Population, TargetFrame};
use crate::privacy::Ledger;

impl PrivatePlan for SelectPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "select",
            task: self.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
    }

    fn worst_noise(&self) -> Option<f64> {
        self.noise_of_range()
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
            total: self.steps(),
        };
        let frame = match &self.frame_search {
            Some(search) => {
                let centred = self.constant == 0.0;
                search.run(population, &self.facts, centred, ledger, randomness)?
            }
            None => TargetFrame::WHOLE,
        };
        let framed = match self.task {
            Task::Linear => population.framed(frame),
            _ => Box::new(population),
        };
        let population = &*framed;
        let column_frames = match &self.column_search {
            Some(search) => {
                let centred = self.constant == 0.0;
                search.run(population, &self.facts, centred, ledger, randomness)?
            }
            None => vec![None; self.facts.columns],
        };
        let columns_framed = match column_frames.iter().any(Option::is_some) {
            true => population.columns_framed(&column_frames),
            false => Box::new(population),
        };
        let population = &*columns_framed;
        // Function after function, one per column, and the constant's.
        let block = self.facts.columns + 1;
        let mut weights = vec![0.0; block * self.task.outputs()];
        if let Some(intercept_first) = &self.intercept_first {
            let intercept = intercept_first.run(population, &self.facts, ledger, randomness)?;
            weights[block - 1] = intercept / self.constant;
        }
        if let Some(rates) = rates {
            start_from(rates, self.task, self.constant, &mut weights);
        }
        let mean = weights.clone();
        let mut verdict = None;
        let mut variances: Vec<f64> = vec![0.0; weights.len()];
        let mut columns = Vec::new();
        for round in &self.rounds {
            let table = (population, &self.facts);
            let all = || (0..self.facts.columns as u32).collect();
            let mut fit = round.fit;
            match &round.columns {
                RoundColumns::All => columns = all(),
                RoundColumns::Chosen(choice) => {
                    choice.run(table, &weights, &mut columns, ledger, randomness)?;
                }
                RoundColumns::Screened { screening, most } => {
                    let found = screening.run(table, rates, ledger, randomness, &mut progress)?;
                    columns = match columns_to_fit(&found, *most) {
                        ColumnsToFit::Few(few) => few,
                        ColumnsToFit::All => {
                            fit.keep_all();
                            all()
                        }
                    };
                }
                RoundColumns::Exceeding { most } => {
                    let deviations = weights.iter().zip(&variances).take(block - 1);
                    let found: Vec<f64> = deviations.map(|(w, v)| w / v.sqrt()).collect();
                    columns = match columns_to_fit(&found, *most) {
                        ColumnsToFit::Few(few) => {
                            // Those of columns that are left out are 0 again.
                            weights = mean.clone();
                            few
                        }
                        ColumnsToFit::All => {
                            fit.keep_all();
                            all()
                        }
                    };
                }
            }
            let input = DescentInput {
                population,
                facts: &self.facts,
                columns: &columns,
                centre: &[],
                scales: &[],
                offsets: &[],
                mass: rates.map_or(1.0, |rates| rates.mass),
            };
            let of_function: Vec<usize> = columns
                .iter()
                .map(|j| *j as usize)
                .chain([block - 1])
                .collect();
            let places: Vec<usize> = (0..self.task.outputs())
                .flat_map(|k| of_function.iter().map(move |place| k * block + place))
                .collect();
            let start = places.iter().map(|place| weights[*place]).collect();
            let found = match &fit {
                RoundFit::Gradients(fit) => {
                    fit.run(&input, start, ledger, randomness, &mut progress)?
                }
                RoundFit::Statistics(fit) => fit.run(&input, ledger, randomness, &mut progress)?,
            };
            for (k, &place) in places.iter().enumerate() {
                weights[place] = found.weights[k];
                variances[place] = found.variances[k];
            }
            verdict = found.evidence;
            if let Some(centre) = found.centre {
                let deviation = self.mean_noise();
                let by = towards_mean(&weights, &mean, self.constant, centre, deviation);
                weights[block - 1] += by;
            }
        }
        let outputs = weights.chunks_mut(block).zip(variances.chunks(block));
        for (weights, variances) in outputs {
            for (weight, variance) in weights.iter_mut().zip(variances).take(block - 1) {
                *weight *= garrote_factor(*weight, self.shrinkage * variance);
            }
        }
        keep_largest(&mut weights, self.nonzero, block);
        verdict = verdict.filter(Evidence::convinces);
        if self.task == Task::Linear && verdict.is_none() {
            weights = mean;
        }
        let output = |weights: &[f64]| {
            let scale = frame.half_width();
            let of_columns: Vec<f64> = weights[..block - 1].iter().map(|w| w * scale).collect();
            LinearFunction::of(&of_columns, frame.undo(self.constant * weights[block - 1]))
        };
        if self.task == Task::Linear {
            let features = verdict.map_or(0.0, |evidence| evidence.noise.sqrt());
            let bound = defaults::bound(&self.facts);
            let (function, ranges) = undo_frames(output(&weights), &column_frames, bound);
            return Ok(Released::Number {
                function,
                ranges,
                noise: frame.half_width() * self.mean_noise().hypot(features),
            });
        }
        let outputs = weights.chunks(block).map(output).collect();
        Ok(Released::Linear(outputs))
    }
}

/// The garrote: what part of a weight is kept, given the variance of its noise.
fn garrote_factor(weight: f64, noise: f64) -> f64 {
    if noise == 0.0 {
        return 1.0;
    }
    (1.0 - noise / (weight * weight)).max(0.0)
}

/// By how much the constant's weight moves so that predictions have the released mean: fully where
/// the difference is clearly more than noise, as it is where targets are skewed, and not at all
/// where noise explains it. `centre` is the mean of the features' part and the variance of its
/// noise, `deviation` that of the mean's.
fn towards_mean(
    weights: &[f64],
    mean: &[f64],
    constant: f64,
    (centre, variance): (f64, f64),
    deviation: f64,
) -> f64 {
    let last = weights.len() - 1;
    let by = mean[last] - centre / constant - weights[last];
    let noise = (variance + deviation * deviation) / (constant * constant);
    by * garrote_factor(by, defaults::MEAN_SHRINKAGE * noise)
}
