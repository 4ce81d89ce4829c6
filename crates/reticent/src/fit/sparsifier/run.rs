//! The fit: count, steps, and the weights that are kept.

use super::super::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released,
};
use super::plan::{Size, SparsifierPlan, Steps};
use crate::fit::ClassRates;
use crate::mechanism::geometric;
use crate::noise::Generator;
use crate::population::Population;
use crate::privacy::Ledger;
use crate::solve::largest;

impl PrivatePlan for SparsifierPlan {
    /// That of its steps, whose spending is the whole, under its own name.
    fn header(&self) -> PlanHeader<'_> {
        let steps = match &self.steps {
            Steps::One(plan) => plan.header(),
            Steps::Multiclass(plan) => plan.header(),
        };
        PlanHeader {
            name: "sparsifier",
            spending: self.whole_spending(),
            ..steps
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
    }

    fn is_central(&self) -> bool {
        matches!(self.size, Size::Counted { .. })
    }

    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let size = self.released_size(population, ledger, randomness)?;
        let mut outputs = match &self.steps {
            Steps::One(plan) => {
                vec![plan.take_steps(population, rates, ledger, randomness, watch)?]
            }
            Steps::Multiclass(plan) => {
                plan.take_steps(population, rates, ledger, randomness, watch)?
            }
        };
        keep_largest(&mut outputs, size);
        Ok(Released::Linear(outputs))
    }
}

impl SparsifierPlan {
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
                let count = population.central()?.lasso_count(self.lasso(lo, hi))?;
                // It comes out clipped to lo and hi.
                let noisy = geometric(&count, epsilon, ledger, randomness)?;
                Ok(self.precise(noisy))
            }
        }
    }
}

/// Keeps the `size` largest weights of all outputs together, the first of equals.
fn keep_largest(outputs: &mut [LinearFunction], size: usize) {
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
