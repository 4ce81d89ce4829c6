//! How much of each weight is taken for signal: the posterior mean under a prior that the weights of
//! the table itself tell (empirical Bayes; Robbins 1956, Johnstone and Silverman 2004).
//!
//! A weight is its signal plus noise of known deviation. Which signals are likely is a mixture of
//! normals around 0, of fixed widths, whose proportions are those that make the released weights
//! likeliest. Where few of many columns matter small weights are then shrunk hard and large ones
//! hardly at all; where all matter a little, nearly nothing is. One threshold would fit one of
//! these.
//!
//! Everything is computed from released values.

/// The widths of the normals that signals are drawn from, in deviations of the noise.
const WIDTHS: [f64; 7] = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// Weights are counted on a grid of this many knots per deviation, up to this many deviations: beyond
/// that there is nothing to shrink.
const KNOTS_PER_DEVIATION: f64 = 8.0;
const MOST_DEVIATIONS: f64 = 16.0;
const KNOTS: usize = 129;
/// What each width counts beforehand, in weights: no proportion ever becomes 0.
const PSEUDO_COUNT: f64 = 1e-3;

/// How many rounds towards the likeliest proportions a step takes, and the end of a descent.
pub(super) const ROUNDS: usize = 2;
pub(super) const LAST_ROUNDS: usize = 50;

/// A value per width.
type PerWidth = [f64; WIDTHS.len()];

/// What of the point that an optimiser has reached is taken for signal, step after step.
pub(in crate::fit) struct Signals {
    shrinkage: Shrinkage,
    /// Where less than this share of a weight is likely to be signal, it is 0.
    least: f64,
}

impl Signals {
    pub fn new(least: f64) -> Self {
        let shrinkage = Shrinkage::new();
        Self { shrinkage, least }
    }

    /// Makes each weight the part of it that is taken for signal. Weights hold noise of this deviation.
    pub fn keep(&mut self, weights: &mut [f64], noise: f64, at_end: bool) {
        let rounds = if at_end { LAST_ROUNDS } else { ROUNDS };
        self.shrinkage.learn(&Counts::of(weights, noise), rounds);
        self.shrinkage.shares().keep(weights, noise, self.least);
    }
}

/// The proportions found so far.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shrinkage {
    proportions: PerWidth,
    /// The density of a weight of each width at each knot.
    densities: Vec<PerWidth>,
}

impl Shrinkage {
    /// Before any weight is known, all widths are as likely.
    pub fn new() -> Self {
        let density = |deviations: f64, width: f64| {
            let variance = 1.0 + width * width;
            (-0.5 * deviations * deviations / variance).exp() / variance.sqrt()
        };
        let at =
            |knot: usize| WIDTHS.map(|width| density(knot as f64 / KNOTS_PER_DEVIATION, width));
        Self {
            proportions: [1.0 / WIDTHS.len() as f64; WIDTHS.len()],
            densities: (0..KNOTS).map(at).collect(),
        }
    }

    /// Takes `rounds` rounds of expectation maximisation towards the proportions that make weights that
    /// were counted likeliest.
    pub fn learn(&mut self, counts: &Counts, rounds: usize) {
        for _ in 0..rounds {
            let mut sums = [PSEUDO_COUNT; WIDTHS.len()];
            for (count, densities) in counts.0.iter().zip(&self.densities) {
                if *count > 0 {
                    let posterior = self.posterior(densities);
                    for (sum, share) in sums.iter_mut().zip(posterior) {
                        *sum += *count as f64 * share;
                    }
                }
            }
            let total: f64 = sums.iter().sum();
            self.proportions = sums.map(|sum| sum / total);
        }
    }

    /// The share of a weight that is taken for signal, at each knot.
    pub fn shares(&self) -> Shares {
        let kept = WIDTHS.map(|width| width * width / (1.0 + width * width));
        let share = |densities: &PerWidth| {
            let posterior = self.posterior(densities);
            posterior.iter().zip(kept).map(|(p, kept)| p * kept).sum()
        };
        let beyond = [1.0];
        Shares(self.densities.iter().map(share).chain(beyond).collect())
    }

    /// How likely each width is for a weight of these densities.
    fn posterior(&self, densities: &PerWidth) -> PerWidth {
        let mut joint = *densities;
        for (density, proportion) in joint.iter_mut().zip(self.proportions) {
            *density *= proportion;
        }
        let total: f64 = joint.iter().sum();
        joint.map(|density| density / total)
    }
}

/// How many weights lie at each knot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counts([u64; KNOTS]);

impl Counts {
    /// Of these weights, each with noise of deviation `noise`.
    pub fn of(weights: &[f64], noise: f64) -> Self {
        let mut counts = [0; KNOTS];
        for weight in weights {
            let deviations = (weight / noise).abs().min(MOST_DEVIATIONS);
            counts[(deviations * KNOTS_PER_DEVIATION + 0.5) as usize] += 1;
        }
        Self(counts)
    }

    /// Adds others.
    pub fn add(&mut self, others: &Self) {
        let pairs = self.0.iter_mut().zip(others.0);
        pairs.for_each(|(count, other)| *count += other);
    }
}

/// The share of a weight that is taken for signal, at each knot and, 1, beyond.
pub(super) struct Shares(Vec<f64>);

impl Shares {
    /// Keeps the share of each weight, or nothing where that is less than `least`.
    pub fn keep(&self, weights: &mut [f64], noise: f64, least: f64) {
        for weight in weights {
            let share = self.of(*weight / noise);
            *weight *= if share < least { 0.0 } else { share };
        }
    }

    /// Of a weight of so many deviations; linear between knots.
    #[inline]
    pub fn of(&self, deviations: f64) -> f64 {
        let place = deviations.abs() * KNOTS_PER_DEVIATION;
        let knot = (place as usize).min(KNOTS - 1);
        let (below, above) = (self.0[knot], self.0[knot + 1]);
        below + (place - knot as f64).min(1.0) * (above - below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quantiles of a normal distribution of deviation 1, or nearly.
    fn noise(count: usize) -> Vec<f64> {
        let logistic = |k: usize| {
            let share = (k as f64 + 0.5) / count as f64;
            (share / (1.0 - share)).ln() / 1.702
        };
        (0..count).map(logistic).collect()
    }

    fn shares(weights: &[f64]) -> Shares {
        let mut shrinkage = Shrinkage::new();
        let weights: Vec<f64> = weights.iter().map(|w| 0.1 * w).collect();
        let (first, rest) = weights.split_at(weights.len() / 3);
        let mut counts = Counts::of(first, 0.1);
        counts.add(&Counts::of(rest, 0.1));
        assert_eq!(counts, Counts::of(&weights, 0.1));
        shrinkage.learn(&counts, 200);
        shrinkage.shares()
    }

    #[test]
    fn nothing_but_noise_is_shrunk_to_nearly_nothing() {
        let shares = shares(&noise(1000));
        assert!(shares.of(1.0) < 0.1, "{}", shares.of(1.0));
    }

    #[test]
    fn a_few_large_weights_among_noise_are_kept_and_small_ones_are_not() {
        let mut weights = noise(1000);
        weights.extend([9.0, -11.0, 12.0, -8.0, 20.0]);
        let shares = shares(&weights);
        assert!(shares.of(1.0) < 0.1, "{}", shares.of(1.0));
        assert!(shares.of(-9.0) > 0.9, "{}", shares.of(-9.0));
        assert_eq!(shares.of(1e300), 1.0);
        assert_eq!(shares.of(f64::INFINITY), 1.0);
    }

    /// Of signals with deviation 2 four fifths are kept, of whatever size.
    #[test]
    fn where_all_columns_matter_hardly_anything_is_shrunk() {
        let spread: Vec<f64> = noise(1000).iter().map(|x| 5f64.sqrt() * x).collect();
        let shares = shares(&spread);
        for deviations in [0.5, 1.0, 2.0, 4.0] {
            let share = shares.of(deviations);
            assert!((share - 0.8).abs() < 0.15, "{deviations}: {share}");
        }
    }
}
