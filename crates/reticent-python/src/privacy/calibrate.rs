//! The least noise for a budget.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use reticent::privacy::{self, NoiseMultiplier};

use super::account::Account;
use super::budget::Budget;
use super::charges::{Charge, Charges};
use super::name;
use crate::error::value_error;

/// The least noise that fits a budget, as `calibrate` found it.
///
/// Attributes
/// ----------
/// noise : float
///     The noise multiplier.
/// charges : tuple of Charge
///     What the plan releases with this noise.
/// account : Account
///     What that costs: at most the budget.
/// budget : Budget
///     The budget that was given.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Event, calibrate
/// >>> found = calibrate(lambda noise: Event.gaussian(noise=noise) * 10, epsilon=1, delta=1e-6)
/// >>> found.account.epsilon <= found.budget.epsilon
/// True
#[pyclass(frozen, module = "reticent.privacy")]
pub struct Calibrated {
    inner: privacy::Calibrated,
    budget: Budget,
}

#[pymethods]
impl Calibrated {
    #[getter]
    fn noise(&self) -> f64 {
        self.inner.noise.get()
    }

    #[getter]
    fn charges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, Charge::all(&self.inner.charges))
    }

    #[getter]
    fn account(&self) -> Account {
        Account::of(self.inner.account.clone())
    }

    #[getter]
    fn budget(&self) -> Budget {
        self.budget
    }

    fn __repr__(&self) -> String {
        let account = self.account().__repr__();
        format!("<Calibrated noise={:?} account={account}>", self.noise())
    }
}

/// The least noise at which a plan is within a budget.
///
/// Parameters
/// ----------
/// plan : callable
///     Takes a noise multiplier, a float, and returns what is then released: an `Event`, a `Charge`
///     or a list of them, any of which may use the multiplier. A larger multiplier must never cost
///     more, and the same one must always give the same list. What it raises passes through.
///     epsilon : float, optional The budget's ε. Either this or ``rho``. delta : float The budget's
///     δ, above 0 and below 1. rho : float, optional The budget's ρ of zero-concentrated
///     differential privacy. adjacency : {"replace-one", "add-remove"}, default="replace-one" Which
///     tables count as neighbours.
///
/// Returns
/// -------
/// Calibrated
///     The noise, which was itself accounted for: it is within the budget, and exceeds the least
///     possible by a factor of at most 1 + 1e-9, or 1 + 1e-4 where the PLD accountant is used.
///
/// Raises
/// ------
/// ValueError
///     If no noise is enough, because the rest of the plan is too expensive; if a number is out of
///     range; if the plan cannot be accounted for.
///
/// Examples
/// --------
/// One selection of fixed cost, then 20 steps with the least noise that is left for them:
///
/// >>> from reticent.privacy import Event, calibrate
/// >>> def plan(noise):
/// ...     return [Event.exponential(range=0.25), Event.gaussian(noise=noise) * 20]
/// >>> found = calibrate(plan, epsilon=1, delta=1e-6)
/// >>> 18 < found.noise < 25
/// True
/// >>> 0.999 < found.account.epsilon <= 1
/// True
#[pyfunction]
#[pyo3(signature = (plan, *, epsilon = None, delta, rho = None, adjacency = "replace-one"))]
pub fn calibrate(
    py: Python<'_>,
    plan: Py<PyAny>,
    epsilon: Option<f64>,
    delta: f64,
    rho: Option<f64>,
    adjacency: &str,
) -> PyResult<Calibrated> {
    let budget = Budget::new(epsilon, delta, rho)?;
    let adjacency = name::adjacency(adjacency)?;
    let plan = Plan {
        function: plan,
        raised: Mutex::new(None),
    };
    let found = py.detach(|| privacy::calibrate(|noise| plan.at(noise), adjacency, budget.inner));
    match plan.into_raised() {
        Some(error) => Err(error),
        None => {
            let inner = found.map_err(value_error)?;
            Ok(Calibrated { inner, budget })
        }
    }
}

/// A plan in Python, which may raise, for the engine's search, whose plans cannot fail.
struct Plan {
    function: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
}

impl Plan {
    /// The charges at a multiplier. Once the function has raised it is not called again: an empty
    /// plan fits every budget, so that the search soon ends, and its result is discarded.
    fn at(&self, noise: NoiseMultiplier) -> Vec<privacy::Charge> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_some() {
            return Vec::new();
        }
        let charges = Python::attach(|py| {
            let returned = self.function.bind(py).call1((noise.get(),))?;
            returned.extract::<Charges>()
        });
        charges.map_or_else(
            |error| {
                *raised = Some(error);
                Vec::new()
            },
            |charges| charges.0,
        )
    }

    fn into_raised(self) -> Option<PyErr> {
        self.raised
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
