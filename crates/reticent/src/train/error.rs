//! Why there is no model, and what the attempt cost.

use std::fmt;

use crate::fit::{FitError, PlanError};
use crate::model::ModelError;
use crate::noise::NoEntropy;
use crate::privacy::{Delta, Statement};
use crate::table::{EnforceError, FeaturesError};

/// What a run costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunCost {
    /// The ε, at `delta`.
    pub epsilon: f64,
    /// The δ.
    pub delta: Delta,
    /// The ρ, if the budget was in ρ.
    pub rho: Option<f64>,
    /// False if the noise can be repeated, so that nothing is private.
    pub secure: bool,
}

impl RunCost {
    /// The cost that a statement certifies.
    pub fn of(statement: &Statement) -> Self {
        Self {
            epsilon: statement.epsilon,
            delta: statement.delta,
            rho: statement.rho,
            secure: statement.secure,
        }
    }
}

impl fmt::Display for RunCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.secure {
            f.write_str("NOT PRIVATE, as its noise can be repeated, or else as ")?;
        }
        if let Some(rho) = self.rho {
            write!(f, "rho = {rho}, ")?;
        }
        let Self { epsilon, delta, .. } = self;
        write!(f, "epsilon = {epsilon} at delta = {}", delta.get())
    }
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// The parameters make no plan; nothing was spent.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The bounds cannot be enforced; nothing was spent.
    #[error(transparent)]
    Enforce(#[from] EnforceError),
    /// The rows have no features; nothing was spent.
    #[error(transparent)]
    Features(#[from] FeaturesError),
    /// The method is not proved for these records; nothing was spent.
    #[error("{0}")]
    Unsuited(String),
    /// The system gives no random bits; nothing was spent.
    #[error(transparent)]
    System(#[from] NoEntropy),
    /// The method releases columns alone; nothing was spent.
    #[error("the method 'choose' fits no model; ask for the columns, or name another method")]
    NoModel,
    /// The records are not those of the plan, or a plan without a budget failed; nothing was spent.
    #[error(transparent)]
    Facts(FitError),
    /// The watcher stopped the fit.
    #[error(
        "stopped after {done} of {total} steps; there is no model, but what was charged stays \
         spent: count this run as {}",
        RunCost::of(.statement)
    )]
    Stopped {
        /// Steps done.
        done: u64,
        /// Steps planned.
        total: u64,
        /// What the ledger certifies.
        statement: Box<Statement>,
    },
    /// It failed when noise may have been drawn, and the failure may depend on what was released.
    #[error("{reason}; there is no model, but noise was drawn: count this run as {cost}")]
    Spent {
        /// What went wrong.
        reason: String,
        /// What it cost.
        cost: RunCost,
    },
    /// A model without privacy could not be made.
    #[error(transparent)]
    Model(#[from] ModelError),
}
