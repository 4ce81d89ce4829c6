//! The intercept, fitted before any column is chosen.
//!
//! A column is chosen by the size of its gradient. At weights 0 and without an intercept that is
//! the mean of the column times the imbalance of the classes: a column that hardly varies would be
//! among the first. So the intercepts are fitted first, alone, to the same clipped loss that
//! columns are chosen by: then the gradient of a constant is 0, and columns count by their
//! information. It costs very little: one number per function. For numbers this is the mean inside
//! the target frame, which is the whole model where features say no more than noise.
//!
//! *Privacy.* Each step is a Gaussian release of the sums of the clipped slopes (several classes: of
//! the residuals, clipped in norm), whose sensitivity is the query's own, under the ledger's
//! adjacency. Steps depend only on earlier releases, the plan fixes their noise, and a planned
//! ledger covers them.

use std::num::NonZeroU64;

use super::super::noisy_descent::{noise_per_step, slope_grid};
use super::super::{Facts, FitError, Task};
use super::defaults;
use super::fit::clipped;
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{Gradient, Population, RowFrame};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier};
use crate::table::RecordBound;

/// Noisy Newton steps of the intercepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InterceptFirst {
    pub task: Task,
    pub steps: NonZeroU64,
    /// The noise of a step.
    pub noise: NoiseMultiplier,
}

impl InterceptFirst {
    /// With a share of a plan that costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier, share: f64, task: Task) -> Self {
        let steps = defaults::intercept_steps(task);
        Self {
            task,
            steps,
            noise: noise_per_step(z, share, steps),
        }
    }

    /// What it will charge.
    pub fn charge(&self) -> Charge {
        Charge::new(Event::Gaussian { noise: self.noise }, self.steps)
    }

    /// The intercepts, one per function.
    pub fn run(
        &self,
        population: &dyn Population,
        facts: &Facts,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vec<f64>, FitError> {
        let (slopes, slope) = clipped(self.task, 1.0, true);
        let count = facts.records as f64;
        let noise = Gradient::moved(ledger.adjacency(), slope, 1.0) * self.noise.get() / count;
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        // The grid takes the noise on a feature, which is `bound` times that on a slope.
        let grid = slope_grid(facts, ledger.adjacency(), slope, noise * bound)?;
        let mut intercepts = vec![0.0; self.task.outputs()];
        for _ in 0..self.steps.get() {
            let frame = RowFrame::clipped(slope);
            let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
            gradient.set_intercepts(&intercepts);
            let released = gaussian(&gradient.intercepts(), self.noise, ledger, randomness)?;
            let curvatures = self.curvatures(&intercepts);
            let pairs = intercepts
                .iter_mut()
                .zip(released.to_real())
                .zip(curvatures);
            for ((intercept, sum), curvature) in pairs {
                let most = defaults::MOST_CHANGE;
                *intercept -= (sum / count / curvature).clamp(-most, most);
            }
        }
        if self.task == Task::Linear {
            // No mean lies beyond the largest target.
            intercepts.iter_mut().for_each(|b| *b = b.clamp(-1.0, 1.0));
        }
        Ok(intercepts)
    }

    /// The standard deviation of the noise of the mean that a linear model starts from.
    pub fn deviation(&self, facts: &Facts, adjacency: Adjacency) -> f64 {
        Gradient::moved(adjacency, 1.0, 1.0) * self.noise.get() / facts.records as f64
    }

    /// Puts intercepts behind the columns of their functions, as weights of a constant.
    pub fn store_in(&self, intercepts: &[f64], constant: f64, weights: &mut [f64]) {
        let block = weights.len() / intercepts.len();
        for (weights, intercept) in weights.chunks_mut(block).zip(intercepts) {
            weights[block - 1] = intercept / constant;
        }
    }

    /// The second derivative of the loss in each intercept, at weights 0.
    fn curvatures(&self, intercepts: &[f64]) -> Vec<f64> {
        match self.task {
            Task::Linear => vec![1.0],
            Task::Logistic => {
                let share = 1.0 / (1.0 + (-intercepts[0]).exp());
                vec![(share * (1.0 - share)).max(defaults::LEAST_INTERCEPT_CURVATURE)]
            }
            Task::Multinomial { classes } => {
                let total: f64 = intercepts.iter().map(|b| b.exp()).sum();
                let curvature =
                    |b: &f64| defaults::class_curvature(b.exp() / total, f64::from(classes), 1.0);
                intercepts.iter().map(curvature).collect()
            }
        }
    }
}
