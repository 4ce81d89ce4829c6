//! The LASSO by coordinate descent along a path of penalties.
//!
//! Minimises (1/n)·Σ ℓ(x·w + b, y) + λ‖w‖₁ for λ from λ_max, the least that leaves no weight,
//! downwards, each solution being the start of the next (Friedman, Hastie, Tibshirani 2010).
//! Columns are screened by the strong rule (Tibshirani et al. 2012); the duality gap, over all
//! columns, decides.
//!
//! *It always ends.* A path has the points that were asked for, a search by size or by norm a
//! number of points fixed beforehand, and each point at most `stop.steps` steps of at most a
//! fixed number of passes. The gap of a point shows whether it ran out of steps.

mod descent;
mod model;

use super::design::LinearProblem;
use super::frank_wolfe::Stop;
use descent::{Ball, Descent};

/// Which penalties to go through.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Path {
    /// How many, the first of them λ_max.
    pub points: usize,
    /// The last as a share of λ_max; the others lie between them in geometric progression.
    pub least: f64,
}

impl Default for Path {
    /// A hundred, down to λ_max/1000.
    fn default() -> Self {
        Self {
            points: 100,
            least: 1e-3,
        }
    }
}

/// A solution for one penalty.
#[derive(Debug, Clone, PartialEq)]
pub struct LassoPoint {
    /// The penalty.
    pub lambda: f64,
    /// The weights that are not zero, by column.
    pub weights: Vec<(u32, f64)>,
    /// The intercept; 0 without one.
    pub intercept: f64,
    /// The mean loss, without the penalty.
    pub loss: f64,
    /// The duality gap: the objective is within it of the least.
    pub gap: f64,
}

impl LassoPoint {
    /// ‖w‖₁.
    pub fn l1_norm(&self) -> f64 {
        let sizes = self.weights.iter().map(|(_, weight)| weight.abs());
        // From +0, so that no weights have a norm of 0 and not −0.
        sizes.fold(0.0, |sum, size| sum + size)
    }
}

/// The solutions along a path.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn lasso_path(problem: LinearProblem<'_>, path: Path, stop: Stop) -> Vec<LassoPoint> {
    let mut descent = Descent::new(problem);
    let most = descent.least_empty_penalty();
    let intervals = path.points.saturating_sub(1).max(1) as f64;
    let ratio = path.least.powf(1.0 / intervals);
    (0..path.points)
        .map(|k| descent.solve(most * ratio.powi(k as i32), stop))
        .collect()
}

/// The solution for one penalty, reached through larger ones.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn lasso(problem: LinearProblem<'_>, lambda: f64, stop: Stop) -> LassoPoint {
    let mut descent = Descent::new(problem);
    let mut warm = descent.least_empty_penalty();
    for _ in 0..MOST_HALVINGS {
        warm *= 0.5;
        if warm <= lambda {
            break;
        }
        // On the way a gap of a hundredth of the loss will do.
        let gap = stop.gap.max(0.01 * descent.loss());
        descent.solve(warm, Stop { gap, ..stop });
    }
    descent.solve(lambda, stop)
}

/// The solution of the least penalty that leaves at most `nonzeros` weights, as far as a search
/// finds it: with the default path first, then by halving the step between the last small
/// enough and the first too large.
///
/// The number of weights need not be monotone in the penalty, and may jump: so there may be fewer
/// than were asked for, and none only where the path has no other point between.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn lasso_of_size(problem: LinearProblem<'_>, nonzeros: usize, stop: Stop) -> LassoPoint {
    let mut descent = Descent::new(problem);
    let mut lambda = descent.least_empty_penalty();
    let mut best = descent.solve(lambda, stop);
    let path = Path::default();
    let ratio = path.least.powf(1.0 / path.points as f64);
    let mut above = None;
    for _ in 0..path.points {
        lambda *= ratio;
        let point = descent.solve(lambda, stop);
        if point.weights.len() > nonzeros {
            above = Some(lambda);
            break;
        }
        best = point;
    }
    let Some(mut low) = above else {
        return best;
    };
    for _ in 0..MOST_REFINEMENTS {
        if best.weights.len() == nonzeros {
            break;
        }
        let middle = (low * best.lambda).sqrt();
        let point = descent.solve(middle, stop);
        if point.weights.len() > nonzeros {
            low = middle;
        } else {
            best = point;
        }
    }
    best
}

/// The LASSO in constrained form: the least mean loss on ‖w‖₁ ≤ `radius`, found as the penalised
/// solution whose norm is the radius.
///
/// The gap of the point returned is that of the *constrained* problem: its loss is within it of
/// the least on the ball. At the solution for λ it is λ·(radius − ‖w‖₁) and what the solver
/// left; so the search ends where the norm is near the radius, or λ near 0, whichever comes
/// first. ‖w‖₁ never exceeds the radius.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn lasso_in_ball(problem: LinearProblem<'_>, radius: f64, stop: Stop) -> LassoPoint {
    let mut descent = Descent::new(problem);
    let inner = Stop {
        gap: 0.25 * stop.gap,
        ..stop
    };
    // A penalty and the norm it leads to, on each side of the radius.
    let mut inside = (descent.least_empty_penalty(), 0.0);
    let mut outside: Option<(f64, f64)> = None;
    let mut place = descent.place();
    let mut solve = |lambda: f64, between: bool| {
        let ball = Ball {
            radius,
            inside: &mut place,
            between,
        };
        descent.solve_in_ball(lambda, ball, inner)
    };
    let mut best = solve(inside.0, false).0;
    for round in 0..MOST_HALVINGS + MOST_REFINEMENTS {
        if best.gap <= stop.gap {
            break;
        }
        let narrow = outside.is_some_and(|outside| inside.0 - outside.0 <= NARROW * inside.0);
        let lambda = match outside {
            None => 0.5 * inside.0,
            // Between neighbouring kinks the norm is nearly linear in λ; every third time
            // bisect, so that the bracket shrinks whatever the shape.
            Some(outside) => {
                let share = (outside.1 - radius) / (outside.1 - inside.1);
                let share = if narrow || round % 3 == 2 { 0.5 } else { share };
                outside.0 + (inside.0 - outside.0) * share.clamp(0.01, 0.99)
            }
        };
        let (point, norm) = solve(lambda, narrow);
        if norm > radius {
            outside = Some((lambda, norm));
        } else {
            inside = (lambda, norm);
        }
        if point.gap < best.gap {
            best = point;
        }
    }
    best
}

/// From λ_max down by halves: to 2⁻⁵⁰·λ_max, where only rounding is left.
const MOST_HALVINGS: usize = 50;

/// Points tried between two of a path.
const MOST_REFINEMENTS: usize = 100;

/// Penalties this near to each other, relatively, have solutions that serve for either: what lies
/// between them is tried as well, but not before, as it has the weights of both.
const NARROW: f64 = 1e-6;

#[cfg(test)]
mod tests;
