//! The loop.

use super::super::flow::{Ground, Progress, keep_largest};
use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, Planned, Subject, Task, Watch, sealed,
};
use super::plan::{Plan, RoundFit};
use crate::mechanism::ReleaseError;
use crate::noise::Generator;

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

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Spends(&self.spending)
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
            let intercepts = start.run(population, &self.facts, &mut ledger, randomness)?;
            start.put(&intercepts, self.constant, &mut weights);
        }
        let mut variances = vec![0.0; weights.len()];
        let mut columns = Vec::new();
        for round in &self.rounds {
            match &round.choice {
                Some(choice) => {
                    let table = (population, &self.facts);
                    choice.run(table, &weights, &mut columns, &mut ledger, randomness)?;
                }
                None => columns = (0..self.facts.columns as u32).collect(),
            }
            let ground = Ground {
                population,
                facts: &self.facts,
                columns: &columns,
                centre: &[],
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
        let outputs = weights.chunks(block).map(output).collect();
        Ok(Fitted::linear(outputs, ledger.statement()))
    }
}

/// The garrote: how much is kept of a weight in which there is so much noise, squared.
fn kept(weight: f64, noise: f64) -> f64 {
    if noise == 0.0 {
        return 1.0;
    }
    (1.0 - noise / (weight * weight)).max(0.0)
}
