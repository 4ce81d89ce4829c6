//! Schemas, and data frames encoded by them.

use std::borrow::Cow;
use std::path::PathBuf;

use numpy::{Element, PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use reticent::table::{
    self, AnyValue, ColumnValues, Kind, LabelType, ProtectedUnit, SchemaProblem, Table,
    WantedTarget,
};

use crate::error::{os_error, value_error};
use crate::threads::free;

/// What the named columns of a table mean, and how they become features.
///
/// A schema is declared, not learned: bounds of numbers, levels of categories, classes or the range
/// of the target. Every row is mapped to features in [−1, 1] by it alone, so that the fit needs no
/// other bound. It is made of columns, or read from TOML: ``reticent schema FILE`` writes a template,
/// and ``docs/guide/schema.md`` describes the format.
///
/// Parameters
/// ----------
/// columns : iterable of Numeric, Date, Categorical, Ignored or Target
///     The columns, in any order (without a header: in that of the file).
/// target : Target, optional
///     What is to be predicted, if it is not among the columns; it comes after them.
/// header : bool, default=True
///     Whether the first line of a text file holds the names.
/// delimiter : str, default=","
///     What separates the fields of a text file.
/// comment : str, optional
///     What lines of a text file start with that are not records.
/// missing : iterable of str, default=("",)
///     The strings that mean "missing"; numbers among them are compared as numbers.
/// features : Scattering, RandomConvolutions or RandomFourier, optional
///     A fixed, public map from the features of rows to those that a model is fitted on.
///
/// Examples
/// --------
/// >>> import reticent
/// >>> from reticent import Schema
/// >>> schema = Schema(
/// ...     columns=[
/// ...         reticent.Numeric("age", low=0, high=120),
/// ...         reticent.Categorical("ward", levels=["north", "south"]),
/// ...     ],
/// ...     target=reticent.Target("ill", classes=["no", "yes"]),
/// ... )
/// >>> schema == Schema.from_toml('''
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
/// True
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
    #[new]
    #[pyo3(signature = (
        columns, target=None, *, header=true, delimiter=",", comment=None, missing=None, features=None,
    ))]
    fn new(
        columns: &Bound<'_, PyAny>,
        target: Option<&Bound<'_, PyAny>>,
        header: bool,
        delimiter: &str,
        comment: Option<&str>,
        missing: Option<&Bound<'_, PyAny>>,
        features: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let py = columns.py();
        let missing = match missing {
            Some(missing) => missing.clone(),
            None => vec![""].into_pyobject(py)?,
        };
        let plain = py.import("reticent._columns")?.getattr("plain")?;
        let top = (
            columns, target, header, delimiter, comment, missing, features,
        );
        let text = plain.call1(top)?;
        let value = serde_json::from_str(text.extract()?).map_err(value_error)?;
        let inner = table::Schema::from_plain(value).map_err(value_error)?;
        Ok(Self { inner })
    }

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

    /// Writes a schema file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let text = self.inner.to_toml();
        let written = py.detach(|| reticent::model::write_atomically(&path, text.as_bytes()));
        written.map_err(|error| os_error(&path, &error))
    }

    /// The features of the rows of a data frame: a CSR matrix of floats of single precision, one
    /// column per feature.
    ///
    /// This is the table as a model sees it, before its rows are clipped to their bound: for those who
    /// own the records, and for those who predict. It is **not private**; nothing of it may be
    /// published.
    ///
    /// Parameters
    /// ----------
    /// frame : data frame of pandas or Polars, or table of Arrow
    ///     The rows. Columns that the schema does not describe are left alone, and so is the target.
    ///
    /// Returns
    /// -------
    /// scipy.sparse.csr_matrix of shape (n_rows, n_features)
    ///     The features; ``get_feature_names_out()`` names them.
    ///
    /// Examples
    /// --------
    /// >>> import pandas as pd, reticent
    /// >>> schema = reticent.Schema([reticent.Numeric("age", low=0, high=120)])
    /// >>> schema.encode(pd.DataFrame({"age": [30, 90, None]})).toarray().ravel().tolist()
    /// [-0.5, 0.5, 0.0]
    fn encode<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let frames = slf.py().import("reticent._frames")?;
        frames.getattr("matrix")?.call1((frame, slf))
    }

    /// The names of the features, as an array.
    ///
    /// Parameters
    /// ----------
    /// input_features : ignored
    ///     There for the conventions of scikit-learn.
    #[pyo3(signature = (input_features=None))]
    fn get_feature_names_out<'py>(
        &self,
        py: Python<'py>,
        input_features: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = input_features;
        let numpy = py.import("numpy")?;
        numpy.call_method1("array", (self.features(), "object"))
    }

    /// The names of the features that rows are encoded to.
    #[getter]
    fn features(&self) -> Vec<&str> {
        self.inner.features().iter().map(String::as_str).collect()
    }

    /// The names of the columns of dates.
    #[getter]
    fn dates(&self) -> Vec<&str> {
        let columns = self.inner.columns().iter();
        columns
            .filter(|column| matches!(column.kind, table::Kind::Date { .. }))
            .map(|column| column.name.as_str())
            .collect()
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

    /// The names of the target's classes, if it has any, in the type that they were declared in.
    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let (Some(classes), Some(label_type)) = (self.inner.classes(), self.inner.label_type())
        else {
            return Ok(None);
        };
        let name = |class: &table::ClassPattern| match label_type {
            LabelType::Text => class.name.as_str().into_bound_py_any(py),
            // The names were made of whole numbers.
            LabelType::Integer => match class.name.parse::<i64>() {
                Ok(number) => number.into_bound_py_any(py),
                Err(error) => Err(value_error(error)),
            },
            LabelType::Truth => (class.name == "true").into_bound_py_any(py),
        };
        classes.iter().map(name).collect::<PyResult<_>>().map(Some)
    }

    /// The labels of each class; None for all that no other class lists.
    #[getter]
    fn class_labels(&self) -> Option<Vec<Option<Vec<String>>>> {
        let classes = self.inner.classes()?;
        Some(classes.iter().map(|class| class.labels.clone()).collect())
    }

    /// Whether it declares a map of features.
    #[getter]
    fn _has_map(&self) -> bool {
        self.inner.feature_map().is_some()
    }

    /// The range of the target, if it is a number.
    #[getter]
    fn target_range(&self) -> Option<(f64, f64)> {
        let range = self.inner.target_range()?;
        Some((range.low(), range.high()))
    }

    /// The features of rows as the arrays of a CSR matrix.
    fn _encode<'py>(
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

    /// Whether it was changed after a look at the data, as its owner says.
    #[getter]
    fn declared_after_look(&self) -> bool {
        self.inner.declared_after_look()
    }

    /// The owner's own look at a data frame: what a fit would refuse, clip or not know.
    ///
    /// For the owner's eyes only: it is made of the records as they are, and nothing of it is
    /// private. Whoever changes a declaration after it says so, with
    /// ``declared_after_look = true`` at the top of the schema or ``declared_after_look=True`` of
    /// an estimator; the certificate then lists it.
    ///
    /// Parameters
    /// ----------
    /// frame : data frame of pandas or Polars, or table of Arrow
    ///     The records; the target may be among the columns. Columns that the schema does not
    ///     describe are left alone.
    ///
    /// Returns
    /// -------
    /// Look
    ///     What was found: ``print`` it, or see its ``findings``.
    ///
    /// Examples
    /// --------
    /// >>> import pandas as pd
    /// >>> from reticent import Schema
    /// >>> schema = Schema.from_toml('''
    /// ... version = 1
    /// ... [[column]]
    /// ... name = "ward"
    /// ... kind = "categorical"
    /// ... levels = ["heart", "lung"]
    /// ... ''')
    /// >>> look = schema.check(pd.DataFrame({"ward": ["heart", "HEART", "lung"]}))
    /// >>> print(look.findings[0]["found"])
    /// 1 value of no declared level, which all count as "other": 'HEART' (1, for 'heart'?)
    fn check<'py>(
        slf: &Bound<'py, Self>,
        frame: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let module = slf.py().import("reticent._look")?;
        module.call_method1("look", (slf, frame))
    }

    /// The names of the columns that no feature is made of: the target, and what is ignored.
    #[getter]
    fn _others(&self) -> Vec<&str> {
        let features = self.columns();
        let all = self
            .inner
            .columns()
            .iter()
            .map(|column| column.name.as_str());
        all.filter(|name| !features.contains(name)).collect()
    }

    /// The text and the JSON of a look at columns.
    fn _look(&self, py: Python<'_>, columns: Vec<NamedColumn<'_>>) -> PyResult<(String, String)> {
        let columns: PyResult<Vec<(&str, ColumnValues)>> = columns
            .iter()
            .map(|(name, column)| Ok((name.as_str(), column.values()?)))
            .collect();
        let columns = columns?;
        let look = free(py, || table::look_columns(&columns, &self.inner))?.map_err(value_error)?;
        Ok((look.to_string(), look.to_json()))
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
    /// Days since 1970-01-01, of a column of dates.
    Days(PyReadonlyArray1<'py, i64>),
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
            Self::Days(values) => ColumnValues::Days(borrowed(values)?),
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

/// How many people a column names.
#[pyfunction]
pub fn people(py: Python<'_>, values: Column<'_>) -> PyResult<usize> {
    let declared = ProtectedUnit {
        column: None,
        rows: ProtectedUnit::ROWS,
    };
    let values = values.values()?;
    let units = free(py, || table::units(&values, declared))?;
    Ok(units.map_err(value_error)?.count())
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
