//! A feature matrix by columns: what a solver that moves along one axis at a time needs.

use rayon::prelude::*;

use super::design::Design;
use super::region::Vertex;
use crate::matrix::Matrix;
use crate::matrix::csc::Csc;

/// The columns of a design, each with its rows in order.
pub(super) struct Columns {
    store: Store,
    width: usize,
    unit: f64,
}

enum Store {
    Sparse(Csc),
    Dense { values: Vec<f32>, height: usize },
}

impl Columns {
    /// Transposes a matrix: two passes over its entries.
    pub(super) fn of(design: Design<'_>) -> Self {
        let store = match design.features {
            Matrix::Sparse(csr) => Store::Sparse(Csc::new(csr)),
            Matrix::Dense(_) => dense(design.features),
        };
        Self {
            store,
            width: design.width(),
            unit: design.unit,
        }
    }

    /// How many entries of a column are stored.
    pub(super) fn entries(&self, column: usize) -> usize {
        match &self.store {
            Store::Sparse(csc) => csc.column(column).0.len(),
            Store::Dense { height, .. } => *height,
        }
    }

    /// Σᵢ xᵢⱼ·slopeᵢ for each column j: one pass, shared among threads by column, so that the
    /// sums are the same whatever the threads.
    pub(super) fn gradient(&self, slopes: &[f64]) -> Vec<f64> {
        let columns = (0..self.width).into_par_iter();
        columns.map(|column| self.product(column, slopes)).collect()
    }

    /// Σᵢ xᵢⱼ·vectorᵢ.
    pub(super) fn product(&self, column: usize, vector: &[f64]) -> f64 {
        let sum: f64 = match &self.store {
            Store::Sparse(csc) => {
                let (rows, values) = csc.column(column);
                let entries = rows.iter().zip(values);
                entries
                    .map(|(&row, &value)| f64::from(value) * vector[row as usize])
                    .sum()
            }
            Store::Dense { values, height } => {
                let entries = &values[column * height..(column + 1) * height];
                let products = entries.iter().zip(vector);
                products.map(|(&value, x)| f64::from(value) * x).sum()
            }
        };
        sum * self.unit
    }

    /// Σᵢ xᵢⱼ²·weightᵢ.
    pub(super) fn square(&self, column: usize, weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.for_column(column, |row, value| {
            sum += f64::from(value) * f64::from(value) * weights[row];
        });
        sum * self.unit * self.unit
    }

    /// vectorᵢ += scale·xᵢⱼ.
    pub(super) fn add_column(&self, column: usize, scale: f64, vector: &mut [f64]) {
        let scale = scale * self.unit;
        self.for_column(column, |row, value| vector[row] += scale * f64::from(value));
    }

    /// vectorᵢ += scale·weightᵢ·xᵢⱼ.
    pub(super) fn add_weighted(
        &self,
        column: usize,
        scale: f64,
        weights: &[f64],
        vector: &mut [f64],
    ) {
        let scale = scale * self.unit;
        self.for_column(column, |row, value| {
            vector[row] += scale * f64::from(value) * weights[row];
        });
    }

    /// margin += x·point for every row.
    pub(super) fn add(&self, point: &Vertex, margins: &mut [f64]) {
        match point {
            Vertex::Axis { column, value } => self.add_column(*column, *value, margins),
            Vertex::Point(values) => self.add_point(values, margins),
        }
    }

    /// margin += x·point for every row, at the cost of the columns where the point is not 0.
    pub(super) fn add_point(&self, point: &[f64], margins: &mut [f64]) {
        for (column, &value) in point.iter().enumerate() {
            if value != 0.0 {
                self.add_column(column, value, margins);
            }
        }
    }

    #[inline]
    fn for_column(&self, column: usize, mut visit: impl FnMut(usize, f32)) {
        match &self.store {
            Store::Sparse(csc) => {
                let (rows, values) = csc.column(column);
                for (&row, &value) in rows.iter().zip(values) {
                    visit(row as usize, value);
                }
            }
            Store::Dense { values, height } => {
                let entries = &values[column * height..(column + 1) * height];
                for (row, &value) in entries.iter().enumerate() {
                    visit(row, value);
                }
            }
        }
    }
}

fn dense(matrix: &Matrix) -> Store {
    let height = matrix.rows();
    let mut values = vec![0f32; height * matrix.width()];
    for i in 0..height {
        matrix.for_row(i, |column, value| values[column * height + i] = value);
    }
    Store::Dense { values, height }
}
