//! One penalty: Newton steps, each a quadratic LASSO by cyclic coordinate descent.
//!
//! At weights w the loss of a record is replaced by its tangent and a curvature h: that of the
//! loss itself for the logistic (with a line search; Yuan, Ho, Lin 2012), and for a square with
//! a threshold the least that makes the parabola an upper bound, min(1, threshold/|residual|), which
//! needs none. Where no residual is beyond the threshold this is the square itself.

use rayon::prelude::*;

use super::model::{Model, Parts};
use super::{LassoPoint, Stop};
use crate::solve::columns::Columns;
use crate::solve::design::{LinearProblem, mean, nonzeros};
use crate::solve::line::minimiser;
use crate::solve::region::dot;

/// The least curvature, so that a record far on the right side cannot make a step unbounded.
const LEAST_CURVATURE: f64 = 1e-6;

/// A line search that halves more often than this has met the limits of floats.
const MOST_HALVINGS: usize = 40;

pub(super) struct Descent<'a> {
    problem: LinearProblem<'a>,
    columns: Columns,
    place: Place,
    /// The slopes there.
    slopes: Vec<f64>,
    /// The mean slope times each column.
    gradient: Vec<f64>,
    /// The mean loss.
    loss: f64,
    largest_entry: f64,
    /// How far the intercept can be from 0, in addition to the weights' margin.
    alone: f64,
    /// The last penalty that was solved for.
    lambda: f64,
}

/// The ball of the constrained problem.
pub(super) struct Ball<'b> {
    pub radius: f64,
    /// The last solution in it.
    pub inside: &'b mut Place,
    /// Whether a solution outside may be pulled back.
    pub between: bool,
}

/// A model and its margins x·w + b.
#[derive(Clone)]
pub(super) struct Place {
    weights: Vec<f64>,
    intercept: f64,
    margins: Vec<f64>,
}

impl Place {
    fn norm(&self) -> f64 {
        self.weights.iter().map(|w| w.abs()).sum()
    }

    /// A point between this one and another.
    fn towards(&self, other: &Self, share: f64) -> Self {
        let between = |a: f64, b: f64| a + share * (b - a);
        let all = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(&a, &b)| between(a, b)).collect()
        };
        Self {
            weights: all(&self.weights, &other.weights),
            intercept: between(self.intercept, other.intercept),
            margins: all(&self.margins, &other.margins),
        }
    }
}

impl<'a> Descent<'a> {
    /// At weights 0 and the best intercept.
    pub(super) fn new(problem: LinearProblem<'a>) -> Self {
        let n = problem.targets.len();
        assert_eq!(problem.design.rows(), n, "one target per row");
        let width = problem.design.width();
        let mut descent = Self {
            columns: Columns::of(problem.design),
            place: Place {
                weights: vec![0.0; width],
                intercept: 0.0,
                margins: vec![0.0; n],
            },
            slopes: vec![0.0; n],
            gradient: vec![0.0; width],
            loss: 0.0,
            largest_entry: problem.design.largest_entry(),
            alone: 0.0,
            lambda: 0.0,
            problem,
        };
        if problem.intercept {
            let LinearProblem { loss, targets, .. } = problem;
            descent.alone = loss.largest_intercept(targets);
            let derivative = |b: f64| mean(n, |i| loss.slope(b, targets[i]));
            descent.place.intercept = minimiser(derivative, -descent.alone, descent.alone);
            descent.place.margins.fill(descent.place.intercept);
        }
        descent.evaluate();
        descent.lambda = descent.least_empty_penalty();
        descent
    }

    /// λ_max: the least penalty at which weights 0 are best. To be asked before any step.
    pub(super) fn least_empty_penalty(&self) -> f64 {
        largest(&self.gradient)
    }

    /// The mean loss at the present weights.
    pub(super) fn loss(&self) -> f64 {
        self.loss
    }

    /// Minimises for one penalty, starting from the solution of the last one.
    pub(super) fn solve(&mut self, lambda: f64, stop: Stop) -> LassoPoint {
        // The strong rule: between two penalties no entry of the gradient is likely to move by
        // more than they differ. After a large step half the penalty must do.
        let threshold = (2.0 * lambda - self.lambda).clamp(0.5 * lambda, 0.9 * lambda);
        self.lambda = lambda;
        let mut steps = 0;
        loop {
            let gap = self.gap(lambda);
            if gap <= stop.gap || steps >= stop.steps || !self.step(lambda, threshold) {
                return self.point(lambda, gap);
            }
            steps += 1;
        }
    }

    /// The same for the constrained problem: the penalised solution with its norm. Its gap is
    /// that of the ball: loss − least loss on it is at most ⟨∇, w⟩ + radius·max|∇|, as for
    /// Frank–Wolfe; infinite outside. If asked to, a solution outside is pulled back towards the
    /// last one inside, onto the ball.
    ///
    /// Huber's loss is straight in places, and the norm may jump over the radius at one λ. Both
    /// sides of the jump are then solutions for that λ, and so is all that lies between them.
    pub(super) fn solve_in_ball(
        &mut self,
        lambda: f64,
        ball: Ball<'_>,
        stop: Stop,
    ) -> (LassoPoint, f64) {
        let Ball {
            radius,
            inside,
            between,
        } = ball;
        self.solve(lambda, stop);
        let norm = self.place.norm();
        if norm <= radius {
            inside.clone_from(&self.place);
        } else if between {
            let short = inside.norm();
            // A little less, so that rounding does not leave it outside.
            let share = (radius - short) / (norm - short) * (1.0 - 1e-14);
            self.place = inside.towards(&self.place, share);
            self.evaluate();
        } else {
            return (self.point(lambda, f64::INFINITY), norm);
        }
        let gap = dot(&self.gradient, &self.place.weights)
            + radius * largest(&self.gradient)
            + self.gap_of_intercept(radius);
        // No loss is negative.
        (self.point(lambda, gap.min(self.loss)), norm)
    }

    /// Where it is.
    pub(super) fn place(&self) -> Place {
        self.place.clone()
    }

    fn point(&self, lambda: f64, gap: f64) -> LassoPoint {
        LassoPoint {
            lambda,
            weights: nonzeros(&self.place.weights),
            intercept: self.place.intercept,
            loss: self.loss,
            gap,
        }
    }

    /// Loss, slopes and gradient at the present margins: one pass over all entries.
    fn evaluate(&mut self) {
        let LinearProblem { loss, targets, .. } = self.problem;
        let margins = &self.place.margins;
        let slopes = self.slopes.par_iter_mut().enumerate();
        slopes.for_each(|(i, slope)| *slope = loss.slope(margins[i], targets[i]));
        self.loss = self.loss_at(&self.place.margins);
        self.gradient = self.columns.gradient(&self.slopes);
        let n = targets.len().max(1) as f64;
        for entry in &mut self.gradient {
            *entry /= n;
        }
    }

    fn loss_at(&self, margins: &[f64]) -> f64 {
        let LinearProblem { loss, targets, .. } = self.problem;
        mean(targets.len(), |i| loss.value(margins[i], targets[i]))
    }

    fn slope_of_intercept(&self) -> f64 {
        mean(self.slopes.len(), |i| self.slopes[i])
    }

    /// An upper bound of the objective's distance from its minimum.
    ///
    /// By convexity it is at most ⟨∇, w − w*⟩ + λ(‖w‖₁ − ‖w*‖₁), and ⟨−∇, w*⟩ − λ‖w*‖₁ is at
    /// most (max|∇| − λ)·‖w*‖₁ or 0. As losses are not negative, ‖w*‖₁ ≤ objective/λ.
    fn gap(&self, lambda: f64) -> f64 {
        let norm = self.place.norm();
        let most = (self.loss / lambda + norm).min(f64::MAX);
        let beyond = (largest(&self.gradient) - lambda).max(0.0);
        let beyond = if beyond > 0.0 { beyond * most } else { 0.0 };
        let smooth = dot(&self.gradient, &self.place.weights) + self.gap_of_intercept(most);
        (smooth + lambda * norm + beyond).min(self.loss + lambda * norm)
    }

    /// What the intercept adds: it is best within ±D, D from the largest margin that weights of
    /// this norm can make (see [`frank_wolfe`](crate::solve::frank_wolfe)).
    fn gap_of_intercept(&self, norm: f64) -> f64 {
        let n = self.slopes.len();
        let slope = self.slope_of_intercept();
        // A sum of slopes within its own rounding is 0.
        let rounding = 4.0 * f64::EPSILON * mean(n, |i| self.slopes[i].abs());
        if !self.problem.intercept || slope.abs() <= rounding {
            return 0.0;
        }
        let reach = (norm * self.largest_entry + self.alone).max(self.place.intercept.abs());
        slope * self.place.intercept + slope.abs() * reach
    }

    /// One step: false if none descends.
    fn step(&mut self, lambda: f64, threshold: f64) -> bool {
        let mut model = self.model(threshold);
        model.descend(lambda);
        let of_intercept = model.of_intercept();
        let mut moves = Vec::new();
        let mut direction = vec![of_intercept; self.place.margins.len()];
        let mut promise = of_intercept * self.slope_of_intercept();
        for (&j, &change) in model.working.iter().zip(&model.changes) {
            if change != 0.0 {
                self.columns.add_column(j, change, &mut direction);
                let weight = self.place.weights[j];
                promise += change * self.gradient[j];
                promise += lambda * ((weight + change).abs() - weight.abs());
                moves.push((j, change));
            }
        }
        let still = moves.is_empty() && of_intercept == 0.0;
        let step = Step {
            moves,
            of_intercept,
            direction,
            promise,
        };
        !still && self.search(&step, lambda)
    }

    /// Goes as far along the direction as Armijo's rule allows: 1, ½, ¼, …
    fn search(&mut self, step: &Step, lambda: f64) -> bool {
        let norm = |size: f64| {
            let moves = step.moves.iter();
            moves
                .map(|&(j, change)| (self.place.weights[j] + size * change).abs())
                .sum::<f64>()
        };
        // Below the rounding of the loss no descent can be seen; the model is trusted there.
        let before = (self.loss + lambda * norm(0.0)) * (1.0 + 1e-15);
        let mut size = 1.0;
        for _ in 0..MOST_HALVINGS {
            let pairs = self.place.margins.iter().zip(&step.direction);
            let margins: Vec<f64> = pairs.map(|(m, d)| m + size * d).collect();
            let after = self.loss_at(&margins) + lambda * norm(size);
            if after <= before + 1e-4 * size * step.promise {
                for &(j, change) in &step.moves {
                    self.place.weights[j] += size * change;
                }
                self.place.intercept += size * step.of_intercept;
                self.place.margins = margins;
                self.evaluate();
                return true;
            }
            size *= 0.5;
        }
        false
    }

    fn model(&self, threshold: f64) -> Model<'_> {
        let LinearProblem { loss, targets, .. } = self.problem;
        let n = targets.len().max(1) as f64;
        let curvature = |i: usize| {
            let curvature = loss.majorant(self.slopes[i], self.place.margins[i], targets[i]);
            curvature.max(LEAST_CURVATURE) / n
        };
        let curvatures: Vec<f64> = (0..targets.len()).into_par_iter().map(curvature).collect();
        let may_change =
            |&j: &usize| self.place.weights[j] != 0.0 || self.gradient[j].abs() >= threshold;
        let working: Vec<usize> = (0..self.place.weights.len()).filter(may_change).collect();
        Model::new(Parts {
            columns: &self.columns,
            design: self.problem.design,
            weights: working.iter().map(|&j| self.place.weights[j]).collect(),
            gradient: working.iter().map(|&j| self.gradient[j]).collect(),
            of_intercept: self.problem.intercept.then(|| self.slope_of_intercept()),
            residuals: self.slopes.iter().map(|slope| slope / n).collect(),
            curvatures,
            working,
        })
    }
}

/// The step that a model proposes.
struct Step {
    /// The columns that change, and by how much.
    moves: Vec<(usize, f64)>,
    of_intercept: f64,
    /// The change of each record's margin.
    direction: Vec<f64>,
    /// The change of the objective to first order: negative.
    promise: f64,
}

fn largest(gradient: &[f64]) -> f64 {
    gradient.iter().fold(0.0, |most, g| g.abs().max(most))
}
