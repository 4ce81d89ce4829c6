//! From an open table to a model with its certificate: what the command and the Python package
//! both do, so that they can not differ.
//!
//! ```text
//! Order ─ check ─ plan ─┐
//!                       ├─ train ─> Trained { model, why, outline }
//! Table ─ hold ─ shut ──┘
//! ```
//!
//! An [`Order`] is everything that a person declares; nothing in it comes from the data. What it
//! leaves open follows from public facts.

mod choose;
mod conflict;
mod error;
mod method;
mod order;
mod run;
#[cfg(test)]
mod tests;

pub use choose::Selected;
pub use conflict::{Conflict, Voice};
pub use error::{Cost, TrainError};
pub use method::{Details, MethodName, TaskName};
pub use order::Order;
pub use run::Trained;
