//! Basic composition: pure ε adds up.
//!
//! **Theorem** (Dwork–McSherry–Nissim–Smith 2006). Releases that are ε₁-, …, ε_k-DP, each
//! chosen knowing the earlier ones, are together (Σε_i, 0)-DP. *Proof:* the likelihood
//! ratio of the transcript is the product of the conditional ratios, each at most e^{ε_i}.
//!
//! An exponential mechanism of range η is η-DP: its log-ratios lie in an interval of length
//! η that contains 0, because two densities that integrate to one cannot differ in one direction
//! only.

use super::sum_up;
use crate::privacy::event::{Charge, Event};
use crate::privacy::quantity::Delta;

/// Σ count·ε; `None` when an event is not pure. It holds at any δ, and spends none of it.
pub(crate) fn epsilon(charges: &[Charge], _delta: Delta) -> Option<f64> {
    sum_up(charges, pure_epsilon)
}

/// The ε of a pure event.
pub(crate) fn pure_epsilon(event: &Event) -> Option<f64> {
    match event {
        Event::Pure { epsilon } => Some(epsilon.get()),
        Event::Exponential { range } => Some(range.get()),
        Event::Gaussian { .. } | Event::Zcdp { .. } | Event::SubsampledGaussian { .. } => None,
    }
}
