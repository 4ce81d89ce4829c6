//! Selection alone: the columns that predict the target best, without a model.

use std::num::NonZeroU64;

use super::super::noisy_descent::{Progress, selection};
use super::super::spending::{multiplier, rho};
use super::super::{
    Facts, FitError, PlanEntry, PlanError, PlanHeader, PrivatePlan, ProgressObserver, Released,
    Spending, Task, default_nonzero,
};
use super::column_choice::{ColumnChoice, start_from};
use super::column_frames::ColumnSearch;
use super::defaults;
use super::intercept_first::InterceptFirst;
use super::target_frame::{FrameSearch, Shares};
use crate::fit::{Around, ClassRates};
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
/// *Adjacency*: the ledger's. *Releases*: for classes with an intercept, a Gaussian of their counts; for
/// linear models, Gaussians of three histograms of the targets, with an intercept one of their sum, and
/// the median of the residuals' sizes by the exponential mechanism; then
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
    frame_search: Option<FrameSearch>,
    column_search: Option<ColumnSearch>,
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
        let shares = self.shares(&facts);
        let frame_search = |z| (shares.frame > 0.0).then(|| FrameSearch::new(z, shares.frame));
        let column_search =
            |z| (shares.columns > 0.0).then(|| ColumnSearch::new(z, shares.columns));
        let intercept_first = |z| (shares.mean > 0.0).then(|| InterceptFirst::new(z, shares.mean));
        let choice = |z| self.choice(z, &facts, shares.features, count);
        let charges = |z| -> Vec<Charge> {
            let intercept_first =
                intercept_first(z).map(|intercept_first| intercept_first.charge());
            let frame_search = frame_search(z).map(|search| search.charge());
            let column_search = column_search(z).map(|search| search.charge());
            let frames = frame_search.into_iter().chain(column_search);
            let before = frames.chain(intercept_first);
            before.chain(choice(z).charges()).collect()
        };
        let around = match (self.task, self.intercept) {
            (Task::Linear, _) | (_, false) => Around::Nothing,
            _ => Around::Counts,
        };
        let around = (self.task, around);
        let (spending, z) = Spending::around(around, 1.0, self.budget, self.adjacency, charges)?;
        Ok(SelectOnlyPlan {
            facts,
            frame_search: frame_search(z),
            column_search: column_search(z),
            intercept_first: intercept_first(z),
            choice: choice(z),
            spending,
        })
    }

    /// How ρ is divided.
    fn shares(&self, facts: &Facts) -> Shares {
        let mean = match (self.task, self.intercept) {
            (Task::Linear, true) => defaults::INTERCEPT_SHARE,
            _ => 0.0,
        };
        let rho = rho(self.budget);
        let (frame, columns) = match self.task {
            Task::Linear => (
                Shares::of_frame(facts, self.adjacency, rho),
                ColumnSearch::share(facts, self.adjacency, rho),
            ),
            _ => (0.0, 0.0),
        };
        Shares {
            frame,
            columns,
            mean,
            features: 1.0 - frame - columns - mean,
            noise: 0.0,
        }
    }

    /// What frame and intercept leave, where the whole plan costs ρ = 1/(2z²): a little for the
    /// scale of the residuals, the rest for the columns.
    fn choice(
        &self,
        z: NoiseMultiplier,
        facts: &Facts,
        left: f64,
        count: NonZeroU64,
    ) -> ColumnChoice {
        let constant = match self.intercept {
            true => defaults::constant(facts),
            false => 0.0,
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
        let intercept = if self.choice.constant > 0.0 {
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
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let mut progress = Progress {
            watch,
            done: 0,
            total: 1 + u64::from(self.intercept_first.is_some()),
        };
        let framed = match &self.frame_search {
            Some(search) => {
                let centred = self.intercept_first.is_none();
                let frame = search.run(population, &self.facts, centred, ledger, randomness)?;
                population.framed(frame)
            }
            None => Box::new(population),
        };
        let population = &*framed;
        let columns_framed = match &self.column_search {
            Some(search) => {
                let centred = self.intercept_first.is_none();
                let frames = search.run(population, &self.facts, centred, ledger, randomness)?;
                population.columns_framed(&frames)
            }
            None => Box::new(population),
        };
        let population = &*columns_framed;
        let block = self.facts.columns + 1;
        let mut weights = vec![0.0; block * self.choice.task.outputs()];
        if let Some(intercept_first) = &self.intercept_first {
            progress.step(ledger)?;
            let intercept = intercept_first.run(population, &self.facts, ledger, randomness)?;
            weights[block - 1] = intercept / self.choice.constant;
        }
        if let Some(rates) = rates {
            start_from(rates, self.choice.task, self.choice.constant, &mut weights);
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
