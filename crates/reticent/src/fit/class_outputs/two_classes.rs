//! Two classes: the slope and the offset of the probability of a margin.
//!
//! Three releases. A histogram of margins, without classes, tells where they are: predictions
//! can then be added up for any slope and offset at no further cost. Two sums over the rarer class,
//! its count and the mean of its margins, are what a slope and an offset are fitted to (they are the
//! sufficient statistics of logistic regression on one number). Two sums of the probabilities that
//! were found correct for the coarseness of the histogram. The slope is a posterior mean: where noise
//! exceeds what was released, it is small, and probabilities are near the base rate.
//!
//! Bins are finest around the log-odds of the class rates, and each is √2 as wide as the one before: margins
//! of any scale are seen, but those that are shifted from there by several times their spread fall into few
//! bins, and their slope is found roughly or not at all.

use super::Asking;
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::{MarginHistogram, MarginSums, MarginWeight};
use crate::privacy::NoiseMultiplier;

/// Edges on either side of 0, each a factor √2 apart.
const LEVELS: i32 = 20;
/// How many deviations of noise a count must have for its bin to be surely taken.
const CLEAR: f64 = 4.0;
/// How many deviations of a Gaussian are taken in any case.
const WIDE: f64 = 2.5;
/// The largest share of margins beyond either end of the scale; for a rare class, this part of its share.
const TAIL: f64 = 0.005;
const RARE_TAIL: f64 = 0.25;
/// The deviation of the slope beforehand, on a scale on which margins span 1: this, and this times the
/// square of the rarer class's share.
const PRIOR: (f64, f64) = (6.0, 80.0);
/// The last step towards an offset, and how many may be Newton's: some six are enough.
const OFFSET_TOLERANCE: f64 = 1e-7;
const NEWTON_STEPS: u32 = 30;
/// The slopes that are considered.
const SLOPES: (f64, f64, i32) = (0.05, 80.0, 120);

/// Where margins are: bins, and about how many records are in each.
struct MarginBins {
    middles: Vec<f64>,
    counts: Vec<f64>,
    /// The standard deviation of the noise that is left in a count.
    deviation: f64,
    edges: Vec<f64>,
}

/// What a slope and an offset are fitted to.
struct Target {
    /// Σ v and Σ v·τ over the records of the rarer class, and the variances of their noise.
    count: f64,
    sum: f64,
    variances: (f64, f64),
    /// The same sums of probabilities, less those of the histogram, at the slope and offset where
    /// they were released.
    correction: Option<(f64, f64, (f64, f64))>,
}

/// The bins that are not empty, on the scale of the fit.
struct Scaled {
    bins: Vec<ScaledBin>,
    /// The standard deviation of the noise that is left in a count.
    deviation: f64,
}

struct ScaledBin {
    count: f64,
    /// τ, and the same with the reach of a probability.
    tau: f64,
    reach: f64,
}

impl Asking<'_> {
    /// The slope and the offset of margins, which are measured from their origin.
    pub fn two_classes(
        &mut self,
        histogram: NoiseMultiplier,
        class: NoiseMultiplier,
        probabilities: NoiseMultiplier,
    ) -> Result<(f64, f64), FitError> {
        let bins = self.bins(histogram)?;
        let total = self.rates.total;
        let first = self.rates.second() > total / 2.0;
        let counted = if first {
            total - self.rates.second()
        } else {
            self.rates.second()
        };
        let rare = (counted / total).clamp(0.0, 0.5);
        let tail = TAIL.min(RARE_TAIL * rare);
        let (low, high) = (bins.quantile(tail), bins.quantile(1.0 - tail));
        let centre = (low + high) / 2.0;
        // Turned round if the first class is the rarer one: its probability falls with the margin.
        let width = if first { low - high } else { high - low };
        if width == 0.0 || !width.is_finite() {
            return Ok((1.0, self.margins.origins[0]));
        }
        let sums = |weight| MarginSums {
            model: self.margins.functions(),
            centre,
            width,
            weight,
        };
        let weight = MarginWeight::Class { first };
        let query = sums(weight).ask(self.population);
        let released = gaussian(&query, class, self.ledger, self.randomness)?.to_real();
        let variance = (MarginSums::moved(weight) * class.get()).powi(2);
        let of_counts = self.rates.deviation.powi(2);
        // Two counts of the same records, each by the other's variance.
        let joint = variance * of_counts / (variance + of_counts);
        let count = (variance * counted + of_counts * released[0]) / (variance + of_counts);
        let deviation = joint.sqrt();
        let second_variance = variance / (MarginSums::SECOND * MarginSums::SECOND);
        let mut target = Target {
            count: count.clamp(
                (deviation / 2.0).max(1.0),
                (total / 2.0 + deviation).max(1.0),
            ),
            sum: released[1] / MarginSums::SECOND,
            variances: (joint, second_variance),
            correction: None,
        };
        let scaled = Scaled::new(&bins, centre, width);
        let (slope, offset) = scaled.fit(&target);
        let weight = MarginWeight::Probability {
            slope,
            offset,
            most: sigmoid(slope * MarginSums::REACH + offset),
        };
        let query = sums(weight).ask(self.population);
        let released = gaussian(&query, probabilities, self.ledger, self.randomness)?.to_real();
        let variance = (MarginSums::moved(weight) * probabilities.get()).powi(2);
        let (of_count, of_sum) = scaled.sums(slope, offset);
        target.correction = Some((
            released[0] - of_count,
            released[1] / MarginSums::SECOND - of_sum,
            (slope, offset),
        ));
        target.variances.0 += variance;
        target.variances.1 += variance / (MarginSums::SECOND * MarginSums::SECOND);
        let (slope, offset) = scaled.fit(&target);
        let (slope, offset) = (slope / width, offset - slope * centre / width);
        // Turned round: the probability of the second class is 1 less that of the first.
        Ok(if first {
            (-slope, -offset)
        } else {
            (slope, offset)
        })
    }

    /// The histogram of margins, shrunk towards a Gaussian by its noise (James and Stein 1961).
    fn bins(&mut self, noise: NoiseMultiplier) -> Result<MarginBins, FitError> {
        let levels: Vec<f64> = (0..LEVELS)
            .map(|j| self.margins.largest * 2f64.powf(-0.5 * f64::from(j)))
            .collect();
        let negative = levels.iter().map(|level| -level);
        let edges: Vec<f64> = negative
            .chain([0.0])
            .chain(levels.iter().rev().copied())
            .collect();
        let inner = &edges[1..edges.len() - 1];
        let histogram = MarginHistogram {
            model: self.margins.functions(),
            edges: inner,
        };
        let query = histogram.ask(self.population);
        let released = gaussian(&query, noise, self.ledger, self.randomness)?.to_real();
        let deviation = MarginHistogram::moved(self.ledger.adjacency()) * noise.get();
        Ok(MarginBins::shrunk(
            edges,
            &released,
            deviation,
            self.rates.total,
        ))
    }
}

impl MarginBins {
    fn shrunk(edges: Vec<f64>, released: &[f64], deviation: f64, total: f64) -> Self {
        let levels = edges.iter().filter(|edge| **edge > 0.0);
        let gaussians = levels.map(|spread| (*spread, normal_counts(&edges, *spread, total)));
        let distance = |counts: &[f64]| -> f64 {
            let pairs = counts.iter().zip(released);
            pairs.map(|(a, b)| (a - b) * (a - b)).sum()
        };
        let nearest = gaussians.min_by(|(_, a), (_, b)| distance(a).total_cmp(&distance(b)));
        let (spread, gaussian) = nearest.unwrap_or((1.0, vec![0.0; released.len()]));
        let clear: Vec<usize> = (0..released.len())
            .filter(|bin| released[*bin] > CLEAR * deviation)
            .collect();
        let low = clear.first().map_or(f64::INFINITY, |bin| edges[*bin]);
        let high = clear
            .last()
            .map_or(f64::NEG_INFINITY, |bin| edges[*bin + 1]);
        let (low, high) = (low.min(-WIDE * spread), high.max(WIDE * spread));
        let middles: Vec<f64> = edges
            .windows(2)
            .map(|ends| (ends[0] + ends[1]) / 2.0)
            .collect();
        let used: Vec<bool> = middles.iter().map(|t| (low..=high).contains(t)).collect();
        let differences = (0..released.len()).filter(|bin| used[*bin]);
        let squares: f64 = differences
            .map(|bin| (released[bin] - gaussian[bin]).powi(2))
            .sum();
        let noise = used.iter().filter(|used| **used).count() as f64 * deviation * deviation;
        let kept = (1.0 - noise / squares.max(f64::MIN_POSITIVE)).max(0.0);
        let count = |bin: usize| match used[bin] {
            true => (gaussian[bin] + kept * (released[bin] - gaussian[bin])).max(0.0),
            false => 0.0,
        };
        let mut counts: Vec<f64> = (0..released.len()).map(count).collect();
        let mut sum: f64 = counts.iter().sum();
        if sum == 0.0 {
            // Noise took everything: what is left is the Gaussian.
            sum = gaussian.iter().sum();
            counts = gaussian;
        }
        counts.iter_mut().for_each(|count| *count *= total / sum);
        Self {
            middles,
            counts,
            deviation: kept * deviation,
            edges,
        }
    }

    /// The margin that this share of the records is below.
    fn quantile(&self, share: f64) -> f64 {
        let wanted = share * self.counts.iter().sum::<f64>();
        let mut below = 0.0;
        for (bin, count) in self.counts.iter().enumerate() {
            if below + count >= wanted && *count > 0.0 {
                let (low, high) = (self.edges[bin], self.edges[bin + 1]);
                return low + (high - low) * ((wanted - below) / count).clamp(0.0, 1.0);
            }
            below += count;
        }
        self.edges[self.edges.len() - 1]
    }
}

/// How many of `total` records a Gaussian of this spread has in each bin; the outer ones have no end.
fn normal_counts(edges: &[f64], spread: f64, total: f64) -> Vec<f64> {
    let below = |edge: f64| 0.5 * libm::erfc(-edge / spread * std::f64::consts::FRAC_1_SQRT_2);
    let last = edges.len() - 1;
    let end = |place: usize| match place {
        0 => 0.0,
        place if place == last => 1.0,
        place => below(edges[place]),
    };
    (0..last)
        .map(|bin| total * (end(bin + 1) - end(bin)))
        .collect()
}

impl Scaled {
    fn new(bins: &MarginBins, centre: f64, width: f64) -> Self {
        let scaled = |(middle, count): (&f64, &f64)| {
            let t = (middle - centre) / width;
            ScaledBin {
                count: *count,
                tau: t.clamp(-0.5, 0.5),
                reach: t.clamp(-MarginSums::REACH, MarginSums::REACH),
            }
        };
        let all = bins.middles.iter().zip(&bins.counts).map(scaled);
        Self {
            bins: all.filter(|bin| bin.count > 0.0).collect(),
            deviation: bins.deviation,
        }
    }

    /// About how many records there are.
    fn total(&self) -> f64 {
        self.bins.iter().map(|bin| bin.count).sum()
    }

    /// Σ p and Σ p·τ over the bins.
    fn sums(&self, slope: f64, offset: f64) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for bin in &self.bins {
            let expected = bin.count * sigmoid(slope * bin.reach + offset);
            sums.0 += expected;
            sums.1 += expected * bin.tau;
        }
        sums
    }

    /// The posterior mean of the slope, and the offset at which probabilities add up to the count.
    fn fit(&self, target: &Target) -> (f64, f64) {
        let rare = (target.count / self.total()).min(0.5);
        let prior = PRIOR.0 + PRIOR.1 * rare * rare;
        let (least, most, count) = SLOPES;
        let slope = |k: i32| least * (most / least).powf(f64::from(k) / f64::from(count - 1));
        let slopes: Vec<f64> = [0.0].into_iter().chain((0..count).map(slope)).collect();
        let of_slope = |slope: &f64| {
            let offset = self.offset(*slope, target);
            let likelihood = self.log_likelihood(*slope, offset, target);
            (offset, likelihood - slope * slope / (2.0 * prior * prior))
        };
        let fits: Vec<(f64, f64)> = slopes.iter().map(of_slope).collect();
        let best = fits
            .iter()
            .map(|(_, log)| *log)
            .fold(f64::NEG_INFINITY, f64::max);
        let last = slopes.len() - 1;
        let (mut sum, mut weights) = (0.0, 0.0);
        for (k, (_, log)) in fits.iter().enumerate() {
            // The trapezoidal rule.
            let width = slopes[(k + 1).min(last)] - slopes[k.saturating_sub(1)];
            let weight = (log - best).exp() * width;
            sum += weight * slopes[k];
            weights += weight;
        }
        // Above 0, so that the order of scores is kept.
        let slope = (sum / weights).clamp(least, most);
        (slope, self.offset(slope, target))
    }

    /// The offset at which probabilities add up to the count, with which they increase: Newton's
    /// steps, and half of what is left between the ends where they would leave it.
    fn offset(&self, slope: f64, target: &Target) -> f64 {
        let shift = target.correction.map_or(0.0, |(of_count, ..)| of_count);
        let wanted = target.count - shift;
        let (mut low, mut high) = (-60.0 - slope, 60.0 + slope);
        let above = |offset: f64| self.sums(slope, offset).0 > wanted;
        let share = (target.count / self.total()).clamp(1e-9, 1.0 - 1e-9);
        let log_odds = (share / (1.0 - share)).ln();
        if above(low) || !above(high) {
            return log_odds;
        }
        let (mut offset, mut step) = (log_odds, 0);
        loop {
            let (mut excess, mut increase) = (-wanted, 0.0);
            for bin in &self.bins {
                let p = sigmoid(slope * bin.reach + offset);
                excess += bin.count * p;
                increase += bin.count * p * (1.0 - p);
            }
            match excess > 0.0 {
                true => high = offset,
                false => low = offset,
            }
            let next = offset - excess / increase;
            let newton = step < NEWTON_STEPS && low <= next && next <= high;
            let next = if newton { next } else { (low + high) / 2.0 };
            if (next - offset).abs() <= OFFSET_TOLERANCE {
                return next;
            }
            offset = next;
            step += 1;
        }
    }

    /// The log-likelihood of Σ v·τ, given the count: its noise, the sampling of the classes, and the
    /// noise of the histogram.
    fn log_likelihood(&self, slope: f64, offset: f64, target: &Target) -> f64 {
        let probability = |reach: f64| sigmoid(slope * reach + offset);
        let (_, mut expected) = self.sums(slope, offset);
        let mut there = None;
        if let Some((_, of_sum, fitted)) = target.correction {
            expected += of_sum;
            there = Some(fitted);
        }
        let curvature = |bin: &ScaledBin| {
            let p = probability(bin.reach);
            bin.count * p * (1.0 - p)
        };
        let (mut sum, mut mean) = (0.0, 0.0);
        for bin in &self.bins {
            let weight = curvature(bin);
            sum += weight;
            mean += weight * bin.tau;
        }
        mean /= sum.max(1e-9);
        let noise = self.deviation * self.deviation;
        let mut variance = target.variances.1 + mean * mean * target.variances.0;
        for bin in &self.bins {
            let from_mean = (bin.tau - mean) * (bin.tau - mean);
            variance += curvature(bin) * from_mean;
            // The histogram is used for differences from what was released.
            let at_release = there.map_or(0.0, |(a, b)| sigmoid(a * bin.reach + b));
            variance += noise * (probability(bin.reach) - at_release).powi(2) * from_mean;
        }
        -(target.sum - expected).powi(2) / (2.0 * variance) - 0.5 * variance.ln()
    }
}

fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset by halving alone.
    fn halved(scaled: &Scaled, slope: f64, wanted: f64) -> f64 {
        let (mut low, mut high) = (-200.0, 200.0);
        while high - low > 1e-9 {
            let middle = (low + high) / 2.0;
            match scaled.sums(slope, middle).0 > wanted {
                true => high = middle,
                false => low = middle,
            }
        }
        (low + high) / 2.0
    }

    #[test]
    fn an_offset_adds_probabilities_up_to_the_count() {
        let bins = MarginBins {
            middles: vec![-40.0, -3.0, -0.5, 0.0, 0.2, 1.0, 30.0],
            counts: vec![900.0, 0.0, 4000.0, 100.0, 0.0, 2000.0, 5.0],
            deviation: 10.0,
            edges: Vec::new(),
        };
        for (centre, width) in [(0.0, 4.0), (-5.0, 60.0), (0.3, 0.1), (0.0, -8.0)] {
            let scaled = Scaled::new(&bins, centre, width);
            for slope in [0.0, 0.05, 1.0, 8.0, 80.0] {
                for count in [1.0, 3.0, 40.0, 2100.0, 3500.0, 6900.0] {
                    for correction in [None, Some((-0.5, 0.0, (1.0, 0.0)))] {
                        let target = Target {
                            count,
                            sum: 0.0,
                            variances: (1.0, 1.0),
                            correction,
                        };
                        let shift = correction.map_or(0.0, |(of_count, ..)| of_count);
                        let expected = halved(&scaled, slope, count - shift);
                        let found = scaled.offset(slope, &target);
                        let setting = (width, slope, count);
                        assert!((found - expected).abs() < 1e-6, "{setting:?}: {found}");
                    }
                }
            }
        }
    }
}
