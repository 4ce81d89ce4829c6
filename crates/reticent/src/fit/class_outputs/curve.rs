//! Where a straight map of margins has to be bent.
//!
//! The log-odds of a class are seldom linear in a margin: they level off, or rise within a short way. So the
//! map η is straight only between knots, with a height at each. For hats φ₁, …, φ_m (1 at the own knot, 0 at
//! the others, straight between them; together 1 everywhere) the sums Σ (y − p)·φ_k over the records are the
//! derivatives of the likelihood in these heights: they are 0 where the map is right. They are released
//! once, at the line that was found before, and differences from there are added up over the histogram.
//! So neither the coarseness of the histogram nor its noise matters but to second order.
//!
//! Heights beforehand: a Brownian motion around the line, from knot to knot, whose speed is not known; each
//! of a few speeds counts by how likely it makes what was released. Where noise exceeds what there is to see,
//! that is a speed of 0, and the line stays.

use super::margin_bins::MarginBins;
use super::two_classes::Line;
use super::{Asking, CalibrationMap, sigmoid};
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::{CellTerms, MarginSums};
use crate::privacy::NoiseMultiplier;
use crate::solve::Cholesky;

/// Knots.
const KNOTS: usize = 9;
/// Knots are at least this part of their whole way apart.
const APART: f64 = 1e-3;
/// Cells between two knots, and beyond either of the outer ones.
const CELLS: usize = 16;
/// How far these reach: this part of the way between the outer knots. Margins beyond count as there.
const BEYOND: f64 = 0.1;
/// The deviation of a shift of all heights beforehand, for a histogram that is coarse; and the most with
/// the noise of the count.
const SHIFT: (f64, f64) = (0.1, 0.5);
/// Speeds of the Brownian motion: deviations from one knot to the next.
const SPEEDS: [f64; 7] = [0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6];
/// Newton's steps for one speed, the longest of them, and when they end.
const STEPS: usize = 30;
const LONGEST: f64 = 1.0;
const ENOUGH: f64 = 1e-6;
/// The least slope of the map, as a part of the line's.
const LEAST_SLOPE: f64 = 0.01;

/// How far heights are shifted at most to keep the sum of probabilities, and how often that is halved.
const MOST_SHIFT: f64 = 20.0;
const HALVINGS: usize = 40;

/// A number per knot.
type PerKnot = [f64; KNOTS];

/// Records about where they are, on the line.
struct Place {
    /// The height of the line, and how much of it is beyond the outer knots: there the map goes on with
    /// the line's slope.
    at: f64,
    beyond: f64,
    count: f64,
    hats: (usize, [f64; 2]),
}

/// What heights are fitted to.
struct Bends {
    knots: PerKnot,
    places: Vec<Place>,
    /// Σ (y − p)·φ.
    residuals: PerKnot,
    /// The covariances of its noise: σ²·(1 − shared·11ᵀ).
    variance: f64,
    shared: f64,
    /// The deviation of a shift beforehand.
    shift: f64,
}

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
                        at,
                        beyond: at - at.clamp(knots[0], knots[KNOTS - 1]),
                        count,
                        hats: hats(&knots, at),
                    }
                })
                .collect(),
            knots,
            residuals: joint.map(|joint| joint - common),
            variance: deviation * deviation,
            shared,
            shift: SHIFT.0.hypot(line.deviation).min(SHIFT.1),
        };
        Ok(bends.map())
    }
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
fn reach(knots: &PerKnot) -> (f64, f64) {
    let beyond = BEYOND * (knots[KNOTS - 1] - knots[0]);
    (knots[0] - beyond, knots[KNOTS - 1] + beyond)
}

/// The hats of a place that are not 0, or those of the nearest: the number of the first, and both.
fn hats(knots: &PerKnot, at: f64) -> (usize, [f64; 2]) {
    let k = knots[1..KNOTS - 1].partition_point(|knot| *knot <= at);
    let part = ((at - knots[k]) / (knots[k + 1] - knots[k])).clamp(0.0, 1.0);
    (k, [1.0 - part, part])
}

impl Bends {
    /// The posterior mean of the map, made to increase.
    fn map(&self) -> CalibrationMap {
        let fits: Vec<(PerKnot, f64)> = SPEEDS.iter().map(|speed| self.fit(*speed)).collect();
        let logs = fits.iter().map(|(_, log)| *log);
        let best = logs.fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = fits.iter().map(|(_, log)| (log - best).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut heights = self.knots;
        for ((shifts, _), weight) in fits.iter().zip(&weights) {
            for (height, shift) in heights.iter_mut().zip(shifts) {
                *height += weight / total * shift;
            }
        }
        let increasing = self.increasing(heights);
        let points = self.knots.into_iter().zip(increasing).collect();
        CalibrationMap::new(points).unwrap_or_else(|| straight(&self.knots))
    }

    /// Heights near these that increase, with the same sum of probabilities.
    fn increasing(&self, heights: PerKnot) -> PerKnot {
        let (sums, curvatures) = self.derivatives(&heights);
        let mut near = pooled(heights, std::array::from_fn(|k| curvatures[k][k]));
        for k in 1..KNOTS {
            let least = near[k - 1] + LEAST_SLOPE * (self.knots[k] - self.knots[k - 1]);
            near[k] = near[k].max(least);
        }
        let wanted: f64 = sums.iter().sum();
        let above = |shift: f64| {
            let (sums, _) = self.derivatives(&near.map(|height| height + shift));
            sums.iter().sum::<f64>() > wanted
        };
        let (mut low, mut high) = (-MOST_SHIFT, MOST_SHIFT);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            match above(middle) {
                true => high = middle,
                false => low = middle,
            }
        }
        near.map(|height| height + (low + high) / 2.0)
    }

    /// Heights above the line for one speed, and the logarithm of how likely it makes the residuals.
    ///
    /// With D(δ) the sums of the change of p and J their derivatives, which also are the
    /// covariances of the classes' own sampling, residuals are D(δ) + N(0, V), V = J + noise, and δ is
    /// N(0, P) beforehand. Linearly around δ: δ = P·J·(J·P·J + V)⁻¹·(residuals − D + J·δ).
    fn fit(&self, speed: f64) -> (PerKnot, f64) {
        let mut shifts = [0.0; KNOTS];
        let mut log = f64::NEG_INFINITY;
        for _ in 0..STEPS {
            let heights = std::array::from_fn(|k| self.knots[k] + shifts[k]);
            let (sums, curvatures) = self.derivatives(&heights);
            let moved = times(&curvatures, &shifts);
            let unexplained: PerKnot =
                std::array::from_fn(|k| self.residuals[k] - sums[k] + moved[k]);
            let prior = prior(self.shift, speed);
            let spread = product(&prior, &curvatures);
            let mut expected = product(&curvatures, &spread);
            for (i, row) in expected.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    let own = f64::from(u8::from(i == j));
                    *entry += curvatures[i][j] + self.variance * (own - self.shared);
                }
            }
            let Some(factor) = Cholesky::of(expected.concat(), KNOTS) else {
                break;
            };
            let solved = factor.solve(&unexplained);
            let square: f64 = solved.iter().zip(&unexplained).map(|(a, b)| a * b).sum();
            log = -0.5 * square - factor.log_root_determinant();
            let next = times(&spread, &solved);
            let steps: PerKnot = std::array::from_fn(|k| next[k] - shifts[k]);
            let longest = steps
                .iter()
                .fold(0.0, |most: f64, step| most.max(step.abs()));
            let part = (LONGEST / longest.max(LONGEST)).min(1.0);
            (0..KNOTS).for_each(|k| shifts[k] += part * steps[k]);
            if longest < ENOUGH {
                break;
            }
        }
        (shifts, log)
    }

    /// Σ (p − p₀)·φ for these heights, where p₀ is the line's, and Σ p(1 − p)·φφᵀ.
    fn derivatives(&self, heights: &PerKnot) -> (PerKnot, [PerKnot; KNOTS]) {
        let mut sums = [0.0; KNOTS];
        let mut curvatures = [[0.0; KNOTS]; KNOTS];
        for place in &self.places {
            let Place { at, count, .. } = place;
            let (k, parts) = place.hats;
            let height = parts[0] * heights[k] + parts[1] * heights[k + 1];
            let p = sigmoid(height + place.beyond);
            let curvature = count * p * (1.0 - p);
            for (i, part) in parts.iter().enumerate() {
                sums[k + i] += count * (p - sigmoid(*at)) * part;
                for (j, other) in parts.iter().enumerate() {
                    curvatures[k + i][k + j] += curvature * part * other;
                }
            }
        }
        (sums, curvatures)
    }
}

/// The covariances of heights beforehand: a shift, and a Brownian motion from the middle knot on, which itself
/// is as far off as an outer one from it: only of a straight map is the sum of probabilities known.
fn prior(shift: f64, speed: f64) -> [PerKnot; KNOTS] {
    let middle = (KNOTS / 2) as f64;
    let covariance = |i: usize, j: usize| {
        let (i, j) = (i as f64 - middle, j as f64 - middle);
        let common = if i * j > 0.0 {
            i.abs().min(j.abs())
        } else {
            0.0
        };
        shift * shift + speed * speed * (middle + common)
    };
    std::array::from_fn(|i| std::array::from_fn(|j| covariance(i, j)))
}

fn times(matrix: &[PerKnot; KNOTS], vector: &[f64]) -> PerKnot {
    let row = |k: usize| matrix[k].iter().zip(vector).map(|(a, b)| a * b).sum();
    std::array::from_fn(row)
}

fn product(a: &[PerKnot; KNOTS], b: &[PerKnot; KNOTS]) -> [PerKnot; KNOTS] {
    let entry = |i: usize, j: usize| (0..KNOTS).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

/// The nearest heights that do not fall, by weighted squares: neighbours that do are averaged (the pool
/// adjacent violators algorithm).
fn pooled(heights: PerKnot, weights: PerKnot) -> PerKnot {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (height, weight) in heights.into_iter().zip(weights) {
        let mut pool = (height, weight.max(f64::MIN_POSITIVE), 1);
        while let Some((mean, weight, count)) = pools.pop_if(|last| last.0 >= pool.0) {
            let sum = weight + pool.1;
            pool = ((mean * weight + pool.0 * pool.1) / sum, sum, count + pool.2);
        }
        pools.push(pool);
    }
    let each = pools
        .iter()
        .flat_map(|(mean, _, count)| std::iter::repeat_n(*mean, *count));
    let mut increasing = [0.0; KNOTS];
    increasing
        .iter_mut()
        .zip(each)
        .for_each(|(to, from)| *to = from);
    increasing
}

/// The map that leaves the line as it is.
fn straight(knots: &PerKnot) -> CalibrationMap {
    let points = knots.iter().map(|knot| (*knot, *knot)).collect();
    CalibrationMap::new(points).expect("knots increase")
}
