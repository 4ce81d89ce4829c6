//! One subsampled release and nothing else: its profile has a closed form.
//!
//! For α = e^ε ≥ 1 it is δ = ∫(R − α)₊ dQ₀ = q·H_β, β = 1 + (α−1)/q, H being that of the
//! whole Gaussian: without replacement by Balle–Barthe–Gaboardi 2018, and for Poisson
//! sampling because removing the record is then the worse order (Zhu–Dong–Wang 2022).
//! Indeed adding it gives ∫(1 − αR)₊ dQ₀ = αqb·H_{1/b}, b = 1 − (1 − 1/α)/q, or nothing if
//! b ≤ 0. Here αb = α − (α−1)/q ≤ 1, and with u = (α−1)/q ≥ α−1 the product
//! βb = 1 + u(α−1−u)/α is at most 1; so 1/b ≥ β, and H decreases.

use super::law::LOSS_ERROR;
use super::normal::FAR;
use super::subsampled::Subsampled;

/// The largest share of δ that the roundings of the closed form may take.
const ROUNDING_SHARE: f64 = 1e-6;

impl Subsampled {
    /// An ε with δ(ε) ≤ `delta`; `None` if rounding errors keep it from being the least one.
    pub(super) fn epsilon_alone(&self, delta: f64) -> Option<f64> {
        let (mut low, mut high) = (0.5 / self.noise, FAR + 1.0 / self.noise);
        if self.beyond(high) > delta {
            return None;
        }
        // Whatever the steps, `high` is a point whose δ, rounded up, is at most `delta`.
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.beyond(middle) <= delta {
                high = middle;
            } else {
                low = middle;
            }
        }
        let sharp = self.beyond_error(high) <= ROUNDING_SHARE * delta;
        sharp.then(|| self.loss(high) * (1.0 + LOSS_ERROR) + self.loss_error(high))
    }
}
