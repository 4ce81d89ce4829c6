//! The bulk of the targets, in a noisy histogram: post-processing of released counts.

/// By how many deviations of its noise the count of a block of bins must exceed 0 to be *seen*:
/// noise alone passes in one of 250 histograms of 128 bins.
const SEEN: f64 = 4.0;
/// The same for a block that touches the bulk: a tail.
const TAIL: f64 = 2.5;
/// The bulk holds at least this share of the records.
const MAJORITY: f64 = 0.5;

/// Released counts of equal bins.
pub(super) struct Counts<'a> {
    pub bins: &'a [f64],
    /// The standard deviation of the noise of each.
    pub noise: f64,
    /// The public number of records.
    pub records: f64,
}

/// Bins from `start` to just before `end`, found in blocks of `block` bins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bulk {
    pub start: usize,
    pub end: usize,
    pub block: usize,
}

/// Whether noise of this deviation leaves enough of so many records to be seen.
pub(super) fn can_be_seen(records: f64, noise: f64) -> bool {
    SEEN * noise <= MAJORITY * records
}

impl Counts<'_> {
    /// The hull of all blocks that are seen, in the smallest blocks in which those hold a
    /// majority of the records; none if noise hides them in all.
    pub fn bulk(&self) -> Option<Bulk> {
        let mut block = 1;
        while 4 * block <= self.bins.len() {
            let threshold = SEEN * self.noise * (block as f64).sqrt();
            if threshold > self.records {
                return None;
            }
            let seen = |bins: &[f64]| bins.iter().sum::<f64>() > threshold;
            let blocks = || self.bins.chunks(block);
            let first = blocks().position(seen);
            if let Some(first) = first {
                let after = blocks().rposition(seen).unwrap_or(first) + 1;
                let (start, end) = (first * block, after * block);
                if self.count(start, end) >= MAJORITY * self.records {
                    return Some(Bulk { start, end, block });
                }
            }
            block *= 2;
        }
        None
    }

    /// The same with its tails: neighbouring blocks, up to its own length, that exceed their noise.
    pub fn with_tails(&self, mut bulk: Bulk) -> Bulk {
        let last = self.bins.len();
        loop {
            let longest = bulk.end - bulk.start;
            let sizes = || {
                (0..)
                    .map(|k| 1usize << k)
                    .take_while(|size| *size <= longest)
            };
            let seen = |start: usize, end: usize, size: usize| {
                start < end && self.count(start, end) > TAIL * self.noise * (size as f64).sqrt()
            };
            let below = |size: &usize| seen(bulk.start.saturating_sub(*size), bulk.start, *size);
            let above = |size: &usize| seen(bulk.end, (bulk.end + size).min(last), *size);
            let (down, up) = (sizes().find(below), sizes().find(above));
            if (down, up) == (None, None) {
                return bulk;
            }
            bulk.start = bulk.start.saturating_sub(down.unwrap_or(0));
            bulk.end = (bulk.end + up.unwrap_or(0)).min(last);
        }
    }

    fn count(&self, start: usize, end: usize) -> f64 {
        self.bins[start..end].iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bulk(bins: &[f64], noise: f64) -> Option<Bulk> {
        let records = bins.iter().sum();
        let counts = Counts {
            bins,
            noise,
            records,
        };
        counts.bulk().map(|bulk| counts.with_tails(bulk))
    }

    #[test]
    fn a_narrow_bulk_is_found_wherever_it_lies() {
        for place in [0, 5, 63] {
            let mut bins = vec![0.0; 64];
            bins[place] = 1000.0;
            let found = bulk(&bins, 20.0).unwrap();
            assert_eq!((found.start, found.end, found.block), (place, place + 1, 1));
        }
    }

    #[test]
    fn two_groups_are_both_kept() {
        let mut bins = vec![0.0; 64];
        (bins[0], bins[63]) = (900.0, 100.0);
        let found = bulk(&bins, 20.0).unwrap();
        assert_eq!((found.start, found.end), (0, 64));
    }

    #[test]
    fn what_is_hidden_in_single_bins_is_seen_in_blocks() {
        let mut bins = vec![0.0; 64];
        bins[16..32].fill(50.0);
        let found = bulk(&bins, 20.0).unwrap();
        assert_eq!((found.start, found.end, found.block), (16, 32, 4));
        assert_eq!(bulk(&bins, 200.0), None);
    }

    #[test]
    fn a_thin_tail_is_kept() {
        let mut bins = vec![0.0; 64];
        bins[..4].fill(500.0);
        bins[4..12].fill(30.0);
        assert_eq!(bulk(&bins, 20.0).unwrap().end, 12);
    }
}
