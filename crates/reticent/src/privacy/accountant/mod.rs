//! One file per accountant: pure functions from events to ε.
//!
//! Each is `epsilon(charges, delta) -> Option<f64>`: `None` when its theorem does not cover
//! some event, infinity when it covers all but gives no finite bound. A result is never below what
//! the theorem gives in exact arithmetic: each file states its rounding argument.

pub(crate) mod basic;
pub(crate) mod gaussian;
mod pld;
pub(crate) mod rdp;
pub(crate) mod zcdp;

use super::account::Accountant;
use super::event::{Charge, Event};
use super::quantity::Delta;

/// All accountants, the simplest first: of two equal proofs the earlier is preferred.
pub(crate) const SIMPLEST_FIRST: [Accountant; 5] = [
    Accountant::Basic,
    Accountant::Gaussian,
    Accountant::Zcdp,
    Accountant::Rdp,
    Accountant::Pld,
];

/// An ε, and the Rényi order at which it was proved, if any.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proof {
    pub(crate) epsilon: f64,
    pub(crate) order: Option<f64>,
}

/// What one accountant proves; `None` when it does not cover some event.
pub(crate) fn prove(accountant: Accountant, charges: &[Charge], delta: Delta) -> Option<Proof> {
    if charges.is_empty() {
        return Some(Proof {
            epsilon: 0.0,
            order: None,
        });
    }
    let epsilon = match accountant {
        Accountant::Basic => basic::epsilon(charges, delta),
        Accountant::Gaussian => gaussian::epsilon(charges, delta),
        Accountant::Zcdp => zcdp::epsilon(charges, delta),
        Accountant::Rdp => {
            let best = rdp::best(charges, delta);
            return Some(Proof {
                epsilon: best.epsilon,
                order: Some(best.alpha),
            });
        }
        Accountant::Pld => pld::epsilon(charges, delta),
    };
    epsilon.map(|epsilon| Proof {
        epsilon,
        order: None,
    })
}

/// Whether the costly PLD may beat the others: lists of Gaussians have an exact answer, and a
/// release known only by its ρ has no PLD.
pub(crate) fn pld_may_help(charges: &[Charge]) -> bool {
    let exact = |charge: &Charge| matches!(charge.event, Event::Gaussian { .. });
    let unknown = |charge: &Charge| matches!(charge.event, Event::Zcdp { .. });
    !charges.iter().all(exact) && !charges.iter().any(unknown)
}

/// What each charge contributes in the unit of an accountant: ε, μ², ρ, or the Rényi divergence at
/// the best `order` (the PLD has no unit of its own).
pub(crate) fn contributions(
    accountant: Accountant,
    order: Option<f64>,
    charges: &[Charge],
    delta: Delta,
) -> Vec<f64> {
    let alpha = match accountant {
        Accountant::Basic | Accountant::Gaussian | Accountant::Zcdp => f64::NAN,
        Accountant::Rdp | Accountant::Pld => {
            order.unwrap_or_else(|| rdp::best(charges, delta).alpha)
        }
    };
    let cost = |event: &Event| match accountant {
        Accountant::Basic => basic::pure_epsilon(event),
        Accountant::Gaussian => gaussian::mu_squared(event),
        Accountant::Zcdp => zcdp::rho(event),
        Accountant::Rdp | Accountant::Pld => Some(rdp::rdp(event, alpha)),
    };
    charges
        .iter()
        .map(|charge| charge.count.get() as f64 * cost(&charge.event).unwrap_or(0.0))
        .collect()
}

/// Σ count·cost, rounded up; `None` when an event has no cost.
///
/// A cost made of a square, a reciprocal and a power of two is good to 2 ε relatively; the
/// count's conversion, the product and each addition add half an ε.
fn sum_up(charges: &[Charge], cost: impl Fn(&Event) -> Option<f64>) -> Option<f64> {
    let mut sum = 0.0;
    for charge in charges {
        sum += charge.count.get() as f64 * cost(&charge.event)?;
    }
    Some(sum * (1.0 + (charges.len() as f64 + 4.0) * f64::EPSILON))
}
