//! What may be spent.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use reticent::privacy::{self, Adjacency, Cost, Delta, Epsilon, Rho};

use super::caution::described;
use crate::error::value_error;

/// What may be spent in all: ε at δ, or ρ of zero-concentrated differential privacy.
///
/// A budget in ρ has the ε that ρ proves at δ, rounded up; the limit is ρ.
///
/// Parameters
/// ----------
/// epsilon : float, optional
///     ε, above 0. Either this or ``rho``.
/// delta : float
///     δ, above 0 and below 1; less than one over the number of records, if possible less than its
///     square. rho : float, optional ρ, above 0.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Budget
/// >>> Budget(epsilon=1, delta=1e-6)
/// Budget(epsilon=1.0, delta=1e-6)
/// >>> Budget(rho=0.02, delta=1e-6).epsilon < 0.9
/// True
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, Copy, PartialEq)]
pub struct Budget {
    pub inner: privacy::Budget,
}

#[pymethods]
impl Budget {
    /// What is worth a warning, for so many records: the name of the reason, and a sentence.
    fn _cautions(&self, records: u64) -> Vec<(&'static str, String)> {
        let cost = Cost {
            epsilon: self.inner.epsilon().get(),
            delta: self.inner.delta().get(),
            adjacency: Adjacency::ReplaceOne,
            charges: &[],
            records,
        };
        cost.cautions().into_iter().map(described).collect()
    }

    #[new]
    #[pyo3(signature = (*, epsilon = None, delta, rho = None))]
    pub fn new(epsilon: Option<f64>, delta: f64, rho: Option<f64>) -> PyResult<Self> {
        let delta = Delta::new(delta).map_err(value_error)?;
        let inner = match (epsilon, rho) {
            (Some(epsilon), None) => {
                let epsilon = Epsilon::new(epsilon).map_err(value_error)?;
                privacy::Budget::new(epsilon, delta)
            }
            (None, Some(rho)) => {
                let rho = Rho::new(rho).map_err(value_error)?;
                privacy::Budget::zcdp(rho, delta).map_err(value_error)?
            }
            (Some(_), Some(_)) => {
                let both = "a budget is epsilon or rho, at delta; both were given: leave one out";
                return Err(value_error(both));
            }
            (None, None) => {
                let neither = "a budget is epsilon or rho, at delta; neither was given: add one";
                return Err(value_error(neither));
            }
        };
        Ok(Self { inner })
    }

    #[getter]
    fn epsilon(&self) -> f64 {
        self.inner.epsilon().get()
    }

    #[getter]
    fn delta(&self) -> f64 {
        self.inner.delta().get()
    }

    #[getter]
    fn rho(&self) -> Option<f64> {
        self.inner.rho().map(Rho::get)
    }

    fn __repr__(&self) -> String {
        match self.rho() {
            Some(rho) => format!("Budget(rho={rho:?}, delta={:?})", self.delta()),
            None => format!(
                "Budget(epsilon={:?}, delta={:?})",
                self.epsilon(),
                self.delta()
            ),
        }
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.__repr__().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().inner).map_err(value_error)?;
        Ok((slf.get_type().getattr("_from_json")?, (text,)))
    }

    #[staticmethod]
    fn _from_json(text: &str) -> PyResult<Self> {
        let inner = serde_json::from_str(text).map_err(value_error)?;
        Ok(Self { inner })
    }
}
