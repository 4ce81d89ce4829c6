//! A feature matrix by columns: what a solver that moves along one axis at a time needs.

use rayon::prelude::*;

use crate::data::csc::Csc;
use crate::data::{Matrix, Vertex};

/// The columns of a matrix, each with its rows in order.
pub(super) enum Columns {
    Sparse(Csc),
    Dense { values: Vec<f32>, height: usize },
}

impl Columns {
    /// Turns a matrix round: two passes over its entries.
    pub(super) fn of(matrix: &Matrix) -> Self {
        match matrix {
            Matrix::Sparse(csr) => Self::Sparse(Csc::new(csr)),
            Matrix::Dense(_) => Self::dense(matrix),
        }
    }

    fn dense(matrix: &Matrix) -> Self {
        let height = matrix.rows();
        let mut values = vec![0f32; height * matrix.width()];
        for i in 0..height {
            matrix.for_row(i, |column, value| values[column * height + i] = value);
        }
        Self::Dense { values, height }
    }

    /// Σᵢ xᵢⱼ·slopeᵢ for each column j: one pass, shared among threads by column, so that the
    /// sums are the same whatever the threads.
    pub(super) fn gradient(&self, slopes: &[f64], width: usize) -> Vec<f64> {
        let of_column = |column: usize| match self {
            Self::Sparse(csc) => {
                let (rows, values) = csc.column(column);
                let entries = rows.iter().zip(values);
                entries
                    .map(|(&row, &value)| f64::from(value) * slopes[row as usize])
                    .sum()
            }
            Self::Dense { values, height } => {
                let entries = &values[column * height..(column + 1) * height];
                let products = entries.iter().zip(slopes);
                products
                    .map(|(&value, slope)| f64::from(value) * slope)
                    .sum()
            }
        };
        (0..width).into_par_iter().map(of_column).collect()
    }

    /// margin += x·point for every row.
    pub(super) fn add(&self, point: &Vertex, margins: &mut [f64]) {
        match point {
            Vertex::Axis { column, value } => self.add_column(*column, *value, margins),
            Vertex::Point(values) => {
                for (column, &value) in values.iter().enumerate() {
                    if value != 0.0 {
                        self.add_column(column, value, margins);
                    }
                }
            }
        }
    }

    fn add_column(&self, column: usize, scale: f64, margins: &mut [f64]) {
        match self {
            Self::Sparse(csc) => {
                let (rows, values) = csc.column(column);
                for (&row, &value) in rows.iter().zip(values) {
                    margins[row as usize] += scale * f64::from(value);
                }
            }
            Self::Dense { values, height } => {
                let entries = &values[column * height..(column + 1) * height];
                for (margin, &value) in margins.iter_mut().zip(entries) {
                    *margin += scale * f64::from(value);
                }
            }
        }
    }
}
