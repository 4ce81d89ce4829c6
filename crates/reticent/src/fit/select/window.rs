//! What a histogram that may be followed by a closer one looks at: of targets and of columns alike.

/// An interval in [−1, 1] of equal bins, and the sum of the histograms of it so far, as released.
pub(super) struct Window {
    low: f64,
    high: f64,
    sums: Vec<f64>,
    histograms: f64,
}

impl Window {
    /// All of [−1, 1], in so many bins.
    pub fn whole(bins: usize) -> Self {
        Self::between((-1.0, 1.0), bins)
    }

    /// Within [−1, 1], and no narrower than floats can divide into bins.
    pub fn between((low, high): (f64, f64), bins: usize) -> Self {
        let least = 1e-12;
        let low = low.clamp(-1.0, 1.0 - least);
        Self {
            low,
            high: high.clamp(low + least, 1.0),
            sums: vec![0.0; bins],
            histograms: 0.0,
        }
    }

    /// Its ends.
    pub fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// How many bins it has.
    pub fn bins(&self) -> usize {
        self.sums.len()
    }

    /// The place of the edge before a bin, counted in bins.
    pub fn place(&self, bin: f64) -> f64 {
        self.low + (self.high - self.low) * bin / self.bins() as f64
    }

    /// The edges between bins: the first and the last hold all values beyond them too.
    pub fn edges(&self) -> Vec<f64> {
        (1..self.bins()).map(|bin| self.place(bin as f64)).collect()
    }

    /// Adds a histogram.
    pub fn add(&mut self, counts: &[f64]) {
        self.histograms += 1.0;
        let pairs = self.sums.iter_mut().zip(counts);
        pairs.for_each(|(sum, count)| *sum += count);
    }

    /// The mean of the histograms.
    pub fn mean(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum / self.histograms).collect()
    }

    /// The noise of a count of the mean, given that of one histogram.
    pub fn noise(&self, of_histogram: f64) -> f64 {
        of_histogram / self.histograms.sqrt()
    }

    /// The ends of the bins from `start` to just before `end` with `margin` more on either side, within
    /// [−1, 1].
    pub fn around(&self, (start, end): (usize, usize), margin: f64) -> (f64, f64) {
        let place = |bin: f64| self.place(bin).clamp(-1.0, 1.0);
        (place(start as f64 - margin), place(end as f64 + margin))
    }
}
