//! A cap on the length of what one record adds to a gradient.

use super::about::less_centre;
use super::{Gradient, SlopeGridError};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::noise::Grid;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;

/// How much one record may add to a gradient: public numbers, all of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// R: slopes are clipped to this, so that the loss goes on as a straight line from there.
    pub slope: f64,
    /// C: a record longer than this, its constant included, counts for less.
    pub length: f64,
    /// b₀: the constant that stands for the intercept; its column comes last. 0 for none.
    pub intercept: f64,
}

/// The weights and caps of the records.
pub(super) struct Caps {
    /// L, the most that a record adds in ℓ₂.
    pub length: u64,
    /// b₀ in grid steps.
    pub constant: u64,
    /// m in grid steps, one a column: what is taken off each row. Empty for 0.
    pub centre: Vec<i32>,
    /// What each margin is multiplied by. Empty for 1.
    pub shortening: Vec<f64>,
    /// vᵢ.
    pub weights: Vec<f64>,
    /// The most slope steps of each record.
    pub most: Vec<i32>,
}

impl Caps {
    /// Shortens the margins from record `first` on, as their rows are.
    pub fn shorten(&self, first: usize, margins: &mut [f64]) {
        for (margin, factor) in margins.iter_mut().zip(self.shortening.iter().skip(first)) {
            *margin *= factor;
        }
    }

    /// Weighs the slopes from record `first` on, each by its record's vᵢ.
    pub fn weigh(&self, first: usize, slopes: &mut [f64]) {
        for (slope, weight) in slopes.iter_mut().zip(&self.weights[first..]) {
            *slope *= weight;
        }
    }

    /// The most slope steps of record `i`.
    pub fn most(&self, i: usize) -> i32 {
        self.most[i]
    }
}

impl Records<'_> {
    /// The gradient of a weighted loss Σ vᵢ·ℓᵢ at weights 0, the intercept being one more column
    /// that holds b₀ in every record, and last.
    ///
    /// Record i has the weight vᵢ = min(1, C/‖(xᵢ, b₀)‖₂), a function of its own row: the loss
    /// stays convex, and a model that is right for every x stays its minimiser.
    ///
    /// # Privacy
    ///
    /// In whole numbers: with L = ⌊R·C/(q·g)⌋ record i's slope is clamped, after all rounding, to
    /// the largest whole number kᵢ ≤ K = ⌊R/q⌋ with kᵢ·‖(xᵢ, b₀)‖₂ ≤ L, the norm in grid steps
    /// and found in integers. So what it adds to the d + 1 sums has an ℓ₂ norm of at most L, and no
    /// coordinate beyond K times the larger of b and b₀. The cap depends on the record alone: what
    /// [`Gradient`] says of neighbours holds.
    ///
    /// [`Gradient::all`] is the query of all d + 1 sums.
    pub fn gradient_within(
        &self,
        loss: Loss,
        slope_grid: Grid,
        cap: Cap,
    ) -> Result<Gradient<'_>, SlopeGridError> {
        let slope = cap.slope.min(loss.slope_bound());
        let mut gradient = self.gradient_clipped(loss, slope_grid, slope)?;
        let unit = self.clip.grid.step();
        // Within 2²² slope steps and 2³⁶ grid steps: squares fit in 128 bits.
        let longest = (1u64 << 36) as f64;
        let length = (cap.length / unit).clamp(1.0, longest);
        let constant = (cap.intercept / unit).clamp(0.0, f64::from(1 << 20)) as u64;
        let limit = (slope / slope_grid.step() * length) as u64;
        let norms = squared_norms(&self.features, &[], constant);
        let weight = |&squared: &u128| (length / (squared as f64).sqrt()).min(1.0);
        let most = |&squared: &u128| {
            let squares = u128::from(limit).pow(2) / squared.max(1);
            // ⌊√⌊L²/N²⌋⌋ = ⌊L/N⌋; at most K, which fits.
            squares.isqrt().min(gradient.most as u128) as i32
        };
        let caps = Caps {
            length: limit,
            constant,
            centre: Vec::new(),
            shortening: Vec::new(),
            weights: norms.iter().map(weight).collect(),
            most: norms.iter().map(most).collect(),
        };
        // |Σ kᵢ|·b₀ ≤ n·K·2²⁰, which the grid was checked for if b₀ is at most b; else once more.
        let records = self.count().unwrap_or(crate::table::MOST_RECORDS) as u128;
        if gradient.most as u128 * u128::from(constant) * records >= 1 << 62 {
            return Err(SlopeGridError::Records);
        }
        gradient.caps = Some(caps);
        Ok(gradient)
    }
}

impl Gradient<'_> {
    /// All that a gradient has: the columns, less the centre times the sum of the slopes if there is
    /// a centre; then b₀ times that sum. Without a [`Cap`] b₀ is one grid step, so that the last is
    /// the sum of the slopes in that grid.
    pub fn all(&mut self) -> Query<'static> {
        self.renew();
        let adjacency = self.records.adjacency;
        let dimension = self.sums.len() + 1;
        let most = self.most as u64;
        let (record, constant, centre) = match &self.caps {
            // A record of no slope steps at all adds nothing, but a sensitivity is at least 1.
            Some(caps) => {
                let l2 = caps.length.max(1);
                let linf = match caps.centre[..] {
                    [] => most * self.records.clip.steps.max(caps.constant),
                    _ => l2,
                };
                (
                    RecordSteps::Both { l2, linf },
                    caps.constant,
                    &caps.centre[..],
                )
            }
            None => (
                RecordSteps::Linf(most * self.records.clip.steps),
                1,
                &[][..],
            ),
        };
        let columns = less_centre(&self.sums, self.total[0], centre);
        let values = columns.chain([i128::from(self.total[0]) * i128::from(constant)]);
        let sensitivity = Sensitivity::of(record, dimension, adjacency);
        Query::clamped(values, self.grid, adjacency, sensitivity)
    }
}

/// ‖(xᵢ − m, b₀)‖₂² of each record in squared grid steps: exact, as entries and the centre m are at
/// most 2²⁰ in size. An empty centre is 0.
pub(super) fn squared_norms(features: &Matrix, centre: &[i32], constant: u64) -> Vec<u128> {
    let square = |m: &i32| i128::from(*m).pow(2);
    let of_zero = centre.iter().map(square).sum::<i128>() + i128::from(constant).pow(2);
    let squared = |i| {
        let mut sum = of_zero;
        features.for_row(i, |column, x| {
            let x = x as i64;
            let m = centre.get(column).map_or(0, |m| i64::from(*m));
            // (x − m)² − m².
            sum += i128::from(x * (x - 2 * m));
        });
        sum as u128
    };
    (0..features.rows()).map(squared).collect()
}

#[cfg(test)]
mod tests;
