//! Rounded Gaussian noise.

use dashu_int::UBig;

use super::generator::Randomness;
use super::lazy::{Lazy, WORD};
use super::normal::{Table, at_once, normal_from, table};
use super::parameter::{Dyadic, ParameterError};

/// Integer noise round(σZ), Z ~ N(0, 1).
///
/// Added to an integer it is the continuous Gaussian mechanism followed by rounding, as
/// round(k + σZ) = k + round(σZ): post-processing, so every result on the continuous
/// Gaussian holds.
///
/// Exact: Z is drawn by `normal` with as many bits as its rounding needs, and rounded in
/// integers. Ties have probability zero.
///
/// A magnitude of 2⁶³ or more is returned as `i64::MAX` or `-i64::MAX`. It takes |Z| > 127
/// for the greatest σ supported, but it can happen. The caller must clamp the noisy sum so that
/// this cannot be seen, as `mechanism` does.
#[derive(Clone, Copy, Debug)]
pub struct RoundedGaussian {
    sigma: Dyadic,
    table: &'static Table,
}

impl RoundedGaussian {
    /// The sampler for a `sigma` between 2⁻²⁰ and 2⁵⁶, the float taken as an exact number.
    ///
    /// A draw costs about the same up to 2⁴⁸; beyond, the 55 bits first drawn often leave
    /// the rounding open, and more are drawn.
    pub fn new(sigma: f64) -> Result<Self, ParameterError> {
        let sigma = Dyadic::within("standard deviation", sigma, -20, 56)?;
        Ok(Self {
            sigma,
            table: table(),
        })
    }

    /// One draw.
    #[inline]
    pub fn sample<R: Randomness>(&self, rng: &mut R) -> i64 {
        let word = rng.next_u64();
        if let Some((negative, v, bits)) = at_once(self.table, word)
            && let Some(k) = rounded_head(v, bits, self.sigma)
        {
            return if negative { -k } else { k };
        }
        self.sample_from::<WORD, R>(word, rng)
    }

    /// [`Self::sample`] without the short cut, looking at `STEP` bits at a time.
    #[cfg(test)]
    pub(super) fn sample_at<const STEP: u32, R: Randomness>(&self, rng: &mut R) -> i64 {
        let word = rng.next_u64();
        self.sample_from::<STEP, R>(word, rng)
    }

    /// The draw that begins with this word, by the definition.
    #[inline(never)]
    fn sample_from<const STEP: u32, R: Randomness>(&self, word: u64, rng: &mut R) -> i64 {
        let mut z = normal_from::<STEP, R>(self.table, word, rng);
        let k = match rounded(&z.magnitude, self.sigma) {
            Some(k) => k,
            None => rounded_slowly::<STEP, R>(&mut z.magnitude, self.sigma, rng),
        };
        if z.negative { -k } else { k }
    }
}

/// ⌊σx + ½⌋ from the first bits of `x`, if they decide.
///
/// With x in \[v, v+1)·2⁻ᵇ and σ = m·2ᵉ, σx + ½ is in \[m·v + h, m·v + m + h)·2⁻ᵗ where
/// t = b − e and h = 2^(t−1). The open upper end has the floor of the integer before it.
fn rounded(x: &Lazy, sigma: Dyadic) -> Option<i64> {
    let (v, bits) = x.head()?;
    rounded_head(u64::try_from(v).ok()?, bits, sigma)
}

/// The same from v and b.
#[inline]
fn rounded_head(v: u64, bits: u32, sigma: Dyadic) -> Option<i64> {
    let t = bits as i32 - sigma.exponent;
    if !(1..=126).contains(&t) {
        return None;
    }
    // 53 bits by 64 bits, then a half of at most 2¹²⁵: no overflow.
    let low = u128::from(sigma.mantissa) * u128::from(v) + (1 << (t - 1));
    let high = low + u128::from(sigma.mantissa - 1);
    let k = low >> t;
    (k == high >> t).then(|| i64::try_from(k).unwrap_or(i64::MAX))
}

/// The same, drawing more bits of `x` until they decide.
#[cold]
fn rounded_slowly<const STEP: u32, R: Randomness>(x: &mut Lazy, sigma: Dyadic, rng: &mut R) -> i64 {
    let mantissa = UBig::from(sigma.mantissa);
    loop {
        x.refine::<STEP, R>(rng);
        let t = x.bits() as isize - sigma.exponent as isize;
        if t < 1 {
            continue;
        }
        let t = t.unsigned_abs();
        let low = &mantissa * x.known() + (UBig::ONE << (t - 1));
        let high = &low + &mantissa - 1u8;
        let k = low >> t;
        if k == high >> t {
            return i64::try_from(k).unwrap_or(i64::MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::SeededGenerator;

    /// The short cut and the definition: the same draws from the same words, and as many words.
    #[test]
    fn the_short_cut_draws_what_the_definition_draws() {
        for sigma in [0.01, 0.7, 12.3, 1e6, 3e12, 1e16] {
            let sampler = RoundedGaussian::new(sigma).unwrap();
            let mut rngs = [7, 7].map(SeededGenerator::not_private);
            let [fast, plain] = &mut rngs;
            for _ in 0..20_000 {
                assert_eq!(sampler.sample(fast), sampler.sample_at::<WORD, _>(plain));
            }
            assert_eq!(fast.next_u64(), plain.next_u64());
        }
    }
}
