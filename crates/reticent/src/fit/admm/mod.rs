//! Private ADMM (Puyu Wang and Hai Zhang 2020, *Differential privacy for sparse classification
//! learning*): a penalised logistic model by the alternating direction method of multipliers, each of
//! whose primal steps perturbs its objective.
//!
//! *Plan.* (1/n)·Σ ℓ(x·w, y) + penalty(z) is to be least where w = z. Step k takes
//!
//! ```text
//! w ← about the least point of (1/n)·Σ ℓ(x·w, y) + (c/2)·‖w − (z − u)‖² + ⟨b, w⟩/n,  b drawn afresh
//! z ← threshold(w + u)        u ← u + w − z
//! ```
//!
//! The first line is a release; the others touch no record. What is released in the end is z, which has
//! zeros. With b = 0 the steps lead to the LASSO of that penalty.
//!
//! *What the paper prints* draws b once for all steps: `published.rs` says what is proved of that.

mod declaration;
mod defaults;
mod penalty;
mod plan;
mod published;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::{Calibration, PlanError, Task};
use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::DECLARATION;
pub use penalty::Penalty;
pub use plan::AdmmPlan;

/// Parameters of private ADMM.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | replace-one |
/// | `penalty` | ℓ₁ | what a weight costs: ℓ₁ or ℓ₁⁄₂ | |
/// | `iterations` | 1; 10 as published | steps, T | ≥ 1 |
/// | `lambda` | from the noise | weight of the penalty, λ | > 0 |
/// | `augmentation` | from the noise | the parameter of the augmented Lagrangian, c | > 0 |
/// | `nonzero` | all that z has | weights that are kept of it, the largest | 1 to d |
/// | `intercept` | true | a column of ones, regularised towards its last value like any weight, and not penalised | |
/// | `calibration` | exact | the least noise for the budget, or the paper's | |
///
/// # Privacy
///
/// *Adjacency*: replace-one. Under add-remove the number of records is private, so that the allowance
/// for float errors in the search must cover 2³² of them: the noise that hides the search would be
/// hundreds of times what a weight is cut at, whatever the table, and such a plan is refused.
///
/// *Releases*: T times the point of a perturbed objective: one
/// ε-DP release and one Gaussian release for the inexactness of its search, each adaptive in those
/// before. The objective of step k is c-strongly convex, and its centre a = z − u is a function of what
/// was released: along one path of releases it is the same number on neighbouring tables, as the proof
/// of [`objective`](crate::mechanism::objective()) asks. *Sensitivity*: the query's. *Theorems*: there,
/// and adaptive composition; ε and noise of every step are fixed by the plan, so the accounts of a
/// planned ledger hold. Threshold, multipliers and the choice of the largest weights are
/// post-processing.
///
/// With [`Calibration::AsPublished`] the budget is what the paper *claims*. One step is an ordinary
/// objective perturbation, and its certificate states what is proved for the paper's noise. Of two
/// steps or more nothing is proved: the plan takes an open table, and its certificate says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Admm {
    /// What kind of model: logistic.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// What a weight costs.
    pub penalty: Penalty,
    /// How many steps.
    pub iterations: Option<NonZeroU64>,
    /// The weight of the penalty.
    pub lambda: Option<f64>,
    /// The parameter of the augmented Lagrangian.
    pub augmentation: Option<f64>,
    /// How many weights are kept.
    pub nonzero: Option<usize>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Which noise a step gets.
    pub calibration: Calibration,
}

/// The refusal of a c that is not above `least`: the change of volume would cost more than a step has.
fn augmentation_above(least: f64) -> PlanError {
    PlanError::Option {
        option: declaration::AUGMENTATION.name,
        allowed: format!("above {least:.3e}: below, a step costs more than its epsilon"),
    }
}

impl Admm {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            penalty: Penalty::L1,
            iterations: None,
            lambda: None,
            augmentation: None,
            nonzero: None,
            intercept: true,
            calibration: Calibration::Exact,
        }
    }
}
