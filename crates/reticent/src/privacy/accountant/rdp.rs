//! Rényi differential privacy: covers every event.
//!
//! **Theorem** (Mironov 2017, prop. 1). D_α adds up under adaptive composition, at each
//! order α. *Proof:* e^{(α−1)D_α} of the transcript is an integral of conditional ones,
//! each at most the release's own bound.
//!
//! With K(α) = (α−1)·D_α, the cumulant generating function of the log-ratio under Q:
//!
//! | event | K(α) at most | why |
//! |---|---|---|
//! | Gaussian, zCDP | α(α−1)ρ | see [`super::zcdp`] |
//! | ε-DP | ln cosh((α−½)ε) − ln cosh(ε/2) | Bun–Steinke 2016, prop. 3.3, whose (sinh αε − sinh(α−1)ε)/sinh ε this is: e^{αz} is convex in the log-ratio z ∈ [−ε, ε], so the extreme law puts all mass on ±ε (randomised response) |
//! | exponential of range η | least of α(α−1)η²/8, that of η-DP, and the extreme below | |
//! | subsampled | see [`super::rdp_poisson`], [`super::rdp_without_replacement`] | |
//!
//! **The extreme of range η.** If z lies in [t−η, t], E_Q e^z = 1 and e^{αz} is convex in
//! e^z, then E_Q e^{αz} is greatest with all mass on the two ends (as in
//! Dong–Durfee–Rogers 2020). With v = e^{η−t} and c = (e^{αη}−1)/(e^η−1) it is v^{−α}(1 + (v−1)c), greatest
//! at v = α(c−1)/(c(α−1)), so K ≤ ln((c−1)/(α−1)) − α·ln v. It holds for every t, hence for
//! any η-bounded-range release, also one chosen knowing earlier answers.

use super::rdp_conversion::{AtOrder, least_epsilon};
use super::rdp_without_replacement::WithoutReplacement;
use super::{rdp_poisson, zcdp};
use crate::privacy::event::{Charge, Event, Sampling};
use crate::privacy::quantity::Delta;
use crate::privacy::special::ln_expm1;

/// A relative allowance for the rounding of the closed forms: a few operations each, well
/// conditioned but for exponentials of at most 700, whose relative error is 700·4 ε < 1e-12.
const GUARD: f64 = 1.0 + 1e-12;

/// The least ε, rounded up, and the order that gives it. Covers every event.
pub(crate) fn best(charges: &[Charge], delta: Delta) -> AtOrder {
    let curves: Vec<(f64, Curve)> = charges
        .iter()
        .map(|charge| (charge.count.get() as f64, curve(&charge.event)))
        .collect();
    let total = |alpha: f64| -> f64 {
        let sum: f64 = curves
            .iter()
            .map(|(count, curve)| count * curve(alpha))
            .sum();
        sum * (1.0 + (charges.len() as f64 + 4.0) * f64::EPSILON)
    };
    let promising = charges
        .iter()
        .map(|charge| highest_promising(&charge.event))
        .fold(f64::INFINITY, f64::min);
    least_epsilon(total, promising, delta)
}

/// An upper bound of D_α of one event, for real α > 1; infinite when it overflows.
pub(crate) fn rdp(event: &Event, alpha: f64) -> f64 {
    curve(event)(alpha)
}

/// D_α of one event as a function of α.
type Curve = Box<dyn Fn(f64) -> f64>;

/// [`rdp`] with what does not depend on the order prepared.
fn curve(event: &Event) -> Curve {
    match *event {
        Event::Gaussian { .. } | Event::Zcdp { .. } => {
            let event = *event;
            Box::new(move |alpha| GUARD * linear(&event, alpha))
        }
        Event::Pure { epsilon } => Box::new(move |alpha| GUARD * pure(epsilon.get(), alpha)),
        Event::Exponential { range } => {
            let (event, range) = (*event, range.get());
            Box::new(move |alpha| {
                let as_pure = pure(range, alpha);
                let extreme = bounded_range(range, alpha);
                GUARD * linear(&event, alpha).min(as_pure).min(extreme)
            })
        }
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        } => {
            let (q, sigma) = (rate.get(), noise.get());
            match sampling {
                Sampling::Poisson => Box::new(move |alpha| {
                    GUARD * rdp_poisson::cumulant(q, sigma, alpha) / (alpha - 1.0)
                }),
                Sampling::WithoutReplacement => {
                    let bounds = WithoutReplacement::new(q, sigma);
                    Box::new(move |alpha| GUARD * bounds.cumulant(alpha) / (alpha - 1.0))
                }
            }
        }
    }
}

/// A guess of the highest order worth trying. The divergence of a subsampled Gaussian leaps
/// to that of the whole one about where e^{α(α−1)s²/2}·q^α reaches 1.
fn highest_promising(event: &Event) -> f64 {
    match event {
        Event::SubsampledGaussian { noise, rate, .. } => {
            2.0 - 2.0 * noise.get().powi(2) * rate.get().ln()
        }
        _ => f64::INFINITY,
    }
}

/// αρ.
fn linear(event: &Event, alpha: f64) -> f64 {
    zcdp::rho(event).map_or(f64::INFINITY, |rho| alpha * rho)
}

/// (ln cosh((α−½)ε) − ln cosh(ε/2))/(α−1).
fn pure(epsilon: f64, alpha: f64) -> f64 {
    let x = alpha - 1.0;
    if alpha * epsilon < 1.0 {
        // cosh a − cosh b = 2 sinh((a+b)/2) sinh((a−b)/2), so that nothing cancels.
        let rise = 2.0 * (0.5 * alpha * epsilon).sinh() * (0.5 * x * epsilon).sinh();
        (rise / (0.5 * epsilon).cosh()).ln_1p() / x
    } else {
        // ε + (ln(1+e^{−2a}) − ln(1+e^{−2b}))/x with a = (α−½)ε, b = ε/2: the difference
        // of the logarithms as one, for they may be close.
        let low = (-epsilon).exp();
        let change = low * (-2.0 * x * epsilon).exp_m1() / (1.0 + low);
        epsilon + change.ln_1p() / x
    }
}

/// The extreme of range η; infinite where rounding would spoil it and the others are as
/// good.
fn bounded_range(range: f64, alpha: f64) -> f64 {
    let x = alpha - 1.0;
    let ln_c = ln_expm1(alpha * range) - ln_expm1(range);
    let ln_c_less_1 = ln_expm1(ln_c);
    let ln_v = alpha.ln() + ln_c_less_1 - ln_c - x.ln();
    let cumulant = ln_c_less_1 - x.ln() - alpha * ln_v;
    // ln c is good to a few ε of `size`. So is ln(c−1) up to a factor c/(c−1) ≤ α/x, for
    // c ≥ α; but it enters with the factor 1 − α = −x in all.
    let size = 1.0 + alpha * range + range.ln().abs() + x.ln().abs() + alpha.ln();
    let error = 16.0 * f64::EPSILON * (1.0 + alpha) * size;
    let bound = (cumulant + error) / x;
    if bound.is_nan() { f64::INFINITY } else { bound }
}
