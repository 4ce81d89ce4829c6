//! The result of verifying a certificate.

use std::fmt::Write;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use reticent::model::{self, Verdict};

/// One check of a certificate.
///
/// Attributes
/// ----------
/// name : str
///     What was checked, in a few words.
/// verdict : {"holds", "warns", "fails"}
///     Its result. found : str What was found, in a sentence.
///
/// Examples
/// --------
/// With the certificate of the example of `Certificate`:
///
/// >>> check = certificate.verify().checks[0]
/// >>> check.name, check.verdict, check.found
/// ('consistency', 'holds', 'internally consistent')
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, PartialEq)]
pub struct Check {
    inner: model::Check,
}

#[pymethods]
impl Check {
    #[getter]
    fn name(&self) -> &'static str {
        self.inner.name
    }

    #[getter]
    fn verdict(&self) -> &'static str {
        match self.inner.verdict {
            Verdict::Holds => "holds",
            Verdict::Warns => "warns",
            Verdict::Fails => "fails",
        }
    }

    #[getter]
    fn found(&self) -> &str {
        &self.inner.found
    }

    fn __repr__(&self) -> String {
        let Self { inner } = self;
        format!(
            "<Check {:?} {}: {}>",
            inner.name,
            self.verdict(),
            inner.found
        )
    }
}

/// All checks of a certificate: true where none fails.
///
/// A certificate that says "not private", and why, holds if the rest of it does: ask
/// ``certificate.private`` as well.
///
/// Attributes
/// ----------
/// holds : bool
///     Whether no check fails. ``bool(verification)`` is the same.
/// checks : tuple of Check
///     Each check, in order.
/// epsilon : float or None
///     ε of the releases, recomputed; ``None`` if no accountant bounds them.
/// rho : float or None
///     Σρ of the releases, recomputed, where the certificate states a ρ.
///
/// Examples
/// --------
/// With the certificate of the example of `Certificate`:
///
/// >>> verification = certificate.verify()
/// >>> bool(verification) and certificate.private
/// True
/// >>> round(verification.epsilon, 6)
/// 1.0
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, PartialEq)]
pub struct Verification {
    inner: model::Verification,
}

#[pymethods]
impl Verification {
    #[getter]
    fn holds(&self) -> bool {
        self.inner.holds()
    }

    #[getter]
    fn checks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let checks = self.inner.checks.iter().cloned();
        PyTuple::new(py, checks.map(|inner| Check { inner }).collect::<Vec<_>>())
    }

    #[getter]
    fn epsilon(&self) -> Option<f64> {
        self.inner.epsilon
    }

    #[getter]
    fn rho(&self) -> Option<f64> {
        self.inner.rho
    }

    fn __bool__(&self) -> bool {
        self.holds()
    }

    fn __repr__(&self) -> String {
        let verdict = self.verdict();
        format!(
            "<Verification: {verdict}, {} checks>",
            self.inner.checks.len()
        )
    }

    /// The verdict, then each check.
    fn __str__(&self) -> String {
        let mut text = self.verdict().to_owned();
        for check in &self.inner.checks {
            let mark = match check.verdict {
                Verdict::Holds => '✓',
                Verdict::Warns => '!',
                Verdict::Fails => '✗',
            };
            // Writing to a String cannot fail.
            let _ = write!(text, "\n  {mark} {}: {}", check.name, check.found);
        }
        text
    }
}

impl Verification {
    /// The Python object of a verification.
    pub fn of(inner: model::Verification) -> Self {
        Self { inner }
    }

    fn verdict(&self) -> &'static str {
        match self.holds() {
            true => "holds",
            false => "does not hold",
        }
    }
}
