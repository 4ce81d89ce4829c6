//! Rényi divergence of the Gaussian on a batch drawn without replacement, replace-one.
//!
//! **Theorem** (Wang–Balle–Kasiviswanathan 2019, thm 9 and its refinement, thm 27). For
//! batches that are a share q of the records and integer α ≥ 2,
//!
//! A(α) = e^{(α−1)D_α} ≤ 1 + Σ_{j=2}^α C(α,j)·q^j·ζ_j, ζ_j = sup ∫|p−p′|^j·r^{1−j}
//!
//! over triples of pairwise neighbouring outputs of the Gaussian.
//!
//! *Proof.* Let i be the record that differs, ν₁, ν′₁ the outputs given that it is in the
//! batch and ν₀ given that it is not: P = qν₁ + (1−q)ν₀, Q = qν′₁ + (1−q)ν₀. Expand
//! E_Q(1 + (P−Q)/Q)^α; the linear term vanishes and P − Q = q(ν₁−ν′₁). A batch without i
//! becomes a uniform one with i when a uniform member is replaced by i, so (ν₁, ν′₁, ν₀) is
//! an average of triples (p, p′, r) of outputs on pairwise neighbouring batches; and
//! |x|^j·y^{1−j} is jointly convex, so the average of ∫|p−p′|^j(qp′+(1−q)r)^{1−j}, hence
//! (convexity in y once more) the greatest of the two ends, bounds the term. ∎
//!
//! With L = dN(1,σ²)/dN(0,σ²), s = 1/σ, and A_j = E|L−1|^j under N(0,σ²), which by data
//! processing grows with the distance of the means, ζ_j is at most the lesser of
//!
//! 1. 2·E[L^j] = 2e^{j(j−1)s²/2}: |p−p′|^j ≤ max(p,p′)^j ≤ p^j + p′^j;
//! 2. 4A_j: where p, p′ are on the same side of r, |p−p′|^j ≤ |p−r|^j + |p′−r|^j; where r is
//!    between, r^{1−j} ≤ min(p,p′)^{1−j}; so four binary divergences bound it.
//!
//! For even j, A_j = Δ^j[e^{i(i−1)s²/2}](i=0), the j-th forward difference; for odd j
//! A_j ≤ √(A_{j−1}A_{j+1}) (Cauchy–Schwarz). That difference is taken from a table of e^… − 1
//! (constants drop out), and its rounding is bounded by ε·(128+j) times the same sum without
//! signs and added. Where s is small it would be lost in that, and a closed form takes over, for
//! any j: |e^w − 1| ≤ |w|·max(1, e^w), w = s(X − s/2), Minkowski, and a shift by js give
//!
//! A_j ≤ s^j·[(κ + s/2)^j + e^{j(j−1)s²/2}(κ + (j−½)s)^j], κ^j = E[max(0,X)^j].
//!
//! *Real orders.* ln A is a cumulant generating function, hence convex in α (Hölder), and
//! zero at α = 1: chords between integers bound it (their cor. 10). *Always*, joint convexity
//! of e^{(α−1)D_α} gives A ≤ 1 − q + q·e^{α(α−1)s²/2}; the least is returned.

use std::cell::RefCell;

use crate::privacy::special::ln_mix_exp;

/// The largest number of terms of a sum; an order that needs more is left out.
const MOST_TERMS: u32 = 1_500;
/// The highest forward difference that is tabulated: higher ones are lost in rounding.
const DIFFERENCES: usize = 41;
/// The largest exponent in that table; beyond it bound 1 is the lesser.
const DIFFERENCE_EXPONENT: f64 = 50.0;

/// The bounds of one event, which remembers the ζ_j it has computed.
pub(super) struct WithoutReplacement {
    q: f64,
    moments: Moments,
    /// ln ζ_j at j − 2.
    ln_zetas: RefCell<Vec<f64>>,
}

impl WithoutReplacement {
    /// Batches of a share q of the records, Gaussian noise of multiplier σ.
    pub(super) fn new(q: f64, sigma: f64) -> Self {
        Self {
            q,
            moments: Moments::new(1.0 / sigma),
            ln_zetas: RefCell::default(),
        }
    }

    /// An upper bound of (α−1)·D_α = ln A(α), for real α > 1.
    pub(super) fn cumulant(&self, alpha: f64) -> f64 {
        let gaussian = 0.5 * alpha * (alpha - 1.0) * self.moments.s * self.moments.s;
        if self.q == 1.0 {
            return gaussian;
        }
        let below = alpha.floor();
        let part = alpha - below;
        let mut chord = (1.0 - part) * self.at_integer(below);
        if part > 0.0 {
            chord += part * self.at_integer(below + 1.0);
        }
        ln_mix_exp(self.q, gaussian).min(chord)
    }

    /// The theorem's bound of ln A at an integer order; infinite when it is out of reach.
    ///
    /// Terms are cut where bound 1, whose ratio of successive terms is at most
    /// (α−j)/(j+1)·q·e^{αs²}, makes the rest a geometric series below rounding, which is added.
    fn at_integer(&self, alpha: f64) -> f64 {
        let (q, moments) = (self.q, &self.moments);
        // The largest weight is near j = αq; it takes e times that for them to fade.
        let fade = std::f64::consts::E * alpha * q;
        if alpha.min(fade) > f64::from(MOST_TERMS) {
            return f64::INFINITY;
        }
        let growth = q * (alpha * moments.s * moments.s).exp();
        let ln_q = q.ln();
        let mut ln_weight = alpha.ln() + ln_q; // ln(C(α,j)·q^j) at j = 1
        let (mut sum, mut size) = (0.0, ln_weight.abs());
        let mut j = 1;
        while f64::from(j) < alpha {
            j += 1;
            let order = f64::from(j);
            ln_weight += ((alpha - order + 1.0) / order).ln() + ln_q;
            let ln_term = ln_weight + self.ln_zeta(j);
            if ln_term > 600.0 || j > MOST_TERMS {
                return f64::INFINITY;
            }
            sum += ln_term.exp();
            size = f64::max(size, ln_weight.abs() + ln_term.abs());
            let ratio = (alpha - order) / (order + 1.0) * growth;
            if ratio <= 0.5 {
                let rest = 4.0 * ratio * (ln_weight + moments.ln_power(j)).exp();
                if rest <= 1e-16 * sum {
                    sum += rest;
                    break;
                }
            }
        }
        // Each step rounds ln_weight by at most 2 ε of `size`; the terms inherit the sum of it.
        let rounding = f64::EPSILON * (8.0 + 2.0 * f64::from(j)) * (1.0 + size);
        (sum * (1.0 + 2.0 * rounding)).ln_1p()
    }

    fn ln_zeta(&self, j: u32) -> f64 {
        let mut known = self.ln_zetas.borrow_mut();
        for next in known.len() as u32 + 2..=j {
            known.push(self.moments.ln_zeta(next));
        }
        known[j as usize - 2]
    }
}

/// Bounds of the ζ_j of a Gaussian of multiplier 1/s.
struct Moments {
    s: f64,
    /// Upper bounds of A_j for even j, infinite where they are not known.
    differences: [f64; DIFFERENCES],
}

impl Moments {
    fn new(s: f64) -> Self {
        let exponent = |i: usize| 0.5 * (i * i.saturating_sub(1)) as f64 * s * s;
        let mut differences = [f64::INFINITY; DIFFERENCES];
        let mut signed: [f64; DIFFERENCES] = std::array::from_fn(|i| exponent(i).exp_m1());
        let mut unsigned = signed;
        for (j, difference) in differences.iter_mut().enumerate().skip(1) {
            if exponent(j) > DIFFERENCE_EXPONENT {
                break;
            }
            for i in 0..DIFFERENCES - j {
                signed[i] = signed[i + 1] - signed[i];
                unsigned[i] += unsigned[i + 1];
            }
            if j.is_multiple_of(2) {
                let rounding = (128 + j) as f64 * f64::EPSILON * unsigned[0];
                *difference = signed[0].max(0.0) + rounding;
            }
        }
        Self { s, differences }
    }

    /// ln of the lesser of the two bounds of ζ_j, j ≥ 2.
    fn ln_zeta(&self, j: u32) -> f64 {
        let by_power = std::f64::consts::LN_2 + self.ln_power(j);
        let index = j as usize;
        let by_difference = if index + 1 >= DIFFERENCES {
            f64::INFINITY
        } else if j.is_multiple_of(2) {
            self.differences[index].ln()
        } else {
            0.5 * (self.differences[index - 1].ln() + self.differences[index + 1].ln())
        };
        let by_moment = 2.0 * std::f64::consts::LN_2 + by_difference.min(self.ln_closed_form(j));
        by_power.min(by_moment)
    }

    /// ln E[L^j].
    fn ln_power(&self, j: u32) -> f64 {
        let j = f64::from(j);
        0.5 * j * (j - 1.0) * self.s * self.s
    }

    /// The closed form for ln A_j.
    fn ln_closed_form(&self, j: u32) -> f64 {
        let order = f64::from(j);
        // E[max(0,X)^j] = 2^{j/2−1}·Γ((j+1)/2)/√π.
        let ln_moment = (0.5 * order - 1.0) * std::f64::consts::LN_2
            + libm::lgamma(0.5 * (order + 1.0))
            - 0.5 * std::f64::consts::PI.ln();
        let kappa = (ln_moment / order).exp();
        let left = order * (self.s * (kappa + 0.5 * self.s)).ln();
        let right = order * (self.s * (kappa + (order - 0.5) * self.s)).ln() + self.ln_power(j);
        right.max(left) + (-(right - left).abs()).exp().ln_1p()
    }
}
