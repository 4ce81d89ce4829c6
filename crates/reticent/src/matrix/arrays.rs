//! Matrices from borrowed arrays, as numerical programs keep them: sparse by rows, sparse by
//! columns, or dense.
//!
//! Numbers are rounded to `f32` on the way. One that is too large for that becomes the largest
//! `f32`, and the bound of the rows clips it: to refuse it would reveal something about a valid
//! record. Only what the matrix keeps is copied: arrays are read in place, once to count and once
//! to fill.

use std::borrow::Cow;

use rayon::prelude::*;

use super::{Csr, Dense, Matrix, MatrixError, dense_is_smaller, few_rows, fit_together, increase};

/// The order of the values of a dense array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Row after row, as in C.
    Rows,
    /// Column after column, as in Fortran.
    Columns,
}

impl<'a> Matrix<'a> {
    /// Compressed sparse rows: row i has the columns and values from `starts[i]` to
    /// `starts[i + 1]`, the columns in increasing order. They may be borrowed; a value may be zero.
    pub fn from_csr<T: Into<f64> + Copy>(
        starts: Vec<usize>,
        columns: impl Into<Cow<'a, [u32]>>,
        values: &[T],
        width: usize,
    ) -> Result<Self, MatrixError> {
        let values = values.iter().map(|&value| rounded(value)).collect();
        Csr::new(starts, columns, values, width).map(Matrix::Sparse)
    }
}

impl Matrix<'static> {
    /// Compressed sparse columns: column j has the rows and values from `starts[j]` to
    /// `starts[j + 1]`, the rows in increasing order and below `height`.
    pub fn from_csc<T: Into<f64> + Copy>(
        starts: &[usize],
        rows: &[u32],
        values: &[T],
        height: usize,
        width: usize,
    ) -> Result<Self, MatrixError> {
        fit_together(starts, rows.len(), values.len())?;
        if starts.len() - 1 != width {
            return Err(MatrixError::Shape("as many starts as columns, and one"));
        }
        few_rows(height)?;
        if !increase(starts, rows, height) {
            return Err(MatrixError::Rows);
        }
        let mut counts = vec![0; height];
        rows.iter().for_each(|&row| counts[row as usize] += 1);
        let columns = starts.windows(2).enumerate().flat_map(|(j, range)| {
            let range = range[0]..range[1];
            let entries = rows[range.clone()].iter().zip(&values[range]);
            entries.map(move |(&row, &value)| (row as usize, j, rounded(value)))
        });
        by_rows(&counts, columns, width)
    }

    /// A dense array of `rows` times `width` values, stored in the smaller form.
    pub fn from_dense<T: Into<f64> + Copy + Sync>(
        values: &[T],
        rows: usize,
        width: usize,
        order: Order,
    ) -> Result<Self, MatrixError> {
        if rows.checked_mul(width) != Some(values.len()) {
            return Err(MatrixError::Shape("rows times width values"));
        }
        few_rows(rows)?;
        let array = Array {
            values,
            rows,
            width,
            order,
        };
        let entries = values.par_iter().filter(|&&value| rounded(value) != 0.0);
        if dense_is_smaller(rows, width, entries.count()) {
            Dense::new(array.dense(), rows, width).map(Matrix::Dense)
        } else {
            array.sparse()
        }
    }
}

/// The nearest `f32` that is finite; NaN and infinity stay, and are refused.
///
/// # Privacy
///
/// A function of the value alone, so the stored row depends on the given row alone, and the bound
/// is enforced afterwards. Rows with entries beyond ±3.4e38 may change direction, in training as in
/// prediction, but no guarantee rests on that.
#[inline]
fn rounded(value: impl Into<f64>) -> f32 {
    let value = value.into();
    match value.is_infinite() {
        true => value as f32,
        false => value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32,
    }
}

/// Puts entries (row, column, value), whose columns never decrease, in their rows. `counts` says
/// how many each row has.
fn by_rows(
    counts: &[usize],
    entries: impl Iterator<Item = (usize, usize, f32)>,
    width: usize,
) -> Result<Matrix<'static>, MatrixError> {
    // Column numbers are u32.
    if width.saturating_sub(1) > u32::MAX as usize {
        return Err(MatrixError::Shape("at most 2^32 columns"));
    }
    let mut starts = Vec::with_capacity(counts.len() + 1);
    let mut total = 0;
    starts.push(0);
    starts.extend(counts.iter().map(|count| {
        total += count;
        total
    }));
    let mut columns = vec![0; total];
    let mut values = vec![0.0; total];
    // Where the next entry of each row goes.
    let mut next = starts[..counts.len()].to_vec();
    for (row, column, value) in entries {
        let place = &mut next[row];
        columns[*place] = column as u32;
        values[*place] = value;
        *place += 1;
    }
    Csr::new(starts, columns, values, width).map(Matrix::Sparse)
}

/// A dense array in either order.
struct Array<'a, T> {
    values: &'a [T],
    rows: usize,
    width: usize,
    order: Order,
}

impl<T: Into<f64> + Copy + Sync> Array<'_, T> {
    /// All values, row after row.
    fn dense(&self) -> Vec<f32> {
        if self.order == Order::Rows {
            return self
                .values
                .par_iter()
                .map(|&value| rounded(value))
                .collect();
        }
        // A few rows at a time, so that each column is read in whole cache lines.
        const ROWS: usize = 16;
        let mut dense = vec![0.0; self.values.len()];
        let parts = dense.par_chunks_mut((ROWS * self.width).max(1));
        parts.enumerate().for_each(|(part, to)| {
            let rows = to.len() / self.width;
            for column in 0..self.width {
                let from = column * self.rows + part * ROWS;
                for (row, &value) in self.values[from..from + rows].iter().enumerate() {
                    to[row * self.width + column] = rounded(value);
                }
            }
        });
        dense
    }

    /// The values that are not zero.
    fn sparse(&self) -> Result<Matrix<'static>, MatrixError> {
        let long = match self.order {
            Order::Rows => self.width,
            Order::Columns => self.rows,
        };
        let lists = self.values.chunks(long.max(1)).enumerate();
        let entries = lists.flat_map(|(i, list)| {
            let list = list.iter().enumerate();
            list.map(move |(j, &value)| match self.order {
                Order::Rows => (i, j, rounded(value)),
                Order::Columns => (j, i, rounded(value)),
            })
        });
        let entries = entries.filter(|(_, _, value)| *value != 0.0);
        let mut counts = vec![0; self.rows];
        entries.clone().for_each(|(row, _, _)| counts[row] += 1);
        by_rows(&counts, entries, self.width)
    }
}

#[cfg(test)]
mod tests;
