//! Feature matrices: compressed sparse rows, or dense rows.
//!
//! Values are `f32`: a bound spans 2²⁰ grid steps, which `f32` holds exactly. Measured on the
//! 1.27 M entries of news20: summing the values takes 66 µs as `f32` and 106 µs as `f64`, adding
//! them to integer sums by column 1.12 ms and 1.43 ms, and a matrix takes 8 bytes per entry instead
//! of 12. Columns are `u32`.
//!
//! Columns may be borrowed: they are read as they are given, so that the indices of a SciPy sparse
//! matrix, for example, need not be copied. Values are always owned: bounds are enforced in place,
//! which turns values into whole grid steps, and a caller's array must not change.

mod arrays;
pub(crate) mod csc;
mod map_columns;
pub(crate) mod phrases;
mod pick_rows;
pub(crate) mod ranked;
mod restrict;
pub(crate) mod tiles;
pub(crate) mod tokens;

use std::borrow::Cow;

use rayon::prelude::*;

pub use arrays::Order;
pub(crate) use map_columns::map_columns;
pub(crate) use pick_rows::pick_rows;
pub(crate) use restrict::restrict;

/// Why arrays are not a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// The arrays do not fit together.
    #[error("the arrays of a matrix do not fit together: {0}")]
    Shape(&'static str),
    /// A row whose columns do not increase, or lie beyond the width.
    #[error("the columns of a row must increase and lie below the width")]
    Columns,
    /// A column whose rows do not increase, or lie beyond the last.
    #[error("the rows of a column must increase and lie below the number of rows")]
    Rows,
    /// NaN or infinity.
    #[error("a matrix holds finite numbers only; fill missing values by a fixed rule first")]
    NotFinite,
}

/// Compressed sparse rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<'a> {
    starts: Vec<usize>,
    columns: Cow<'a, [u32]>,
    values: Vec<f32>,
    width: usize,
}

impl<'a> Csr<'a> {
    /// Row i has the columns and values from `starts[i]` to `starts[i + 1]`, the columns in
    /// increasing order.
    pub fn new(
        starts: Vec<usize>,
        columns: impl Into<Cow<'a, [u32]>>,
        values: Vec<f32>,
        width: usize,
    ) -> Result<Self, MatrixError> {
        let columns = columns.into();
        fit_together(&starts, columns.len(), values.len())?;
        few_rows(starts.len() - 1)?;
        if !increase(&starts, &columns, width) {
            return Err(MatrixError::Columns);
        }
        if !values.iter().all(|value| value.is_finite()) {
            return Err(MatrixError::NotFinite);
        }
        Ok(Self {
            starts,
            columns,
            values,
            width,
        })
    }

    /// The columns and values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[f32]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.columns[range.clone()], &self.values[range])
    }

    /// The values of each row.
    fn rows_mut(&mut self) -> Vec<&mut [f32]> {
        let mut rows = Vec::with_capacity(self.starts.len() - 1);
        let mut left = &mut self.values[..];
        for row in self.starts.windows(2) {
            let values;
            (values, left) = left.split_at_mut(row[1] - row[0]);
            rows.push(values);
        }
        rows
    }

    /// The columns of all entries, row after row.
    pub(super) fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of stored entries.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }
}

/// Whether starts run from 0 to the number of entries, which all have an index and a value.
fn fit_together(starts: &[usize], indices: usize, values: usize) -> Result<(), MatrixError> {
    if starts.first() != Some(&0) || starts.last() != Some(&indices) {
        return Err(MatrixError::Shape(
            "starts must run from 0 to the number of entries",
        ));
    }
    if indices != values || !starts.is_sorted() {
        return Err(MatrixError::Shape(
            "as many values as indices, and sorted starts",
        ));
    }
    Ok(())
}

fn few_rows(rows: usize) -> Result<(), MatrixError> {
    match u32::try_from(rows) {
        Ok(_) => Ok(()),
        Err(_) => Err(MatrixError::Shape("fewer than 2^32 rows")),
    }
}

/// Whether the indices between two starts increase, and lie below `end`.
fn increase(starts: &[usize], indices: &[u32], end: usize) -> bool {
    let increasing = |list: &[u32]| {
        list.is_sorted_by(|a, b| a < b) && list.last().is_none_or(|&last| (last as usize) < end)
    };
    starts
        .windows(2)
        .all(|list| increasing(&indices[list[0]..list[1]]))
}

/// Whether a matrix with so many entries takes fewer bytes as dense rows than as sparse ones.
pub(crate) fn dense_is_smaller(rows: usize, width: usize, entries: usize) -> bool {
    let sparse = (rows + 1) * size_of::<usize>() + entries * (size_of::<u32>() + size_of::<f32>());
    let cells = rows.checked_mul(width);
    let dense = cells.and_then(|cells| cells.checked_mul(size_of::<f32>()));
    dense.is_some_and(|dense| dense < sparse)
}

/// Dense rows, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense {
    values: Vec<f32>,
    rows: usize,
    width: usize,
}

impl Dense {
    /// `rows` rows of `width` values each.
    pub fn new(values: Vec<f32>, rows: usize, width: usize) -> Result<Self, MatrixError> {
        if rows.checked_mul(width) != Some(values.len()) {
            return Err(MatrixError::Shape("rows times width values"));
        }
        few_rows(rows)?;
        if !values.iter().all(|value| value.is_finite()) {
            return Err(MatrixError::NotFinite);
        }
        Ok(Self {
            values,
            rows,
            width,
        })
    }

    /// The values of row `i`.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// A feature matrix, stored in the smaller form.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix<'a> {
    /// Few of the entries are not zero.
    Sparse(Csr<'a>),
    /// Most of them are.
    Dense(Dense),
}

impl Matrix<'_> {
    /// The same, with borrowed columns copied.
    pub fn into_owned(self) -> Matrix<'static> {
        match self {
            Self::Dense(dense) => Matrix::Dense(dense),
            Self::Sparse(csr) => Matrix::Sparse(Csr {
                columns: Cow::Owned(csr.columns.into_owned()),
                starts: csr.starts,
                values: csr.values,
                width: csr.width,
            }),
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Sparse(csr) => csr.rows(),
            Self::Dense(dense) => dense.rows,
        }
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        match self {
            Self::Sparse(csr) => csr.width,
            Self::Dense(dense) => dense.width,
        }
    }

    /// The number of entries that are stored.
    pub fn entries(&self) -> usize {
        match self {
            Self::Sparse(csr) => csr.entries(),
            Self::Dense(dense) => dense.values.len(),
        }
    }

    /// Multiplies every value.
    pub(crate) fn scale(&mut self, factor: f32) {
        let values = match self {
            Self::Sparse(csr) => &mut csr.values,
            Self::Dense(dense) => &mut dense.values,
        };
        values.iter_mut().for_each(|value| *value *= factor);
    }

    /// Changes the stored values of each row, as a function of themselves alone, with a buffer that
    /// each thread reuses.
    pub(crate) fn map_rows<B>(
        &mut self,
        room: impl Fn() -> B + Sync + Send,
        change: impl Fn(&mut [f32], &mut B) + Sync + Send,
    ) {
        match self {
            Self::Sparse(csr) => {
                let rows = csr.rows_mut().into_par_iter();
                rows.for_each_init(room, |room, row| change(row, room));
            }
            Self::Dense(dense) => {
                let rows = dense.values.par_chunks_mut(dense.width.max(1));
                rows.for_each_init(room, |room, row| change(row, room));
            }
        }
    }

    /// Calls `visit` with each stored entry of row `i`.
    pub fn for_row(&self, i: usize, mut visit: impl FnMut(usize, f32)) {
        match self {
            Self::Sparse(csr) => {
                let (columns, values) = csr.row(i);
                for (&column, &value) in columns.iter().zip(values) {
                    visit(column as usize, value);
                }
            }
            Self::Dense(dense) => {
                for (column, &value) in dense.row(i).iter().enumerate() {
                    visit(column, value);
                }
            }
        }
    }
}
