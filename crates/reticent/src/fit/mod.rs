//! Private estimators, one file each: parameters, plan, loop.

mod frank_wolfe;

use std::ops::ControlFlow;

use crate::data::{RecordBound, SlopeGridError, VerticesError};
use crate::mechanism::ReleaseError;
use crate::privacy::Statement;

pub use frank_wolfe::{Calibration, FrankWolfe, Plan, PlanError, Steps};

/// What is public about a table before it is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    /// The number of records: the real one under replace-one adjacency, a declared stand-in
    /// under add-remove.
    pub records: u64,
    /// The number of features.
    pub columns: usize,
    /// The bound of the rows.
    pub rows: RecordBound,
}

/// What kind of model is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Task {
    /// Two classes, by logistic regression.
    Logistic,
    /// A number, by linear regression.
    Linear,
}

/// A fitted linear model, on the scale of the enforced records (a numeric target in [−1, 1]).
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The weights that are not zero, by column.
    pub weights: Vec<(u32, f64)>,
    /// The intercept.
    pub intercept: f64,
    /// What was spent.
    pub statement: Statement,
}

/// Someone who watches a long fit.
pub trait Watch {
    /// Called before each step; `Break` stops the fit.
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()>;
}

/// Nobody watches.
impl Watch for () {
    fn step(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Why a fit did not finish.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The records are not those that the plan was made for.
    #[error("the plan was made for {planned}, and the records have {given}")]
    Facts {
        /// What the plan was made for.
        planned: String,
        /// What was given.
        given: String,
    },
    /// A release was refused.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The corners of the plan's polytope can not be scored.
    #[error(transparent)]
    Vertices(#[from] VerticesError),
    /// There are too many records for the plan's slope grid.
    #[error(transparent)]
    SlopeGrid(#[from] SlopeGridError),
    /// The watcher stopped it: what was charged until then stays spent.
    #[error("stopped after {done} of {total} steps; what was charged stays spent")]
    Stopped {
        /// Steps done.
        done: u64,
        /// Steps planned.
        total: u64,
        /// What the ledger certifies.
        statement: Box<Statement>,
    },
}
