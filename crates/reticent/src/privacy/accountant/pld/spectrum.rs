//! The characteristic function of a tilted law at equally spaced frequencies.

use super::law::Tilted;

/// Frequencies between two exact evaluations of e^{iωx}.
const BLOCK: usize = 32;
/// Accumulators side by side, so that the loop over the atoms is vectorised.
const LANES: usize = 8;
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
    let steps: Vec<(f64, f64)> = losses.iter().map(|x| cis_m1(step * x)).collect();
    // Relative to E min(2, ω|L|): a rounding for each term of a lane, 6 for each step of the
    // recurrence, and the weights' own. (`EPSILON` is two roundings.)
    let roundings = (padded / LANES + LANES + 3 * BLOCK) as f64;
    let relative_error = law.error + f64::EPSILON * roundings;
    let mut values = Vec::with_capacity(n);
    for start in (1..=n).step_by(BLOCK) {
        let mut sums = [Sum::default(); BLOCK];
        let atoms = losses.chunks_exact(LANES).zip(weights.chunks_exact(LANES));
        for ((x, w), d) in atoms.zip(steps.chunks_exact(LANES)) {
            let t = std::array::from_fn(|i| cis_m1(start as f64 * step * x[i]));
            accumulate(&mut sums, w, d, t);
        }
        for (k, sum) in (start..=n).zip(&sums) {
            let size = k as f64 * step * law.mean_abs;
            let error = relative_error * size.min(2.0) + 4.0 * f64::EPSILON * size;
            values.push(Value {
                re: sum.re.iter().sum(),
                im: sum.im.iter().sum(),
                error,
            });
        }
    }
    values
}

/// Σ w·t at one frequency, in lanes.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    re: [f64; LANES],
    im: [f64; LANES],
}

/// Adds the atoms of one group of lanes to the sums of a block of frequencies; `t` is
/// e^{iωx} − 1 at the first of them.
fn accumulate(sums: &mut [Sum; BLOCK], w: &[f64], d: &[(f64, f64)], t: [(f64, f64); LANES]) {
    let weight: [f64; LANES] = std::array::from_fn(|i| w[i]);
    let d_re: [f64; LANES] = std::array::from_fn(|i| d[i].0);
    let d_im: [f64; LANES] = std::array::from_fn(|i| d[i].1);
    let mut t_re = t.map(|t| t.0);
    let mut t_im = t.map(|t| t.1);
    for sum in sums {
        for i in 0..LANES {
            let (a, b) = (t_re[i], t_im[i]);
            sum.re[i] += weight[i] * a;
            sum.im[i] += weight[i] * b;
            t_re[i] = a + (d_re[i] + (d_re[i] * a - d_im[i] * b));
            t_im[i] = b + (d_im[i] + (d_re[i] * b + d_im[i] * a));
        }
    }
}

/// e^{ia} − 1 without cancellation.
fn cis_m1(a: f64) -> (f64, f64) {
    let (s, c) = libm::sincos(0.5 * a);
    (-2.0 * s * s, 2.0 * s * c)
}
