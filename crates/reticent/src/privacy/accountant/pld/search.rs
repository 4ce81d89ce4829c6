//! The search for an ε at which a bound on δ is small enough.

/// An ε with δ(ε) ≤ e^`log_delta`, given that `upper` is one; `bound` is one on log δ(ε).
pub(super) fn least_epsilon(bound: impl Fn(f64) -> f64, log_delta: f64, upper: f64) -> f64 {
    let excess = |epsilon: f64| bound(epsilon) - log_delta;
    let (mut low, mut high) = (0.0, upper);
    let (mut f_low, mut f_high) = (excess(low), excess(high));
    if f_low <= 0.0 {
        return 0.0;
    }
    // Also when either is NaN or the bound is no better than the given one.
    if !(f_high <= 0.0 && f_low.is_finite()) {
        return upper;
    }
    // The Illinois variant of the false position, with a bisection now and then.
    for round in 1..60 {
        if high - low <= 1e-7 * high {
            break;
        }
        let chord = (low * f_high - high * f_low) / (f_high - f_low);
        let inside = round % 4 != 0 && chord > low && chord < high;
        let middle = if inside { chord } else { 0.5 * (low + high) };
        let f = excess(middle);
        if f <= 0.0 {
            (high, f_high, f_low) = (middle, f, 0.5 * f_low);
        } else {
            (low, f_low, f_high) = (middle, f, 0.5 * f_high);
        }
    }
    high
}
