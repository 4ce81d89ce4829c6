//! Where a number lies in its declared bounds: the map to [−1, 1].

use super::Bounds;

/// How a number within its bounds becomes a position in [−1, 1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// By its difference from the ends.
    Linear,
    /// By its ratio to the ends, which are above 0: equal factors are equal distances.
    Log,
}

/// The map of one column.
///
/// # Privacy
///
/// [`of`](Self::of) is a function of the one value and of declared numbers, and lies in [−1, 1] for
/// every value: what a column is scaled by never bounds another record, nor depends on one. The
/// logarithm comes from a library of its own (libm), so that a value is the same feature on every
/// platform.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Position {
    bounds: Bounds,
    scale: Scale,
    middle: f64,
    half: f64,
}

impl Position {
    /// The map between these bounds, which [`is_sound`](Self::is_sound) for those of any schema.
    pub(crate) fn new(bounds: Bounds, scale: Scale) -> Self {
        let (low, high) = match scale {
            Scale::Linear => (bounds.low(), bounds.high()),
            Scale::Log => (libm::log(bounds.low()), libm::log(bounds.high())),
        };
        Self {
            bounds,
            scale,
            // Half of each end, so that no pair of bounds overflows.
            middle: high / 2.0 + low / 2.0,
            half: high / 2.0 - low / 2.0,
        }
    }

    /// Whether there is a position for every value: on a logarithmic scale the bounds must be above 0
    /// and have different logarithms.
    pub(in crate::table) fn is_sound(&self) -> bool {
        self.middle.is_finite() && self.half.is_normal() && self.half > 0.0
    }

    /// The position of a value, clipped: the ends give exactly −1 and 1.
    #[inline]
    pub(in crate::table) fn of(&self, value: f64) -> f32 {
        if value <= self.bounds.low() {
            -1.0
        } else if value >= self.bounds.high() {
            1.0
        } else {
            let value = match self.scale {
                Scale::Linear => value,
                // Above the lower bound, which is above 0.
                Scale::Log => libm::log(value),
            };
            // The middle may be off by a rounding error, hence the clamp.
            ((value - self.middle) / self.half).clamp(-1.0, 1.0) as f32
        }
    }

    /// The bounds, the scale, and the two numbers of the map between the bounds: the position of a
    /// value (of its logarithm) is (value − middle) / half.
    pub(crate) fn parts(&self) -> (Bounds, Scale, f64, f64) {
        (self.bounds, self.scale, self.middle, self.half)
    }
}
