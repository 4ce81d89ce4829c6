//! What several fits cost together.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use reticent::model;
use reticent::privacy::{self, Basis, Charge, Delta, Event, Rho};

use super::account::Account;
use super::certificate::Certificate;
use crate::error::value_error;

/// What several fits about the same people cost together.
///
/// Certificates do not know of each other: publishing the models of five fits spends what the five
/// cost together, which is less than the sum of their ε. All their charges go into one account.
/// That holds for fits whose number and noise were fixed beforehand, each on the whole table.
///
/// Notes
/// -----
/// For fits on parts of a table, such as the folds of a cross-validation, the total holds under
/// replace-one adjacency and only if the parts are made by row number alone (fixed indices, or
/// ``KFold``) and have no record twice, as bootstrap samples do. A stratified split, which is scikit-learn's default for classes, looks at y, so that
/// one label moves other records from fold to fold: the total does not hold, and the privacy loss
/// may be many times as large. The same goes for groups and other splits that look at the data.
/// Under add-remove adjacency one more record moves all that follow it to other folds: the total
/// holds for no split by row number. A certificate does not show what was fitted, so nothing is
/// refused here. What a split into folds releases besides (scores, the best parameters) is never
/// counted.
///
/// Parameters
/// ----------
/// certificates : iterable of Certificate
///     Private ones that hold, under one and the same adjacency, of the whole table or of parts of
///     it as in the notes.
/// delta : float
///     The δ for all of them together, above 0 and below 1.
///
/// Returns
/// -------
/// Account
///     The total; ``shares`` has a share for each certificate.
///
/// Raises
/// ------
/// ValueError
///     If a certificate is not private or does not hold, or if the adjacencies differ.
///
/// Examples
/// --------
/// Thirty fits like that of the example of `Certificate`, at ε = 1 each:
///
/// >>> from reticent.privacy import compose
/// >>> total = compose([certificate] * 30, delta=1e-6)
/// >>> 15 < total.epsilon < 30
/// True
/// >>> len(total.shares)
/// 30
#[pyfunction]
#[pyo3(signature = (certificates, *, delta))]
pub fn compose(py: Python<'_>, certificates: &Bound<'_, PyAny>, delta: f64) -> PyResult<Account> {
    let delta = Delta::new(delta).map_err(value_error)?;
    let certificates = certificates
        .try_iter()?
        .map(|item| {
            let item = item?;
            let certificate = item
                .cast::<Certificate>()
                .map_err(|_| PyTypeError::new_err("expected Certificate objects"))?;
            Ok(certificate.get().inner.clone())
        })
        .collect::<PyResult<Vec<_>>>()?;
    py.detach(|| together(&certificates, delta))
        .map(Account::of)
        .map_err(value_error)
}

/// One account of all charges, with the shares of each certificate added up.
fn together(certificates: &[model::Certificate], delta: Delta) -> Result<privacy::Account, String> {
    let Some(first) = certificates.first() else {
        return Err("there is no certificate to compose; give at least one".to_owned());
    };
    let adjacency = first.statement.adjacency;
    let mut charges = Vec::new();
    let mut ends = Vec::new();
    for (place, certificate) in certificates.iter().enumerate() {
        let refused = |why: String| format!("certificate {place} {why}");
        let given = certificate.statement.adjacency;
        if given != adjacency {
            return Err(refused(format!(
                "is under {given} adjacency, and the first is under {adjacency}: what they promise \
                 does not add up"
            )));
        }
        charges.extend(charged(certificate).map_err(refused)?);
        ends.push(charges.len());
    }
    let mut total =
        privacy::account(&charges, adjacency, delta).map_err(|error| error.to_string())?;
    let starts = std::iter::once(0).chain(ends.iter().copied());
    let share = |(start, end): (usize, usize)| total.shares[start..end].iter().sum();
    total.shares = starts.zip(ends.iter().copied()).map(share).collect();
    Ok(total)
}

/// What a certificate adds to an account, or why it cannot.
fn charged(certificate: &model::Certificate) -> Result<Vec<Charge>, String> {
    let statement = &certificate.statement;
    if let Some(reason) = certificate.reasons_not_private.first() {
        return Err(format!("is not private: {reason}"));
    }
    if !certificate.verify().holds() {
        return Err("does not hold; its verify() says why".to_owned());
    }
    match (statement.basis, statement.rho.map(Rho::new)) {
        (Basis::Plan, _) => Ok(statement.charges.clone()),
        // A filter certifies its whole budget, however much of it its charges used.
        (Basis::Filter, Some(Ok(rho))) => Ok(vec![Charge::once(Event::Zcdp { rho })]),
        (Basis::Filter, _) => Err(
            "is of a filter whose budget is an epsilon; only a budget in rho adds up with other \
             releases"
                .to_owned(),
        ),
        (Basis::NoGuarantee, _) => Err("has no guarantee".to_owned()),
    }
}
