//! From an open table to a model with its certificate: what the command and the Python package
//! both do, so that they can not differ.
//!
//! ```text
//! Request ─ check ─> Checked ─ plan ─┐
//!                                    ├─ train ─> Trained { model, why, outline }
//!                  Table ─ hold ─────┘
//! ```
//!
//! A [`Request`] is everything that a person declares; nothing in it comes from the data. What is
//! missing or contradictory in it is told by [`Request::check`], in the caller's words ([`Voice`]),
//! and only what passes it, a [`Checked`], trains. What it leaves open follows from public facts.

mod checked;
mod conflict;
mod error;
mod missing;
mod refused;
mod request;
mod run;
#[cfg(test)]
mod tests;

pub use crate::fit::{Details, MethodName, TaskName};
pub use checked::Checked;
pub use error::{Cost, TrainError};
pub use refused::{Refused, Voice};
pub use request::Request;
pub use run::{Selected, Trained};
