//! The loop.

use super::super::flow::{Ground, Progress, apart, keep_largest, slope_grid};
use super::super::{
    Facts, FitError, Fitted, Line, Output, Planned, Spending, Task, Watch, check_records,
};
use super::fit::{clipped, find_scale, set};
use super::plan::{Plan, Round, RoundFit};
use crate::data::{RecordBound, Records};
use crate::mechanism::{ReleaseError, top_k};
use crate::noise::{Aim, Randomness};
use crate::privacy::{Ledger, Range};

impl Planned for Plan {
    fn name(&self) -> &'static str {
        "select"
    }

    fn task(&self) -> Task {
        self.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn spending(&self) -> &Spending {
        &self.spending
    }

    fn outline(&self) -> Vec<Line> {
        self.lines()
    }

    fn run<R: Randomness>(
        &self,
        records: &Records,
        randomness: &mut R,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        check_records(self, records)?;
        let mut ledger = self.spending.ledger().map_err(ReleaseError::from)?;
        let mut progress = Progress {
            watch,
            done: 0,
            total: self.steps(),
        };
        // Function after function, one a column, and the constant's.
        let block = self.facts.columns + 1;
        let mut weights = vec![0.0; block * self.task.outputs()];
        if let Some(start) = &self.start {
            let intercepts = start.run(records, &self.facts, &mut ledger, randomness)?;
            for (weights, intercept) in weights.chunks_mut(block).zip(intercepts) {
                weights[block - 1] = intercept / self.constant;
            }
        }
        let mut variances = vec![0.0; weights.len()];
        let mut columns = Vec::new();
        for round in &self.rounds {
            self.choose(
                round,
                records,
                &weights,
                &mut columns,
                &mut ledger,
                randomness,
            )?;
            let ground = Ground {
                records,
                facts: &self.facts,
                columns: &columns,
            };
            let of_function: Vec<usize> = columns
                .iter()
                .map(|j| *j as usize)
                .chain([block - 1])
                .collect();
            let places: Vec<usize> = (0..self.task.outputs())
                .flat_map(|k| of_function.iter().map(move |place| k * block + place))
                .collect();
            let start = places.iter().map(|place| weights[*place]).collect();
            let found = match &round.fit {
                RoundFit::Gradients(fit) => {
                    fit.run(&ground, start, &mut ledger, randomness, &mut progress)?
                }
                RoundFit::Statistics(fit) => {
                    fit.run(&ground, &mut ledger, randomness, &mut progress)?
                }
            };
            for (k, &place) in places.iter().enumerate() {
                weights[place] = found.weights[k];
                variances[place] = found.variances[k];
            }
        }
        let outputs = weights.chunks_mut(block).zip(variances.chunks(block));
        for (weights, variances) in outputs {
            for (weight, variance) in weights.iter_mut().zip(variances).take(block - 1) {
                *weight *= kept(*weight, self.shrinkage * variance);
            }
        }
        keep_largest(&mut weights, self.nonzero, block);
        let output =
            |weights: &[f64]| Output::of(&weights[..block - 1], self.constant * weights[block - 1]);
        Ok(Fitted {
            outputs: weights.chunks(block).map(output).collect(),
            statement: ledger.statement(),
        })
    }
}

/// The garrote: how much is kept of a weight in which there is so much noise, squared.
fn kept(weight: f64, noise: f64) -> f64 {
    if noise == 0.0 {
        return 1.0;
    }
    (1.0 - noise / (weight * weight)).max(0.0)
}

impl Plan {
    /// Chooses a round's columns among those that are not chosen yet.
    fn choose<R: Randomness>(
        &self,
        round: &Round,
        records: &Records,
        weights: &[f64],
        chosen: &mut Vec<u32>,
        ledger: &mut Ledger,
        randomness: &mut R,
    ) -> Result<(), FitError> {
        let width = self.facts.columns;
        let Some((count, range)) = round.choice else {
            *chosen = (0..width as u32).collect();
            return Ok(());
        };
        let scale = match round.scale {
            Some(range) => find_scale(records, weights, self.constant, range, ledger, randomness)?,
            None => 1.0,
        };
        let (loss, slope) = clipped(self.task, scale, chosen.is_empty());
        let noise = self.choice_noise(slope, range, ledger);
        let grid = slope_grid(&self.facts, ledger.adjacency(), slope, noise)?;
        let left: Vec<usize> = (0..width)
            .filter(|j| chosen.binary_search(&(*j as u32)).is_err())
            .collect();
        let scores = match self.task {
            Task::Multinomial { .. } => {
                let mut gradient = records.class_gradient_clipped(grid, slope)?;
                set(&mut gradient, weights, self.constant);
                gradient.column_norms(&left)
            }
            Task::Logistic | Task::Linear => {
                let mut gradient = records.gradient_clipped(loss, grid, slope)?;
                gradient.set_weights(&weights[..width]);
                gradient.set_intercept(self.constant * weights[width]);
                gradient.columns().at(&left).magnitudes()
            }
        };
        // At most s of them.
        let count = count.get() as usize;
        let winners = top_k(&scores, count, Aim::Highest, range, ledger, randomness)?;
        chosen.extend(winners.into_iter().map(|winner| left[winner] as u32));
        chosen.sort_unstable();
        Ok(())
    }

    /// The scale of the Gumbel noise of a choice, on the mean gradient.
    fn choice_noise(&self, slope: f64, range: Range, ledger: &Ledger) -> f64 {
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = self.facts.rows;
        let moved = apart(ledger.adjacency()) * slope * bound / self.facts.records as f64;
        2.0 * moved / range.get()
    }
}
