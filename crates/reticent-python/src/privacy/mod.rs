//! `reticent.privacy`: events, accountants, calibration, budgets and certificates.

pub mod account;
pub mod budget;
pub mod calibrate;
pub mod caution;
pub mod certificate;
pub mod charges;
pub mod compose;
pub mod event;
pub mod name;
pub mod show;
pub mod verification;
