//! Medians by selection: which of some public levels splits the records in half.

use std::cmp::Ordering;

use super::{LocalSum, Sums};
use crate::population::query::Scores;
use crate::population::records::Records;
use crate::population::shares::COUNT_BITS;
use crate::population::{Population, Shape};

/// Scores of levels, the best being the one nearest to the median of the lengths ‖(xᵢ, b₀)‖₂; the
/// aim is the highest.
///
/// # Privacy
///
/// The score of a level is −|D|, D being the number of records at or below it less the number
/// above it. Adding or removing a record moves D by at most 1, replacing one by at most 2, and |D|
/// by no more, some up and some down: the range is 2, or 4 (in steps of a count: a unit with several
/// rows moves D by its shares, 1 in all). What is summed are the numbers of
/// records at or below each level, and of all records; the scores are computed from the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths<'a> {
    /// The levels, in increasing order.
    pub levels: &'a [f64],
    /// b₀.
    pub constant: f64,
}

/// The same for the sizes of the residuals |x·w + b − y| of a model that is public or was released.
///
/// # Privacy
///
/// As for [`Lengths`]: a residual is a function of its record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Residuals<'a> {
    /// The levels, in increasing order.
    pub levels: &'a [f64],
    /// w, one per column.
    pub weights: &'a [f64],
    /// b.
    pub intercept: f64,
}

impl Lengths<'_> {
    /// The scores of the levels in a population.
    pub fn ask(&self, population: &dyn Population) -> Scores<'static> {
        let counts = population.sum(self).0;
        median_scores("lengths", &counts, &population.shape())
    }
}

impl LocalSum for Lengths<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let unit = records.clip.grid.step();
        let constant = self.constant * self.constant;
        let length = |i| {
            let mut squares = 0.0;
            records
                .features
                .for_row(i, |_, x| squares += f64::from(x) * f64::from(x));
            (squares * unit * unit + constant).sqrt()
        };
        let lengths = (0..records.targets.len()).map(length);
        Sums(counts_below(lengths, self.levels, records))
    }
}

impl Residuals<'_> {
    /// The scores of the levels in a population.
    ///
    /// # Panics
    ///
    /// If the number of weights is not that of the columns.
    pub fn ask(&self, population: &dyn Population) -> Scores<'static> {
        let shape = population.shape();
        assert_eq!(self.weights.len(), shape.width, "one weight per column");
        median_scores("residuals", &population.sum(self).0, &shape)
    }
}

impl LocalSum for Residuals<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let unit = records.clip.grid.step();
        let size = |(i, target): (usize, &f64)| {
            let mut margin = 0.0;
            records.features.for_row(i, |column, x| {
                // Zeros add nothing, stored or not.
                if x != 0.0 {
                    margin += f64::from(x) * self.weights[column];
                }
            });
            (margin * unit + self.intercept - target).abs()
        };
        let sizes = records.targets.iter().enumerate().map(size);
        Sums(counts_below(sizes, self.levels, records))
    }
}

/// How many records have a size at or below each level, and how many there are: in steps of a count.
fn counts_below(
    sizes: impl Iterator<Item = f64>,
    levels: &[f64],
    records: &Records<'_>,
) -> Vec<i64> {
    // The first level that a size does not exceed; NaN exceeds every level.
    let mut first = vec![0i64; levels.len() + 1];
    for (row, size) in sizes.enumerate() {
        let above = |level: &f64| size.partial_cmp(level).is_none_or(Ordering::is_gt);
        let place = levels.partition_point(above);
        first[place] += records.share(row).steps();
    }
    let mut below = 0;
    for count in &mut first {
        below += *count;
        *count = below;
    }
    first
}

/// −|2·below − count| for each level.
fn median_scores(question: &'static str, counts: &[i64], shape: &Shape) -> Scores<'static> {
    let (levels, count) = match counts.split_last() {
        Some((count, levels)) => (levels, *count),
        None => (&[][..], 0),
    };
    let scores: Vec<i64> = levels
        .iter()
        .map(|below| -(2 * below - count).abs())
        .collect();
    let range = (2 * u64::from(shape.adjacency.differing_records())) << COUNT_BITS;
    Scores::new(question, scores, shape.adjacency, range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Dense, Matrix};
    use crate::privacy::Adjacency;
    use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
    use crate::testing::pairs;
    use proptest::prelude::*;

    /// The scores for residuals of these sizes: targets in [−1, 1] of a model that is 0, in quarters;
    /// NaN exceeds every level.
    fn scores(sizes: &[f64], levels: &[f64], adjacency: Adjacency) -> Scores<'static> {
        let rows = sizes.iter().map(|size| f32::from(u8::from(size.is_nan())));
        let features = Dense::new(rows.collect(), sizes.len(), 1).unwrap();
        let table = Table {
            features: Matrix::Dense(features),
            target: Target::Values(sizes.iter().map(|size| size / 4.0).collect()),
            layout: Layout::Numbered { first: 1, width: 1 },
            assumed: Vec::new(),
            units: None,
        };
        let range = Some(TargetRange {
            low: 0.0,
            high: 1.0,
        });
        let bound = RecordBound::Linf(1.0);
        let records = table.enforce(bound, range, false, adjacency).unwrap();
        let levels: Vec<f64> = levels.iter().map(|level| level / 4.0).collect();
        let residuals = Residuals {
            levels: &levels,
            weights: &[f64::NAN],
            intercept: 0.0,
        };
        residuals.ask(&records)
    }

    proptest! {
        #[test]
        fn one_record_moves_the_scores_by_no_more_than_their_range(
            sizes in prop::collection::vec(0.0..4.0f64, 1..9),
            other in prop_oneof![0.0..4.0f64, Just(f64::NAN)],
        ) {
            let levels = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5];
            let moved = |a: Vec<f64>, b: Vec<f64>, adjacency| {
                let (a, b) = (scores(&a, &levels, adjacency), scores(&b, &levels, adjacency));
                let moves = pairs(a.raw_values(), b.raw_values()).map(|(a, b)| a - b);
                let (least, most) = (moves.clone().min().unwrap(), moves.max().unwrap());
                ((most - least) as u64, a.raw_range())
            };
            let mut replaced = sizes.clone();
            replaced[0] = other;
            let (by, range) = moved(sizes.clone(), replaced, Adjacency::ReplaceOne);
            prop_assert!(by <= range);
            let fewer = sizes[1..].to_vec();
            let (by, range) = moved(sizes, fewer, Adjacency::AddRemove);
            prop_assert!(by <= range);
        }
    }

    #[test]
    fn the_median_has_the_best_score_and_the_range_is_reached() {
        let scores = |sizes: &[f64]| {
            let scores = scores(sizes, &[0.5, 1.5, 2.5], Adjacency::ReplaceOne);
            let whole = 1 << COUNT_BITS;
            let in_records = scores.raw_values().iter().map(|score| score / whole);
            in_records.collect::<Vec<i64>>()
        };
        assert_eq!(scores(&[1.0, 1.0, 2.0, 2.0]), [-4, 0, -4]);
        // 1 → 3: the first level gets worse by 2 and the last better by 2.
        let (before, after) = (scores(&[0.0, 1.0, 1.0]), scores(&[3.0, 1.0, 1.0]));
        assert_eq!((before, after), (vec![-1, -3, -3], vec![-3, -1, -1]));
    }
}
