//! From records to queries: bounds are enforced here, and sensitivities follow from them.
//!
//! Today: [`BoundedSum`], the sum of bounded records on a public grid, and the queries that
//! it turns into. Matrices and readers are to come.

pub(crate) mod query;
mod sum;

pub use query::{Count, CountBoundsError, Query, Scores};
pub use sum::{BoundedSum, RecordBound, SumError};
