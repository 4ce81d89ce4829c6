//! Where margins are: a noisy histogram, without classes.
//!
//! Bins are finest around the log-odds of the class rates, and each is 2^¼ as wide as the one before: margins
//! of any scale are seen, but those that are shifted from there by several times their spread fall into few
//! bins.

use super::Asking;
use crate::fit::FitError;
use crate::mechanism::gaussian;
use crate::population::MarginHistogram;
use crate::privacy::NoiseMultiplier;

/// Edges on either side of 0, each a factor 2^¼ apart.
const LEVELS: i32 = 40;
/// How many deviations of noise a count must have for its bin to be surely taken.
const CLEAR: f64 = 4.0;
/// How many deviations of a Gaussian are taken in any case.
const WIDE: f64 = 2.5;
/// The places that a bin's records are spread over.
pub(super) const PLACES: usize = 4;

/// Bins, and about how many records are in each.
pub(super) struct MarginBins {
    pub middles: Vec<f64>,
    pub counts: Vec<f64>,
    /// The standard deviation of the noise that is left in a count.
    pub deviation: f64,
    /// The standard deviation of the noise that was released with it.
    pub noise: f64,
    pub edges: Vec<f64>,
}

impl Asking<'_> {
    /// The histogram of margins, shrunk towards a Gaussian by its noise (James and Stein 1961).
    pub fn bins(&mut self, noise: NoiseMultiplier) -> Result<MarginBins, FitError> {
        let levels: Vec<f64> = (0..LEVELS)
            .map(|j| self.margins.largest * 2f64.powf(-0.25 * f64::from(j)))
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
        let deviation = query.sensitivity() * noise.get();
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
        let shrunk = |bin: usize| match used[bin] {
            true => gaussian[bin] + kept * (released[bin] - gaussian[bin]),
            false => f64::NEG_INFINITY,
        };
        let counts = projected((0..released.len()).map(shrunk).collect(), total);
        Self {
            middles,
            counts,
            deviation: kept * deviation,
            noise: deviation,
            edges,
        }
    }

    /// The margin that this share of the records is below.
    pub fn quantile(&self, share: f64) -> f64 {
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

    /// Margins in increasing order, each with about how many records are there: those of a bin are
    /// spread evenly over it. A bin that seems empty has its places too: a rare class may be in it.
    pub fn spread(&self) -> Vec<(f64, f64)> {
        let bins = self.edges.windows(2).zip(&self.counts);
        let places = bins.flat_map(|(ends, count)| {
            let place = |k: usize| (k as f64 + 0.5) / PLACES as f64;
            let at = move |k| ends[0] + (ends[1] - ends[0]) * place(k);
            (0..PLACES).map(move |k| (at(k), count / PLACES as f64))
        });
        places.collect()
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

/// The nearest counts that are not negative and add up to the total: all are smaller by the same number, and none
/// is below 0. (Cutting negative ones alone would leave noise where there are no records, and take it from where
/// they are.)
fn projected(counts: Vec<f64>, total: f64) -> Vec<f64> {
    let mut sorted: Vec<f64> = counts.iter().copied().filter(|c| c.is_finite()).collect();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut less) = (0.0, 0.0);
    for (k, count) in sorted.iter().enumerate() {
        sum += count;
        let mean = (sum - total) / (k + 1) as f64;
        if *count > mean {
            less = mean;
        }
    }
    counts.iter().map(|count| (count - less).max(0.0)).collect()
}
