//! The target frame: where the targets lie within their range, as released numbers.

/// A location and a half-width on the scale of the targets: inside the frame a target y is
/// (y − location)/half-width, clipped to ±1.
///
/// # Privacy
///
/// The frame is public or was released. So a framed target is a function of its record and of
/// released numbers, lies in [−1, 1] as every enforced target does, and every sensitivity that is
/// proved for enforced records holds for framed ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TargetFrame {
    location: f64,
    half_width: f64,
}

impl TargetFrame {
    /// The whole range of enforced targets: it changes none.
    pub const WHOLE: Self = Self {
        location: 0.0,
        half_width: 1.0,
    };

    /// The frame from `low` to `high`.
    ///
    /// # Panics
    ///
    /// Unless both lie in [−1, 1] and `low` is below `high`.
    pub fn between(low: f64, high: f64) -> Self {
        assert!(
            (-1.0..=1.0).contains(&low) && (-1.0..=1.0).contains(&high) && low < high,
            "a frame lies within the range of targets"
        );
        Self {
            location: (low + high) / 2.0,
            half_width: ((high - low) / 2.0).max(f64::MIN_POSITIVE),
        }
    }

    /// Half its width.
    pub fn half_width(&self) -> f64 {
        self.half_width
    }

    /// A target inside the frame.
    pub(super) fn apply(&self, target: f64) -> f64 {
        ((target - self.location) / self.half_width).clamp(-1.0, 1.0)
    }

    /// What a value inside the frame is on the scale of enforced targets.
    pub fn undo(&self, value: f64) -> f64 {
        self.location + self.half_width * value
    }
}
