//! Events and how often they happen, one or a list.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use reticent::privacy;

use super::event::Event;
use crate::error::value_error;

/// An event, and how often it happens.
///
/// ``event * count`` is the same.
///
/// Parameters
/// ----------
/// event : Event
///     What is released each time.
/// count : int, default=1
///     How many times, at least once.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Charge, Event
/// >>> charge = Charge(Event.pure(epsilon=0.1), count=4)
/// >>> charge == Event.pure(epsilon=0.1) * 4
/// True
/// >>> charge.event, charge.count
/// (Event.pure(epsilon=0.1), 4)
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, Copy, PartialEq)]
pub struct Charge {
    pub inner: privacy::Charge,
}

#[pymethods]
impl Charge {
    #[new]
    #[pyo3(signature = (event, count = Count(NonZeroU64::MIN)), text_signature = "(event, count=1)")]
    fn new(event: &Bound<'_, Event>, count: Count) -> Self {
        Self::of(privacy::Charge::new(event.get().inner, count.0))
    }

    #[getter]
    fn event(&self) -> Event {
        Event::of(self.inner.event)
    }

    #[getter]
    fn count(&self) -> u64 {
        self.inner.count.get()
    }

    pub fn __repr__(&self) -> String {
        let event = self.event().__repr__();
        format!("Charge({event}, count={})", self.inner.count)
    }

    /// As the command writes it: `gaussian:noise=1.1,count=30`.
    fn __str__(&self) -> String {
        format!("{},count={}", self.inner.event, self.inner.count)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.event().__hash__(), self.inner.count).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Event, u64)) {
        let charge = slf.get();
        let class = slf.get_type().into_any();
        (class, (charge.event(), charge.count()))
    }
}

impl Charge {
    /// The Python object of a charge.
    pub fn of(inner: privacy::Charge) -> Self {
        Self { inner }
    }

    /// The Python objects of a list.
    pub fn all(charges: &[privacy::Charge]) -> Vec<Self> {
        charges.iter().copied().map(Self::of).collect()
    }
}

/// A count from Python: an `int` of at least 1 that fits; another is a `ValueError`.
pub struct Count(pub NonZeroU64);

impl<'py> FromPyObject<'_, 'py> for Count {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let whole = match given.extract::<u64>() {
            Err(error) if !error.is_instance_of::<PyOverflowError>(given.py()) => {
                return Err(error);
            }
            whole => whole.ok(),
        };
        whole.and_then(NonZeroU64::new).map(Self).ok_or_else(|| {
            value_error(format!(
                "count is {}; it must be a whole number from 1 to {}",
                *given,
                u64::MAX
            ))
        })
    }
}

/// A list of charges from Python: an event, a charge, or any iterable of such.
pub struct Charges(pub Vec<privacy::Charge>);

impl<'py> FromPyObject<'_, 'py> for Charges {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(charge) = single(&given) {
            return Ok(Self(vec![charge]));
        }
        let items = given.try_iter().map_err(|_| no_charges(&given))?;
        items
            .map(|item| {
                let item = item?;
                single(&item).ok_or_else(|| no_charges(&item))
            })
            .collect::<PyResult<_>>()
            .map(Self)
    }
}

fn single(given: &Bound<'_, PyAny>) -> Option<privacy::Charge> {
    if let Ok(charge) = given.cast::<Charge>() {
        Some(charge.get().inner)
    } else {
        let event = given.cast::<Event>().ok()?;
        Some(privacy::Charge::once(event.get().inner))
    }
}

fn no_charges(given: &Bound<'_, PyAny>) -> PyErr {
    let kind = given.get_type();
    let name = kind
        .name()
        .map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "expected Event or Charge objects, one or a list of them; got {name}"
    ))
}
