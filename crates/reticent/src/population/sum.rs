//! Sums over records with an exact sensitivity.

use super::query::{Query, RecordSteps, Sensitivity};
use crate::noise::Grid;
use crate::privacy::Adjacency;
use crate::table::{Clip, RecordBound};

/// The most grid steps that a record's bound may span: with it, squares sum in `u128` and
/// sums of any number of records stay exact in `i128`.
const MOST_STEPS: f64 = (1u64 << 40) as f64;

/// Why there is no sum. Every message is about declared, public numbers, or refuses the whole
/// table.
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

/// A sum over records: add them, then turn it into a [`Query`].
///
/// A record with a missing (NaN) or infinite entry counts as all zeros, and no error is given,
/// because an error would reveal something about it. Fill missing values by a fixed rule first.
///
/// The grid is public: a step of about 2⁻²⁰ times the bound loses nothing compared with the noise.
///
/// # Privacy
///
/// Let g be the public grid step and b = ⌊B/g⌋. Each record is mapped, as a function of
/// itself alone, to an integer vector k with ‖k‖ ≤ b in the declared norm: clipped, divided
/// by g and truncated *towards zero*; a record with a NaN or an infinite entry becomes zero.
/// The sum of the k's is an integer vector: the same bits in any order and however the
/// records are shared among threads ([`merge`](Self::merge)). Adding or removing a record moves it
/// by at most b in that norm; replacing one record, by at most 2b (triangle inequality).
///
/// No record is ever dropped: with replace-one adjacency their number is public and cannot depend
/// on what they hold.
pub struct BoundedSum {
    sums: Vec<i128>,
    clip: Clip,
    /// The last record in whole grid steps.
    clipped: Vec<i64>,
    /// Whether a record had another length.
    ragged: bool,
}

impl BoundedSum {
    /// An empty sum of records with `dimension` coordinates, each clipped to `bound`.
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
            clip: Clip {
                bound,
                grid,
                steps: steps as u64,
            },
            clipped: Vec::with_capacity(dimension),
            ragged: false,
        })
    }

    /// Adds a record, clipped to the bound. A record of another length invalidates the sum: no
    /// query can be made from it any more.
    pub fn add(&mut self, record: &[f64]) -> Result<(), SumError> {
        if record.len() != self.sums.len() {
            self.ragged = true;
            return Err(self.length_error());
        }
        self.clip.apply(record, &mut self.clipped);
        for (sum, value) in self.sums.iter_mut().zip(&self.clipped) {
            *sum += i128::from(*value);
        }
        Ok(())
    }

    /// Adds the records of another sum, perhaps from another thread. It must have been opened with
    /// the same dimension, bound and grid.
    pub fn merge(&mut self, other: &Self) -> Result<(), SumError> {
        if self.clip != other.clip || self.sums.len() != other.sums.len() {
            return Err(SumError::Merge);
        }
        self.ragged |= other.ragged;
        for (sum, value) in self.sums.iter_mut().zip(&other.sums) {
            *sum += value;
        }
        Ok(())
    }

    /// The finished sum as a query under `adjacency`.
    pub fn into_query(self, adjacency: Adjacency) -> Result<Query<'static>, SumError> {
        if self.ragged {
            return Err(self.length_error());
        }
        let record = RecordSteps::of(self.clip.bound, self.clip.steps);
        let sensitivity = Sensitivity::of(record, self.sums.len(), adjacency);
        let grid = self.clip.grid;
        Ok(Query::clamped(
            "bounded sum",
            self.sums,
            grid,
            adjacency,
            sensitivity,
        ))
    }

    fn length_error(&self) -> SumError {
        let expected = self.sums.len();
        SumError::Length { expected }
    }
}

#[cfg(test)]
mod tests;
