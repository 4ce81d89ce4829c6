//! Gaussian releases only: the exact ε.
//!
//! **Theorem** (Dong–Roth–Su 2019, cor. 3.3). Gaussian releases of multipliers σ_i, each
//! chosen knowing the earlier answers but not their noise levels, are together exactly as
//! private as one of multiplier 1/μ, μ² = Σ 1/σ_i². *Proof sketch:* the worst case is a
//! product of N(0,σ_i²) against a product of N(1,σ_i²), and the likelihood ratio is a
//! function of Σx_i/σ_i², which is a Gaussian of that multiplier.
//!
//! **Theorem** (Balle–Wang 2018, thm 8). That one release is (ε, δ)-DP exactly when
//! δ ≥ Q(a) − e^ε·Q(b), with a = ε/μ − μ/2, b = a + μ, Q the upper tail of N(0,1).
//!
//! # Numbers
//!
//! We solve for a, in which ε = μa + μ²/2 is increasing, because then nothing cancels. As e^ε =
//! φ(a)/φ(b) and with the Mills ratio m = Q/φ,
//!
//! δ = φ(a)·(m(a) − m(b)) = φ(a)·∫_a^b (1 − t·m(t)) dt,
//!
//! an integral of a positive, smooth function: with ten Gauss–Legendre nodes on b − a ≤ ½
//! its error is below the rounding. ln δ is then off by less than 1e-12 (the largest parts:
//! 500 ε of the slope, or 80·50 ε of the difference at a = 39, and a²/2 ≤ 745 rounded).
//! An `a` is accepted only if ln δ(a) + [`MARGIN`] ≤ ln δ, so that the exact δ(ε) is at
//! most δ. That costs less than 1e-10 of a for δ ≤ ½, where |d ln δ/da| is at least about
//! max(a, ½), and more only as δ nears 1.

use super::sum_up;
use crate::privacy::event::{Charge, Event};
use crate::privacy::quantity::Delta;
use crate::privacy::special::{LN_SQRT_TAU, last_positive, mills, mills_slope, normal_upper_tail};

/// Ten times the largest error of ln δ(a).
const MARGIN: f64 = 1e-11;

/// The exact ε, rounded up; `None` when an event is not a Gaussian.
pub(crate) fn epsilon(charges: &[Charge], delta: Delta) -> Option<f64> {
    let mu = sum_up(charges, mu_squared)?.sqrt();
    Some(epsilon_of_mu(mu, delta))
}

/// 1/σ² of a Gaussian event.
pub(crate) fn mu_squared(event: &Event) -> Option<f64> {
    match event {
        Event::Gaussian { noise } => Some(noise.get().powi(-2)),
        _ => None,
    }
}

/// The least ε of μ-GDP at δ, rounded up.
fn epsilon_of_mu(mu: f64, delta: Delta) -> f64 {
    let target = delta.get().ln() - MARGIN;
    let excess = |a: f64| ln_delta(a, mu) - target;
    let least = -0.5 * mu; // ε = 0
    let at_least = excess(least);
    if at_least <= 0.0 {
        return 0.0;
    }
    // δ(a) ≤ Q(a) ≤ e^{−a²/2}/2 for a ≥ 0, which is below the target at `most`.
    let most = (-2.0 * target).sqrt();
    let at_most = excess(most);
    let tolerance = 1e-12 * most.min(1.0);
    let a = last_positive(excess, (least, at_least), (most, at_most), tolerance);
    let half = 0.5 * mu * mu;
    mu * a + half + 4.0 * f64::EPSILON * (mu * a.abs() + half)
}

/// ln(Q(a) − e^ε·Q(a + μ)), ε = μa + μ²/2 ≥ 0, to 1e-12.
fn ln_delta(a: f64, mu: f64) -> f64 {
    if mu <= 0.5 {
        -0.5 * a * a - LN_SQRT_TAU + slope_integral(a, mu).ln()
    } else if a > 1.0 {
        -0.5 * a * a - LN_SQRT_TAU + (mills(a) - mills(a + mu)).ln()
    } else {
        // Q(a) ≥ 0.15, and the difference is at least a fifth: no significant cancellation.
        let second = (-0.5 * a * a - LN_SQRT_TAU).exp() * mills(a + mu);
        (normal_upper_tail(a) - second).ln()
    }
}

/// ∫ (1 − t·m(t)) dt from a to a + μ, μ ≤ ½.
fn slope_integral(a: f64, mu: f64) -> f64 {
    /// Positive nodes and their weights of the ten-point Gauss–Legendre rule on [−1, 1].
    const RULE: [(f64, f64); 5] = [
        (0.148_874_338_981_631_2, 0.295_524_224_714_752_87),
        (0.433_395_394_129_247_2, 0.269_266_719_309_996_35),
        (0.679_409_568_299_024_4, 0.219_086_362_515_982_04),
        (0.865_063_366_688_984_5, 0.149_451_349_150_580_6),
        (0.973_906_528_517_171_7, 0.066_671_344_308_688_14),
    ];
    let half = 0.5 * mu;
    let centre = a + half;
    let sum: f64 = RULE
        .iter()
        .map(|&(node, weight)| {
            weight * (mills_slope(centre - half * node) + mills_slope(centre + half * node))
        })
        .sum();
    half * sum
}
