//! Sparsifier (Khanna, Lu, Raff and Testa 2023, algorithm 2): private Frank–Wolfe that keeps as
//! many weights as a LASSO without privacy needs.
//!
//! *Plan.* Count the weights of the LASSO without privacy on the same ball; clip the count to
//! public integers lo ≤ hi; release it with two-sided geometric noise; clip what comes out, times a
//! precision factor, to whole numbers from 1. Fit by private Frank–Wolfe (multinomial: on one ball
//! or one per class) and keep that many of the largest weights. If the number is given as public,
//! nothing is counted, and the whole budget goes to the fit.
//!
//! *Is counting worth it?* The noise has the scale (hi − lo)/ε₁, about √p/ε₁: below ε₁ = 1 most of
//! the mass lies beyond lo and hi, and the released number is nearly a coin toss between them. A
//! public number costs nothing.
//!
//! *Not as printed.* The bounds are integers (√p and 2√p would show whether a count was clipped),
//! and it is the noisy count that is clipped (the paper's code overwrites it by a clip of the raw
//! one, and has no guarantee).

mod declaration;
mod plan;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::Task;
use super::frank_wolfe::Ball;
use super::frank_wolfe::{Calibration, StepRule, defaults::INTERCEPT_SHARE};
use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::DECLARATION;
pub use plan::SparsifierPlan;

/// The published share of ε that counting gets.
const COUNT_SHARE: f64 = 0.05;
/// The published ℓ₁ radius.
const PUBLISHED_RADIUS: f64 = 10.0;
/// The published number of steps.
const PUBLISHED_STEPS: NonZeroU64 = NonZeroU64::new(1000).unwrap();

/// Parameters of Sparsifier.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, linear or multinomial | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | counted privately | how many weights to keep, if that is public | 1 to p |
/// | `bounds` | ⌈√p⌉, ⌊2√p⌋ | the least and the greatest count | 1 ≤ lo ≤ hi ≤ p |
/// | `count_share` | 0.05 | the share of ε that counting gets; of ρ, if the budget is in ρ | between 0 and 1 |
/// | `precision` | 1 | the noisy count is multiplied by it | > 0 |
/// | `radius`, `iterations`, `step_rule`, `intercept`, `intercept_share`, `huber_threshold` | those of Frank–Wolfe | | |
/// | `ball` | per class | multinomial only: one ball, or one per class | |
/// | `calibration` | exact | the noise: the least for the budget, or as published | |
///
/// p is the number of weights: of columns, times the classes of a multinomial model.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: the count, then all that Frank–Wolfe releases.
/// *Sensitivity*: of the count, hi − lo, because one record can move a LASSO's count by all of
/// that; of the steps, the queries'. *Theorem*: the two-sided geometric mechanism is ε₁-DP
/// (Ghosh–Roughgarden–Sundararajan 2009). Which weights are kept is a function of the
/// noisy count and of weights that were released, so it costs nothing (post-processing). All
/// charges are in one planned ledger, calibrated together.
///
/// *As published*: counting gets ε₁ = 0.05·ε and the steps the paper's Laplace noise for
/// ε₂ = 0.95·ε. The certificate states the ε that is proved for that noise.
pub struct Sparsifier {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights to keep, if that is public.
    pub nonzero: Option<usize>,
    /// The least and the greatest count.
    pub bounds: Option<(usize, usize)>,
    /// The share of ε that counting gets; of ρ, if the budget is in ρ.
    pub count_share: f64,
    /// The noisy count is multiplied by it.
    pub precision: f64,
    /// The ℓ₁ radius; from public facts if `None`.
    pub radius: Option<f64>,
    /// How many steps; from public facts if `None`.
    pub iterations: Option<NonZeroU64>,
    /// How large they are.
    pub step_rule: StepRule,
    /// Whether there is an intercept, free of the ball and not counted.
    pub intercept: bool,
    /// The intercept's share of ρ.
    pub intercept_share: f64,
    /// For a linear model, the largest residual that counts in full.
    pub huber_threshold: Option<f64>,
    /// For a multinomial model, one ball or one per class.
    pub ball: Ball,
    /// Which noise.
    pub calibration: Calibration,
}

impl Sparsifier {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
            bounds: None,
            count_share: COUNT_SHARE,
            precision: 1.0,
            radius: None,
            iterations: None,
            step_rule: StepRule::Average,
            intercept: true,
            intercept_share: INTERCEPT_SHARE,
            huber_threshold: None,
            ball: Ball::PerClass,
            calibration: Calibration::Exact,
        }
    }

    /// The paper's own setting for two classes, with the budget that it claims: radius 10, 1000
    /// steps of 2/(t+2), no intercept.
    pub fn as_published(claimed: Budget) -> Self {
        Self {
            radius: Some(PUBLISHED_RADIUS),
            iterations: Some(PUBLISHED_STEPS),
            step_rule: StepRule::Standard,
            intercept: false,
            calibration: Calibration::AsPublished,
            ..Self::new(Task::Logistic, claimed)
        }
    }
}
