//! Distribution tests of the samplers.
//!
//! Each draws from a fixed seed and compares with the exact law at a false-alarm rate of 1e-6 per
//! check. A fixed seed fails always or never; the rate is the probability that a correct sampler
//! met a bad seed when the test was written. There are fewer than a hundred checks, so 1e-4 for all
//! of them.
//!
//! The samplers are also run looking at 2 or 3 bits at a time (`STEP`), where nearly every
//! decision needs more bits and the arithmetic of any precision: the paths that are taken
//! once in 2⁴⁰ draws otherwise.

mod bernoulli;
mod integer;
mod select;
pub(super) mod support;
mod vector;

/// The false-alarm rate of one check.
const ALARM: f64 = 1e-6;
