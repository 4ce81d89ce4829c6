//! The point of least loss, with a gradient that has been checked.

#[cfg(test)]
mod proof;

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::RegularisedLoss;
use super::bounds::{BLOCK, Bounds, PIECES};
use crate::loss::Loss;
use crate::matrix::Matrix;
use crate::matrix::restrict;
use crate::population::records::Records;
use crate::solve::{Design, RidgeProblem, ridge};

/// The records on a support, and the objective over them.
pub(in crate::population::central) struct Restricted<'a> {
    features: Cow<'a, Matrix<'a>>,
    targets: &'a [f64],
    unit: f64,
    loss: Loss,
    lambda: f64,
    intercept: bool,
    centre: Option<&'a [f64]>,
    /// n, or the declared number in its place.
    records: f64,
}

impl<'a> Restricted<'a> {
    pub fn of(records: &'a Records<'a>, what: &RegularisedLoss<'a>) -> Self {
        let features = match what.support {
            None => Cow::Borrowed(&*records.features),
            Some(support) => Cow::Owned(restrict(&records.features, support)),
        };
        Self {
            features,
            targets: &records.targets,
            unit: records.clip.grid.step(),
            loss: what.loss,
            lambda: what.lambda,
            intercept: what.intercept,
            centre: what.centre,
            records: what.records as f64,
        }
    }

    /// A point where the gradient of (1/n)Σℓ + (λ/2)‖w − v‖² + ⟨linear, w⟩ is at most τ in norm.
    ///
    /// The search is [`ridge`]'s, and nothing rests on it: the gradient is computed once more where
    /// it ends, in sums whose errors are bounded. Should the point not pass, plain gradient steps
    /// from 0 find one.
    ///
    /// *They end, whatever the records.* With G the computed gradient, ‖G − ∇F‖ ≤ E ≤ τ/5, and
    /// α = 1/smoothness, the step w − αG gives F ≤ F − (α/2)(‖∇F‖² − E²). As long as
    /// ‖G‖ > 0.6·τ, ‖∇F‖ > 0.4·τ, and F falls by at least 0.06·α·τ² a step: it can do so
    /// only (F(0) − min F)/(0.06·α·τ²) times. And where it stops, ‖∇F‖ ≤ 0.8·τ, which leaves room
    /// for the rounding of the norm itself.
    pub fn minimum(&self, linear: &[f64], bounds: &Bounds) -> Vec<f64> {
        let enough = 0.6 * bounds.tolerance;
        let found = self.searched(linear, 0.5 * enough);
        if norm(&found) <= bounds.largest && norm(&self.gradient(&found, linear)) <= enough {
            return found;
        }
        let mut point = vec![0.0; bounds.coordinates];
        let mut gradient = self.gradient(&point, linear);
        while norm(&gradient) > enough {
            for (w, g) in point.iter_mut().zip(&gradient) {
                *w -= g / bounds.smooth;
            }
            gradient = self.gradient(&point, linear);
        }
        point
    }

    /// About the minimiser. With n₀ in the place of n records, the objective is n/n₀ times one of
    /// mean loss in which λ and the linear term are n₀/n times as large.
    fn searched(&self, linear: &[f64], tolerance: f64) -> Vec<f64> {
        let linear = self.pulled(linear);
        if self.targets.is_empty() {
            return linear.iter().map(|b| -b / self.lambda).collect();
        }
        let scale = self.records / self.targets.len() as f64;
        let linear: Vec<f64> = linear.iter().map(|b| scale * b).collect();
        let problem = RidgeProblem {
            design: Design {
                features: &self.features,
                unit: self.unit,
            },
            targets: self.targets,
            loss: self.loss,
            record_weights: None,
            ones: self.intercept.then_some(1.0),
            lambda: scale * self.lambda,
            linear: Some(&linear),
        };
        ridge(problem, scale * tolerance).weights
    }

    /// The linear term, that of the centre included.
    fn pulled<'b>(&self, linear: &'b [f64]) -> Cow<'b, [f64]> {
        let Some(centre) = self.centre else {
            return Cow::Borrowed(linear);
        };
        let pairs = linear.iter().zip(centre);
        pairs.map(|(b, v)| b - self.lambda * v).collect()
    }

    /// The gradient, summed in blocks of pieces: the same bits on any number of threads.
    pub(in crate::population::central) fn gradient(
        &self,
        point: &[f64],
        linear: &[f64],
    ) -> Vec<f64> {
        let rows = self.targets.len();
        let length = rows.div_ceil(PIECES).max(BLOCK);
        let piece = |p: usize| self.piece(point, p * length..rows.min((p + 1) * length));
        let pieces = (0..rows.div_ceil(length)).into_par_iter();
        let sums: Vec<Vec<f64>> = pieces.map(piece).collect();
        let mut total = vec![0.0; point.len()];
        sums.iter().for_each(|sum| add(&mut total, sum));
        let linear = self.pulled(linear);
        let rest = point.iter().zip(linear.iter());
        let whole = total.iter().zip(rest);
        whole
            .map(|(sum, (w, b))| sum / self.records + (self.lambda * w + b))
            .collect()
    }

    /// The sum of ψx over a range of rows, block by block.
    fn piece(&self, point: &[f64], rows: Range<usize>) -> Vec<f64> {
        let mut total = vec![0.0; point.len()];
        let mut block = vec![0.0; point.len()];
        for start in rows.clone().step_by(BLOCK) {
            block.fill(0.0);
            for i in start..rows.end.min(start + BLOCK) {
                self.add_record(point, i, &mut block);
            }
            add(&mut total, &block);
        }
        total
    }

    fn margin(&self, point: &[f64], i: usize) -> f64 {
        let mut margin = 0.0;
        self.features
            .for_row(i, |j, x| margin += f64::from(x) * point[j]);
        margin *= self.unit;
        if self.intercept {
            margin += point[point.len() - 1];
        }
        margin
    }

    fn add_record(&self, point: &[f64], i: usize, sums: &mut [f64]) {
        let last = point.len() - 1;
        let slope = self.loss.slope(self.margin(point, i), self.targets[i]);
        let scaled = slope * self.unit;
        self.features
            .for_row(i, |j, x| sums[j] += f64::from(x) * scaled);
        if self.intercept {
            sums[last] += slope;
        }
    }
}

fn add(total: &mut [f64], other: &[f64]) {
    for (total, x) in total.iter_mut().zip(other) {
        *total += x;
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}
