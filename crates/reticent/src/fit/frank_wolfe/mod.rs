//! Private Frank–Wolfe (Talwar–Thakurta–Zhang 2015, algorithm 2): a sparse linear model, one
//! vertex of the region at a time.

mod declaration;
pub(super) mod defaults;
mod multiclass;
pub(super) mod noise;
mod plan;
mod run;

use std::num::NonZeroU64;

use super::Task;
use crate::privacy::{Adjacency, Budget};
use crate::solve::Region;

pub(super) use declaration::{BALL, DECLARATION, STEP_RULE, calibration};
pub use multiclass::{Ball, MulticlassFrankWolfe, MulticlassFrankWolfePlan};
pub use plan::FrankWolfePlan;
pub(super) use run::clear_residue;

/// Parameters of private Frank–Wolfe.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `region` | ℓ₁ ball, radius from n, d, ε, δ and the bound | where the weights may lie | radius > 0 |
/// | `iterations` | from the same facts and the region | steps, T | ≥ 1 |
/// | `step_rule` | average | step sizes | |
/// | `intercept` | true | a term that is free of the region | |
/// | `intercept_share` | 0.1 | its share of ρ | between 0 and 1 |
/// | `huber_threshold` | 1 | linear only: the largest residual that counts in full | > 0 |
/// | `calibration` | exact | the noise: the least for the budget, or as published | |
///
/// Nothing here may depend on the data: a radius or a number of steps that was tuned on the same
/// records is a release that no certificate covers.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: with corners, T selections by the exponential
/// mechanism, of range η each, among the corners' scores ⟨corner, gradient⟩ (the sign of a
/// coordinate is part of the choice: 2d corners of the ℓ₁ ball); without, T Gaussian releases
/// of the whole gradient, of which the linear minimiser is a function (theorem 2.6). With an
/// intercept, T Gaussian releases of the sum of the slopes. *Sensitivity*: the queries', from
/// the enforced rows and the bound of the slope. *Theorem*: each release is adaptive but the plan
/// fixes its noise, so the accounts of a planned ledger hold.
pub struct FrankWolfe {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// Where the weights may lie; the ℓ₁ ball of the default radius if `None`.
    pub region: Option<Region>,
    /// How many steps; from public facts if `None`.
    pub iterations: Option<NonZeroU64>,
    /// How large they are.
    pub step_rule: StepRule,
    /// Whether there is an intercept, free of the region.
    pub intercept: bool,
    /// The intercept's share of ρ.
    pub intercept_share: f64,
    /// For a linear model, the largest residual that counts in full (Huber's threshold; a
    /// target lies in [−1, 1]). The noise is proportional to it. A true square needs the largest
    /// possible residual: radius·bound + 1, and the intercept's bound.
    pub huber_threshold: Option<f64>,
    /// Which noise.
    pub calibration: Calibration,
}

impl FrankWolfe {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            region: None,
            iterations: None,
            step_rule: StepRule::Average,
            intercept: true,
            intercept_share: defaults::INTERCEPT_SHARE,
            huber_threshold: None,
            calibration: Calibration::Exact,
        }
    }
}

/// The size of step t = 0, 1, 2 … The first is 1 in either rule: wherever the origin lies,
/// the weights are in the region from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepRule {
    /// 2/(t + 2), as published.
    Standard,
    /// 1/(t + 1): the model is the plain average of the vertices chosen, which averages the
    /// noise of the selections too.
    Average,
}

impl StepRule {
    /// The size of step `t`.
    pub fn size(self, t: u64) -> f64 {
        match self {
            Self::Standard => 2.0 / (t as f64 + 2.0),
            Self::Average => 1.0 / (t as f64 + 1.0),
        }
    }

    /// The part of the curvature Γ that remains after `total` steps without noise.
    ///
    /// From h(t+1) ≤ (1 − γ)·h(t) + γ²Γ/2. Standard: h(T) ≤ 2Γ/(T + 2), by induction
    /// (Jaggi 2013, theorem 1). Average: (t + 1)·h(t+1) ≤ t·h(t) + Γ/(2(t + 1)) sums to
    /// h(T) ≤ Γ·(1 + ½ + … + 1/T)/(2T).
    fn optimisation_error(self, total: u64, gamma: f64) -> f64 {
        let n = total as f64;
        match self {
            Self::Standard => 2.0 * gamma / (n + 2.0),
            // The harmonic sum is at most 1 + ln T.
            Self::Average => gamma * (1.0 + n.ln()) / (2.0 * n),
        }
    }
}

/// Which noise a selection gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calibration {
    /// The least that the budget allows.
    Exact,
    /// The Laplace noise of the paper, L₁‖C‖₁√(8T·log(1/δ))/(nε), in report-noisy-max. The
    /// budget is then what the paper *claims*; the certificate states what is *proved*: no
    /// more than the claim for T ≤ log(1/δ)/2 steps, up to twice the claim for many
    /// (`docs/derivations/frank-wolfe.md`). The noise alone
    /// is the paper's, not the step rule or the intercept. Only for regions with corners; for a
    /// polytope and rows bounded in ℓ₂ the scores' range is max‖v‖₂, which takes the place of ‖C‖₁.
    AsPublished,
}

#[cfg(test)]
mod tests;
