//! The loop.

use std::ops::ControlFlow;

use super::super::{FitError, Fitted, Watch};
use super::noise::VertexNoise;
use super::plan::Plan;
use crate::data::{Gradient, Records, Vertex};
use crate::mechanism::{ReleaseError, exponential, gaussian, noisy_max};
use crate::noise::{Aim, Randomness};
use crate::privacy::Ledger;
use crate::solve::Region;

/// A weight below this share of the ℓ₁ radius is rounding: even the first of 10⁶ steps of
/// 2/(t+2) leaves more.
const RESIDUE: f64 = 1e-13;

impl Plan {
    /// Fits: opens a ledger for exactly the plan's charges, and takes the plan's steps.
    pub fn run<R: Randomness>(
        &self,
        records: &Records,
        randomness: &mut R,
        watch: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        self.check(records)?;
        let mut ledger = Ledger::planned(self.budget(), self.adjacency, self.charges().to_vec())
            .map_err(ReleaseError::from)?;
        let mut gradient = records.gradient(self.loss, self.slope_grid)?;
        let mut weights = vec![0.0; self.facts.columns];
        let mut intercept = 0.0;
        let total = self.iterations.get();
        for t in 0..total {
            if let ControlFlow::Break(()) = watch.step(t, total) {
                return Err(FitError::Stopped {
                    done: t,
                    total,
                    statement: Box::new(ledger.statement()),
                });
            }
            let vertex = self.vertex(&mut gradient, &mut ledger, randomness)?;
            intercept = self.moved(intercept, t, &mut gradient, &mut ledger, randomness)?;
            let size = self.steps.size(t);
            gradient.step(&vertex, size);
            gradient.set_intercept(intercept);
            vertex.pull(&mut weights, size);
        }
        // Corners of both signs may cancel, and leave what floats round: that is a zero. (The
        // weights are a function of what was released, and so is this.)
        let residue = RESIDUE * self.region.l1_radius(self.facts.columns);
        let kept = weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| weight.abs() > residue);
        Ok(Fitted {
            // A table has at most 2³² columns.
            weights: kept.map(|(j, weight)| (j as u32, *weight)).collect(),
            intercept,
            statement: ledger.statement(),
        })
    }

    /// The plan's facts must be the records'. Under add-remove adjacency the number of records
    /// is not asked: the declared one takes its place.
    fn check(&self, records: &Records) -> Result<(), FitError> {
        let planned = self.facts;
        let count = records
            .count()
            .map_or(planned.records, |count| count as u64);
        let same = records.adjacency() == self.adjacency
            && records.width() == planned.columns
            && records.bound() == planned.rows
            && count == planned.records;
        if same {
            return Ok(());
        }
        let told = |records, columns, rows, adjacency| {
            format!("{records} records of {columns} columns, {rows:?}, {adjacency} adjacency")
        };
        Err(FitError::Facts {
            planned: told(
                planned.records,
                planned.columns,
                planned.rows,
                self.adjacency,
            ),
            given: told(count, records.width(), records.bound(), records.adjacency()),
        })
    }

    /// Where to go: a released choice, or a function of a released gradient.
    fn vertex<R: Randomness>(
        &self,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut R,
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
    fn moved<R: Randomness>(
        &self,
        intercept: f64,
        t: u64,
        gradient: &mut Gradient<'_>,
        ledger: &mut Ledger,
        randomness: &mut R,
    ) -> Result<f64, ReleaseError> {
        let Some(noise) = self.noise.intercept else {
            return Ok(intercept);
        };
        let released = gaussian(&gradient.of_intercept(), noise, ledger, randomness)?;
        let sum: f64 = released.to_real().iter().sum();
        let slope = sum / self.facts.records as f64;
        let damping = 4.0 / (t as f64 + 4.0);
        let bound = self.intercept_bound();
        Ok((intercept - damping * slope / self.loss.curvature()).clamp(-bound, bound))
    }
}
