//! Private estimators, one file or folder each: parameters, plan, loop.
//!
//! Every estimator is written the same way: parameters with a `plan` that turns public facts into a
//! [`Planned`], which states what it will do and spend, and runs. Any of them can be requested as
//! plain data, by a [`MethodRequest`].

mod admm;
mod agd;
mod auto;
mod baseline;
mod class_outputs;
mod declaration;
mod error;
mod frank_wolfe;
mod ight;
mod noisy_descent;
mod nonzero;
mod planned;
mod request;
mod ridge;
mod select;
mod sgd;
mod sparsifier;
mod spending;
mod summary;
mod task;
#[cfg(test)]
mod testing;
pub mod transfer;
mod two_stage;

use crate::table::RecordBound;

pub use admm::{Admm, AdmmPlan, Penalty};
pub use agd::{Agd, AgdPlan};
pub use auto::Auto;
pub use baseline::{Baseline, BaselineMethod, BaselinePlan};
pub use declaration::{
    Declaration, METHODS, MethodName, MethodOption, MethodOptions, NamedChoice, OptionError,
    OptionType, OptionValue, ParameterStyle, PlanAndReason, Releases, TakesNonzero, UnknownMethod,
    declared_options,
};
pub use error::{FitError, PlanError};
pub use frank_wolfe::{
    Ball, Calibration, FrankWolfe, FrankWolfePlan, MulticlassFrankWolfe, MulticlassFrankWolfePlan,
    StepRule,
};
pub use ight::{Ight, IghtForm, IghtPlan};
pub use nonzero::Nonzero;
pub use planned::{FitInput, Fitted, Guarantee, Planned, ProgressObserver, Released, Sealed};
pub use request::MethodRequest;
pub use select::{Fitting, Select, SelectOnly, SelectOnlyPlan, SelectPlan};
pub use sgd::{Sgd, SgdBaseline, SgdBaselinePlan, SgdOptimizer, SgdPlan, SgdResult};
pub use sparsifier::{Sparsifier, SparsifierPlan};
pub use spending::Spending;
pub use summary::{Method, Parameter, PlanEntry, Value};
pub use task::{Task, TaskName};
pub use transfer::{Auxiliary, Teacher, Transfer, TransferPlan};
pub use two_stage::{TwoStage, TwoStagePlan};

pub use class_outputs::CalibrationMap;
use class_outputs::{Around, ClassRates};
use planned::{PlanHeader, PrivatePlan, open, report_step, sealed, spend};

/// The largest number of records that a plan is made for: far more than there are people.
const MOST_RECORDS: u64 = 1 << 48;
/// The largest number of columns: their numbers fit into `u32`.
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

/// One linear function of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinearFunction {
    /// The weights that are not zero, by column, in increasing order.
    pub weights: Vec<(u32, f64)>,
    /// The intercept.
    pub intercept: f64,
}

/// The values of a column that a model knows: those beyond count as the ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnRange {
    /// Which column.
    pub column: u32,
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl ColumnRange {
    /// A value within the range.
    pub fn clip(&self, value: f64) -> f64 {
        value.max(self.low).min(self.high)
    }
}

impl LinearFunction {
    /// The weight of a column.
    pub fn weight(&self, column: u32) -> f64 {
        let place = self
            .weights
            .binary_search_by_key(&column, |&(other, _)| other);
        place.map_or(0.0, |place| self.weights[place].1)
    }
}

impl LinearFunction {
    /// The function with these weights, one per column; zeros are left out.
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

impl LinearFunction {
    /// The function times `scale`, plus a constant.
    fn scaled(mut self, scale: f64, plus: f64) -> Self {
        self.weights
            .iter_mut()
            .for_each(|(_, weight)| *weight *= scale);
        self.intercept = self.intercept * scale + plus;
        self
    }

    /// The function with these weights, one per column of `support`, followed by the intercept if
    /// there is one.
    fn on_support(support: &[u32], values: &[f64], intercept: bool) -> Self {
        let pairs = support.iter().copied().zip(values.iter().copied());
        let last = values.last().filter(|_| intercept);
        Self {
            weights: pairs.filter(|(_, weight)| *weight != 0.0).collect(),
            intercept: last.copied().unwrap_or(0.0),
        }
    }
}

impl Facts {
    /// Refuses facts that no plan can be made from.
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

/// How many weights to keep by default: ⌊1.5·√d⌋ of d columns, and at least one.
pub fn default_nonzero(columns: usize) -> usize {
    ((1.5 * (columns as f64).sqrt()) as usize).max(1)
}
