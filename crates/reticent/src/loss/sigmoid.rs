//! Slopes of many records at once, the same bits on every machine.
//!
//! `exp` of the standard library may differ from one platform to the next, and cannot be
//! vectorised. Here only +, −, ×, ÷ of IEEE 754 are used, without branches, so that the compiler
//! may process several records at a time and no result depends on how many.

use super::Loss;

impl Loss {
    /// Replaces each margin by the [`slope`](Self::slope) there.
    ///
    /// No slope exceeds [`slope_bound`](Self::slope_bound) for a target in [0, 1] (logistic) or
    /// any (squared); at a NaN margin it is 0.
    #[inline(always)]
    pub(crate) fn slopes(&self, margins: &mut [f64], targets: &[f64]) {
        match *self {
            Self::Logistic => replace(margins, targets, |m, y| sigmoid(m) - y),
            Self::Squared { threshold } => {
                replace(margins, targets, |m, y| {
                    (m - y).max(-threshold).min(threshold)
                });
            }
        }
    }
}

#[inline(always)]
fn replace(margins: &mut [f64], targets: &[f64], slope: impl Fn(f64, f64) -> f64) {
    for (margin, &target) in margins.iter_mut().zip(targets) {
        let m = *margin;
        // Computed before it is chosen: no branch.
        let slope = slope(m, target);
        *margin = if m.is_nan() { 0.0 } else { slope };
    }
}

/// 1/(1 + exp(−m)), in [0, 1], with a relative error below 1e-10 down to m = −700; smaller
/// margins count as −700. Not for NaN.
#[inline(always)]
fn sigmoid(m: f64) -> f64 {
    let size = m.abs();
    let small = exp_neg(if size < 700.0 { size } else { 700.0 });
    // Division is rounded correctly and both numerators are at most 1 + small.
    let numerator = if m < 0.0 { small } else { 1.0 };
    numerator / (1.0 + small)
}

/// exp(−t) for 0 ≤ t ≤ 700, with a relative error below 1e-10.
///
/// t = n·ln 2 + r with a whole n and |r| ≤ ½·ln 2 (and a rounding); exp(−r) is summed to the
/// ninth power, which leaves less than 0.35¹⁰/10! < 8e-12, and 2⁻ⁿ is put together from bits.
#[inline(always)]
pub(super) fn exp_neg(t: f64) -> f64 {
    // Adding it leaves the nearest whole number in the low bits.
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    // ln 2 in two parts, the first short enough that n times it is exact.
    const HIGH: f64 = 0.693_145_751_953_125; // 45426·2⁻¹⁶
    const LOW: f64 = std::f64::consts::LN_2 - HIGH;
    let shifted = t * std::f64::consts::LOG2_E + SHIFT;
    let n = shifted - SHIFT;
    let r = (n * HIGH - t) + n * LOW;
    // Estrin's scheme: products that do not wait for each other.
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = (1.0 + r) + r2 * (1.0 / 2.0 + r * (1.0 / 6.0));
    let middle = (1.0 / 24.0 + r * (1.0 / 120.0)) + r2 * (1.0 / 720.0 + r * (1.0 / 5_040.0));
    let high = 1.0 / 40_320.0 + r * (1.0 / 362_880.0);
    let series = low + r4 * (middle + r4 * high);
    // n ≤ 1010, so that the exponent stays that of a normal number.
    let power = f64::from_bits((1023u64 << 52).wrapping_sub(shifted.to_bits() << 52));
    series * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pairs;
    use proptest::prelude::*;

    fn slope(loss: Loss, margin: f64, target: f64) -> f64 {
        let mut margins = [margin];
        loss.slopes(&mut margins, &[target]);
        margins[0]
    }

    #[test]
    fn the_sigmoid_saturates_and_a_margin_that_is_no_number_has_slope_zero() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(-0.0), 0.5);
        for far in [40.0, 700.0, 1e10, f64::MAX, f64::INFINITY] {
            assert_eq!(sigmoid(far), 1.0);
            assert!((0.0..1e-17).contains(&sigmoid(-far)));
        }
        for loss in [Loss::Logistic, Loss::Squared { threshold: 0.5 }] {
            assert_eq!(slope(loss, f64::NAN, 1.0), 0.0);
        }
        let huber = Loss::Squared { threshold: 0.5 };
        assert_eq!(slope(huber, f64::INFINITY, 1.0), 0.5);
        assert_eq!(slope(huber, 0.75, 1.0), -0.25);
    }

    proptest! {
        #[test]
        fn the_sigmoid_is_that_of_libm(m in -690.0..690.0f64) {
            let exact = 1.0 / (1.0 + libm::exp(-m));
            prop_assert!((sigmoid(m) / exact - 1.0).abs() < 1e-10);
        }

        #[test]
        fn so_it_is_near_zero(m in -1.0..1.0f64) {
            let exact = 1.0 / (1.0 + libm::exp(-m));
            prop_assert!((sigmoid(m) / exact - 1.0).abs() < 1e-10);
        }

        #[test]
        fn no_slope_exceeds_its_bound(bits in any::<u64>(), second in any::<bool>()) {
            let margin = f64::from_bits(bits);
            let target = f64::from(u8::from(second));
            for loss in [Loss::Logistic, Loss::Squared { threshold: 0.3 }] {
                let slope = slope(loss, margin, target);
                prop_assert!(slope.abs() <= loss.slope_bound());
            }
        }

        /// However the slice is cut, each record has the same bits.
        #[test]
        fn a_slope_does_not_depend_on_its_neighbours(
            margins in prop::collection::vec(-50.0..50.0f64, 1..40)
        ) {
            let targets = vec![1.0; margins.len()];
            let mut together = margins.clone();
            Loss::Logistic.slopes(&mut together, &targets);
            for (margin, joint) in pairs(&margins, together) {
                prop_assert_eq!(slope(Loss::Logistic, *margin, 1.0).to_bits(), joint.to_bits());
            }
        }
    }
}
