//! What was released.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use reticent::privacy::{self, Epsilon, NoiseMultiplier, Range, Rho, SamplingRate};

use super::charges::{Charge, Count};
use super::name;
use crate::error::value_error;

/// One release: a mechanism, and its noise relative to the sensitivity.
///
/// An event is made by one of the functions below, cannot be changed, and holds neither data nor
/// cost: `account` says what a list of events costs. It means the same whatever the data, since its
/// noise is relative to how far one record can move what is released.
///
/// A release with Laplace or geometric noise is ``Event.pure``.
///
/// Attributes
/// ----------
/// kind : str
///     ``"gaussian"``, ``"exponential"``, ``"pure"``, ``"zcdp"`` or ``"subsampled-gaussian"``.
/// noise, range, epsilon, rho, rate : float or None
///     The numbers that an event of this kind has; ``None`` for the others.
/// sampling : str or None
///     How the batches of a subsampled Gaussian are drawn.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Event
/// >>> step = Event.gaussian(noise=1.1)
/// >>> step
/// Event.gaussian(noise=1.1)
/// >>> step.noise
/// 1.1
/// >>> step * 30
/// Charge(Event.gaussian(noise=1.1), count=30)
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, Copy, PartialEq)]
pub struct Event {
    pub inner: privacy::Event,
}

#[pymethods]
impl Event {
    /// Gaussian noise.
    ///
    /// Parameters
    /// ----------
    /// noise : float
    ///     The noise multiplier: standard deviation over ℓ₂ sensitivity, from 1e-6 to 1e12.
    ///
    /// Returns
    /// -------
    /// Event
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Event
    /// >>> Event.gaussian(noise=2)
    /// Event.gaussian(noise=2.0)
    #[staticmethod]
    #[pyo3(signature = (*, noise))]
    fn gaussian(noise: f64) -> PyResult<Self> {
        let noise = NoiseMultiplier::new(noise).map_err(value_error)?;
        Ok(Self::of(privacy::Event::Gaussian { noise }))
    }

    /// A selection by the exponential mechanism.
    ///
    /// Parameters
    /// ----------
    /// range : float
    ///     η: how far one record can move the log-odds between two candidates; above 0.
    ///
    /// Returns
    /// -------
    /// Event
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Event, total_rho
    /// >>> total_rho(Event.exponential(range=0.5)) >= 0.5**2 / 8
    /// True
    #[staticmethod]
    #[pyo3(signature = (*, range))]
    fn exponential(range: f64) -> PyResult<Self> {
        let range = Range::new(range).map_err(value_error)?;
        Ok(Self::of(privacy::Event::Exponential { range }))
    }

    /// Any ε-differentially private release: Laplace or geometric noise, for instance.
    ///
    /// Parameters
    /// ----------
    /// epsilon : float
    ///     ε, above 0.
    ///
    /// Returns
    /// -------
    /// Event
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Event, account
    /// >>> round(account(Event.pure(epsilon=0.5) * 2, delta=1e-9).epsilon, 6)
    /// 1.0
    #[staticmethod]
    #[pyo3(signature = (*, epsilon))]
    fn pure(epsilon: f64) -> PyResult<Self> {
        let epsilon = Epsilon::new(epsilon).map_err(value_error)?;
        Ok(Self::of(privacy::Event::Pure { epsilon }))
    }

    /// Any release under ρ-zero-concentrated differential privacy.
    ///
    /// Parameters
    /// ----------
    /// rho : float
    ///     ρ, above 0.
    ///
    /// Returns
    /// -------
    /// Event
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Event
    /// >>> Event.zcdp(rho=0.125).rho
    /// 0.125
    #[staticmethod]
    #[pyo3(signature = (*, rho))]
    fn zcdp(rho: f64) -> PyResult<Self> {
        let rho = Rho::new(rho).map_err(value_error)?;
        Ok(Self::of(privacy::Event::Zcdp { rho }))
    }

    /// Gaussian noise over a secret random batch of the records, drawn afresh each time.
    ///
    /// Parameters
    /// ----------
    /// noise : float
    ///     Standard deviation over the ℓ₂ sensitivity of the query on the batch.
    /// rate : float
    ///     The share of the records in a batch, above 0 and at most 1.
    /// sampling : {"poisson", "without-replacement"}
    ///     Each record independently, which is accounted for under add-remove adjacency only; or
    ///     a batch of a fixed size, under replace-one only.
    ///
    /// Returns
    /// -------
    /// Event
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Event, account
    /// >>> step = Event.subsampled_gaussian(noise=1.1, rate=256 / 60_000, sampling="poisson")
    /// >>> account(step * 14_000, delta=1e-5, adjacency="add-remove").accountant
    /// 'pld'
    #[staticmethod]
    #[pyo3(signature = (*, noise, rate, sampling))]
    fn subsampled_gaussian(noise: f64, rate: f64, sampling: &str) -> PyResult<Self> {
        Ok(Self::of(privacy::Event::SubsampledGaussian {
            noise: NoiseMultiplier::new(noise).map_err(value_error)?,
            rate: SamplingRate::new(rate).map_err(value_error)?,
            sampling: name::sampling(sampling)?,
        }))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.name()
    }

    #[getter]
    fn noise(&self) -> Option<f64> {
        match self.inner {
            privacy::Event::Gaussian { noise }
            | privacy::Event::SubsampledGaussian { noise, .. } => Some(noise.get()),
            _ => None,
        }
    }

    #[getter]
    fn range(&self) -> Option<f64> {
        match self.inner {
            privacy::Event::Exponential { range } => Some(range.get()),
            _ => None,
        }
    }

    #[getter]
    fn epsilon(&self) -> Option<f64> {
        match self.inner {
            privacy::Event::Pure { epsilon } => Some(epsilon.get()),
            _ => None,
        }
    }

    #[getter]
    fn rho(&self) -> Option<f64> {
        match self.inner {
            privacy::Event::Zcdp { rho } => Some(rho.get()),
            _ => None,
        }
    }

    #[getter]
    fn rate(&self) -> Option<f64> {
        match self.inner {
            privacy::Event::SubsampledGaussian { rate, .. } => Some(rate.get()),
            _ => None,
        }
    }

    #[getter]
    fn sampling(&self) -> Option<&'static str> {
        match self.inner {
            privacy::Event::SubsampledGaussian { sampling, .. } => Some(sampling.name()),
            _ => None,
        }
    }

    // `count` is extracted by hand: an error from an operator's argument would become "unsupported
    // operand type", even if the type is right and the number is not.
    fn __mul__(&self, count: &Bound<'_, PyAny>) -> PyResult<Charge> {
        let count: Count = count.extract()?;
        Ok(Charge::of(privacy::Charge::new(self.inner, count.0)))
    }

    fn __rmul__(&self, count: &Bound<'_, PyAny>) -> PyResult<Charge> {
        self.__mul__(count)
    }

    pub fn __repr__(&self) -> String {
        let function = self.inner.name().replace('-', "_");
        let numbers = [
            ("noise", self.noise()),
            ("range", self.range()),
            ("epsilon", self.epsilon()),
            ("rho", self.rho()),
            ("rate", self.rate()),
        ];
        let mut settings: Vec<String> = numbers
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| format!("{name}={value:?}")))
            .collect();
        settings.extend(self.sampling().map(|name| format!("sampling='{name}'")));
        format!("Event.{function}({})", settings.join(", "))
    }

    /// As the command writes it: `gaussian:noise=1.1`.
    fn __str__(&self) -> String {
        self.inner.to_string()
    }

    pub fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        // The shortest decimal that reads back: equal exactly for equal numbers, none being −0.
        self.inner.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = serde_json::to_string(&slf.get().inner).map_err(value_error)?;
        Ok((slf.get_type().getattr("_from_json")?, (text,)))
    }

    #[staticmethod]
    fn _from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(Self::of)
            .map_err(value_error)
    }
}

impl Event {
    /// The Python object of an event.
    pub fn of(inner: privacy::Event) -> Self {
        Self { inner }
    }
}
