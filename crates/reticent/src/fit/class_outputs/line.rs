//! The slope and the offset of the probability of the rarer class, from its count and the mean of its
//! margins: the sufficient statistics of logistic regression on one number.

use super::margin_bins::MarginBins;
use super::sigmoid;

/// The deviation of the slope beforehand, on a scale on which margins span 1: this, and this times the
/// square of the rarer class's share.
const PRIOR: (f64, f64) = (6.0, 80.0);
/// The slopes that are considered.
const SLOPES: (f64, f64, i32) = (0.05, 80.0, 120);

/// What a slope and an offset are fitted to.
pub(super) struct ClassSums {
    /// How many records the rarer class has, and Σ τ over them.
    pub count: f64,
    pub sum: f64,
    /// The variances of their noise.
    pub variances: (f64, f64),
}

/// The bins on the scale of the fit.
pub(super) struct Scaled<'a> {
    bins: &'a MarginBins,
    /// τ, and the same without a clip.
    tau: Vec<f64>,
    free: Vec<f64>,
}

impl<'a> Scaled<'a> {
    pub fn new(bins: &'a MarginBins, centre: f64, width: f64) -> Self {
        let on_scale = |most: f64| {
            let scaled = bins.middles.iter().map(move |t| (t - centre) / width);
            scaled.map(move |t| t.clamp(-most, most)).collect()
        };
        Self {
            bins,
            tau: on_scale(0.5),
            free: on_scale(f64::INFINITY),
        }
    }

    /// Σ p and Σ p·τ over the bins.
    fn sums(&self, slope: f64, offset: f64) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        let bins = self.bins.counts.iter().zip(&self.free).zip(&self.tau);
        for ((count, free), tau) in bins {
            let expected = count * sigmoid(slope * free + offset);
            sums.0 += expected;
            sums.1 += expected * tau;
        }
        sums
    }

    /// The posterior mean of the slope, and the offset at which probabilities add up to the count.
    pub fn fit(&self, target: &ClassSums) -> (f64, f64) {
        let total: f64 = self.bins.counts.iter().sum();
        let rare = (target.count / total).min(0.5);
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

    /// The offset at which probabilities add up to the count: they increase with it.
    fn offset(&self, slope: f64, target: &ClassSums) -> f64 {
        let (mut low, mut high) = (-60.0 - slope, 60.0 + slope);
        let above = |offset: f64| self.sums(slope, offset).0 > target.count;
        if above(low) || !above(high) {
            let total: f64 = self.bins.counts.iter().sum();
            let share = (target.count / total).clamp(1e-9, 1.0 - 1e-9);
            return (share / (1.0 - share)).ln();
        }
        while high - low > 1e-7 {
            let middle = (low + high) / 2.0;
            if above(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        (low + high) / 2.0
    }

    /// The log-likelihood of Σ v·τ, given the count: its noise, the sampling of the classes, and the
    /// noise of the histogram.
    fn log_likelihood(&self, slope: f64, offset: f64, target: &ClassSums) -> f64 {
        let probability = |free: f64| sigmoid(slope * free + offset);
        let (_, expected) = self.sums(slope, offset);
        let bins = || self.bins.counts.iter().zip(&self.free).zip(&self.tau);
        let curvature = |count: f64, free: f64| {
            let p = probability(free);
            count * p * (1.0 - p)
        };
        let (mut sum, mut mean) = (0.0, 0.0);
        for ((count, free), tau) in bins() {
            let weight = curvature(*count, *free);
            sum += weight;
            mean += weight * tau;
        }
        mean /= sum.max(1e-9);
        let noise = self.bins.deviation * self.bins.deviation;
        let mut variance = target.variances.1 + mean * mean * target.variances.0;
        for ((count, free), tau) in bins() {
            let from_mean = (tau - mean) * (tau - mean);
            variance += curvature(*count, *free) * from_mean;
            if *count > 0.0 {
                variance += noise * probability(*free).powi(2) * from_mean;
            }
        }
        -(target.sum - expected).powi(2) / (2.0 * variance) - 0.5 * variance.ln()
    }
}
