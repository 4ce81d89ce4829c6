//! An independent oracle for lists of any length: δ(ε) between two bounds, by FFT on a
//! uniform grid of losses.
//!
//! Outcomes whose losses share a cell of the grid are merged. That is post-processing, so
//! the merged pair's δ(ε) is *at most* the true one, and stays so if its loss
//! is rounded down. Split between the cell's two ends instead, so that the masses under
//! both measures are kept, it is *at least* the true one (connecting the dots, Doroshenko
//! et al. 2022). Nothing is shared with the accountant: masses are differences of
//! the normal distribution function, there is no tilt, and the sum is inverted by FFT.

use std::f64::consts::SQRT_2;

use reticent_fft::Complex;

/// The bounds' grid: 2·`half` steps of `step`.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    pub(super) step: f64,
    pub(super) half: usize,
}

/// A loss of the list.
#[derive(Clone, Copy)]
pub(super) enum Loss {
    /// log R under the mixture: noise and rate.
    Remove(f64, f64),
    /// −log R under N(0, 1).
    Add(f64, f64),
    /// log R where it is positive, its mirror image, and the rest at 0.
    Replace(f64, f64),
    /// ±ε.
    Response(f64),
}

/// Beyond this many standard deviations outcomes are dropped, or given an infinite loss.
const FAR: f64 = 9.0;
/// What those outcomes weigh, at most: 4·P(Z > 9) is 4.6e-19.
const BEYOND: f64 = 1e-18;
/// The lower grid lies this share of a step below the upper one, for a merged loss is
/// not quite in the middle of its cell.
const LOWERED: f64 = 1.0 / 64.0;
/// Far above the error of 2²⁰ entries of a transform, far below the δ asked.
const ROUNDING: f64 = 1e-12;

/// An ε no larger, and one no smaller, than the list's at δ.
pub(super) fn bracket(list: &[(Loss, u64)], grid: Grid, delta: f64) -> (f64, f64) {
    let count: f64 = list.iter().map(|(_, n)| *n as f64).sum();
    let slack = ROUNDING + count * BEYOND;
    let lower = grid.compose(list, |loss| grid.lower(loss));
    let upper = grid.compose(list, |loss| grid.upper(loss));
    let wrapped = lower.1.max(upper.1);
    assert!(wrapped < 1e-3 * delta, "the grid is too short: {wrapped:e}");
    let low = grid.epsilon(&lower.0, delta + slack + lower.1);
    let high = grid.epsilon(&upper.0, delta - slack - upper.1);
    (low - count * LOWERED * grid.step, high)
}

impl Grid {
    /// Cells centred at the grid's points, merged and rounded down to the lowered grid.
    fn lower(self, loss: Loss) -> Vec<(isize, f64)> {
        let cells = self.cells(loss, 0.5);
        let index = |m: f64| (m / self.step + LOWERED).floor() as isize;
        cells.into_iter().map(|(_, m, p)| (index(m), p)).collect()
    }

    /// Cells between the grid's points, split between their ends.
    fn upper(self, loss: Loss) -> Vec<(isize, f64)> {
        let split = |(k, m, p): (isize, f64, f64)| {
            let below = k as f64 * self.step - m;
            let share = (below.exp_m1() / (-self.step).exp_m1()).clamp(0.0, 1.0);
            [(k, p * (1.0 - share)), (k + 1, p * share)]
        };
        self.cells(loss, 0.0).into_iter().flat_map(split).collect()
    }

    /// (k, loss, mass) of the outcomes whose loss is in [k, k+1) − `shift` steps, merged.
    fn cells(self, loss: Loss, shift: f64) -> Vec<(isize, f64, f64)> {
        let index = |m: f64| (m / self.step + shift).floor() as isize;
        match loss {
            Loss::Response(e) => [e, -e]
                .map(|m| (index(m), m, 1.0 / (1.0 + (-m).exp())))
                .to_vec(),
            Loss::Remove(noise, rate) => self
                .merged(noise, rate, shift, -FAR)
                .into_iter()
                .map(|[m, p, _]| (index(m), m, p))
                .collect(),
            // A cell's mirror image is the cell of −m, both its ends being in the grid.
            Loss::Add(noise, rate) => self
                .merged(noise, rate, shift, -FAR)
                .into_iter()
                .map(|[m, _, q]| (index(-m), -m, q))
                .collect(),
            Loss::Replace(noise, rate) => {
                let mut cells = Vec::new();
                let mut rest = 1.0;
                for [m, p, q] in self.merged(noise, rate, shift, 0.5 / noise) {
                    // The cell around 0 is its own mirror image: it goes with the rest.
                    if shift == 0.0 || m > 0.5 * self.step {
                        cells.extend([(index(m), m, p), (index(-m), -m, q)]);
                        rest -= p + q;
                    }
                }
                cells.push((0, 0.0, rest));
                cells
            }
        }
    }

    /// [loss, mass under the mixture, mass under N(0, 1)] of each cell above `from`.
    fn merged(self, noise: f64, rate: f64, shift: f64, from: f64) -> Vec<[f64; 3]> {
        let end = FAR + 1.0 / noise;
        let zero = 0.5 / noise;
        let log_ratio = |z: f64| (rate * ((z - zero) / noise).exp_m1()).ln_1p();
        let mut cells = Vec::new();
        let mut k = (log_ratio(from) / self.step + shift).floor();
        let mut a = from;
        while a < end {
            k += 1.0;
            // NaN or −∞ below the least loss, log(1−q): the cell is empty.
            let edge = (((k - shift) * self.step).exp_m1() / rate).ln_1p();
            let b = (zero + noise * edge).max(a).min(end);
            let (q, p) = (mass(a, b), mass(a - 1.0 / noise, b - 1.0 / noise));
            if p > 0.0 && q > 0.0 {
                let excess = rate * (p / q - 1.0);
                cells.push([excess.ln_1p(), q + q * excess, q]);
            }
            a = b;
        }
        cells
    }

    /// The law of the sum modulo the grid's length, and what may have wrapped around.
    fn compose(
        self,
        list: &[(Loss, u64)],
        atoms: impl Fn(Loss) -> Vec<(isize, f64)>,
    ) -> (Vec<f64>, f64) {
        let n = 2 * self.half;
        let (forward, inverse) = reticent_fft::both_ways(n);
        let mut product = vec![Complex::new(1.0, 0.0); self.half + 1];
        // Chernoff's bound on either side, at a few slopes.
        let slopes: Vec<f64> = (4..9)
            .map(|i| f64::from(1 << i) / self.half as f64)
            .collect();
        let mut logs = vec![[0.0, 0.0]; slopes.len()];
        for &(loss, count) in list {
            let atoms = atoms(loss);
            for (log, t) in logs.iter_mut().zip(&slopes) {
                for (log, t) in log.iter_mut().zip([*t, -t]) {
                    let terms = atoms.iter().map(|(k, p)| p * (t * *k as f64).exp());
                    *log += count as f64 * terms.sum::<f64>().ln();
                }
            }
            let mut law = forward.make_input_vec();
            for (k, p) in atoms {
                law[k.rem_euclid(n as isize) as usize] += p;
            }
            let mut spectrum = forward.make_output_vec();
            forward.process(&mut law, &mut spectrum).unwrap();
            for (x, y) in product.iter_mut().zip(spectrum) {
                *x *= y.powu(count as u32);
            }
        }
        let tail = |(log, t): (&[f64; 2], &f64)| {
            let [up, down] = log.map(|log| (log - t * self.half as f64).exp());
            up + down
        };
        let wrapped = logs.iter().zip(&slopes).map(tail).fold(1.0, f64::min);
        let mut law = vec![0.0; n];
        // The first and the last entry are real up to rounding, as the inverse wants.
        product[0].im = 0.0;
        product[self.half].im = 0.0;
        inverse.process(&mut product, &mut law).unwrap();
        law.iter_mut().for_each(|p| *p /= n as f64);
        (law, wrapped)
    }

    /// The ε ≥ 0 at which E(1 − e^{ε−L})₊ is `delta`: between two points of the grid it
    /// is linear in e^ε.
    fn epsilon(self, law: &[f64], delta: f64) -> f64 {
        let (mut p, mut q) = (0.0, 0.0);
        for k in (1..self.half).rev() {
            let loss = k as f64 * self.step;
            p += law[k];
            q += law[k] * (-loss).exp();
            if p - q * (loss - self.step).exp() > delta {
                return ((p - delta) / q).ln();
            }
        }
        0.0
    }
}

/// P(a < Z < b), from whichever tail is the smaller.
fn mass(a: f64, b: f64) -> f64 {
    let tail = |z: f64| 0.5 * libm::erfc(z / SQRT_2);
    if a > 0.0 {
        tail(a) - tail(b)
    } else {
        tail(-b) - tail(-a)
    }
}
