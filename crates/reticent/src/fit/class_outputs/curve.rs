//! Where a straight map of margins has to be bent.
//!
//! The log-odds of a class are seldom linear in a margin: they level off, or rise within a short way. So the
//! map η is straight only between knots, with a height at each. For hats φ₁, …, φ_m (1 at the own knot, 0 at
//! the others, straight between them; together 1 everywhere) the sums Σ (y − p)·φ_k over the records are the
//! derivatives of the likelihood in these heights: they are 0 where the map is right. They are released
//! once, at the line that was found before, and differences from there are added up over the histogram.
//! So neither the coarseness of the histogram nor its noise matters but to second order. Of a rare class
//! that matters too: all of its records may be in bins that seem empty. So the counts of the bins are
//! unknowns beside the heights, as far from those released as their noise lets expect.
//!
//! Heights beforehand: a shift and a tilt, as the noise of the line lets expect, and a Brownian motion around
//! it, from knot to knot, whose speed is not known; each of a few speeds counts by how likely it makes what was
//! released. Where noise exceeds what there is to see, that is a speed of 0, and the map stays straight.
//!
//! A height in the map is the log-odds of the mean probability that is left: the less is known, the
//! nearer it is to even odds. Log-odds that are too large cost more than those that are too small.

use super::margin_bins::{MarginBins, PLACES};
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
/// How far these reach: this part of the way between the outer knots. Margins beyond count as there, and
/// there the map has this part of the line's slope: what was not told apart may be as likely as its neighbours,
/// or far more so.
const BEYOND: f64 = 0.1;
const SLOPE_BEYOND: f64 = 0.4;
/// The deviation of a shift of all heights beforehand, for a histogram that is coarse; and the most with
/// the noise of the count and of the histogram.
const SHIFT: (f64, f64) = (0.1, 2.0);
/// The largest deviation of a tilt beforehand, as a part of the line's slope.
const MOST_TILT: f64 = 1.0;
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

/// Points of the integral over a normal distribution, on either side of its mean, and the deviations from one
/// to the next.
const POINTS: (i32, f64) = (20, 0.2);

/// A number per knot, and a matrix of them.
type PerKnot = [f64; KNOTS];
type Square = [PerKnot; KNOTS];

/// Records about where they are, on the line.
struct Place {
    /// How much of the height of the line is beyond the outer knots: there the map goes on with the
    /// line's slope.
    beyond: f64,
    /// The line's probability.
    p: f64,
    count: f64,
    hats: (usize, [f64; 2]),
}

/// What heights are fitted to.
struct Bends {
    knots: PerKnot,
    /// As many per bin.
    places: Vec<Place>,
    /// The variance of a bin's count.
    of_bins: f64,
    /// Σ (y − p)·φ.
    residuals: PerKnot,
    /// The covariances of its noise: σ²·(1 − shared·11ᵀ).
    variance: f64,
    shared: f64,
    /// The deviations of a shift and of a tilt beforehand, and where a tilt is around.
    shift: f64,
    tilt: f64,
    centre: f64,
    /// The least and the largest value on the line that a margin may have.
    ends: (f64, f64),
}

/// What is known of heights above the line, for one speed.
struct Posterior {
    shifts: PerKnot,
    variances: PerKnot,
    /// The logarithm of how likely the speed makes the residuals.
    log: f64,
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
    /// The map of the posterior: its heights are the log-odds of mean probabilities, made to increase.
    fn map(&self) -> CalibrationMap {
        let fits: Vec<Posterior> = SPEEDS.iter().map(|speed| self.fit(*speed)).collect();
        let logs = fits.iter().map(|fit| fit.log);
        let best = logs.fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = fits.iter().map(|fit| (fit.log - best).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mean = |figure: &dyn Fn(&Posterior) -> f64| -> f64 {
            let terms = fits.iter().zip(&weights).map(|(fit, w)| w * figure(fit));
            terms.sum::<f64>() / total
        };
        let shifts: PerKnot = std::array::from_fn(|k| mean(&|fit| fit.shifts[k]));
        let variance = |k: usize| {
            mean(&|fit: &Posterior| fit.variances[k] + (fit.shifts[k] - shifts[k]).powi(2))
        };
        let heights: PerKnot = std::array::from_fn(|k| self.knots[k] + shifts[k]);
        let moderate = std::array::from_fn(|k| moderate(heights[k], variance(k)));
        let (sums, _) = self.derivatives(&heights, &self.counts());
        let increasing = self.increasing(moderate, sums.iter().sum());
        CalibrationMap::new(self.points(&increasing)).unwrap_or_else(|| straight(&self.knots))
    }

    /// The points of the map with these heights: the knots, how far cells reach, and the ends.
    fn points(&self, heights: &PerKnot) -> Vec<(f64, f64)> {
        let Self { knots, ends, .. } = self;
        let (low, high) = reach(knots);
        let last = KNOTS - 1;
        let bottom = heights[0] + (low - knots[0]);
        let top = heights[last] + (high - knots[last]);
        let mut points = vec![];
        if ends.0 < low {
            points.push((ends.0, bottom + SLOPE_BEYOND * (ends.0 - low)));
        }
        points.push((low, bottom));
        points.extend(knots.iter().copied().zip(heights.iter().copied()));
        points.push((high, top));
        if ends.1 > high {
            points.push((ends.1, top + SLOPE_BEYOND * (ends.1 - high)));
        }
        points
    }

    /// Heights near these that increase, whose probabilities have this sum beyond the line's.
    fn increasing(&self, heights: PerKnot, wanted: f64) -> PerKnot {
        let counts = self.counts();
        let (_, curvatures) = self.derivatives(&heights, &counts);
        let mut near = pooled(heights, std::array::from_fn(|k| curvatures[k][k]));
        for k in 1..KNOTS {
            let least = near[k - 1] + LEAST_SLOPE * (self.knots[k] - self.knots[k - 1]);
            near[k] = near[k].max(least);
        }
        let above = |shift: f64| {
            let (sums, _) = self.derivatives(&near.map(|height| height + shift), &counts);
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

    /// Heights above the line for one speed.
    ///
    /// With D(δ) the sums of the change of p and J their derivatives, which also are the
    /// covariances of the classes' own sampling, residuals are D(δ) + N(0, V), V = J + noise, and δ is
    /// N(0, P) beforehand. Linearly around δ: δ = P·J·(J·P·J + V)⁻¹·(residuals − D + J·δ). Counts of bins
    /// are those that are the likeliest at δ.
    fn fit(&self, speed: f64) -> Posterior {
        let prior = self.prior(speed);
        let mut fit = Posterior {
            shifts: [0.0; KNOTS],
            variances: [0.0; KNOTS],
            log: f64::NEG_INFINITY,
        };
        for _ in 0..STEPS {
            let heights = std::array::from_fn(|k| self.knots[k] + fit.shifts[k]);
            let counts = self.likeliest_counts(&heights);
            let (sums, curvatures) = self.derivatives(&heights, &counts);
            let moved = times(&curvatures, &fit.shifts);
            let unexplained: PerKnot =
                std::array::from_fn(|k| self.residuals[k] - sums[k] + moved[k]);
            let spread = product(&prior, &curvatures);
            let expected = plus(&product(&curvatures, &spread), &self.sampled(&curvatures));
            let Some(factor) = Cholesky::of(expected.concat(), KNOTS) else {
                break;
            };
            let solved = factor.solve(&unexplained);
            let square: f64 = solved.iter().zip(&unexplained).map(|(a, b)| a * b).sum();
            fit.log = -0.5 * square - factor.log_root_determinant();
            fit.variances = std::array::from_fn(|k| {
                let explained = factor.solve(&spread[k]);
                let pairs = explained.iter().zip(&spread[k]);
                (prior[k][k] - pairs.map(|(a, b)| a * b).sum::<f64>()).max(0.0)
            });
            let next = times(&spread, &solved);
            let steps: PerKnot = std::array::from_fn(|k| next[k] - fit.shifts[k]);
            let longest = steps
                .iter()
                .fold(0.0, |most: f64, step| most.max(step.abs()));
            let part = (LONGEST / longest.max(LONGEST)).min(1.0);
            (0..KNOTS).for_each(|k| fit.shifts[k] += part * steps[k]);
            if longest < ENOUGH {
                break;
            }
        }
        fit
    }

    /// The covariances of the residuals for given probabilities: V = J + noise.
    fn sampled(&self, curvatures: &Square) -> Square {
        let noise = |i: usize, j: usize| {
            let own = f64::from(u8::from(i == j));
            self.variance * (own - self.shared)
        };
        std::array::from_fn(|i| std::array::from_fn(|j| curvatures[i][j] + noise(i, j)))
    }

    /// The covariances of heights beforehand.
    fn prior(&self, speed: f64) -> Square {
        let tilts = self.knots.map(|knot| self.tilt * (knot - self.centre));
        let tilted = std::array::from_fn(|i| tilts.map(|tilt| tilts[i] * tilt));
        plus(&prior(self.shift, speed), &tilted)
    }

    /// The counts of all places, as the histogram has them.
    fn counts(&self) -> Vec<f64> {
        self.places.iter().map(|place| place.count).collect()
    }

    /// The same, changed by what the histogram's noise and the residuals make the likeliest at these heights.
    ///
    /// With u the change of the residuals by a record more in a bin, residuals are D + Σ u·x + N(0, V) for
    /// changes x that are N(0, σ²) of each bin beforehand: x = σ²·uᵀ·(V + σ²·Σ uuᵀ)⁻¹·(residuals − D).
    fn likeliest_counts(&self, heights: &PerKnot) -> Vec<f64> {
        let mut counts = self.counts();
        let (sums, curvatures) = self.derivatives(heights, &counts);
        let one = |bin: &[Place]| {
            let mut change = [0.0; KNOTS];
            for place in bin {
                let (k, parts) = place.hats;
                let more = (place.probability(heights) - place.p) / PLACES as f64;
                change[k] += more * parts[0];
                change[k + 1] += more * parts[1];
            }
            change
        };
        let changes: Vec<PerKnot> = self.places.chunks(PLACES).map(one).collect();
        let mut expected = self.sampled(&curvatures);
        for change in &changes {
            let of_bin = std::array::from_fn(|i| change.map(|c| self.of_bins * change[i] * c));
            expected = plus(&expected, &of_bin);
        }
        let unexplained: PerKnot = std::array::from_fn(|k| self.residuals[k] - sums[k]);
        let Some(factor) = Cholesky::of(expected.concat(), KNOTS) else {
            return counts;
        };
        let solved = factor.solve(&unexplained);
        for (bin, change) in counts.chunks_mut(PLACES).zip(&changes) {
            let more: f64 = change.iter().zip(&solved).map(|(a, b)| a * b).sum();
            for count in bin {
                *count = (*count + self.of_bins * more / PLACES as f64).max(0.0);
            }
        }
        counts
    }

    /// Σ (p − p₀)·φ for these heights, where p₀ is the line's, and Σ p(1 − p)·φφᵀ.
    fn derivatives(&self, heights: &PerKnot, counts: &[f64]) -> (PerKnot, Square) {
        let mut sums = [0.0; KNOTS];
        let mut curvatures = [[0.0; KNOTS]; KNOTS];
        for (place, count) in self.places.iter().zip(counts) {
            let (k, parts) = place.hats;
            let p = place.probability(heights);
            let curvature = count * p * (1.0 - p);
            for (i, part) in parts.iter().enumerate() {
                sums[k + i] += count * (p - place.p) * part;
                for (j, other) in parts.iter().enumerate() {
                    curvatures[k + i][k + j] += curvature * part * other;
                }
            }
        }
        (sums, curvatures)
    }
}

impl Place {
    /// The probability of the second class for these heights.
    fn probability(&self, heights: &PerKnot) -> f64 {
        let (k, parts) = self.hats;
        sigmoid(parts[0] * heights[k] + parts[1] * heights[k + 1] + self.beyond)
    }
}

/// The log-odds of the mean probability, where log-odds are normal.
fn moderate(mean: f64, variance: f64) -> f64 {
    let (points, apart) = POINTS;
    let (mut second, mut first) = (0.0, 0.0);
    for point in -points..=points {
        let x = apart * f64::from(point);
        let weight = (-0.5 * x * x).exp();
        let log_odds = mean + variance.sqrt() * x;
        // Either by itself: 1 − p would round to 0.
        second += weight * sigmoid(log_odds);
        first += weight * sigmoid(-log_odds);
    }
    match second > 0.0 && first > 0.0 {
        true => (second / first).ln(),
        false => mean,
    }
}

/// The covariances of heights beforehand: a shift, and a Brownian motion from the middle knot on, which itself
/// is as far off as an outer one from it: only of a straight map is the sum of probabilities known.
fn prior(shift: f64, speed: f64) -> Square {
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

fn times(matrix: &Square, vector: &[f64]) -> PerKnot {
    let row = |k: usize| matrix[k].iter().zip(vector).map(|(a, b)| a * b).sum();
    std::array::from_fn(row)
}

fn product(a: &Square, b: &Square) -> Square {
    let entry = |i: usize, j: usize| (0..KNOTS).map(|k| a[i][k] * b[k][j]).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
}

fn plus(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| a[i][j] + b[i][j]))
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
