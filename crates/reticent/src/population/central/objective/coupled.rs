//! Both sides of the proof of objective perturbation, for the tape (`mechanism/tape.rs`).
//!
//! The proof is for every ŵ: it compares the densities with which neighbours have their exact
//! minimisers there, and the points that their searches find given ŵ. So the tape takes one ŵ for both
//! tables, and on either b is what makes ŵ the minimiser, rounded to the grid as any b is.

use super::{Bounds, Objective, Perturbation, Restricted};
use crate::mechanism::tape::{self, Release};
use crate::population::query::mutant;

/// The mutant that lets a record move the linear term by a per cent less.
pub(super) fn shrunk(bounds: Bounds) -> Bounds {
    Bounds {
        of_sum: mutant::part("linear term", bounds.of_sum),
        ..bounds
    }
}

impl Objective<'_> {
    /// The linear term, in grid steps, that makes this objective least at the point that a tape holds
    /// for both tables; the one that was drawn if there is no tape. What the proof bounds is compared.
    ///
    /// The two parts of ε are compared one by one, with what is charged for each, β being the one that b
    /// is drawn with: no record can use up both, as the slope is largest where the curvature is 0.
    pub(crate) fn coupled(
        &self,
        perturbation: &Perturbation,
        epsilon: f64,
        drawn: Vec<i64>,
    ) -> Vec<i64> {
        let n = self.what.records as f64;
        let whole = Restricted::of(self.records.records, &self.what);
        let found = || {
            let real = |b: &i64| perturbation.grid.to_real(*b) / n;
            let linear: Vec<f64> = drawn.iter().map(real).collect();
            let bounds = self.records.bounds_of(&self.what, perturbation.linear);
            whole.minimum(&linear, &bounds.expect("there are some with less"))
        };
        // The proof is for b of a certain length at most; a quarter of it leaves room for Σψx.
        let most = 0.25 * perturbation.linear / self.what.lambda;
        let Some(point) = tape::common_point(found, most) else {
            return drawn;
        };
        let without = vec![0.0; point.len()];
        let gradient = whole.gradient(&point, &without);
        let terms: Vec<f64> = gradient.iter().map(|slope| -n * slope).collect();
        let (volume, step) = (self.least_epsilon(), perturbation.grid.step());
        let moved = (epsilon - volume) / (perturbation.rate / step);
        let b = terms.iter().map(|b| (b / step).round() as i64).collect();
        let slopes = whole.slopes(&point);
        tape::compared(Release::reals("linear term", slopes, moved, epsilon));
        let log_volume = vec![whole.log_volume(&point)];
        tape::compared(Release::reals("volume", log_volume, volume, epsilon));
        b
    }
}
