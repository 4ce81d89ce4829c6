//! Exact samplers over a cryptographic generator.
//!
//! Every sampler returns integers on a public grid, and has *exactly* the distribution it
//! names if the random bits are independent and fair. No decision rests on a float whose
//! error is not proved: floats only enclose, and where an enclosure cannot decide, more random bits
//! are drawn and integers of any length take over. Each sampler's doc comment holds its proof.
//!
//! | sampler | distribution | method | after |
//! |---|---|---|---|
//! | [`RoundedGaussian`] | round(σZ), Z ~ N(0, 1) | rejection from a table of cells, lazy bits | Karney 2016 |
//! | [`DiscreteLaplace`] | P(k) ∝ exp(−rate·\|k\|), also called two-sided geometric | ⌊E/rate⌋ of a lazy exponential E | von Neumann 1951; Ghosh et al. 2009 |
//! | [`DiscreteGaussian`] | P(k) ∝ exp(−k²/(2σ²)) | rejection from the discrete Laplace | Canonne–Kamath–Steinke 2020 |
//! | [`ExponentialSelector`] | P(i) ∝ exp(±rate·scoreᵢ); top-k in order | rejection from the uniform, or from buckets by binary order | McSherry–Talwar 2007; Durfee–Rogers 2019 |
//! | [`VectorLaplace`] | round(z), density of z ∝ exp(−rate·‖z‖₂) | lazy Gamma radius, lazy normal direction | Chaudhuri et al. 2011 |
//! | [`BernoulliExp`] | true with probability exp(−x) | lazy uniform against an enclosure | Canonne–Kamath–Steinke 2020 |
//! | `PoissonBatches` | each of n numbers with probability 1 − exp(−r) ≤ q | geometric gaps | |
//! | `fixed_size_batch` | uniform on the sets of a size | Floyd's algorithm | Bentley and Floyd 1987 |
//! | [`uniform_below`] | uniform on {0, …, n−1} | rejection | Lemire 2019 |
//!
//! [`Grid`] takes floats to the integers and back.
//!
//! **Running time and memory are not protected.** How long a draw takes depends on the noise
//! drawn, and a selection on its scores: anyone who can time a release may learn about both.

mod batches;
mod bernoulli;
mod big;
mod candidates;
mod chacha;
mod discrete_gaussian;
mod exponential;
mod gaussian;
mod generator;
mod grid;
mod interval;
mod laplace;
mod lazy;
mod normal;
mod parameter;
mod select;
mod streams;
#[cfg(test)]
mod tests;
mod vector;

pub(crate) use batches::{PoissonBatches, fixed_size_batch};
pub(crate) use candidates::Candidates;
pub(crate) use streams::Streams;

pub use bernoulli::{BernoulliExp, uniform_below};
pub use discrete_gaussian::DiscreteGaussian;
pub use gaussian::RoundedGaussian;
pub use generator::{Generator, NoEntropy, Randomness, SecureGenerator, SeededGenerator};
pub use grid::{Grid, GridError};
pub use laplace::DiscreteLaplace;
pub use parameter::ParameterError;
pub use select::{Aim, ExponentialSelector, SelectionError};
pub use vector::{VectorError, VectorLaplace};
