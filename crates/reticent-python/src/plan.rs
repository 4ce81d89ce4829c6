//! What a fit would do and spend, from public facts alone.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use reticent::features::FeatureMap;
use reticent::fit::{Planned, Spending, Value};

use crate::privacy::certificate::map_object;
use crate::privacy::charges::Charge;
use crate::privacy::show::{rounded_up, short};

/// What a fit will do and spend, from public facts alone.
///
/// Made by ``reticent.plan``; nothing is read, drawn or spent.
///
/// Attributes
/// ----------
/// method : str
///     How the model will be fitted.
/// why : str or None
///     Why so, if the method was chosen.
/// epsilon, delta : float
///     What it will cost.
/// rho : float or None
///     The same in ρ, if the budget is in ρ.
/// accountant : str
///     The accountant that proves it.
/// charges : tuple of Charge
///     The releases that will be charged.
/// parameters : dict of str to str or float
///     The method's parameters.
/// features : Scattering, RandomConvolutions, RandomFourier or None
///     The map from rows to their features, in full, if there is one.
/// worst_noise : float or None
///     About the largest noise of predictions of a number, in the target's units, where the target's
///     range is declared; less if targets lie closer together.
///
/// Examples
/// --------
/// >>> import reticent
/// >>> plan = reticent.plan("logistic", n=30_000, d=123, epsilon=1, delta=1e-9,
/// ...                      row_bound=("linf", 1))
/// >>> plan.method, plan.epsilon <= 1
/// ('ight', True)
#[pyclass(frozen, module = "reticent")]
pub struct Plan {
    #[pyo3(get)]
    method: &'static str,
    #[pyo3(get)]
    why: Option<String>,
    #[pyo3(get)]
    epsilon: f64,
    #[pyo3(get)]
    delta: f64,
    #[pyo3(get)]
    rho: Option<f64>,
    #[pyo3(get)]
    accountant: &'static str,
    charges: Vec<Charge>,
    parameters: Vec<(&'static str, Value, &'static str)>,
    map: Option<FeatureMap>,
    #[pyo3(get)]
    worst_noise: Option<f64>,
}

#[pymethods]
impl Plan {
    #[getter]
    fn charges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.charges.iter().copied())
    }

    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parameters = PyDict::new(py);
        for (name, value, _) in &self.parameters {
            match value {
                Value::Number(number) => parameters.set_item(name, number)?,
                Value::Text(text) => parameters.set_item(name, text)?,
            }
        }
        Ok(parameters)
    }

    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        map_object(py, self.map.as_ref())
    }

    fn __repr__(&self) -> String {
        let Self {
            method,
            epsilon,
            delta,
            ..
        } = self;
        let epsilon = rounded_up(*epsilon);
        format!("<Plan by {method}: ε = {epsilon} at δ = {delta:e}>")
    }

    fn __str__(&self) -> String {
        let mut lines = vec![
            format!("{:<14}  {}", "method", self.method),
            format!("{:<14}  {}", "epsilon", rounded_up(self.epsilon)),
            format!("{:<14}  {:e}", "delta", self.delta),
        ];
        lines.extend(self.why.iter().map(|why| format!("{:<14}  {why}", "why")));
        lines.extend(
            self.rho
                .map(|rho| format!("{:<14}  {}", "rho", rounded_up(rho))),
        );
        lines.extend(
            (self.map.as_ref())
                .map(|map| format!("{:<14}  {}", "features", short(&map.sentence()))),
        );
        for (name, value, meaning) in &self.parameters {
            let value = short(&value.to_string());
            lines.push(format!("{name:<14}  {value:<12}  {meaning}"));
        }
        lines.extend(self.worst_noise.map(|noise| {
            let noise = short(&noise.to_string());
            let meaning =
                "the worst noise in the target's units; less if targets lie closer together";
            format!("{:<14}  {noise:<12}  {meaning}", "in units")
        }));
        lines.join("\n")
    }
}

impl Plan {
    /// The Python object of a plan that spends, with the map of features if there is one; of a number,
    /// with the width of its declared range.
    pub fn of(
        plan: &dyn Planned,
        spending: &Spending,
        why: Option<String>,
        map: Option<FeatureMap>,
        width: Option<f64>,
    ) -> Self {
        let account = spending.account();
        Self {
            method: plan.name(),
            why,
            epsilon: account.epsilon,
            delta: account.delta.get(),
            rho: spending.rho(),
            accountant: account.accountant.name(),
            charges: Charge::all(spending.charges()),
            parameters: (plan.summary().into_iter())
                .map(|line| (line.name, line.value, line.meaning))
                .collect(),
            map,
            worst_noise: plan
                .worst_noise()
                .zip(width)
                .map(|(share, width)| share * width),
        }
    }
}
