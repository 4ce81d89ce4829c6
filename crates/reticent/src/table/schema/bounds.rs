//! The public bounds of a numeric column, and the map from them to [−1, 1].

/// Two finite numbers, the first below the second by a normal number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    low: f64,
    high: f64,
}

impl Bounds {
    /// `None` unless both are finite and `low` lies below `high` by more than 5e-308.
    pub fn new(low: f64, high: f64) -> Option<Self> {
        let bounds = Self { low, high };
        (low < high && bounds.half().is_normal()).then_some(bounds)
    }

    /// The least value.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The greatest value.
    pub fn high(self) -> f64 {
        self.high
    }

    /// Half of each end, so that no pair of bounds overflows.
    fn middle(self) -> f64 {
        self.high / 2.0 + self.low / 2.0
    }

    fn half(self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// The affine map to [−1, 1], clipped: the ends give exactly −1 and 1, the centre 0.
    /// It is a function of the one value, and is monotone.
    pub fn scaled(self, value: f64) -> f32 {
        if value <= self.low {
            -1.0
        } else if value >= self.high {
            1.0
        } else {
            // The centre may be off by a rounding error, hence the clamp.
            ((value - self.middle()) / self.half()).clamp(-1.0, 1.0) as f32
        }
    }
}
