//! The slope and the offset of the probability of the rarer class, from its count and the mean of its
//! margins: the sufficient statistics of logistic regression on one number.

use super::margin_bins::MarginBins;
use super::sigmoid;

/// The deviation of the slope beforehand, on a scale on which margins span 1: this, and this times the
/// square of the rarer class's share.
const PRIOR: (f64, f64) = (6.0, 80.0);
/// The last step towards an offset, and how many may be Newton's: some six are enough.
const OFFSET_TOLERANCE: f64 = 1e-7;
const NEWTON_STEPS: u32 = 30;
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

/// The bins that are not empty, on the scale of the fit.
pub(super) struct Scaled {
    bins: Vec<ScaledBin>,
    /// The standard deviation of the noise that is left in a count.
    deviation: f64,
}

struct ScaledBin {
    count: f64,
    /// τ, and the same without a clip.
    tau: f64,
    free: f64,
}

impl Scaled {
    pub fn new(bins: &MarginBins, centre: f64, width: f64) -> Self {
        let scaled = |(middle, count): (&f64, &f64)| {
            let free = (middle - centre) / width;
            ScaledBin {
                count: *count,
                tau: free.clamp(-0.5, 0.5),
                free,
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
            let expected = bin.count * sigmoid(slope * bin.free + offset);
            sums.0 += expected;
            sums.1 += expected * bin.tau;
        }
        sums
    }

    /// The posterior mean of the slope and its deviation as a part of it, and the offset at which
    /// probabilities add up to the count.
    pub fn fit(&self, target: &ClassSums) -> ((f64, f64), f64) {
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
        let (mut sum, mut squares, mut weights) = (0.0, 0.0, 0.0);
        for (k, (_, log)) in fits.iter().enumerate() {
            // The trapezoidal rule.
            let width = slopes[(k + 1).min(last)] - slopes[k.saturating_sub(1)];
            let weight = (log - best).exp() * width;
            sum += weight * slopes[k];
            squares += weight * slopes[k] * slopes[k];
            weights += weight;
        }
        // Above 0, so that the order of scores is kept.
        let slope = (sum / weights).clamp(least, most);
        let variance = squares / weights - (sum / weights).powi(2);
        let deviation = variance.max(0.0).sqrt() / slope;
        ((slope, deviation), self.offset(slope, target))
    }

    /// The offset at which probabilities add up to the count, with which they increase: Newton's
    /// steps, and half of what is left between the ends where they would leave it.
    fn offset(&self, slope: f64, target: &ClassSums) -> f64 {
        let (mut low, mut high) = (-60.0 - slope, 60.0 + slope);
        let above = |offset: f64| self.sums(slope, offset).0 > target.count;
        let share = (target.count / self.total()).clamp(1e-9, 1.0 - 1e-9);
        let log_odds = (share / (1.0 - share)).ln();
        if above(low) || !above(high) {
            return log_odds;
        }
        let (mut offset, mut step) = (log_odds, 0);
        loop {
            let (mut excess, mut increase) = (-target.count, 0.0);
            for bin in &self.bins {
                let p = sigmoid(slope * bin.free + offset);
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
    fn log_likelihood(&self, slope: f64, offset: f64, target: &ClassSums) -> f64 {
        let probability = |bin: &ScaledBin| sigmoid(slope * bin.free + offset);
        let (_, expected) = self.sums(slope, offset);
        let curvature = |bin: &ScaledBin| {
            let p = probability(bin);
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
            variance += noise * probability(bin).powi(2) * from_mean;
        }
        -(target.sum - expected).powi(2) / (2.0 * variance) - 0.5 * variance.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The offset by halving alone.
    fn halved(scaled: &Scaled, slope: f64, wanted: f64) -> f64 {
        let (mut low, mut high) = (-600.0, 600.0);
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
            middles: vec![-4.0, -3.0, -0.5, 0.0, 0.2, 1.0, 3.0],
            counts: vec![900.0, 0.0, 4000.0, 100.0, 0.0, 2000.0, 5.0],
            deviation: 10.0,
            noise: 10.0,
            edges: Vec::new(),
        };
        for (centre, width) in [(0.0, 4.0), (-1.0, 6.0), (0.3, 5.0), (0.0, -8.0)] {
            let scaled = Scaled::new(&bins, centre, width);
            for slope in [0.0, 0.05, 1.0, 8.0, 80.0] {
                for count in [1.0, 3.0, 40.0, 2100.0, 3500.0, 6900.0] {
                    let target = ClassSums {
                        count,
                        sum: 0.0,
                        variances: (1.0, 1.0),
                    };
                    let expected = halved(&scaled, slope, count);
                    let found = scaled.offset(slope, &target);
                    let setting = (width, slope, count);
                    assert!((found - expected).abs() < 1e-6, "{setting:?}: {found}");
                }
            }
        }
    }
}
