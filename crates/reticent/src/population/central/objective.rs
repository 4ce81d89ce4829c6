//! An objective that a mechanism may perturb and minimise, and nobody else.

#[cfg(test)]
mod coupled;

use super::CentralRecords;
use super::minimiser::{
    Bounds, MinimiserError, RegularisedLoss, Restricted, grid_under, on_grid, steps_for,
};
use crate::mechanism::ReleaseKey;
use crate::noise::Grid;
#[cfg(test)]
use crate::population::query::mutant;
use crate::population::query::{Query, Sensitivity};
use crate::privacy::Adjacency;

/// (1/n)·Σ ℓ(x·w, y) + (λ/2)·‖w − v‖₂² over the enforced records, with the logistic loss.
///
/// Its value, gradient and minimiser stay inside: there is no getter, `Debug`, `Clone` or
/// `Serialize`. What leaves goes through [`objective`](crate::mechanism::objective()).
pub struct Objective<'a> {
    records: CentralRecords<'a>,
    what: RegularisedLoss<'a>,
    bounds: Bounds,
}

/// 2³⁵: a grid under x has a step of at least 2⁻²⁷·x.
const LONGEST: f64 = (1u64 << 35) as f64;

/// The point that is found, as a question.
const POINT: &str = "perturbed minimiser";

/// What perturbing an objective takes and gives, for one ε: public numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Perturbation {
    /// The number of weights, the intercept among them.
    pub coordinates: usize,
    /// The grid of b.
    pub grid: Grid,
    /// β, per step of that grid; rounded down.
    pub rate: f64,
    /// How far apart two neighbours' points can be, given the exact minimiser.
    pub sensitivity: Sensitivity,
    /// 2τ/λ.
    loose: f64,
    /// What the norm of b/n is supposed to be at most.
    linear: f64,
}

impl<'a> CentralRecords<'a> {
    /// The objective of a regularised logistic loss.
    pub fn objective(self, what: &RegularisedLoss<'a>) -> Result<Objective<'a>, MinimiserError> {
        if !what.loss.is_smooth() {
            return Err(MinimiserError::NotSmooth);
        }
        let bounds = self.bounds_of(what, 0.0)?;
        #[cfg(test)]
        let bounds = coupled::shrunk(bounds);
        Ok(Objective {
            records: self,
            what: *what,
            bounds,
        })
    }
}

impl Objective<'_> {
    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.records.records.adjacency
    }

    /// The least ε there can be: log(1 + c·B²/(nλ)), what the change of volume costs.
    pub fn least_epsilon(&self) -> f64 {
        let volume = self.bounds.curvature.ln_1p() * (1.0 + 1e-12);
        #[cfg(test)]
        let volume = mutant::part("volume", volume);
        volume
    }

    /// The noise that `epsilon` asks for.
    pub(crate) fn perturbation(
        &self,
        epsilon: f64,
        _: &ReleaseKey,
    ) -> Result<Perturbation, MinimiserError> {
        let least = self.least_epsilon();
        // ε = a·R·B·β + log(1 + cB²/(nλ)), solved for β and rounded down.
        let beta = (epsilon - least) / self.bounds.of_sum * (1.0 - 1e-12);
        if !(beta > 0.0 && beta.is_finite()) {
            let given = epsilon;
            return Err(MinimiserError::Epsilon { given, least });
        }
        let coordinates = self.bounds.coordinates;
        let (k, n) = (coordinates as f64, self.what.records as f64);
        let most = (4.0 * k + 4096.0) / beta;
        let linear = most / n;
        let bounds = self.records.bounds_of(&self.what, linear)?;
        // So coarse that every ‖b‖ ≤ (4k + 4096)/β is below 2⁶² steps, and no sampler stops short: a b
        // that were clamped would not make ŵ the minimiser, on either of two neighbours.
        let grid = grid_under((self.bounds.of_sum / 16.0).max(most / LONGEST))?;
        let rounding = k.sqrt() * grid.step() / (2.0 * n);
        let loose = (bounds.loose + 2.0 * rounding / self.what.lambda) * (1.0 + 1e-12);
        let sensitivity = steps_for(loose, coordinates, grid_under(loose)?);
        #[cfg(test)]
        let sensitivity = mutant::shrunk(POINT, sensitivity);
        Ok(Perturbation {
            coordinates,
            grid,
            rate: beta * grid.step(),
            sensitivity,
            loose,
            linear,
        })
    }

    /// The minimiser with b of so many grid steps, as a query of the sensitivity promised.
    pub(crate) fn perturbed(
        &self,
        perturbation: &Perturbation,
        b: &[i64],
        _: &ReleaseKey,
    ) -> Result<Query<'static>, MinimiserError> {
        let n = self.what.records as f64;
        let linear: Vec<f64> = b
            .iter()
            .map(|b| perturbation.grid.to_real(*b) / n)
            .collect();
        let bounds = self.records.bounds_of(&self.what, perturbation.linear)?;
        let whole = Restricted::of(self.records.records, &self.what);
        let point = whole.minimum(&linear, &bounds);
        #[cfg(test)]
        let point = whole.worst(point, &linear, &bounds);
        on_grid(
            POINT,
            point.into_iter(),
            perturbation.loose,
            self.adjacency(),
        )
    }
}
