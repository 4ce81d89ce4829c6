//! Choices that have a name: adjacency, accountant, sampling.

use pyo3::PyResult;
use reticent::privacy::{Accountant, Adjacency, Sampling};

use crate::error::value_error;

const ADJACENCIES: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];
const SAMPLINGS: [Sampling; 2] = [Sampling::Poisson, Sampling::WithoutReplacement];
const ACCOUNTANTS: [Accountant; 5] = [
    Accountant::Basic,
    Accountant::Zcdp,
    Accountant::Gaussian,
    Accountant::Rdp,
    Accountant::Pld,
];

/// The adjacency of a name.
pub fn adjacency(name: &str) -> PyResult<Adjacency> {
    named("adjacency", name, &ADJACENCIES, Adjacency::name)
}

/// The sampling of a name.
pub fn sampling(name: &str) -> PyResult<Sampling> {
    named("sampling", name, &SAMPLINGS, Sampling::name)
}

/// The accountant of a name.
pub fn accountant(name: &str) -> PyResult<Accountant> {
    named("accountant", name, &ACCOUNTANTS, Accountant::name)
}

pub fn named<T: Copy>(
    what: &str,
    given: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> PyResult<T> {
    all.iter()
        .copied()
        .find(|&one| name(one) == given)
        .ok_or_else(|| {
            let allowed: Vec<String> = all.iter().map(|&one| format!("'{}'", name(one))).collect();
            let allowed = allowed.join(" or ");
            value_error(format!("{what} is '{given}'; it must be {allowed}"))
        })
}
