//! Where the values of a column lie, from a noisy histogram: post-processing of released counts.

/// A distribution function, piecewise linear: how many records are below each edge.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Distribution {
    /// The ends of the cells, one more than there are cells.
    edges: Vec<f64>,
    /// How many records are below each edge: from 0 to `total`, never decreasing.
    below: Vec<f64>,
    /// The same before it was made so: unbiased, with noise of a known variance.
    sums: Vec<f64>,
    /// The number of records, public or released.
    total: Estimated,
    /// The standard deviation of the noise of each cell.
    noise: f64,
}

/// A released number and the standard deviation of its noise: 0 if it is public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimated {
    pub value: f64,
    pub noise: f64,
}

impl Distribution {
    /// Nothing is known but the ends: values are anywhere between them.
    pub fn unknown((low, high): (f64, f64), total: Estimated) -> Self {
        Self {
            edges: vec![low, high],
            below: vec![0.0, total.value],
            sums: vec![0.0, total.value],
            total,
            noise: 0.0,
        }
    }

    /// From noisy counts of the cells between `low`, the inner edges and `high`.
    ///
    /// The counts are made to add up to the total, by the same number for each: the least squares
    /// estimate. Then the sums from the left are replaced by the nearest sequence that never
    /// decreases, within 0 and the total.
    pub fn of(
        (low, high): (f64, f64),
        inner: &[f64],
        counts: &[f64],
        noise: f64,
        total: Estimated,
    ) -> Self {
        let sum: f64 = counts.iter().sum();
        let excess = (sum - total.value) / counts.len() as f64;
        let mut left = 0.0;
        let sums = counts.iter().map(|count| {
            left += count - excess;
            left
        });
        let inside: Vec<f64> = sums.take(inner.len()).collect();
        let between_ends = |inside: &[f64]| {
            let mut all = vec![0.0];
            all.extend_from_slice(inside);
            all.push(total.value);
            all
        };
        let increasing = never_decreasing(&inside).into_iter();
        let increasing: Vec<f64> = increasing
            .map(|count| count.clamp(0.0, total.value))
            .collect();
        let (below, sums) = (between_ends(&increasing), between_ends(&inside));
        let mut edges = vec![low];
        edges.extend_from_slice(inner);
        edges.push(high);
        Self {
            edges,
            below,
            sums,
            total,
            noise,
        }
    }

    fn cells(&self) -> usize {
        self.edges.len() - 1
    }

    /// The cell that holds the record of a rank.
    fn cell(&self, rank: f64) -> usize {
        let after = self.below.partition_point(|below| *below < rank);
        after.clamp(1, self.cells()) - 1
    }

    /// The value of the record of a rank, as if values were evenly spread over each cell.
    pub fn value(&self, rank: f64) -> f64 {
        let cell = self.cell(rank);
        let (low, high) = (self.edges[cell], self.edges[cell + 1]);
        let (first, last) = (self.below[cell], self.below[cell + 1]);
        match last > first {
            true => low + (high - low) * ((rank - first) / (last - first)).clamp(0.0, 1.0),
            false => low / 2.0 + high / 2.0,
        }
    }

    /// The value below which a share of the records lies, and an interval that holds it unless noise
    /// is `deviations` away: from the beginning of one cell to the end of another, as nothing is
    /// known of how values are spread inside.
    ///
    /// With B cells of noise σ, made to add up to the total, the sum of the first a has the variance
    /// σ²·a(B − a)/B, and the share of the noise of a total τ that is not in the rank, (a/B − q)²τ².
    /// The interval ends one edge beyond the last whose sum is not clearly above the rank: it is too
    /// low only if the sum at the edge before the value is, which has at most half of what is left
    /// beyond the deviations. Likewise below. So it holds whatever the noise is, and reaches to the
    /// ends of the range where noise exceeds the records.
    pub fn quantile(&self, share: f64, deviations: f64) -> (f64, f64, f64) {
        let rank = share * self.total.value;
        let cells = self.cells();
        let noise = |edge: usize| {
            let part = edge as f64 / cells as f64;
            let of_total = (part - share) * self.total.noise;
            let of_cells = self.noise * self.noise * cells as f64 * part * (1.0 - part);
            deviations * (of_cells + of_total * of_total).sqrt()
        };
        // The ends of the range bound all values without noise.
        let mut inner = 1..cells;
        let low = inner.find(|edge| self.sums[*edge] > rank - noise(*edge));
        let high = (1..cells).rfind(|edge| self.sums[*edge] < rank + noise(*edge));
        // What is shown is read off sums that never decrease, which may differ by a cell.
        let cell = self.cell(rank);
        let low = low.map_or(cell, |edge| (edge - 1).min(cell));
        let high = high.map_or(cell, |edge| edge.max(cell));
        (self.value(rank), self.edges[low], self.edges[high + 1])
    }

    /// The edges between cells that are to be counted next, none narrower than `least`: so many cells
    /// that hold equally many records each if this were right, and beyond them cells that double in
    /// width up to the ends of the range, as many as the logarithm of its width. Without those, all
    /// of the range beyond the values would be one cell with the last of them.
    pub fn next_cells(&self, cells: usize, least: f64) -> Vec<f64> {
        let (start, end) = (self.edges[0], self.edges[self.cells()]);
        let mut inner = Vec::with_capacity(cells);
        let mut last = start;
        for part in 1..cells {
            let edge = self.value(self.total.value * part as f64 / cells as f64);
            if edge - last >= least && end - edge >= least {
                inner.push(edge);
                last = edge;
            }
        }
        let [first, .., last] = inner[..] else {
            return inner;
        };
        let width = (DOUBLED * (last - first)).max(least);
        let distances = || (1..=MOST_DOUBLINGS).map(|k| width * (2f64.powi(k) - 1.0));
        let below = distances().take_while(|distance| first - distance - start >= least);
        let below: Vec<f64> = below.map(|distance| first - distance).collect();
        let above = distances().take_while(|distance| end - last - distance >= least);
        let above = above.map(|distance| last + distance);
        let below = below.into_iter().rev();
        below.chain(inner.iter().copied()).chain(above).collect()
    }

    /// An interval that holds almost all records: from the first cell at which the count from the
    /// left exceeds its noise and the share that may be left out, to the last at which that from
    /// the right does, and a margin; the whole range if noise hides them.
    pub fn bulk(&self, left_out: f64) -> (f64, f64) {
        let cells = self.cells();
        let (first, last) = (self.edges[0], self.edges[cells]);
        let seen = |count: f64, cells: usize| {
            let noise = SEEN * self.noise * (cells as f64).sqrt();
            count > noise.max(left_out * self.total.value)
        };
        let left = (1..cells).find(|edge| seen(self.below[*edge], *edge));
        let above = |edge: usize| self.total.value - self.below[edge];
        let right = (1..cells).rfind(|edge| seen(above(*edge), cells - edge));
        let (Some(left), Some(right)) = (left, right) else {
            return (first, last);
        };
        let (low, high) = (self.edges[left - 1], self.edges[right + 1]);
        if low >= high {
            return (first, last);
        }
        let margin = MARGIN * (high - low);
        ((low - margin).max(first), (high + margin).min(last))
    }
}

/// A count exceeds its noise if it is so many deviations above 0.
const SEEN: f64 = 4.0;
/// What is added to the bulk on either side, as a share of it.
const MARGIN: f64 = 0.35;
/// The width of the first cell beyond the others, as a share of theirs.
const DOUBLED: f64 = 0.25;
/// Enough to get from the narrowest cell to the ends of any range.
const MOST_DOUBLINGS: i32 = 44;

/// The nearest sequence that never decreases, in squares: pools of neighbours (Ayer et al. 1955).
fn never_decreasing(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for value in values {
        let mut pool = (*value, 1);
        while let Some((mean, count)) = pools.pop_if(|(mean, _)| *mean > pool.0) {
            let both = count + pool.1;
            pool = (
                (mean * count as f64 + pool.0 * pool.1 as f64) / both as f64,
                both,
            );
        }
        pools.push(pool);
    }
    let each = |(mean, count): (f64, usize)| std::iter::repeat_n(mean, count);
    pools.into_iter().flat_map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: Estimated = Estimated {
        value: 100.0,
        noise: 0.0,
    };

    #[test]
    fn pools_are_the_means_of_what_decreases() {
        assert_eq!(
            never_decreasing(&[1.0, 3.0, 2.0, 4.0]),
            [1.0, 2.5, 2.5, 4.0]
        );
        assert_eq!(never_decreasing(&[3.0, 2.0, 1.0]), [2.0; 3]);
        assert_eq!(never_decreasing(&[]), [0.0; 0]);
    }

    #[test]
    fn quantiles_without_noise_are_those_of_the_histogram() {
        let counts = [10.0, 40.0, 50.0, 0.0];
        let found = Distribution::of((0.0, 4.0), &[1.0, 2.0, 3.0], &counts, 0.0, TOTAL);
        assert_eq!(found.value(10.0), 1.0);
        assert_eq!(found.quantile(0.3, 1.96), (1.5, 1.0, 2.0));
        assert_eq!(found.value(100.0), 3.0);
        let cells = found.next_cells(4, 0.0);
        assert_eq!(cells, [0.53125, 1.09375, 1.375, 2.0, 2.5, 2.78125, 3.34375]);
    }

    #[test]
    fn cells_are_no_narrower_than_values_can_be() {
        let all = Distribution::unknown((-1.0, 1.0), TOTAL);
        assert_eq!(all.next_cells(4, 0.5), [-0.5, 0.0, 0.5]);
        assert_eq!(all.next_cells(64, 0.5), [-0.5, 0.0, 0.5]);
    }

    #[test]
    fn counts_are_made_to_add_up() {
        let found = Distribution::of((0.0, 2.0), &[1.0], &[40.0, 40.0], 5.0, TOTAL);
        assert_eq!(found.below, [0.0, 50.0, 100.0]);
    }
}
