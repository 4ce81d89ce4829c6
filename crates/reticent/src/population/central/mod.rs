//! What is not a sum over records: questions that take all of them in one place.

mod lasso_count;
mod minimiser;
mod objective;
mod votes;

use super::records::Records;
pub use lasso_count::LassoCount;
pub use minimiser::{Minimiser, MinimiserError, RegularisedLoss};
pub use objective::Objective;
pub use votes::VotesError;

/// Sealed records that are in one place. What is asked of them is not a sum, and can not be put
/// together from the answers of parts.
#[derive(Clone, Copy)]
pub struct CentralRecords<'a> {
    records: &'a Records<'a>,
}

impl<'a> CentralRecords<'a> {
    pub(super) fn of(records: &'a Records<'a>) -> Self {
        Self { records }
    }
}

/// What is asked is not a sum over records, and nothing else is proved for these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCentral {
    /// They are in several places.
    #[error(
        "this method asks for more than sums over records, and they are in {parts} parts; put the \
         table in one place, or use a method made of sums (ight, select, frank-wolfe)"
    )]
    InParts {
        /// How many parts there are.
        parts: usize,
    },
    /// What is protected are units with several rows. Objective perturbation would change by as many
    /// rows in its Hessian, a minimiser and a LASSO's count have no bound for them, and blocks
    /// by row number would divide a unit.
    #[error(
        "this method asks for more than sums over records, and nothing is proved for it where a \
         person may have several rows; use a method made of sums (ight, select, frank-wolfe), or \
         keep one row of each person"
    )]
    InUnits,
    /// Records count by their class, which solvers do not know.
    #[error(
        "this method asks for more than sums over records, and does not know class weights; use a \
         method made of sums (ight, select, frank-wolfe), or leave them out"
    )]
    Weighted,
}
