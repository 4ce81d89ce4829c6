//! Sparse linear models under differential privacy.
pub mod noise;
pub mod privacy;
