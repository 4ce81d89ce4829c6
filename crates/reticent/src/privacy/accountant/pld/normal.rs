//! The three facts about the normal law that the accountant needs.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Beyond this many standard deviations a tail is below the smallest normal `f64`.
pub(super) const FAR: f64 = 37.0;

/// P(Z > z). Relative error below 1e-12 for z ≤ [`FAR`].
pub(super) use crate::privacy::special::normal_upper_tail as upper_tail;

/// The density of Z at z.
pub(super) fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// P(|Z| ≤ μ/2): the total variation between N(μ, 1) and N(0, 1).
pub(super) fn total_variation(mu: f64) -> f64 {
    libm::erf(0.5 * mu * FRAC_1_SQRT_2)
}
