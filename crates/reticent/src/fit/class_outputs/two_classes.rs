//! Two classes: an increasing map from margins to log-odds.
//!
//! Three releases. A histogram of margins, without classes, tells where they are: predictions can then be
//! added up for any map at no further cost. Two sums over the rarer class, its count and the mean of its
//! margins, give a first map that is straight (`line.rs`). The sums of what it leaves unexplained, y − p,
//! around some margins each, tell where it has to be bent (`curve.rs`). Both are posterior means: where noise
//! exceeds what was released, the map is straight, and then flat, and probabilities are near the base rate.

use super::line::{ClassSums, Scaled};
use super::margin_bins::MarginBins;
use super::{Asking, CalibrationMap, sigmoid};
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::{CellTerms, MarginSums};
use crate::privacy::NoiseMultiplier;

/// The largest share of margins beyond either end of the scale; for a rare class, this part of its share.
const TAIL: f64 = 0.005;
const RARE_TAIL: f64 = 0.25;
/// Cells of the scale that margins are on.
const CELLS: usize = 64;
/// The factor of the sum of τ, 2/√3: with it a record of the class adds a point between two corners of an
/// equilateral triangle, and any other record the third. No factor gives less noise in τ for the same in
/// the count.
const SECOND: f64 = 1.154_700_538_379_251_5;

/// The noise of the calibration of two classes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TwoClassesNoise {
    pub histogram: NoiseMultiplier,
    pub class: NoiseMultiplier,
    pub residuals: NoiseMultiplier,
}

/// A straight map of margins, slope·t + offset: the slope is above 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    pub slope: f64,
    pub offset: f64,
    /// About the standard deviation of the offset, for the noise of the count and of the histogram.
    pub deviation: f64,
    /// The standard deviation of the slope, as a part of it.
    pub tilt: f64,
}

impl Asking<'_> {
    /// The line and the map of the values on it. Margins are measured from their origin.
    pub fn two_classes(
        &mut self,
        noise: TwoClassesNoise,
    ) -> Result<(Line, CalibrationMap), FitError> {
        let bins = self.bins(noise.histogram)?;
        let line = self.line(&bins, noise.class)?;
        let map = self.curve(&bins, line, noise.residuals)?;
        Ok((line, map))
    }

    /// Whether the first class is the rarer one, and about how many records the rarer one has.
    fn rarer(&self) -> (bool, f64) {
        let (total, second) = (self.rates.total, self.rates.second());
        match second > total / 2.0 {
            true => (true, total - second),
            false => (false, second),
        }
    }

    /// The share of margins beyond either end of a scale: so few that a rare class is not among them.
    pub fn tail(&self) -> f64 {
        let rare = (self.rarer().1 / self.rates.total).clamp(0.0, 0.5);
        TAIL.min(RARE_TAIL * rare)
    }

    fn line(&mut self, bins: &MarginBins, noise: NoiseMultiplier) -> Result<Line, FitError> {
        let total = self.rates.total;
        let (first, counted) = self.rarer();
        let tail = self.tail();
        let (low, high) = (bins.quantile(tail), bins.quantile(1.0 - tail));
        let centre = (low + high) / 2.0;
        // Turned round if the first class is the rarer one: its probability falls with the margin.
        let width = if first { low - high } else { high - low };
        let terms = class_terms((low, high), first);
        let query = MarginSums {
            model: self.margins.functions(),
            terms: &terms,
        }
        .ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let variance = (query.sensitivity() * noise.get()).powi(2);
        let of_counts = self.rates.deviation.powi(2);
        // Two counts of the same records, each by the other's variance.
        let joint = variance * of_counts / (variance + of_counts);
        let count = (variance * counted + of_counts * released[0]) / (variance + of_counts);
        let deviation = joint.sqrt();
        let sums = ClassSums {
            count: count.clamp(
                (deviation / 2.0).max(1.0),
                (total / 2.0 + deviation).max(1.0),
            ),
            sum: released[1] / SECOND,
            variances: (joint, variance / (SECOND * SECOND)),
        };
        let ((slope, tilt), offset) = Scaled::new(bins, centre, width).fit(&sums);
        let (slope, offset) = (slope / width, offset - slope * centre / width);
        // Σ p is added up over the histogram, also over bins that seem empty.
        let probabilities = bins.middles.iter().map(|t| sigmoid(slope * t + offset));
        let of_bins = bins.noise * probabilities.map(|p| p * p).sum::<f64>().sqrt();
        // Turned round: the log-odds of the second class are those of the first with the other sign.
        let sign = if first { -1.0 } else { 1.0 };
        Ok(Line {
            slope: sign * slope,
            offset: sign * offset,
            deviation: deviation.hypot(of_bins) / sums.count,
            tilt,
        })
    }
}

/// The count of a class and the sum of its τ, margins on a scale that goes from −½ to ½ between two ends,
/// and is turned round for the first class.
fn class_terms((low, high): (f64, f64), first: bool) -> CellTerms {
    let share = |k: usize| k as f64 / CELLS as f64;
    let edges = (0..=CELLS).map(|k| low + (high - low) * share(k)).collect();
    let sign = if first { -1.0 } else { 1.0 };
    CellTerms::new(edges, |cell| {
        let tau = match cell {
            0 => -0.5,
            cell if cell > CELLS => 0.5,
            cell => (cell as f64 - 0.5) / CELLS as f64 - 0.5,
        };
        let (counted, other) = (vec![1.0, SECOND * sign * tau], vec![0.0; 2]);
        match first {
            true => [counted, other],
            false => [other, counted],
        }
    })
}
