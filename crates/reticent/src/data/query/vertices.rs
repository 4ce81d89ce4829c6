//! The corners of a polytope as candidates.

use super::{Query, Scores, Sensitivity};

/// Coordinates of corners are rounded so that the largest ℓ₁ norm spans 2²⁰ steps, and scores
/// are divided by 2²¹: 2⁶²·2²⁰/2²¹ leaves them within the limit of a query.
const CORNER_BITS: i32 = 20;
const SCORE_SHIFT: u32 = 21;

impl Query<'_> {
    /// ⟨corner, coordinates⟩ for each of some public corners, as scores of candidates: the
    /// vertices of a polytope. A coordinate that a corner lacks, or that is not finite, is 0.
    ///
    /// *Range.* The corners are public; each is rounded towards zero to whole steps c of a
    /// grid on which none exceeds ‖c‖₁ = 2²⁰. One record moves ⟨c, v⟩, an exact integer, by at
    /// most max‖c‖₁·Δ∞. Dividing by 2²¹, rounded down, moves a difference by less than 1 more.
    /// So each score moves by at most Δ = ⌈max‖c‖₁·Δ∞/2²¹⌉ + 1, and the range is 2Δ.
    pub fn at_vertices(self, corners: &[Vec<f64>]) -> Scores<'static> {
        let step = corner_step(corners);
        let steps: Vec<Vec<i64>> = corners.iter().map(|c| whole_steps(c, step)).collect();
        let norm = |c: &Vec<i64>| c.iter().map(|x| u128::from(x.unsigned_abs())).sum();
        let largest: u128 = steps.iter().map(norm).max().unwrap_or(0);
        let moved = (largest * u128::from(self.sensitivity.linf)).div_ceil(1 << SCORE_SHIFT) + 1;
        let score = |corner: &Vec<i64>| {
            let products = corner.iter().zip(&*self.values);
            let sum: i128 = products.map(|(c, v)| i128::from(*c) * i128::from(*v)).sum();
            sum >> SCORE_SHIFT
        };
        let sensitivity = Sensitivity {
            linf: u64::try_from(moved).unwrap_or(u64::MAX),
            ..self.sensitivity
        };
        Query::clamped(
            steps.iter().map(score),
            self.grid,
            self.adjacency,
            sensitivity,
        )
        .scores()
    }
}

/// The least power of two on which no corner exceeds 2²⁰ steps in ℓ₁ norm.
fn corner_step(corners: &[Vec<f64>]) -> f64 {
    let finite = |c: &Vec<f64>| {
        c.iter()
            .filter(|x| x.is_finite())
            .map(|x| x.abs())
            .sum::<f64>()
    };
    let largest = corners.iter().map(finite).fold(f64::MIN_POSITIVE, f64::max);
    // One power to spare, as the sum and the logarithm are rounded.
    let exponent = largest.log2().ceil() as i32 + 1 - CORNER_BITS;
    f64::from(exponent.clamp(-1000, 1000)).exp2()
}

fn whole_steps(corner: &[f64], step: f64) -> Vec<i64> {
    let most = (1i64 << CORNER_BITS) as f64;
    let whole = |x: &f64| {
        if x.is_finite() {
            (x / step).clamp(-most, most) as i64
        } else {
            0
        }
    };
    corner.iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use crate::data::{BoundedSum, Query, RecordBound};
    use crate::noise::Grid;
    use crate::privacy::Adjacency;
    use proptest::prelude::*;

    fn sum(records: &[[f64; 3]]) -> Query<'static> {
        let grid = Grid::new(-20).unwrap();
        let mut sum = BoundedSum::new(3, RecordBound::Linf(1.0), grid).unwrap();
        for record in records {
            sum.add(record).unwrap();
        }
        sum.into_query(Adjacency::ReplaceOne).unwrap()
    }

    #[test]
    fn scores_are_proportional_to_the_inner_products() {
        let corners = [
            vec![1.0, 0.0, 0.0],
            vec![0.0, -2.0, 1.0],
            vec![0.5, 0.5, 0.5],
        ];
        let scores = sum(&[[0.5, -0.25, 1.0]]).at_vertices(&corners);
        let unit = scores.values[0] as f64 / 0.5;
        assert!((scores.values[1] as f64 / unit - 1.5).abs() < 1e-4);
        assert!((scores.values[2] as f64 / unit - 0.625).abs() < 1e-4);
        assert_eq!(scores.candidates(), 3);
    }

    proptest! {
        /// Replacing one record never moves two scores apart by more than the range, and the
        /// worst record comes within a hundredth of it.
        #[test]
        fn the_range_holds_and_is_not_idle(
            corners in prop::collection::vec(prop::collection::vec(-3.0..3.0f64, 3), 2..5),
            one in prop::array::uniform3(-1.0..1.0f64),
            other in prop::array::uniform3(-1.0..1.0f64),
        ) {
            let apart = |one: [f64; 3], other: [f64; 3], corners: &[Vec<f64>]| {
                let (a, b) = (sum(&[one]).at_vertices(corners), sum(&[other]).at_vertices(corners));
                let moves: Vec<i64> = a.values.iter().zip(&*b.values).map(|(a, b)| a - b).collect();
                let most = moves.iter().max().unwrap() - moves.iter().min().unwrap();
                (most as u64, a.range)
            };
            let (moved, range) = apart(one, other, &corners);
            prop_assert!(moved <= range);
            let longest = corners.iter().max_by(|a, b| {
                let norm = |c: &[f64]| c.iter().map(|x| x.abs()).sum::<f64>();
                norm(a).total_cmp(&norm(b))
            }).unwrap();
            let worst: [f64; 3] = std::array::from_fn(|j| longest[j].signum());
            let opposite = longest.iter().map(|x| -x).collect();
            let (moved, range) = apart(worst, worst.map(|x| -x), &[longest.clone(), opposite]);
            prop_assert!(moved <= range);
            prop_assert!(moved as f64 > 0.99 * range as f64, "{} {}", moved, range);
        }
    }
}
