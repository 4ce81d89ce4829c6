//! The frame of a column: where its values lie within the bound of rows, as released numbers.

use super::Records;
use crate::matrix::{Matrix, map_columns};
use crate::table::RecordBound;

/// A location and a half-width on the scale of the features: inside the frame a value x counts as
/// B·(x − location)/half-width, clipped to ±B, the bound of each entry.
///
/// # Privacy
///
/// The frame is public or was released. So a framed entry is a function of its record and of
/// released numbers, lies within ±B on the grid as every enforced entry does, and every sensitivity
/// that is proved for enforced records holds for framed ones. Rows that are bounded in ℓ₂ have no
/// frames: entries that grow would lengthen them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnFrame {
    location: f64,
    half_width: f64,
}

impl ColumnFrame {
    /// The frame from `low` to `high`.
    ///
    /// # Panics
    ///
    /// Unless both are finite and `low` is below `high`.
    pub fn between(low: f64, high: f64) -> Self {
        assert!(
            low.is_finite() && high.is_finite() && low < high,
            "a frame lies between two numbers"
        );
        Self {
            location: low / 2.0 + high / 2.0,
            half_width: (high / 2.0 - low / 2.0).max(f64::MIN_POSITIVE),
        }
    }

    /// Its middle.
    pub fn location(&self) -> f64 {
        self.location
    }

    /// Half its width.
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// Its ends: values beyond count as these.
    pub fn ends(&self) -> (f64, f64) {
        let Self {
            location,
            half_width,
        } = *self;
        (location - half_width, location + half_width)
    }
}

impl Records<'_> {
    /// The features with each column inside its frame, in whole steps of the same grid.
    ///
    /// # Panics
    ///
    /// If rows are bounded in ℓ₂, or there is not one place per column.
    pub(super) fn features_in(&self, frames: &[Option<ColumnFrame>]) -> Matrix<'static> {
        let RecordBound::Linf(_) = self.clip.bound else {
            panic!("the rows are bounded in l2");
        };
        let (unit, most) = (self.clip.grid.step(), self.clip.steps as f64);
        map_columns(&self.features, frames, |frame, steps| {
            let value = f64::from(steps) * unit;
            let inside = ((value - frame.location) / frame.half_width).clamp(-1.0, 1.0);
            // Truncated towards zero: at most `most` steps. A NaN can not arise, and would be 0.
            (inside * most) as i64 as f32
        })
    }
}
