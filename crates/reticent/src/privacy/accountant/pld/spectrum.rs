//! The characteristic function of a tilted law at equally spaced frequencies.

use super::law::Tilted;

/// Frequencies between two exact evaluations of e^{iωx}.
const BLOCK: usize = 32;
/// Accumulators side by side, so that the loop over the atoms is a vector one.
const LANES: usize = 8;
/// Bound on the error of a value, but for that of the weights, relative to E min(2, ω|L|):
/// at most 2¹³ roundings of the sum, 6 for each of the 32 steps of the recurrence.
const RELATIVE_ERROR: f64 = 2e-12;

/// E e^{iωL} − 1 and a bound on its error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    pub(super) re: f64,
    pub(super) im: f64,
    pub(super) error: f64,
}

/// The values at step, 2·step, …, n·step.
///
/// e^{iωx} − 1, not e^{iωx}, is carried from one frequency to the next: t ← t + d(1 + t),
/// d = e^{i·step·x} − 1. Its rounding errors are relative to ω|x|, so that a billion small
/// losses keep the accuracy of their sum.
pub(super) fn values(law: &Tilted, step: f64, n: usize) -> Vec<Value> {
    let padded = law.losses.len().next_multiple_of(LANES);
    let pad = |source: &[f64]| {
        let mut copy = source.to_vec();
        copy.resize(padded, 0.0);
        copy
    };
    let (losses, weights) = (pad(&law.losses), pad(&law.weights));
    let (d_re, d_im): (Vec<f64>, Vec<f64>) = losses.iter().map(|x| cis_m1(step * x)).unzip();
    let mut values = Vec::with_capacity(n);
    for start in (1..=n).step_by(BLOCK) {
        let (mut t_re, mut t_im): (Vec<f64>, Vec<f64>) =
            losses.iter().map(|x| cis_m1(start as f64 * step * x)).unzip();
        for k in start..=n.min(start + BLOCK - 1) {
            let (re, im) = sum_and_advance(&weights, &d_re, &d_im, &mut t_re, &mut t_im);
            let size = k as f64 * step * law.mean_abs;
            let error = (RELATIVE_ERROR + law.error) * size.min(2.0) + 4.0 * f64::EPSILON * size;
            values.push(Value { re, im, error });
        }
    }
    values
}

/// Σ w·t, and t at the next frequency.
fn sum_and_advance(w: &[f64], d_re: &[f64], d_im: &[f64], t_re: &mut [f64], t_im: &mut [f64]) -> (f64, f64) {
    let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
    let atoms = w
        .chunks_exact(LANES)
        .zip(d_re.chunks_exact(LANES))
        .zip(d_im.chunks_exact(LANES))
        .zip(t_re.chunks_exact_mut(LANES))
        .zip(t_im.chunks_exact_mut(LANES));
    for ((((w, d_re), d_im), t_re), t_im) in atoms {
        for i in 0..LANES {
            let (a, b) = (t_re[i], t_im[i]);
            re[i] += w[i] * a;
            im[i] += w[i] * b;
            t_re[i] = a + (d_re[i] + (d_re[i] * a - d_im[i] * b));
            t_im[i] = b + (d_im[i] + (d_re[i] * b + d_im[i] * a));
        }
    }
    (re.iter().sum(), im.iter().sum())
}

/// e^{ia} − 1 without cancellation.
fn cis_m1(a: f64) -> (f64, f64) {
    let (s, c) = libm::sincos(0.5 * a);
    (-2.0 * s * s, 2.0 * s * c)
}
