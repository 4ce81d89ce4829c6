//! What a proof speaks of and no fit computes: the volume of an objective, and the worst point that a
//! search may end at. For tests alone.

use std::borrow::Cow;

use super::{Bounds, Restricted, norm};
use crate::mechanism::tape;

impl Restricted<'_> {
    /// log det(I + Σℓ″xxᵀ/(nλ)) at a point, of the logistic loss: log det(Σℓ″xxᵀ + nλI) but for a
    /// constant that neighbours share.
    ///
    /// As LDLᵀ, with pivots of which only what exceeds 1 is kept: the error is some units of rounding
    /// of Σℓ″‖x‖²/(nλ), also where that is far below 1.
    pub(in crate::population::central) fn log_volume(&self, point: &[f64]) -> f64 {
        let k = point.len();
        let mut lower = self.curvature(point);
        let mut pivots: Vec<f64> = Vec::with_capacity(k);
        for i in 0..k {
            for j in 0..=i {
                let known = (0..j).map(|m| lower[i * k + m] * lower[j * k + m] * pivots[m]);
                let rest = lower[i * k + j] - known.sum::<f64>();
                lower[i * k + j] = if j < i { rest / pivots[j] } else { rest };
            }
            pivots.push(1.0 + lower[i * k + i]);
        }
        (0..k).map(|i| lower[i * k + i].ln_1p()).sum()
    }

    /// Σψx: all that differs between neighbours of the linear term that makes a point least. The rest,
    /// nλ(w − v), may be so much longer that floats would lose this in it.
    pub(in crate::population::central) fn slopes(&self, point: &[f64]) -> Vec<f64> {
        let loss_alone = Restricted {
            features: Cow::Borrowed(&*self.features),
            lambda: 0.0,
            centre: None,
            ..*self
        };
        let mean = loss_alone.gradient(point, &vec![0.0; point.len()]);
        mean.iter().map(|slope| self.records * slope).collect()
    }

    /// Σℓ″xxᵀ/(nλ), row by row.
    fn curvature(&self, point: &[f64]) -> Vec<f64> {
        let k = point.len();
        let scale = 1.0 / (self.records * self.lambda).sqrt();
        let (mut sums, mut row) = (vec![0.0; k * k], vec![0.0; k]);
        for i in 0..self.targets.len() {
            row.fill(0.0);
            self.features
                .for_row(i, |j, x| row[j] = f64::from(x) * self.unit * scale);
            if self.intercept {
                row[k - 1] = scale;
            }
            // σ, and so ℓ″ = σ(1 − σ) whatever the target.
            let share = self.loss.slope(self.margin(point, i), 0.0);
            let bend = share * (1.0 - share);
            for (sum, place) in sums.iter_mut().zip(0..) {
                *sum += bend * row[place / k] * row[place % k];
            }
        }
        sums
    }

    /// The worst point that a search may end at, if the tape asks for that, or the one that was found.
    ///
    /// The real search ends far within τ of what it looks for, so that no table shows a per cent of τ.
    /// But a proof is of every search that ends with a gradient of at most τ in norm, and so of the one
    /// that goes from the minimiser as far as that lets it.
    pub(in crate::population::central) fn worst(
        &self,
        found: Vec<f64>,
        linear: &[f64],
        bounds: &Bounds,
    ) -> Vec<f64> {
        let Some(direction) = tape::erring() else {
            return found;
        };
        let least = self.searched(linear, 1e-6 * bounds.tolerance);
        let at = |far: f64| -> Vec<f64> {
            let pairs = least.iter().zip(&direction);
            pairs.map(|(w, u)| w + far * u).collect()
        };
        // A thousandth less than τ, for the roundings of the gradient.
        let may = |far: f64| norm(&self.gradient(&at(far), linear)) <= 0.999 * bounds.tolerance;
        // By strong convexity it is nowhere further away than this.
        let (mut far, mut too_far) = (0.0, 2.0 * bounds.tolerance / self.lambda);
        for _ in 0..40 {
            let middle = 0.5 * (far + too_far);
            *(if may(middle) { &mut far } else { &mut too_far }) = middle;
        }
        if may(far) { at(far) } else { found }
    }
}
