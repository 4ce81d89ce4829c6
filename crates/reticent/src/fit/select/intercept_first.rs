//! The mean of a number, found before any column is chosen.
//!
//! A column is chosen by the size of its gradient. At weights 0 and without an intercept that is
//! the mean of the column times that of the target: a column that hardly varies would be among the
//! first. At the mean the gradient of a constant is 0, and columns count by their information. (For
//! classes the released class counts serve the same end.)
//!
//! *Privacy.* A Gaussian release of the sum of the clipped residuals, whose sensitivity is the query's
//! own, under the ledger's adjacency; the plan fixes its noise.

use std::num::NonZeroU64;

use super::super::noisy_descent::{noise_per_step, slope_grid};
use super::super::{Facts, FitError, Task};
use super::fit::clipped;
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{Gradient, Population, RowFrame};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier};
use crate::table::RecordBound;

/// A noisy mean of the targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct InterceptFirst {
    noise: NoiseMultiplier,
}

impl InterceptFirst {
    /// With a share of a plan that costs ρ = 1/(2z²).
    pub fn new(z: NoiseMultiplier, share: f64) -> Self {
        Self {
            noise: noise_per_step(z, share, NonZeroU64::MIN),
        }
    }

    /// What it will charge.
    pub fn charge(&self) -> Charge {
        Charge::once(Event::Gaussian { noise: self.noise })
    }

    /// The mean: targets lie in [−1, 1], and so does what is returned.
    pub fn run(
        &self,
        population: &dyn Population,
        facts: &Facts,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<f64, FitError> {
        let (slopes, slope) = clipped(Task::Linear, 1.0, true);
        let noise = self.deviation(facts, ledger.adjacency());
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        // The grid takes the noise on a feature, which is `bound` times that on a slope.
        let grid = slope_grid(facts, ledger.adjacency(), slope, noise * bound)?;
        let frame = RowFrame::clipped(slope);
        let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
        let released = gaussian(&gradient.intercepts(), self.noise, ledger, randomness)?;
        let sum: f64 = released.to_real().iter().sum();
        Ok((-sum / facts.records as f64).clamp(-1.0, 1.0))
    }

    /// The standard deviation of the noise of the mean.
    pub fn deviation(&self, facts: &Facts, adjacency: Adjacency) -> f64 {
        Gradient::moved(adjacency, 1.0, 1.0) * self.noise.get() / facts.records as f64
    }
}
