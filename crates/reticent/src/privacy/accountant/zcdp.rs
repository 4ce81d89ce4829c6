//! Zero-concentrated differential privacy: ρ adds up, then the optimal conversion.
//!
//! **Definition** (Bun–Steinke 2016). ρ-zCDP: D_α ≤ ρα at every order α > 1. It adds up
//! under adaptive composition because D_α does (lemma 1.7 there).
//!
//! | event | ρ | source |
//! |---|---|---|
//! | Gaussian | 1/(2σ²) | D_α(N(1,σ²)‖N(0,σ²)) = α/(2σ²), Bun–Steinke prop. 1.6 |
//! | exponential of range η | η²/8 | Cesar–Rogers 2021: the log-ratio lies in an interval of length η, and Hoeffding's lemma, applied to it under the tilted laws, bounds the second derivative of the cumulant generating function by η²/4 |
//! | ε-DP | ε²/2 | Bun–Steinke prop. 1.4 |
//! | zCDP | as stated | |
//!
//! A subsampled Gaussian has no useful ρ: its D_α is not linear in α.

use super::rdp::conversion::least_epsilon;
use super::sum_up;
use crate::privacy::event::{Charge, Event};
use crate::privacy::quantity::Delta;

/// ε of the summed ρ, rounded up; `None` when an event is subsampled.
pub(crate) fn epsilon(charges: &[Charge], delta: Delta) -> Option<f64> {
    total(charges).map(|rho| converted(rho, delta))
}

/// The sum of the ρ, rounded up; `None` when an event is subsampled.
pub(crate) fn total(charges: &[Charge]) -> Option<f64> {
    // A square that underflowed is below the least normal number, so that this rounds it up.
    let normal = |event: &Event| rho(event).map(|rho| rho.max(f64::MIN_POSITIVE));
    sum_up(charges, normal)
}

/// ε of a ρ, rounded up.
pub(crate) fn converted(rho: f64, delta: Delta) -> f64 {
    least_epsilon(|alpha| alpha * rho, f64::INFINITY, delta).epsilon
}

/// The ρ of an event.
pub(crate) fn rho(event: &Event) -> Option<f64> {
    match event {
        Event::Gaussian { noise } => Some(0.5 * noise.get().powi(-2)),
        Event::Exponential { range } => Some(range.get().powi(2) / 8.0),
        Event::Pure { epsilon } => Some(epsilon.get().powi(2) / 2.0),
        Event::Zcdp { rho } => Some(rho.get()),
        Event::SubsampledGaussian { .. } => None,
    }
}
