//! Selection alone: the columns that predict the target best, without a model.

use std::num::NonZeroU64;

use super::super::noisy_descent::{Progress, selection};
use super::super::spending::multiplier;
use super::super::{
    Facts, FitError, PlanEntry, PlanError, PlanHeader, PrivatePlan, ProgressObserver, Released,
    Spending, Task, default_nonzero,
};
use super::column_choice::ColumnChoice;
use super::defaults;
use super::intercept_first::InterceptFirst;
use crate::fit::ClassRates;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::{Adjacency, Budget, Charge, Ledger, NoiseMultiplier};

/// Parameters of a choice of columns.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | what the columns are to predict: logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `columns` | 1.5·√d, and not all | how many are chosen | 1 to one less than there are |
/// | `intercept` | true | a constant is fitted first, so that no column is chosen for being constant | |
///
/// The columns are those of the largest gradients (several classes: the largest norms over them), at
/// weights 0 and the intercept: in one round, as there is no fitted model from which a second could
/// continue. What [`Select`](super::Select) spends on fitting is spent on choosing.
///
/// # Privacy
///
/// *Adjacency*: the ledger's. *Releases*: with an intercept, a Gaussian of its gradient in each of a few
/// steps; for linear models, the median of the residuals' sizes by the exponential mechanism; then
/// the k columns, k events of the exponential mechanism on scores |Σψᵢxᵢⱼ| (several classes: their
/// norm over the classes), which is what one-shot top-k by Gumbel noise amounts to (Durfee–Rogers
/// 2019). *Sensitivity*: the queries', from the enforced rows and the clipped slope, which is a
/// public number or that median. *Theorem*: releases are adaptive (the model and the clip are
/// functions of earlier releases), the plan fixes their noise relative to the sensitivity, and the
/// accounts of a planned ledger hold. Sorting the columns is post-processing: top-k also releases
/// their order.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectOnly {
    /// What the columns are to predict.
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
pub struct SelectOnlyPlan {
    facts: Facts,
    intercept_first: Option<InterceptFirst>,
    choice: ColumnChoice,
    spending: Spending,
}

impl SelectOnly {
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

    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SelectOnlyPlan, PlanError> {
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
        let intercept_first = |z| self.intercept.then(|| InterceptFirst::new(z, self.task));
        let choice = |z| self.choice(z, &facts, count);
        let charges = |z| -> Vec<Charge> {
            let intercept_first =
                intercept_first(z).map(|intercept_first| intercept_first.charge());
            intercept_first
                .into_iter()
                .chain(choice(z).charges())
                .collect()
        };
        let (spending, z) = Spending::within(self.budget, self.adjacency, charges)?;
        Ok(SelectOnlyPlan {
            facts,
            intercept_first: intercept_first(z),
            choice: choice(z),
            spending,
        })
    }

    /// What the intercept leaves, where the whole plan costs ρ = 1/(2z²): a little for the scale of
    /// the residuals, the rest for the columns.
    fn choice(&self, z: NoiseMultiplier, facts: &Facts, count: NonZeroU64) -> ColumnChoice {
        let (left, constant) = match self.intercept {
            true => (1.0 - defaults::INTERCEPT_SHARE, defaults::constant(facts)),
            false => (1.0, 0.0),
        };
        let z = multiplier(z.get() / left.sqrt());
        let scale = defaults::recipe(self.task, true).scale;
        ColumnChoice {
            task: self.task,
            constant,
            scale: (scale > 0.0).then(|| selection(z, scale, 1)),
            count,
            // At most the number of columns.
            range: selection(z, 1.0 - scale, count.get() as usize),
        }
    }
}

impl PrivatePlan for SelectOnlyPlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "choose",
            task: self.choice.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        let intercept = if self.intercept_first.is_some() {
            "yes"
        } else {
            "no"
        };
        vec![
            PlanEntry::text("columns", self.choice.count, "chosen privately"),
            PlanEntry::text("intercept", intercept, "fitted first"),
        ]
    }

    fn release(
        &self,
        population: &dyn Population,
        _: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let mut progress = Progress {
            watch,
            done: 0,
            total: 1 + u64::from(self.intercept_first.is_some()),
        };
        let block = self.facts.columns + 1;
        let mut weights = vec![0.0; block * self.choice.task.outputs()];
        if let Some(intercept_first) = &self.intercept_first {
            progress.step(ledger)?;
            let intercepts = intercept_first.run(population, &self.facts, ledger, randomness)?;
            intercept_first.store_in(&intercepts, self.choice.constant, &mut weights);
        }
        progress.step(ledger)?;
        let mut columns = Vec::new();
        let table = (population, &self.facts);
        self.choice
            .run(table, &weights, &mut columns, ledger, randomness)?;
        Ok(Released::Columns(columns))
    }
}

#[cfg(test)]
mod tests;
