//! Medians by selection: which of some public levels splits the records in halves.

use super::query::Scores;
use super::records::Records;
use crate::privacy::Adjacency;

impl Records<'_> {
    /// Scores of levels, the best being the one nearest to the median of the lengths
    /// ‖(xᵢ, b₀)‖₂, with b₀ = `intercept`; the aim is the highest.
    ///
    /// # Privacy
    ///
    /// The score of a level is −|D|, D being the number of records at or below it less the number
    /// above it. One record more or less moves D by at most 1, one replaced by at most 2, and |D| by no
    /// more, some up and some down: the range is 2, and 4.
    pub fn length_scores(&self, levels: &[f64], intercept: f64) -> Scores<'static> {
        let unit = self.clip.grid.step();
        let constant = intercept * intercept;
        let length = |i| {
            let mut squares = 0.0;
            self.features
                .for_row(i, |_, x| squares += f64::from(x) * f64::from(x));
            (squares * unit * unit + constant).sqrt()
        };
        let lengths = (0..self.targets.len()).map(length).collect();
        median_scores(lengths, levels, self.adjacency)
    }

    /// The same for the sizes of the residuals |x·w + b − y| of a model that is public or was
    /// released.
    ///
    /// # Privacy
    ///
    /// As for [`length_scores`](Self::length_scores): a residual is a function of its record.
    ///
    /// # Panics
    ///
    /// If there is another number of weights than of columns.
    pub fn residual_scores(
        &self,
        weights: &[f64],
        intercept: f64,
        levels: &[f64],
    ) -> Scores<'static> {
        assert_eq!(weights.len(), self.width(), "one weight a column");
        let unit = self.clip.grid.step();
        let size = |(i, target): (usize, &f64)| {
            let mut margin = 0.0;
            self.features.for_row(i, |column, x| {
                // Zeros add nothing, stored or not.
                if x != 0.0 {
                    margin += f64::from(x) * weights[column];
                }
            });
            (margin * unit + intercept - target).abs()
        };
        let sizes = self.targets.iter().enumerate().map(size).collect();
        median_scores(sizes, levels, self.adjacency)
    }
}

fn median_scores(mut sizes: Vec<f64>, levels: &[f64], adjacency: Adjacency) -> Scores<'static> {
    // NaN counts as above every level.
    sizes.sort_unstable_by(f64::total_cmp);
    let count = sizes.len() as i64;
    let score = |level: &f64| {
        let below = sizes.partition_point(|size| size <= level) as i64;
        -(2 * below - count).abs()
    };
    let range = match adjacency {
        Adjacency::ReplaceOne => 4,
        Adjacency::AddRemove => 2,
    };
    let scores: Vec<i64> = levels.iter().map(score).collect();
    Scores::new(scores, adjacency, range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_record_moves_the_scores_by_no_more_than_their_range(
            sizes in prop::collection::vec(0.0..4.0f64, 1..9),
            other in prop_oneof![0.0..4.0f64, Just(f64::NAN)],
        ) {
            let levels = [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5];
            let moved = |a: Vec<f64>, b: Vec<f64>, adjacency| {
                let (a, b) = (median_scores(a, &levels, adjacency), median_scores(b, &levels, adjacency));
                let moves = a.raw_values().iter().zip(b.raw_values()).map(|(a, b)| a - b);
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
            let scores = median_scores(sizes.to_vec(), &[0.5, 1.5, 2.5], Adjacency::ReplaceOne);
            scores.raw_values().to_vec()
        };
        assert_eq!(scores(&[1.0, 1.0, 2.0, 2.0]), [-4, 0, -4]);
        // 1 → 3: the first level gets worse by 2 and the last better by 2.
        let (before, after) = (scores(&[0.0, 1.0, 1.0]), scores(&[3.0, 1.0, 1.0]));
        assert_eq!((before, after), (vec![-1, -3, -3], vec![-3, -1, -1]));
    }
}
