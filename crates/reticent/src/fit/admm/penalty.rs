//! The penalties, and the step that each of them takes: a threshold.

use std::f64::consts::FRAC_PI_3;

/// What a weight costs beside the loss. The intercept costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Penalty {
    /// λ·Σ|z|: the LASSO.
    L1,
    /// λ·Σ|z|^½, which is not convex: fewer and larger weights (Xu et al. 2012).
    L1Half,
}

impl Penalty {
    /// The z that makes `weight`·penalty(z) + ½(z − x)² least.
    ///
    /// Soft for ℓ₁. For ℓ₁⁄₂ the half threshold (Xu, Chang, Xu and Zhang 2012, theorem 1): a root of
    /// z − x + weight/(2√z) = 0 is a root of a cubic in √z, and the trigonometric one that is the least
    /// point is z = ⅔·x·(1 + cos(⅔π − ⅔φ)), cos φ = (weight/4)·(3/|x|)^{3/2}; below
    /// [`cut`](Self::cut) it is higher than z = 0.
    pub(super) fn threshold(self, x: f64, weight: f64) -> f64 {
        let size = x.abs();
        if size <= self.cut(weight) {
            return 0.0;
        }
        match self {
            Self::L1 => x - weight.copysign(x),
            Self::L1Half => {
                let over = 3.0 / size;
                let angle = libm::acos(0.25 * weight * over * over.sqrt());
                let turned = libm::cos(2.0 * FRAC_PI_3 - 2.0 / 3.0 * angle);
                2.0 / 3.0 * x * (1.0 + turned)
            }
        }
    }

    /// The largest size that becomes 0. For ℓ₁⁄₂ it is (3/2)·weight^⅔: there z = ⅔x and 0 are as low.
    pub(super) fn cut(self, weight: f64) -> f64 {
        match self {
            Self::L1 => weight,
            Self::L1Half => 1.5 * libm::cbrt(weight * weight),
        }
    }

    /// The weight whose cut is `cut`.
    pub(super) fn weight(self, cut: f64) -> f64 {
        match self {
            Self::L1 => cut,
            Self::L1Half => {
                let part = cut / 1.5;
                part * part.sqrt()
            }
        }
    }
}
