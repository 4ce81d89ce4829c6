//! A list of releases as one sum of independent losses: its moments, and Chernoff's bound from
//! them.

use super::law::Law;
use super::subsampled::{Direction, Resolution, Subsampled};

/// The largest μ of a Gaussian that is given atoms.
const LARGEST_MU: f64 = 10.0;

/// Independent losses: atoms, each with how often it is drawn, and one Gaussian.
#[derive(Debug, Clone)]
pub(super) struct Composition {
    pub(super) laws: Vec<(Law, f64)>,
    /// μ² of all Gaussian releases together: their loss is N(μ²/2, μ²).
    pub(super) mu_squared: f64,
}

impl Composition {
    /// An upper bound of the probability that some loss is infinite: it is a part of δ.
    pub(super) fn infinite(&self) -> f64 {
        let sum: f64 = self.laws.iter().map(|(law, n)| n * law.infinite).sum();
        sum * (1.0 + 1e-12)
    }

    /// Atoms in all.
    pub(super) fn len(&self) -> usize {
        self.laws.iter().map(|(law, _)| law.len()).sum()
    }

    /// The same with atoms for the Gaussian; `None` if they would be too many.
    pub(super) fn in_atoms(&self, resolution: Resolution) -> Option<Self> {
        let mut atoms = self.clone();
        if self.mu_squared > 0.0 {
            let mu = self.mu_squared.sqrt() * (1.0 + 4.0 * f64::EPSILON);
            if mu > LARGEST_MU {
                return None;
            }
            let whole = Subsampled {
                noise: 1.0 / mu,
                rate: 1.0,
            };
            let scale = mu * (1.0 + mu * (resolution.tilt + 0.5));
            let resolution = Resolution {
                scale: scale.min(resolution.scale),
                ..resolution
            };
            let law = whole.law(Direction::Remove, &resolution);
            atoms.laws.push((law, 1.0));
            atoms.mu_squared = 0.0;
        }
        Some(atoms)
    }

    /// log E e^{θL} over the finite losses, rounded up.
    pub(super) fn log_mgf(&self, theta: f64) -> f64 {
        let atoms: f64 = self
            .laws
            .iter()
            .map(|(law, n)| n * law.log_mgf(theta))
            .sum();
        let gaussian = 0.5 * theta * (theta + 1.0) * self.mu_squared;
        let roundings = 8.0 + self.laws.len() as f64;
        atoms + gaussian + roundings * f64::EPSILON * (atoms.abs() + gaussian)
    }

    /// The θ whose Chernoff bound on ε is the least, and that ε (0 if negative).
    ///
    /// (1 − e^{−y})₊ ≤ k(θ)·e^{θy} with k(θ) = (θ/(θ+1))^θ/(θ+1), so δ(ε) ≤
    /// k(θ)·E e^{θL}·e^{−θε} (Canonne–Kamath–Steinke 2020). The logarithm
    /// of the bound is convex in θ, so the least ε is that of a quasi-convex function.
    pub(super) fn chernoff(&self, log_delta: f64) -> (f64, f64) {
        let bound = |theta: f64| (self.log_mgf(theta) + log_peak(theta) - log_delta) / theta;
        let theta = least(bound, 1e-18, 1e18);
        let epsilon = bound(theta);
        let epsilon = if epsilon.is_nan() {
            f64::INFINITY
        } else {
            epsilon
        };
        (theta, (epsilon + 1e-13 * epsilon.abs()).max(0.0))
    }

    /// The θ at which the integrand of the inversion at ε is flat: the saddle point.
    pub(super) fn saddle(&self, epsilon: f64, near: f64) -> f64 {
        let height =
            |theta: f64| self.log_mgf(theta) - theta * epsilon - theta.ln() - theta.ln_1p();
        least(height, near * 1e-6, near * 1e6)
    }

    /// A period W such that δ(ε ± W), as weighted by the tilt, is about e^{−margin}·δ(ε).
    ///
    /// Downwards e^{−θW}·δ(ε−W), where δ(ε−W) is at most 1, and rarely above 2W.
    /// Upwards e^{θW}·δ(ε+W) ≤ k(θ′)·E e^{θ′L}·e^{−θ′ε−(θ′−θ)W} for any θ′ > θ.
    pub(super) fn period(&self, theta: f64, epsilon: f64, log_delta: f64, margin: f64) -> f64 {
        let down = |before: f64| (margin + before.min(1.0).ln() - log_delta) / theta;
        let down = down(2.0 * down(2.0 * down(1.0)));
        let up = |gap: f64| {
            let beyond = self.log_mgf(theta + gap) + log_peak(theta + gap);
            (beyond - (theta + gap) * epsilon - log_delta + margin) / gap
        };
        down.max(up(least(up, theta * 1e-6, theta * 1e9)))
    }
}

/// log k(θ) of [`Composition::chernoff`].
fn log_peak(theta: f64) -> f64 {
    -theta * theta.recip().ln_1p() - theta.ln_1p()
}

/// A point near the minimum of a unimodal function of log x, by golden section.
fn least(f: impl Fn(f64) -> f64, low: f64, high: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let (mut low, mut high) = (low.ln(), high.ln());
    let f = |x: f64| f(x.exp());
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut fa, mut fb) = (f(a), f(b));
    while high - low > 0.02 {
        // Overflow is on the right: where both are infinite, or one is NaN, go left.
        if fa > fb {
            (low, a, fa) = (a, b, fb);
            b = low + GOLDEN * (high - low);
            fb = f(b);
        } else {
            (high, b, fb) = (b, a, fa);
            a = high - GOLDEN * (high - low);
            fa = f(a);
        }
    }
    if fa > fb { b.exp() } else { a.exp() }
}
