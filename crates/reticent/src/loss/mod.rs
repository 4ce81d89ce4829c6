//! Losses of a linear model: value, slope and the bounds that privacy and convergence rest on.
//!
//! A loss is a function of the margin m = x·w + b and the target y. Its gradient in w is
//! ψ(m, y)·x: the *slope* ψ is all that the data need to know of it.

mod sigmoid;

/// A loss, with a slope that is bounded whatever the margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// log(1 + exp(−m)) for the second class and log(1 + exp(m)) for the first; y is 1 or 0.
    Logistic,
    /// ½(m − y)² for |m − y| ≤ `reach`, and linear beyond: the slope is clipped there. With a
    /// reach that no margin can exceed it is the square; with a smaller one it is Huber's.
    Squared {
        /// The largest residual that counts in full.
        reach: f64,
    },
}

impl Loss {
    /// ψ: the derivative in the margin. At most [`slope_bound`](Self::slope_bound) in size,
    /// and 0 for a margin that is not a number.
    pub fn slope(&self, margin: f64, target: f64) -> f64 {
        match *self {
            Self::Logistic => 1.0 / (1.0 + (-margin).exp()) - target,
            Self::Squared { reach } => (margin - target).clamp(-reach, reach),
        }
    }

    /// R: the largest |ψ|.
    pub fn slope_bound(&self) -> f64 {
        match *self {
            Self::Logistic => 1.0,
            Self::Squared { reach } => reach,
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
            // Written so that neither exp overflows.
            Self::Logistic => margin.max(0.0) - margin * target + (-margin.abs()).exp().ln_1p(),
            Self::Squared { reach } => {
                let residual = (margin - target).abs();
                if residual <= reach {
                    0.5 * residual * residual
                } else {
                    reach * (residual - 0.5 * reach)
                }
            }
        }
    }
}
