//! Frank–Wolfe without noise, on data that need no protection.
//!
//! Each step moves towards the point of the region with the least product with the gradient
//! (Frank–Wolfe 1956; Jaggi 2013), as far as a line search says, and then sets the intercept to its
//! best value. The duality gap says when to stop.

use rayon::prelude::*;

use super::columns::Columns;
use super::design::{Design, mean};
use super::line::minimiser;
use super::region::Vertex;
use super::region::{Region, dot};
use crate::loss::Loss;
use crate::matrix::Matrix;

/// What is to be minimised: the mean loss over the records.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// One row per record.
    pub features: &'a Matrix<'a>,
    /// One target per record.
    pub targets: &'a [f64],
    /// Of a margin and a target.
    pub loss: Loss,
    /// Where the weights may lie.
    pub region: &'a Region,
    /// Whether there is an intercept, free of the region.
    pub intercept: bool,
}

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Once the duality gap is at most this.
    pub gap: f64,
    /// After this many steps at the latest.
    pub steps: u64,
}

/// Where it stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The weights, one per column.
    pub weights: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// The mean loss there.
    pub loss: f64,
    /// The duality gap: the mean loss is within it of the least on the region.
    pub gap: f64,
    /// Steps taken.
    pub steps: u64,
}

/// Minimises the mean loss over a region.
///
/// *The gap.* The loss f is convex, so that f(w, b) − f(w*, b*) ≤ ⟨∇f, (w, b) − (w*, b*)⟩,
/// and the gap is the largest that the right side can be: over the region for the weights,
/// and for the intercept over an interval \[−D, D\] that holds every minimiser. With M the
/// largest margin on the region, a square has its best intercept within M + max|y|, and a
/// logistic loss within M + |log-odds of the classes|; if a class is absent there is no best
/// intercept, and half a record of it is assumed.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn frank_wolfe(problem: Problem<'_>, stop: Stop) -> Solution {
    assert_eq!(problem.features.rows(), problem.targets.len());
    let mut state = State::new(problem);
    let mut steps = 0;
    loop {
        let (towards, gap) = state.linear_minimiser();
        if gap <= stop.gap || steps >= stop.steps {
            return state.into_solution(gap, steps);
        }
        state.step(&towards);
        steps += 1;
    }
}

/// The mean loss of a linear model.
///
/// # Panics
///
/// If there are not as many targets as rows, or as many weights as columns.
pub fn mean_loss(
    features: &Matrix,
    targets: &[f64],
    loss: Loss,
    weights: &[f64],
    intercept: f64,
) -> f64 {
    assert_eq!(features.rows(), targets.len());
    assert_eq!(features.width(), weights.len());
    let margin = |i: usize| {
        let mut margin = intercept;
        features.for_row(i, |column, value| {
            margin += f64::from(value) * weights[column]
        });
        margin
    };
    mean(targets.len(), |i| loss.value(margin(i), targets[i]))
}

struct State<'a> {
    problem: Problem<'a>,
    columns: Columns,
    weights: Vec<f64>,
    /// x·w, without the intercept.
    margins: Vec<f64>,
    intercept: f64,
    /// D; 0 without an intercept.
    reach: f64,
}

impl<'a> State<'a> {
    fn new(problem: Problem<'a>) -> Self {
        let columns = Columns::of(problem.features.into());
        let width = problem.features.width();
        let mut state = Self {
            weights: vec![0.0; width],
            margins: vec![0.0; problem.targets.len()],
            intercept: 0.0,
            reach: 0.0,
            columns,
            problem,
        };
        if problem.intercept {
            let margin =
                problem.region.l1_radius(width) * Design::from(problem.features).largest_entry();
            state.reach = margin + problem.loss.largest_intercept(problem.targets);
        }
        if !problem.region.holds_the_origin() {
            let corner = problem.region.least(&state.gradient().0);
            state.columns.add(&corner, &mut state.margins);
            corner.pull(&mut state.weights, 1.0);
        }
        state.centre();
        state
    }

    /// The mean slope times each column, and the mean slope.
    fn gradient(&self) -> (Vec<f64>, f64) {
        let Problem { loss, targets, .. } = self.problem;
        let n = targets.len().max(1) as f64;
        let slope = |i: usize| loss.slope(self.margins[i] + self.intercept, targets[i]) / n;
        let slopes: Vec<f64> = (0..targets.len()).into_par_iter().map(slope).collect();
        (self.columns.gradient(&slopes), slopes.iter().sum())
    }

    /// The vertex to move towards, and the duality gap at this point.
    fn linear_minimiser(&self) -> (Vertex, f64) {
        let (gradient, of_intercept) = self.gradient();
        let towards = self.problem.region.least(&gradient);
        let there = match &towards {
            Vertex::Axis { column, value } => gradient[*column] * value,
            Vertex::Point(point) => dot(&gradient, point),
        };
        let gap = dot(&gradient, &self.weights) - there;
        let of_intercept = if self.problem.intercept {
            of_intercept * self.intercept + of_intercept.abs() * self.reach
        } else {
            0.0
        };
        (towards, gap + of_intercept)
    }

    fn step(&mut self, towards: &Vertex) {
        // The margins' direction: towards the vertex's, away from the present ones.
        let mut direction: Vec<f64> = self.margins.iter().map(|margin| -margin).collect();
        self.columns.add(towards, &mut direction);
        let Problem { loss, targets, .. } = self.problem;
        let derivative = |size: f64| {
            mean(targets.len(), |i| {
                let margin = self.margins[i] + size * direction[i] + self.intercept;
                loss.slope(margin, targets[i]) * direction[i]
            })
        };
        let size = minimiser(derivative, 0.0, 1.0);
        for (margin, direction) in self.margins.iter_mut().zip(&direction) {
            *margin += size * direction;
        }
        towards.pull(&mut self.weights, size);
        self.centre();
    }

    /// Sets the intercept to its best value.
    fn centre(&mut self) {
        if !self.problem.intercept {
            return;
        }
        let Problem { loss, targets, .. } = self.problem;
        let derivative = |intercept: f64| {
            mean(targets.len(), |i| {
                loss.slope(self.margins[i] + intercept, targets[i])
            })
        };
        self.intercept = minimiser(derivative, -self.reach, self.reach);
    }

    fn into_solution(self, gap: f64, steps: u64) -> Solution {
        let Problem { loss, targets, .. } = self.problem;
        let value = |i: usize| loss.value(self.margins[i] + self.intercept, targets[i]);
        Solution {
            loss: mean(targets.len(), value),
            weights: self.weights,
            intercept: self.intercept,
            gap,
            steps,
        }
    }
}

#[cfg(test)]
mod tests;
