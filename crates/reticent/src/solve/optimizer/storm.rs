//! STORM: stochastic recursive momentum with step sizes that follow from the gradients seen (Cutkosky and
//! Orabona 2019, algorithm 1).

/// A point that gradients of batches move.
///
/// The estimate is d ← g(θ) + (1 − a)·(d − g(θ₋₁)), g being the gradient over one and the same batch at the
/// point and at the one before; the step is η·d with η = k/(w + Σ‖g‖²)^⅓; and a = c·η² for the next.
#[derive(Debug, Clone)]
pub struct Storm {
    /// k.
    size: f64,
    /// w.
    offset: f64,
    /// c.
    decay: f64,
    /// Σ‖g‖².
    squares: f64,
    /// a.
    momentum: f64,
    estimate: Vec<f64>,
    point: Vec<f64>,
    before: Vec<f64>,
}

impl Storm {
    /// At `start`, for a loss whose gradients are about at most G long and change by at most L per length;
    /// the first step has this `size`, or that of the paper's theorem 1 (with b = 1).
    pub fn new(longest: f64, smoothness: f64, size: Option<f64>, start: Vec<f64>) -> Self {
        // Of theorem 1 with b = 1: k = G^⅔/L, c = 28L² + G²/(7Lk³), w = max((4Lk)³, 2G², (ck/4L)³).
        let square = longest * longest;
        let per_length: f64 = 28.0 + 1.0 / 7.0;
        let offset = square * f64::max(64.0, (per_length / 4.0).powi(3));
        let by_theory = longest.powf(2.0 / 3.0) / smoothness;
        Self {
            size: size.map_or(by_theory, |first| first * (offset + square).cbrt()),
            offset,
            decay: per_length * smoothness * smoothness,
            squares: 0.0,
            momentum: 1.0,
            estimate: vec![0.0; start.len()],
            before: start.clone(),
            point: start,
        }
    }

    /// Where it is.
    pub fn point(&self) -> &[f64] {
        &self.point
    }

    /// Moves the point by the gradients over one batch, at any point.
    pub fn step(&mut self, mut gradient: impl FnMut(&[f64]) -> Vec<f64>) {
        let now = gradient(&self.point);
        self.squares += now.iter().map(|g| g * g).sum::<f64>();
        // The first estimate is the gradient alone.
        let before = match self.momentum < 1.0 {
            true => gradient(&self.before),
            false => vec![0.0; now.len()],
        };
        let kept = 1.0 - self.momentum;
        for ((d, now), before) in self.estimate.iter_mut().zip(&now).zip(&before) {
            *d = now + kept * (*d - before);
        }
        let size = self.size / (self.offset + self.squares).cbrt();
        self.before.copy_from_slice(&self.point);
        for (x, d) in self.point.iter_mut().zip(&self.estimate) {
            *x -= size * d;
        }
        self.momentum = (self.decay * size * size).min(1.0);
    }
}
