//! The certificate of a model.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use reticent::features::FeatureMap;
use reticent::table::RecordBound;
use reticent::{card, model};

use super::charges::Charge;
use super::show;
use super::verification::Verification;
use crate::error::value_error;

/// What was spent on a model, and everything that the guarantee depends on.
///
/// A certificate is a claim by whoever distributes it. `verify` recomputes its arithmetic, and its
/// plan from the request: an ε lowered by hand, noise that was raised or releases that were dropped
/// are detected, even if ε was adjusted to match, but not a request that was changed together with
/// them. Against that, sign the file.
///
/// A fitted estimator has one as ``certificate_``; ``Certificate.from_json`` reads one.
///
/// Attributes
/// ----------
/// private : bool
///     Whether the result is private. reasons_not_private : tuple of str Why it is not, if it is
///     not. epsilon, delta : float What holds; ε is infinite if nothing is proved. rho : float or
///     None The ρ that holds, if the budget was in ρ. adjacency : str Which tables count as
///     neighbours: ``"replace-one"`` or ``"add-remove"``. accountant : str The accountant that
///     proved ε. basis : str ``"plan"``: ε is the total of the charges; ``"filter"``: the budget of
///     a filter, however much of it was used; ``"no-guarantee"``. charges : tuple of Charge Each
///     release that was charged. secure : bool Whether the noise came from the operating system's
///     randomness, not from a seed. records, columns : int How many records (under add-remove, the
///     declared stand-in) and features. unit : tuple of (str or None, int) or None What is protected if it is not the
///     row: a person. The column that says whose a row is, if it has a name, and how many rows of
///     one person count; ``records`` is then the number of people. features : Scattering,
///     RandomConvolutions, RandomFourier or None The map from each row to its features, in full, if
///     there is one. rows : tuple of (str, float) What each row was clipped to:
///     ``"l2"`` or ``"linf"``, and the bound. target : tuple of (float, float) or None The range
///     that a numeric target was clipped to. method : str How the model was fitted. parameters :
///     dict of str to str The method's parameters, all public. request : dict or None The request,
///     from which the plan is made again; certificates before 0.2.0 have none. published : dict or
///     None What a paper claims for this noise (``source``, ``epsilon``, ``delta``), where its own
///     calibration was used. assumed_public : tuple of str What was taken from the data and is
///     assumed to be public. version : str The version of reticent that fitted the model.
///
/// Examples
/// --------
/// >>> from reticent.privacy import Certificate
/// >>> certificate = Certificate.from_json('''{
/// ...   "private": true, "reasons_not_private": [],
/// ...   "statement": {
/// ...     "basis": "plan", "adjacency": "replace-one", "epsilon": 1.0, "delta": 1e-9,
/// ...     "accountant": "basic", "secure": true,
/// ...     "charges": [{"kind": "pure", "epsilon": 0.5, "count": 2}]
/// ...   },
/// ...   "records": 5000, "columns": 20, "rows": {"l2": 1.0}, "target": null,
/// ...   "method": {"name": "example", "parameters": []},
/// ...   "published": null, "assumed_public": [], "version": "0.1.0"
/// ... }''')
/// >>> certificate
/// <Certificate, private: ε = 1.0000 at δ = 1e-9, replace-one>
/// >>> certificate.charges
/// (Charge(Event.pure(epsilon=0.5), count=2),)
/// >>> bool(certificate.verify())
/// True
#[pyclass(frozen, eq, module = "reticent.privacy")]
#[derive(Clone, PartialEq)]
pub struct Certificate {
    pub inner: model::Certificate,
}

#[pymethods]
impl Certificate {
    /// A certificate from its JSON, as written by `to_json` and in the model file.
    ///
    /// It is not checked: `verify` says whether it holds.
    ///
    /// Parameters
    /// ----------
    /// text : str
    ///     The JSON.
    ///
    /// Returns
    /// -------
    /// Certificate
    ///
    /// Raises
    /// ------
    /// ValueError
    ///     If it is not a certificate.
    ///
    /// Examples
    /// --------
    /// >>> from reticent.privacy import Certificate
    /// >>> Certificate.from_json("{}")
    /// Traceback (most recent call last):
    /// ...
    /// ValueError: no certificate: missing field `private` at line 1 column 2
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text)
            .map(Self::of)
            .map_err(|error| value_error(format!("no certificate: {error}")))
    }

    /// The certificate as JSON, numbers exact to the last bit.
    ///
    /// Returns
    /// -------
    /// str
    ///
    /// Examples
    /// --------
    /// With the certificate of the class's own example:
    ///
    /// >>> from reticent.privacy import Certificate
    /// >>> Certificate.from_json(certificate.to_json()) == certificate
    /// True
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner).map_err(value_error)
    }

    /// The certificate as dictionaries, lists, texts and numbers, as its JSON has them.
    ///
    /// Returns
    /// -------
    /// dict
    ///
    /// Examples
    /// --------
    /// With the certificate of the class's own example:
    ///
    /// >>> certificate.to_dict()["rows"]
    /// {'l2': 1.0}
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json()?,))
    }

    /// Recomputes the arithmetic from the charges, and compares them with the plan, made again.
    ///
    /// Plans differ between versions of reticent: a certificate of another one is checked by its
    /// arithmetic, with a warning.
    ///
    /// Returns
    /// -------
    /// Verification
    ///     True if everything holds.
    ///
    /// Examples
    /// --------
    /// With the certificate of the class's own example:
    ///
    /// >>> print(certificate.verify())
    /// holds
    ///   ✓ consistency: internally consistent
    ///   ✓ the releases cost epsilon: recomputed 1 by basic; stated 1
    ///   ...
    fn verify(&self, py: Python<'_>) -> Verification {
        Verification::of(py.detach(|| self.inner.verify()))
    }

    /// The card of a choice of features by their names, as text and as HTML.
    fn _cards(&self, py: Python<'_>, chosen: Vec<String>) -> (String, String) {
        let card = py.detach(|| card::of_choice(&self.inner, &chosen));
        (card::plain(&card), card::html(&card))
    }

    #[getter]
    fn private(&self) -> bool {
        self.inner.private
    }

    #[getter]
    fn reasons_not_private<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.reasons_not_private)
    }

    #[getter]
    fn epsilon(&self) -> f64 {
        self.inner.statement.epsilon
    }

    #[getter]
    fn delta(&self) -> f64 {
        self.inner.statement.delta.get()
    }

    #[getter]
    fn rho(&self) -> Option<f64> {
        self.inner.statement.rho
    }

    #[getter]
    fn adjacency(&self) -> &'static str {
        self.inner.statement.adjacency.name()
    }

    #[getter]
    fn accountant(&self) -> &'static str {
        self.inner.statement.accountant.name()
    }

    #[getter]
    fn basis(&self) -> &'static str {
        match self.inner.statement.basis {
            reticent::privacy::Basis::Plan => "plan",
            reticent::privacy::Basis::Filter => "filter",
            reticent::privacy::Basis::NoGuarantee => "no-guarantee",
        }
    }

    #[getter]
    fn charges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, Charge::all(&self.inner.statement.charges))
    }

    #[getter]
    fn secure(&self) -> bool {
        self.inner.statement.secure
    }

    #[getter]
    fn records(&self) -> u64 {
        self.inner.records
    }

    #[getter]
    fn columns(&self) -> u64 {
        self.inner.columns
    }

    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        map_object(py, self.inner.features.as_ref())
    }

    #[getter]
    fn rows(&self) -> (&'static str, f64) {
        match self.inner.rows {
            RecordBound::L2(bound) => ("l2", bound),
            RecordBound::Linf(bound) => ("linf", bound),
        }
    }

    #[getter]
    fn target(&self) -> Option<(f64, f64)> {
        self.inner.target.map(|range| (range.low, range.high))
    }

    #[getter]
    fn method(&self) -> &str {
        &self.inner.method.name
    }

    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for parameter in &self.inner.method.parameters {
            parameters.set_item(&parameter.name, &parameter.value)?;
        }
        Ok(parameters)
    }

    #[getter]
    fn unit(&self) -> Option<(Option<&str>, u32)> {
        let unit = self.inner.unit.as_ref()?;
        Some((unit.column.as_deref(), unit.rows.get()))
    }

    #[getter]
    fn request<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(request) = &self.inner.request else {
            return Ok(None);
        };
        let text = serde_json::to_string(request).map_err(value_error)?;
        py.import("json")?.call_method1("loads", (text,)).map(Some)
    }

    #[getter]
    fn published<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(claim) = &self.inner.published else {
            return Ok(None);
        };
        let published = PyDict::new(py);
        published.set_item("source", &claim.source)?;
        published.set_item("epsilon", claim.epsilon)?;
        published.set_item("delta", claim.delta)?;
        Ok(Some(published))
    }

    #[getter]
    fn assumed_public<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.inner.assumed_public)
    }

    #[getter]
    fn version(&self) -> &str {
        &self.inner.version
    }

    fn __repr__(&self) -> String {
        format!("<Certificate, {}>", show::headline(&self.inner))
    }

    fn __str__(&self) -> String {
        show::text(&self.inner)
    }

    fn _repr_html_(&self) -> String {
        show::html(&self.inner)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = slf.get().to_json()?;
        Ok((slf.get_type().getattr("from_json")?, (text,)))
    }
}

/// A map as an object of the package, or None.
pub fn map_object<'py>(py: Python<'py>, map: Option<&FeatureMap>) -> PyResult<Bound<'py, PyAny>> {
    let text = map.map(serde_json::to_string).transpose();
    let text = text.map_err(value_error)?;
    py.import("reticent._features")?
        .call_method1("read", (text,))
}

impl Certificate {
    /// The Python object of a certificate.
    pub fn of(inner: model::Certificate) -> Self {
        Self { inner }
    }
}
