//! Noisy gradient descent on records that are capped in length: the engine of several estimators.
//!
//! A *descent* releases the gradient of all its columns and the intercept, one Gaussian per step,
//! and follows it. For classes, rows are centred and scaled to the same length ([`Length::One`]):
//! the side of the boundary that a record lies on does not depend on its length. For numbers the
//! length matters, and records are weighed instead, so that none counts for more than one of length
//! C ([`Length::Within`]): C is a private median of the lengths.
//!
//! # Privacy
//!
//! Each step is a Gaussian release, whose sensitivity comes from the length of the records and
//! the clipped slope; the median is a selection. The plan fixes their noise relative to the
//! sensitivities, so that a planned ledger covers them whatever C is.

mod centre;
mod enforced_rows;
mod point;
mod record_clip;
mod shrinkage;
mod slopes;
mod step_rule;
mod threshold;

use std::num::NonZeroU64;

use super::spending::multiplier;
use super::{Facts, FitError, PlanError, ProgressObserver, report_step};
use crate::loss::Loss;
use crate::mechanism::{ReleaseError, exponential, gaussian};
use crate::noise::{Aim, Generator, Grid};
use crate::population::{self, Gradient, Length, Lengths, Population, RowFrame, Slopes};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::solve::largest;
use crate::table::RecordBound;

pub(super) use centre::{CentreAndScales, Centring, SHARE as CENTRE_SHARE};
use point::Point;
pub(super) use record_clip::{clip_within, longest_gradient};
pub(super) use shrinkage::Signals;
use slopes::{as_released, set_as_released};
pub(super) use slopes::{by_function, intercepts_as_released, scaled_as_released, set_weights};
pub(super) use step_rule::{StepRule, path_length};
use threshold::Threshold;
pub(super) use threshold::{Thresholding, keep_largest};

/// The number of candidate levels of a median.
const LEVELS: usize = 400;
/// The share of a noisy descent's ρ that the median of the lengths gets.
const LENGTH_SHARE: f64 = 0.02;

/// One descent, before its length is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NoisyDescent {
    pub loss: Loss,
    /// How many functions the model has; several are for classes, on unit rows.
    pub outputs: usize,
    /// R: slopes are clipped to it.
    pub slope: f64,
    /// b₀, the constant of the intercept; 0 for none.
    pub constant: f64,
    /// How the length of records is limited.
    pub rows: Rows,
    /// How many steps.
    pub steps: NonZeroU64,
    /// The noise of a step.
    pub noise: NoiseMultiplier,
    /// How large steps are.
    pub step_rule: StepRule,
    /// What is set to zero along the way.
    pub thresholding: Thresholding,
}

/// How the length of records is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// Each is scaled to length 1.
    Unit,
    /// Left as they are: none exceeds the bound.
    Longest,
    /// Those above the median length, found by a selection of this range, count for less.
    Median(Range),
}

/// The noise of each of `steps` steps that together cost a `share` of ρ = 1/(2z²).
pub(super) fn noise_per_step(z: NoiseMultiplier, share: f64, steps: NonZeroU64) -> NoiseMultiplier {
    multiplier(z.get() * (steps.get() as f64 / share).sqrt())
}

/// Of a share of ρ: what the median of the lengths gets, and what the steps get.
pub(super) fn length_and_step_shares(share: f64) -> (f64, f64) {
    (LENGTH_SHARE * share, (1.0 - LENGTH_SHARE) * share)
}

/// The range of each of `count` selections that together cost a `share` of ρ = 1/(2z²): a
/// selection of range η costs η²/8.
pub(super) fn selection(z: NoiseMultiplier, share: f64, count: usize) -> Range {
    let range = 2.0 * (share / count.max(1) as f64).sqrt() / z.get();
    Range::new(range.max(f64::MIN_POSITIVE)).expect("a finite number above 0")
}

/// The watcher, and the steps done so far.
pub(super) struct Progress<'a> {
    pub watch: &'a mut dyn ProgressObserver,
    pub done: u64,
    pub total: u64,
}

impl Progress<'_> {
    /// Counts one more step, unless the watcher stops the fit.
    pub fn step(&mut self, ledger: &Ledger) -> Result<(), FitError> {
        report_step(self.watch, self.done, self.total, ledger)?;
        self.done += 1;
        Ok(())
    }
}

/// The input of a descent.
pub(super) struct DescentInput<'a> {
    pub population: &'a dyn Population,
    pub facts: &'a Facts,
    /// The columns that it may use.
    pub columns: &'a [u32],
    /// The centre that rows are shifted by, one value per column (none for 0); used for classes
    /// only.
    pub centre: &'a [f64],
    /// What columns are multiplied by before rows are scaled to length 1, one value per column (none for
    /// 1); with no centre only.
    pub scales: &'a [f64],
    /// What is added to the margins of each function, whatever the row; none for 0.
    pub offsets: &'a [f64],
    /// How much a record counts for in the mean: curvature is as much smaller.
    pub mass: f64,
}

/// The places of the `count` columns with the largest weights, over all functions of `block`
/// weights each, in increasing order.
pub(super) fn largest_columns(weights: &[f64], count: usize, block: usize) -> Vec<usize> {
    let mut sizes = vec![0.0; block - 1];
    for weights in weights.chunks(block) {
        for (size, weight) in sizes.iter_mut().zip(weights) {
            *size += weight * weight;
        }
    }
    largest(&sizes, count)
}

impl NoisyDescent {
    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let steps = Charge::new(Event::Gaussian { noise: self.noise }, self.steps);
        match self.rows {
            Rows::Unit | Rows::Longest => vec![steps],
            Rows::Median(range) => vec![Charge::once(Event::Exponential { range }), steps],
        }
    }

    /// The standard deviation of the noise of the mean gradient, for records capped at `length`.
    pub fn gradient_noise(&self, length: f64, records: u64, adjacency: Adjacency) -> f64 {
        Gradient::moved(adjacency, self.slope, length) * self.noise.get() / records as f64
    }

    /// Follows the gradient on some columns from `start`: one weight per column, and the
    /// constant's. The model is a function of the enforced records themselves, not of the scaled or
    /// centred ones; where columns are scaled, of the scaled ones ([`times_scales`]). Also returns the
    /// standard deviation of the noise accumulated in a weight.
    pub fn run(
        &self,
        input: &DescentInput<'_>,
        start: Vec<f64>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<(Vec<f64>, f64), FitError> {
        let DescentInput {
            columns, centre, ..
        } = *input;
        let unit = self.rows == Rows::Unit;
        let population = &*input.population.restricted_to(columns);
        let facts = Facts {
            columns: columns.len() + usize::from(unit),
            rows: if unit {
                RecordBound::L2(1.0)
            } else {
                population.shape().bound()
            },
            ..*input.facts
        };
        let length = self.find_length(population, &facts, ledger, randomness)?;
        let sd = self.gradient_noise(length, facts.records, ledger.adjacency());
        let slope = self.slope.min(self.loss.slope_bound());
        let grid = slope_grid(&facts, ledger.adjacency(), slope, sd)?;
        let frame = RowFrame {
            slope,
            length: match unit {
                true => Length::One,
                false => Length::Within(length),
            },
            centre,
            scales: input.scales,
            constant: self.constant,
            offsets: input.offsets,
        };
        let slopes = match self.outputs {
            1 => Slopes::Loss(self.loss),
            _ => Slopes::Classes,
        };
        let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
        let mut state =
            self.step_rule
                .start(self, (&facts, input.mass), length, ledger.adjacency());
        let mut point = Point::new(as_released(&start, self.outputs), self.outputs);
        let mut spread = 0.0;
        let mut threshold = Threshold::new(self.thresholding);
        for _ in 0..self.steps.get() {
            progress.step(ledger)?;
            let weights = scaled_as_released(point.weights(), input.scales, self.outputs);
            set_as_released(&mut gradient, &weights, self.constant, centre);
            let released = gaussian(&gradient.all(), self.noise, ledger, randomness)?;
            let (pace, held) = state.step(point.weights());
            spread = sd * held;
            let fixed = self.constant == 0.0;
            point.follow(
                &released,
                facts.records,
                pace,
                threshold.soft(spread),
                fixed,
            );
            threshold.apply(&mut point, spread);
        }
        threshold.apply_last(&mut point, spread);
        let weights = by_function(point.into_weights(), self.outputs);
        Ok((weights, spread))
    }

    /// C: the length that rows are scaled to, the longest possible, or a private median.
    fn find_length(
        &self,
        population: &dyn Population,
        facts: &Facts,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<f64, ReleaseError> {
        let longest = longest(facts, self.constant);
        let range = match self.rows {
            Rows::Unit => return Ok(1.0),
            Rows::Longest => return Ok(longest),
            Rows::Median(range) => range,
        };
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        let least = self.constant.max(bound / 100.0).min(longest / 2.0);
        let levels = levels(least, longest);
        let lengths = Lengths {
            levels: &levels,
            constant: self.constant,
        };
        let scores = lengths.ask(population);
        let best = exponential(&scores, Aim::Highest, range, ledger, randomness)?;
        Ok(levels[best])
    }
}

/// What the weights of a noisy descent on unit rows are divided by, so that margins keep about
/// their size: a length between the least and the greatest that a record of so many columns can
/// have. The boundary does not depend on it.
pub(super) fn typical_length(facts: &Facts, columns: usize, constant: f64) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound * (columns as f64 + 1.0).sqrt().sqrt(),
        RecordBound::L2(bound) => bound.hypot(constant),
    }
}

/// Levels from `least` to `most`, each the same factor above the one before.
pub(super) fn levels(least: f64, most: f64) -> Vec<f64> {
    let factor = (most / least).powf(1.0 / (LEVELS - 1) as f64);
    (0..LEVELS).map(|k| least * factor.powi(k as i32)).collect()
}

/// The greatest length of a record with its constant.
pub(super) fn longest(facts: &Facts, constant: f64) -> f64 {
    let rows = match facts.rows {
        RecordBound::L2(bound) => bound,
        RecordBound::Linf(bound) => bound * (facts.columns as f64).sqrt(),
    };
    rows.hypot(constant)
}

/// The grid of slopes of at most `slope` that suits the noise `sd` of the mean gradient.
pub(super) fn slope_grid(
    facts: &Facts,
    adjacency: Adjacency,
    slope: f64,
    sd: f64,
) -> Result<Grid, PlanError> {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    let grid = population::slope_grid(facts.records, adjacency, slope, sd / bound)?;
    Ok(grid)
}
