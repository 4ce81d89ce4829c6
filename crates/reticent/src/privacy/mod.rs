//! From a list of events to (ε, δ): knows no data and no randomness.
pub mod account;
mod accountant;
pub mod calibrate;
pub mod event;
pub mod quantity;
mod special;
pub use account::{Account, AccountError, Accountant, account, account_by};
pub use calibrate::{CalibrateError, Calibrated, calibrate};
pub use event::{Adjacency, Charge, Event, Sampling};
pub use quantity::{Delta, Epsilon, NoiseMultiplier, OutOfRange, Range, Rho, SamplingRate};
