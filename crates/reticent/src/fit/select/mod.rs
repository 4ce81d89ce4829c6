//! Select, then fit: the exponential mechanism chooses the columns, and the best private fit that
//! we know is made on them alone.
//!
//! *What it does.* The intercept comes first (`intercept_first`), so that no column is chosen for
//! being constant. In each round (one for classes, four for numbers) some columns are chosen by the
//! size of the gradient at the model so far, with several classes by its norm over them: orthogonal
//! matching pursuit (Pati et al. 1993), by one-shot private top-k (Durfee–Rogers 2019). Then the
//! model is fitted on all columns chosen so far: by noisy gradients of the clipped loss,
//! preconditioned with a noisy matrix of second moments (Newton's method with the curvature at
//! weights 0, scaled to the margins), in full steps first and then in shorter ones, so that their
//! noise averages out, and with a ridge where noise is large. For numbers the clip follows the
//! residuals: it is a private median of their sizes. Everything for numbers happens inside the
//! *target frame*, the part of the declared range in which the bulk of the targets lies (`target`),
//! and where the features say no more than noise, the model is the private mean. At the end weights
//! that may be noise are shrunk (the non-negative garrote, Breiman 1995), which costs nothing; not with several classes.
//!
//! *Why.* A selection pays for the columns that it chooses, not for all d; and a fit on s columns has
//! the noise of s. `cargo xtask reproduce fits` compares the fit, on columns that are public, with
//! momentum, DP-Newton and objective perturbation, and with sufficient statistics, which are
//! available instead ([`Fitting::Statistics`]).

mod column_choice;
mod column_frames;
mod curvature;
mod declaration;
mod defaults;
mod fit;
mod intercept_first;
mod plan;
mod rounds;
mod run;
mod select_only;
mod sparsity;
mod statistics;
mod target_frame;
#[cfg(test)]
mod tests;
mod window;

use std::num::NonZeroU32;

use super::{Nonzero, Task};
use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::{CHOOSE, DECLARATION};
pub use plan::SelectPlan;
pub use select_only::{SelectOnly, SelectOnlyPlan};

/// Parameters of select-then-fit.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | those of 1.5·√d columns; of all if linear and d ≤ 200 | non-zero weights | 1 to the weights, or auto |
/// | `rounds` | 1 for classes, 4 if linear | rounds of choosing and fitting | ≥ 1 |
/// | `fitting` | gradients | how the chosen columns are finally fitted | statistics if linear |
/// | `intercept` | true | a constant column, always chosen | |
///
/// With `nonzero` [`Auto`](Nonzero::Auto) the columns that are fitted are those that exceed the noise of a
/// look at all of them (of noisy steps for classes, of a first fit for numbers; beyond 200 columns numbers
/// choose as without it), and of their weights those are kept that exceed theirs: in the mean at most
/// one in ten of them is false, among all columns.
///
/// The model has at most `nonzero` weights that are not zero. With K classes a column has K
/// weights, and just enough columns are chosen to hold them.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: for linear models, Gaussians of three histograms of the
/// targets, and with an intercept one of their sum; for classes with an intercept, of their counts and
/// of what probabilities are calibrated by (`fit/class_outputs`). In each round: the choice of k columns, k events of the
/// exponential mechanism on scores |Σψᵢxᵢⱼ| (several classes: their norm over the classes), or with
/// `nonzero` auto, for classes, the releases of the first stage of [`Ight`](super::Ight) instead; one Gaussian
/// of the second moments of the columns chosen so far; a Gaussian of their gradient per step, or by
/// statistics one of Σzᵢyᵢ; for linear models, medians of the residuals' sizes by the exponential
/// mechanism. *Sensitivity*: the queries', from the enforced rows, the clipped slope and the cap of
/// the records' length, which is a public number; of histograms, the question's. *Theorem*: releases
/// are adaptive (the target frame, columns, models and clips, and the choice between model and mean
/// are functions of earlier releases), the plan fixes their noise relative to the
/// sensitivity, and the accounts of a planned ledger hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Select {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights there may be, or that their number is found; from public facts if `None`.
    pub nonzero: Option<Nonzero>,
    /// How many rounds; from the task if `None`.
    pub rounds: Option<NonZeroU32>,
    /// How the chosen columns are finally fitted.
    pub fitting: Fitting,
    /// Whether there is an intercept.
    pub intercept: bool,
}

/// How the chosen columns are finally fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fitting {
    /// By noisy gradients, clipped at the scale of the residuals: the smallest error.
    Gradients,
    /// By sufficient statistics with an adaptive ridge (AdaSSP), for linear models: no residual is
    /// clipped.
    Statistics,
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
            fitting: Fitting::Gradients,
            intercept: true,
        }
    }
}
