//! Private estimators, one file or folder each: parameters, plan, loop.
//!
//! Every estimator is written the same way: parameters with a `plan` that turns public facts
//! into a [`Planned`], which knows what it will spend, says what it will do, and does it. Any of
//! them can be asked for as plain data, by a [`MethodRequest`].

mod auto;
mod error;
mod flow;
mod frank_wolfe;
mod ight;
mod method;
mod multinomial;
mod outline;
mod planned;
mod request;
mod ridge;
mod select;
mod sparsifier;
mod spending;
#[cfg(test)]
mod testing;
pub mod transfer;
mod twin;
mod two_stage;

use crate::table::RecordBound;

pub use auto::Auto;
pub use error::{FitError, PlanError};
pub use frank_wolfe::{Calibration, FrankWolfe, Plan as FrankWolfePlan, Steps};
pub use ight::{Form, Ight, Plan as IghtPlan};
pub use method::{Details, MethodName, TaskName};
pub use multinomial::{Ball, Multinomial, Plan as MultinomialPlan};
pub use outline::{Line, Method, Parameter, Value};
pub use planned::{Fitted, Guarantee, Planned, Released, Sealed, Subject, Watch};
pub use request::MethodRequest;
pub use select::{Choose, ChoosePlan, Fitting, Plan as SelectPlan, Select};
pub use sparsifier::{Plan as SparsifierPlan, Sparsifier};
pub use spending::Spending;
pub use transfer::{Auxiliary, Teacher, Transfer, TransferPlan};
pub use twin::{Twin, TwinMethod, TwinPlan};
pub use two_stage::{TwoStage, TwoStagePlan};

use planned::{open, sealed, watched};

/// The most records that a plan is made for: far more than there are people.
const MOST_RECORDS: u64 = 1 << 48;
/// The most columns: they are numbered so far.
const MOST_COLUMNS: usize = u32::MAX as usize;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Two classes, by logistic regression.
    Logistic,
    /// A number, by linear regression.
    Linear,
    /// Several classes, by multinomial logistic regression: one linear function a class.
    Multinomial {
        /// How many classes there are: 2 or more.
        classes: u32,
    },
}

impl Task {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Linear => "linear",
            Self::Multinomial { .. } => "multinomial",
        }
    }

    /// How many classes there are; 0 if a number is predicted.
    pub fn classes(self) -> u32 {
        match self {
            Self::Linear => 0,
            Self::Logistic => 2,
            Self::Multinomial { classes } => classes,
        }
    }

    /// How many linear functions a model has.
    pub fn outputs(self) -> usize {
        match self {
            Self::Logistic | Self::Linear => 1,
            Self::Multinomial { classes } => classes as usize,
        }
    }
}

impl serde::Serialize for Task {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One linear function of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// The weights that are not zero, by column, in increasing order.
    pub weights: Vec<(u32, f64)>,
    /// The intercept.
    pub intercept: f64,
}

impl Output {
    /// The function with these weights, one a column; those that are zero are left out.
    pub fn of(weights: &[f64], intercept: f64) -> Self {
        let all = weights.iter().enumerate();
        let kept = all.filter(|(_, weight)| **weight != 0.0);
        Self {
            // A table has at most 2³² columns.
            weights: kept.map(|(j, weight)| (j as u32, *weight)).collect(),
            intercept,
        }
    }
}

impl Output {
    /// The function with these weights, one a column of `support`, and the intercept behind them
    /// if there is one.
    fn on(support: &[u32], values: &[f64], intercept: bool) -> Self {
        let pairs = support.iter().copied().zip(values.iter().copied());
        let last = values.last().filter(|_| intercept);
        Self {
            weights: pairs.filter(|(_, weight)| *weight != 0.0).collect(),
            intercept: last.copied().unwrap_or(0.0),
        }
    }
}

impl Facts {
    /// Refuses facts that nothing can be planned from.
    fn check(&self) -> Result<(), PlanError> {
        let Self {
            records, columns, ..
        } = *self;
        if records == 0 || columns == 0 {
            return Err(PlanError::Empty { records, columns });
        }
        if records > MOST_RECORDS || columns > MOST_COLUMNS {
            return Err(PlanError::Large { records, columns });
        }
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = self.rows;
        positive("bound of the rows", bound)
    }
}

fn positive(what: &'static str, given: f64) -> Result<(), PlanError> {
    if given > 0.0 && given.is_finite() {
        Ok(())
    } else {
        Err(PlanError::NotPositive { what, given })
    }
}

/// How many weights to keep of so many columns where nothing else is known: ⌊1.5·√d⌋, and at least
/// one.
pub fn default_nonzero(columns: usize) -> usize {
    ((1.5 * (columns as f64).sqrt()) as usize).max(1)
}
