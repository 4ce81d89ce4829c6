//! Rényi divergence of the Poisson-subsampled Gaussian, add/remove-one, at any real order.
//!
//! **Theorem** (Mironov–Talwar–Zhang 2019, thms 4 and 5). For rate q and multiplier σ the
//! divergence is greatest, over neighbours and both directions, for
//! P = (1−q)N(0,σ²) + qN(1,σ²) against Q = N(0,σ²). In units of σ, with s = 1/σ:
//!
//! A(α) = e^{(α−1)D_α} = E[(1 + u(X))^α], u(x) = q(L(x) − 1), L(x) = e^{sx − s²/2}, X ~ N(0,1).
//!
//! Instead of their binomial sum (integers only) and erfc series (which lose all digits
//! of A − 1 when q is small, and converge slowly near α = 1) we integrate, for every order
//! alike. The mean of u is 0, so
//!
//! A − 1 = E f(u), f(u) = (1+u)^α − 1 − αu ≥ 0 (Bernoulli),
//!
//! every term is positive, and a rate of 1e-6 is as good as one of ½.
//!
//! # The sum is an upper bound
//!
//! *Step.* The trapezoidal rule of step h on the whole line, for an integrand that is
//! analytic for |Im x| < a and has ∫|·| ≤ M on each line there, is off by at most
//! 2M/(e^{2πa/h} − 1) (Trefethen–Weideman 2014, thm 5.1). Ours is analytic while
//! 1 − q + qLe^{iθ}, θ = s·Im x, keeps off the negative axis, i.e. for |Im x| < πσ. There
//! |1 + u| ≤ 1 − q + qL(Re x) and |φ| = φ(Re x)·e^{(Im x)²/2}, so
//! M ≤ e^{a²/2}(A + 1 + 2αq). With a = min(πσ, √(2E)) and h = 2πa/(E + a²/2) the error is
//! at most 2.1·e^{−E}(A + 1 + 2αq); E = 80, and it is added.
//!
//! *Ends.* Left of x₀ = −13, f ≤ αq and φ falls by more than e^{13h} per step: the rest is at most
//! αq·φ(x₀)/13. Right of x₁ ≥ αs + 13, the logarithmic slope of (1+u)^α·φ is at most αs − x ≤ −13:
//! the rest is at most the integrand's bound at x₁ over 13. Both are added.
//!
//! *Rounding.* Each term's error is bounded from the size of its exponents and added. The
//! nodes themselves are rounded, by 6.5 ε at most; that shifts the grid by less than 1e-15
//! of itself, and is left to the relative 1e-12 that the caller adds.
//!
//! Where the sum would be long (σ < 0.05, or αs in the thousands) the bound of joint
//! convexity serves: e^{(α−1)D_α} is an f-divergence (f = t^α), hence jointly convex in the
//! two laws, so A ≤ 1 − q + q·e^{α(α−1)s²/2}.

use crate::privacy::special::{LN_SQRT_TAU, ln_mix_exp};

/// E of the module's text: the step's error is e^{−80}, about 2e-35.
const STEP_EXPONENT: f64 = 80.0;
/// How far beyond the bulk the sum goes.
const REACH: f64 = 13.0;
/// The longest sum.
const MOST_TERMS: f64 = 6_000.0;
/// Exponents beyond this are scaled down.
const HIGH: f64 = 600.0;

/// An upper bound of (α−1)·D_α = ln A(α).
pub(super) fn cumulant(q: f64, sigma: f64, alpha: f64) -> f64 {
    let s = 1.0 / sigma;
    let gaussian = 0.5 * alpha * (alpha - 1.0) * s * s;
    let by_convexity = ln_mix_exp(q, gaussian);
    if q == 1.0 {
        return gaussian;
    }
    let widest = (2.0 * STEP_EXPONENT).sqrt();
    let a = (std::f64::consts::PI * sigma).min(widest);
    let step = std::f64::consts::TAU * a / (STEP_EXPONENT + 0.5 * a * a);
    let terms = ((2.0 * REACH + alpha * s) / step).ceil() + 1.0;
    if sigma < 0.05 || terms > MOST_TERMS {
        return by_convexity;
    }
    let terms = terms as u32;
    let mut integrand = Integrand {
        q,
        s,
        alpha,
        scale: 0.0,
    };
    // (1+u)^α·φ ≤ 1 + e^{α(α−1)s²/2}: only beyond that can it overflow.
    if gaussian > HIGH {
        integrand.scale = (integrand.highest_exponent(step, terms) - HIGH).max(0.0);
    }
    let scale = integrand.scale;
    // Terms that underflow are below 1e-300 of the error of the step, which is added.
    let excess = integrand.sum(step, terms);
    let size = excess + (2.0 + 2.0 * alpha * q) * (-scale).exp();
    let upper = excess + 2.1 * (-STEP_EXPONENT).exp() * size;
    let by_sum = if scale > 0.0 {
        // A ≤ 1 + e^scale·upper.
        let top = scale + upper.ln();
        top.max(0.0) + (-top.abs()).exp().ln_1p()
    } else {
        upper.ln_1p()
    };
    // `min` passes over a NaN.
    by_convexity.min(by_sum)
}

/// f(u(x))·φ(x)·e^{−scale}.
struct Integrand {
    q: f64,
    s: f64,
    alpha: f64,
    scale: f64,
}

impl Integrand {
    /// The trapezoidal sum with its ends and rounding: at least the sum over all the line.
    fn sum(&self, step: f64, terms: u32) -> f64 {
        let (mut sum, mut error) = (0.0, 0.0);
        for k in 0..terms {
            let (value, rounding) = self.at(-REACH + step * f64::from(k));
            sum += value;
            error += rounding;
        }
        let left = self.alpha * self.q * (-0.5 * REACH * REACH - LN_SQRT_TAU - self.scale).exp();
        let right = self.power_at(-REACH + step * f64::from(terms - 1)).0;
        step * (sum * (1.0 + f64::from(terms) * f64::EPSILON) + error) + (left + right) / REACH
    }

    /// The greatest ln((1+u)^α·√τ·φ) of the sum's points.
    fn highest_exponent(&self, step: f64, terms: u32) -> f64 {
        (0..terms)
            .map(|k| {
                let x = -REACH + step * f64::from(k);
                self.alpha * self.ln_1_plus_u(x).0 - 0.5 * x * x
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// ln(1 + u), and |u|/(1+u): its sensitivity to a relative error of L.
    fn ln_1_plus_u(&self, x: f64) -> (f64, f64) {
        let y = self.s * (x - 0.5 * self.s);
        if y < 700.0 {
            let u = self.q * y.exp_m1();
            (u.ln_1p(), u.abs() / (1.0 + u))
        } else {
            // 1 − q + qL ≤ 1 + qL, which is as good as any where L > e^700.
            let top = y + self.q.ln();
            (top.max(0.0) + (-top.abs()).exp().ln_1p(), 1.0)
        }
    }

    /// (1+u)^α·φ·e^{−scale}, and its relative error in ε.
    fn power_at(&self, x: f64) -> (f64, f64) {
        let (ln_1_plus_u, pull) = self.ln_1_plus_u(x);
        let w = self.alpha * ln_1_plus_u;
        let sizes = w.abs() + 0.5 * x * x + self.scale;
        let value = (w - 0.5 * x * x - LN_SQRT_TAU - self.scale).exp();
        (
            value,
            4.0 + 2.0 * sizes + self.alpha * pull * (2.0 + 2.0 * self.size_of(x)),
        )
    }

    /// What the relative error of L(x) comes from.
    fn size_of(&self, x: f64) -> f64 {
        self.s * (x.abs() + 0.5 * self.s)
    }

    /// The integrand at x and a bound of its rounding error.
    fn at(&self, x: f64) -> (f64, f64) {
        let y = self.s * (x - 0.5 * self.s);
        if y >= 700.0 {
            // 1 + αu ≥ 0 is not subtracted: still an upper bound.
            let (value, relative) = self.power_at(x);
            return (value, relative * f64::EPSILON * value);
        }
        let u = self.q * y.exp_m1();
        let density = (-0.5 * x * x - LN_SQRT_TAU - self.scale).exp();
        let relative_u = 2.0 + 2.0 * self.size_of(x);
        if u.abs() * self.alpha < 0.05 {
            let value = binomial_rest(self.alpha, u) * density;
            let relative = 8.0 + 4.0 * relative_u + x * x + 2.0 * self.scale;
            return (value, relative * f64::EPSILON * value);
        }
        let (power, relative) = self.power_at(x);
        let line = (1.0 + self.alpha * u) * density;
        let line_size = (1.0 + self.alpha * u.abs() * relative_u) * density;
        let line_error = line_size * (4.0 + x * x + 2.0 * self.scale);
        let value = (power - line).max(0.0);
        (value, f64::EPSILON * (relative * power + line_error))
    }
}

/// (1+u)^α − 1 − αu by its series, for |u|·α < 0.05: each term is less than a tenth of the
/// one before, so that ten terms leave less than rounding.
fn binomial_rest(alpha: f64, u: f64) -> f64 {
    let mut term = 0.5 * alpha * (alpha - 1.0) * u * u;
    let mut sum = term;
    for k in 2..14 {
        let k = f64::from(k);
        term *= (alpha - k) / (k + 1.0) * u;
        sum += term;
        if term.abs() <= 1e-18 * sum {
            break;
        }
    }
    sum
}
