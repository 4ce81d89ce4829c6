//! Coins of probability exp(−x), and uniform integers.
//!
//! Everything here rests on one decision, [`below_exp`]: is a random real W, drawn bit by
//! bit, below c·exp(−X)? A float enclosure answers all but about one in 2⁴⁰ questions; then
//! bits of W (and of X, if it is random) are drawn and exp is computed to match until the two are
//! separated. They are with probability 1, and the answer given is always the right one, so what is
//! sampled has *exactly* the distribution of the comparison of two reals.

use dashu_int::UBig;

use super::big::{self, Span};
use super::generator::Randomness;
use super::interval::{DOWN, Interval, UP, exp_neg};
use super::lazy::{Lazy, WORD};
use super::parameter::{Dyadic, ParameterError, dyadic_span, power_of_two};

/// A coin that is `true` with probability exp(−x), exactly.
///
/// A uniform U on \[0, 1) is below exp(−x) with that probability, and `below_exp` compares
/// the two without error (von Neumann 1951 and Canonne–Kamath–Steinke 2020, alg. 1, reach
/// the same law by series of coins; one comparison needs fewer random bits).
#[derive(Clone, Copy, Debug)]
pub struct BernoulliExp {
    /// `None` is x = 0.
    x: Option<Dyadic>,
}

impl BernoulliExp {
    /// The coin for `x` = 0 or 2⁻¹⁰⁰⁰ ≤ `x` ≤ 2¹⁰⁰⁰, the float taken as an exact number.
    pub fn new(x: f64) -> Result<Self, ParameterError> {
        let x = if x == 0.0 {
            None
        } else {
            Some(Dyadic::within("exponent", x, -1000, 1000)?)
        };
        Ok(Self { x })
    }

    /// Tosses the coin.
    pub fn sample<R: Randomness>(&self, rng: &mut R) -> bool {
        self.sample_at::<WORD, R>(rng)
    }

    /// [`Self::sample`] looking at `STEP` bits at a time.
    pub(super) fn sample_at<const STEP: u32, R: Randomness>(&self, rng: &mut R) -> bool {
        let Some(x) = self.x else { return true };
        let enclosure = exp_neg::<STEP>(Interval {
            low: x.real,
            high: x.real,
        });
        let mut u = Lazy::uniform::<STEP, R>(rng);
        let mantissa = UBig::from(x.mantissa);
        below_exp::<STEP, R>(rng, &mut u, 1, enclosure, |_, p| {
            dyadic_span(&mantissa, x.exponent, p)
        })
    }
}

/// A uniform integer in \[0, `n`), or 0 for `n` = 0.
///
/// Lemire 2019, alg. 5: of the 2⁶⁴ words w those with (w·n mod 2⁶⁴) < (2⁶⁴ mod n) are
/// rejected, which leaves ⌊2⁶⁴/n⌋ words for each value of ⌊w·n/2⁶⁴⌋.
pub fn uniform_below<R: Randomness>(n: u64, rng: &mut R) -> u64 {
    loop {
        let product = u128::from(rng.next_u64()) * u128::from(n);
        let low = product as u64;
        // The remainder is below n, so it is only computed when it may matter.
        if low >= n || n == 0 || low >= n.wrapping_neg() % n {
            return (product >> 64) as u64;
        }
    }
}

/// A uniform integer in \[0, `n`) for `n` ≥ 1.
///
/// The least number of bits that can hold n − 1 is drawn until the result is below n; each
/// value is as likely as any other.
pub(super) fn uniform_below_wide<R: Randomness>(n: u128, rng: &mut R) -> u128 {
    debug_assert!(n >= 1);
    let spare = (n - 1).leading_zeros();
    loop {
        let high = if spare < 64 {
            u128::from(rng.next_u64()) << 64
        } else {
            0
        };
        let value = (high | u128::from(rng.next_u64())) & u128::MAX.checked_shr(spare).unwrap_or(0);
        if value < n {
            return value;
        }
    }
}

/// Whether `w` < `factor`·exp(−X).
///
/// `enclosure` holds exp(−X) given the bits of X drawn so far; `exponent` bounds X in units
/// of 2⁻ᵖ, a few units apart, drawing bits of X if it must. The answer is right for the
/// reals `w` and X whatever bits they are given later.
///
/// It ends with probability 1: after b bits of `w` both bounds are within O(2⁻ᵇ) of the
/// limit, and a further bit of `w` leaves the gap between them with a positive probability.
pub(super) fn below_exp<const STEP: u32, R: Randomness>(
    rng: &mut R,
    w: &mut Lazy,
    factor: u64,
    enclosure: Interval,
    exponent: impl FnMut(&mut R, usize) -> Span,
) -> bool {
    match below_enclosure(w, factor, enclosure) {
        Some(answer) => answer,
        None => below_exp_slowly::<STEP, R>(rng, w, factor, exponent),
    }
}

/// Compares w in \[v, v+1)·2⁻ᵇ with `factor` times `enclosure`, if these bits decide.
fn below_enclosure(w: &Lazy, factor: u64, enclosure: Interval) -> Option<bool> {
    let (v, bits) = w.head()?;
    if bits > 1000 {
        return None;
    }
    // The limits in units of 2⁻ᵇ: two roundings each (the power of two is exact), which DOWN
    // and UP outweigh. The casts round down and saturate.
    let unit = factor as f64 * power_of_two(bits as i32);
    let low = (enclosure.low * unit * DOWN) as u128;
    let high = (enclosure.high * unit * UP) as u128;
    if v < low {
        Some(true) // w < v + 1 ≤ low
    } else if v > high {
        Some(false) // w ≥ v ≥ ⌊high⌋ + 1 > high; a saturated limit exceeds every v
    } else {
        None
    }
}

#[cold]
fn below_exp_slowly<const STEP: u32, R: Randomness>(
    rng: &mut R,
    w: &mut Lazy,
    factor: u64,
    mut exponent: impl FnMut(&mut R, usize) -> Span,
) -> bool {
    loop {
        w.refine::<STEP, R>(rng);
        let p = w.bits();
        let limit = big::exp_neg(&exponent(rng, p), p);
        let v = w.known();
        if v < limit.low * factor {
            return true; // w < v + 1 ≤ the limit
        }
        if v >= limit.high * factor {
            return false;
        }
    }
}
