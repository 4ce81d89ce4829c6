//! Private summaries of the columns of a data frame.

use pyo3::prelude::*;
use pyo3::types::PyList;
use reticent::train::{DeclaredSummary, ParameterStyle, SummaryError};

use crate::error::value_error;
use crate::privacy::certificate::Certificate;
use crate::privacy::name;
use crate::schema::{NamedColumn, Schema, encoded};
use crate::threads::free;
use crate::watch::failed;

/// Summarises columns by a schema: the text of the file that the command writes, and the certificate,
/// which is also put on the list `spent` before anything else can go wrong.
#[pyfunction]
#[pyo3(signature = (
    schema, columns, spent, *, names=None, quantiles, bins, epsilon=None, delta=None, rho=None,
    adjacency="replace-one", public_n=None, seed=None, assumed=Vec::new(),
))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a keyword with its own meaning"
)]
pub fn summarise(
    py: Python<'_>,
    schema: &Schema,
    columns: Vec<NamedColumn<'_>>,
    spent: &Bound<'_, PyList>,
    names: Option<Vec<String>>,
    quantiles: Vec<f64>,
    bins: usize,
    epsilon: Option<f64>,
    delta: Option<f64>,
    rho: Option<f64>,
    adjacency: &str,
    public_n: Option<u64>,
    seed: Option<u64>,
    assumed: Vec<String>,
) -> PyResult<(String, Certificate)> {
    let declared = DeclaredSummary {
        epsilon,
        delta,
        rho,
        adjacency: name::adjacency(adjacency)?,
        public_n,
        rows: None,
        schema: true,
        columns: names,
        quantiles,
        bins,
    };
    let checked = declared
        .check(ParameterStyle::Arguments)
        .map_err(value_error)?;
    let schema = schema.inner.for_summary();
    let wanted = checked.wanted(Some(&schema));
    let mut table = encoded(py, &schema, &columns, wanted)?;
    assumed.iter().for_each(|fact| table.assume(fact));
    let found = free(py, || checked.summarise(table, seed))?;
    let found = found.map_err(|error| match &error {
        SummaryError::Spent { cost, .. } => failed(py, &error.to_string(), *cost),
        _ => value_error(error),
    })?;
    let certificate = Certificate::of(found.certificate.clone());
    spent.append(Certificate::of(found.certificate.clone()))?;
    Ok((found.to_json(), certificate))
}
