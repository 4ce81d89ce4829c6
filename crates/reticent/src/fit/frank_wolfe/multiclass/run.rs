//! The loop.

use super::entry_bound;
use super::noise::Choice;
use super::plan::MulticlassFrankWolfePlan;
use crate::fit::ClassRates;
use crate::fit::frank_wolfe::clear_residue;
use crate::fit::{
    FitError, LinearFunction, PlanEntry, PlanHeader, PrivatePlan, ProgressObserver, Released, Task,
    report_step,
};
use crate::mechanism::{ReleaseError, exponential, exponential_each, gaussian};
use crate::noise::{Aim, Generator};
use crate::population::{Gradient, Population, RowFrame, Slopes};
use crate::privacy::Ledger;
use crate::solve::Vertex;

/// The largest curvature of the multinomial loss in the intercepts (Böhning 1992).
const CURVATURE: f64 = 0.5;

impl PrivatePlan for MulticlassFrankWolfePlan {
    fn header(&self) -> PlanHeader<'_> {
        let classes = self.classes;
        PlanHeader {
            name: "frank-wolfe",
            task: Task::Multinomial { classes },
            facts: self.facts,
            spending: &self.spending,
        }
    }

    fn parameters(&self) -> Vec<PlanEntry> {
        self.entries()
    }

    fn release(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Released, FitError> {
        let outputs = self.take_steps(population, rates, ledger, randomness, watch)?;
        Ok(Released::Linear(outputs))
    }
}

impl MulticlassFrankWolfePlan {
    /// All of the steps, on a ledger that was opened for them.
    pub(in crate::fit) fn take_steps(
        &self,
        population: &dyn Population,
        rates: Option<&ClassRates>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Vec<LinearFunction>, FitError> {
        let mut gradient = Gradient::ask(
            population,
            Slopes::Classes,
            self.slope_grid,
            &RowFrame::plain(),
        )?;
        let mut weights = vec![vec![0.0; self.facts.columns]; self.classes as usize];
        // Steps start from the logarithms of the classes' shares.
        let mut intercepts = match rates {
            Some(rates) => rates.log_odds(),
            None => vec![0.0; self.classes as usize],
        };
        let mass = rates.map_or(1.0, |rates| rates.mass);
        gradient.set_intercepts(&intercepts);
        let total = self.iterations.get();
        for t in 0..total {
            report_step(watch, t, total, ledger)?;
            let towards = self.vertices(&mut gradient, ledger, randomness)?;
            self.move_intercepts(
                (&mut intercepts, mass),
                t,
                &mut gradient,
                ledger,
                randomness,
            )?;
            let size = self.step_rule.size(t);
            gradient.step(&towards, size);
            gradient.set_intercepts(&intercepts);
            for weight in weights.iter_mut().flatten() {
                *weight *= 1.0 - size;
            }
            for (class, vertex) in &towards {
                if let Vertex::Axis { column, value } = vertex {
                    weights[*class][*column] += size * value;
                }
            }
        }
        let output = |(weights, intercept): (&mut Vec<f64>, f64)| {
            // Vertices of both signs may cancel up to rounding errors.
            clear_residue(weights, self.radius);
            LinearFunction::of(weights, intercept)
        };
        Ok(weights.iter_mut().zip(intercepts).map(output).collect())
    }

    /// The vertices to move towards: one, or one per class.
    fn vertices(
        &self,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vec<(usize, Vertex)>, ReleaseError> {
        let width = self.facts.columns;
        // The winner among both signs of `count` values, as a value's number and a radius.
        let signed = |winner: usize, count: usize| {
            let sign = if winner < count { 1.0 } else { -1.0 };
            (winner % count, sign * self.radius)
        };
        match self.noise.choice {
            Choice::Whole(range) => {
                let scores = gradient.columns().signed_scores();
                let winner = exponential(&scores, Aim::Lowest, range, ledger, randomness)?;
                let (place, value) = signed(winner, width * self.classes as usize);
                let column = place % width;
                Ok(vec![(place / width, Vertex::Axis { column, value })])
            }
            Choice::PerClass(rho) => {
                let scores = gradient.by_class();
                let winners = exponential_each(&scores, Aim::Lowest, rho, ledger, randomness)?;
                let vertex = |winner| {
                    let (column, value) = signed(winner, width);
                    Vertex::Axis { column, value }
                };
                Ok(winners.into_iter().map(vertex).enumerate().collect())
            }
        }
    }

    /// The intercepts after step `t`: a Newton step with the largest possible curvature of records that
    /// count for so much in the mean, shorter as the steps go on, so that their noise averages out.
    fn move_intercepts(
        &self,
        (intercepts, mass): (&mut [f64], f64),
        t: u64,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<(), ReleaseError> {
        let Some(noise) = self.noise.intercepts else {
            return Ok(());
        };
        let released = gaussian(&gradient.intercepts(), noise, ledger, randomness)?;
        let damping = 4.0 / (t as f64 + 4.0);
        let bound = self.intercept_bound();
        for (intercept, sum) in intercepts.iter_mut().zip(released.to_real()) {
            let slope = sum / (mass * self.facts.records as f64);
            *intercept = (*intercept - damping * slope / CURVATURE).clamp(-bound, bound);
        }
        Ok(())
    }

    /// Intercepts are clipped to ± this: as far as the weights can move a margin, or as far as
    /// those of the largest default radius can.
    fn intercept_bound(&self) -> f64 {
        let margin = entry_bound(&self.facts) * self.radius;
        margin.max(5.0 / CURVATURE)
    }
}
