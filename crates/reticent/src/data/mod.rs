//! From records to queries: bounds are enforced here, and sensitivities follow from them.
//!
//! Today: [`BoundedSum`], the sum of bounded records on a public grid. Matrices and readers
//! are to come.

mod sum;

pub use sum::{BoundedSum, RecordBound, SumError};
