//! Losses of a linear model: value, slope, and the bounds that privacy and convergence rest on.
//!
//! A loss is a function of the margin m = x·w + b and the target y. Its gradient in w is
//! ψ(m, y)·x: the *slope* ψ is all that a gradient needs.
//!
//! | loss | value | slope ψ | R = max \|ψ\| | c = max curvature |
//! |---|---|---|---|---|
//! | logistic | log(1 + eᵐ) − y·m | σ(m) − y | 1 | ¼ |
//! | squared, Huber | ½(m − y)², linear beyond the threshold | m − y, clipped | threshold | 1 |
//!
//! Several classes have a margin each, and the multinomial loss log Σₖ exp(mₖ) − m_y: its slopes,
//! one per class, are the residuals p − e_y, whose norm is at most √2.

mod sigmoid;
mod softmax;
mod solver;

pub(crate) use softmax::residuals;

/// A loss, with a slope that is bounded whatever the margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// log(1 + exp(−m)) for the second class and log(1 + exp(m)) for the first; y is 1 or 0.
    Logistic,
    /// ½(m − y)² for |m − y| ≤ `threshold`, and linear beyond: the slope is clipped there. With a threshold
    /// that no residual can exceed it is the square; with a smaller one it is Huber's loss with
    /// that threshold. There is no square without a threshold: its slope has no bound, and no noise
    /// would hide it.
    Squared {
        /// The largest residual that counts in full.
        threshold: f64,
    },
}

impl Loss {
    /// ψ: the derivative in the margin. At most [`slope_bound`](Self::slope_bound) in size,
    /// and 0 for a margin that is not a number.
    #[inline]
    pub fn slope(&self, margin: f64, target: f64) -> f64 {
        if margin.is_nan() {
            return 0.0;
        }
        match *self {
            Self::Logistic => 1.0 / (1.0 + (-margin).exp()) - target,
            Self::Squared { threshold } => (margin - target).clamp(-threshold, threshold),
        }
    }

    /// R: the largest |ψ|, for targets in \[0, 1\] if logistic.
    pub fn slope_bound(&self) -> f64 {
        match *self {
            Self::Logistic => 1.0,
            Self::Squared { threshold } => threshold,
        }
    }

    /// The threshold of a Huber loss.
    pub(crate) fn huber_threshold(&self) -> Option<f64> {
        match *self {
            Self::Logistic => None,
            Self::Squared { threshold } => Some(threshold),
        }
    }

    /// c: the largest second derivative in the margin.
    pub fn curvature(&self) -> f64 {
        match self {
            Self::Logistic => 0.25,
            Self::Squared { .. } => 1.0,
        }
    }

    /// The loss itself.
    pub fn value(&self, margin: f64, target: f64) -> f64 {
        match *self {
            // log(1 + eᵐ) = max(m, 0) + log(1 + e^−|m|): neither exp overflows. The target is
            // subtracted from the larger part first, so that two large numbers do not cancel.
            Self::Logistic => {
                let linear = if margin > 0.0 {
                    margin * (1.0 - target)
                } else {
                    -margin * target
                };
                linear + (-margin.abs()).exp().ln_1p()
            }
            Self::Squared { threshold } => {
                let residual = (margin - target).abs();
                if residual <= threshold {
                    0.5 * residual * residual
                } else {
                    threshold * (residual - 0.5 * threshold)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HUBER: Loss = Loss::Squared { threshold: 1.5 };

    #[test]
    fn values_and_slopes_have_their_closed_forms() {
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-15 * b.abs().max(1.0), "{a} {b}");
        near(Loss::Logistic.value(0.0, 1.0), std::f64::consts::LN_2);
        near(Loss::Logistic.slope(0.0, 1.0), -0.5);
        // log(1 + e^−1) and 1/(1 + e^−1), to 17 digits.
        near(Loss::Logistic.value(1.0, 1.0), 0.313_261_687_518_222_86);
        near(Loss::Logistic.slope(1.0, 0.0), 0.731_058_578_630_004_9);
        near(HUBER.value(2.0, 1.0), 0.5);
        near(HUBER.value(4.0, 1.0), 1.5 * 3.0 - 0.5 * 1.5 * 1.5);
        near(HUBER.slope(0.25, 1.0), -0.75);
        near(HUBER.slope(-4.0, 1.0), -1.5);
    }

    #[test]
    fn extreme_margins_keep_to_the_bounds() {
        for loss in [Loss::Logistic, HUBER] {
            for margin in [f64::MAX, f64::INFINITY, 1e4, 40.0] {
                for target in [0.0, 1.0] {
                    for margin in [margin, -margin] {
                        let slope = loss.slope(margin, target);
                        assert!(slope.abs() <= loss.slope_bound(), "{loss:?} {margin}");
                    }
                }
            }
            assert_eq!(loss.slope(f64::NAN, 1.0), 0.0);
        }
        assert_eq!(Loss::Logistic.value(1e300, 1.0), 0.0);
        assert_eq!(Loss::Logistic.value(-1e300, 0.0), 0.0);
        assert_eq!(Loss::Logistic.value(-800.0, 1.0), 800.0);
    }

    proptest! {
        #[test]
        fn the_slope_is_the_derivative_and_the_curvature_bounds_its_own(
            margin in -30.0..30.0f64, target in 0.0..1.0f64, threshold in 0.1..40.0f64
        ) {
            let h = 1e-5;
            for loss in [Loss::Logistic, Loss::Squared { threshold }] {
                let (left, right) = (margin - h, margin + h);
                let rise = loss.value(right, target) - loss.value(left, target);
                // Central differences err by h/4·curvature at a kink, and by rounding.
                prop_assert!((rise / (2.0 * h) - loss.slope(margin, target)).abs() < 1e-5);
                let turn = loss.slope(right, target) - loss.slope(left, target);
                prop_assert!(turn >= -1e-15);
                prop_assert!(turn / (2.0 * h) <= loss.curvature() * (1.0 + 1e-9) + 1e-10);
                prop_assert!(loss.slope(margin, target).abs() <= loss.slope_bound());
            }
        }
    }
}
