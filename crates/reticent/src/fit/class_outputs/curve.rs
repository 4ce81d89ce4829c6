//! Where a straight map of margins has to be bent: what is released for that.
//!
//! The log-odds of a class are seldom linear in a margin: they level off, or rise within a short way. So the
//! map η is straight only between knots, with a height at each. For hats φ₁, …, φ_m (1 at the own knot, 0 at
//! the others, straight between them; together 1 everywhere) the sums Σ (y − p)·φ_k over the records are the
//! derivatives of the likelihood in these heights: they are 0 where the map is right. They are released
//! once, at the line that was found before; `bends.rs` makes a map of them.

use super::bends::{Bends, Place};
use super::margin_bins::MarginBins;
use super::two_classes::Line;
use super::{Asking, CalibrationMap, sigmoid};
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::{CellTerms, MarginSums};
use crate::privacy::NoiseMultiplier;

/// Knots.
pub(super) const KNOTS: usize = 9;
/// Knots are at least this part of their whole way apart.
const APART: f64 = 1e-3;
/// Cells between two knots, and beyond either of the outer ones.
const CELLS: usize = 16;
/// How far these reach: this part of the way between the outer knots. Margins beyond count as there.
const BEYOND: f64 = 0.1;
/// The deviation of a shift of all heights beforehand, for a histogram that is coarse; and the most with
/// the noise of the count and of the histogram.
const SHIFT: (f64, f64) = (0.1, 2.0);
/// The largest deviation of a tilt beforehand, as a part of the line's slope.
const MOST_TILT: f64 = 1.0;

/// A number per knot.
pub(super) type PerKnot = [f64; KNOTS];

impl Asking<'_> {
    /// The map of values on a line.
    pub fn curve(
        &mut self,
        bins: &MarginBins,
        line: Line,
        noise: NoiseMultiplier,
    ) -> Result<CalibrationMap, FitError> {
        let records: Vec<(f64, f64)> = bins
            .spread()
            .into_iter()
            .map(|(t, count)| (line.slope * t + line.offset, count))
            .collect();
        let knots = knots(&records, self.tail());
        let whole = count_weight(&knots);
        let terms = residual_terms(&knots, line, whole);
        let query = MarginSums {
            model: self.margins.functions(),
            terms: &terms,
        }
        .ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let deviation = query.sensitivity() * noise.get();
        // The whole and the parts, each by its noise: least squares.
        let shared = whole * whole / (1.0 + whole * whole * KNOTS as f64);
        let (parts, all) = (&released[..KNOTS], released[KNOTS]);
        let joint: PerKnot = std::array::from_fn(|k| parts[k] + whole * all);
        let common = shared * joint.iter().sum::<f64>();
        let bends = Bends {
            places: records
                .iter()
                .map(|&(at, count)| {
                    let (low, high) = reach(&knots);
                    let at = at.clamp(low, high);
                    Place {
                        beyond: at - at.clamp(knots[0], knots[KNOTS - 1]),
                        p: sigmoid(at),
                        count,
                        hats: hats(&knots, at),
                    }
                })
                .collect(),
            knots,
            of_bins: bins.noise * bins.noise,
            residuals: joint.map(|joint| joint - common),
            variance: deviation * deviation,
            shared,
            shift: SHIFT.0.hypot(line.deviation).min(SHIFT.1),
            tilt: line.tilt.min(MOST_TILT),
            centre: centre(&records),
            ends: (
                line.offset - line.slope * self.margins.largest,
                line.offset + line.slope * self.margins.largest,
            ),
        };
        Ok(bends.map())
    }
}

/// The place on the line that a tilt is around: the sum of probabilities is the same for any.
fn centre(records: &[(f64, f64)]) -> f64 {
    let (mut sum, mut weights) = (0.0, f64::MIN_POSITIVE);
    for (at, count) in records {
        let p = sigmoid(*at);
        let weight = count * p * (1.0 - p);
        sum += weight * at;
        weights += weight;
    }
    sum / weights
}

/// Knots on the line: with as much of Σ √(p(1 − p)) from each to the next, so that there are more where
/// classes are undecided; at least a share of `tail` of the records is beyond either of the outer ones.
fn knots(records: &[(f64, f64)], tail: f64) -> PerKnot {
    let spread = |at: f64| {
        let p = sigmoid(at);
        (p * (1.0 - p)).sqrt()
    };
    let undecided: Vec<(f64, f64)> = records
        .iter()
        .map(|&(at, n)| (at, n * spread(at)))
        .collect();
    let (low, high) = (quantile(records, tail), quantile(records, 1.0 - tail));
    let mut knots: PerKnot = std::array::from_fn(|k| {
        let share = k as f64 / (KNOTS - 1) as f64;
        quantile(&undecided, share).clamp(low, high)
    });
    let apart = APART * (knots[KNOTS - 1] - knots[0]).max(APART);
    for k in 1..KNOTS {
        knots[k] = knots[k].max(knots[k - 1] + apart);
    }
    knots
}

/// The place that this share of the weight is below.
fn quantile(weighted: &[(f64, f64)], share: f64) -> f64 {
    let wanted = share * weighted.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    for (at, weight) in weighted {
        below += weight;
        if below >= wanted {
            return *at;
        }
    }
    weighted.last().map_or(0.0, |(at, _)| *at)
}

/// The weight of Σ (y − p) beside its parts Σ (y − p)·φ_k: as large as costs nothing.
///
/// Two records of one class are at most √2·R apart in the parts, where R is the largest residual; one of
/// each class has residuals of at most R and −r, or the other way round, and with the whole they are at
/// most √(R² + r² + w²·(R + r)²) apart around different knots: the same at w² = (R − r)/(R + r). A rare class has
/// w near 1: its rate is known better than from the noisy parts.
fn count_weight(knots: &PerKnot) -> f64 {
    let (low, high) = reach(knots);
    let (low, high) = (sigmoid(low), sigmoid(high));
    let (more, less) = ((1.0 - low).max(high), (1.0 - low).min(high));
    ((more - less) / (more + less)).sqrt()
}

/// (y − p)·φ of a record, and (y − p) times the weight of the whole.
fn residual_terms(knots: &PerKnot, line: Line, whole: f64) -> CellTerms {
    let (low, high) = reach(knots);
    let ends: Vec<f64> = [&[low], &knots[..], &[high]].concat();
    let place = |k: usize, part: f64| ends[k] + (ends[k + 1] - ends[k]) * part / CELLS as f64;
    let segment = |k: usize| (0..CELLS).map(move |j| (k, j as f64));
    let places: Vec<(usize, f64)> = (0..=KNOTS).flat_map(segment).collect();
    let starts = places.iter().map(|&(k, j)| place(k, j));
    let edges = starts.chain([high]);
    let edges = edges.map(|at| (at - line.offset) / line.slope);
    CellTerms::new(edges.collect(), |cell| {
        let at = match cell {
            0 => low,
            cell => places
                .get(cell - 1)
                .map_or(high, |&(k, j)| place(k, j + 0.5)),
        };
        let (k, parts) = hats(knots, at);
        let p = sigmoid(at);
        [-p, 1.0 - p].map(|residual| {
            let mut terms = vec![0.0; KNOTS + 1];
            terms[k] = residual * parts[0];
            terms[k + 1] = residual * parts[1];
            terms[KNOTS] = residual * whole;
            terms
        })
    })
}

/// The least and the largest value on the line that is told apart from those beyond.
pub(super) fn reach(knots: &PerKnot) -> (f64, f64) {
    let beyond = BEYOND * (knots[KNOTS - 1] - knots[0]);
    (knots[0] - beyond, knots[KNOTS - 1] + beyond)
}

/// The hats of a place that are not 0, or those of the nearest: the number of the first, and both.
fn hats(knots: &PerKnot, at: f64) -> (usize, [f64; 2]) {
    let k = knots[1..KNOTS - 1].partition_point(|knot| *knot <= at);
    let part = ((at - knots[k]) / (knots[k + 1] - knots[k])).clamp(0.0, 1.0);
    (k, [1.0 - part, part])
}
