//! Geometric gaps, and discrete Laplace noise, which is the two-sided geometric distribution.

use dashu_int::UBig;

use super::exponential::exponential;
use super::generator::Randomness;
use super::lazy::{Lazy, WORD};
use super::parameter::{Dyadic, ParameterError};

/// A whole number k ≥ 0 with P(k) ∝ exp(−rate·k): the *geometric* distribution, of how many coins of
/// probability 1 − exp(−rate) fail before the first that does not.
///
/// Exact: for E ~ Exp(1) the integer ⌊E/rate⌋ exceeds k − 1 with probability P(E ≥ k·rate) =
/// exp(−k·rate). E is drawn exactly and lazily, and the division below is in integers. A k of 2⁶³ or
/// more, of probability below e⁻²⁰⁴⁷ for every rate supported, is returned as `i64::MAX`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Geometric {
    rate: Dyadic,
}

impl Geometric {
    /// The sampler for a `rate` between 2⁻⁵² and 2²⁰, the float taken as an exact number.
    pub fn new(rate: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            rate: Dyadic::within("rate", rate, -52, 20)?,
        })
    }

    /// The rate.
    #[cfg(test)]
    pub fn rate(&self) -> f64 {
        self.rate.real
    }

    /// One draw, looking at `STEP` bits at a time.
    pub fn sample_at<const STEP: u32, R: Randomness>(&self, rng: &mut R) -> i64 {
        let mut e = exponential::<STEP, R>(rng);
        match quotient(&e, self.rate) {
            Some(k) => k,
            None => quotient_slowly::<STEP, R>(&mut e, self.rate, rng),
        }
    }
}

/// Integer noise with P(k) ∝ exp(−rate·|k|): the *discrete Laplace* distribution of scale
/// 1/rate, also called the *two-sided geometric* distribution (Ghosh et al. 2009).
///
/// Exact: with k from `Geometric` and a fair sign, −0 being rejected, k ≠ 0 keeps weight
/// ½·exp(−rate·|k|) and 0 keeps ½: the law above (Canonne–Kamath–Steinke 2020, alg. 2, ends the same
/// way).
///
/// A |k| of 2⁶³ or more is returned as `i64::MAX` or `-i64::MAX`. The caller must clamp the noisy sum so
/// that this cannot be seen, as `mechanism` does.
#[derive(Clone, Copy, Debug)]
pub struct DiscreteLaplace {
    size: Geometric,
}

impl DiscreteLaplace {
    /// The sampler for a `rate` between 2⁻⁵² and 2²⁰, the float taken as an exact number.
    pub fn new(rate: f64) -> Result<Self, ParameterError> {
        Ok(Self {
            size: Geometric::new(rate)?,
        })
    }

    /// One draw.
    pub fn sample<R: Randomness>(&self, rng: &mut R) -> i64 {
        self.sample_at::<WORD, R>(rng)
    }

    /// [`Self::sample`] looking at `STEP` bits at a time.
    pub(super) fn sample_at<const STEP: u32, R: Randomness>(&self, rng: &mut R) -> i64 {
        loop {
            let k = self.size.sample_at::<STEP, R>(rng);
            let negative = rng.next_u64() >> 63 == 1;
            match (negative, k) {
                (true, 0) => {}
                (true, k) => return -k,
                (false, k) => return k,
            }
        }
    }
}

/// ⌊e/rate⌋ from the first bits of `e`, if they decide and 128 bits suffice.
///
/// With e in \[v, v+1)·2⁻ᵇ and rate = m·2ᵃ the quotient is in \[v·2ˢ/m, (v+1)·2ˢ/m), where
/// s = −a − b; a negative s moves to the divisor. The open upper end has the same floor as
/// the lower one when the remainder leaves room for 2ˢ − 1 more.
fn quotient(e: &Lazy, rate: Dyadic) -> Option<i64> {
    let (v, bits) = e.head()?;
    let s = -rate.exponent - bits as i32;
    let up = s.max(0) as u32;
    let down = (-s).max(0) as u32;
    if v.leading_zeros() <= up + 1 || down > 70 {
        return None;
    }
    let (numerator, divisor) = (v << up, u128::from(rate.mantissa) << down);
    let k = numerator / divisor;
    let rest = numerator - k * divisor;
    (rest + ((1 << up) - 1) < divisor).then(|| saturated(k))
}

/// The same, drawing more bits of `e` until they decide.
#[cold]
fn quotient_slowly<const STEP: u32, R: Randomness>(e: &mut Lazy, rate: Dyadic, rng: &mut R) -> i64 {
    let mantissa = UBig::from(rate.mantissa);
    loop {
        e.refine::<STEP, R>(rng);
        let s = -(rate.exponent as isize) - e.bits() as isize;
        let up = s.max(0).unsigned_abs();
        let divisor = &mantissa << (-s).max(0).unsigned_abs();
        let v = e.known();
        let low = (&v << up) / &divisor;
        let high = (((v + 1u8) << up) - 1u8) / &divisor;
        if low == high {
            return u128::try_from(low).map_or(i64::MAX, saturated);
        }
    }
}

/// `k`, or `i64::MAX` if it is greater.
fn saturated(k: u128) -> i64 {
    i64::try_from(k).unwrap_or(i64::MAX)
}
