//! The quadratic model of one step, and cyclic coordinate descent on it.
//!
//! Its slopes are kept in one of two ways, whichever costs less: as one residual per record, from
//! which a column's slope is a sum over its entries; or, where columns are few and rows short, as
//! the slopes themselves, which the matrix of second derivatives updates.

use crate::solve::columns::Columns;
use crate::solve::curvature::Selection;
use crate::solve::design::Design;

/// Passes over the columns within one step.
const MOST_PASSES: usize = 1000;

/// A step is done once a pass improves the model by this share of what its first pass did.
const ENOUGH: f64 = 1e-5;

/// Above this many entries per row, the matrix of second derivatives costs more than it saves.
const LONG_ROW: usize = 64;

/// A quadratic model of the mean loss around weights: coordinates are the working columns and,
/// last, the intercept if there is one.
pub(super) struct Model<'a> {
    columns: &'a Columns,
    /// The columns that may change, increasing.
    pub working: Vec<usize>,
    /// How far each coordinate has moved.
    pub changes: Vec<f64>,
    weights: Vec<f64>,
    /// The second derivative in each coordinate.
    squares: Vec<f64>,
    slopes: Slopes,
}

enum Slopes {
    /// h/n, and (slope + h·change)/n, of each record.
    Records {
        curvatures: Vec<f64>,
        residuals: Vec<f64>,
    },
    /// The second derivatives, and the slope in each coordinate.
    Coordinates { matrix: Vec<f64>, slopes: Vec<f64> },
}

/// What a model is made of.
pub(super) struct Parts<'a> {
    pub columns: &'a Columns,
    pub design: Design<'a>,
    pub working: Vec<usize>,
    /// The present weights of the working columns.
    pub weights: Vec<f64>,
    /// The mean gradient there.
    pub gradient: Vec<f64>,
    /// The mean slope, if there is an intercept.
    pub of_intercept: Option<f64>,
    /// h/n of each record.
    pub curvatures: Vec<f64>,
    /// The slope of each record, over n.
    pub residuals: Vec<f64>,
}

impl<'a> Model<'a> {
    pub(super) fn new(parts: Parts<'a>) -> Self {
        let Parts {
            columns, working, ..
        } = parts;
        let ones = parts.of_intercept.map(|_| 1.0);
        let order = working.len() + usize::from(ones.is_some());
        let entries: usize = working.iter().map(|&j| columns.entries(j)).sum();
        let records = parts.curvatures.len();
        let (squares, slopes);
        if entries <= LONG_ROW * records && order * order <= 2 * entries {
            let selection = Selection::of(&working, parts.design.width(), ones);
            let matrix = selection.curvature(parts.design, &parts.curvatures);
            let mut gradient = parts.gradient;
            gradient.extend(parts.of_intercept);
            squares = (0..order).map(|k| matrix[k * order + k]).collect();
            slopes = Slopes::Coordinates {
                matrix,
                slopes: gradient,
            };
        } else {
            let square = |&j: &usize| columns.square(j, &parts.curvatures);
            let mut found: Vec<f64> = working.iter().map(square).collect();
            found.extend(ones.map(|_| parts.curvatures.iter().sum::<f64>()));
            squares = found;
            slopes = Slopes::Records {
                curvatures: parts.curvatures,
                residuals: parts.residuals,
            };
        }
        Self {
            columns,
            changes: vec![0.0; order],
            weights: parts.weights,
            squares,
            slopes,
            working,
        }
    }

    /// How far the intercept has moved.
    pub(super) fn of_intercept(&self) -> f64 {
        self.changes.get(self.working.len()).copied().unwrap_or(0.0)
    }

    /// Minimises model + λ‖w‖₁: passes over all coordinates, between them passes over those
    /// that are not zero until these have settled.
    pub(super) fn descend(&mut self, lambda: f64) {
        let all: Vec<usize> = (0..self.changes.len()).collect();
        let enough = ENOUGH * self.pass(lambda, &all);
        let mut passes = 1;
        while passes < MOST_PASSES {
            let is_active = |k: &usize| {
                let weight = self.weights.get(*k);
                weight.is_none_or(|weight| weight + self.changes[*k] != 0.0)
            };
            let active: Vec<usize> = all.iter().copied().filter(is_active).collect();
            while passes < MOST_PASSES {
                passes += 1;
                if self.pass(lambda, &active) <= enough {
                    break;
                }
            }
            passes += 1;
            if self.pass(lambda, &all) <= enough {
                break;
            }
        }
    }

    /// Sets each of the given coordinates to the minimum of the model; returns about how much it
    /// fell.
    fn pass(&mut self, lambda: f64, which: &[usize]) -> f64 {
        let mut fell = 0.0;
        for &k in which {
            let square = self.squares[k];
            if square <= 0.0 {
                continue;
            }
            let slope = self.slope(k);
            let change = match self.weights.get(k) {
                None => -slope / square,
                Some(&start) => {
                    let weight = start + self.changes[k];
                    let target = soft_threshold(square * weight - slope, lambda) / square;
                    // So that weight plus change is exactly 0 where the target is.
                    self.changes[k] = target - start;
                    target - weight
                }
            };
            if change != 0.0 {
                if k == self.working.len() {
                    self.changes[k] += change;
                }
                self.shift(k, change);
                fell += square * change * change;
            }
        }
        fell
    }

    fn slope(&self, k: usize) -> f64 {
        match &self.slopes {
            Slopes::Coordinates { slopes, .. } => slopes[k],
            Slopes::Records { residuals, .. } => match self.working.get(k) {
                Some(&j) => self.columns.product(j, residuals),
                None => residuals.iter().sum(),
            },
        }
    }

    fn shift(&mut self, k: usize, change: f64) {
        match &mut self.slopes {
            Slopes::Coordinates { matrix, slopes } => {
                let line = &matrix[k * slopes.len()..(k + 1) * slopes.len()];
                for (slope, x) in slopes.iter_mut().zip(line) {
                    *slope += change * x;
                }
            }
            Slopes::Records {
                curvatures,
                residuals,
            } => match self.working.get(k) {
                Some(&j) => self.columns.add_weighted(j, change, curvatures, residuals),
                None => {
                    let pairs = residuals.iter_mut().zip(curvatures);
                    pairs.for_each(|(residual, curvature)| *residual += change * *curvature);
                }
            },
        }
    }
}

/// x moved towards 0 by `by`, and no further.
pub(super) fn soft_threshold(x: f64, by: f64) -> f64 {
    x.signum() * (x.abs() - by).max(0.0)
}
