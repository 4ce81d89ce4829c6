//! An enclosure of exp(−x) to any precision, for the rare case in which floats cannot decide.

use dashu_int::UBig;
use dashu_int::ops::BitTest;

/// Two integers with a real number between them, in units of 2⁻ᵖ for a p that the caller knows.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub low: UBig,
    pub high: UBig,
}

/// Encloses exp(−x), in units of 2^−`p`, for every x in `x` (same units).
///
/// exp decreases, so the ends change places. If `x` is a few units wide, so is the result:
/// refining `x` and `p` together closes in on the value.
pub(super) fn exp_neg(x: &Span, p: usize) -> Span {
    Span {
        low: exp_neg_point(&x.high, p).low,
        high: exp_neg_point(&x.low, p).high,
    }
}

/// Encloses exp(−x) for one x = `x`·2^−`p`.
///
/// With y = x/2ˢ ≤ ½ it is exp(−y) squared s times. In units of 2⁻ʷ, w > p + s:
///
/// - the terms tₙ = ⌊tₙ₋₁·y/n⌋ fall short of yⁿ/n! by eₙ ≤ eₙ₋₁/2 + 1 < 2, and t₀ is exact;
/// - the series is stopped at the first tₙ = 0, where yⁿ/n! < 2; it alternates and decreases,
///   so what is left out is below 2. The sum of n terms is thus off by less than 2(n+1);
/// - tₙ < 2^(w−n), so n ≤ w, and w ≥ 16 makes the sum exceed its error: exp(−y) > 0.6 and
///   0.6·2ʷ > 4(w+2);
/// - squares are rounded outwards.
fn exp_neg_point(x: &UBig, p: usize) -> Span {
    if x >> p >= UBig::from(p) {
        // exp(−x) ≤ exp(−p) < 2⁻ᵖ: less than one unit.
        return Span {
            low: UBig::ZERO,
            high: UBig::ONE,
        };
    }
    let s = (x.bit_len() + 1).saturating_sub(p);
    let w = p + s + (p + s).bit_len() + 16;
    let y = x << (w - p - s);

    let mut sums = [UBig::ZERO, UBig::ZERO];
    let mut term = UBig::ONE << w;
    let mut n = 0usize;
    while !term.is_zero() {
        sums[n % 2] += &term;
        n += 1;
        term = ((term * &y) >> w) / n;
    }
    let [even, odd] = sums;
    let error = UBig::from(2 * (n + 1));
    let middle = even - odd;
    let mut low = &middle - &error;
    let mut high = middle + error;
    for _ in 0..s {
        low = low.sqr() >> w;
        high = (high.sqr() >> w) + 1u8;
    }
    Span {
        low: low >> (w - p),
        high: (high >> (w - p)) + 1u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(x: UBig) -> Span {
        Span {
            low: x.clone(),
            high: x,
        }
    }

    #[test]
    fn one_over_e_has_its_known_digits() {
        // e⁻¹ = 0.36787944117144232159552377016146086744581113103176783450783680…
        let digits = UBig::from_str_radix(
            "36787944117144232159552377016146086744581113103176783450783680",
            10,
        )
        .unwrap();
        let p = 190;
        let e = exp_neg(&exact(UBig::ONE << p), p);
        let unit = UBig::from(10u8).pow(62);
        assert!(&e.low * &unit <= (&digits + 1u8) << p);
        assert!(&e.high * &unit >= digits << p);
        assert!(&e.high - &e.low <= UBig::from(4u8));
    }

    #[test]
    fn zero_tiny_precision_and_far_out_are_enclosed() {
        for p in 1..40 {
            let e = exp_neg(&exact(UBig::ZERO), p);
            assert!(e.low <= UBig::ONE << p && UBig::ONE << p <= e.high);
            let far = exp_neg(&exact(UBig::from(1000u32) << p), p);
            assert!(far.low == UBig::ZERO && far.high == UBig::ONE);
        }
    }

    proptest! {
        #[test]
        fn more_precision_stays_inside(x in 0u64..1 << 30, p in 20usize..200) {
            // x·2⁻²⁰ at precision p and at twice that.
            let coarse = exp_neg(&exact(UBig::from(x) << (p - 20)), p);
            let fine = exp_neg(&exact(UBig::from(x) << (2 * p - 20)), 2 * p);
            prop_assert!(&coarse.low << p <= fine.low);
            prop_assert!(fine.high <= &coarse.high << p);
            prop_assert!(&coarse.high - &coarse.low <= UBig::from(4u8));
        }

        #[test]
        fn sums_become_products(x in 0u64..1 << 24, y in 0u64..1 << 24) {
            // exp(−x)·exp(−y) and exp(−x−y) must overlap.
            let p = 150;
            let at = |v: u64| exp_neg(&exact(UBig::from(v) << (p - 20)), p);
            let (a, b, ab) = (at(x), at(y), at(x + y));
            prop_assert!((a.low * b.low) >> p <= ab.high);
            prop_assert!(((a.high * b.high) >> p) + 1u8 >= ab.low);
        }
    }
}
