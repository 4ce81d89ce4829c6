//! Feature arrays of NumPy and SciPy as the engine's matrices, read in place.
//!
//! What is copied, and why: values always, once, into `f32`, because the engine clips every row to
//! its bound in whole grid steps, and the caller's array must not change. Columns of SciPy's CSR
//! with 32-bit indices are borrowed; 64-bit ones are narrowed, and CSC is converted to rows.

use std::borrow::Cow;

use numpy::{Element, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use reticent::matrix::{Matrix, MatrixError, Order};

use crate::error::value_error;
use crate::threads::free;

/// A two-dimensional array that is borrowed from Python for as long as this lives.
pub enum Features<'py> {
    /// Of NumPy, contiguous in either order.
    Dense(Dense<'py>),
    /// Of SciPy, by rows or by columns.
    Sparse(Sparse<'py>),
}

/// An array of NumPy.
pub enum Dense<'py> {
    Single(PyReadonlyArray2<'py, f32>),
    Double(PyReadonlyArray2<'py, f64>),
}

/// The three arrays of a matrix of SciPy.
pub struct Sparse<'py> {
    by_rows: bool,
    shape: (usize, usize),
    starts: Vec<usize>,
    indices: Indices<'py>,
    values: Values<'py>,
}

enum Indices<'py> {
    /// Not negative, and so the same as `u32`.
    Short(PyReadonlyArray1<'py, i32>),
    /// Narrowed from 64 bits.
    Narrowed(Vec<u32>),
}

enum Values<'py> {
    Single(PyReadonlyArray1<'py, f32>),
    Double(PyReadonlyArray1<'py, f64>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Features<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(array) = object.extract() {
            return Ok(Self::Dense(Dense::Double(array)));
        }
        if let Ok(array) = object.extract() {
            return Ok(Self::Dense(Dense::Single(array)));
        }
        if object.hasattr("indptr")? {
            return Sparse::of(&object).map(Self::Sparse);
        }
        Err(PyTypeError::new_err(
            "features must be a two-dimensional array of float32 or float64, or a CSR or CSC \
             matrix of SciPy",
        ))
    }
}

impl<'py> Sparse<'py> {
    fn of(matrix: &Bound<'py, PyAny>) -> PyResult<Self> {
        let format: String = matrix.getattr("format")?.extract()?;
        let by_rows = match format.as_str() {
            "csr" => true,
            "csc" => false,
            other => {
                let message = format!("a sparse matrix must be CSR or CSC, and this is {other}");
                return Err(PyTypeError::new_err(message));
            }
        };
        let data = matrix.getattr("data")?;
        let values = match data.extract() {
            Ok(array) => Values::Double(array),
            Err(_) => Values::Single(data.extract()?),
        };
        let indices = matrix.getattr("indices")?;
        let indices = match indices.extract() {
            Ok(array) => Indices::Short(array),
            Err(_) => Indices::Narrowed(whole(&indices.extract::<PyReadonlyArray1<i64>>()?)?),
        };
        let starts = matrix.getattr("indptr")?;
        let starts = match starts.extract::<PyReadonlyArray1<i32>>() {
            Ok(array) => whole(&array)?,
            Err(_) => whole(&starts.extract::<PyReadonlyArray1<i64>>()?)?,
        };
        Ok(Self {
            by_rows,
            shape: matrix.getattr("shape")?.extract()?,
            starts,
            indices,
            values,
        })
    }
}

/// Indices as another type of whole numbers.
fn whole<T: Element + Copy, U: TryFrom<T>>(array: &PyReadonlyArray1<'_, T>) -> PyResult<Vec<U>> {
    let narrow = |&index: &T| U::try_from(index).map_err(|_| value_error(MatrixError::Columns));
    slice(array)?.iter().map(narrow).collect()
}

fn slice<'a, T: Element>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<&'a [T]> {
    array.as_slice().map_err(value_error)
}

impl Features<'_> {
    /// How many rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        let pair = |shape: &[usize]| (shape[0], shape[1]);
        match self {
            Self::Dense(Dense::Single(array)) => pair(array.shape()),
            Self::Dense(Dense::Double(array)) => pair(array.shape()),
            Self::Sparse(sparse) => sparse.shape,
        }
    }

    /// A checksum that most likely changes if what is borrowed does.
    pub fn fingerprint(&self) -> PyResult<u64> {
        let Self::Sparse(Sparse {
            indices: Indices::Short(indices),
            by_rows: true,
            ..
        }) = self
        else {
            return Ok(0);
        };
        // Multiples of the odd numbers: the order of the indices matters.
        let each = (1u64..).step_by(2).zip(slice(indices)?);
        Ok(each.fold(0, |sum, (factor, &index)| {
            sum.wrapping_add(factor.wrapping_mul(index as u64))
        }))
    }

    /// As a matrix of the engine, whose columns may be borrowed from here.
    pub fn matrix(&self, py: Python<'_>) -> PyResult<Matrix<'_>> {
        match self {
            Self::Dense(Dense::Single(array)) => dense(py, array),
            Self::Dense(Dense::Double(array)) => dense(py, array),
            Self::Sparse(sparse) => match &sparse.values {
                Values::Single(values) => sparse.matrix(py, slice(values)?),
                Values::Double(values) => sparse.matrix(py, slice(values)?),
            },
        }
    }
}

fn dense<'py, T>(py: Python<'_>, array: &PyReadonlyArray2<'py, T>) -> PyResult<Matrix<'static>>
where
    T: Element + Into<f64> + Copy + Send + Sync,
{
    let order = match array.is_c_contiguous() {
        true => Order::Rows,
        false => Order::Columns,
    };
    let (rows, width) = (array.shape()[0], array.shape()[1]);
    let values = array.as_slice().map_err(value_error)?;
    free(py, || Matrix::from_dense(values, rows, width, order))?.map_err(value_error)
}

impl Sparse<'_> {
    fn matrix<T>(&self, py: Python<'_>, values: &[T]) -> PyResult<Matrix<'_>>
    where
        T: Into<f64> + Copy + Send + Sync,
    {
        let indices: Cow<'_, [u32]> = match &self.indices {
            Indices::Short(array) => bytemuck::cast_slice(slice(array)?).into(),
            Indices::Narrowed(indices) => indices.as_slice().into(),
        };
        let (by_rows, starts, (rows, width)) = (self.by_rows, &self.starts, self.shape);
        free(py, || match by_rows {
            true if starts.len() != rows + 1 => {
                Err(MatrixError::Shape("as many starts as rows, and one"))
            }
            true => Matrix::from_csr(starts.clone(), indices, values, width),
            false => Matrix::from_csc(starts, &indices, values, rows, width),
        })?
        .map_err(value_error)
    }
}
