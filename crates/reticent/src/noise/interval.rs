//! A certified enclosure of exp(−x) in floats.
//!
//! Rust's `exp` has no promised accuracy, so it must not decide a sample. The four
//! operations are correctly rounded (IEEE 754): relative error at most u = 2⁻⁵³ each, away
//! from underflow, as long as the processor's rounding mode is to nearest. The enclosure uses
//! nothing else, and what follows proves it.
//!
//! For 0 ≤ x < 128 let k = ⌊1.4427x + ½⌋ and r = x − k·ln 2; k ≤ 185.
//!
//! 1. *Reduction.* `LN_2` is within 2⁻⁵⁴ of ln 2; k·`LN_2` < 129 is rounded by at most 2⁻⁴⁶;
//!    the difference (below 1) by at most 2⁻⁵⁴. So the computed r̂ is within
//!    186·2⁻⁵⁴ + 2⁻⁴⁶ = 442·2⁻⁵⁴ of r. As k is within ½ + 2⁻⁴⁰ of x/ln 2, |r̂| < 0.35.
//! 2. *Series.* exp(−r̂) to degree 13 leaves out less than 0.35¹⁴/14!·e^0.35 < 2⁻⁵⁶.
//! 3. *Horner.* Every partial value is below e^0.35 < 1.5 in magnitude. A step q ← c + t·q
//!    turns an error η into at most 0.35η + (0.6 + 1.5 + 1)u(1+u) (product, sum,
//!    coefficient), so it stays below 5u < 2⁻⁵⁰.
//! 4. *Together.* exp(−r̂) > 0.7, so the relative error of the computed value against exp(−r)
//!    is below 443·2⁻⁵⁴ + (2⁻⁵⁰ + 2⁻⁵⁶)/0.7 < 467·2⁻⁵⁴ < 2⁻⁴⁵. The factor 2⁻ᵏ is exact.
//!
//! The bounds returned are 2⁻⁴⁴ away, relatively: twice the proven error, which leaves room
//! for the roundings of the last products.

use super::parameter::power_of_two;

// The proof needs operations that round to double precision at once; the x87 unit does not.
#[cfg(all(target_arch = "x86", not(target_feature = "sse2")))]
compile_error!("the samplers' error bounds need IEEE 754 arithmetic: build for a target with SSE2");

/// Two floats with a real number between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Encloses exp(−x) for every x with 0 ≤ `x.low` ≤ x ≤ `x.high`.
///
/// `STEP` below 44 widens the bounds to a relative 2^−`STEP`: tests use it to send the
/// samplers down their slow paths.
pub(super) fn exp_neg<const STEP: u32>(x: Interval) -> Interval {
    debug_assert!(0.0 <= x.low && x.low <= x.high);
    if x.low >= RANGE {
        // exp(−128) < 2⁻¹⁸⁴.
        return Interval {
            low: 0.0,
            high: power_of_two(-184),
        };
    }
    let slack = power_of_two(-(STEP.min(44) as i32));
    let value = approximate(x.low);
    // exp(−x.high) ≥ exp(−x.low)·(1 − w) for w ≥ x.high − x.low, by convexity. The width is
    // rounded up by a factor 1 + 2⁻⁵⁰, which its own two roundings cannot undo.
    let width = (x.high - x.low) * (1.0 + power_of_two(-50));
    Interval {
        low: value * (1.0 - slack - width).max(0.0),
        high: value * (1.0 + slack),
    }
}

/// A relative margin of 2⁻⁵⁰ = 8u, which outweighs six roundings of u each.
pub(super) const DOWN: f64 = 1.0 - MARGIN;
/// See [`DOWN`].
pub(super) const UP: f64 = 1.0 + MARGIN;

const MARGIN: f64 = 4.0 * f64::EPSILON;

/// Where the enclosure stops being fine: exp(−128) < 2⁻¹⁸⁴.
const RANGE: f64 = 128.0;

/// exp(−x) with relative error below 2⁻⁴⁵ for 0 ≤ x < 128.
fn approximate(x: f64) -> f64 {
    let k = (x * std::f64::consts::LOG2_E + 0.5) as i32;
    let t = f64::from(k) * std::f64::consts::LN_2 - x;
    let series = COEFFICIENTS.iter().fold(0.0, |q, c| c + t * q);
    series * power_of_two(-k)
}

/// 1/n! for n = 13 down to 0. Each factorial is a float exactly, so each is rounded once.
const COEFFICIENTS: [f64; 14] = [
    1.0 / 6227020800.0,
    1.0 / 479001600.0,
    1.0 / 39916800.0,
    1.0 / 3628800.0,
    1.0 / 362880.0,
    1.0 / 40320.0,
    1.0 / 5040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::big::{self, Span};
    use crate::noise::tests::support::span;
    use proptest::prelude::*;

    /// Whether the big enclosure of exp(−[low, high]) lies inside the float one.
    fn encloses(low: f64, high: f64) -> bool {
        let p = 320;
        let x = Interval { low, high };
        let outer = exp_neg::<64>(x);
        let truth = big::exp_neg(
            &Span {
                low: span(low, p).low,
                high: span(high, p).high,
            },
            p,
        );
        (outer.low == 0.0 || span(outer.low, p).high <= truth.low)
            && truth.high <= span(outer.high, p).low
    }

    #[test]
    fn the_bounds_are_a_relative_2_to_minus_43_apart() {
        for x in [0.0, 1e-300, 0.5, 1.0, 44.0, 127.9] {
            let e = exp_neg::<64>(Interval { low: x, high: x });
            assert!(e.high / e.low < 1.0 + 2.1 * power_of_two(-44));
        }
        let far = exp_neg::<64>(Interval {
            low: 500.0,
            high: f64::INFINITY,
        });
        assert_eq!(
            far,
            Interval {
                low: 0.0,
                high: power_of_two(-184)
            }
        );
        assert!(DOWN == 1.0 - power_of_two(-50) && UP == 1.0 + power_of_two(-50));
    }

    proptest! {
        #[test]
        fn the_float_enclosure_contains_the_big_one(x in 1e-6..140.0f64) {
            prop_assert!(encloses(x, x));
        }

        #[test]
        fn so_it_does_for_intervals(x in 1e-6..130.0f64, w in 0.0..2.0f64) {
            prop_assert!(encloses(x, x + w));
        }

        #[test]
        fn so_it_does_near_zero(e in -900..-20i32) {
            prop_assert!(encloses(power_of_two(e), power_of_two(e)));
        }
    }
}
