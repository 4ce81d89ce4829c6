//! Private summaries of columns: count, mean, quantiles and histogram, for a budget.
//!
//! ```text
//! SummaryRequest ─ plan(n) ─> SummaryPlan ─ run(population, columns) ─> Summary
//! ```
//!
//! A careful person declares wide ranges, and noise on a sum is as large as the range. So the
//! values are found first: histograms whose bins get narrower where the records are, a few times,
//! at a cost that does not depend on how much too wide a range is (`distribution`). Quantiles are
//! read off the last of them; the histogram that is shown and the mean are then released inside the
//! part of the range where the values are. All columns are asked at once, as one vector.
//!
//! What is charged follows from the request and the public number of records alone (`plan`); where
//! bins lie follows from what was released before (`run`). Every figure comes with the interval that
//! the privacy noise leaves, at 95 %.

mod column;
mod distribution;
mod nice_step;
mod numeric;
mod plan;
mod result;
mod run;
#[cfg(test)]
mod tests;

pub use column::{ColumnKind, SummaryColumn};
pub use plan::{Releases, SummaryPlan, SummaryPlanError, SummaryRequest};
pub use result::{Bin, ColumnSummary, Estimate, Level, Mean, Quantile, Summary};
pub use run::Figures;
