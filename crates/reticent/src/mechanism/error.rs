//! Why a release was refused.

use crate::noise::{NoEntropy, ParameterError, SelectionError, VectorError};
use crate::population::MinimiserError;
use crate::privacy::{Adjacency, Ledger, LedgerError};

/// A release that did not happen: nothing was drawn, nothing was charged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReleaseError {
    /// The ledger refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The query's sensitivity and the ledger are for different neighbours.
    #[error("the query is for {query} adjacency and the ledger for {ledger}; use one for both")]
    Adjacency {
        /// The query's.
        query: Adjacency,
        /// The ledger's.
        ledger: Adjacency,
    },
    /// Batches were planned for another table.
    #[error(
        "batches were planned for {planned} records, and {}; plan with the table's own public number",
        .count.map_or_else(|| "their number is private".to_owned(), |count| format!("there are {count}"))
    )]
    BatchOfOthers {
        /// The number that was planned with.
        planned: u32,
        /// The public number of records or people, if there is one.
        count: Option<usize>,
    },
    /// The operating system gave no randomness.
    #[error(transparent)]
    NoEntropy(#[from] NoEntropy),
    /// The noise that the release needs is beyond the samplers.
    #[error(transparent)]
    Noise(#[from] ParameterError),
    /// The vector noise that the release needs is beyond its sampler.
    #[error(transparent)]
    Vector(#[from] VectorError),
    /// The objective cannot be perturbed in this way.
    #[error(transparent)]
    Objective(#[from] MinimiserError),
    /// There is nothing, or not enough, to select from.
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

/// Query and ledger must be for the same neighbours.
pub(super) fn same_neighbours(query: Adjacency, ledger: &Ledger) -> Result<(), ReleaseError> {
    if query == ledger.adjacency() {
        Ok(())
    } else {
        Err(ReleaseError::Adjacency {
            query,
            ledger: ledger.adjacency(),
        })
    }
}
