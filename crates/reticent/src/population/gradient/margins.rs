//! The margins x·w + b of all records, for weights that move step by step.

use rayon::prelude::*;

use crate::matrix::csc::Csc;
use crate::matrix::{Csr, Matrix};
use crate::parallel::SINGLE_THREAD_WORK;

/// Below this the scale is multiplied into the margins. It is far above where floats lose digits,
/// and far below what millions of steps of 2/(t+2) reach.
const LEAST_SCALE: f64 = 1.0 / (1u64 << 60) as f64;

/// A linear function of one number.
#[derive(Clone, Copy)]
pub(super) struct Line {
    scale: f64,
    intercept: f64,
}

impl Line {
    /// The values at some numbers.
    #[inline(always)]
    pub fn at(&self, scaled: &[f64], values: &mut [f64]) {
        for (value, scaled) in values.iter_mut().zip(scaled) {
            *value = self.scale * scaled + self.intercept;
        }
    }
}

/// Margins `scale`·`scaled` + `intercept`: shrinking all of them is one product.
pub(super) struct Margins {
    pub scaled: Vec<f64>,
    scale: f64,
    pub intercept: f64,
}

impl Margins {
    /// The margins of weights and intercept 0.
    pub fn zero(records: usize) -> Self {
        Self {
            scaled: vec![0.0; records],
            scale: 1.0,
            intercept: 0.0,
        }
    }

    /// Sets all margins but the intercept, in that the caller sets all of `scaled`.
    pub fn renew(&mut self) {
        self.scale = 1.0;
    }

    /// How margins follow from `scaled`.
    pub fn line(&self) -> Line {
        Line {
            scale: self.scale,
            intercept: self.intercept,
        }
    }

    /// Multiplies the weights by `factor`.
    pub fn shrink(&mut self, factor: f64) {
        let scale = self.scale * factor;
        if scale == 0.0 {
            // The first step of Frank–Wolfe goes all the way to a vertex.
            self.scaled.fill(0.0);
            self.scale = 1.0;
        } else if scale.abs() < LEAST_SCALE {
            self.change_each(self.scaled.len(), |_, scaled| *scaled *= scale);
            self.scale = 1.0;
        } else {
            self.scale = scale;
        }
    }

    /// Adds `weight` to the weight of a column of `features`. `columns` holds sparse features by
    /// column, once a column was needed.
    ///
    /// A zero adds nothing, even if the weight is infinite: how a table is stored depends on the
    /// whole table, and must not affect any record.
    pub fn add_column(
        &mut self,
        features: &Matrix,
        columns: &mut Option<Csc>,
        column: usize,
        weight: f64,
    ) {
        let weight = weight / self.scale;
        match features {
            Matrix::Sparse(csr) => self.add_sparse(csr, columns, column, weight),
            Matrix::Dense(dense) => self.change_each(self.scaled.len(), |i, scaled| {
                let x = dense.row(i)[column];
                if x != 0.0 {
                    *scaled += weight * f64::from(x);
                }
            }),
        }
    }

    fn add_sparse(&mut self, csr: &Csr, columns: &mut Option<Csc>, column: usize, weight: f64) {
        let columns = columns.get_or_insert_with(|| Csc::new(csr));
        let (rows, values) = columns.column(column);
        for (&row, &x) in rows.iter().zip(values) {
            if x != 0.0 {
                self.scaled[row as usize] += weight * f64::from(x);
            }
        }
    }

    /// Adds `factor` times a point to the weights.
    pub fn add_point(&mut self, features: &Matrix, point: &[f64], factor: f64) {
        assert_eq!(point.len(), features.width(), "one coordinate per column");
        let factor = factor / self.scale;
        let work = features.entries();
        match features {
            Matrix::Sparse(csr) => self.change_each(work, |i, scaled| {
                let (columns, values) = csr.row(i);
                *scaled += factor * product(columns, values, point);
            }),
            Matrix::Dense(dense) => self.change_each(work, |i, scaled| {
                let mut product = 0.0;
                for (&x, weight) in dense.row(i).iter().zip(point) {
                    if x != 0.0 {
                        product += f64::from(x) * weight;
                    }
                }
                *scaled += factor * product;
            }),
        }
    }

    /// Changes each scaled margin, on several threads if there is much `work`.
    fn change_each(&mut self, work: usize, change: impl Fn(usize, &mut f64) + Sync) {
        if work < SINGLE_THREAD_WORK {
            let margins = self.scaled.iter_mut().enumerate();
            margins.for_each(|(i, scaled)| change(i, scaled));
        } else {
            let margins = self.scaled.par_iter_mut().enumerate();
            margins.for_each(|(i, scaled)| change(i, scaled));
        }
    }
}
/// A sparse row times a point, entry after entry. A zero adds nothing, even if the weight is
/// infinite.
#[inline]
fn product(columns: &[u32], values: &[f32], point: &[f64]) -> f64 {
    let mut product = 0.0;
    for (&column, &x) in columns.iter().zip(values) {
        if x != 0.0 {
            product += f64::from(x) * point[column as usize];
        }
    }
    product
}
