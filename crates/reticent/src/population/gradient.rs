//! The gradient of a linear model on records, as queries.

mod about;
mod cap;
mod classes;
mod margins;
mod scatter;
#[cfg(test)]
mod tests;

use rayon::prelude::*;

use super::query::{Query, RecordSteps, Sensitivity};
use super::records::Records;
use crate::loss::Loss;
use crate::matrix::csc::Csc;
use crate::noise::Grid;
use crate::solve::Vertex;
use crate::table::MOST_RECORDS;
pub use about::About;
pub use cap::Cap;
use cap::Caps;
pub use classes::ClassGradient;
use margins::Margins;
use scatter::Change;

/// The most slope steps that R may span.
const MOST_SLOPE_STEPS: f64 = (1u64 << 22) as f64;

/// Records whose slopes are looked at together.
const BLOCK: usize = 1024;

/// Less work than this, in records or entries, is done by one thread: waking another takes
/// longer. It is about a tenth of a millisecond.
const ALONE: usize = 1 << 15;

/// The sum of ψ(x·w + b, y)·x over the records, for a model that moves step by step.
///
/// # Privacy
///
/// Let q be the public slope step, K = ⌊R/q⌋ and b = ⌊B/g⌋ the bound of the rows in grid steps.
/// Each record i keeps a whole number kᵢ of slope steps, |kᵢ| ≤ K, and adds kᵢ·xᵢ, an exact
/// product of whole numbers, to the sum: an integer vector of norm at most K·b in the norm of
/// the bound. For the intercept, a column of ones, it adds kᵢ.
///
/// *The slopes lag.* kᵢ is renewed, to the whole number nearest to ψ/q within ±K, only when ψ/q
/// is more than one step away from it; so the sum is that of slopes each within q of the exact one, and most
/// records are left alone most of the time. kᵢ depends on record i alone, on the loss and on
/// where the model has been: the path of released vertices and intercepts. No other record has
/// a say in it. So for one and the same path (which is what the privacy of a composition of
/// adaptive releases is about) neighbouring tables have the same kᵢ and xᵢ in every record that
/// they share, and their sums differ by what the others add: by at most K·b in the norm of the
/// bound for one record more or less, and 2·K·b for one replaced, whatever the path.
///
/// *The margins are floats*, and may be rounded as they like: a slope is clamped to ±K after
/// all rounding, and which float it comes from is again a function of the record and the path.
///
/// *A length cap* ([`Records::gradient_within`]) holds |kᵢ| to a number of record i's own, so
/// that what it adds to all the columns *and* the intercept is bounded in ℓ₂ too. *A centre*
/// ([`Records::gradient_about`]) is taken off the rows besides.
///
/// *Sums are integers below 2⁶²*, so that adding the changes gives the same bits as a fresh sum,
/// in any order and on any number of threads.
///
/// There is no getter, `Debug`, `Clone` or `Serialize`: only queries leave.
pub struct Gradient<'a> {
    records: &'a Records<'a>,
    loss: Loss,
    slope_grid: Grid,
    /// The grid of the sums: a slope step times a feature step.
    grid: Grid,
    /// K.
    most: i32,
    /// R, which slopes are clipped to.
    bound: f64,
    /// What holds a record's slope further than K, if anything does.
    caps: Option<Caps>,
    margins: Margins,
    /// Sparse features by column, once one was asked for.
    by_column: Option<Csc>,
    /// kᵢ.
    slopes: Vec<i32>,
    /// Σ kᵢ·xᵢ.
    sums: Vec<i64>,
    /// Σ kᵢ.
    total: [i64; 1],
    /// Whether the margins have moved since the slopes were looked at.
    moved: bool,
}

/// Why there is no gradient: the slope grid is too fine or too coarse.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SlopeGridError {
    /// The bound of the slopes spans too few or too many steps.
    #[error(
        "a slope of at most {bound} spans {steps} steps; choose a grid on which it spans 1 to 2^22"
    )]
    Steps {
        /// R.
        bound: f64,
        /// How many steps it spans.
        steps: f64,
    },
    /// The sums could reach 2⁶². Under add-remove adjacency the number of records is private, and
    /// an error that depends on it would tell it: there as many are supposed as a table can have.
    #[error("sums over so many records may reach 2^62 steps; choose a coarser grid for the slopes")]
    Records,
    /// The step of the sums would be below 2⁻⁵⁰⁰ or above 2⁵⁰⁰.
    #[error("a slope step times a step of the rows is too small or too large; scale the rows")]
    Product,
    /// The length that rows are held to, or their constant, spans too few or too many steps.
    #[error(
        "a length of {length} must span 1 to 2^36 steps of the grid of the rows, and a constant \
         of {intercept} at most 2^36; choose others or scale the rows"
    )]
    Length {
        /// The length.
        length: f64,
        /// The constant that stands for the intercept.
        intercept: f64,
    },
}

impl Records<'_> {
    /// The gradient at weights and intercept 0, its slopes on `slope_grid`.
    ///
    /// The grid must come from public facts. A slope step of an eighth of the noise of the mean
    /// gradient or so is lost in it, and a coarser grid means faster steps.
    pub fn gradient(&self, loss: Loss, slope_grid: Grid) -> Result<Gradient<'_>, SlopeGridError> {
        self.gradient_clipped(loss, slope_grid, loss.slope_bound())
    }

    /// The same, with slopes clipped to ±`bound`: the loss goes on as a straight line from there,
    /// and is as convex as it was.
    pub fn gradient_clipped(
        &self,
        loss: Loss,
        slope_grid: Grid,
        bound: f64,
    ) -> Result<Gradient<'_>, SlopeGridError> {
        let bound = bound.min(loss.slope_bound());
        let steps = bound / slope_grid.step();
        if !(1.0..=MOST_SLOPE_STEPS).contains(&steps) {
            return Err(SlopeGridError::Steps { bound, steps });
        }
        let most = steps as i32;
        let exponent = slope_grid.exponent() + self.clip.grid.exponent();
        let grid = Grid::new(exponent).map_err(|_| SlopeGridError::Product)?;
        let count = self.targets.len();
        let public_count = self.count().unwrap_or(MOST_RECORDS);
        // K·b ≤ 2⁴² and the count is at most 2³²: no overflow in u128.
        if most as u128 * u128::from(self.clip.steps) * public_count as u128 >= 1 << 62 {
            return Err(SlopeGridError::Records);
        }
        Ok(Gradient {
            records: self,
            loss,
            slope_grid,
            grid,
            most,
            bound,
            caps: None,
            margins: Margins::zero(count),
            by_column: None,
            slopes: vec![0; count],
            sums: vec![0; self.width()],
            total: [0],
            moved: true,
        })
    }
}

impl Gradient<'_> {
    /// The gradient of the weights, one coordinate a column.
    pub fn columns(&mut self) -> Query<'_> {
        self.renew();
        let clip = &self.records.clip;
        let record = RecordSteps::of(clip.bound, clip.steps * self.most as u64);
        let adjacency = self.records.adjacency;
        let sensitivity = Sensitivity::of(record, self.sums.len(), adjacency);
        Query::new(&self.sums, self.grid, adjacency, sensitivity)
    }

    /// The gradient of the intercept: the sum of the slopes.
    pub fn of_intercept(&mut self) -> Query<'_> {
        self.renew();
        let record = RecordSteps::Linf(self.most as u64);
        let adjacency = self.records.adjacency;
        let sensitivity = Sensitivity::of(record, 1, adjacency);
        Query::new(&self.total, self.slope_grid, adjacency, sensitivity)
    }

    /// Moves the weights: w ← (1 − size)·w + size·vertex.
    ///
    /// Cost: the entries of one column for an axis, all entries for a point.
    ///
    /// # Panics
    ///
    /// If the vertex has another number of columns than the records.
    pub fn step(&mut self, towards: &Vertex, size: f64) {
        let unit = self.records.clip.grid.step();
        let features = &self.records.features;
        self.margins.shrink(1.0 - size);
        match towards {
            Vertex::Axis { column, value } => {
                let by_column = &mut self.by_column;
                self.margins
                    .add_column(features, by_column, *column, size * value * unit);
            }
            Vertex::Point(point) => self.margins.add_point(features, point, size * unit),
        }
        self.moved = true;
    }

    /// Sets the weights, one a column. Cost: all entries.
    ///
    /// # Panics
    ///
    /// If there is another number of weights than of columns.
    pub fn set_weights(&mut self, weights: &[f64]) {
        self.margins.shrink(0.0);
        let unit = self.records.clip.grid.step();
        self.margins
            .add_point(&self.records.features, weights, unit);
        self.moved = true;
    }

    /// Sets the intercept.
    pub fn set_intercept(&mut self, intercept: f64) {
        self.margins.intercept = intercept;
        self.moved = true;
    }

    /// Renews the slopes that have moved by more than a step, and the sums with them.
    fn renew(&mut self) {
        if !self.moved {
            return;
        }
        self.moved = false;
        let changes = self.renew_slopes();
        self.total[0] += changes
            .iter()
            .map(|change| i64::from(change.by))
            .sum::<i64>();
        scatter::add_rows(&self.records.features, &changes, &mut self.sums);
    }

    /// Renews the slopes, and tells which have changed: one pass over the records.
    fn renew_slopes(&mut self) -> Vec<Change> {
        let Self {
            margins,
            loss,
            most,
            bound,
            caps,
            ..
        } = self;
        let caps = caps.as_ref();
        // Exact, as the step is a power of two between 2⁻⁵⁰⁰ and 2⁵⁰⁰.
        let per_step = 1.0 / self.slope_grid.step();
        let renew_block = |(block, (slopes, targets)): (usize, (&mut [i32], &[f64]))| {
            let mut buffer = [0.0; BLOCK];
            let exact = &mut buffer[..slopes.len()];
            margins.read(block * BLOCK, exact);
            if let Some(caps) = caps {
                caps.shorten(block * BLOCK, exact);
            }
            loss.slopes(exact, targets);
            exact
                .iter_mut()
                .for_each(|slope| *slope = slope.clamp(-*bound, *bound));
            if let Some(caps) = caps {
                caps.weigh(block * BLOCK, exact);
            }
            let mut changes = Vec::new();
            for (i, (slope, exact)) in slopes.iter_mut().zip(exact).enumerate() {
                let exact = *exact * per_step;
                if (exact - f64::from(*slope)).abs() > 1.0 {
                    // To the nearest: the cast truncates, and would take NaN to 0. The clamp is
                    // what the sensitivity rests on.
                    let nearest = (exact + 0.5f64.copysign(exact)) as i32;
                    let most = caps.map_or(*most, |caps| caps.most(block * BLOCK + i));
                    let renewed = nearest.clamp(-most, most);
                    let row = (block * BLOCK + i) as u32;
                    let by = renewed - *slope;
                    changes.push(Change { row, by });
                    *slope = renewed;
                }
            }
            changes
        };
        let (slopes, targets) = (&mut self.slopes, &self.records.targets);
        let changes: Vec<Vec<Change>> = if slopes.len() < ALONE {
            let blocks = slopes.chunks_mut(BLOCK).zip(targets.chunks(BLOCK));
            blocks.enumerate().map(renew_block).collect()
        } else {
            let blocks = slopes.par_chunks_mut(BLOCK).zip(targets.par_chunks(BLOCK));
            blocks.enumerate().map(renew_block).collect()
        };
        changes.concat()
    }
}
