//! From Rényi divergences to (ε, δ).
//!
//! **Theorem** (Canonne–Kamath–Steinke 2020, prop. 12; also Asoodeh et al. 2020). If
//! D_α(P‖Q) ≤ r at an order α > 1 then δ(ε) ≤ e^{(α−1)(r−ε)}/(α−1)·(1−1/α)^α, hence
//!
//! ε = r + ln(1−1/α) + (ln(1/δ) − ln α)/(α−1)
//!
//! serves, or 0 if that is negative. *Proof:* δ(ε) = E_P[max(0, 1 − e^{ε−Z})], Z = ln P/Q;
//! max(0, 1 − e^{ε−z}) ≤ c·e^{(α−1)z} for the least c for which the two touch, and
//! E_P[e^{(α−1)Z}] = e^{(α−1)D_α}.
//!
//! Moreover, ε = 0 serves if D_α ≤ 2δ² at some order: the total variation is then at most √(D_1/2)
//! ≤ δ (Pinsker), D_α being increasing in α.
//!
//! Any order gives a valid ε: the search can lose precision, not soundness. Where D_α is
//! exact it finds the least, for the sublevel sets are intervals: ε(α) ≤ e is
//!
//! (α−1)r(α) − (α−1)e + (α−1)ln(α−1) − α·ln α ≤ ln δ,
//!
//! and the left side is convex in α: (α−1)D_α is a cumulant generating function, and
//! (α−1)ln(α−1) − α·ln α has second derivative 1/(α−1) − 1/α > 0.

use crate::privacy::quantity::Delta;
use crate::privacy::special::minimise;

/// The search is over ln(α−1) in these limits. Below, the ln(1/δ)/(α−1) of any δ < 0.99
/// exceeds 10⁷; above, δ ≥ 1/α makes ε negative for any reasonable δ, and α − 1 would lose its last
/// digits.
const LIMITS: (f64, f64) = (-21.0, 34.0);

/// An order at which every bound is well-conditioned, for the case that ε is 0.
const NEAR_1: f64 = 1.01;

/// Above this, δ² and any divergence comparable to it are normal floats: no cost that underflowed
/// to 0 can be mistaken for one below 2δ².
const NO_UNDERFLOW: f64 = 1e-150;

/// An ε and the order that proves it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AtOrder {
    /// ε, rounded up; infinite when the divergence is infinite at every order that was tried.
    pub(crate) epsilon: f64,
    /// α.
    pub(crate) alpha: f64,
}

/// The least ε at `delta` over the orders α > 1, given an upper bound of D_α. The search
/// does not start above the order `promising`, where the bound may be costly and useless.
pub(crate) fn least_epsilon(
    divergence: impl Fn(f64) -> f64,
    promising: f64,
    delta: Delta,
) -> AtOrder {
    if delta.get() >= NO_UNDERFLOW && divergence(NEAR_1) <= 1.999 * delta.get() * delta.get() {
        return AtOrder {
            epsilon: 0.0,
            alpha: NEAR_1,
        };
    }
    let ln_delta = delta.get().ln();
    let at = |ln_x: f64| epsilon_at(1.0 + ln_x.exp(), &divergence, ln_delta);
    // For D_α = αρ and small ρ the best order is near 1 + √(ln(1/δ)/ρ).
    let rho = 0.5 * divergence(2.0);
    let start = 0.5 * (-ln_delta / rho).ln();
    let start = if start.is_nan() { 0.0 } else { start };
    let highest = (promising - 1.0).ln();
    let start = best_start(at, start.min(highest), highest);
    let (ln_x, epsilon) = minimise(at, start, LIMITS, 1e-6);
    let mut best = AtOrder {
        epsilon,
        alpha: 1.0 + ln_x.exp(),
    };
    // Bounds that are chords between integers have their kinks, and their minimum, at integers.
    for alpha in [best.alpha.floor(), best.alpha.ceil()] {
        if alpha > 1.0 {
            let epsilon = epsilon_at(alpha, &divergence, ln_delta);
            if epsilon < best.epsilon {
                best = AtOrder { epsilon, alpha };
            }
        }
    }
    best.epsilon = best.epsilon.max(0.0);
    best
}

/// The best of a few starting points around `near`, none above `highest`. The bound without
/// replacement is the lesser of two, and so may have two valleys.
fn best_start(at: impl Fn(f64) -> f64, near: f64, highest: f64) -> f64 {
    let mut best = (near, at(near));
    for step in [-4.0, -3.0, -2.0, -1.0, 1.0, 2.0] {
        let start = (near + step).clamp(LIMITS.0, highest.min(LIMITS.1));
        let there = at(start);
        if there < best.1 {
            best = (start, there);
        }
    }
    best.0
}

/// The conversion at one order, rounded up by 4 ε of the sum of its parts' magnitudes:
/// each part is good to 2 ε, for α − 1 is exact.
fn epsilon_at(alpha: f64, divergence: impl Fn(f64) -> f64, ln_delta: f64) -> f64 {
    let x = alpha - 1.0;
    let parts = [
        divergence(alpha),
        -(1.0 / x).ln_1p(),
        -ln_delta / x,
        -x.ln_1p() / x,
    ];
    let size: f64 = parts.iter().map(|part| part.abs()).sum();
    let epsilon = parts.iter().sum::<f64>() + 4.0 * f64::EPSILON * size;
    // An order whose divergence overflowed proves nothing.
    if epsilon.is_nan() {
        f64::INFINITY
    } else {
        epsilon
    }
}
