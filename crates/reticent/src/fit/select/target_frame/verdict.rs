//! Whether features said more than noise, from released values alone.

/// How many deviations of a sum of squared noises the explained variance must lie above it.
const DEVIATIONS: f64 = 2.0;

/// What a fit of a linear model released about its own worth, in the variance of predictions; the
/// largest target is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Evidence {
    /// The variance of the predictions.
    pub explained: f64,
    /// What noise alone would have made of it.
    pub noise: f64,
    /// How many columns were fitted.
    pub columns: usize,
}

impl Evidence {
    /// Whether the features say more than the noise: the variance of the predictions exceeds that
    /// of noise in so many directions, clearly, and no target is beyond 1.
    pub fn convinces(&self) -> bool {
        let clearly = 1.0 + DEVIATIONS * (2.0 / self.columns.max(1) as f64).sqrt();
        self.explained > clearly * self.noise && self.explained < 1.0
    }
}
