//! The steps.

use super::super::{
    Facts, FitError, FitInput, Fitted, Guarantee, LinearFunction, PlanEntry, Planned,
    ProgressObserver, Released, Task, open, report_step, sealed, spend,
};
use super::plan::{AdmmPlan, LOSS, Promise, StepNoise};
use super::published::{PAPER, REASON};
use crate::mechanism::objective;
use crate::noise::Generator;
use crate::population::{Population, RegularisedLoss};
use crate::privacy::{Ledger, Statement};
use crate::solve::keep_largest;

impl Planned for AdmmPlan {
    fn name(&self) -> &'static str {
        "admm"
    }

    fn task(&self) -> Task {
        self.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        match &self.promise {
            Promise::Spends(_, spending) => Guarantee::Spends(spending),
            Promise::Nothing(published) => Guarantee::Nothing {
                reason: REASON,
                claimed: Some((PAPER, published.claimed)),
            },
        }
    }

    fn summary(&self) -> Vec<PlanEntry> {
        let entry = self
            .spending()
            .and_then(|spending| spending.entry(self.task));
        self.lines().into_iter().chain(entry).collect()
    }

    fn is_central(&self) -> bool {
        true
    }

    fn run(
        &self,
        subject: FitInput<'_>,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Fitted, FitError> {
        match &self.promise {
            Promise::Spends(noise, spending) => {
                let population = sealed(self, subject)?;
                population.central()?;
                let table = (population, &self.facts);
                spend(
                    spending,
                    table,
                    randomness,
                    |population, _, ledger, randomness| {
                        let split = self.steps(population, *noise, ledger, randomness, watch)?;
                        Ok(Released::Linear(vec![self.output(split)]))
                    },
                )
            }
            Promise::Nothing(published) => {
                let table = open(self, subject)?;
                let split = self.published_steps(table, published, randomness)?;
                let (adjacency, claimed) = (published.adjacency, published.claimed);
                let statement = Statement::without_guarantee(adjacency, claimed.delta());
                Ok(Fitted::linear(vec![self.output(split)], statement))
            }
        }
    }
}

impl AdmmPlan {
    /// Steps with noise of their own, each released.
    fn steps(
        &self,
        population: &dyn Population,
        noise: StepNoise,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Split, FitError> {
        let central = population.central()?;
        let StepNoise { epsilon, search } = noise;
        let mut split = Split::new(self.weights());
        for step in 0..self.iterations.get() {
            report_step(watch, step, self.iterations.get(), ledger)?;
            let centre = split.centre();
            let what = RegularisedLoss {
                loss: LOSS,
                lambda: self.augmentation,
                support: None,
                intercept: self.intercept,
                centre: Some(&centre),
                records: self.facts.records,
            };
            let primal = objective(
                &central.objective(&what)?,
                epsilon,
                search,
                ledger,
                randomness,
            )?;
            split.advance(&primal.to_real(), self);
        }
        Ok(split)
    }

    /// What leaves: z, or the largest of it.
    fn output(&self, split: Split) -> LinearFunction {
        let mut weights = split.z;
        let intercept = match self.intercept {
            true => weights.pop().unwrap_or(0.0),
            false => 0.0,
        };
        if let Some(nonzero) = self.nonzero {
            keep_largest(&mut weights, nonzero);
        }
        LinearFunction::of(&weights, intercept)
    }
}

/// The two sides of the constraint w = z that are no release: a function of the points released.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    /// The weights that the penalty is on, the intercept last.
    pub z: Vec<f64>,
    /// The multipliers of the constraint, over c.
    pub u: Vec<f64>,
}

impl Split {
    /// Where the steps begin: at 0.
    pub fn new(weights: usize) -> Self {
        Self {
            z: vec![0.0; weights],
            u: vec![0.0; weights],
        }
    }

    /// z − u: what the next point is regularised towards.
    pub fn centre(&self) -> Vec<f64> {
        self.z.iter().zip(&self.u).map(|(z, u)| z - u).collect()
    }

    /// Takes in the next point: z ← threshold(w + u), u ← u + w − z.
    pub fn advance(&mut self, point: &[f64], plan: &AdmmPlan) {
        let weight = plan.lambda / plan.augmentation;
        let columns = plan.facts.columns;
        let sides = self.z.iter_mut().zip(&mut self.u);
        for (place, ((z, u), w)) in sides.zip(point).enumerate() {
            let sum = w + *u;
            // The intercept, behind the columns, is not penalised.
            *z = match place < columns {
                true => plan.penalty.threshold(sum, weight),
                false => sum,
            };
            *u = sum - *z;
        }
    }
}
