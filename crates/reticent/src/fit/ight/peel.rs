//! Peeling: noisy gradient steps that pay only for the weights that they keep.

use std::num::NonZeroU64;

use super::super::noisy_descent::{Progress, longest, selection, set_weights, slope_grid};
use super::super::spending::multiplier;
use super::super::{Facts, FitError};
use super::{Ight, defaults};
use crate::loss::Loss;
use crate::mechanism::{gaussian, top_k};
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Length, Population, RowFrame, Slopes};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Range};
use crate::table::RecordBound;

/// The steps of peeling (Cai, Wang and Zhang 2021, algorithm 2, with the exponential mechanism in
/// the place of Laplace noise).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Peeling {
    pub steps: NonZeroU64,
    /// s.
    nonzero: usize,
    /// R.
    slope: f64,
    /// b₀.
    constant: f64,
    /// Of each selection.
    range: Range,
    /// Of the s + 1 values.
    noise: NoiseMultiplier,
    /// The first step, η₀, on the mean gradient; ηₜ = η₀/(t + 1).
    size: f64,
}

impl Peeling {
    /// The steps where the whole plan costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier, given: &Ight, facts: &Facts, loss: Loss, constant: f64) -> Self {
        let steps = given.iterations.unwrap_or(defaults::cutting_steps());
        let nonzero = given.nonzero.unwrap_or(facts.columns);
        let share_per_step = 1.0 / steps.get() as f64;
        let share = defaults::PEELING_SHARE;
        Self {
            steps,
            nonzero,
            slope: defaults::slope(given.task, loss),
            constant,
            range: selection(z, share * share_per_step, nonzero),
            noise: multiplier(z.get() / ((1.0 - share) * share_per_step).sqrt()),
            size: 1.0 / (defaults::mean_square(facts) * defaults::mean_curvature(loss)),
        }
    }

    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let selections = self
            .steps
            .saturating_mul(NonZeroU64::new(self.nonzero as u64).unwrap_or(NonZeroU64::MIN));
        let range = self.range;
        vec![
            Charge::new(Event::Exponential { range }, selections),
            Charge::new(Event::Gaussian { noise: self.noise }, self.steps),
        ]
    }

    /// The standard deviation of the noise on a value that is kept, in the mean gradient.
    pub fn gradient_noise(&self, facts: &Facts, adjacency: Adjacency) -> f64 {
        let kept = self.nonzero as f64;
        let length = match facts.rows {
            RecordBound::L2(bound) => bound,
            RecordBound::Linf(bound) => bound * kept.sqrt(),
        };
        let length = length.hypot(self.constant);
        Gradient::moved(adjacency, self.slope, length) * self.noise.get() / facts.records as f64
    }

    /// Takes the steps: one weight per column, and the constant's.
    pub fn run(
        &self,
        population: &dyn Population,
        facts: &Facts,
        loss: Loss,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let sd = self.gradient_noise(facts, ledger.adjacency());
        let grid = slope_grid(facts, ledger.adjacency(), self.slope, sd)?;
        let frame = RowFrame {
            slope: self.slope,
            length: Length::Within(longest(facts, self.constant)),
            centre: &[],
            scales: &[],
            constant: self.constant,
            offsets: &[],
        };
        let mut gradient = Gradient::ask(population, Slopes::Loss(loss), grid, &frame)?;
        let columns = facts.columns;
        let mut weights = vec![0.0; columns + 1];
        for t in 0..self.steps.get() {
            progress.step(ledger)?;
            // −ηₜ/n: the point w − ηₜ·g is this times g·n − w·n/ηₜ, which can be a query. The
            // second moments are a guess; shorter steps compensate for one that is too low.
            let factor = -self.size / ((t as f64 + 1.0) * facts.records as f64);
            set_weights(&mut gradient, &weights, self.constant, &[]);
            let shifts: Vec<f64> = weights.iter().map(|w| w / factor).collect();
            let all: Vec<usize> = (0..columns).collect();
            let scores = gradient.all().shifted(&shifts).at(&all).magnitudes();
            let mut kept = top_k(
                &scores,
                self.nonzero,
                Aim::Highest,
                self.range,
                ledger,
                randomness,
            )?;
            kept.sort_unstable();
            kept.push(columns);
            let values = gradient.all().shifted(&shifts).at(&kept);
            let released = gaussian(&values, self.noise, ledger, randomness)?;
            weights.fill(0.0);
            for (place, value) in kept.into_iter().zip(released.to_real()) {
                weights[place] = factor * value;
            }
            if self.constant == 0.0 {
                weights[columns] = 0.0;
            }
        }
        Ok(weights)
    }
}
