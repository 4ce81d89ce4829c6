//! The heights of a bent map, from released residuals and the released histogram of margins.
//!
//! Residuals are released at the line, and differences from there are added up over the histogram. So neither
//! the coarseness of the histogram nor its noise matters but to second order. Of a rare class
//! that matters too: all of its records may be in bins that seem empty. So the counts of the bins are
//! unknowns beside the heights, as far from those released as their noise lets expect.
//!
//! Heights beforehand: a shift and a tilt, as the noise of the line lets expect, and a Brownian motion around
//! it, from knot to knot, whose speed is not known; each of a few speeds counts by how likely it makes what was
//! released. Where noise exceeds what there is to see, that is a speed of 0, and the map stays straight.
//!
//! A height in the map is the log-odds of the mean probability that is left: the less is known, the
//! nearer it is to even odds. Log-odds that are too large cost more than those that are too small.

use super::curve::{KNOTS, PerKnot, reach};
use super::margin_bins::PLACES;
use super::{CalibrationMap, sigmoid};
use crate::solve::Cholesky;

/// The slope of the map where margins were not told apart, as a part of the line's: they may be as likely as
/// their neighbours, or far more so.
const SLOPE_BEYOND: f64 = 0.4;
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

/// A matrix of a number per pair of knots.
type Square = [PerKnot; KNOTS];

/// Records about where they are, on the line.
pub(super) struct Place {
    /// How much of the height of the line is beyond the outer knots: there the map goes on with the
    /// line's slope.
    pub beyond: f64,
    /// The line's probability.
    pub p: f64,
    pub count: f64,
    pub hats: (usize, [f64; 2]),
}

/// What heights are fitted to.
pub(super) struct Bends {
    pub knots: PerKnot,
    /// As many per bin.
    pub places: Vec<Place>,
    /// The variance of a bin's count.
    pub of_bins: f64,
    /// Σ (y − p)·φ.
    pub residuals: PerKnot,
    /// The covariances of its noise: σ²·(1 − shared·11ᵀ).
    pub variance: f64,
    pub shared: f64,
    /// The deviations of a shift and of a tilt beforehand, and where a tilt is around.
    pub shift: f64,
    pub tilt: f64,
    pub centre: f64,
    /// The least and the largest value on the line that a margin may have.
    pub ends: (f64, f64),
}

/// What is known of heights above the line, for one speed.
struct Posterior {
    shifts: PerKnot,
    variances: PerKnot,
    /// The logarithm of how likely the speed makes the residuals.
    log: f64,
}

impl Bends {
    /// The map of the posterior: its heights are the log-odds of mean probabilities, made to increase.
    pub fn map(&self) -> CalibrationMap {
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
