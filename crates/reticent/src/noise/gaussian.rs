//! Rounded Gaussian noise.

use dashu_int::UBig;

use super::chacha::WORDS;
use super::generator::Randomness;
use super::lazy::{Lazy, WORD};
use super::normal::{HEAD_BITS, Table, at_once, normal_from, table};
use super::parameter::{Dyadic, ParameterError, power_of_two};
use super::streams::BlockStream;

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
        if let (true, negative, v) = at_once(self.table, word)
            && let Some(k) = rounded_head(v, HEAD_BITS, self.sigma)
        {
            return if negative { -k } else { k };
        }
        self.sample_from::<WORD, R>(word, rng)
    }

    /// Independent draws, as many as there are places.
    ///
    /// Each begins with a word of its own, and what more it needs comes from the single words of the
    /// stream: words that are used once, so each is a draw like [`Self::sample`]'s. Those for which
    /// one word suffices, nine in ten unless σ is above 2⁴⁵, come first, several at a time ([`Together`]).
    pub(crate) fn fill(&self, stream: &mut BlockStream, draws: &mut [i64]) {
        let mut words = [0; WORDS];
        let mut drawn = [0; WORDS];
        let mut done = [false; WORDS];
        for draws in draws.chunks_mut(WORDS) {
            stream.next_words(&mut words);
            pulp::Arch::new().dispatch(Together {
                sampler: self,
                words: &words,
                drawn: &mut drawn,
                done: &mut done,
            });
            draws.copy_from_slice(&drawn[..draws.len()]);
            for ((draw, done), &word) in draws.iter_mut().zip(done).zip(&words) {
                if !done {
                    *draw = self.sample_from::<WORD, _>(word, stream);
                }
            }
        }
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

/// The draws that one word decides, in floats, which `pulp` compiles for several kinds of registers.
///
/// |Z| is in \[v, v+1)·2⁻ᵇ ([`at_once`]), so σ|Z| is in \[c·v, c·v + c) with c = σ·2⁻ᵇ, a float without
/// rounding. The float p that is computed for c·v is rounded twice, by a relative 2⁻⁵³ each (v itself
/// and the product): off by less than p·2⁻⁵¹. n is a whole number near p, and p − n is exact where
/// p < 2⁵¹. If |p − n| + p·2⁻⁵⁰ + 2c < ½ in floats, whose roundings here are below p·2⁻⁵² + c, then
/// all of the interval is nearer to n than ½: round(σ|Z|) = n, whatever the undrawn bits are. That is
/// what [`rounded_head`] says whenever it decides, so the value is the same either way (for σ below
/// 2⁻¹⁹, where the definition always draws more, fewer words are used); what is not
/// decided here is left to the definition. (For p ≥ 2⁵⁰ nothing is decided here.)
struct Together<'a> {
    sampler: &'a RoundedGaussian,
    words: &'a [u64; WORDS],
    drawn: &'a mut [i64; WORDS],
    done: &'a mut [bool; WORDS],
}

impl pulp::NullaryFnOnce for Together<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        // The sum with it has no bits after the point, and its last bits are a whole number.
        const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
        let unit = self.sampler.sigma.real * power_of_two(-(HEAD_BITS as i32));
        for ((drawn, done), &word) in self.drawn.iter_mut().zip(self.done).zip(self.words) {
            let (is_inside, negative, v) = at_once(self.sampler.table, word);
            let p = v as f64 * unit;
            let n = (p + SHIFT) - SHIFT;
            let is_near = (p - n).abs() + (p * power_of_two(-50) + 2.0 * unit) < 0.5;
            let signed = if negative { -n } else { n };
            *drawn = (signed + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i64;
            *done = is_inside & is_near;
        }
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
    use crate::noise::{SeededGenerator, Streams};

    /// Draws that are made together are those of the definition from the same words: each from a
    /// word of its own, and the ones that need more, in their order, from the single words.
    #[test]
    fn draws_made_together_are_those_of_the_definition() {
        struct Words<'a>(Option<u64>, &'a mut BlockStream);
        impl crate::noise::generator::sealed::Sealed for Words<'_> {}
        impl Randomness for Words<'_> {
            fn secure(&self) -> bool {
                false
            }
            fn next_u64(&mut self) -> u64 {
                self.0.take().unwrap_or_else(|| self.1.next_u64())
            }
            fn refresh(&mut self) -> Result<(), crate::noise::NoEntropy> {
                Ok(())
            }
        }
        for (sigma, count) in [
            (0.01, 1000),
            (0.7, 1),
            (1e6, 2049),
            (3e12, 4096),
            (1e16, 640),
        ] {
            let sampler = RoundedGaussian::new(sigma).unwrap();
            let streams = [8, 8].map(|seed| {
                let mut generator = SeededGenerator::not_private(seed);
                Streams::new(&mut generator).blocks()(3)
            });
            let [mut together, mut plain] = streams;
            let mut found = vec![0; count];
            sampler.fill(&mut together, &mut found);
            for found in found.chunks(WORDS) {
                let mut words = [0; WORDS];
                plain.next_words(&mut words);
                // In the order of places: those that one word decides draw no other.
                for (found, word) in found.iter().zip(words) {
                    let mut words = Words(Some(word), &mut plain);
                    assert_eq!(*found, sampler.sample_at::<WORD, _>(&mut words));
                }
            }
            assert_eq!(together.next_u64(), plain.next_u64());
        }
    }

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
