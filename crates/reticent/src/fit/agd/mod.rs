//! DP-AGD (Lee and Kifer 2018): gradient descent of two classes that spends its budget as it goes. Each step
//! is along a noisy gradient of all records, as far as a selection among step sizes says; where the
//! selection is to stay, the gradient was too noisy: more of the budget is spent on it.
//!
//! # Privacy
//!
//! *Adjacency*: either. *Releases*: the gradient over all records, each record's clipped as one vector
//! ([`BatchGradient`](crate::population::BatchGradient)), through Gaussians; and step sizes, through the
//! exponential mechanism on how the clipped losses change along a step
//! ([`LossChanges`](crate::population::LossChanges)): a selection of range η costs η²/8 (Cesar and Rogers
//! 2021), where the paper charges a noisy minimum of Laplace noise.
//!
//! *Total*: how many releases there are, and their noise, depend on earlier selections. So the ledger is a
//! filter, in zCDP (Feldman and Zrnic 2021): a step that the budget does not cover is not taken. Its
//! certificate states the whole budget, however much was used. Class counts and the calibration
//! are as for other fits of classes; their part of the budget is kept for them.

mod declaration;
mod plan;
mod run;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::DECLARATION;
pub use plan::AgdPlan;

/// Parameters of DP-AGD, for two classes.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `iterations` | 64 | how many steps the budget is for, before any gradient is found too noisy | ≥ 1 |
/// | `clip` | ½ | the greatest length of a record's gradient, rows being scaled to length one | > 0 |
/// | `penalty` | none | λ of λΣθ²/(1 + θ²) | > 0 |
/// | `intercept` | true | whether there is one | |
#[derive(Debug, Clone, PartialEq)]
pub struct Agd {
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many steps the budget is for.
    pub iterations: Option<NonZeroU64>,
    /// The greatest length of a record's gradient.
    pub clip: Option<f64>,
    /// λ of the penalty that is not convex.
    pub penalty: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
}

impl Agd {
    /// The defaults for a budget.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            adjacency: Adjacency::ReplaceOne,
            iterations: None,
            clip: None,
            penalty: None,
            intercept: true,
        }
    }
}
