//! Scores of the vertices of a polytope.

use rayon::prelude::*;

use super::query::{Query, RecordSteps, Scores};
use crate::table::grid_for;

/// Why points cannot be the vertices of a region: it concerns public numbers only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerticesError {
    /// A point with another number of coordinates.
    #[error("every vertex needs the {expected} coordinates that the gradient has")]
    Length {
        /// The gradient's.
        expected: usize,
    },
    /// Not a number, infinite, or far too large or small.
    #[error("vertices are finite numbers, the largest of them between 1e-100 and 1e100 in size")]
    Size,
}

impl<'a> Query<'a> {
    /// The scores ⟨v, g⟩ of public points v, one candidate each; the best point has the lowest
    /// score.
    ///
    /// Each point is first rounded to a grid on which its largest coordinate, of all points,
    /// spans about 2²⁰ steps; the result is again a public point. Then the product is a sum of
    /// products of integers, exact in 128 bits. It is shifted down by enough bits for every product
    /// to fit, whatever the data: 2ʰ ≥ max‖v‖₁ in grid steps.
    ///
    /// # Privacy
    ///
    /// A record adds a vector a to g, so it adds ⟨v, a⟩ to the score of v, whose size is at most D
    /// = max‖v‖₁·‖a‖∞ for records bounded in ℓ∞, and D = max‖v‖₂·‖a‖₂ for records bounded in ℓ₂
    /// (Cauchy–Schwarz; the norm of an integer vector rounded up to an integer). Neighbours' scores
    /// then differ by at most C = D for one record added or removed, and C = 2D for one replaced.
    /// After the shift, ⌊u/2ʰ⌋ and ⌊u′/2ʰ⌋ differ by at most ⌈C/2ʰ⌉, because u ≤ u′ + C gives
    /// ⌊u/2ʰ⌋ ≤ ⌊u′/2ʰ + ⌈C/2ʰ⌉⌋; so the range max(u−u′) − min(u−u′) is at most 2⌈C/2ʰ⌉.
    pub fn at_vertices(self, points: &[Vec<f64>]) -> Result<Scores<'static>, VerticesError> {
        let expected = self.dimension();
        if points.iter().any(|point| point.len() != expected) {
            return Err(VerticesError::Length { expected });
        }
        let points = place(points)?;
        let longest = |norm: fn(&[i64]) -> u128| points.iter().map(|v| norm(v)).max();
        let l1 = longest(l1_norm).unwrap_or(0);
        let shift = l1.next_power_of_two().trailing_zeros();
        let sensitivity = self.raw_sensitivity();
        let by_linf = |steps: u64| u128::from(steps) * l1;
        let by_l2 = |steps: u64| u128::from(steps) * longest(l2_norm_up).unwrap_or(0);
        let per_record = match sensitivity.record {
            RecordSteps::Linf(steps) => by_linf(steps),
            RecordSteps::L2(steps) => by_l2(steps),
            RecordSteps::Both { l2, linf } => by_l2(l2).min(by_linf(linf)),
        };
        let difference = u128::from(sensitivity.differing_records) * per_record;
        // Both norms are at most 2ʰ and a record's bound is at most 2⁶⁰: the range is at most 2⁶².
        let range = 2 * difference.div_ceil(1 << shift) as u64;
        let values = self.raw_values();
        let score = |point: &Vec<i64>| {
            let products = point.iter().zip(values);
            let sum: i128 = products.map(|(v, g)| i128::from(*v) * i128::from(*g)).sum();
            // At most 2⁶² in size, as the values are and ‖v‖₁ ≤ 2ʰ.
            (sum >> shift) as i64
        };
        let scores: Vec<i64> = points.par_iter().map(score).collect();
        Ok(Scores::new(
            self.question(),
            scores,
            self.adjacency(),
            range,
        ))
    }
}

/// The points in whole steps of their grid, at most 2²⁰ each.
fn place(points: &[Vec<f64>]) -> Result<Vec<Vec<i64>>, VerticesError> {
    let all = || points.iter().flatten();
    if !all().all(|value| value.is_finite()) {
        return Err(VerticesError::Size);
    }
    let largest = all().fold(0.0f64, |most, value| most.max(value.abs()));
    let step = grid_for(largest).ok_or(VerticesError::Size)?.step();
    let steps = |point: &Vec<f64>| point.iter().map(|v| (v / step).round() as i64).collect();
    Ok(points.iter().map(steps).collect())
}

fn l1_norm(point: &[i64]) -> u128 {
    point.iter().map(|v| u128::from(v.unsigned_abs())).sum()
}

/// ⌈‖v‖₂⌉.
fn l2_norm_up(point: &[i64]) -> u128 {
    let square = |v: &i64| u128::from(v.unsigned_abs()).pow(2);
    let squares: u128 = point.iter().map(square).sum();
    let root = squares.isqrt();
    root + u128::from(root * root < squares)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Grid;
    use crate::population::BoundedSum;
    use crate::privacy::Adjacency;
    use crate::table::RecordBound;
    use crate::testing::pairs;
    use proptest::prelude::*;

    fn query(records: &[Vec<f64>], bound: RecordBound) -> Query<'static> {
        let grid = Grid::new(-20).unwrap();
        let mut sum = BoundedSum::new(records[0].len(), bound, grid).unwrap();
        for record in records {
            sum.add(record).unwrap();
        }
        sum.into_query(Adjacency::ReplaceOne).unwrap()
    }

    fn points(d: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
        prop::collection::vec(prop::collection::vec(-3.0..3.0f64, d), 1..6)
    }

    proptest! {
        #[test]
        fn replacing_a_record_moves_scores_by_no_more_than_their_range(
            records in prop::collection::vec(prop::collection::vec(-2.0..2.0f64, 3), 2..5),
            points in points(3),
            bound in prop_oneof![Just(RecordBound::L2(0.7)), Just(RecordBound::Linf(0.7))],
        ) {
            let (_, before) = records.split_last().unwrap();
            let (_, after) = records.split_first().unwrap();
            let scores = |records| query(records, bound).at_vertices(&points).unwrap();
            let (u, w) = (scores(before), scores(after));
            // `before` and `after` differ in one record.
            let moves = pairs(u.raw_values(), w.raw_values()).map(|(u, w)| u - w);
            let (least, most) = (moves.clone().min().unwrap(), moves.max().unwrap());
            prop_assert!((most - least) as u64 <= u.raw_range());
        }

        #[test]
        fn scores_are_the_products(
            records in prop::collection::vec(prop::collection::vec(-1.0..1.0f64, 4), 1..5),
            points in points(4),
        ) {
            let query = query(&records, RecordBound::Linf(1.0));
            let sums = query.raw_values().to_vec();
            let placed = place(&points).unwrap();
            let longest = placed.iter().map(|v| l1_norm(v)).max().unwrap();
            let scale = longest.next_power_of_two() as f64;
            let scores = query.at_vertices(&points).unwrap();
            let step = grid_for(3.0).unwrap().step();
            for (score, point) in pairs(scores.raw_values(), &points) {
                let exact: f64 = pairs(point, &sums).map(|(v, g)| v / step * *g as f64).sum();
                // Half a step in each coordinate, in units of 2ʰ, and one for the shift.
                let slack = sums.iter().map(|g| g.abs() as f64).sum::<f64>() / scale + 1.0;
                prop_assume!(points.iter().flatten().any(|v| v.abs() > 2.0));
                prop_assert!((*score as f64 - exact / scale).abs() <= slack);
            }
        }
    }

    /// The record (1, 1)·B replaced by its opposite moves the vertex (1, 1) by all of the range's
    /// half, and (−1, −1) the other way: the range is reached.
    #[test]
    fn the_range_is_reached() {
        let corners = [vec![1.0, 1.0], vec![-1.0, -1.0]];
        for (bound, record) in [
            (RecordBound::Linf(1.0), vec![1.0, 1.0]),
            (RecordBound::L2(5.0), vec![3.0, 4.0]),
        ] {
            let corners = match bound {
                RecordBound::Linf(_) => corners.clone(),
                RecordBound::L2(_) => [vec![0.75, 1.0], vec![-0.75, -1.0]],
            };
            let opposite: Vec<f64> = record.iter().map(|x| -x).collect();
            let scores = |record| query(&[record], bound).at_vertices(&corners).unwrap();
            let (u, w) = (scores(record), scores(opposite));
            let moved = |i: usize| u.raw_values()[i] - w.raw_values()[i];
            let range = u.raw_range() as f64;
            let reached = (moved(0) - moved(1)) as f64;
            assert!(
                reached <= range && reached > 0.9999 * range,
                "{reached} of {range}"
            );
        }
    }

    #[test]
    fn what_is_no_polytope_is_refused() {
        let refused = |points: &[Vec<f64>]| {
            let query = query(&[vec![1.0, 0.0]], RecordBound::L2(1.0));
            query.at_vertices(points).map(drop).unwrap_err()
        };
        assert_eq!(refused(&[vec![1.0]]), VerticesError::Length { expected: 2 });
        for value in [f64::NAN, f64::INFINITY, 1e200] {
            assert_eq!(refused(&[vec![1.0, value]]), VerticesError::Size);
        }
        assert_eq!(refused(&[vec![0.0, 0.0]]), VerticesError::Size);
        assert_eq!(refused(&[]), VerticesError::Size);
    }
}
