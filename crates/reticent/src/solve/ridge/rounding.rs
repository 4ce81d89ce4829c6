//! A bound on the rounding error of a gradient.
//!
//! With u = 2⁻⁵³ and γₘ = mu/(1 − mu) (Higham 2002, chapter 3), for a row of at most K entries:
//!
//! - a margin is a sum of K products: off by at most γ_{K+4}·‖xᵢ‖₂‖w‖₂;
//! - a slope moves by at most c times that, and its own operations add 8u for the logistic (an
//!   exponential good to a unit in its last place, and four roundings of numbers up to 1), or
//!   2u·|margin − target| for a square; a clip never adds;
//! - a coordinate is a sum of n products of three factors: off by at most γ_{n+7} of the sum of
//!   their sizes; as a vector, of Σ|slopeᵢ|·vᵢ/n·‖xᵢ‖₂;
//! - adding λw and the linear term: γ₄ of the sizes.
//!
//! The rounding of these sums themselves is covered by an extra thousandth.

use super::State;
use crate::loss::Loss;
use crate::solve::design::sum;
use crate::solve::region::dot;

/// γₘ.
pub(super) fn gamma(m: usize) -> f64 {
    let mu = m as f64 * f64::EPSILON / 2.0;
    mu / (1.0 - mu)
}

const SLACK: f64 = 1.001;

impl State<'_> {
    /// How far the computed gradient can be from the exact one, in ℓ₂; `slopes` are those times
    /// vᵢ/n.
    pub(super) fn rounding(&self, weights: &[f64], margins: &[f64], slopes: &[f64]) -> f64 {
        let problem = &self.problem;
        let length = dot(weights, weights).sqrt();
        let of_margin = gamma(self.longest + 4) * length * problem.loss.curvature();
        let residual = |i: usize| (margins[i] - problem.targets[i]).abs();
        let of_slope = |i: usize| problem.loss.slope_rounding(residual(i));
        let n = slopes.len();
        let records = sum(n, |i| {
            let norm = self.norms[i];
            let slope = of_margin * norm + of_slope(i);
            norm * (slope * self.share(i) + gamma(n + 7) * slopes[i].abs())
        });
        let linear = problem.linear.map_or(0.0, |l| dot(l, l).sqrt());
        let sizes = sum(n, |i| self.norms[i] * slopes[i].abs());
        let added = gamma(4) * (problem.lambda * length + linear + sizes);
        (records + added) * SLACK
    }
}

/// Public facts of a [`RidgeProblem`](super::RidgeProblem), from which the tolerance that can
/// always be reached is known before any record is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RidgeFacts {
    /// Records.
    pub records: usize,
    /// Weights, the further column's included.
    pub weights: usize,
    /// The largest ‖xᵢ‖₂, the further column included.
    pub row_bound: f64,
    /// The largest vᵢ.
    pub record_weight: f64,
    /// The loss; a square needs a finite threshold.
    pub loss: Loss,
    /// The largest |target|.
    pub target_bound: f64,
    /// λ.
    pub lambda: f64,
    /// ‖linear‖₂.
    pub linear_norm: f64,
}

impl RidgeFacts {
    /// A tolerance that can be reached despite rounding on every table that these facts allow: four
    /// times the rounding where [`ridge`](super::ridge) ends.
    ///
    /// There λ‖w‖₂ ≤ v·R·B + ‖linear‖₂ + τ, as ∇F is the sum of the three; the tolerance itself is
    /// assumed to be no more than the other two.
    pub fn least_tolerance(&self) -> f64 {
        let slopes = self.record_weight * self.loss.slope_bound() * self.row_bound;
        let sum = 2.0 * (slopes + self.linear_norm);
        let margin = sum / self.lambda * self.row_bound;
        let of_slope = self.loss.slope_rounding(margin + self.target_bound);
        let of_margin = gamma(self.weights + 5) * self.loss.curvature() * margin;
        let records = self.record_weight * self.row_bound * (of_margin + of_slope);
        let sums = gamma(self.records + 7) * slopes;
        let added = gamma(4) * (sum + self.linear_norm + slopes);
        let norm = gamma(self.weights + 2) * sum;
        4.0 * SLACK * (records + sums + added + norm)
    }
}
