//! Noisy gradient descent on records that are capped in length: the engine of several estimators.
//!
//! A *flow* releases the gradient of all its columns and the intercept, one Gaussian a step, and
//! follows it. For classes, records are seen from their middle and made as long as each other
//! ([`Length::One`]): which side of the boundary a record lies on does not depend on its
//! length. For numbers it does, and records are weighed instead, so that none counts for more than
//! one of length C ([`Length::Within`]): C is a private median of the lengths.
//!
//! # Privacy
//!
//! Each step is a Gaussian release, whose sensitivity comes from the length of the records and
//! the clipped slope; the median is a selection. Their noise is fixed by the plan relative to
//! sensitivities, so that a planned ledger covers them whatever C is.

mod centre;
mod pace;
mod slopes;

use std::num::NonZeroU64;

use super::spending::multiplier;
use super::{Facts, FitError, PlanError, Watch, watched};
use crate::loss::Loss;
use crate::mechanism::{ReleaseError, exponential, gaussian};
use crate::noise::{Aim, Generator, Grid};
use crate::population::{self, Gradient, Length, Lengths, Population, RowFrame, Slopes};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::solve::{self, largest};
use crate::table::RecordBound;

pub(super) use centre::{Centring, SHARE as CENTRE_SHARE};
pub(super) use pace::{Pace, way};
pub(super) use slopes::{in_order, product, set};

/// How many levels a median is sought among.
const LEVELS: usize = 400;
/// The share of a flow's ρ that the median of the lengths gets.
const LENGTH_SHARE: f64 = 0.02;

/// One flow, before its length is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Flow {
    pub loss: Loss,
    /// How many functions the model has; several are for classes, on unit rows.
    pub outputs: usize,
    /// R: slopes are clipped to it.
    pub slope: f64,
    /// b₀, the constant of the intercept; 0 for none.
    pub constant: f64,
    /// How records are held to a length.
    pub rows: Rows,
    /// How many steps.
    pub steps: NonZeroU64,
    /// The noise of a step.
    pub noise: NoiseMultiplier,
    /// How large steps are.
    pub pace: Pace,
    /// What is set to zero on the way.
    pub keep: Keep,
}

/// How records are held to a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// Each is made of length 1.
    Unit,
    /// None is longer than it can be.
    Longest,
    /// Those above the median length, found by a selection of this range, count for less.
    Median(Range),
}

/// What is set to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Keep {
    /// Nothing.
    All,
    /// All but this many weights, after each step: iterative hard thresholding.
    Largest(usize),
    /// The gradient is followed by a hidden point, of which the model is the soft threshold at this
    /// many standard deviations of the noise that has gathered in it: the less it is, as steps
    /// average it out, the lower the threshold beside what has been learnt.
    Soft(f64),
}

/// The noise of each of `steps` steps that together cost a `share` of ρ = 1/(2z²).
pub(super) fn each(z: NoiseMultiplier, share: f64, steps: NonZeroU64) -> NoiseMultiplier {
    multiplier(z.get() * (steps.get() as f64 / share).sqrt())
}

/// Of a share of ρ: what the median of the lengths gets, and what the steps get.
pub(super) fn split(share: f64) -> (f64, f64) {
    (LENGTH_SHARE * share, (1.0 - LENGTH_SHARE) * share)
}

/// The range of each of `count` selections that together cost a `share` of ρ = 1/(2z²): a
/// selection of range η costs η²/8.
pub(super) fn selection(z: NoiseMultiplier, share: f64, count: usize) -> Range {
    let range = 2.0 * (share / count.max(1) as f64).sqrt() / z.get();
    Range::new(range.max(f64::MIN_POSITIVE)).expect("a finite number above 0")
}

/// Who watches, and how far it has come.
pub(super) struct Progress<'a> {
    pub watch: &'a mut dyn Watch,
    pub done: u64,
    pub total: u64,
}

impl Progress<'_> {
    /// One step more, unless the watcher stops it.
    pub fn step(&mut self, ledger: &Ledger) -> Result<(), FitError> {
        watched(self.watch, self.done, self.total, ledger)?;
        self.done += 1;
        Ok(())
    }
}

/// What a flow is on.
pub(super) struct Ground<'a> {
    pub population: &'a dyn Population,
    pub facts: &'a Facts,
    /// The columns that it may use.
    pub columns: &'a [u32],
    /// Where rows are seen from, one value a column (none for 0); read by flows for classes.
    pub centre: &'a [f64],
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

impl Flow {
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

    /// Follows the gradient on some columns from `start`: one weight a column, and the constant's.
    /// The model is a function of the enforced records as they are, whatever they were made into.
    pub fn run(
        &self,
        ground: &Ground<'_>,
        start: Vec<f64>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let Ground {
            columns, centre, ..
        } = *ground;
        let unit = self.rows == Rows::Unit;
        let population = &*ground.population.on(columns);
        let facts = Facts {
            columns: columns.len() + usize::from(unit),
            rows: if unit {
                RecordBound::L2(1.0)
            } else {
                population.shape().bound()
            },
            ..*ground.facts
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
            constant: self.constant,
        };
        let slopes = match self.outputs {
            1 => Slopes::Loss(self.loss),
            _ => Slopes::Classes,
        };
        let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
        let mut pace = self.pace.start(self, &facts, length, ledger.adjacency());
        let mut hidden = start;
        let mut weights = hidden.clone();
        for _ in 0..self.steps.get() {
            progress.step(ledger)?;
            set(&mut gradient, &weights, self.constant, centre);
            let released = gaussian(&gradient.all(), self.noise, ledger, randomness)?;
            let mut mean = in_order(released.to_real(), self.outputs);
            mean.iter_mut().for_each(|sum| *sum /= facts.records as f64);
            let spread = sd * pace.step(&mut hidden, &mean, &weights);
            let block = ground.columns.len() + 1;
            if self.constant == 0.0 {
                hidden
                    .chunks_mut(block)
                    .for_each(|all| all[block - 1] = 0.0);
            }
            weights = self.keep.of(&mut hidden, spread, block);
        }
        Ok(weights)
    }

    /// C: what the rows are made into, or the longest there can be, or a private median.
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

/// What the weights of a flow on unit rows are divided by, so that margins have about the size
/// that they had there: a length between the least and the most that a record of so many columns
/// can have. The boundary is the same whatever it is.
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

/// The longest that a record and its constant can be.
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

impl Keep {
    /// The model of a hidden point; hard thresholding thresholds that too. The constants' weights,
    /// the last of each `block`, are kept as they are.
    fn of(self, hidden: &mut [f64], spread: f64, block: usize) -> Vec<f64> {
        match self {
            Self::All => hidden.to_vec(),
            Self::Largest(count) => {
                keep_largest(hidden, count, block);
                hidden.to_vec()
            }
            Self::Soft(deviations) => {
                let threshold = deviations * spread;
                let soft = |x: f64| x.signum() * (x.abs() - threshold).max(0.0);
                let each = hidden.iter().enumerate();
                let kept = |place: usize| (place + 1).is_multiple_of(block);
                each.map(|(place, x)| if kept(place) { *x } else { soft(*x) })
                    .collect()
            }
        }
    }
}

/// Sets to zero all but the `count` largest weights, the last of each `block` apart.
pub(super) fn keep_largest(weights: &mut [f64], count: usize, block: usize) {
    let constants: Vec<f64> = weights
        .iter()
        .skip(block - 1)
        .step_by(block)
        .copied()
        .collect();
    let each = |weights: &mut [f64], values: &[f64]| {
        let places = weights.iter_mut().skip(block - 1).step_by(block);
        places
            .zip(values)
            .for_each(|(weight, value)| *weight = *value);
    };
    each(weights, &vec![0.0; constants.len()]);
    solve::keep_largest(weights, count);
    each(weights, &constants);
}
