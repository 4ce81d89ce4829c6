//! From an open table to a model with its certificate: shared by the command and the Python
//! package, so that they cannot differ.
//!
//! ```text
//! FitRequest ─ check ─> CheckedRequest ─ plan ─┐
//!                                              ├─ train ─> Trained { model, why, summary }
//!                             Table ─ clip ────┘
//! ```
//!
//! A [`FitRequest`] is everything that a person declares; nothing in it comes from the data.
//! [`FitRequest::check`] reports what is missing or contradictory, in the caller's words
//! ([`ParameterStyle`]), and only what passes, a [`CheckedRequest`], can be trained. What the
//! request leaves open follows from public facts.
//!
//! ```
//! use reticent::table::{RecordBound, TargetRange};
//! use reticent::train::{FitRequest, ParameterStyle, TaskName};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut request = FitRequest {
//!     task: Some(TaskName::Linear),
//!     epsilon: Some(1.0),
//!     delta: Some(1e-8),
//!     rows: Some(RecordBound::Linf(1.0)),
//!     ..FitRequest::default()
//! };
//! // What has no default is asked for, in the caller's words.
//! let refused = request.check(ParameterStyle::Flags).unwrap_err();
//! assert!(refused.to_string().starts_with("--target-range was not given"));
//!
//! request.range = Some(TargetRange { low: 0.0, high: 120.0 });
//! let checked = request.check(ParameterStyle::Flags)?;
//! // Ten thousand records, 500 columns: what would be done and spent, without any data.
//! let (plan, why) = checked.plan(checked.facts(10_000, 500), 0)?;
//! assert_eq!(plan.name(), "select");
//! println!("{}", why.unwrap_or_default());
//! assert!(plan.spending().is_some_and(|spending| spending.account().epsilon <= 1.0));
//! # Ok(())
//! # }
//! ```
//!
//! [`CheckedRequest::train`] then takes the table, as in the example of the [crate].
//! A [`DeclaredSummary`] goes the same way, to figures of columns instead of a model.

mod checked;
mod conflict;
mod error;
mod missing;
mod refused;
mod request;
mod run;
mod summary;
#[cfg(test)]
mod tests;

pub use crate::fit::{MethodName, MethodOptions, Nonzero, OptionValue, ParameterStyle, TaskName};
pub use checked::CheckedRequest;
pub use error::{RunCost, TrainError};
pub use refused::Refused;
pub use request::FitRequest;
pub use run::{Selected, Trained};
pub use summary::{CheckedSummary, DeclaredSummary, MOST_SUMMARY_COLUMNS, SummaryError};
