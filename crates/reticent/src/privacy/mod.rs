//! From a list of events to (ε, δ), without data or randomness.
//!
//! *Events* are immutable and state what was released, relative to the sensitivity. An *account* is
//! their total: the least that an accountant valid for all of them proves. *Calibration* is the
//! inverse. A *ledger* holds a budget and is the only way to spend it. The numbers in them are
//! *quantities* that cannot be invalid.

mod account;
mod accountant;
mod budget;
mod calibrate;
mod caution;
mod event;
pub mod infinite;
mod ledger;
mod quantity;
mod special;

pub use account::{Account, AccountError, Accountant, account, account_by, total_rho};
pub use budget::Budget;
pub use calibrate::{CalibrateError, Calibrated, calibrate};
pub use caution::{Caution, Cost};
pub use event::{Adjacency, Charge, Event, Sampling};
pub use ledger::{Basis, Ledger, LedgerError, Statement};
pub use quantity::{Delta, Epsilon, NoiseMultiplier, OutOfRange, Range, Rho, SamplingRate};
