//! Exact samplers over a cryptographic generator.
pub mod generator;
pub use generator::{NoEntropy, Randomness, SecureGenerator, SeededGenerator};
