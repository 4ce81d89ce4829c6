//! Plans as objects: what a method will do and spend, the doing, and what comes of it.

use std::ops::ControlFlow;

use super::{Facts, FitError, Line, Output, Spending, Task};
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Budget, Ledger, Statement};
use crate::table::Held;

/// What a private plan sees of the data: something that answers queries, and is not read.
pub type Sealed<'a> = &'a dyn Population;

/// What a plan is run on.
#[derive(Clone, Copy)]
pub enum Subject<'a> {
    /// Records that only answer queries: for plans that spend a budget on them.
    Sealed(Sealed<'a>),
    /// A table that can be read: for plans of which nothing is proved.
    Open(&'a Held<'a>),
}

/// What a plan promises, and so what it is run on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Guarantee<'a> {
    /// It takes sealed records, and spends no more than this.
    Spends(&'a Spending),
    /// It takes an open table, and nothing is proved of its result.
    Nothing {
        /// Why not.
        reason: &'static str,
        /// The paper that claims otherwise, and what it claims.
        claimed: Option<(&'static str, Budget)>,
    },
}

impl Guarantee<'_> {
    /// The paper whose noise it is, and what that claims, if the noise is as published.
    pub fn claimed(&self) -> Option<(&'static str, Budget)> {
        match self {
            Self::Spends(spending) => spending.claimed(),
            Self::Nothing { claimed, .. } => *claimed,
        }
    }
}

/// What a method will do and spend, from public facts alone; and the doing.
pub trait Planned: Send + Sync {
    /// The name of the method on the command line.
    fn name(&self) -> &'static str;

    /// What the result is to tell.
    fn task(&self) -> Task;

    /// The facts that it was made from.
    fn facts(&self) -> Facts;

    /// What it promises.
    fn guarantee(&self) -> Guarantee<'_>;

    /// What it will charge; `None` where nothing is proved.
    fn spending(&self) -> Option<&Spending> {
        match self.guarantee() {
            Guarantee::Spends(spending) => Some(spending),
            Guarantee::Nothing { .. } => None,
        }
    }

    /// Its public parameters, those that a person asks about first.
    fn outline(&self) -> Vec<Line>;

    /// Does what was planned; one that spends opens a ledger for exactly its charges. The wrong
    /// kind of subject, or one that the plan was not made for, is refused before anything is
    /// spent.
    fn run(
        &self,
        subject: Subject<'_>,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError>;
}

/// What a plan released, and what that cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// What was released.
    pub released: Released,
    /// What was spent.
    pub statement: Statement,
}

/// What a plan can release.
#[derive(Debug, Clone, PartialEq)]
pub enum Released {
    /// A linear model, on the scale of the enforced records (a numeric target in [−1, 1]): one
    /// function, or one per class for several classes.
    Linear(Vec<Output>),
    /// Columns by their number from 0, in increasing order.
    Columns(Vec<u32>),
}

impl Fitted {
    /// A linear model, and what was spent on it.
    pub fn linear(outputs: Vec<Output>, statement: Statement) -> Self {
        Self {
            released: Released::Linear(outputs),
            statement,
        }
    }

    /// The functions of a linear model; none if something else was released.
    pub fn outputs(&self) -> &[Output] {
        match &self.released {
            Released::Linear(outputs) => outputs,
            Released::Columns(_) => &[],
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

/// The records of a plan that spends, if they are those that it was made for. Under add-remove
/// adjacency the number of records is not asked: the declared one takes its place.
pub(super) fn sealed<'a>(plan: &dyn Planned, subject: Subject<'a>) -> Result<Sealed<'a>, FitError> {
    let (Subject::Sealed(population), Some(spending)) = (subject, plan.spending()) else {
        return Err(FitError::NotSealed(plan.name()));
    };
    let (task, planned, adjacency) = (plan.task(), plan.facts(), spending.adjacency());
    let classes = task.classes();
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
        return Ok(population);
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

/// The table of a plan of which nothing is proved, if it is one that the plan was made for.
pub(super) fn open<'a>(plan: &dyn Planned, subject: Subject<'a>) -> Result<&'a Held<'a>, FitError> {
    let Subject::Open(held) = subject else {
        return Err(FitError::NotOpen(plan.name()));
    };
    let told = |columns, classes| format!("{columns} columns, {classes} classes");
    let planned = told(plan.facts().columns, plan.task().classes());
    let given = told(held.features().width(), held.classes());
    match planned == given {
        true => Ok(held),
        false => Err(FitError::Facts { planned, given }),
    }
}

/// Lets the watcher stop a fit before step `done`.
pub(super) fn watched(
    watch: &mut dyn Watch,
    done: u64,
    total: u64,
    ledger: &Ledger,
) -> Result<(), FitError> {
    match watch.step(done, total) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(FitError::Stopped {
            done,
            total,
            statement: Box::new(ledger.statement()),
        }),
    }
}
