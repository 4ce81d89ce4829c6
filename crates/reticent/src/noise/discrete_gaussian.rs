//! Discrete Gaussian noise.

use dashu_int::{IBig, UBig};

use super::bernoulli::below_exp;
use super::big::Span;
use super::generator::Randomness;
use super::interval::{Interval, exp_neg};
use super::laplace::DiscreteLaplace;
use super::lazy::{Lazy, WORD};
use super::parameter::{Dyadic, ParameterError};

/// Integer noise with P(k) ∝ exp(−k²/(2σ²)), the *discrete Gaussian*.
///
/// Its zCDP cost is that of the continuous Gaussian; its δ(ε) is not, and no GDP or PLD
/// result covers it. [`RoundedGaussian`](super::RoundedGaussian) has neither limit.
///
/// Exact, by the rejection of Canonne–Kamath–Steinke 2020, alg. 3, for any rate r: a
/// discrete Laplace draw k of rate r is kept with probability exp(−X),
/// X = (|k| − rσ²)²/(2σ²). As X = k²/(2σ²) − r|k| + r²σ²/2, what is kept has weight
/// exp(−r|k|)·exp(−X) ∝ exp(−k²/(2σ²)). Here r is the float nearest 1/σ: only the speed
/// depends on how near. X is a ratio of integers, known exactly.
#[derive(Clone, Copy, Debug)]
pub struct DiscreteGaussian {
    sigma: Dyadic,
    rate: Dyadic,
    proposal: DiscreteLaplace,
}

impl DiscreteGaussian {
    /// The sampler for a `sigma` between 2⁻¹⁰ and 2⁴⁰, the float taken as an exact number.
    pub fn new(sigma: f64) -> Result<Self, ParameterError> {
        let sigma = Dyadic::within("standard deviation", sigma, -10, 40)?;
        let rate = Dyadic::within("rate", 1.0 / sigma.real, -40, 10)?;
        Ok(Self {
            sigma,
            rate,
            proposal: DiscreteLaplace::new(rate.real)?,
        })
    }

    /// One draw.
    pub fn sample<R: Randomness>(&self, rng: &mut R) -> i64 {
        self.sample_at::<WORD, R>(rng)
    }

    /// [`Self::sample`] looking at `STEP` bits at a time.
    pub(super) fn sample_at<const STEP: u32, R: Randomness>(&self, rng: &mut R) -> i64 {
        loop {
            let k = self.proposal.sample_at::<STEP, R>(rng);
            let mut u = Lazy::uniform::<STEP, R>(rng);
            let enclosure = exp_neg::<STEP>(self.exponent(k.unsigned_abs()));
            let kept = below_exp::<STEP, R>(rng, &mut u, 1, enclosure, |_, p| {
                self.exponent_at(k.unsigned_abs(), p)
            });
            if kept {
                return k;
            }
        }
    }

    /// Float bounds of X = z²/2, z = (k − rσ²)/σ.
    ///
    /// With u = 2⁻⁵³ the product rσ² is off by a relative 2u, that is by less than 2.1u·σ
    /// (rσ ≤ 1 + u); subtracting and dividing round by u each. So z is off by less than
    /// 2.2u + 2.1u|z|, and X by less than 2.7u(1 + |z|)² in all. The bounds are 16u(1 + |z|)²
    /// away, which covers the roundings of their own.
    fn exponent(&self, k: u64) -> Interval {
        if k > 1 << 53 {
            // Not a float; the bounds decide nothing, and the integers below do.
            return Interval {
                low: 0.0,
                high: f64::INFINITY,
            };
        }
        let sigma = self.sigma.real;
        let z = (k as f64 - sigma * sigma * self.rate.real) / sigma;
        let x = z * z * 0.5;
        let slack = (1.0 + z.abs()) * (1.0 + z.abs()) * (8.0 * f64::EPSILON);
        Interval {
            low: (x - slack).max(0.0),
            high: x + slack,
        }
    }

    /// Bounds of X in units of 2^−`p`.
    ///
    /// σ = m·2ᵃ, r = n·2ᵇ and c = 2a + b < 0 give X = D²·2^(2c−2a−1)/m² with the integer
    /// D = k·2⁻ᶜ − n·m².
    fn exponent_at(&self, k: u64, p: usize) -> Span {
        let square = UBig::from(self.sigma.mantissa).sqr();
        let c = 2 * self.sigma.exponent + self.rate.exponent;
        debug_assert!(c < 0);
        let difference = (IBig::from(k) << c.unsigned_abs() as usize)
            - IBig::from(&square * UBig::from(self.rate.mantissa));
        let numerator = difference.sqr();
        let shift = (2 * c - 2 * self.sigma.exponent - 1) as isize + p as isize;
        let low = if shift >= 0 {
            (numerator << shift.unsigned_abs()) / square
        } else {
            numerator / (square << shift.unsigned_abs())
        };
        let high = &low + 1u8;
        Span { low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::tests::support::span;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_float_bounds_hold_the_exact_exponent(log in -6.9..27.0f64, z in 0.0..15.0f64) {
            let sampler = DiscreteGaussian::new(log.exp()).unwrap();
            let k = (z * log.exp()) as u64;
            let p = 250;
            let exact = sampler.exponent_at(k, p);
            let float = sampler.exponent(k);
            prop_assert!(float.low == 0.0 || span(float.low, p).low <= exact.high);
            prop_assert!(exact.low <= span(float.high, p).high);
            prop_assert!(float.high - float.low < 1e-11);
        }

        #[test]
        fn the_exact_exponent_is_that_of_the_paper(sigma in 0.1..100.0f64, k in 0u64..1000) {
            // X = (k − σ)²/(2σ²), but for the rounding of 1/σ.
            let sampler = DiscreteGaussian::new(sigma).unwrap();
            let x = (k as f64 / sigma - 1.0).powi(2) / 2.0;
            let exact = u128::try_from(sampler.exponent_at(k, 60).low).unwrap() as f64;
            prop_assert!((exact / (1u64 << 60) as f64 - x).abs() <= 1e-9 * (1.0 + x));
        }
    }
}
