//! Choosing alone: which columns tell most of the target, and no model of them.

use std::num::NonZeroU64;

use super::super::flow::{Progress, selection};
use super::super::spending::multiplier;
use super::super::{Facts, FitError, Line, PlanError, Spending, Task, Watch, check_facts};
use super::choice::Choice;
use super::defaults;
use super::start::Start;
use crate::mechanism::ReleaseError;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Adjacency, Budget, Charge, NoiseMultiplier, Statement};

/// Parameters of a choice of columns.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | what the columns are to tell: logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `columns` | – | how many are chosen | 1 to one less than there are |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `intercept` | true | a constant is fitted first, so that no column is chosen for being one | |
///
/// The columns are those of the largest gradients (several classes: the largest norms over them), at
/// weights 0 and the intercept: in one round, as no model is fitted that a second could go on from.
/// What [`Select`](super::Select) spends on fitting is spent on choosing.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: with an intercept, a Gaussian of its gradient in each of a few
/// steps; for linear models, the median of the residuals' sizes by the exponential mechanism; then
/// the k columns, k events of the exponential mechanism on scores |Σψᵢxᵢⱼ| (several classes: their
/// norm over the classes), which one-shot top-k by Gumbel noise is (Durfee–Rogers 2019). *Sensitivity*:
/// the queries', from the enforced rows and the clipped slope, which is a public number or that median.
/// *Theorem*: releases are adaptive (the model and the clip are functions of earlier releases), their
/// noise relative to the sensitivity is fixed by the plan, and the accounts of a planned ledger hold.
/// The columns in increasing order are post-processing of what top-k releases, which is more: their
/// order.
#[derive(Debug, Clone, PartialEq)]
pub struct Choose {
    /// What the columns are to tell.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many columns are chosen.
    pub columns: usize,
    /// Whether a constant is fitted first.
    pub intercept: bool,
}

/// What a choice will do and spend; [`run`](Self::run) does it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoosePlan {
    facts: Facts,
    start: Option<Start>,
    choice: Choice,
    spending: Spending,
}

/// Columns that were chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// By their number from 0, in increasing order.
    pub columns: Vec<u32>,
    /// What was spent.
    pub statement: Statement,
}

impl Choose {
    /// The defaults for a task, a budget and a number of columns.
    pub fn new(task: Task, budget: Budget, columns: usize) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            columns,
            intercept: true,
        }
    }

    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<ChoosePlan, PlanError> {
        facts.check()?;
        if let Task::Multinomial {
            classes: classes @ ..2,
        } = self.task
        {
            return Err(PlanError::Classes(classes));
        }
        let count = NonZeroU64::new(self.columns as u64).filter(|_| self.columns < facts.columns);
        let count = count.ok_or(PlanError::Columns {
            given: self.columns,
            columns: facts.columns,
        })?;
        let start = |z| self.intercept.then(|| Start::new(z, self.task));
        let choice = |z| self.choice(z, &facts, count);
        let charges = |z| -> Vec<Charge> {
            let start = start(z).map(|start| start.charge());
            start.into_iter().chain(choice(z).charges()).collect()
        };
        let (spending, z) = Spending::within(self.budget, self.adjacency, charges)?;
        Ok(ChoosePlan {
            facts,
            start: start(z),
            choice: choice(z),
            spending,
        })
    }

    /// What the start leaves, where the whole plan costs ρ = 1/(2z²): a little for the scale of the
    /// residuals, the rest for the columns.
    fn choice(&self, z: NoiseMultiplier, facts: &Facts, count: NonZeroU64) -> Choice {
        let (left, constant) = match self.intercept {
            true => (1.0 - defaults::STARTING, defaults::constant(facts)),
            false => (1.0, 0.0),
        };
        let z = multiplier(z.get() / left.sqrt());
        let scale = defaults::recipe(self.task, true).scale;
        Choice {
            task: self.task,
            constant,
            scale: (scale > 0.0).then(|| selection(z, scale, 1)),
            count,
            range: selection(z, 1.0 - scale, self.columns),
        }
    }
}

impl ChoosePlan {
    /// What the columns are to tell.
    pub fn task(&self) -> Task {
        self.choice.task
    }

    /// The facts that it was made from.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// What it will charge.
    pub fn spending(&self) -> &Spending {
        &self.spending
    }

    /// Its public parameters.
    pub fn outline(&self) -> Vec<Line> {
        let intercept = if self.start.is_some() { "yes" } else { "no" };
        vec![
            Line::text("columns", self.choice.count, "chosen privately"),
            Line::text("intercept", intercept, "fitted first"),
        ]
    }

    /// Chooses: opens a ledger for exactly the plan's charges, and does what was planned.
    pub fn run(
        &self,
        population: &dyn Population,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Chosen, FitError> {
        let adjacency = self.spending.adjacency();
        check_facts((self.task(), self.facts, adjacency), population)?;
        let mut ledger = self.spending.ledger().map_err(ReleaseError::from)?;
        let mut progress = Progress {
            watch,
            done: 0,
            total: 1 + u64::from(self.start.is_some()),
        };
        let block = self.facts.columns + 1;
        let mut weights = vec![0.0; block * self.task().outputs()];
        if let Some(start) = &self.start {
            progress.step(&ledger)?;
            let intercepts = start.run(population, &self.facts, &mut ledger, randomness)?;
            start.put(&intercepts, self.choice.constant, &mut weights);
        }
        progress.step(&ledger)?;
        let mut columns = Vec::new();
        let table = (population, &self.facts);
        self.choice
            .run(table, &weights, &mut columns, &mut ledger, randomness)?;
        Ok(Chosen {
            columns,
            statement: ledger.statement(),
        })
    }
}

#[cfg(test)]
mod tests;
