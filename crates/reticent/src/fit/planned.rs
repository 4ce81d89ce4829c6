//! Plans as objects: what a method will do and spend, how it runs, and what it releases.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::class_outputs::{CalibrationMap, ClassRates};
use super::{ColumnRange, Facts, FitError, LinearFunction, PlanEntry, Spending, Task};
use crate::mechanism::ReleaseError;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Budget, Ledger, Statement};
use crate::table::ClippedTable;

/// What a private plan sees of the data: something that answers queries and cannot be read.
pub type Sealed<'a> = &'a dyn Population;

/// What a plan is run on.
#[derive(Clone, Copy)]
pub enum FitInput<'a> {
    /// Records that only answer queries: for plans that spend a budget on them.
    Sealed(Sealed<'a>),
    /// A table that can be read: for plans without a guarantee.
    Open(&'a ClippedTable<'a>),
}

/// What a plan promises, and therefore what it runs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Guarantee<'a> {
    /// It takes sealed records, and spends no more than this.
    Spends(&'a Spending),
    /// It takes an open table, and nothing is proved about its result.
    Nothing {
        /// Why not.
        reason: &'static str,
        /// The paper that claims otherwise, and what it claims.
        claimed: Option<(&'static str, Budget)>,
    },
}

impl Guarantee<'_> {
    /// The paper that the noise comes from and what it claims, if the noise is as published.
    pub fn claimed(&self) -> Option<(&'static str, Budget)> {
        match self {
            Self::Spends(spending) => spending.claimed(),
            Self::Nothing { claimed, .. } => *claimed,
        }
    }
}

/// What a method will do and spend, from public facts alone; it can be run.
pub trait Planned: Send + Sync {
    /// The name of the method on the command line.
    fn name(&self) -> &'static str;

    /// What the result is to predict.
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

    /// About the largest standard deviation of the noise in the predictions of a number, as a share
    /// of the declared range, if it is known.
    fn worst_noise(&self) -> Option<f64> {
        None
    }

    /// Its public parameters, the most important first.
    fn summary(&self) -> Vec<PlanEntry>;

    /// Whether it is for records that are each a unit, and count in full; else it is made of sums.
    fn is_central(&self) -> bool;

    /// Runs the plan; one that spends opens a ledger for exactly its charges. The wrong kind of
    /// subject, or one that the plan was not made for, is refused before anything is spent.
    fn run(
        &self,
        subject: FitInput<'_>,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Fitted, FitError>;
}

/// A plan that spends a budget on sealed records: what a method writes. That it is given the records
/// that it was made for, and a ledger for exactly its charges, is seen to once for all of them.
pub trait PrivatePlan: Send + Sync {
    /// What it is called, made from and will spend.
    fn header(&self) -> PlanHeader<'_>;

    /// Its public parameters, those that a person asks about first.
    fn parameters(&self) -> Vec<PlanEntry>;

    /// [`Planned::worst_noise`].
    fn worst_noise(&self) -> Option<f64> {
        None
    }

    /// Whether it asks what only records in one place can answer, of which each is a unit that counts in
    /// full: others are then refused before anything is charged.
    fn is_central(&self) -> bool {
        false
    }

    /// Asks, charges and draws. Class rates are those that were released before, if the plan's spending
    /// includes them.
    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError>;
}

/// What a private plan is called, made from and will spend.
pub struct PlanHeader<'a> {
    pub name: &'static str,
    pub task: Task,
    pub facts: Facts,
    pub spending: &'a Spending,
}

impl<P: PrivatePlan> Planned for P {
    fn name(&self) -> &'static str {
        self.header().name
    }

    fn task(&self) -> Task {
        self.header().task
    }

    fn facts(&self) -> Facts {
        self.header().facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Spends(self.header().spending)
    }

    fn worst_noise(&self) -> Option<f64> {
        PrivatePlan::worst_noise(self)
    }

    fn summary(&self) -> Vec<PlanEntry> {
        let PlanHeader {
            task,
            facts,
            spending,
            ..
        } = self.header();
        let mut entries = self.parameters();
        entries.extend(spending.entry(task));
        entries.extend(spending.entry_if_lost(task, &facts));
        entries
    }

    fn is_central(&self) -> bool {
        PrivatePlan::is_central(self)
    }

    fn run(
        &self,
        subject: FitInput<'_>,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Fitted, FitError> {
        let population = sealed(self, subject)?;
        if PrivatePlan::is_central(self) {
            population.central()?;
        }
        let PlanHeader {
            spending, facts, ..
        } = self.header();
        spend(
            spending,
            (population, &facts),
            randomness,
            |population, rates, ledger, randomness| {
                self.release(population, rates, ledger, randomness, watch)
            },
        )
    }
}

/// Opens a ledger for a spending, and releases within it: what is released around a fit of classes, and
/// between these the fit. Class weights, if there are any, are known once the class counts are: in the fit
/// records count for as much.
pub(super) fn spend(
    spending: &Spending,
    (population, facts): (&dyn Population, &Facts),
    randomness: &mut Generator,
    fit: impl FnOnce(
        &dyn Population,
        Option<&ClassRates>,
        &mut Ledger,
        &mut Generator,
    ) -> Result<Released, FitError>,
) -> Result<Fitted, FitError> {
    let outputs = spending.class_outputs();
    let class_weight = population.class_weight();
    if class_weight.is_some() && outputs.is_none() {
        return Err(FitError::ClassWeight);
    }
    let mut ledger = spending.ledger().map_err(ReleaseError::from)?;
    let rates = match &outputs {
        Some(outputs) => Some(outputs.rates(population, facts, &mut ledger, randomness)?),
        None => None,
    };
    let weighted = match (&rates, class_weight) {
        (Some(rates), Some(asked)) => Some(rates.weighted(asked)),
        _ => None,
    };
    let mut released = match &weighted {
        Some((rates, weights)) => {
            let population = population.weighted(weights);
            fit(&*population, Some(rates), &mut ledger, randomness)?
        }
        None => fit(population, rates.as_ref(), &mut ledger, randomness)?,
    };
    let weights = weighted.map_or_else(Vec::new, |(_, weights)| weights);
    if let (Some(outputs), Some(rates), Released::Linear(functions)) =
        (outputs, &rates, &mut released)
    {
        let functions = std::mem::take(functions);
        let table = (population, facts);
        released = outputs.calibrate(functions, &weights, rates, table, &mut ledger, randomness)?;
    }
    Ok(Fitted {
        released,
        statement: ledger.statement(),
    })
}

/// What a plan released, and its cost.
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
    Linear(Vec<LinearFunction>),
    /// The linear function of a number, of columns that are clipped to ranges first, and about the standard deviation of the noise in its
    /// predictions, on the same scale: from released values and public numbers.
    Number {
        /// The function.
        function: LinearFunction,
        /// The ranges of some of its columns, in increasing order.
        ranges: Vec<ColumnRange>,
        /// The noise.
        noise: f64,
    },
    /// The linear function of two classes, above 0 where the second is the likelier one, and the map from
    /// it to log-odds.
    Calibrated {
        /// The function.
        function: LinearFunction,
        /// The map.
        map: CalibrationMap,
    },
    /// Columns by their number from 0, in increasing order.
    Columns(Vec<u32>),
}

impl Released {
    /// The columns that were chosen, or that have a weight, in increasing order.
    pub fn columns(self) -> Vec<u32> {
        match self {
            Self::Columns(columns) => columns,
            Self::Linear(_) | Self::Number { .. } | Self::Calibrated { .. } => {
                let weights = self.outputs().iter().flat_map(|function| &function.weights);
                let columns: BTreeSet<u32> = weights.map(|(column, _)| *column).collect();
                columns.into_iter().collect()
            }
        }
    }

    /// The functions of a linear model; none if something else was released.
    pub fn outputs(&self) -> &[LinearFunction] {
        match self {
            Self::Linear(outputs) => outputs,
            Self::Number { function, .. } | Self::Calibrated { function, .. } => {
                std::slice::from_ref(function)
            }
            Self::Columns(_) => &[],
        }
    }

    /// The map from the linear function to log-odds, if there is one; else the function gives them.
    pub fn map(&self) -> Option<&CalibrationMap> {
        match self {
            Self::Calibrated { map, .. } => Some(map),
            _ => None,
        }
    }

    /// The ranges that columns are clipped to before they are weighed, beyond the bound of rows.
    pub fn ranges(&self) -> &[ColumnRange] {
        match self {
            Self::Number { ranges, .. } => ranges,
            _ => &[],
        }
    }

    /// About the standard deviation of the noise in the predictions of a number, if it is known.
    pub fn noise(&self) -> Option<f64> {
        match self {
            Self::Number { noise, .. } => Some(*noise),
            _ => None,
        }
    }
}

impl Fitted {
    /// A linear model, and what was spent on it.
    pub fn linear(outputs: Vec<LinearFunction>, statement: Statement) -> Self {
        Self {
            released: Released::Linear(outputs),
            statement,
        }
    }

    /// The functions of a linear model; none if something else was released.
    pub fn outputs(&self) -> &[LinearFunction] {
        self.released.outputs()
    }
}

/// Someone who watches a long fit.
pub trait ProgressObserver {
    /// Called before each step; `Break` stops the fit.
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()>;

    /// Called while rows are mapped to features, with the share of them that is done, in tenths, each
    /// once: their number may be private. It is before anything is spent. `Break` stops.
    fn mapping(&mut self, _share: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// No watcher.
impl ProgressObserver for () {
    fn step(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The records of a plan that spends, if they are those that it was made for. Under add-remove
/// adjacency the number of records is not checked: the declared one takes its place.
pub(super) fn sealed<'a>(
    plan: &dyn Planned,
    subject: FitInput<'a>,
) -> Result<Sealed<'a>, FitError> {
    let (FitInput::Sealed(population), Some(spending)) = (subject, plan.spending()) else {
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
    let described = |records, columns, rows, classes, adjacency| {
        format!(
            "{records} records of {columns} columns, {rows:?}, {classes} classes, {adjacency} adjacency"
        )
    };
    Err(FitError::Facts {
        planned: described(
            planned.records,
            planned.columns,
            planned.rows,
            classes,
            adjacency,
        ),
        given: described(
            count,
            records.width(),
            records.bound(),
            records.classes(),
            records.adjacency(),
        ),
    })
}

/// The table of a plan without a guarantee, if it is one that the plan was made for.
pub(super) fn open<'a>(
    plan: &dyn Planned,
    subject: FitInput<'a>,
) -> Result<&'a ClippedTable<'a>, FitError> {
    let FitInput::Open(table) = subject else {
        return Err(FitError::NotOpen(plan.name()));
    };
    let described = |columns, classes| format!("{columns} columns, {classes} classes");
    let planned = described(plan.facts().columns, plan.task().classes());
    let given = described(table.features().width(), table.classes());
    match planned == given {
        true => Ok(table),
        false => Err(FitError::Facts { planned, given }),
    }
}

/// Lets the watcher stop a fit before step `done`.
pub(super) fn report_step(
    watch: &mut dyn ProgressObserver,
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
