//! DP-IGHT: noisy gradients and a hard threshold.
//!
//! *What it does.* Each step releases the gradient of every weight, one Gaussian for all, moves
//! against it, and keeps the largest weights. As published (Wang and Gu 2019, algorithm 1) the
//! threshold cuts at each step. Here it tightens in stages instead ([`IghtForm::Staged`]): dense
//! steps on all columns, which leave twice the wanted non-zeros; then on those; then on the
//! non-zeros themselves, starting where the previous stage ended. A stage on few columns has little
//! noise. Its peeling form (Cai, Wang and Zhang 2021) pays only for the s weights it keeps: it
//! selects s of them privately, and releases these with noise.
//!
//! *Any loss* whose slope is clipped works. For classes rows are centred and scaled to length 1,
//! for numbers records are weighed, each as a function of its own row (`noisy_descent`).

mod declaration;
mod defaults;
mod peel;
mod plan;
mod run;
mod screening;
#[cfg(test)]
mod tests;

use std::num::NonZeroU64;

use super::{Calibration, Task};
use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::DECLARATION;
pub(super) use defaults::{
    LEAST_SHARE, constant, deviations_of_all_columns, mean_square, slope_for_rows, told_apart,
};
pub use plan::IghtPlan;
pub(super) use screening::Screening;

/// Parameters of DP-IGHT.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial (staged only) or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | as many as exceed the noise | non-zero weights, s | 1 to the weights |
/// | `form` | staged | when the threshold cuts | |
/// | `iterations` | from the task and the form | steps (of each stage), T | ≥ 1 |
/// | `intercept` | true | a constant column, never cut | |
/// | `huber_threshold` | 0.25 | linear only: the largest residual that counts in full | > 0 |
/// | `calibration` | exact | the noise: the least for the budget, or as published | |
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: one Gaussian per step, of the gradient of all remaining
/// columns and of the constant. For classes, first a Gaussian of the sum of directions, from which
/// the centre is computed. For numbers, before a stage, a median of the records' lengths by the
/// exponential mechanism. Peeling: s selections by the exponential mechanism (one-shot,
/// Durfee–Rogers 2019) and a Gaussian of s + 1 coordinates per step. *Sensitivity*: the queries',
/// from the clipped slope and the length that rows are scaled to or capped at, both in integers.
/// *Theorem*: which weights are kept is a function of what was released, so that thresholds and
/// supports cost nothing more; releases are adaptive, the plan fixes their noise, and the accounts
/// of a planned ledger hold.
///
/// *As published* the noise is σ² = T·G²·log(1/δ)/(n²ε²) for logistic models (corollary 5.8) and
/// T·G²/(n(√(log(1/δ)+ε) − √log(1/δ)))² for linear ones (remark 5.3), with G = R·C. The
/// sensitivity is 2G/n, not G/n: the certificate has the ε that is proved for that noise, which
/// is larger than the one claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Ight {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights are not zero; as many as exceed the noise if `None`.
    pub nonzero: Option<usize>,
    /// When the threshold cuts.
    pub form: IghtForm,
    /// How many steps, of each stage if staged; from public facts if `None`.
    pub iterations: Option<NonZeroU64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// For a linear model, the largest residual that counts in full (targets are in [−1, 1]).
    pub huber_threshold: Option<f64>,
    /// Which noise.
    pub calibration: Calibration,
}

/// When the threshold cuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IghtForm {
    /// In stages.
    Staged,
    /// At each step, as published.
    EachStep,
    /// At each step, by a private selection; noise only on what is kept.
    Peeling,
}

impl IghtForm {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Staged => "staged",
            Self::EachStep => "each-step",
            Self::Peeling => "peeling",
        }
    }
}

impl Ight {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
            form: IghtForm::Staged,
            iterations: None,
            intercept: true,
            huber_threshold: None,
            calibration: Calibration::Exact,
        }
    }
}
