//! Select, then fit: the exponential mechanism chooses the columns, and the best private fit that we
//! know is made on these alone.
//!
//! *What it does.* In each round (one for classes, four for numbers) some columns are chosen by the
//! size of the gradient at the model so far: orthogonal matching pursuit (Pati et al. 1993), by
//! one-shot private top-k (Durfee–Rogers 2019). Then the model is fitted on all columns chosen so
//! far: by noisy gradients of the clipped loss, preconditioned with a noisy matrix of second moments,
//! in full steps first and then in shorter ones, so that their noise averages out. For numbers the
//! clip follows the residuals: it is a private median of their sizes. In the end weights that noise
//! may have made are shrunk (the non-negative garrote, Breiman 1995), which costs nothing.
//!
//! *Why.* A selection pays for the columns that it chooses, not for all d; and a fit on s columns has
//! the noise of s. Measured against it on the chosen columns: sufficient statistics with adaptive
//! ridge (AdaSSP, Wang 2018), DP-Newton and objective perturbation all have larger errors.

mod defaults;
mod fit;
mod plan;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU32;

use super::Task;
use crate::privacy::{Adjacency, Budget};

pub use plan::Plan;

/// Parameters of select-then-fit.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | 1.5·√d; all columns if linear and d ≤ 200 | columns to choose, s | 1 to the columns |
/// | `rounds` | 1 if logistic, 4 if linear | rounds of choosing and fitting | ≥ 1 |
/// | `intercept` | true | a constant column, always chosen | |
///
/// The model has at most `nonzero` weights that are not zero.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*, in each round: the choice of k columns, k events of the
/// exponential mechanism on scores |Σψᵢxᵢⱼ|; one Gaussian of the second moments of the columns
/// chosen so far; a Gaussian of their gradient a step; for linear models, medians of the residuals'
/// sizes by the exponential mechanism. *Sensitivity*: the queries', from the enforced rows, the
/// clipped slope and the cap of the records' length, which is a public number. *Theorem*: releases are
/// adaptive (columns, models and clips are functions of earlier releases), their noise relative
/// to the sensitivity is fixed by the plan, and the accounts of a planned ledger hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many columns are chosen; from public facts if `None`.
    pub nonzero: Option<usize>,
    /// How many rounds; from the task if `None`.
    pub rounds: Option<NonZeroU32>,
    /// Whether there is an intercept.
    pub intercept: bool,
}

impl Select {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
            rounds: None,
            intercept: true,
        }
    }
}
