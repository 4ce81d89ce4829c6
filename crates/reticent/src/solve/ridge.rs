//! A strongly convex objective, minimised to a stated norm of its gradient.
//!
//! F(w) = (1/n)·Σ vᵢ·ℓ(xᵢ·w, yᵢ) + (λ/2)‖w‖² + ⟨linear, w⟩ on all of ℝᵈ. As F is λ-strongly
//! convex, ‖∇F(w)‖₂ ≤ τ means that w is within τ/λ of the minimiser: the caller relies on that, so
//! the norm is bounded with all rounding included.
//!
//! Newton steps come first (a dense second derivative where there are few columns, conjugate
//! gradients where there are many), and, should they not arrive, accelerated gradient descent,
//! whose number of steps is known beforehand.

mod newton;
mod rounding;

use super::columns::Columns;
use super::design::{Design, sum};
use super::region::dot;
use crate::loss::Loss;
use newton::{CurvatureKind, direction};
pub use rounding::RidgeFacts;
use rounding::gamma;

/// What is to be minimised.
#[derive(Clone, Copy)]
pub struct RidgeProblem<'a> {
    /// The features.
    pub design: Design<'a>,
    /// One target per record.
    pub targets: &'a [f64],
    /// Of a margin and a target.
    pub loss: Loss,
    /// vᵢ, none negative; 1 each if `None`.
    pub record_weights: Option<&'a [f64]>,
    /// The value of a further column, the last, that is the same in every record: an intercept,
    /// regularised like any weight.
    pub ones: Option<f64>,
    /// λ > 0.
    pub lambda: f64,
    /// One number per weight, that of the further column last; 0 each if `None`.
    pub linear: Option<&'a [f64]>,
}

/// Where it stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct RidgeSolution {
    /// The weights, one per column, that of the further column last.
    pub weights: Vec<f64>,
    /// An upper bound of ‖∇F‖₂ there, with an allowance for all rounding. At most the tolerance,
    /// unless that is below twice what rounding allows ([`RidgeFacts::least_tolerance`] is always
    /// enough).
    pub gradient_norm: f64,
    /// How often the gradient was computed.
    pub evaluations: u64,
}

/// Newton steps before the fallback.
const MOST_STEPS: usize = 200;

/// How often a Newton step is halved.
const MOST_HALVINGS: usize = 30;

/// Minimises F until ‖∇F‖₂ ≤ `tolerance`.
///
/// *It always converges.* With L = c·(1/n)Σvᵢ‖xᵢ‖² + λ, which bounds the second derivative,
/// accelerated gradient descent from w₀ has after k steps F − F* ≤ 2(1 − √(λ/L))ᵏ·(F(w₀) − F*)
/// (Nesterov 2004, theorem 2.2.3), and with ‖∇F‖² ≤ 2L(F − F*) and F(w₀) − F* ≤ ‖∇F(w₀)‖²/(2λ) it
/// takes at most √(L/λ)·ln(2L‖∇F(w₀)‖²/(λτ²)) steps. In floats a tolerance below what rounding
/// leaves cannot be proved: then the search ends with the Newton steps, and the bound shows it.
///
/// # Panics
///
/// If the lengths do not fit, or λ or the tolerance is not positive and finite.
pub fn ridge(problem: RidgeProblem<'_>, tolerance: f64) -> RidgeSolution {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    assert!(positive(problem.lambda) && positive(tolerance));
    let state = State::new(problem);
    let mut search = Search {
        here: state.evaluate(vec![0.0; state.order]),
        evaluations: 1,
        tolerance,
        state: &state,
    };
    let first = search.here.norm;
    for _ in 0..MOST_STEPS {
        if search.arrived() || !search.newton_step(first) {
            break;
        }
    }
    if !search.arrived() && search.here.rounding <= 0.5 * tolerance {
        search.accelerated();
    }
    RidgeSolution {
        gradient_norm: search.here.bound(),
        weights: search.here.weights,
        evaluations: search.evaluations,
    }
}

/// The objective, with what does not depend on the weights.
struct State<'a> {
    problem: RidgeProblem<'a>,
    columns: Columns,
    /// Weights in all.
    order: usize,
    /// ‖xᵢ‖₂, the further column included.
    norms: Vec<f64>,
    /// The largest number of entries of a row.
    longest: usize,
}

/// A point, and what was computed there.
struct Evaluation {
    weights: Vec<f64>,
    margins: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// ‖gradient‖₂ as computed.
    norm: f64,
    /// How far that can be from the exact one.
    rounding: f64,
}

impl Evaluation {
    fn bound(&self) -> f64 {
        (self.norm + self.rounding).next_up()
    }
}

impl<'a> State<'a> {
    fn new(problem: RidgeProblem<'a>) -> Self {
        let (rows, width) = (problem.design.rows(), problem.design.width());
        let order = width + usize::from(problem.ones.is_some());
        assert_eq!(rows, problem.targets.len(), "one target per row");
        assert!(problem.record_weights.is_none_or(|v| v.len() == rows));
        assert!(problem.linear.is_none_or(|linear| linear.len() == order));
        let ones = problem.ones.unwrap_or(0.0);
        let squares = problem.design.squares();
        let mut longest = 0;
        for i in 0..rows {
            let mut entries = 1;
            problem.design.features.for_row(i, |_, _| entries += 1);
            longest = longest.max(entries);
        }
        Self {
            columns: Columns::of(problem.design),
            order,
            norms: squares.iter().map(|s| (s + ones * ones).sqrt()).collect(),
            longest,
            problem,
        }
    }

    /// vᵢ/n.
    fn share(&self, i: usize) -> f64 {
        let weight = self.problem.record_weights.map_or(1.0, |v| v[i]);
        weight / self.problem.targets.len() as f64
    }

    fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let mut margins = self.problem.design.margins(weights);
        if let (Some(ones), Some(last)) = (self.problem.ones, weights.last()) {
            margins.iter_mut().for_each(|margin| *margin += ones * last);
        }
        margins
    }

    /// Σᵢ xᵢ·vectorᵢ, the further column included.
    fn products(&self, vector: &[f64]) -> Vec<f64> {
        let mut products = self.columns.gradient(vector);
        products.extend(
            self.problem
                .ones
                .map(|ones| ones * vector.iter().sum::<f64>()),
        );
        products
    }

    fn evaluate(&self, weights: Vec<f64>) -> Evaluation {
        let RidgeProblem {
            targets,
            loss,
            lambda,
            linear,
            ..
        } = self.problem;
        let margins = self.margins(&weights);
        let slope = |i: usize| loss.slope(margins[i], targets[i]) * self.share(i);
        let slopes: Vec<f64> = (0..targets.len()).map(slope).collect();
        let mut gradient = self.products(&slopes);
        let mut value = sum(targets.len(), |i| {
            loss.value(margins[i], targets[i]) * self.share(i)
        });
        for (j, (g, w)) in gradient.iter_mut().zip(&weights).enumerate() {
            let linear = linear.map_or(0.0, |linear| linear[j]);
            *g = *g + lambda * w + linear;
            value += w * (0.5 * lambda * w + linear);
        }
        let norm = dot(&gradient, &gradient).sqrt();
        Evaluation {
            rounding: self.rounding(&weights, &margins, &slopes) + gamma(self.order + 2) * norm,
            value,
            norm,
            gradient,
            margins,
            weights,
        }
    }

    /// L.
    fn smoothness(&self) -> f64 {
        let squares = sum(self.norms.len(), |i| {
            self.norms[i] * self.norms[i] * self.share(i)
        });
        self.problem.loss.curvature() * squares + self.problem.lambda
    }
}

struct Search<'s, 'a> {
    state: &'s State<'a>,
    here: Evaluation,
    tolerance: f64,
    evaluations: u64,
}

impl Search<'_, '_> {
    fn arrived(&self) -> bool {
        self.here.bound() <= self.tolerance
    }

    fn evaluate(&mut self, weights: Vec<f64>) -> Evaluation {
        self.evaluations += 1;
        self.state.evaluate(weights)
    }

    /// One step of Newton's, halved until the objective is lower by a share of what the slope
    /// promises, or the same but for rounding and the gradient shorter; false if it is neither
    /// however short the step. (Both decrease along a Newton direction: Eisenstat, Walker 1994.)
    ///
    /// A square with a threshold has no second derivative where residuals pass it, and Newton's
    /// step may be far too long: then the step to the minimum of a parabola above the loss is
    /// taken, which always descends.
    fn newton_step(&mut self, first: f64) -> bool {
        if !self.state.problem.loss.is_smooth() {
            let direction = direction(self.state, &self.here, first, CurvatureKind::Here);
            if self.go(&direction, 1.0) {
                return true;
            }
        }
        let direction = direction(self.state, &self.here, first, CurvatureKind::Above);
        let sizes = (0..MOST_HALVINGS).map(|k| 0.5f64.powi(k as i32));
        sizes.into_iter().any(|size| self.go(&direction, size))
    }

    /// Moves along a direction if that descends.
    fn go(&mut self, direction: &[f64], size: f64) -> bool {
        let pairs = self.here.weights.iter().zip(direction);
        let there = self.evaluate(pairs.map(|(w, d)| w + size * d).collect());
        let promise = dot(direction, &self.here.gradient);
        let lower = there.value <= self.here.value + 1e-4 * size * promise;
        let level = there.value <= self.here.value + 1e-12 * self.here.value.abs();
        let shorter = there.norm <= (1.0 - 1e-4 * size) * self.here.norm;
        let down = lower || (level && shorter);
        if down {
            self.here = there;
        }
        down
    }

    /// Nesterov's method for as many steps as are enough.
    fn accelerated(&mut self) {
        let smoothness = self.state.smoothness();
        let condition = smoothness / self.state.problem.lambda;
        let ratio = self.here.norm / self.tolerance;
        let steps = (condition.sqrt() * (2.0 * condition * ratio * ratio).ln()).ceil() as u64 + 1;
        let momentum = (condition.sqrt() - 1.0) / (condition.sqrt() + 1.0);
        let mut last = self.here.weights.clone();
        for _ in 0..=steps {
            // `here` is the point ahead, where the gradient is taken.
            let pairs = self.here.weights.iter().zip(&self.here.gradient);
            let next: Vec<f64> = pairs.map(|(w, g)| w - g / smoothness).collect();
            let pairs = next.iter().zip(&last);
            let ahead = pairs.map(|(new, old)| new + momentum * (new - old));
            let ahead = self.evaluate(ahead.collect());
            self.here = ahead;
            last = next;
            if self.arrived() {
                return;
            }
        }
        let end = self.evaluate(last);
        if end.norm < self.here.norm {
            self.here = end;
        }
    }
}

#[cfg(test)]
mod tests;
