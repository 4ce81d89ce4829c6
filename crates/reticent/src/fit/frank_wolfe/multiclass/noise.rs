//! The noise of a step, and what it costs.

use std::num::NonZeroU64;

use super::{Ball, entry_bound};
use crate::fit::Facts;
use crate::fit::frank_wolfe::noise::range;
use crate::fit::spending::multiplier;
use crate::population::Gradient;
use crate::privacy::{Adjacency, Charge, Event, NoiseMultiplier, Range, Rho};

/// The noise of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    pub choice: Choice,
    pub intercepts: Option<NoiseMultiplier>,
}

/// The noise of the choice of vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Choice {
    /// One vertex of the whole ball.
    Whole(Range),
    /// One of each class's ball.
    PerClass(Rho),
}

impl Noise {
    /// The noise of a step as a function of one multiplier z: a step costs ρ = 1/(2z²) in all, of
    /// which the intercepts have their share.
    pub fn at(z: NoiseMultiplier, ball: Ball, share: Option<f64>) -> Self {
        let z = z.get();
        let left = 1.0 - share.unwrap_or(0.0);
        let choice = match ball {
            // ρ = η²/8.
            Ball::Whole => Choice::Whole(range(2.0 * left.sqrt() / z)),
            Ball::PerClass => {
                let rho = (left / (2.0 * z * z)).max(f64::MIN_POSITIVE);
                // z is between 1e-6 and 1e12.
                Choice::PerClass(Rho::new(rho).expect("a finite number above 0"))
            }
        };
        Self {
            choice,
            intercepts: share.map(|share| multiplier(z / share.sqrt())),
        }
    }

    /// What `iterations` steps charge.
    pub fn charges(&self, iterations: NonZeroU64) -> Vec<Charge> {
        let choice = match self.choice {
            Choice::Whole(range) => Event::Exponential { range },
            Choice::PerClass(rho) => Event::Zcdp { rho },
        };
        let intercepts = self.intercepts.map(|noise| Event::Gaussian { noise });
        let events = std::iter::once(choice).chain(intercepts);
        events.map(|event| Charge::new(event, iterations)).collect()
    }

    /// The scale of the Gumbel noise on a coordinate of the mean gradient.
    pub fn of_gradient(&self, facts: &Facts, adjacency: Adjacency) -> f64 {
        let moved = Gradient::moved(adjacency, 1.0, entry_bound(facts)) / facts.records as f64;
        match self.choice {
            Choice::Whole(range) => 2.0 * moved / range.get(),
            // rate² = 8ρ/S with S = 8·moved².
            Choice::PerClass(rho) => moved / rho.get().sqrt(),
        }
    }

    /// The standard deviation of the noise on the mean residual of a class, if there are
    /// intercepts.
    pub fn of_intercepts(&self, facts: &Facts, adjacency: Adjacency) -> Option<f64> {
        let moved = Gradient::moved(adjacency, 2f64.sqrt(), 1.0) / facts.records as f64;
        self.intercepts.map(|noise| moved * noise.get())
    }
}
