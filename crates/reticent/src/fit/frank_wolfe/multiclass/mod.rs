//! Multinomial private LASSO (Khanna et al. 2023, appendix A, made sound): a sparse linear function
//! per class, by private Frank–Wolfe.
//!
//! *Plan.* T steps. Each takes the gradient of the multinomial loss at the weights so far, chooses
//! a vertex privately, in one ball or in one ball per class, and moves the weights towards it;
//! then, with intercepts, releases the mean residuals of the classes and moves the intercepts
//! against them.
//!
//! *Not as printed.* The paper loops over the p columns and accounts for K vectors, at ε/K each.
//! Here the ball over all entries takes one choice among its 2Kp vertices, and the balls per class
//! take K choices that cost no more than two, because a record's residuals have norm √2 whatever
//! the number of classes.

mod noise;
mod plan;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::{StepRule, defaults::INTERCEPT_SHARE};
use crate::fit::{Facts, Task};
use crate::privacy::{Adjacency, Budget};
use crate::table::RecordBound;

pub use plan::MulticlassFrankWolfePlan;

/// Where the weights may lie: balls in ℓ₁.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ball {
    /// One over the weights of all classes: Σₖ‖wₖ‖₁ ≤ radius.
    Whole,
    /// One for each class: ‖wₖ‖₁ ≤ radius.
    PerClass,
}

/// Parameters of the multinomial private LASSO.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | multinomial | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `ball` | per class | where the weights may lie | |
/// | `radius` | from n, d, K, ε, δ and the bound | of the ball, or of each | > 0 |
/// | `iterations` | from the same facts and the radius | steps, T | ≥ 1 |
/// | `step_rule` | average | step sizes | |
/// | `intercept` | true | a term per class, free of the balls | |
/// | `intercept_share` | 0.1 | their share of ρ | between 0 and 1 |
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: T choices and, with intercepts, T Gaussian releases of
/// the sums of the residuals. *Sensitivity*: the queries'. With M the largest residual and B the
/// bound of an entry, under replace-one: one ball, scores of range 4MB; a ball per class, ranges
/// whose squares sum to 32(MB)²; intercepts, Δ₂ = 2√2·M. *Theorem*: in one ball, the exponential
/// mechanism of range η, ρ = η²/8; in a ball per class,
/// [`exponential_each`](crate::mechanism::exponential_each()), ρ for all classes together. With
/// noise of scale b on the scores of the mean gradient on balls of radius r₁ that is ρ =
/// 2(r₁B)²/(nb)² and 4(r₁B)²/(nb)². Releases are adaptive but the plan fixes their noise, so the
/// accounts of a planned ledger hold.
pub struct MulticlassFrankWolfe {
    /// What kind of model: multinomial.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// One ball, or one per class.
    pub ball: Ball,
    /// Its radius; from public facts if `None`.
    pub radius: Option<f64>,
    /// How many steps; from public facts if `None`.
    pub iterations: Option<NonZeroU64>,
    /// How large they are.
    pub step_rule: StepRule,
    /// Whether there are intercepts, free of the ball.
    pub intercept: bool,
    /// The intercepts' share of ρ.
    pub intercept_share: f64,
}

impl MulticlassFrankWolfe {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            ball: Ball::PerClass,
            radius: None,
            iterations: None,
            step_rule: StepRule::Average,
            intercept: true,
            intercept_share: INTERCEPT_SHARE,
        }
    }
}

/// The bound of an entry of a row.
fn entry_bound(facts: &Facts) -> f64 {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    bound
}
