//! What solvers and proofs ask of a loss besides its value and slope.

use super::Loss;

impl Loss {
    /// Whether it is of this many classes, 0 standing for numbers.
    pub(crate) fn suits(&self, classes: u32) -> bool {
        match self {
            Self::Logistic => classes == 2,
            Self::Squared { .. } => classes == 0,
        }
    }

    /// Whether its second derivative is continuous, which objective perturbation rests on. That of a
    /// square with a threshold jumps there.
    pub(crate) fn is_smooth(&self) -> bool {
        match self {
            Self::Logistic => true,
            Self::Squared { .. } => false,
        }
    }

    /// The second derivative in the margin; at a kink that from within.
    pub(crate) fn second_derivative(&self, margin: f64, target: f64) -> f64 {
        match *self {
            Self::Logistic => {
                let p = self.slope(margin, 0.0);
                p * (1.0 - p)
            }
            Self::Squared { threshold } => {
                f64::from(u8::from((margin - target).abs() <= threshold))
            }
        }
    }

    /// The curvature of a parabola that touches the loss at this margin, where its slope is `slope`: one
    /// that lies above the loss if it has a threshold, and the second derivative if it is smooth.
    pub(crate) fn majorant(&self, slope: f64, margin: f64, target: f64) -> f64 {
        match *self {
            Self::Logistic => {
                let p = slope + target;
                p * (1.0 - p)
            }
            Self::Squared { threshold } => {
                let residual = (margin - target).abs();
                if residual <= threshold {
                    1.0
                } else {
                    threshold / residual
                }
            }
        }
    }

    /// How far a slope that floats computed can be from the exact one at this residual's size.
    pub(crate) fn slope_rounding(&self, residual: f64) -> f64 {
        match self {
            Self::Logistic => 4.0 * f64::EPSILON,
            Self::Squared { .. } => f64::EPSILON * residual,
        }
    }

    /// How far from 0 the best intercept of a model without weights can be.
    pub(crate) fn largest_intercept(&self, targets: &[f64]) -> f64 {
        match self {
            Self::Logistic => {
                let n = targets.len().max(1) as f64;
                let share = (targets.iter().sum::<f64>() / n).clamp(0.5 / n, 1.0 - 0.5 / n);
                (share / (1.0 - share)).ln().abs()
            }
            Self::Squared { .. } => targets.iter().fold(0.0, |most, y| y.abs().max(most)),
        }
    }

    /// The log-likelihood that `records` with this mean loss fall short by, up to a constant; that of a
    /// number is a Gaussian's with the variance of the residuals.
    pub(crate) fn log_likelihood_lost(&self, mean: f64, records: usize) -> f64 {
        let n = records as f64;
        match self {
            Self::Logistic => n * mean,
            Self::Squared { .. } => 0.5 * n * mean.max(f64::MIN_POSITIVE).ln(),
        }
    }
}
