//! Choosing alone: which columns tell most of the target, and no model of them.

use std::num::NonZeroU64;

use super::super::flow::{Progress, selection};
use super::super::spending::multiplier;
use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, PlanError, Planned, Released, Spending, Subject,
    Task, Watch, default_nonzero, sealed,
};
use super::choice::Choice;
use super::defaults;
use super::start::Start;
use crate::mechanism::ReleaseError;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Budget, Charge, NoiseMultiplier};

/// Parameters of a choice of columns.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | what the columns are to tell: logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `columns` | 1.5·√d, and not all | how many are chosen | 1 to one less than there are |
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
    pub columns: Option<usize>,
    /// Whether a constant is fitted first.
    pub intercept: bool,
}

/// What a choice will do and spend.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoosePlan {
    facts: Facts,
    start: Option<Start>,
    choice: Choice,
    spending: Spending,
}

impl Choose {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            columns: None,
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
        let columns = facts.columns;
        let by_default = default_nonzero(columns).min(columns.saturating_sub(1).max(1));
        let given = self.columns.unwrap_or(by_default);
        let count = NonZeroU64::new(given as u64).filter(|_| given < columns);
        let count = count.ok_or(PlanError::Columns { given, columns })?;
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
            // As many as a table has columns.
            range: selection(z, 1.0 - scale, count.get() as usize),
        }
    }
}

impl Planned for ChoosePlan {
    fn name(&self) -> &'static str {
        "choose"
    }

    fn task(&self) -> Task {
        self.choice.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Spends(&self.spending)
    }

    fn outline(&self) -> Vec<Line> {
        let intercept = if self.start.is_some() { "yes" } else { "no" };
        vec![
            Line::text("columns", self.choice.count, "chosen privately"),
            Line::text("intercept", intercept, "fitted first"),
        ]
    }

    fn run(
        &self,
        subject: Subject<'_>,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        let population = sealed(self, subject)?;
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
        Ok(Fitted {
            released: Released::Columns(columns),
            statement: ledger.statement(),
        })
    }
}

#[cfg(test)]
mod tests;
