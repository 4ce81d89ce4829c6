//! Iterative gradient hard thresholding, without noise: a step along the gradient, then all but
//! the largest weights are set to 0 (Jain, Tewari, Kar 2014; Yuan, Li, Zhang 2014).
//!
//! Also its variant with a penalty in place of the threshold, for several classes.

use super::design::{Design, LinearProblem, nonzeros};
use super::frank_wolfe::Stop;
use super::ridge::{RidgeProblem, ridge};
use super::shrink::{Outputs, Shrink, descend};
use crate::matrix::{Csr, Matrix};

/// A linear model with few weights.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseSolution {
    /// The weights that are not zero, by column.
    pub weights: Vec<(u32, f64)>,
    /// The intercept; 0 without one.
    pub intercept: f64,
    /// The mean loss.
    pub loss: f64,
    /// Steps taken.
    pub steps: u64,
}

/// A problem of several classes: the softmax loss log Σₖ exp(mₖ) − m_y, averaged.
#[derive(Clone, Copy)]
pub struct MultinomialProblem<'a> {
    /// The features.
    pub design: Design<'a>,
    /// The class of each record, below `count`.
    pub classes: &'a [u32],
    /// How many classes there are.
    pub count: usize,
    /// Whether each class has an intercept, which no penalty or threshold touches.
    pub intercept: bool,
}

/// A linear model per class, with few weights in all.
#[derive(Debug, Clone, PartialEq)]
pub struct MultinomialSolution {
    /// The weights that are not zero: class, column, weight.
    pub weights: Vec<(u32, u32, f64)>,
    /// One intercept per class; 0 each without.
    pub intercepts: Vec<f64>,
    /// The mean loss.
    pub loss: f64,
    /// Steps taken.
    pub steps: u64,
}

/// How much of the largest second derivative a refit adds as a ridge: enough for separable classes,
/// too little to matter otherwise.
const REFIT_RIDGE: f64 = 1e-6;

/// A linear model of at most `nonzeros` weights. Steps end once one lowers the loss by at most
/// `stop.gap`, and after `stop.steps` of them at the latest; none raises it.
///
/// With `refit` the weights found are fitted once more on their own, without a threshold.
///
/// # Panics
///
/// If there are not as many targets as rows.
pub fn hard_threshold(
    problem: LinearProblem<'_>,
    nonzeros: usize,
    refit: bool,
    stop: Stop,
) -> SparseSolution {
    let LinearProblem { loss, targets, .. } = problem;
    let outputs = Outputs::Linear { loss, targets };
    let shrink = Shrink::KeepLargest(nonzeros);
    let end = descend(problem.design, outputs, problem.intercept, shrink, stop);
    let found = SparseSolution {
        weights: self::nonzeros(&end.weights),
        intercept: end.intercepts[0],
        loss: end.loss,
        steps: end.steps,
    };
    if refit {
        refitted(problem, found)
    } else {
        found
    }
}

/// Several classes, at most `nonzeros` weights among all of them; ends as [`hard_threshold`].
///
/// # Panics
///
/// If there are not as many classes as rows, or one is not below the count.
pub fn multinomial_hard_threshold(
    problem: MultinomialProblem<'_>,
    nonzeros: usize,
    stop: Stop,
) -> MultinomialSolution {
    multinomial(problem, Shrink::KeepLargest(nonzeros), stop)
}

/// Several classes, the mean loss and λ times the sum of all |weights|, by accelerated proximal
/// gradients (Beck, Teboulle 2009) that restart where they would climb; ends as [`hard_threshold`],
/// the penalty counted in.
///
/// # Panics
///
/// If there are not as many classes as rows, or one is not below the count.
pub fn multinomial_lasso(
    problem: MultinomialProblem<'_>,
    lambda: f64,
    stop: Stop,
) -> MultinomialSolution {
    multinomial(problem, Shrink::Soft(lambda), stop)
}

fn multinomial(problem: MultinomialProblem<'_>, shrink: Shrink, stop: Stop) -> MultinomialSolution {
    let MultinomialProblem { classes, count, .. } = problem;
    assert!(classes.iter().all(|&class| (class as usize) < count));
    let outputs = Outputs::Classes { classes, count };
    let end = descend(problem.design, outputs, problem.intercept, shrink, stop);
    let width = problem.design.width();
    let mut weights = Vec::new();
    for class in 0..count {
        let of_class = nonzeros(&end.weights[class * width..(class + 1) * width]);
        weights.extend(of_class.into_iter().map(|(j, w)| (class as u32, j, w)));
    }
    MultinomialSolution {
        weights,
        intercepts: end.intercepts,
        loss: end.loss,
        steps: end.steps,
    }
}

/// The same columns, fitted without a threshold; unchanged if that is no better.
fn refitted(problem: LinearProblem<'_>, found: SparseSolution) -> SparseSolution {
    let columns: Vec<u32> = found.weights.iter().map(|(j, _)| *j).collect();
    let features = restricted(problem.design.features, &columns);
    let design = Design {
        features: &features,
        ..problem.design
    };
    let n = design.rows().max(1) as f64;
    let curvature = problem.loss.curvature();
    let scale = curvature * design.squares().iter().sum::<f64>() / n + curvature;
    let end = ridge(
        RidgeProblem {
            design,
            targets: problem.targets,
            loss: problem.loss,
            record_weights: None,
            ones: problem.intercept.then_some(1.0),
            lambda: REFIT_RIDGE * scale,
            linear: None,
        },
        REFIT_RIDGE * 1e-3 * scale,
    );
    let intercept = match problem.intercept {
        true => end.weights[columns.len()],
        false => 0.0,
    };
    let mut margins = design.margins(&end.weights);
    margins.iter_mut().for_each(|margin| *margin += intercept);
    let value = |(&m, &y): (&f64, &f64)| problem.loss.value(m, y);
    let loss = margins.iter().zip(problem.targets).map(value).sum::<f64>() / n;
    if loss > found.loss {
        return found;
    }
    SparseSolution {
        weights: columns.into_iter().zip(end.weights).collect(),
        intercept,
        loss,
        steps: found.steps,
    }
}

/// Some columns of a matrix, in increasing order.
fn restricted(features: &Matrix, columns: &[u32]) -> Matrix<'static> {
    let mut places = vec![None; features.width()];
    for (place, &column) in columns.iter().enumerate() {
        places[column as usize] = Some(place as u32);
    }
    let (mut starts, mut kept, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..features.rows() {
        features.for_row(i, |column, value| {
            if let Some(place) = places[column] {
                kept.push(place);
                values.push(value);
            }
        });
        starts.push(kept.len());
    }
    let csr = Csr::new(starts, kept, values, columns.len());
    Matrix::Sparse(csr.expect("rows of a matrix, some entries left out, are a matrix"))
}

#[cfg(test)]
mod tests;
