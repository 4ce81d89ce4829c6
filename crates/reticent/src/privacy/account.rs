//! The total of a list of events: the least that a valid accountant can prove.

use serde::{Deserialize, Serialize};

use super::event::{Adjacency, Charge, Event};
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
    /// The privacy loss distribution, by FFT.
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
    /// An event whose theorem holds under the other adjacency only.
    #[error(
        "{} sampling is accounted for under {} adjacency only; {given} was given",
        .sampling.name(), .sampling.adjacency()
    )]
    Adjacency {
        /// The event's sampling.
        sampling: super::event::Sampling,
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
}

/// The least ε at `delta` that an accountant valid for every event proves.
pub fn account(
    charges: &[Charge],
    adjacency: Adjacency,
    delta: Delta,
) -> Result<Account, AccountError> {
    for charge in charges {
        if let Event::SubsampledGaussian { sampling, .. } = charge.event
            && sampling.adjacency() != adjacency
        {
            return Err(AccountError::Adjacency {
                sampling,
                given: adjacency,
            });
        }
    }
    todo!("the accountants; {delta}")
}
