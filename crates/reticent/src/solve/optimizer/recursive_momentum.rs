//! Stochastic recursive momentum (Cutkosky and Orabona 2019): an estimate of the gradient that is carried
//! from point to point.

/// vₜ = (1 − γ)·vₜ₋₁ + eₜ, where eₜ estimates (1 − γ)·(∇F(θₜ) − ∇F(θₜ₋₁)) + γ·∇F(θₜ).
#[derive(Debug, Clone)]
pub struct RecursiveMomentum {
    /// γ.
    momentum: f64,
    estimate: Vec<f64>,
}

impl RecursiveMomentum {
    /// From an estimate of the gradient at the first point.
    pub fn new(momentum: f64, first: Vec<f64>) -> Self {
        Self {
            momentum,
            estimate: first,
        }
    }

    /// The estimate at the next point, from what was estimated of the change.
    pub fn add(&mut self, change: &[f64]) {
        for (v, e) in self.estimate.iter_mut().zip(change) {
            *v = (1.0 - self.momentum) * *v + e;
        }
    }

    /// The estimate of the gradient.
    pub fn estimate(&self) -> &[f64] {
        &self.estimate
    }
}
