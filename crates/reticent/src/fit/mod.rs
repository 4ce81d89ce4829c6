//! Private estimators, one file or folder each: parameters, plan, loop.
//!
//! Every estimator is written the same way: parameters with a `plan` that turns public facts
//! into a [`Planned`], which knows what it will spend, says what it will do, and does it.

mod auto;
mod error;
mod flow;
mod frank_wolfe;
mod ight;
mod multinomial;
mod outline;
mod ridge;
mod select;
mod sparsifier;
mod spending;
#[cfg(test)]
mod testing;
pub mod transfer;
mod twin;
mod two_stage;

use std::ops::ControlFlow;

use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Adjacency, Ledger, Statement};
use crate::table::RecordBound;

pub use auto::Auto;
pub use error::{FitError, PlanError};
pub use frank_wolfe::{Calibration, FrankWolfe, Plan as FrankWolfePlan, Steps};
pub use ight::{Form, Ight, Plan as IghtPlan};
pub use multinomial::{Ball, Multinomial, Plan as MultinomialPlan};
pub use outline::{Line, Method, Parameter, Value};
pub use select::{Choose, ChoosePlan, Chosen, Fitting, Plan as SelectPlan, Select};
pub use sparsifier::{Plan as SparsifierPlan, Sparsifier};
pub use spending::Spending;
pub use transfer::{Auxiliary, Teacher, Transfer, TransferPlan};
pub use twin::{Twin, TwinMethod};
pub use two_stage::{TwoStage, TwoStagePlan};

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

/// A fitted linear model, on the scale of the enforced records (a numeric target in [−1, 1]).
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The linear functions: one, or one a class for several classes.
    pub outputs: Vec<Output>,
    /// What was spent.
    pub statement: Statement,
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

/// What an estimator will do and spend, from public facts alone; and the doing.
pub trait Planned {
    /// The name of the method on the command line.
    fn name(&self) -> &'static str;

    /// What kind of model it fits.
    fn task(&self) -> Task;

    /// The facts that it was made from.
    fn facts(&self) -> Facts;

    /// What it will charge.
    fn spending(&self) -> &Spending;

    /// Its public parameters, those that a person asks about first.
    fn outline(&self) -> Vec<Line>;

    /// Fits: opens a ledger for exactly the plan's charges, and does what was planned.
    fn run(
        &self,
        population: &dyn Population,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError>;
}

/// A plan of any method.
pub enum Plan {
    /// Private Frank–Wolfe.
    FrankWolfe(FrankWolfePlan),
    /// Private Frank–Wolfe for several classes.
    Multinomial(MultinomialPlan),
    /// Frank–Wolfe that keeps as many weights as a LASSO needs.
    Sparsifier(SparsifierPlan),
    /// The two-stage procedure.
    TwoStage(TwoStagePlan),
    /// Knowledge transfer.
    Transfer(TransferPlan),
    /// DP-IGHT.
    Ight(IghtPlan),
    /// Select, then fit.
    Select(SelectPlan),
}

/// Hands a call to the plan inside.
macro_rules! inside {
    ($self:ident, $plan:ident => $call:expr) => {
        match $self {
            Plan::FrankWolfe($plan) => $call,
            Plan::Multinomial($plan) => $call,
            Plan::Sparsifier($plan) => $call,
            Plan::TwoStage($plan) => $call,
            Plan::Transfer($plan) => $call,
            Plan::Ight($plan) => $call,
            Plan::Select($plan) => $call,
        }
    };
}

impl Planned for Plan {
    fn name(&self) -> &'static str {
        inside!(self, plan => plan.name())
    }

    fn task(&self) -> Task {
        inside!(self, plan => plan.task())
    }

    fn facts(&self) -> Facts {
        inside!(self, plan => plan.facts())
    }

    fn spending(&self) -> &Spending {
        inside!(self, plan => plan.spending())
    }

    fn outline(&self) -> Vec<Line> {
        inside!(self, plan => plan.outline())
    }

    fn run(
        &self,
        population: &dyn Population,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        inside!(self, plan => plan.run(population, randomness, watch))
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

/// A plan's facts and task must be the records'. Under add-remove adjacency the number of
/// records is not asked: the declared one takes its place.
fn check_records(plan: &impl Planned, population: &dyn Population) -> Result<(), FitError> {
    let planned = (plan.task(), plan.facts(), plan.spending().adjacency());
    check_facts(planned, population)
}

/// The same for what was planned.
fn check_facts(
    (task, planned, adjacency): (Task, Facts, Adjacency),
    population: &dyn Population,
) -> Result<(), FitError> {
    let classes = match task {
        Task::Linear => 0,
        Task::Logistic => 2,
        Task::Multinomial { classes } => classes,
    };
    let records = population.shape();
    let count = records
        .count()
        .map_or(planned.records, |count| count as u64);
    let same = records.adjacency() == adjacency
        && records.width() == planned.columns
        && records.bound() == planned.rows
        && records.classes() == classes
        && count == planned.records;
    if same {
        return Ok(());
    }
    let told = |records, columns, rows, classes, adjacency| {
        format!(
            "{records} records of {columns} columns, {rows:?}, {classes} classes, {adjacency} adjacency"
        )
    };
    Err(FitError::Facts {
        planned: told(
            planned.records,
            planned.columns,
            planned.rows,
            classes,
            adjacency,
        ),
        given: told(
            count,
            records.width(),
            records.bound(),
            records.classes(),
            records.adjacency(),
        ),
    })
}

/// Lets the watcher stop a fit before step `done`.
fn watched(watch: &mut dyn Watch, done: u64, total: u64, ledger: &Ledger) -> Result<(), FitError> {
    match watch.step(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FitError::Stopped {
            done,
            total,
            statement: Box::new(ledger.statement()),
        }),
    }
}
