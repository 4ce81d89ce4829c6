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
//! | exponential of range η | α(α−1)η²/8, or that of η-DP | Cesar–Rogers 2021: an η-bounded-range release is η²/8-zCDP; and it is η-DP |
//! | subsampled | see [`poisson`], [`without_replacement`] | |

pub(super) mod conversion;
mod poisson;
#[cfg(test)]
mod tests;
mod without_replacement;

use conversion::{AtOrder, least_epsilon};
use without_replacement::WithoutReplacement;

use super::zcdp;
use crate::privacy::event::{Charge, Event, Sampling};
use crate::privacy::quantity::{Delta, Epsilon};

/// A relative allowance for the rounding of the closed forms: a few operations each, well
/// conditioned but for exponentials of at most 700, whose relative error is 700·4 ε < 1e-12.
const GUARD: f64 = 1.0 + 1e-12;

/// The least ε, rounded up, and the order that gives it. Covers every event.
///
/// Exponential mechanisms are treated in both valid ways, one after the other: the lesser of two
/// convex K(α) is not convex, and its minimum could be missed.
pub(crate) fn best(charges: &[Charge], delta: Delta) -> AtOrder {
    let by_range = best_of(charges, delta);
    if !charges
        .iter()
        .any(|charge| as_pure(&charge.event).is_some())
    {
        return by_range;
    }
    let read_as_pure: Vec<Charge> = charges
        .iter()
        .map(|charge| Charge {
            event: as_pure(&charge.event).unwrap_or(charge.event),
            ..*charge
        })
        .collect();
    let by_epsilon = best_of(&read_as_pure, delta);
    if by_epsilon.epsilon < by_range.epsilon {
        by_epsilon
    } else {
        by_range
    }
}

/// An exponential mechanism of range η as the η-DP release that it also is.
fn as_pure(event: &Event) -> Option<Event> {
    match event {
        Event::Exponential { range } => Epsilon::new(range.get())
            .ok()
            .map(|epsilon| Event::Pure { epsilon }),
        _ => None,
    }
}

fn best_of(charges: &[Charge], delta: Delta) -> AtOrder {
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
        Event::Gaussian { .. } | Event::Exponential { .. } | Event::Zcdp { .. } => {
            let event = *event;
            Box::new(move |alpha| GUARD * linear(&event, alpha))
        }
        Event::Pure { epsilon } => Box::new(move |alpha| GUARD * pure(epsilon.get(), alpha)),
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        } => {
            let (q, sigma) = (rate.get(), noise.get());
            match sampling {
                Sampling::Poisson => Box::new(move |alpha| {
                    GUARD * poisson::cumulant(q, sigma, alpha) / (alpha - 1.0)
                }),
                Sampling::WithoutReplacement => {
                    let bounds = WithoutReplacement::new(q, sigma);
                    Box::new(move |alpha| GUARD * bounds.cumulant(alpha) / (alpha - 1.0))
                }
            }
        }
    }
}

/// A guess of the highest order worth trying. The divergence of a subsampled Gaussian jumps to that
/// of the whole one at about the order where e^{α(α−1)s²/2}·q^α reaches 1.
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
