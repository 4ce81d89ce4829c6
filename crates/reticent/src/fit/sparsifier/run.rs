//! The fit: count, steps, and the weights that are kept.

use std::collections::HashSet;

use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, Planned, Subject, Task, Watch, sealed,
};
use super::plan::{Plan, Size, Steps};
use crate::mechanism::{ReleaseError, geometric};
use crate::noise::Generator;
use crate::population::Records;
use crate::privacy::Ledger;

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
        let records = sealed(self, subject)?;
        let mut ledger = self.whole_spending().ledger().map_err(ReleaseError::from)?;
        let size = self.released_size(records, &mut ledger, randomness)?;
        let mut outputs = match &self.steps {
            Steps::One(plan) => {
                vec![plan.take_steps(records, &mut ledger, randomness, watch)?]
            }
            Steps::Several(plan) => plan.take_steps(records, &mut ledger, randomness, watch)?,
        };
        keep_largest(&mut outputs, size);
        Ok(Fitted::linear(outputs, ledger.statement()))
    }
}

impl Plan {
    /// How many weights to keep: public, or released.
    fn released_size(
        &self,
        records: &Records,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<usize, FitError> {
        match self.size {
            Size::Public(size) => Ok(size),
            Size::Counted { lo, hi, epsilon } => {
                let count = records.lasso_count(self.lasso(lo, hi))?;
                // It comes out clipped to lo and hi.
                let noisy = geometric(&count, epsilon, ledger, randomness)?;
                Ok(self.precise(noisy))
            }
        }
    }
}

/// Keeps the `size` largest weights of all outputs together, the first of equals.
fn keep_largest(outputs: &mut [Output], size: usize) {
    let mut all: Vec<(f64, usize, u32)> = Vec::new();
    for (k, output) in outputs.iter().enumerate() {
        let weights = output.weights.iter();
        all.extend(weights.map(|&(column, weight)| (weight.abs(), k, column)));
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    all.truncate(size);
    let kept: HashSet<(usize, u32)> = all.into_iter().map(|(_, k, column)| (k, column)).collect();
    for (k, output) in outputs.iter_mut().enumerate() {
        output
            .weights
            .retain(|(column, _)| kept.contains(&(k, *column)));
    }
}
