//! δ(ε) of a composition from its characteristic function, rounded up.
//!
//! Write L for the loss, f for its density under the tilt e^{θL}/M, M = E e^{θL}. Then
//! δ(ε) = M·e^{−θε}·G(ε), G(ε) = ∫ f(x)·k(x−ε) dx, k(y) = e^{−θy}(1 − e^{−y})₊ ≥ 0, and the
//! transform of G at ω is f̂(ω)/((θ+iω)(θ+1+iω)). Poisson's summation formula,
//!
//! (1/W)·Σ_j Ĝ(2πj/W)·e^{−2πijε/W} = Σ_k G(ε + kW) ≥ G(ε),
//!
//! says that the sum over the frequencies, if all are taken, errs on the safe side: what it adds is
//! not negative. The frequencies above Ω that are left out are at most e^{−S²Ω²/2}/(πΩ) together,
//! S² being the variance of the Gaussian part, for
//! |f̂(ω)| ≤ e^{−S²ω²/2} and |(θ+iω)(θ+1+iω)| ≥ ω². This bound is added, as is every rounding error.

use std::f64::consts::PI;

use super::composition::Composition;
use super::spectrum::{self, Value};
use super::{Point, Quality};

/// log of the share of δ that wrapping around, or omitted frequencies, may add.
pub(super) const MARGIN: f64 = 11.5;
/// The largest number of frequencies.
const FREQUENCIES: f64 = 1e5;

/// The transform of G.
#[derive(Debug, Clone)]
pub(super) struct Inversion {
    theta: f64,
    log_mgf: f64,
    step: f64,
    /// Ĝ at 0, a real number.
    centre: f64,
    /// ω and Ĝ(ω), ω = step, 2·step, …
    terms: Vec<(f64, f64, f64)>,
    /// Bound on what is missing from the terms, for every ε.
    error: f64,
    /// Σ|Ĝ| and Σω|Ĝ|, which bound the roundings of a sum.
    size: f64,
    slope: f64,
    /// Whether more frequencies would make it sharper.
    pub(super) cut_short: bool,
}

/// The variance of the loss that may be added, for the slack in ε that the quality allows:
/// by Chernoff's bound, μ²(θ+1)/2 of a Gaussian release. Where δ is far from a tail, θε < 1,
/// the slope that matters is 1/ε rather than θ.
pub(super) fn extra_variance(Point { epsilon, theta }: Point, quality: Quality) -> f64 {
    2.0 * quality.slack * epsilon / (theta.max(1.0 / epsilon) + 1.0)
}

/// The least ε that the period has to fit: any, where that costs less than a share 1/θ.
pub(super) fn lowest(Point { epsilon, theta }: Point, quality: Quality) -> f64 {
    if theta * epsilon < 1.0 {
        return 0.0;
    }
    epsilon - ((1.0 - quality.reach) * epsilon).min(MARGIN / theta)
}

impl Inversion {
    /// The transform for an ε near `epsilon`, where δ is near e^`log_delta`. Neither guess
    /// matters to the validity of the result, only to its sharpness.
    ///
    /// A Gaussian release of [`extra_variance`] is composed in, if the list does not have
    /// that much: more is released, so δ can only grow; Chernoff's ε by slack·ε.
    pub(super) fn new(
        composition: &Composition,
        at: Point,
        log_delta: f64,
        quality: Quality,
    ) -> Option<Self> {
        let mut composition = composition.clone();
        let Point { epsilon, theta } = at;
        let wanted = extra_variance(at, quality);
        composition.mu_squared = composition.mu_squared.max(wanted);
        let period = composition.period(theta, lowest(at, quality), log_delta, MARGIN);
        let step = 2.0 * PI / period;
        let most = (quality.work / composition.len().max(1) as f64).min(FREQUENCIES);
        let width = composition.mu_squared.sqrt();
        // What is left out is about e^{−B²/2}·S/(4πB), B = S·Ω ≥ 3; G(ε) is e^`log_g`.
        let log_g = log_delta + theta * epsilon - composition.log_mgf(theta);
        let edge = (2.0 * (MARGIN + (width / 40.0).ln() - log_g))
            .max(9.0)
            .sqrt();
        let needed = edge / (step * width);
        let n = needed.min(most).max(8.0).ceil();
        let band = n * step;
        composition.mu_squared = composition.mu_squared.max((edge / band).powi(2));
        let usable = [theta, period, step, band, composition.mu_squared];
        if usable.iter().any(|x| !x.is_normal() || *x < 0.0) {
            return None;
        }
        let mut inversion = Self::transform(&composition, theta, step, n as usize);
        inversion.cut_short = needed > most;
        Some(inversion)
    }

    /// An upper bound on log δ(ε) over the finite losses.
    pub(super) fn log_delta(&self, epsilon: f64) -> f64 {
        let mut sum = 0.0;
        for &(omega, re, im) in &self.terms {
            let (sin, cos) = libm::sincos(omega * epsilon);
            sum += re * cos + im * sin;
        }
        let roundings = (8 + self.terms.len()) as f64 * self.size + epsilon * self.slope;
        let sum = self.centre + 2.0 * (sum + f64::EPSILON * roundings);
        let g = (sum * self.step / (2.0 * PI) + self.error).max(f64::MIN_POSITIVE);
        let log_scale = self.log_mgf - self.theta * epsilon;
        let roundings = self.log_mgf.abs() + self.theta * epsilon + 1.0;
        log_scale + g.ln() + 4.0 * f64::EPSILON * roundings
    }

    fn transform(composition: &Composition, theta: f64, step: f64, n: usize) -> Self {
        let mu_squared = composition.mu_squared;
        let mut powers: Vec<Power> = (1..=n)
            .map(|j| Power::gaussian(mu_squared, theta, j as f64 * step))
            .collect();
        for (law, count) in &composition.laws {
            let values = spectrum::values(&law.tilted(theta), step, n);
            for (power, value) in powers.iter_mut().zip(values) {
                power.multiply(value, *count);
            }
        }
        let band = n as f64 * step;
        let mut inversion = Self {
            theta,
            log_mgf: composition.log_mgf(theta),
            step,
            centre: 1.0 / (theta * (theta + 1.0)),
            terms: Vec::with_capacity(n),
            error: (-0.5 * mu_squared * band * band).exp() / (PI * band),
            size: 0.0,
            slope: 0.0,
            cut_short: false,
        };
        for (j, power) in powers.into_iter().enumerate() {
            inversion.push((j + 1) as f64 * step, power);
        }
        inversion
    }

    /// Adds Ĝ(ω) = f̂(ω)/((θ+iω)(θ+1+iω)), as a term or, if tiny, as an error.
    fn push(&mut self, omega: f64, power: Power) {
        let kernel = 1.0 / (self.theta.hypot(omega) * (self.theta + 1.0).hypot(omega));
        let size = power.log.exp() * kernel;
        let spread = power.log_high.exp() * -(power.log - power.log_high).exp_m1();
        let mut error = kernel * spread + size * power.relative_error();
        if size > 1e-20 * self.centre {
            let phase = power.phase - omega.atan2(self.theta) - omega.atan2(self.theta + 1.0);
            let (sin, cos) = libm::sincos(phase);
            self.terms.push((omega, size * cos, size * sin));
            self.size += size;
            self.slope += size * omega;
        } else {
            error += size;
        }
        self.error += error * self.step / PI;
    }
}

/// A product of powers of characteristic functions at one frequency.
#[derive(Debug, Clone, Copy)]
struct Power {
    /// log of the modulus as computed, and of the modulus plus its error.
    log: f64,
    log_high: f64,
    phase: f64,
    /// What the roundings of the phase are relative to.
    phase_size: f64,
    /// How many there are.
    factors: f64,
}

impl Power {
    /// N(μ²/2, μ²) tilted by θ is N(μ²(θ + ½), μ²).
    fn gaussian(mu_squared: f64, theta: f64, omega: f64) -> Self {
        let log = -0.5 * mu_squared * omega * omega;
        let phase = mu_squared * (theta + 0.5) * omega;
        Self {
            log,
            log_high: log,
            phase,
            phase_size: phase,
            factors: 1.0,
        }
    }

    /// Times (1 + value)^count: |true^n − computed^n| ≤ (|computed| + error)^n − |computed|^n.
    fn multiply(&mut self, value: Value, count: f64) {
        let modulus = (1.0 + value.re).hypot(value.im);
        let square_m1 = value.re * (2.0 + value.re) + value.im * value.im;
        let (log, log_high) = if square_m1 > -0.75 {
            let log = 0.5 * square_m1.ln_1p();
            (log, log + (value.error / modulus).ln_1p())
        } else {
            (modulus.ln(), (modulus + value.error).ln())
        };
        let angle = value.im.atan2(1.0 + value.re);
        self.log += count * log;
        self.log_high += count * log_high;
        self.phase += count * angle;
        self.phase_size += count * angle.abs();
        self.factors += 1.0;
    }

    /// Of the roundings made here, those of the logarithm included.
    fn relative_error(&self) -> f64 {
        let size = self.phase_size + self.log.abs().min(1e3);
        (15.0 + self.factors) * f64::EPSILON * (size + 1.0)
    }
}
