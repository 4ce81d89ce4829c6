//! Real numbers whose bits are drawn on demand.

use dashu_int::UBig;

use super::big::Span;
use super::generator::Randomness;
use super::interval::{DOWN, Interval, UP};
use super::parameter::power_of_two;

/// A random real known to lie in \[v, v+1)·2⁻ᵇ, uniform there: the bits not yet drawn are
/// independent and fair.
///
/// A decision that depends only on the drawn bits says nothing about the others, so this stays true
/// after a sampler has accepted or rejected.
///
/// The samplers carry a constant `STEP`: the number of bits a uniform starts with and grows
/// by. It is 64 in use. Tests set it to 2 or 3, so that hardly anything is decided at once.
#[derive(Clone, Debug)]
pub(super) struct Lazy {
    /// The digits known at first; the rest is in `tail`.
    head: u128,
    head_bits: u32,
    tail: UBig,
    tail_bits: usize,
}

/// `STEP` in use.
pub(super) const WORD: u32 = 64;

impl Lazy {
    /// The real in \[`head`, `head`+1)·2^−`bits`, further bits undrawn.
    pub fn new(head: u128, bits: u32) -> Self {
        Self {
            head,
            head_bits: bits,
            tail: UBig::ZERO,
            tail_bits: 0,
        }
    }

    /// A uniform real in \[0, 1).
    pub fn uniform<const STEP: u32, R: Randomness>(rng: &mut R) -> Self {
        Self::new(u128::from(bits::<STEP, R>(rng)), STEP)
    }

    /// The same real plus `whole`.
    pub fn plus(mut self, whole: u64) -> Self {
        self.head += u128::from(whole) << self.head_bits;
        self
    }

    /// Draws `STEP` more bits.
    pub fn refine<const STEP: u32, R: Randomness>(&mut self, rng: &mut R) {
        self.tail = (std::mem::take(&mut self.tail) << STEP as usize) + bits::<STEP, R>(rng);
        self.tail_bits += STEP as usize;
    }

    /// b: how many bits after the point are known.
    pub fn bits(&self) -> usize {
        self.head_bits as usize + self.tail_bits
    }

    /// v.
    pub fn known(&self) -> UBig {
        (UBig::from(self.head) << self.tail_bits) + &self.tail
    }

    /// v and b, while no refinement was needed.
    pub fn head(&self) -> Option<(u128, u32)> {
        (self.tail_bits == 0).then_some((self.head, self.head_bits))
    }

    /// The number of whole units of 2^−`p` in it; draws as many bits as that takes.
    pub fn floor_at<const STEP: u32, R: Randomness>(&mut self, rng: &mut R, p: usize) -> UBig {
        while self.bits() < p {
            self.refine::<STEP, R>(rng);
        }
        self.known() >> (self.bits() - p)
    }

    /// Bounds in units of 2^−`p`, one unit apart.
    pub fn at<const STEP: u32, R: Randomness>(&mut self, rng: &mut R, p: usize) -> Span {
        let low = self.floor_at::<STEP, R>(rng, p);
        let high = &low + 1u8;
        Span { low, high }
    }

    /// Float bounds from the bits known at first.
    ///
    /// Conversion and product are at most four roundings, which `UP` and `DOWN` outweigh.
    pub fn interval(&self) -> Interval {
        let unit = power_of_two(-(self.head_bits as i32));
        Interval {
            low: real(self.head) * unit * DOWN,
            high: real(self.head + 1) * unit * UP,
        }
    }
}

/// About the nearest float, three roundings away at most: two conversions of 64 bits are faster than
/// one of 128.
fn real(v: u128) -> f64 {
    const HALF: f64 = (1u128 << 64) as f64;
    (v >> 64) as u64 as f64 * HALF + v as u64 as f64
}

/// `STEP` fair bits.
pub(super) fn bits<const STEP: u32, R: Randomness>(rng: &mut R) -> u64 {
    const { assert!(1 <= STEP && STEP <= WORD) };
    rng.next_u64() >> (WORD - STEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::SeededGenerator;

    #[test]
    fn refining_never_contradicts_what_was_known() {
        let mut rng = SeededGenerator::not_private(1);
        let mut x = Lazy::uniform::<5, _>(&mut rng).plus(3);
        let mut before = x.known();
        for _ in 0..50 {
            x.refine::<5, _>(&mut rng);
            assert_eq!(x.known() >> 5, before);
            before = x.known();
        }
        assert_eq!(x.bits(), 255);
        assert_eq!(x.known() >> 255usize, UBig::from(3u8));
        let span = x.at::<5, _>(&mut rng, 300);
        assert_eq!(span.low >> 45usize, before);
    }

    #[test]
    fn float_bounds_hold_the_number() {
        let x = Lazy::new(u128::MAX >> 60, 64);
        let i = x.interval();
        assert!(i.low < 16.0 && 16.0 <= i.high && i.high - i.low < 1e-13);
    }
}
