//! A fitted model: what estimators keep, save and predict with.

use std::path::PathBuf;

use numpy::{PyArray1, PyArray2, PyArrayMethods, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use reticent::card;
use reticent::features::FeatureMap;
use reticent::matrix::Matrix;
use reticent::model::{self, Outcome, Predictions};
use reticent::table::{Layout, WantedTarget};

use crate::error::{file_error, value_error};
use crate::features::Features;
use crate::privacy::certificate::Certificate;
use crate::schema::{NamedColumn, Schema, encoded};
use crate::threads::free;

/// A linear model with its certificate, as the command writes it.
#[pyclass(frozen, eq, module = "reticent._engine")]
#[derive(PartialEq)]
pub struct Model {
    pub inner: model::Model,
}

/// The arrays of SciPy's CSR: values, columns and starts.
type Weights<'py> = (
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i32>>,
    Bound<'py, PyArray1<i64>>,
);

/// One row per record, one column per linear function.
type Scores<'py> = Bound<'py, PyArray2<f64>>;

#[pymethods]
impl Model {
    /// Reads the text of a model file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        model::Model::from_json(text.as_bytes())
            .map(Self::of)
            .map_err(value_error)
    }

    /// Reads a model file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        model::Model::read(&path).map(Self::of).map_err(file_error)
    }

    /// The text of a model file.
    fn to_json(&self) -> String {
        self.inner.to_json()
    }

    /// Writes a model file, whole or not at all.
    fn write(&self, path: PathBuf) -> PyResult<()> {
        self.inner.write(&path).map_err(file_error)
    }

    /// The model as an ONNX graph.
    fn to_onnx<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let graph = self.inner.to_onnx().map_err(value_error)?;
        Ok(PyBytes::new(py, &graph))
    }

    #[getter]
    fn task(&self) -> &'static str {
        self.inner.task().name()
    }

    /// The names of the classes, in their order.
    #[getter]
    fn classes(&self) -> Option<Vec<&str>> {
        match self.inner.outcome() {
            Outcome::Classes(classes) => {
                Some(classes.iter().map(|class| class.name.as_str()).collect())
            }
            Outcome::Value(_) => None,
        }
    }

    /// The labels of each class; None for all that no other class lists.
    #[getter]
    fn class_labels(&self) -> Option<Vec<Option<Vec<String>>>> {
        match self.inner.outcome() {
            Outcome::Classes(classes) => {
                Some(classes.iter().map(|class| class.labels.clone()).collect())
            }
            Outcome::Value(_) => None,
        }
    }

    /// The names of the columns, where there is no schema and they had names.
    #[getter]
    fn column_names(&self) -> Option<Vec<String>> {
        self.inner.origin().column_names.clone()
    }

    /// The type that labels had, by its name in NumPy, if the fit was in memory.
    #[getter]
    fn label_type(&self) -> Option<&'static str> {
        self.inner.origin().label_type.map(|labels| labels.name())
    }

    /// The card as text, and as HTML.
    fn cards(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let card = free(py, || card::of_model(&self.inner))?;
        Ok((card::plain(&card), card::html(&card)))
    }

    /// How many columns a table has that it predicts from.
    #[getter]
    fn columns(&self) -> usize {
        self.inner.layout().width()
    }

    /// How many features there are: the columns, or those of a map.
    #[getter]
    fn width(&self) -> usize {
        let map = self.inner.features();
        map.map_or_else(|| self.columns(), FeatureMap::outputs)
    }

    /// The map from rows to features, as JSON.
    #[getter]
    fn features(&self) -> Option<String> {
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        let json = |map| serde_json::to_string(map).unwrap_or_default();
        self.inner.features().map(json)
    }

    /// The names of the features of a map.
    fn mapped_names(&self) -> Option<Vec<String>> {
        let map = self.inner.features()?;
        Some((0..map.outputs()).map(|j| map.output_name(j)).collect())
    }

    /// The weights, one row per linear function.
    fn weights<'py>(&self, py: Python<'py>) -> Weights<'py> {
        let predictor = self.inner.predictor();
        let all = || (0..predictor.scores()).flat_map(|score| predictor.weights(score));
        let values: Vec<f64> = all().map(|(_, weight)| *weight).collect();
        // SciPy counts columns in signed numbers.
        let columns: Vec<i32> = all().map(|(column, _)| *column as i32).collect();
        let ends = (0..predictor.scores()).scan(0, |end, score| {
            *end += predictor.weights(score).len() as i64;
            Some(*end)
        });
        let starts: Vec<i64> = std::iter::once(0).chain(ends).collect();
        (
            values.to_pyarray(py),
            columns.to_pyarray(py),
            starts.to_pyarray(py),
        )
    }

    /// The intercepts, one per linear function.
    fn intercepts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let predictor = self.inner.predictor();
        let scores = 0..predictor.scores();
        let intercepts: Vec<f64> = scores.map(|score| predictor.intercept(score)).collect();
        intercepts.to_pyarray(py)
    }

    #[getter]
    fn certificate(&self) -> Certificate {
        Certificate::of(self.inner.certificate().clone())
    }

    /// The schema that its features were made by, if there is one.
    #[getter]
    fn schema(&self) -> Option<Schema> {
        match self.inner.layout() {
            Layout::Named(schema) => Some(Schema {
                inner: schema.clone(),
            }),
            Layout::Numbered { .. } => None,
        }
    }

    /// The value of each linear function for each row, clipped to the bound of training.
    fn scores<'py>(&self, py: Python<'py>, features: Features<'py>) -> PyResult<Scores<'py>> {
        self.of_matrix(py, &features.matrix(py)?)
    }

    /// The same for the rows of a data frame.
    fn scores_frame<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedColumn<'py>>,
    ) -> PyResult<Scores<'py>> {
        let Layout::Named(schema) = self.inner.layout() else {
            return Err(value_error(
                "the model was fitted on arrays, without a schema",
            ));
        };
        let schema = schema.clone().without_unit();
        let table = encoded(py, &schema, &columns, WantedTarget::Nothing)?;
        self.of_matrix(py, &table.features)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let read = slf.get_type().getattr("from_json")?;
        Ok((read, (slf.get().to_json(),)))
    }
}

impl Model {
    fn of_matrix<'py>(&self, py: Python<'py>, features: &Matrix) -> PyResult<Scores<'py>> {
        let predictions = free(py, || self.inner.predict(features))?;
        let (Predictions::Values(scores)
        | Predictions::Classes { scores, .. }
        | Predictions::Multiclass { scores, .. }) = predictions.map_err(value_error)?;
        PyArray1::from_vec(py, scores).reshape([features.rows(), self.inner.predictor().scores()])
    }

    pub fn of(inner: model::Model) -> Self {
        Self { inner }
    }
}
