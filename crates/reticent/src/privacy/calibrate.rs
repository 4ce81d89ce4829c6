//! The least noise for a budget.

use super::account::{Account, AccountError};
use super::event::{Adjacency, Charge};
use super::quantity::{Delta, Epsilon, NoiseMultiplier};

/// The least noise multiplier that fits a budget, and what it then costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The multiplier.
    pub noise: NoiseMultiplier,
    /// The events at that multiplier.
    pub charges: Vec<Charge>,
    /// Their total, which is at most the budget.
    pub account: Account,
}

/// Why no noise multiplier fits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    /// The plan can not be accounted for at all.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// Even the largest multiplier costs too much: the rest of the plan is too dear.
    #[error(
        "no noise is enough: the events whose noise is fixed already cost epsilon = {fixed:.6}, and the budget is {budget}"
    )]
    TooDear {
        /// ε at the largest multiplier.
        fixed: f64,
        /// The budget.
        budget: Epsilon,
    },
}

/// The least noise at which `plan` costs at most (ε, δ). `plan` gives its events as a
/// function of one noise multiplier; a larger multiplier must never cost more.
pub fn calibrate(
    plan: impl Fn(NoiseMultiplier) -> Vec<Charge>,
    adjacency: Adjacency,
    epsilon: Epsilon,
    delta: Delta,
) -> Result<Calibrated, CalibrateError> {
    let _ = (
        plan(NoiseMultiplier::new(1.0).unwrap()),
        adjacency,
        epsilon,
        delta,
    );
    todo!()
}
