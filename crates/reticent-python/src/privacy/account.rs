//! What a list of events costs.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use reticent::privacy::{self, Delta};

use super::charges::Charges;
use super::name;
use crate::error::value_error;

/// What a list of events costs in all, as `account` found it.
///
/// Attributes
/// ----------
/// epsilon : float
///     ε at ``delta``, rounded up; 0 if nothing was released, or if δ alone covers it.
/// delta : float
///     The δ at which ε holds.
/// accountant : str
///     The accountant that proved it: the one that proves the least, if none was requested. shares
///     : tuple of float Each charge's share of the total, in the order of the list; they sum to 1.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Event, account
/// >>> total = account([Event.gaussian(noise=20) * 3, Event.gaussian(noise=20)], delta=1e-6)
/// >>> f"{total.epsilon:.4f}", total.accountant, total.shares
/// ('0.3969', 'gaussian', (0.75, 0.25))
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, PartialEq)]
pub struct Account {
    pub inner: privacy::Account,
}

#[pymethods]
impl Account {
    #[getter]
    fn epsilon(&self) -> f64 {
        self.inner.epsilon
    }

    #[getter]
    fn delta(&self) -> f64 {
        self.inner.delta.get()
    }

    #[getter]
    fn accountant(&self) -> &'static str {
        self.inner.accountant.name()
    }

    #[getter]
    fn shares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.shares)
    }

    pub fn __repr__(&self) -> String {
        format!(
            "<Account epsilon={:?} delta={:?} accountant='{}'>",
            self.inner.epsilon,
            self.inner.delta.get(),
            self.inner.accountant.name()
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Parts)> {
        let inner = &slf.get().inner;
        let restore = slf.get_type().getattr("_restore")?;
        let name = inner.accountant.name().to_owned();
        let shares = inner.shares.clone();
        Ok((restore, (inner.epsilon, inner.delta.get(), name, shares)))
    }

    #[staticmethod]
    fn _restore(epsilon: f64, delta: f64, accountant: &str, shares: Vec<f64>) -> PyResult<Self> {
        Ok(Self::of(privacy::Account {
            epsilon,
            delta: Delta::new(delta).map_err(value_error)?,
            accountant: name::accountant(accountant)?,
            shares,
        }))
    }
}

/// An account in a pickle.
type Parts = (f64, f64, String, Vec<f64>);

impl Account {
    /// The Python object of an account.
    pub fn of(inner: privacy::Account) -> Self {
        Self { inner }
    }
}

/// What a list of events costs in all.
///
/// Every accountant that has a theorem for all of the events is asked, each for the whole list with
/// the whole δ, and the least ε holds. An accountant rounds up: no ε is below the one that its theorem
/// gives.
///
/// The total is for events that were fixed beforehand. Where their noise or number depends on
/// earlier outcomes, only sums of ρ against a ρ that was fixed beforehand are proved: see
/// `total_rho`.
///
/// Parameters
/// ----------
/// charges : Event, Charge or iterable of these
///     What is released.
/// delta : float
///     δ, above 0 and below 1.
/// adjacency : {"replace-one", "add-remove"}, default="replace-one"
///     Which tables count as neighbours: those that differ in one record, or of which one has one
///     more record. accountant : {"basic", "zcdp", "gaussian", "rdp", "pld"}, optional The only
///     accountant to ask, for comparisons.
///
/// Returns
/// -------
/// Account
///
/// Raises
/// ------
/// ValueError
///     If a number is out of range, the accountant has no theorem for some event, the adjacency is not
///     that of the sampling, or no finite ε holds.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Event, account
/// >>> steps = Event.gaussian(noise=20) * 30
/// >>> total = account(steps, delta=1e-6)
/// >>> f"{total.epsilon:.3f} by {total.accountant}"
/// '1.170 by gaussian'
/// >>> account(steps, delta=1e-6, accountant="zcdp").epsilon > total.epsilon
/// True
#[pyfunction]
#[pyo3(
    signature = (charges, *, delta, adjacency = "replace-one", accountant = None),
)]
pub fn account(
    py: Python<'_>,
    charges: Charges,
    delta: f64,
    adjacency: &str,
    accountant: Option<&str>,
) -> PyResult<Account> {
    let delta = Delta::new(delta).map_err(value_error)?;
    let adjacency = name::adjacency(adjacency)?;
    let charges = charges.0;
    let Some(accountant) = accountant.map(name::accountant).transpose()? else {
        let total = py.detach(|| privacy::account(&charges, adjacency, delta));
        return total.map(Account::of).map_err(value_error);
    };
    py.detach(|| privacy::account_by(accountant, &charges, adjacency, delta))
        .map_err(value_error)?
        .map(Account::of)
        .ok_or_else(|| {
            value_error(format!(
                "the accountant {} has no theorem for these releases; leave accountant out to use \
                 the one that proves the least",
                accountant.name()
            ))
        })
}

/// Σρ of a list of events, rounded up: its cost in zero-concentrated differential privacy.
///
/// Under one adjacency ρ adds up, over releases and over fits, even where the noise of one depends
/// on the outcome of another, as long as the sum may not exceed a ρ that was fixed beforehand.
///
/// Parameters
/// ----------
/// charges : Event, Charge or iterable of these
///     What is released.
///
/// Returns
/// -------
/// float
///
/// Raises
/// ------
/// ValueError
///     If an event has no ρ: a subsampled Gaussian.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Event, total_rho
/// >>> round(total_rho([Event.gaussian(noise=2) * 4, Event.zcdp(rho=0.25)]), 6)
/// 0.75
#[pyfunction]
pub fn total_rho(charges: Charges) -> PyResult<f64> {
    privacy::total_rho(&charges.0).map_err(value_error)
}
