//! Why there is no plan, or no fit.

use crate::mechanism::ReleaseError;
use crate::noise::GridError;
use crate::population::{
    CountBoundsError, MinimiserError, MomentsError, NotCentral, SlopeGridError, VerticesError,
    VotesError,
};
use crate::privacy::{AccountError, CalibrateError, OutOfRange, Statement};
use crate::solve::RegionError;
use crate::table::EnforceError;

/// Why parameters make no plan. Every message is about declared, public numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No records or no columns.
    #[error(
        "a fit needs at least one record and one column; {records} and {columns} were declared"
    )]
    Empty {
        /// The records.
        records: u64,
        /// The columns.
        columns: usize,
    },
    /// A table larger than any plan allows.
    #[error(
        "a plan is for at most 2^48 records and 2^32 - 1 columns; {records} and {columns} were declared"
    )]
    Large {
        /// The records.
        records: u64,
        /// The columns.
        columns: usize,
    },
    /// A number that must be positive and finite.
    #[error("the {what} must be a finite number above 0; got {given}")]
    NotPositive {
        /// Its name.
        what: &'static str,
        /// What was given.
        given: f64,
    },
    /// A share of the budget that leaves nothing for one side.
    #[error("the {what}'s share of the budget must lie between 0 and 1; got {given}")]
    Share {
        /// Whose share.
        what: &'static str,
        /// What was given.
        given: f64,
    },
    /// More non-zeros than weights, or none.
    #[error("a model of {weights} weights can keep 1 to {weights} of them; {given} were asked for")]
    Nonzero {
        /// How many were asked for.
        given: usize,
        /// How many weights there are.
        weights: usize,
    },
    /// A number of weights that is to be found, by what does not find it.
    #[error("{0} does not find the number of weights by itself; give a number, or use select")]
    NonzeroAuto(&'static str),
    /// A choice of all columns, or of none.
    #[error(
        "of {columns} columns at least one can be chosen, and not all; {given} were asked for: ask \
         for fewer, or keep all of them without a choice, which costs nothing"
    )]
    Columns {
        /// How many were asked for.
        given: usize,
        /// How many there are.
        columns: usize,
    },
    /// Invalid bounds of a count of weights.
    #[error(
        "the count of a model's {weights} weights needs whole bounds 1 <= lo <= hi <= {weights}; got {lo} and {hi}"
    )]
    CountBounds {
        /// The lower bound.
        lo: usize,
        /// The upper bound.
        hi: usize,
        /// How many weights there are.
        weights: usize,
    },
    /// More blocks than records, or none.
    #[error("{records} records make 1 to {records} blocks; {given} were asked for")]
    Blocks {
        /// How many were asked for.
        given: usize,
        /// How many records there are.
        records: u64,
    },
    /// Auxiliary rows of another width than the table, or too few.
    #[error(
        "auxiliary features need {columns} columns and at least {least} rows; got {width} and {rows}"
    )]
    Auxiliary {
        /// The columns of the table.
        columns: usize,
        /// The least number of rows.
        least: usize,
        /// The columns given.
        width: usize,
        /// The rows given.
        rows: usize,
    },
    /// More steps than can be accounted for.
    #[error(
        "{given} steps are more than the {most} that a plan can have; ask for fewer iterations (of sgd: \
         fewer epochs, or larger batches)"
    )]
    Steps {
        /// How many were asked for.
        given: u64,
        /// The most.
        most: u64,
    },
    /// A method that does not do the task.
    #[error("{method} does not fit {task} models; {instead}")]
    Task {
        /// The method.
        method: &'static str,
        /// The task.
        task: &'static str,
        /// What to use.
        instead: &'static str,
    },
    /// Fewer than two classes.
    #[error("a multinomial model needs 2 classes or more; got {0}")]
    Classes(u32),
    /// A method that needs a budget, without one.
    #[error("{0} is private by design; there is nothing to do without a budget")]
    NoBudget(&'static str),
    /// A method without privacy, with a budget.
    #[error("{0} has no privacy; fit it without a budget, or use another method")]
    NoPrivacy(&'static str),
    /// A method for replace-one neighbours only.
    #[error(
        "{0} is built for replace-one adjacency only; use that, or another method (select, ight)"
    )]
    ReplaceOneOnly(&'static str),
    /// An option with a value that is not allowed.
    #[error("{option} must be {allowed}")]
    Option {
        /// Its name.
        option: &'static str,
        /// What it can be.
        allowed: String,
    },
    /// A radius in addition to vertices.
    #[error(
        "a radius cannot be used with vertices, which say how large the region is; leave the radius out"
    )]
    RadiusOfPolytope,
    /// A Huber threshold for a logistic model.
    #[error(
        "a Huber threshold is for linear models; the slope of the logistic loss is bounded as it is"
    )]
    HuberThresholdOfLogistic,
    /// The weights cannot be kept in the region.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// A region without corners has no published Laplace noise.
    #[error(
        "the published Laplace noise is for regions with corners (l1 ball, simplex, polytope); use the exact calibration for {0}"
    )]
    NotPublished(String),
    /// Published noise for a budget in ρ.
    #[error(
        "{0} prints its noise for epsilon and delta, and the budget is in rho; give it as epsilon, \
         or use the exact calibration"
    )]
    PublishedInRho(&'static str),
    /// Batches of some of the records for a budget in ρ.
    #[error(
        "rho cannot pay for batches of some of the records: what secret batches cost has no bound in \
         zCDP; give the budget as epsilon, or a batch of all records (any number from theirs on), or \
         use ight, which takes all of them in each step"
    )]
    BatchesInRho,
    /// No noise fits the budget.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// The releases cannot be accounted for.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The bounds are beyond every grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The noise is beyond what can be stated.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
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
    /// The method is not made of sums, and the records are in parts. Reported before anything is
    /// released.
    #[error(transparent)]
    NotCentral(#[from] NotCentral),
    /// Class weights for a fit that releases no class counts. Reported before anything is released.
    #[error(
        "class weights need the class counts, which this fit does not release: keep the intercept, \
         and use a method with exact noise (ight, select, frank-wolfe)"
    )]
    ClassWeight,
    /// An open table for a plan that spends.
    #[error("{0} with a budget takes sealed records, and was given an open table")]
    NotSealed(&'static str),
    /// Sealed records for a plan without a guarantee.
    #[error("{0} without a guarantee takes an open table, and was given sealed records")]
    NotOpen(&'static str),
    /// Public rows of which only the number is known.
    #[error("the plan needs public rows, and only their number was given")]
    NoPublicRows,
    /// No step can be made from what was released and planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A release was refused.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The corners of the plan's polytope cannot be scored.
    #[error(transparent)]
    Vertices(#[from] VerticesError),
    /// The second moments have no grid.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// A count was given bounds between which there is no number.
    #[error(transparent)]
    Count(#[from] CountBoundsError),
    /// The votes cannot be counted.
    #[error(transparent)]
    Votes(#[from] VotesError),
    /// The minimiser cannot be found.
    #[error(transparent)]
    Minimiser(#[from] MinimiserError),
    /// The auxiliary rows cannot be clipped to the bound.
    #[error(transparent)]
    Enforce(#[from] EnforceError),
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
