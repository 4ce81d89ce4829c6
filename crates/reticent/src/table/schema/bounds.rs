//! The public bounds of a number or a date.

/// Two finite numbers, the first below the second by a normal number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// `None` unless both are finite and `low` lies below `high` by more than 5e-308.
    pub fn new(low: f64, high: f64) -> Option<Self> {
        // Half of each end, so that no pair of bounds overflows.
        let half = high / 2.0 - low / 2.0;
        (low < high && half.is_normal()).then_some(Self { low, high })
    }

    /// The least value.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The greatest value.
    pub fn high(self) -> f64 {
        self.high
    }
}
