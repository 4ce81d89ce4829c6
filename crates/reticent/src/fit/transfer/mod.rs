//! Knowledge transfer (DPSL-KT, Wang and Gu 2020), repaired: a teacher learns from the private
//! records, answers on public rows are released with noise, and a sparse student learns from those.
//!
//! *Plan.* The teacher is the minimiser of the mean loss and a ridge, on all columns or on a
//! support that is released first. Its margins X̃·ŵ on public rows X̃, generated or from a file,
//! get Gaussian noise. The student is a sparse least-squares fit to (X̃, noisy margins), which
//! touches no private record.
//!
//! *What the paper prints does not hold*: its teacher minimises over ‖w‖₀ ≤ s, a set that is not
//! convex, so that one record may decide the support and move the teacher by O(1), whatever n is.
//! [`Published`] plans it for comparison, on open data, and guarantees nothing.

mod declaration;
mod plan;
mod published;
mod run;
#[cfg(test)]
mod tests;

use super::Task;
use crate::matrix::Matrix;
use crate::privacy::{Adjacency, Budget};

pub(super) use declaration::DECLARATION;
pub use plan::TransferPlan;
pub use published::{Published, PublishedPlan};

/// Parameters of knowledge transfer.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `teacher` | support | where the teacher has weights | |
/// | `auxiliary` | uniform | the public rows | |
/// | `nonzero` | from n, d, ε and δ | weights of the student, s | 1 to d |
/// | `lambda` | from public facts | strength of the teacher's ridge, λ | > 0 |
/// | `intercept` | true | a column of ones, in the ridge like any weight | |
/// | `share` | 0.5 | the support's share of ρ | between 0 and 1 |
/// | `huber_threshold` | 1 | linear only: the largest residual that counts in full | > 0 |
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: with a support, s selections of range η by the
/// exponential mechanism (drawn together) among the sizes of the gradient at 0; then m margins
/// X̃·ŵ with Gaussian noise, adaptive in the support. *Sensitivity*: the queries'; that of the
/// margins is the teacher's, a·R·B/(nλ) + 2τ/λ with B = min(B₂, √s·B∞) on the support, times
/// a proved upper bound of ‖X̃‖₂. X̃ is public, or drawn independently of the records. *Theorem*:
/// [`Minimiser`](crate::population::Minimiser); the plan fixes all noise, so the accounts of a
/// planned ledger hold. The student is post-processing.
pub struct Transfer {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// Where the teacher has weights.
    pub teacher: Teacher,
    /// The public rows.
    pub auxiliary: Auxiliary,
    /// How many weights the student keeps.
    pub nonzero: Option<usize>,
    /// The strength of the teacher's ridge.
    pub lambda: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// The support's share of ρ.
    pub share: f64,
    /// For a linear model, the largest residual that counts in full (a target lies in [−1, 1]).
    pub huber_threshold: Option<f64>,
}

impl Transfer {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            teacher: Teacher::Support,
            auxiliary: Auxiliary::Uniform { rows: None },
            nonzero: None,
            lambda: None,
            intercept: true,
            share: 0.5,
            huber_threshold: None,
        }
    }
}

/// Where the teacher has weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Teacher {
    /// On all columns: nothing is selected, and the noise is for all of them.
    Dense,
    /// On a support that is released first: the columns whose mean slope at 0 is largest.
    Support,
}

/// The public rows that the teacher answers on.
#[derive(Debug, Clone, PartialEq)]
pub enum Auxiliary {
    /// Generated, entries uniform between ± the bound (over √d if it is of the ℓ₂ norm).
    Uniform {
        /// How many; enough for the student if `None`.
        rows: Option<usize>,
    },
    /// Generated, entries Gaussian with a standard deviation of a third of that, and clipped like
    /// any row.
    Gaussian {
        /// How many; enough for the student if `None`.
        rows: Option<usize>,
    },
    /// From a public file, with the columns of the table.
    Public(Matrix<'static>),
    /// From a public file that is not loaded: such a plan can be shown, but not run.
    Elsewhere {
        /// How many.
        rows: usize,
    },
}

impl Auxiliary {
    /// The name in a summary.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Uniform { .. } => "uniform",
            Self::Gaussian { .. } => "gaussian",
            Self::Public(_) | Self::Elsewhere { .. } => "public file",
        }
    }
}
