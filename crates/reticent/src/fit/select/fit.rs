//! The fit on chosen columns: noisy gradients, preconditioned by noisy second moments.

use std::num::NonZeroU64;

use super::super::flow::{Ground, Progress, apart, levels, longest, slope_grid};
use super::super::{Facts, FitError, Task};
use super::defaults;
use crate::data::{Cap, RecordBound, Records, unpack_moments};
use crate::loss::Loss;
use crate::mechanism::{exponential, gaussian};
use crate::noise::{Aim, Randomness};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::solve::Eigen;

/// A fit on chosen columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    pub task: Task,
    /// b₀.
    pub constant: f64,
    /// T, and how many of the steps are in full.
    pub steps: NonZeroU64,
    pub full: u64,
    /// The noise of the second moments.
    pub moments: NoiseMultiplier,
    /// Finds the scale of the residuals, every second step, for linear models.
    pub scale: Option<Range>,
    /// The noise of a gradient.
    pub noise: NoiseMultiplier,
}

/// Where a fit has come to: one weight a column and the constant's, and the variance of each.
pub(super) struct Found {
    pub weights: Vec<f64>,
    pub variances: Vec<f64>,
}

/// The curvature that steps are divided by.
struct Curvature {
    eigen: Eigen,
    /// The mean of the diagonal.
    mean: f64,
}

impl Fit {
    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let scales = self.scale.map(|range| {
            let every_second = self.steps.get().div_ceil(2);
            let count = NonZeroU64::new(every_second).unwrap_or(NonZeroU64::MIN);
            Charge::new(Event::Exponential { range }, count)
        });
        let noise = self.moments;
        let moments = Charge::once(Event::Gaussian { noise });
        let steps = Charge::new(Event::Gaussian { noise: self.noise }, self.steps);
        [moments].into_iter().chain(scales).chain([steps]).collect()
    }

    /// Fits, from `weights` on: one a column and the constant's.
    pub fn run<R: Randomness>(
        &self,
        ground: &Ground<'_>,
        mut weights: Vec<f64>,
        ledger: &mut Ledger,
        randomness: &mut R,
        progress: &mut Progress<'_>,
    ) -> Result<Found, FitError> {
        let Self { task, constant, .. } = *self;
        let records = ground.records.on(ground.columns);
        let facts = Facts {
            columns: records.width(),
            ..*ground.facts
        };
        let length = defaults::length(&facts, facts.columns, longest(&facts, constant));
        let curvature = self.curvature(&records, &facts, length, ledger, randomness)?;
        let count = facts.records as f64;
        let averaged = (self.steps.get() - self.full.min(self.steps.get() - 1)) as f64;
        let mut scale = 1.0;
        let mut last = Step::default();
        for t in 0..self.steps.get() {
            progress.step(ledger)?;
            if let Some(range) = self.scale.filter(|_| t % 2 == 0) {
                scale = find_scale(&records, &weights, constant, range, ledger, randomness)?;
            }
            let at_zero = weights.iter().all(|weight| *weight == 0.0);
            let (loss, slope) = clipped(task, scale, at_zero);
            let sd = apart(ledger.adjacency()) * slope * length * self.noise.get();
            let grid = slope_grid(&facts, ledger.adjacency(), slope, sd / count)?;
            let cap = Cap {
                slope,
                length,
                intercept: constant,
            };
            let mut gradient = records.gradient_within(loss, grid, cap)?;
            gradient.set_weights(&weights[..facts.columns]);
            gradient.set_intercept(constant * weights[facts.columns]);
            let released = gaussian(&gradient.all(), self.noise, ledger, randomness)?;
            let bend = curvature.of_loss(task, &weights, count);
            let ridge = match task {
                Task::Linear => curvature.ridge(&facts, sd * sd / averaged, bend),
                _ => 0.0,
            };
            last = Step {
                sd,
                slope,
                bend,
                ridge,
            };
            let damping = match t.checked_sub(self.full) {
                None => 1.0,
                Some(beyond) => 1.0 / (beyond as f64 + 2.0),
            };
            let sums = released.to_real();
            let pull = sums.iter().zip(&weights).map(|(sum, w)| sum + ridge * w);
            let pull: Vec<f64> = pull.collect();
            let values = &curvature.eigen.values;
            let step = |i: usize| damping / (values[i] * bend + ridge);
            let moves = curvature.eigen.apply(&pull, step);
            for (weight, by) in weights.iter_mut().zip(moves) {
                *weight -= by;
            }
            if constant == 0.0 {
                weights[facts.columns] = 0.0;
            }
        }
        let variances = curvature.variances(task, &last, averaged);
        Ok(Found { weights, variances })
    }

    /// Releases the second moments, and makes a curvature of them that noise has not spoilt.
    fn curvature<R: Randomness>(
        &self,
        records: &Records,
        facts: &Facts,
        length: f64,
        ledger: &mut Ledger,
        randomness: &mut R,
    ) -> Result<Curvature, FitError> {
        let query = records.moments(length, self.constant)?;
        let released = gaussian(&query, self.moments, ledger, randomness)?;
        let matrix = unpack_moments(&released.to_real(), facts.columns);
        let apart = match ledger.adjacency() {
            Adjacency::ReplaceOne => std::f64::consts::SQRT_2,
            Adjacency::AddRemove => 1.0,
        };
        let sd = apart * length * length * self.moments.get();
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
        let least = match facts.rows {
            RecordBound::Linf(_) => defaults::LEAST_SQUARE,
            RecordBound::L2(_) => defaults::LEAST_SQUARE / facts.columns as f64,
        };
        let least = least * bound * bound * facts.records as f64;
        Ok(Curvature::shrunk(matrix, sd, least))
    }
}

/// What the last step knew.
#[derive(Default)]
struct Step {
    sd: f64,
    slope: f64,
    bend: f64,
    ridge: f64,
}

impl Curvature {
    /// Noise of deviation `sd` on the diagonal (and sd/√2 off it) is shrunk away towards a multiple
    /// of the identity, as far as it explains what is off it (James–Stein); eigenvalues that noise
    /// may have made are lifted.
    fn shrunk(mut matrix: Vec<Vec<f64>>, sd: f64, least: f64) -> Self {
        let order = matrix.len() as f64;
        let trace: f64 = (0..matrix.len()).map(|j| matrix[j][j]).sum();
        let mean = (trace / order).max(least);
        for (j, row) in matrix.iter_mut().enumerate() {
            row[j] -= mean;
        }
        let size: f64 = matrix.iter().flatten().map(|x| x * x).sum();
        let noise = sd * sd * (order * (order - 1.0) / 2.0 + order - 1.0);
        let kept = (1.0 - noise / size.max(f64::MIN_POSITIVE)).max(0.0);
        for (j, row) in matrix.iter_mut().enumerate() {
            row.iter_mut().for_each(|x| *x *= kept);
            row[j] += mean;
        }
        let mut eigen = Eigen::of(matrix);
        let floor = (0.02 * mean).max(kept * sd * order.sqrt());
        eigen.values.iter_mut().for_each(|x| *x = x.max(floor));
        Self { eigen, mean }
    }

    /// The ridge of a linear model: the variance of the noise of a gradient over that of what it
    /// may tell, for weights that explain targets of size 1, on rows of bound 1.
    fn ridge(&self, facts: &Facts, noise: f64, bend: f64) -> f64 {
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
        let square = self.mean / facts.records as f64;
        noise * square / (bend * bound * bound)
    }

    /// The mean second derivative of the loss at these weights: the share of residuals within
    /// reach, or that of the logistic loss where margins are as spread as these weights make
    /// them, E[σ′(m)] ≈ ¼/√(1 + π/8·var m).
    fn of_loss(&self, task: Task, weights: &[f64], count: f64) -> f64 {
        if task == Task::Linear {
            return defaults::WITHIN;
        }
        let spread = self.eigen.apply(weights, |i| self.eigen.values[i]);
        let variance: f64 = spread.iter().zip(weights).map(|(h, w)| h * w).sum();
        0.25 / (1.0 + std::f64::consts::FRAC_PI_8 * (variance / count).max(0.0)).sqrt()
    }

    /// The variance of each weight: noise and sampling, direction by direction.
    fn variances(&self, task: Task, step: &Step, averaged: f64) -> Vec<f64> {
        let of_direction = |value: &f64| {
            let sampling = match task {
                Task::Linear => 0.7 * step.slope * step.slope * value,
                _ => step.bend * value,
            };
            let bend = value * step.bend + step.ridge;
            (step.sd * step.sd / averaged + sampling) / (bend * bend)
        };
        let by_direction: Vec<f64> = self.eigen.values.iter().map(of_direction).collect();
        let of_weight = |j: usize| {
            let parts = self.eigen.vectors.iter().zip(&by_direction);
            parts
                .map(|(vector, variance)| vector[j] * vector[j] * variance)
                .sum()
        };
        (0..by_direction.len()).map(of_weight).collect()
    }
}

/// The loss, and what its slopes are clipped to.
pub(super) fn clipped(task: Task, scale: f64, at_zero: bool) -> (Loss, f64) {
    match task {
        Task::Linear => (Loss::Squared { reach: scale }, scale),
        _ if at_zero => (Loss::Logistic, defaults::LOGISTIC_SLOPES.0),
        _ => (Loss::Logistic, defaults::LOGISTIC_SLOPES.1),
    }
}

/// A private median of the residuals' sizes.
pub(super) fn find_scale<R: Randomness>(
    records: &Records,
    weights: &[f64],
    constant: f64,
    range: Range,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<f64, FitError> {
    let levels = levels(defaults::LEAST_SCALE, 1.0);
    let scores = records.residual_scores(
        &weights[..records.width()],
        constant * weights[records.width()],
        &levels,
    );
    let best = exponential(&scores, Aim::Highest, range, ledger, randomness)?;
    Ok(levels[best])
}
