//! The fit: count, steps, and the weights that are kept.

use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, Planned, Subject, Task, Watch, sealed,
};
use super::plan::{Plan, Size, Steps};
use crate::mechanism::{ReleaseError, geometric};
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::Ledger;
use crate::solve::largest;

impl Planned for Plan {
    fn name(&self) -> &'static str {
        "sparsifier"
    }

    fn task(&self) -> Task {
        match &self.steps {
            Steps::One(plan) => plan.task(),
            Steps::Several(plan) => plan.task(),
        }
    }

    fn facts(&self) -> Facts {
        match &self.steps {
            Steps::One(plan) => plan.facts(),
            Steps::Several(plan) => plan.facts(),
        }
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Spends(self.whole_spending())
    }

    fn outline(&self) -> Vec<Line> {
        self.lines()
    }

    fn run(
        &self,
        subject: Subject<'_>,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        let population = sealed(self, subject)?;
        let mut ledger = self.whole_spending().ledger().map_err(ReleaseError::from)?;
        let size = self.released_size(population, &mut ledger, randomness)?;
        let mut outputs = match &self.steps {
            Steps::One(plan) => {
                vec![plan.take_steps(population, &mut ledger, randomness, watch)?]
            }
            Steps::Several(plan) => plan.take_steps(population, &mut ledger, randomness, watch)?,
        };
        keep_largest(&mut outputs, size);
        Ok(Fitted::linear(outputs, ledger.statement()))
    }
}

impl Plan {
    /// How many weights to keep: public, or released.
    fn released_size(
        &self,
        population: &dyn Population,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<usize, FitError> {
        match self.size {
            Size::Public(size) => Ok(size),
            Size::Counted { lo, hi, epsilon } => {
                let count = population.in_one_place()?.lasso_count(self.lasso(lo, hi))?;
                // It comes out clipped to lo and hi.
                let noisy = geometric(&count, epsilon, ledger, randomness)?;
                Ok(self.precise(noisy))
            }
        }
    }
}

/// Keeps the `size` largest weights of all outputs together, the first of equals.
fn keep_largest(outputs: &mut [Output], size: usize) {
    let weights = outputs.iter().flat_map(|output| &output.weights);
    let all: Vec<f64> = weights.map(|(_, weight)| *weight).collect();
    let kept = largest(&all, size);
    let mut place = 0;
    for output in outputs {
        output.weights.retain(|_| {
            place += 1;
            kept.binary_search(&(place - 1)).is_ok()
        });
    }
}
