//! The input of a solver: a matrix of features, read as multiples of a unit, and targets.

use rayon::prelude::*;

use crate::loss::Loss;
use crate::matrix::Matrix;

/// A matrix whose entries are multiples of a unit: a feature is `value · unit`. So a matrix of
/// whole grid steps is solved as it is, without a copy in real numbers.
#[derive(Clone, Copy)]
pub struct Design<'a> {
    /// One row per record.
    pub features: &'a Matrix<'a>,
    /// What an entry of 1 stands for; positive and finite.
    pub unit: f64,
}

impl<'a> From<&'a Matrix<'_>> for Design<'a> {
    /// The entries as they are.
    fn from(features: &'a Matrix<'_>) -> Self {
        Self {
            features,
            unit: 1.0,
        }
    }
}

impl Design<'_> {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.features.rows()
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.features.width()
    }

    /// x·w for every row: one pass, the same bits on any number of threads.
    pub(super) fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let margin = |i: usize| {
            let mut sum = 0.0;
            self.features
                .for_row(i, |column, value| sum += f64::from(value) * weights[column]);
            sum * self.unit
        };
        (0..self.rows()).into_par_iter().map(margin).collect()
    }

    /// The greatest ‖x‖₂ of a row.
    pub fn longest(&self) -> f64 {
        self.squares().into_iter().fold(0.0, f64::max).sqrt()
    }

    /// ‖x‖₂² for every row.
    pub(super) fn squares(&self) -> Vec<f64> {
        let square = |i: usize| {
            let mut sum = 0.0;
            self.features
                .for_row(i, |_, value| sum += f64::from(value) * f64::from(value));
            sum * self.unit * self.unit
        };
        (0..self.rows()).into_par_iter().map(square).collect()
    }

    /// The largest |x| of all.
    pub(super) fn largest_entry(&self) -> f64 {
        let mut most = 0f32;
        for i in 0..self.rows() {
            self.features
                .for_row(i, |_, value| most = most.max(value.abs()));
        }
        f64::from(most) * self.unit
    }
}

/// A linear model to be fitted: the loss ℓ(x·w + b, y), averaged over the records.
#[derive(Clone, Copy)]
pub struct LinearProblem<'a> {
    /// The features.
    pub design: Design<'a>,
    /// One target per record.
    pub targets: &'a [f64],
    /// Of a margin and a target.
    pub loss: Loss,
    /// Whether there is an intercept b, which no penalty, ball or threshold touches.
    pub intercept: bool,
}

/// The sum of `value` over 0 … n − 1, in pieces of a fixed size: the same on any threads.
pub(super) fn sum(n: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    const PIECE: usize = 4096;
    let piece = |p: usize| (p * PIECE..n.min((p + 1) * PIECE)).map(&value).sum::<f64>();
    let sums: Vec<f64> = (0..n.div_ceil(PIECE)).into_par_iter().map(piece).collect();
    sums.iter().sum()
}

/// The mean of `value` over 0 … n − 1; 0 if there are none.
pub(super) fn mean(n: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    sum(n, value) / n.max(1) as f64
}

/// The entries that are not zero, by index.
pub(super) fn nonzeros(weights: &[f64]) -> Vec<(u32, f64)> {
    let entries = weights.iter().enumerate();
    // A matrix has at most 2³² columns: their numbers are u32.
    entries
        .filter(|(_, weight)| **weight != 0.0)
        .map(|(j, &weight)| (j as u32, weight))
        .collect()
}
