//! Laplacian smoothing of a gradient (Osher et al. 2018; Wang et al. 2020): neighbours on a ring are
//! averaged, so that noise that is independent in each coordinate cancels in part.

/// Multiplication by A⁻¹, where A = I − σL and L is the Laplacian of a ring: −2 on the diagonal, and 1 for
/// each of the two neighbours. A is circulant, positive definite and keeps the sum of the values.
///
/// # How
///
/// 1 + 2σ − σ(z + 1/z) = c·(1 − r·z)·(1 − r/z) for r = (1 + 2σ − √(1 + 4σ))/(2σ), which is between 0 and 1,
/// and c = σ/r. So A is the product of two circulant matrices, each of which is inverted by a recursion
/// once around the ring: the time is linear in the number of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LaplacianSmoothing {
    /// r.
    ratio: f64,
    /// 1/c.
    scale: f64,
}

impl LaplacianSmoothing {
    /// Of strength σ, above 0.
    pub fn new(sigma: f64) -> Self {
        // Without the difference of two large numbers: (1 + 2σ)² − (1 + 4σ) = 4σ².
        let ratio = 2.0 * sigma / (1.0 + 2.0 * sigma + (1.0 + 4.0 * sigma).sqrt());
        Self {
            ratio,
            scale: ratio / sigma,
        }
    }

    /// Smooths values that lie on a ring.
    pub fn apply(&self, values: &mut [f64]) {
        self.along(values);
        values.reverse();
        self.along(values);
        values.reverse();
        values.iter_mut().for_each(|value| *value *= self.scale);
    }

    /// y with yᵢ − r·yᵢ₋₁ = xᵢ around the ring. Once around, y₀ = Σₖ rᵏ·x₋ₖ/(1 − rᵈ).
    fn along(&self, values: &mut [f64]) {
        let once_around = values
            .iter()
            .skip(1)
            .fold(0.0, |sum, x| self.ratio * sum + x);
        // Of x₁ … x_{d−1}, what is carried on to x₀.
        let power = self.ratio.powf(values.len() as f64);
        let Some(first) = values.first_mut() else {
            return;
        };
        let mut last = (*first + self.ratio * once_around) / (1.0 - power);
        *first = last;
        for value in values.iter_mut().skip(1) {
            last = *value + self.ratio * last;
            *value = last;
        }
    }
}
