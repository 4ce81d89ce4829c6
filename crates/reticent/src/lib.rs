//! Sparse linear models under differential privacy.

pub mod data;
pub mod mechanism;
pub mod noise;
pub mod privacy;
