//! Newton's direction −H⁻¹∇F, exact or approximate.

use super::{Evaluation, State};
use crate::solve::cholesky::Cholesky;
use crate::solve::curvature::Selection;
use crate::solve::region::dot;

/// Up to this many weights the second derivative is a dense matrix.
const FEW: usize = 500;

/// Rounds of conjugate gradients in one step.
const MOST_ROUNDS: usize = 1000;

/// Which curvature of a square with a threshold; the logistic loss has only one.
#[derive(Clone, Copy)]
pub(super) enum CurvatureKind {
    /// The loss's own: 1 within the threshold, 0 beyond.
    Here,
    /// The least that makes the parabola through this point an upper bound: threshold/|residual|
    /// beyond.
    Above,
}

/// The direction at a point; `first` is the gradient's norm at the start of the search.
pub(super) fn direction(
    state: &State<'_>,
    here: &Evaluation,
    first: f64,
    kind: CurvatureKind,
) -> Vec<f64> {
    let curvatures = curvatures(state, here, kind);
    let exact = (state.order <= FEW)
        .then(|| by_cholesky(state, &curvatures, &here.gradient))
        .flatten();
    // Nearer the minimum the direction must be finer for each step to gain digits.
    let share = (here.norm / first).clamp(1e-4, 0.1);
    exact.unwrap_or_else(|| conjugate_gradients(state, &curvatures, &here.gradient, share))
}

/// vᵢ·ℓ″/n of each record.
fn curvatures(state: &State<'_>, here: &Evaluation, kind: CurvatureKind) -> Vec<f64> {
    let targets = state.problem.targets;
    let curvature = |i: usize| {
        let (margin, target) = (here.margins[i], targets[i]);
        let loss = state.problem.loss;
        let curvature = match kind {
            CurvatureKind::Above if !loss.is_smooth() => loss.majorant(0.0, margin, target),
            CurvatureKind::Above | CurvatureKind::Here => loss.second_derivative(margin, target),
        };
        curvature * state.share(i)
    };
    (0..targets.len()).map(curvature).collect()
}

fn by_cholesky(state: &State<'_>, curvatures: &[f64], gradient: &[f64]) -> Option<Vec<f64>> {
    let problem = &state.problem;
    let width = problem.design.width();
    let all: Vec<usize> = (0..width).collect();
    let selection = Selection::of(&all, width, problem.ones);
    let mut second = selection.curvature(problem.design, curvatures);
    for j in 0..state.order {
        second[j * state.order + j] += problem.lambda;
    }
    let mut direction = Cholesky::of(second, state.order)?.solve(gradient);
    direction.iter_mut().for_each(|x| *x = -*x);
    Some(direction)
}

/// Solves H·d = −∇F until the residual is the given share of ∇F.
fn conjugate_gradients(
    state: &State<'_>,
    curvatures: &[f64],
    gradient: &[f64],
    share: f64,
) -> Vec<f64> {
    let times = |vector: &[f64]| {
        let mut margins = state.margins(vector);
        let pairs = margins.iter_mut().zip(curvatures);
        pairs.for_each(|(margin, curvature)| *margin *= curvature);
        let mut image = state.products(&margins);
        let pairs = image.iter_mut().zip(vector);
        pairs.for_each(|(image, x)| *image += state.problem.lambda * x);
        image
    };
    let mut direction = vec![0.0; gradient.len()];
    let mut residual: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut along = residual.clone();
    let mut square = dot(&residual, &residual);
    let enough = share * share * square;
    for _ in 0..MOST_ROUNDS {
        if square <= enough {
            break;
        }
        let image = times(&along);
        let size = square / dot(&along, &image);
        if !size.is_finite() {
            break;
        }
        for j in 0..direction.len() {
            direction[j] += size * along[j];
            residual[j] -= size * image[j];
        }
        let next = dot(&residual, &residual);
        for (along, residual) in along.iter_mut().zip(&residual) {
            *along = residual + next / square * *along;
        }
        square = next;
    }
    direction
}
