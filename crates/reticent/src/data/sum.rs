//! Sums over records with an exact sensitivity.

use super::query::{Query, Sensitivity};
use crate::noise::Grid;
use crate::privacy::Adjacency;

/// The most grid steps that a record's bound may span: with it, squares sum in `u128` and
/// sums of any number of records stay exact in `i128`.
const MOST_STEPS: f64 = (1u64 << 40) as f64;

/// The declared bound of each record, enforced by clipping.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordBound {
    /// ‖x‖₂ ≤ the value; longer records are shortened.
    L2(f64),
    /// |xⱼ| ≤ the value; larger entries are clamped.
    Linf(f64),
}

/// Why there is no sum. All of it is about declared, public numbers, or refuses the whole table.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SumError {
    /// The bound is not a positive finite number.
    #[error("a record bound must be a finite number above 0; got {0}")]
    Bound(f64),
    /// The grid step is larger than the bound, or very much smaller.
    #[error(
        "the record bound {bound} spans {steps} grid steps; choose a grid on which it spans \
         between 1 and 2^40 (about 2^20 is usual)"
    )]
    Grid {
        /// The bound.
        bound: f64,
        /// How many steps it spans.
        steps: f64,
    },
    /// No coordinates.
    #[error("a sum needs at least one coordinate")]
    NoCoordinates,
    /// Sums of different kinds.
    #[error("only sums with the same dimension, bound and grid can be merged")]
    Merge,
    /// A record of another length: the whole table is refused, and the error does not say
    /// which record it was.
    #[error("not every record has the {expected} coordinates that the sum was opened for")]
    Length {
        /// The sum's.
        expected: usize,
    },
}

/// A sum over records in the making: add them, then turn it into a [`Query`].
///
/// A record with a missing (NaN) or infinite entry counts as all zeros, and no error is given,
/// because an error would tell something of it. Fill missing values by a fixed rule first.
///
/// The grid is public: a step of 2⁻²⁰ times the bound or so loses nothing beside the noise.
///
/// # Privacy
///
/// Let g be the public grid step and b = ⌊B/g⌋. Each record is mapped, as a function of
/// itself alone, to an integer vector k with ‖k‖ ≤ b in the declared norm: clipped, divided
/// by g and truncated *towards zero*; a record with a NaN or an infinite entry becomes zero.
/// The bound is then checked in integers, so that no rounding error is left to argue about.
/// The sum of the k's is an integer vector: the same bits in any order and however the
/// records are shared among threads ([`merge`](Self::merge)). One record more or less moves
/// it by at most b in that norm; replacing one record, by at most 2b (triangle inequality).
///
/// No record is ever dropped: with replace-one adjacency their number is public and can not
/// depend on what they hold.
pub struct BoundedSum {
    sums: Vec<i128>,
    bound: RecordBound,
    grid: Grid,
    /// b: the bound in whole grid steps.
    steps: u64,
    /// Whether a record had another length.
    ragged: bool,
}

impl BoundedSum {
    /// An empty sum of records with `dimension` coordinates, each held to `bound`.
    pub fn new(dimension: usize, bound: RecordBound, grid: Grid) -> Result<Self, SumError> {
        let (RecordBound::L2(value) | RecordBound::Linf(value)) = bound;
        if !(value > 0.0 && value.is_finite()) {
            return Err(SumError::Bound(value));
        }
        if dimension == 0 {
            return Err(SumError::NoCoordinates);
        }
        let steps = value / grid.step();
        if !(1.0..=MOST_STEPS).contains(&steps) {
            return Err(SumError::Grid {
                bound: value,
                steps,
            });
        }
        Ok(Self {
            sums: vec![0; dimension],
            bound,
            grid,
            steps: steps as u64,
            ragged: false,
        })
    }

    /// Adds a record, clipped to the bound. A record of another length spoils the sum: no
    /// query can be made of it any more.
    pub fn add(&mut self, record: &[f64]) -> Result<(), SumError> {
        if record.len() != self.sums.len() {
            self.ragged = true;
            return Err(self.length_error());
        }
        if !record.iter().all(|x| x.is_finite()) {
            return Ok(());
        }
        let clipped = match self.bound {
            RecordBound::L2(bound) => clip_l2(record, bound, self.steps, self.grid),
            RecordBound::Linf(_) => clip_linf(record, self.steps, self.grid),
        };
        for (sum, value) in self.sums.iter_mut().zip(clipped) {
            *sum += i128::from(value);
        }
        Ok(())
    }

    /// Takes in the records of another sum, made on another thread perhaps. It must have been
    /// opened with the same dimension, bound and grid.
    pub fn merge(&mut self, other: &Self) -> Result<(), SumError> {
        let same = self.bound == other.bound && self.grid == other.grid;
        if !same || self.sums.len() != other.sums.len() {
            return Err(SumError::Merge);
        }
        self.ragged |= other.ragged;
        for (sum, value) in self.sums.iter_mut().zip(&other.sums) {
            *sum += value;
        }
        Ok(())
    }

    /// The finished sum as a query under `adjacency`.
    pub fn into_query(self, adjacency: Adjacency) -> Result<Query, SumError> {
        if self.ragged {
            return Err(self.length_error());
        }
        let records_apart = match adjacency {
            Adjacency::ReplaceOne => 2,
            Adjacency::AddRemove => 1,
        };
        // At most 2⁴¹: exact as a float.
        let linf = records_apart * self.steps;
        let l2 = match self.bound {
            RecordBound::L2(_) => linf as f64,
            RecordBound::Linf(_) => (sqrt_up(self.sums.len()) * linf as f64).next_up(),
        };
        let sensitivity = Sensitivity { linf, l2 };
        Ok(Query::new(self.sums, self.grid, adjacency, sensitivity))
    }

    fn length_error(&self) -> SumError {
        let expected = self.sums.len();
        SumError::Length { expected }
    }
}

/// An upper bound of √d. IEEE 754 rounds square roots correctly; d itself may be rounded.
fn sqrt_up(dimension: usize) -> f64 {
    (dimension as f64).next_up().sqrt().next_up()
}

/// Clamps each entry to ±b grid steps, truncating towards zero.
fn clip_linf(record: &[f64], steps: u64, grid: Grid) -> Vec<i64> {
    let most = steps as f64;
    // Division by a power of two is exact or overflows to ±∞, which the clamp catches.
    record
        .iter()
        .map(|x| (x / grid.step()).clamp(-most, most) as i64)
        .collect()
}

/// Shortens the record to ℓ₂ norm b grid steps, truncating towards zero.
fn clip_l2(record: &[f64], bound: f64, steps: u64, grid: Grid) -> Vec<i64> {
    // Scaled by the largest entry, so that squares neither overflow nor vanish together.
    let largest = record.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if largest == 0.0 {
        return vec![0; record.len()];
    }
    let norm = record
        .iter()
        .map(|x| (x / largest) * (x / largest))
        .sum::<f64>()
        .sqrt();
    // x·(bound/‖x‖) as (x/largest)·(bound/norm): ‖x‖ itself may overflow.
    let shorten = norm > bound / largest;
    let scaled = |x: &f64| {
        let kept = if shorten {
            (x / largest) * (bound / norm)
        } else {
            *x
        };
        (kept / grid.step()) as i64
    };
    let mut clipped: Vec<i64> = record.iter().map(scaled).collect();
    let limit = u128::from(steps) * u128::from(steps);
    // Floats may leave the record a hair too long; the integers decide. Each turn brings
    // every entry one step nearer to zero, and rounding was off by far less than that.
    while norm_squared(&clipped) > limit {
        for value in &mut clipped {
            *value -= value.signum();
        }
    }
    clipped
}

fn norm_squared(record: &[i64]) -> u128 {
    record.iter().fold(0u128, |sum, x| {
        let size = u128::from(x.unsigned_abs());
        sum.saturating_add(size.saturating_mul(size))
    })
}

#[cfg(test)]
mod tests;
