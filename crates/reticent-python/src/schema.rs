//! Schemas, and data frames encoded by them.

use std::borrow::Cow;
use std::path::PathBuf;

use numpy::{Element, PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use reticent::table::{
    self, AnyValue, ColumnValues, Kind, SchemaProblem, Table, WantedTarget,
};

use crate::error::{os_error, value_error};
use crate::threads::free;

/// What the named columns of a table mean, and how they become features.
///
/// A schema is declared, not learned: bounds of numbers, levels of categories, classes or the range
/// of the target. Every row is mapped to features in [−1, 1] by it alone, so that the fit needs no
/// other bound. ``reticent schema FILE`` writes a template; the format is described in
/// ``docs/guide/schema.md``.
///
/// Examples
/// --------
/// >>> from reticent import Schema
/// >>> schema = Schema.from_toml('''
/// ... version = 1
/// ... [[column]]
/// ... name = "age"
/// ... kind = "numeric"
/// ... bounds = [0, 120]
/// ... [[column]]
/// ... name = "ward"
/// ... kind = "categorical"
/// ... levels = ["north", "south"]
/// ... [[column]]
/// ... name = "ill"
/// ... kind = "target"
/// ... classes = ["no", "yes"]
/// ... ''')
/// >>> schema.features
/// ['age', 'ward=north', 'ward=south', 'ward=other']
/// >>> schema.target, schema.classes
/// ('ill', ['no', 'yes'])
#[pyclass(frozen, eq, module = "reticent")]
#[derive(Clone, PartialEq)]
pub struct Schema {
    pub inner: table::Schema,
}

/// The arrays of SciPy's CSR: values, columns and starts.
type Encoded<'py> = (
    Bound<'py, PyArray1<f32>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Schema {
    /// Reads a schema file.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let inner = py.detach(|| table::Schema::open(&path));
        match inner {
            Ok(inner) => Ok(Self { inner }),
            Err(error) => Err(match &error.problem {
                SchemaProblem::Io(said) => os_error(&path, said),
                _ => value_error(error),
            }),
        }
    }

    /// Reads the text of a schema file.
    #[staticmethod]
    fn from_toml(text: &str) -> PyResult<Self> {
        let inner = table::Schema::from_toml(text).map_err(value_error)?;
        Ok(Self { inner })
    }

    /// The text of a schema file.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// The names of the features that rows are encoded to.
    #[getter]
    fn features(&self) -> Vec<&str> {
        self.inner.features().iter().map(String::as_str).collect()
    }

    /// The names of the columns that features are made of.
    #[getter]
    fn columns(&self) -> Vec<&str> {
        let target = self.inner.target().map(|(at, _)| at);
        let columns = self.inner.columns().iter().enumerate();
        columns
            .filter(|(at, column)| {
                let read = !matches!(column.kind, Kind::Ignored | Kind::Unit { .. });
                Some(*at) != target && read
            })
            .map(|(_, column)| column.name.as_str())
            .collect()
    }

    /// The name of the column that says whose a row is, if there is one.
    #[getter]
    fn unit(&self) -> Option<&str> {
        let (at, _) = self.inner.unit()?;
        Some(&self.inner.columns()[at].name)
    }

    /// The name of the target's column, if there is one.
    #[getter]
    fn target(&self) -> Option<&str> {
        let (at, _) = self.inner.target()?;
        Some(&self.inner.columns()[at].name)
    }

    /// The names of the target's classes, if it has any.
    #[getter]
    fn classes(&self) -> Option<Vec<&str>> {
        let classes = self.inner.classes()?;
        Some(classes.iter().map(|class| class.name.as_str()).collect())
    }

    /// The labels of each class; None for all that no other class lists.
    #[getter]
    fn class_labels(&self) -> Option<Vec<Option<Vec<String>>>> {
        let classes = self.inner.classes()?;
        Some(classes.iter().map(|class| class.labels.clone()).collect())
    }

    /// The range of the target, if it is a number.
    #[getter]
    fn target_range(&self) -> Option<(f64, f64)> {
        let range = self.inner.target_range()?;
        Some((range.low(), range.high()))
    }

    /// The features of rows as the arrays of a CSR matrix.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedColumn<'py>>,
    ) -> PyResult<Encoded<'py>> {
        let schema = self.inner.clone().without_unit();
        let table = encoded(py, &schema, &columns, WantedTarget::Nothing)?;
        let features = &table.features;
        let (mut values, mut places, mut starts) = (Vec::new(), Vec::new(), vec![0]);
        for row in 0..features.rows() {
            features.for_row(row, |column, value| {
                values.push(value);
                // SciPy counts columns in signed numbers.
                places.push(column as i32);
            });
            starts.push(values.len() as i64);
        }
        Ok((
            values.to_pyarray(py),
            places.to_pyarray(py),
            starts.to_pyarray(py),
        ))
    }

    fn __repr__(&self) -> String {
        let target = self.target().unwrap_or("none");
        format!(
            "<Schema: {} columns, {} features, target {target}>",
            self.columns().len(),
            self.inner.width()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let read = slf.get_type().getattr("from_toml")?;
        Ok((read, (slf.get().to_toml(),)))
    }
}

/// A column of a data frame, with its name.
pub type NamedColumn<'py> = (String, Column<'py>);

/// The values of a column: all numbers, all truth values, or any.
///
/// Whole numbers come as floats: whether pandas stores a column as integers, floats or objects
/// depends on all of its records, and must not affect how one of them is encoded.
#[derive(FromPyObject)]
pub enum Column<'py> {
    /// Numbers; NaN is missing.
    Numbers(PyReadonlyArray1<'py, f64>),
    /// Truth values.
    Truths(PyReadonlyArray1<'py, bool>),
    /// Any; None is missing.
    Mixed(Vec<Option<Value>>),
}

/// A value of any kind.
#[derive(FromPyObject)]
pub enum Value {
    /// A truth value, which Python would also take for a number.
    Truth(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(PyBackedStr),
}

impl Column<'_> {
    pub fn values(&self) -> PyResult<ColumnValues<'_>> {
        Ok(match self {
            Self::Numbers(values) => ColumnValues::Numbers(borrowed(values)?),
            Self::Truths(values) => ColumnValues::Truths {
                values: borrowed(values)?,
                missing: None,
            },
            Self::Mixed(values) => ColumnValues::Mixed(values.iter().map(any).collect()),
        })
    }
}

fn any(value: &Option<Value>) -> AnyValue<'_> {
    match value {
        None => AnyValue::Missing,
        Some(Value::Truth(value)) => AnyValue::Truth(*value),
        Some(Value::Number(value)) => AnyValue::Number(*value),
        Some(Value::Text(text)) => AnyValue::Text(text),
    }
}

/// The values of an array, in place.
fn borrowed<'a, T: Element + Clone>(array: &'a PyReadonlyArray1<'_, T>) -> PyResult<Cow<'a, [T]>> {
    array.as_slice().map(Cow::Borrowed).map_err(value_error)
}

/// The columns of a data frame, encoded by a schema.
pub fn encoded(
    py: Python<'_>,
    schema: &table::Schema,
    columns: &[NamedColumn<'_>],
    wanted: WantedTarget<'_>,
) -> PyResult<Table<'static>> {
    let columns: PyResult<Vec<(&str, ColumnValues)>> = columns
        .iter()
        .map(|(name, column)| Ok((name.as_str(), column.values()?)))
        .collect();
    let columns = columns?;
    free(py, || table::encode(&columns, schema, wanted))?.map_err(value_error)
}
