//! The loop.

use super::super::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released,
    report_step,
};
use super::noise::VertexNoise;
use super::plan::FrankWolfePlan;
use crate::fit::ClassRates;
use crate::mechanism::{ReleaseError, exponential, gaussian, noisy_max};
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Population, RowFrame, Slopes};
use crate::privacy::Ledger;
use crate::solve::Region;
use crate::solve::Vertex;

/// A weight below this share of the radius of an ℓ₁ ball is a rounding error: every corner has ± the
/// radius on its axis, and even the first of 10⁶ steps of 2/(t+2) leaves more of it.
const RESIDUE: f64 = 1e-13;

/// Sets to zero the weights in an ℓ₁ ball that are rounding errors relative to its radius.
pub(in crate::fit) fn clear_residue(weights: &mut [f64], radius: f64) {
    for weight in weights {
        if weight.abs() <= RESIDUE * radius {
            *weight = 0.0;
        }
    }
}

impl PrivatePlan for FrankWolfePlan {
    fn header(&self) -> PlanHeader<'_> {
        PlanHeader {
            name: "frank-wolfe",
            task: self.task,
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        let risk = self.excess_risk_bound().map(|bound| {
            let meaning = "expected mean loss above the least in the region, at most (a theorem)";
            PlanEntry::number("excess risk", bound, meaning)
        });
        self.entries().into_iter().chain(risk).collect()
    }

    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let output = self.take_steps(population, rates, ledger, randomness, watch)?;
        let outputs = vec![output];
        Ok(Released::Linear(outputs))
    }
}

impl FrankWolfePlan {
    /// All of the steps, on a ledger that was opened for them.
    pub(in crate::fit) fn take_steps(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<LinearFunction, FitError> {
        let mut gradient = Gradient::ask(
            population,
            Slopes::Loss(self.loss),
            self.slope_grid,
            &RowFrame::plain(),
        )?;
        let mut weights = vec![0.0; self.facts.columns];
        // Steps start from the log-odds of the classes.
        let mut intercept = rates.map_or(0.0, |rates| rates.log_odds()[0]);
        let mass = rates.map_or(1.0, |rates| rates.mass);
        gradient.set_intercepts(&[intercept]);
        let total = self.iterations.get();
        for t in 0..total {
            report_step(watch, t, total, ledger)?;
            let vertex = self.vertex(&mut gradient, ledger, randomness)?;
            intercept = self.moved((intercept, mass), t, &mut gradient, ledger, randomness)?;
            let size = self.step_rule.size(t);
            vertex.pull(&mut weights, size);
            gradient.step(&[(0, vertex)], size);
            gradient.set_intercepts(&[intercept]);
        }
        // Corners of both signs may cancel up to rounding errors, which become zeros. (The weights
        // are a function of what was released, and so is this.) On the simplex nothing cancels, and
        // elsewhere a weight may truly be that small.
        if let Region::L1 { radius } = self.region {
            clear_residue(&mut weights, radius);
        }
        Ok(LinearFunction::of(&weights, intercept))
    }

    /// The vertex to move towards: a released choice, or a function of a released gradient.
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

    /// The intercept after step `t`: a Newton step with the largest possible curvature of records that
    /// count for so much in the mean, shorter as the steps go on, so that their noise averages out.
    fn moved(
        &self,
        (intercept, mass): (f64, f64),
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
        let slope = sum / (mass * self.facts.records as f64);
        let damping = 4.0 / (t as f64 + 4.0);
        let bound = self.intercept_bound();
        Ok((intercept - damping * slope / self.loss.curvature()).clamp(-bound, bound))
    }
}
