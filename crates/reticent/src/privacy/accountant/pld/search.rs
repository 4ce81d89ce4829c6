//! The search for an ε at which a bound on δ is small enough.

use crate::privacy::special::last_positive;

/// An ε with δ(ε) ≤ e^`log_delta`, given that `upper` is one; `bound` is an upper bound on log
/// δ(ε).
pub(super) fn least_epsilon(bound: impl Fn(f64) -> f64, log_delta: f64, upper: f64) -> f64 {
    let excess = |epsilon: f64| bound(epsilon) - log_delta;
    let (at_zero, at_upper) = (excess(0.0), excess(upper));
    if at_zero <= 0.0 {
        return 0.0;
    }
    // Also when either is NaN or the bound is no better than the given one.
    if !(at_upper <= 0.0 && at_zero.is_finite()) {
        return upper;
    }
    last_positive(excess, (0.0, at_zero), (upper, at_upper), 1e-7 * upper)
}
