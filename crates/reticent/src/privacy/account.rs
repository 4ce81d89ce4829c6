//! The total of a list of events: the least that a valid accountant can prove.
//!
//! Each accountant proves an (ε, δ) for the *whole* list with the *whole* δ, so the least of them
//! holds and asking several costs nothing. Each rounds up on its own (see `accountant/`): no ε here
//! is below the one its theorem gives in exact arithmetic, and taking a minimum rounds nothing.
//!
//! The list is first put in a canonical order and equal events are merged, so that the total
//! depends, to the last bit, on what was charged and not on the order.

use serde::{Deserialize, Serialize};

use super::accountant::{Proof, SIMPLEST_FIRST, contributions, pld_may_help, prove, zcdp};
use super::event::{Adjacency, Charge, Event, Sampling};
use super::quantity::Delta;

/// A way to prove a total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accountant {
    /// Sums of pure ε.
    Basic,
    /// Sums of ρ, then the optimal conversion.
    Zcdp,
    /// The exact δ(ε) of composed Gaussians.
    Gaussian,
    /// Rényi divergences, then the optimal conversion.
    Rdp,
    /// The privacy loss distribution, by Fourier inversion.
    Pld,
}

impl Accountant {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Zcdp => "zcdp",
            Self::Gaussian => "gaussian",
            Self::Rdp => "rdp",
            Self::Pld => "pld",
        }
    }
}

/// What a list of events costs in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// ε at `delta`, rounded up; 0 when nothing was released or when δ alone covers it.
    pub epsilon: f64,
    /// The δ at which ε holds.
    pub delta: Delta,
    /// The accountant that proved the least ε.
    pub accountant: Accountant,
    /// Each charge's share of the total, in the order of the list; they sum to 1.
    pub shares: Vec<f64>,
}

/// Why a list of events has no total.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AccountError {
    /// An event whose theorem holds only under the other adjacency.
    #[error(
        "{} sampling is accounted for under {} adjacency only; {given} was given",
        .sampling.name(), .sampling.adjacency()
    )]
    Adjacency {
        /// The event's sampling.
        sampling: Sampling,
        /// The adjacency of the list.
        given: Adjacency,
    },
    /// No accountant can bound the total by a finite ε.
    #[error(
        "no accountant bounds these events by a finite epsilon at delta = {delta}; use more noise or fewer releases"
    )]
    Unbounded {
        /// The δ that was asked for.
        delta: Delta,
    },
    /// An event that has no ρ.
    #[error(
        "a {} release has no zCDP cost, so that a budget of rho cannot cover it; state the budget \
         as epsilon and delta",
        .event.name()
    )]
    NoRho {
        /// The release.
        event: Event,
    },
}

/// The least ε at `delta` that an accountant valid for every event proves.
///
/// Of equal proofs (to 1e-12) the simplest wins: basic, Gaussian, zCDP, RDP, PLD. No events
/// cost nothing.
pub fn account(
    charges: &[Charge],
    adjacency: Adjacency,
    delta: Delta,
) -> Result<Account, AccountError> {
    check_adjacency(charges, adjacency)?;
    let (accountant, proof) = least(charges, delta, Effort::All);
    finish(accountant, proof, charges, delta)
}

/// The ε that one accountant proves at `delta`; `None` when some event is not covered by
/// its theorem. For comparisons and outside checks: a certificate quotes [`account`].
pub fn account_by(
    accountant: Accountant,
    charges: &[Charge],
    adjacency: Adjacency,
    delta: Delta,
) -> Result<Option<Account>, AccountError> {
    check_adjacency(charges, adjacency)?;
    match prove(accountant, &canonical(charges), delta) {
        Some(proof) => finish(accountant, proof, charges, delta).map(Some),
        None => Ok(None),
    }
}

/// Σρ of a list, rounded up: what the zCDP accountant converts, and what a budget in ρ is
/// compared with. Nothing costs 0.
pub fn total_rho(charges: &[Charge]) -> Result<f64, AccountError> {
    let has_none = |charge: &&Charge| zcdp::rho(&charge.event).is_none();
    if let Some(charge) = charges.iter().find(has_none) {
        let event = charge.event;
        return Err(AccountError::NoRho { event });
    }
    // Every event has a ρ.
    Ok(zcdp::total(&canonical(charges)).unwrap_or(f64::INFINITY))
}

/// Which accountants to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// All but the PLD.
    Cheap,
    /// All that may give the least ε.
    All,
}

/// The least ε, infinite if none is finite, and the accountant that proved it.
pub(super) fn least(charges: &[Charge], delta: Delta, effort: Effort) -> (Accountant, Proof) {
    /// Differences below this are rounding, and the simpler proof is preferred.
    const TIE: f64 = 1.0 - 1e-12;
    let charges = canonical(charges);
    let nothing = Proof {
        epsilon: f64::INFINITY,
        order: None,
    };
    let mut best = (Accountant::Basic, nothing);
    for accountant in SIMPLEST_FIRST {
        let skipped = accountant == Accountant::Pld
            && (effort == Effort::Cheap || !pld_may_help(&charges) || best.1.epsilon == 0.0);
        if skipped {
            continue;
        }
        if let Some(proof) = prove(accountant, &charges, delta) {
            if best.1.epsilon == f64::INFINITY || proof.epsilon < best.1.epsilon * TIE {
                let order = proof.order.or(best.1.order);
                best = (accountant, Proof { order, ..proof });
            }
            if accountant == Accountant::Gaussian {
                break; // Exact: no other can prove less.
            }
        }
    }
    best
}

/// Refuses an event whose theorem holds only under the other adjacency.
pub(super) fn check_adjacency(charges: &[Charge], given: Adjacency) -> Result<(), AccountError> {
    for charge in charges {
        if let Event::SubsampledGaussian { sampling, .. } = charge.event
            && sampling.adjacency() != given
        {
            return Err(AccountError::Adjacency { sampling, given });
        }
    }
    Ok(())
}

/// Adds the shares to an ε, or refuses an infinite one.
fn finish(
    accountant: Accountant,
    Proof { epsilon, order }: Proof,
    charges: &[Charge],
    delta: Delta,
) -> Result<Account, AccountError> {
    if !epsilon.is_finite() {
        return Err(AccountError::Unbounded { delta });
    }
    let mut shares = contributions(accountant, order, charges, delta);
    let total: f64 = shares.iter().sum();
    for share in &mut shares {
        *share /= total;
    }
    if shares.iter().any(|share| !share.is_finite()) {
        // Costs too small or too large to compare.
        shares.fill(1.0 / charges.len() as f64);
    }
    Ok(Account {
        epsilon,
        delta,
        accountant,
        shares,
    })
}

/// The list in its canonical order, equal events merged.
fn canonical(charges: &[Charge]) -> Vec<Charge> {
    let mut sorted = charges.to_vec();
    sorted.sort_unstable_by_key(|charge| (key(&charge.event), charge.count));
    let mut merged: Vec<Charge> = Vec::with_capacity(sorted.len());
    for charge in sorted {
        if let Some(last) = merged.last_mut()
            && last.event == charge.event
            && let Some(count) = last.count.checked_add(charge.count.get())
        {
            last.count = count;
        } else {
            merged.push(charge);
        }
    }
    merged
}

/// A total order of events; the quantities are positive, so their bits are in the same order.
fn key(event: &Event) -> (u8, u64, u64) {
    match event {
        Event::Gaussian { noise } => (0, noise.get().to_bits(), 0),
        Event::Exponential { range } => (1, range.get().to_bits(), 0),
        Event::Pure { epsilon } => (2, epsilon.get().to_bits(), 0),
        Event::Zcdp { rho } => (3, rho.get().to_bits(), 0),
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        } => {
            let kind = match sampling {
                Sampling::Poisson => 4,
                Sampling::WithoutReplacement => 5,
            };
            (kind, noise.get().to_bits(), rate.get().to_bits())
        }
    }
}
