//! Sparse linear models under differential privacy.
//!
//! A number that comes out of the data carries its sensitivity; a number that comes out of
//! the library went through a mechanism; the ledger adds the mechanisms up.
//!
//! | room | what is in it |
//! |---|---|
//! | [`data`] | records, bounds that are enforced, queries |
//! | [`mechanism`] | the only doors that a number can leave the data by |
//! | [`noise`] | exact samplers over a cryptographic generator |
//! | [`privacy`] | budget, events, ledger, accountants, calibration |
//!
//! The README has a first release; it is also this crate's first test.

pub mod data;
pub mod mechanism;
pub mod noise;
pub mod privacy;

/// The README's example, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
