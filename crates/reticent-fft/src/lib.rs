//! Real Fourier transforms of `f64`, compiled once.
//!
//! rustfft is generic in its number, so that every crate that plans a transform compiles all of it:
//! a third of the machine code of `reticent`, in each of its builds and again for its tests.
//! Planned in a crate of its own, it is compiled when its version changes, and not with `reticent`.

use std::sync::Arc;

use realfft::RealFftPlanner;
pub use realfft::num_complex::Complex;
pub use realfft::{ComplexToReal, FftError, RealToComplex};

/// The transform of `n` real numbers, and its inverse, which is `n` times as large.
pub fn both_ways(n: usize) -> (Arc<dyn RealToComplex<f64>>, Arc<dyn ComplexToReal<f64>>) {
    let mut planner = RealFftPlanner::new();
    (planner.plan_fft_forward(n), planner.plan_fft_inverse(n))
}
