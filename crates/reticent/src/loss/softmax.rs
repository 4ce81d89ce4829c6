//! The slopes of the multinomial loss, the same bits on every machine.

use super::sigmoid::exp_neg;

/// Replaces the margins of one record, one per class, by its residuals p − e_y: the probabilities
/// pₖ = exp(mₖ)/Σ exp(mₗ), minus 1 for the record's own class.
///
/// They lie in [0, 1], for the record's own class in [−1, 0], and sum to 0, all up to rounding. If
/// a margin is NaN, every residual is 0. A margin that is 700 below the largest counts as 700
/// below.
#[inline(always)]
pub(crate) fn residuals(margins: &mut [f64], class: usize) {
    if margins.iter().any(|margin| margin.is_nan()) {
        margins.fill(0.0);
        return;
    }
    let largest = margins
        .iter()
        .fold(f64::NEG_INFINITY, |most, m| most.max(*m));
    for margin in margins.iter_mut() {
        // Equal ones first: infinite margins have no difference.
        let gap = if *margin == largest {
            0.0
        } else {
            (largest - *margin).min(700.0)
        };
        *margin = exp_neg(gap);
    }
    // Apart, because they are added one after another.
    let sum: f64 = margins.iter().sum();
    for margin in margins.iter_mut() {
        *margin /= sum;
    }
    margins[class] -= 1.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Loss;
    use proptest::prelude::*;

    #[test]
    fn equal_margins_have_equal_shares_and_infinite_ones_are_no_trouble() {
        for far in [0.0, 1e300, f64::INFINITY, f64::NEG_INFINITY] {
            let mut margins = [far; 4];
            residuals(&mut margins, 2);
            assert_eq!(margins, [0.25, 0.25, -0.75, 0.25]);
        }
        let mut margins = [0.0, f64::NAN];
        residuals(&mut margins, 0);
        assert_eq!(margins, [0.0, 0.0]);
        let mut margins = [f64::INFINITY, 1.0];
        residuals(&mut margins, 1);
        assert_eq!(margins[0], 1.0);
        assert!(margins[1] <= -1.0 + 1e-300);
    }

    proptest! {
        #[test]
        fn two_classes_are_the_logistic_loss(a in -40.0..40.0f64, b in -40.0..40.0f64) {
            let mut margins = [a, b];
            residuals(&mut margins, 1);
            let slope = Loss::Logistic.slope(b - a, 1.0);
            prop_assert!((margins[1] - slope).abs() < 1e-9);
            prop_assert!((margins[0] + slope).abs() < 1e-9);
        }

        #[test]
        fn they_are_the_derivatives_of_the_loss(
            margins in prop::collection::vec(-5.0..5.0f64, 2..6), pick in any::<prop::sample::Index>(),
        ) {
            let class = pick.index(margins.len());
            let loss = |m: &[f64]| m.iter().map(|m| m.exp()).sum::<f64>().ln() - m[class];
            let mut slopes = margins.clone();
            residuals(&mut slopes, class);
            for k in 0..margins.len() {
                let h = 1e-5;
                let moved = |by: f64| {
                    let mut moved = margins.clone();
                    moved[k] += by;
                    loss(&moved)
                };
                let rise = (moved(h) - moved(-h)) / (2.0 * h);
                prop_assert!((rise - slopes[k]).abs() < 1e-8, "{rise} {}", slopes[k]);
            }
            let norm: f64 = slopes.iter().map(|r| r * r).sum::<f64>().sqrt();
            prop_assert!(norm <= 2f64.sqrt() + 1e-12);
        }
    }
}
