//! δ(ε) of a composition by FFT, with its losses moved to a uniform grid; rounded up.
//!
//! Each atom is split between the points kh of the grid on either side of it, again by connecting
//! the dots, so that the result dominates. With the notation of `inversion`, the tilted law of the
//! sum on a grid of N points modulo W = Nh has the transform Π f̂ᵢ^nᵢ at the frequencies 2πj/W:
//! real transforms forth and back give it exactly, up to rounding, and no frequency is left out.
//! With the periodic kernel κ = Σ_k k(· + kW), Σ_r g_r·κ(rh − ε) = Σ_k G(ε + kW) ≥ G(ε): wrapping
//! around errs upwards, as before.
//!
//! # Roundings
//!
//! Let e be the error of the computed law g, as a vector. A transform of length N has a
//! relative error of at most log₂N·(μ + γ₄(√2 + μ)) in the 2-norm, μ being that of its roots
//! of unity (Higham 2002, Theorem 24.2). With roots good to 10 units of rounding that is 16
//! units for each halving; 32 are taken, for other radices and for the pass that makes the
//! transform a real one. As |f̂| ≤ 1, a power multiplies the error by its exponent. Where a
//! computed value is outside of what is possible, the unit disc or g ≥ 0, it is projected
//! onto it, which does not increase the error. G(ε) is then wrong by at most ‖e‖₂·‖κ‖₂
//! (Cauchy–Schwarz), and this is added.
//!
//! The error is absolute: a billion tiny losses would be lost in it, which is why they are left to
//! the direct sum of `spectrum`.

use reticent_fft::Complex;

use super::composition::Composition;
use super::inversion::{MARGIN, extra_variance, lowest};
use super::law::Tilted;
use super::{Point, Quality};

/// Bound on the relative error of a sum of 2¹⁵ products: of a mass, and of all of them.
const MASS_ERROR: f64 = 2e-11;
/// Up to this many releases the roundings of a power are far below 1, as their bounds,
/// linear in the exponent, assume.
const MOST_RELEASES: f64 = 1e10;
/// The fewest points that are worthwhile.
const LEAST: usize = 1 << 10;

/// The law of the sum, as needed for δ.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    theta: f64,
    log_scale: f64,
    step: f64,
    /// Σ_{m≥0} g_{k+m}·e^{−cmh} for each k, c = θ and θ + 1.
    sums: Vec<(f64, f64)>,
    /// Bound on what is missing from the sums of g·κ.
    error: f64,
}

impl Lattice {
    /// The law for an ε near the point's; there is no Gaussian part.
    pub(super) fn new(
        composition: &Composition,
        at: Point,
        log_delta: f64,
        quality: Quality,
    ) -> Option<Self> {
        let theta = at.theta;
        let period = composition.period(theta, lowest(at, quality), log_delta, MARGIN);
        let laws: Vec<(Tilted, f64)> = composition
            .laws
            .iter()
            .map(|(law, count)| (law.tilted(theta), *count))
            .collect();
        // An atom that is split gains d(h − d) in variance, d being its place in the cell.
        let gain = |step: f64| -> f64 {
            let each = |law: &Tilted| (step / 6.0).min(law.mean_abs) * step;
            laws.iter().map(|(law, count)| count * each(law)).sum()
        };
        // Each law takes as long as all the rest.
        let most = quality.grid / laws.len().next_power_of_two();
        let mut n = LEAST;
        while n < most && gain(period / n as f64) > extra_variance(at, quality) {
            n *= 2;
        }
        let step = period / n as f64;
        let usable = [theta, period, step];
        let releases: f64 = laws.iter().map(|(_, count)| count).sum();
        if usable.iter().any(|x| !x.is_normal() || *x < 0.0)
            || (theta + 1.0) * step > 1.0
            || releases > MOST_RELEASES
        {
            return None;
        }
        Self::compose(&laws, theta, step, n, composition.log_mgf(theta))
    }

    fn compose(
        laws: &[(Tilted, f64)],
        theta: f64,
        step: f64,
        n: usize,
        log_mgf: f64,
    ) -> Option<Self> {
        let (forward, inverse) = reticent_fft::both_ways(n);
        let relative = 16.0 * f64::EPSILON * (n as f64).log2();
        let mut spectrum = forward.make_output_vec();
        let mut powers = vec![Power::default(); spectrum.len()];
        let (mut log_scale, mut deviation) = (log_mgf, 0.0);
        for (law, count) in laws {
            let (mut masses, log_total) = snapped(law, theta, step, n);
            log_scale += count * log_total;
            deviation += count * relative * norm(&masses);
            forward.process(&mut masses, &mut spectrum).ok()?;
            for (power, value) in powers.iter_mut().zip(&spectrum) {
                power.multiply(*value, *count);
            }
        }
        let mut squares = 0.0;
        for (value, power) in spectrum.iter_mut().zip(&powers) {
            let size = power.log.exp();
            let roundings = (16.0 + laws.len() as f64) * (power.roundings + 1.0);
            squares += (size * f64::EPSILON * roundings).powi(2);
            let (sin, cos) = libm::sincos(power.phase);
            *value = Complex::new(size * cos, size * sin);
        }
        deviation += (2.0 * squares / n as f64).sqrt();
        // These two are real.
        spectrum[0].im = 0.0;
        spectrum[n / 2].im = 0.0;
        let mut law = inverse.make_output_vec();
        inverse.process(&mut spectrum, &mut law).ok()?;
        let scale = 1.0 / n as f64;
        law.iter_mut().for_each(|g| *g *= scale);
        deviation += 1.01 * relative * norm(&law);
        law.iter_mut().for_each(|g| *g = g.max(0.0));
        Some(Self {
            theta,
            log_scale,
            step,
            sums: sums(&law, theta, step),
            error: 1.01 * deviation * kernel_norm(theta, step, n) + f64::MIN_POSITIVE,
        })
    }

    /// An upper bound on log δ(ε) over the finite losses.
    pub(super) fn log_delta(&self, epsilon: f64) -> f64 {
        let n = self.sums.len() as f64;
        let k = (epsilon / self.step).ceil();
        let gap = (k * self.step - epsilon).max(0.0);
        let (p, q) = self.sums[k.rem_euclid(n) as usize];
        let g = p * (-self.theta * gap).exp() - q * (-(self.theta + 1.0) * gap).exp();
        // At most 5 roundings for each step of the recurrence of the sums, of which there
        // are up to 2n for a mass that has wrapped around; and those of the gap.
        let roundings = f64::EPSILON * (8.0 * n + 4.0 * (self.theta + 1.0) * epsilon);
        let g = g + roundings * (p + q) + self.error;
        let log_scale = self.log_scale - self.theta * epsilon;
        let roundings = self.log_scale.abs() + self.theta * epsilon + 1.0;
        log_scale + g.ln() + 4.0 * f64::EPSILON * roundings
    }
}

/// The law on the grid, normalised, and the log of what it was divided by, rounded up.
///
/// That logarithm compensates for a mass that is too small by some share.
fn snapped(law: &Tilted, theta: f64, step: f64, n: usize) -> (Vec<f64>, f64) {
    let mut masses = vec![0.0; n];
    let (mut kept, mut total, mut largest) = (0.0, 0.0, 0.0f64);
    let whole = (-step).exp_m1();
    for (&loss, &weight) in law.losses.iter().zip(&law.weights) {
        // Moved up by more than the rounding error of its place in the cell.
        let loss = loss + 8.0 * f64::EPSILON * loss.abs();
        let k = (loss / step).floor();
        let d = (loss - k * step).clamp(0.0, step);
        let above = weight * (-d).exp_m1() / whole * (theta * (step - d)).exp();
        let below = weight * (d - step).exp_m1() / whole * (-(theta + 1.0) * d).exp();
        let index = k.rem_euclid(n as f64) as usize % n;
        masses[index] += below;
        masses[(index + 1) % n] += above;
        kept += weight;
        total += below + above;
        largest = largest.max(loss.abs());
    }
    let error = law.error + MASS_ERROR + 16.0 * f64::EPSILON * theta * largest;
    let rest = (1.0 - kept).max(0.0) + error;
    masses[0] += rest;
    let total = (total + rest) * (1.0 + MASS_ERROR);
    masses.iter_mut().for_each(|mass| *mass /= total);
    (masses, total.ln() + 2.0 * error)
}

/// (Σ_{m≥0} g_{k+m}·e^{−θmh}, the same with θ + 1), g being periodic.
fn sums(law: &[f64], theta: f64, step: f64) -> Vec<(f64, f64)> {
    let length = law.len() as f64 * step;
    let decay = ((-theta * step).exp(), (-(theta + 1.0) * step).exp());
    let next = |(p, q): (f64, f64), g: &f64| (g + decay.0 * p, g + decay.1 * q);
    let (p, q) = law.iter().rev().fold((0.0, 0.0), next);
    let mut sum = (
        p / -(-theta * length).exp_m1(),
        q / -(-(theta + 1.0) * length).exp_m1(),
    );
    let mut sums = vec![(0.0, 0.0); law.len()];
    for (entry, g) in sums.iter_mut().zip(law).rev() {
        sum = next(sum, g);
        *entry = sum;
    }
    sums
}

/// A bound on ‖κ‖₂ over any N points a step apart.
///
/// ∫k² = 1/(2θ(θ+1)(2θ+1)); k rises and falls once, to at most 1/(θ+1); and what is farther than W
/// away is at most e^{−θW}/(1 − e^{−θW}).
fn kernel_norm(theta: f64, step: f64, n: usize) -> f64 {
    let square = 1.0 / (2.0 * theta * (theta + 1.0) * (2.0 * theta + 1.0));
    let peak = 1.0 / (theta + 1.0);
    let wrapped = 1.0 / (theta * step * n as f64).exp_m1();
    (square / step + 2.0 * peak * peak).sqrt() + (n as f64).sqrt() * wrapped
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A product of powers, in polar coordinates.
#[derive(Debug, Clone, Copy, Default)]
struct Power {
    log: f64,
    phase: f64,
    /// What their rounding errors are relative to.
    roundings: f64,
}

impl Power {
    fn multiply(&mut self, value: Complex<f64>, count: f64) {
        let log = (0.5 * value.norm_sqr().ln()).clamp(-1e3, 0.0);
        let phase = value.im.atan2(value.re);
        self.log += count * log;
        self.phase += count * phase;
        self.roundings += count * (1.0 + phase.abs() - log);
    }
}
