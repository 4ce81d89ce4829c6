//! Private stochastic optimisation: noisy sums of clipped gradients over secret batches, followed by an
//! optimiser.
//!
//! With plain steps it is DP-SGD (Song, Chaudhuri and Sarwate 2013; Abadi et al. 2016), or noisy gradient
//! descent where a batch is all records; with Adam's, DP-Adam; with an estimate that is carried along,
//! DP-SRM (thesis, chapter 4); any of them with Laplacian smoothing (chapter 5: DP-LSSGD, DP-LSAdam). With
//! batches of one record and the point at a random step, RRPSGD (Zhang, Zheng, Mou and Wang 2017).
//!
//! # Privacy
//!
//! *Adjacency*: either. Under replace-one batches have a fixed size and are drawn without replacement,
//! under add-remove each record is drawn by itself ([`crate::mechanism::Batches`]).
//!
//! *Sensitivity*: that of a sum over a batch, each record's part clipped as one vector
//! ([`BatchGradient`](crate::population::BatchGradient)). Sums are divided by public numbers.
//!
//! *Total*: class counts, the centre, T subsampled Gaussians (of DP-SRM, one more for the first batch) and
//! the calibration, all with noise fixed by the plan; accountants add them up. Everything else, the
//! optimiser, smoothing and penalties, is computed from released vectors: smoothing is invertible, so it
//! makes nothing more private, nor less (PRIVACY.md, Rem. 5.5.6). The random step at which a fit may end is
//! drawn before all others, from random bits alone; the cost of all T steps is certified whichever it is.

mod baseline;
mod declaration;
mod defaults;
mod plan;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::Task;
use crate::privacy::{Adjacency, Budget};

pub use baseline::{SgdBaseline, SgdBaselinePlan};
pub(super) use declaration::DECLARATION;
pub(super) use defaults::{is_quicker, suits_several_classes};
pub use plan::SgdPlan;

/// Parameters of private stochastic optimisation.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `optimizer` | momentum | how released gradients move the weights | |
/// | `result` | the last point | which of the points along the way is the model | |
/// | `smoothing` | none | σ of Laplacian smoothing | > 0 |
/// | `batch` | from public facts | about how many records are in a batch | ≥ 1 |
/// | `epochs` | from public facts | how many times as many records as there are all batches have together | > 0 |
/// | `step_size` | from the noise | the size of the first step | > 0 |
/// | `clip` | from the loss | the greatest length of a record's gradient | > 0 |
/// | `penalty` | none | λ of λΣθ²/(1 + θ²), for two classes | > 0 |
/// | `intercept` | true | whether there is one | |
/// | `huber_threshold` | 0.25 | linear: the largest residual that counts in full | > 0 |
#[derive(Debug, Clone, PartialEq)]
pub struct Sgd {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How released gradients move the weights.
    pub optimizer: SgdOptimizer,
    /// Which of the points along the way is the model.
    pub result: SgdResult,
    /// σ of Laplacian smoothing.
    pub smoothing: Option<f64>,
    /// About how many records are in a batch.
    pub batch: Option<NonZeroU64>,
    /// How many records all batches have together, in numbers of records.
    pub epochs: Option<f64>,
    /// The size of the first step.
    pub step_size: Option<f64>,
    /// The greatest length of a record's gradient. (Rows of classes are scaled to length one.)
    pub clip: Option<f64>,
    /// λ of the penalty that is not convex.
    pub penalty: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// For a linear model, the largest residual that counts in full (targets are in [−1, 1]).
    pub huber_threshold: Option<f64>,
}

/// How released gradients move the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SgdOptimizer {
    /// Plain steps.
    Sgd,
    /// Steps with momentum.
    Momentum,
    /// Adam.
    Adam,
    /// Stochastic recursive momentum.
    Srm,
}

/// Which of the points along the way is the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SgdResult {
    /// The last.
    Last,
    /// The one after a number of steps that is drawn at random, any as likely as any other: what convergence
    /// is proved for where the loss is not convex (Ghadimi and Lan 2013), and RRPSGD returns.
    Random,
}

impl Sgd {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            optimizer: SgdOptimizer::Momentum,
            result: SgdResult::Last,
            smoothing: None,
            batch: None,
            epochs: None,
            step_size: None,
            clip: None,
            penalty: None,
            intercept: true,
            huber_threshold: None,
        }
    }
}
