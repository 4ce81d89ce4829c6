//! What is released around every fit of classes: the class counts before it, and what its
//! probabilities are calibrated by after it.
//!
//! A fit finds a direction in which classes differ. How likely a class is along it is another
//! question, with far fewer numbers to find: an increasing map of one number, or a scale and one
//! offset per class. So every private model of classes ends with a calibration of its margins within the same
//! budget, whatever its method, and its probabilities are probabilities.
//!
//! # Privacy
//!
//! Gaussian releases with the queries' own sensitivities, under the ledger's adjacency. Each asks
//! about released functions on scales that follow from earlier releases; the plan fixes their number
//! and their noise, so that a planned ledger covers them.

mod bends;
mod calibration_map;
mod class_rates;
mod curve;
mod line;
mod margin_bins;
mod several_classes;
#[cfg(test)]
mod tests;
mod two_classes;

use std::num::NonZeroU64;

use super::spending::{multiplier, rho};
use super::{Facts, FitError, LinearFunction, Released, Task};
use crate::mechanism::{ReleaseError, gaussian};
use crate::noise::{Generator, Randomness};
use crate::population::{ClassCounts, Population, ReleasedFunctions};
use crate::privacy::{Budget, Charge, Event, Ledger, NoiseMultiplier};
use crate::table::RecordBound;

pub use calibration_map::CalibrationMap;
pub use class_rates::ClassRates;
use two_classes::TwoClassesNoise;

/// The share of ρ of the class counts.
const COUNTS: f64 = 0.02;
/// Two classes: the shares of ρ of the histogram of margins, of the sums over one class, and of what
/// these leave unexplained.
const TWO: [f64; 3] = [0.02, 0.02, 0.08];
/// Several classes: the shares of the level of margins, and of all Newton steps together.
const SEVERAL: [f64; 2] = [0.01, 0.10];

/// The largest noise multiplier: beyond it the samplers would overflow.
const LARGEST: f64 = (1 << 20) as f64;

/// The largest possible margins that can be calibrated. Of others nothing is known, or floats do not reach.
const SIZES: std::ops::Range<f64> = 1e-100..1e100;

/// What is released around a fit of classes, with its noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClassOutputs {
    task: Task,
    counts: NoiseMultiplier,
    calibration: Option<CalibrationNoise>,
}

/// The noise of a calibration.
#[derive(Debug, Clone, Copy, PartialEq)]
enum CalibrationNoise {
    Two(TwoClassesNoise),
    Several {
        level: NoiseMultiplier,
        step: NoiseMultiplier,
    },
}

impl CalibrationNoise {
    /// What the calibration charges.
    fn charges(self) -> Vec<Charge> {
        match self {
            Self::Two(noise) => {
                vec![
                    once(noise.histogram),
                    once(noise.class),
                    once(noise.residuals),
                ]
            }
            Self::Several { level, step } => {
                let steps = NonZeroU64::new(several_classes::STEPS).unwrap_or(NonZeroU64::MIN);
                vec![
                    once(level),
                    Charge::new(Event::Gaussian { noise: step }, steps),
                ]
            }
        }
    }
}

/// One release with this noise.
fn once(noise: NoiseMultiplier) -> Charge {
    Charge::once(Event::Gaussian { noise })
}

/// How much is released around a fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Around {
    /// Nothing.
    Nothing,
    /// Class counts, before it.
    Counts,
    /// Class counts, and a calibration after it.
    Calibration,
}

impl Around {
    /// What is released around a fit of a model: nothing for numbers, nor without an intercept, as no
    /// offset could be fitted.
    pub fn model(task: Task, intercept: bool) -> Self {
        match task {
            Task::Linear => Self::Nothing,
            _ if !intercept => Self::Nothing,
            _ => Self::Calibration,
        }
    }

    /// The same where a region or a penalty may have been asked for. A calibration rescales the weights: a
    /// model that was `asked` for in these terms stays what it is, and only class counts are released.
    pub fn within(asked: bool, task: Task, intercept: bool) -> Self {
        match Self::model(task, intercept) {
            Self::Calibration if asked => Self::Counts,
            around => around,
        }
    }

    /// The same, or nothing where a budget is so small that there would be no room for the noise.
    pub fn affordable(self, budget: Budget) -> Self {
        let least = TWO.iter().chain(&SEVERAL).copied().fold(COUNTS, f64::min);
        let noise = 1.0 / (2.0 * rho(budget) * least / several_classes::STEPS as f64).sqrt();
        match noise <= LARGEST {
            true => self,
            false => Self::Nothing,
        }
    }

    /// Its share of ρ.
    pub fn share(self, task: Task) -> f64 {
        let calibration: f64 = match task {
            Task::Multinomial { .. } => SEVERAL.iter().sum(),
            _ => TWO.iter().sum(),
        };
        match self {
            Self::Nothing => 0.0,
            Self::Counts => COUNTS,
            Self::Calibration => COUNTS + calibration,
        }
    }
}

impl ClassOutputs {
    /// Where the whole plan costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier, task: Task, around: Around) -> Option<Self> {
        let noise = |share: f64| multiplier(z.get() / share.sqrt());
        let calibration = match task {
            Task::Multinomial { .. } => CalibrationNoise::Several {
                level: noise(SEVERAL[0]),
                step: noise(SEVERAL[1] / several_classes::STEPS as f64),
            },
            _ => CalibrationNoise::Two(TwoClassesNoise {
                histogram: noise(TWO[0]),
                class: noise(TWO[1]),
                residuals: noise(TWO[2]),
            }),
        };
        let calibration = match around {
            Around::Nothing => return None,
            Around::Counts => None,
            Around::Calibration => Some(calibration),
        };
        Some(Self {
            task,
            counts: noise(COUNTS),
            calibration,
        })
    }

    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let calibration = self.calibration.map(CalibrationNoise::charges);
        let calibration = calibration.into_iter().flatten();
        std::iter::once(once(self.counts))
            .chain(calibration)
            .collect()
    }

    /// Whether probabilities are calibrated.
    pub fn calibrates(&self) -> bool {
        self.calibration.is_some()
    }

    /// Releases the class counts.
    pub fn rates(
        &self,
        population: &dyn Population,
        facts: &Facts,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<ClassRates, FitError> {
        let counts = ClassCounts.ask(population);
        let released = gaussian(&counts, self.counts, ledger, randomness)?.to_real();
        let adjacency = ledger.adjacency();
        let deviation = ClassCounts::moved(adjacency) * self.counts.get();
        let table = (self.task, facts);
        Ok(ClassRates::new(released, deviation, adjacency, table))
    }

    /// The model whose probabilities fit the records, of the functions that were released; where classes
    /// have weights, those of the weighted population.
    ///
    /// It is fitted to the records as they are, of which noise hides less: where a class counts for w
    /// times as much, its odds are w times as large (Bayes), and so are they here.
    pub fn calibrate(
        &self,
        functions: Vec<LinearFunction>,
        class_weights: &[f64],
        rates: &ClassRates,
        (population, facts): (&dyn Population, &Facts),
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Released, FitError> {
        let Some(calibration) = self.calibration else {
            return Ok(Released::Linear(functions));
        };
        let margins = Margins::new(&functions, rates, facts);
        let shifts = shifts(class_weights, functions.len());
        if !SIZES.contains(&margins.largest) {
            // There is nothing to scale: what is known are the rates. The calibration is charged all the
            // same, so that a list of charges does not follow from what was released.
            for charge in calibration.charges() {
                let charged = ledger.charge(charge, randomness.secure());
                charged.map_err(ReleaseError::from)?;
            }
            let functions = rates.functions().into_iter().zip(&shifts);
            let shifted = functions.map(|(function, shift)| function.scaled(1.0, *shift));
            return Ok(Released::Linear(shifted.collect()));
        }
        let mut asking = Asking {
            population,
            margins: &margins,
            rates,
            ledger,
            randomness,
        };
        match calibration {
            CalibrationNoise::Two(noise) => {
                let (line, map) = asking.two_classes(noise)?;
                let (even, map) = map.plus(shifts[0]).around_even();
                let plus = line.offset - line.slope * margins.origins[0] - even;
                let function = functions.into_iter().next().unwrap_or_default();
                let function = function.scaled(line.slope, plus);
                Ok(Released::Calibrated { function, map })
            }
            CalibrationNoise::Several { level, step } => {
                let (scale, offsets) = asking.several_classes(level, step)?;
                let offsets = offsets
                    .iter()
                    .zip(&shifts)
                    .map(|(offset, shift)| offset + shift);
                let ends = margins.origins.iter().zip(offsets);
                let pairs = functions.into_iter().zip(ends);
                let calibrated = |(f, (origin, offset)): (LinearFunction, (&f64, f64))| {
                    f.scaled(scale, offset - scale * origin)
                };
                Ok(Released::Linear(pairs.map(calibrated).collect()))
            }
        }
    }
}

/// The margins of released functions, measured from the log-odds of the class rates.
struct Margins {
    weights: Vec<f64>,
    intercepts: Vec<f64>,
    origins: Vec<f64>,
    /// No margin is larger; several classes: no list of margins is longer.
    largest: f64,
}

impl Margins {
    fn new(functions: &[LinearFunction], rates: &ClassRates, facts: &Facts) -> Self {
        let origins = rates.log_odds();
        let mut weights = vec![0.0; functions.len() * facts.columns];
        let mut squares = 0.0;
        for (k, (function, origin)) in functions.iter().zip(&origins).enumerate() {
            for (column, weight) in &function.weights {
                weights[k * facts.columns + *column as usize] = *weight;
            }
            let sizes = function.weights.iter().map(|(_, weight)| weight.abs());
            let of_row = match facts.rows {
                RecordBound::Linf(bound) => bound * sizes.sum::<f64>(),
                RecordBound::L2(bound) => bound * sizes.map(|w| w * w).sum::<f64>().sqrt(),
            };
            let largest = match of_row {
                0.0 => 0.0,
                of_row => of_row + (function.intercept - origin).abs(),
            };
            squares += largest * largest;
        }
        Self {
            weights,
            intercepts: functions.iter().map(|f| f.intercept).collect(),
            origins,
            largest: squares.sqrt(),
        }
    }

    fn functions(&self) -> ReleasedFunctions<'_> {
        ReleasedFunctions {
            weights: &self.weights,
            intercepts: &self.intercepts,
            origins: &self.origins,
        }
    }
}

/// What a calibration asks, and whom.
struct Asking<'a> {
    population: &'a dyn Population,
    margins: &'a Margins,
    rates: &'a ClassRates,
    ledger: &'a mut Ledger,
    randomness: &'a mut Generator,
}

/// What is added to the log-odds of one function, or of one per class, for the weights of the classes.
fn shifts(weights: &[f64], functions: usize) -> Vec<f64> {
    match (weights, functions) {
        ([first, second], 1) => vec![(second / first).ln()],
        ([], functions) => vec![0.0; functions],
        (weights, _) => weights.iter().map(|weight| weight.ln()).collect(),
    }
}

fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}
