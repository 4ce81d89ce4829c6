//! The loop.

use super::super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, Planned, Subject, Task, Watch, sealed,
    watched,
};
use super::noise::VertexNoise;
use super::plan::Plan;
use crate::mechanism::{ReleaseError, exponential, gaussian, noisy_max};
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Population, RowFrame, Slopes};
use crate::privacy::Ledger;
use crate::solve::Region;
use crate::solve::Vertex;

/// A weight below this share of the ℓ₁ radius is rounding: even the first of 10⁶ steps of
/// 2/(t+2) leaves more.
const RESIDUE: f64 = 1e-13;

/// Makes zeros of the weights that are rounding beside `radius`.
pub(in crate::fit) fn clear_residue(weights: &mut [f64], radius: f64) {
    for weight in weights {
        if weight.abs() <= RESIDUE * radius {
            *weight = 0.0;
        }
    }
}

impl Planned for Plan {
    fn name(&self) -> &'static str {
        "frank-wolfe"
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
        let output = self.take_steps(population, &mut ledger, randomness, watch)?;
        let outputs = vec![output];
        Ok(Fitted::linear(outputs, ledger.statement()))
    }
}

impl Plan {
    /// All of the steps, on a ledger that was opened for them.
    pub(in crate::fit) fn take_steps(
        &self,
        population: &dyn Population,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn Watch,
    ) -> Result<Output, FitError> {
        let mut gradient = Gradient::ask(
            population,
            Slopes::Loss(self.loss),
            self.slope_grid,
            &RowFrame::plain(),
        )?;
        let mut weights = vec![0.0; self.facts.columns];
        let mut intercept = 0.0;
        let total = self.iterations.get();
        for t in 0..total {
            watched(watch, t, total, ledger)?;
            let vertex = self.vertex(&mut gradient, ledger, randomness)?;
            intercept = self.moved(intercept, t, &mut gradient, ledger, randomness)?;
            let size = self.steps.size(t);
            vertex.pull(&mut weights, size);
            gradient.step(&[(0, vertex)], size);
            gradient.set_intercepts(&[intercept]);
        }
        // Corners of both signs may cancel, and leave what floats round: that is a zero. (The
        // weights are a function of what was released, and so is this.)
        clear_residue(&mut weights, self.region.l1_radius(self.facts.columns));
        Ok(Output::of(&weights, intercept))
    }

    /// Where to go: a released choice, or a function of a released gradient.
    fn vertex(
        &self,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vertex, FitError> {
        let query = gradient.columns();
        if let VertexNoise::Gaussian(noise) = self.noise.vertex {
            let released = gaussian(&query, noise, ledger, randomness)?;
            return Ok(self.region.least(&released.to_real()));
        }
        let scores = match &self.region {
            Region::Simplex { .. } => query.scores(),
            Region::Polytope(vertices) => query.at_vertices(&vertices.points)?,
            _ => query.signed_scores(),
        };
        let winner = match self.noise.vertex {
            VertexNoise::NoisyMax(epsilon) => {
                noisy_max(&scores, Aim::Lowest, epsilon, ledger, randomness)?
            }
            VertexNoise::Exponential(range) => {
                exponential(&scores, Aim::Lowest, range, ledger, randomness)?
            }
            VertexNoise::Gaussian(_) => unreachable!("returned above"),
        };
        Ok(self.region.corner(winner, self.facts.columns))
    }

    /// The intercept after step `t`: a Newton step with the largest curvature there can be,
    /// shorter as the steps go on, so that their noise averages out.
    fn moved(
        &self,
        intercept: f64,
        t: u64,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<f64, ReleaseError> {
        let Some(noise) = self.noise.intercept else {
            return Ok(intercept);
        };
        let released = gaussian(&gradient.intercepts(), noise, ledger, randomness)?;
        let sum: f64 = released.to_real().iter().sum();
        let slope = sum / self.facts.records as f64;
        let damping = 4.0 / (t as f64 + 4.0);
        let bound = self.intercept_bound();
        Ok((intercept - damping * slope / self.loss.curvature()).clamp(-bound, bound))
    }
}
