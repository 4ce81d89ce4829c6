//! Clipping one record to its declared bound, in whole steps of the public grid.

use super::bound::RecordBound;
use crate::matrix::Matrix;
use crate::noise::Grid;

/// A declared bound on a public grid.
///
/// # Privacy
///
/// [`apply`](Self::apply) maps a record, as a function of itself alone, to an integer vector k
/// with ‖k‖ ≤ b = ⌊B/g⌋ in the declared norm: clipped, divided by the grid step g and truncated
/// *towards zero*; a record with a NaN or an infinite entry becomes zero. The ℓ₂ norm is then
/// checked in integers, so that no rounding error remains to be bounded. Zero entries stay zero,
/// and the others do not depend on them: a sparse row may leave its zeros out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Clip {
    pub bound: RecordBound,
    pub grid: Grid,
    /// b: the bound in whole grid steps.
    pub steps: u64,
}

impl Clip {
    /// Puts each row of a matrix in whole grid steps within its bound.
    pub fn rows(&self, features: &mut Matrix) {
        let room = || (Vec::new(), Vec::new());
        features.map_rows(room, |row, (record, clipped)| {
            record.clear();
            record.extend(row.iter().map(|&x| f64::from(x)));
            self.apply(record, clipped);
            for (value, &steps) in row.iter_mut().zip(clipped.iter()) {
                *value = steps as f32;
            }
        });
    }

    /// The record in whole grid steps, left in `clipped`.
    pub fn apply(&self, record: &[f64], clipped: &mut Vec<i64>) {
        clipped.clear();
        if !record.iter().all(|x| x.is_finite()) {
            clipped.resize(record.len(), 0);
            return;
        }
        match self.bound {
            RecordBound::L2(bound) => self.shorten(record, bound, clipped),
            RecordBound::Linf(_) => self.clamp(record, clipped),
        }
    }

    /// Clamps each entry to ±b grid steps, truncating towards zero.
    fn clamp(&self, record: &[f64], clipped: &mut Vec<i64>) {
        let most = self.steps as f64;
        let step = self.grid.step();
        // Division by a power of two is exact or overflows to ±∞, which the clamp catches.
        clipped.extend(record.iter().map(|x| (x / step).clamp(-most, most) as i64));
    }

    /// Shortens the record to ℓ₂ norm b grid steps, truncating towards zero.
    fn shorten(&self, record: &[f64], bound: f64, clipped: &mut Vec<i64>) {
        // Scaled by the largest entry, so that squares neither overflow nor vanish together.
        let largest = record.iter().fold(0.0f64, |most, x| most.max(x.abs()));
        if largest == 0.0 {
            clipped.resize(record.len(), 0);
            return;
        }
        let norm = record
            .iter()
            .map(|x| (x / largest) * (x / largest))
            .sum::<f64>()
            .sqrt();
        let step = self.grid.step();
        // x·(bound/‖x‖) as (x/largest)·(bound/norm): ‖x‖ itself may overflow.
        if norm > bound / largest {
            let kept = |x: &f64| ((x / largest) * (bound / norm) / step) as i64;
            clipped.extend(record.iter().map(kept));
        } else {
            clipped.extend(record.iter().map(|x| (x / step) as i64));
        }
        let limit = u128::from(self.steps) * u128::from(self.steps);
        // Floats may leave the record slightly too long; the integers decide. Each iteration moves
        // every entry one step towards zero, and the rounding error is far smaller than that.
        while norm_squared(clipped) > limit {
            for value in clipped.iter_mut() {
                *value -= value.signum();
            }
        }
    }
}

/// The grid of the power of two on which `size` spans more than 2¹⁹ and at most 2²⁰ steps, for
/// a size between 1e-100 and 1e100.
pub(crate) fn grid_for(size: f64) -> Option<Grid> {
    if !(1e-100..=1e100).contains(&size) {
        return None;
    }
    // The least e with size ≤ 2^e; the float is normal.
    let floor = (size.to_bits() >> 52) as i32 - 1023;
    let power_of_two = size.to_bits() & ((1 << 52) - 1) == 0;
    Grid::new(floor + i32::from(!power_of_two) - 20).ok()
}

fn norm_squared(record: &[i64]) -> u128 {
    record.iter().fold(0u128, |sum, x| {
        let size = u128::from(x.unsigned_abs());
        sum.saturating_add(size.saturating_mul(size))
    })
}
