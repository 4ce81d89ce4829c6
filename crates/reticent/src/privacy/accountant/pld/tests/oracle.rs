//! Exact profiles δ(ε) in closed form, and their inverses by bisection.

use std::f64::consts::SQRT_2;

/// P(Z > z).
fn tail(z: f64) -> f64 {
    0.5 * libm::erfc(z / SQRT_2)
}

/// H_α(N(μ,1)‖N(0,1)) at any α (Balle–Wang 2018).
fn hockey_stick(alpha: f64, mu: f64) -> f64 {
    if alpha <= 0.0 {
        return 1.0 - alpha;
    }
    if alpha < 1.0 {
        return 1.0 - alpha + alpha * hockey_stick(1.0 / alpha, mu);
    }
    let e = alpha.ln();
    tail(e / mu - mu / 2.0) - alpha * tail(e / mu + mu / 2.0)
}

/// δ(ε) of a Gaussian of mean μ.
pub(super) fn gaussian(mu: f64, epsilon: f64) -> f64 {
    let second = epsilon + tail(epsilon / mu + mu / 2.0).ln();
    tail(epsilon / mu - mu / 2.0) - second.exp()
}

/// δ(ε) of one Poisson-subsampled Gaussian, the record being removed; any sign of ε.
pub(super) fn remove(noise: f64, rate: f64, epsilon: f64) -> f64 {
    rate * hockey_stick(1.0 + epsilon.exp_m1() / rate, 1.0 / noise)
}

/// The same, the record being added.
pub(super) fn add(noise: f64, rate: f64, epsilon: f64) -> f64 {
    epsilon.exp() * remove(noise, rate, -epsilon) - epsilon.exp_m1()
}

/// δ(ε) of one Gaussian on a batch without replacement; any sign of ε.
pub(super) fn replace(noise: f64, rate: f64, epsilon: f64) -> f64 {
    if epsilon >= 0.0 {
        remove(noise, rate, epsilon)
    } else {
        epsilon.exp() * remove(noise, rate, -epsilon) - epsilon.exp_m1()
    }
}

/// The ε ≥ 0 at which a decreasing δ(ε) is `delta`.
pub(super) fn inverse(profile: impl Fn(f64) -> f64, delta: f64) -> f64 {
    if profile(0.0) <= delta {
        return 0.0;
    }
    let (mut low, mut high) = (1e-18, 1e-18);
    while profile(high) > delta {
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if profile(middle) > delta {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// ∫ f(z)·φ(z) dz over [from, to] by Simpson's rule, split at the kinks of f.
pub(super) fn expectation(from: f64, to: f64, kinks: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut ends: Vec<f64> = kinks
        .iter()
        .copied()
        .filter(|k| *k > from && *k < to)
        .collect();
    ends.extend([from, to]);
    ends.sort_by(f64::total_cmp);
    let weighted = |z: f64| f(z) * (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let piece = |a: f64, b: f64| {
        const PANELS: usize = 4000;
        let h = (b - a) / PANELS as f64;
        let inner: f64 = (1..PANELS)
            .map(|i| weighted(a + h * i as f64) * if i % 2 == 1 { 4.0 } else { 2.0 })
            .sum();
        (weighted(a) + inner + weighted(b)) * h / 3.0
    };
    ends.windows(2).map(|w| piece(w[0], w[1])).sum()
}

/// δ(ε) of k randomised responses at e: a binomial sum, in logarithms.
pub(super) fn responses(e: f64, k: u64, epsilon: f64) -> f64 {
    let (n, log_yes, log_no) = (k as f64, -(-e).exp().ln_1p(), -e.exp().ln_1p());
    (0..=k)
        .map(|j| {
            let j = j as f64;
            let excess = (2.0 * j - n) * e - epsilon;
            if excess <= 0.0 {
                return 0.0;
            }
            let choose = libm::lgamma(n + 1.0) - libm::lgamma(j + 1.0) - libm::lgamma(n - j + 1.0);
            (choose + j * log_yes + (n - j) * log_no).exp() * -(-excess).exp_m1()
        })
        .sum()
}
