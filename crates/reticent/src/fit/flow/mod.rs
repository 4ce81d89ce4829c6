//! Noisy gradient descent on records that are capped in length: the engine of several estimators.
//!
//! A *flow* releases the gradient of all its columns and the intercept, one Gaussian a step, and
//! follows it. For classes, records are seen from their middle and made as long as each other
//! ([`Records::gradient_about`]): which side of the boundary a record lies on does not depend on its
//! length. For numbers it does, and records are weighed instead, so that none counts for more than
//! one of length C ([`Records::gradient_within`]): C is a private median of the lengths.
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
use crate::mechanism::{ReleaseError, exponential};
use crate::noise::{Aim, Generator, Grid};
use crate::population::{About, Cap, Records};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::table::RecordBound;

pub(super) use centre::{Centring, SHARE as CENTRE_SHARE};
pub(super) use pace::{Pace, way};
use slopes::Slopes;
pub(super) use slopes::product;

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

/// How many records' parts neighbours differ by.
pub(super) fn apart(adjacency: Adjacency) -> f64 {
    match adjacency {
        Adjacency::ReplaceOne => 2.0,
        Adjacency::AddRemove => 1.0,
    }
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
    pub records: &'a Records<'a>,
    pub facts: &'a Facts,
    /// The columns that it may use.
    pub columns: &'a [u32],
    /// Where rows are seen from, one value a column (none for 0); read by flows for classes.
    pub centre: &'a [f64],
}

/// The places of the `count` columns with the largest weights, over all functions of `block`
/// weights each, in increasing order.
pub(super) fn largest_columns(weights: &[f64], count: usize, block: usize) -> Vec<u32> {
    let mut sizes = vec![0.0; block - 1];
    for weights in weights.chunks(block) {
        for (size, weight) in sizes.iter_mut().zip(weights) {
            *size += weight * weight;
        }
    }
    largest(&sizes, count)
}

/// The places of the `count` largest, in increasing order; the first of equals.
fn largest(weights: &[f64], count: usize) -> Vec<u32> {
    let mut places: Vec<u32> = (0..weights.len() as u32).collect();
    let size = |place: &u32| weights[*place as usize].abs();
    places.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
    places.truncate(count);
    places.sort_unstable();
    places
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
        apart(adjacency) * self.slope * length * self.noise.get() / records as f64
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
            records: all,
            columns,
            centre,
            ..
        } = *ground;
        let unit = self.rows == Rows::Unit;
        let held;
        let records = if columns.len() == all.width() {
            // All columns need no copy.
            all
        } else {
            held = all.on(columns);
            &held
        };
        let facts = Facts {
            columns: columns.len() + usize::from(unit),
            rows: if unit {
                RecordBound::L2(1.0)
            } else {
                records.bound()
            },
            ..*ground.facts
        };
        let length = self.find_length(records, &facts, ledger, randomness)?;
        let sd = self.gradient_noise(length, facts.records, ledger.adjacency());
        let slope = self.slope.min(self.loss.slope_bound());
        let grid = slope_grid(&facts, ledger.adjacency(), slope, sd)?;
        let about = About {
            slope,
            centre,
            intercept: self.constant,
        };
        let mut slopes = match (unit, self.outputs) {
            (true, 1) => Slopes::One(records.gradient_about(self.loss, grid, about)?),
            (true, _) => Slopes::Classes(records.class_gradient_about(grid, about)?),
            (false, _) => {
                let cap = Cap {
                    slope,
                    length,
                    intercept: self.constant,
                };
                Slopes::One(records.gradient_within(self.loss, grid, cap)?)
            }
        };
        let mut pace = self.pace.start(self, &facts, length, ledger.adjacency());
        let mut hidden = start;
        let mut weights = hidden.clone();
        for _ in 0..self.steps.get() {
            progress.step(ledger)?;
            let mut mean = slopes.release(
                &weights,
                (self.constant, centre),
                self.noise,
                ledger,
                randomness,
            )?;
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
        records: &Records,
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
        let scores = records.length_scores(&levels, self.constant);
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

/// The greatest power of two that is at most an eighth of the noise `sd` of the mean gradient as a
/// slope sees it, within what a gradient takes: R spans 2⁶ to 2²⁰ steps, fewer where the sum
/// over so many records would overflow.
pub(super) fn slope_grid(
    facts: &Facts,
    adjacency: Adjacency,
    slope: f64,
    sd: f64,
) -> Result<Grid, PlanError> {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    let log_records = match adjacency {
        Adjacency::ReplaceOne => (facts.records as f64).log2().ceil(),
        // The number is private, so the grid must do for any.
        Adjacency::AddRemove => 32.0,
    };
    let finest = (41.0 - log_records).min(20.0);
    let (fine, coarse) = (slope / finest.exp2(), slope / finest.min(6.0).exp2());
    let wanted = (sd / bound / 8.0).clamp(fine, coarse).log2().floor();
    Ok(Grid::new(wanted.max(fine.log2().ceil()) as i32)?)
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
    let constant = |place: usize| (place + 1).is_multiple_of(block);
    let mut sizes = weights.to_vec();
    (0..sizes.len())
        .filter(|place| constant(*place))
        .for_each(|place| sizes[place] = 0.0);
    let kept = largest(&sizes, count);
    for (place, weight) in weights.iter_mut().enumerate() {
        if !constant(place) && kept.binary_search(&(place as u32)).is_err() {
            *weight = 0.0;
        }
    }
}
