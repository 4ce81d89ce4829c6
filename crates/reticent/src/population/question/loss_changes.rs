//! How the loss changes along a line: the scores from which a step size is selected.

use rayon::prelude::*;

use super::{LocalSum, Sums};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::gradient::Point;
use crate::population::query::{LIMIT, Scores};
use crate::population::records::Records;
use crate::population::{Population, SlopeGridError};
use crate::privacy::Adjacency;

/// Records that one thread sums at a time.
const BLOCK: usize = 1024;
/// The largest number of bits of the largest change: fine beside any noise.
const MOST_BITS: i32 = 34;

/// Σ over the records of two classes of how their loss changes from a point θ to each of θ, θ − α₁·v, …,
/// θ − α_K·v: candidate 0 is to stay, and its score is 0.
///
/// The margin of a record is (x·w + b)/‖(x, b₀)‖₂ + o, as that of a gradient whose rows are scaled to
/// length one.
///
/// # Privacy
///
/// θ, v, the sizes αⱼ > 0 and the penalties are public or were released, and b₀ and o are too. In steps of
/// a public grid let Dⱼ = ⌊C·αⱼ⌋ and D the largest of them. A record adds a vector a of whole numbers,
/// a function of itself alone, with a₀ = 0 and |aⱼ| ≤ Dⱼ, truncated towards zero. Along a line the margin
/// of a record only rises or only falls, and so does its logistic loss; whatever the floats, integers see
/// to that: an entry whose sign is not that of the last one becomes 0. So all of a lies in [0, D] or
/// all of it in [−D, 0].
///
/// *Range* sup (max(u − u′) − min(u − u′)): under add-remove u − u′ is ±a, so that it is at most D (the
/// scores all move the same way); under replace-one it is a − a′, of which no entry is beyond ±D: 2D.
///
/// *Units*: max − min of a vector is a seminorm. The rows of a unit add vectors of range at most sᵢ·D,
/// truncated towards zero, with shares sᵢ that add up to at most 1: their sum has a range of at most D,
/// and two such sums differ by a range of at most 2D.
///
/// *Penalties* are public, and the same for neighbours. A sum that would exceed ±2⁶² is clamped: no
/// entry of u − u′ becomes larger or changes its sign, and entry 0 is 0 before and after, so that
/// the range does not grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LossChanges<'a> {
    /// θ: one weight per column, and b.
    pub point: &'a Point,
    /// v, in the same form.
    pub direction: &'a Point,
    /// b₀.
    pub constant: f64,
    /// o.
    pub offset: f64,
    /// α₁ … α_K.
    pub sizes: &'a [f64],
    /// What is added to the scores of α₁ … α_K.
    pub penalties: &'a [f64],
    /// C: how much the loss of a record may change for each length of the step.
    pub clip: f64,
}

/// The same in whole steps.
struct Whole<'a> {
    asked: LossChanges<'a>,
    /// Dⱼ.
    limits: Vec<i64>,
    step: f64,
}

impl LossChanges<'_> {
    /// The scores of all candidates; a small one is better.
    ///
    /// # Panics
    ///
    /// If the records have not two classes, a point has not one weight per column and one intercept, there
    /// is no size, or not one penalty for each.
    pub fn ask(&self, population: &dyn Population) -> Result<Scores<'static>, SlopeGridError> {
        let shape = population.shape();
        assert_eq!(shape.classes, 2, "two classes");
        for point in [self.point, self.direction] {
            assert_eq!(point.weights.len(), shape.width, "one weight per column");
            assert_eq!(point.intercepts.len(), 1, "one intercept");
        }
        assert_eq!(self.sizes.len(), self.penalties.len(), "one per size");
        let largest = self.sizes.iter().copied().fold(0.0, f64::max) * self.clip;
        assert!(largest > 0.0, "a step has a size");
        let records = shape.most_records().max(1) as u64;
        // Sums of so many records stay below 2⁶¹.
        let bits = (60 - records.ilog2() as i32).min(MOST_BITS);
        // The cast saturates, and what is beyond any grid is refused.
        let exponent = (largest.log2().ceil() as i32).saturating_sub(bits);
        let grid = Grid::new(exponent).map_err(|_| SlopeGridError::Product)?;
        let step = grid.step();
        let steps = |size: &f64| (size * self.clip / step).min((1i64 << bits) as f64) as i64;
        let whole = Whole {
            asked: *self,
            limits: self.sizes.iter().map(steps).collect(),
            step,
        };
        let mut sums = population.sum(&whole).0;
        sums.resize(self.sizes.len(), 0);
        let limit = i128::from(LIMIT);
        let with_penalty = |(sum, penalty): (i64, &f64)| {
            // Both casts saturate; the clamp makes the last one exact.
            let penalty = i128::from((penalty / step) as i64);
            (i128::from(sum) + penalty).clamp(-limit, limit) as i64
        };
        let of_steps = sums.into_iter().zip(self.penalties).map(with_penalty);
        let scores: Vec<i64> = std::iter::once(0).chain(of_steps).collect();
        let most = whole
            .limits
            .iter()
            .copied()
            .fold(1, i64::max)
            .unsigned_abs();
        let range = match shape.adjacency {
            Adjacency::AddRemove => most,
            Adjacency::ReplaceOne => 2 * most,
        };
        Ok(Scores::new("loss changes", scores, shape.adjacency, range))
    }
}

impl Whole<'_> {
    /// What a record of this row adds as a whole.
    fn changes(&self, records: &Records<'_>, row: usize, changes: &mut [i64]) {
        let LossChanges {
            point, direction, ..
        } = self.asked;
        let (mut margin, mut slope, mut square) = (0.0, 0.0, 0.0);
        records.features.for_row(row, |column, x| {
            // A zero adds nothing, stored or not, even if a weight is infinite.
            if x != 0.0 {
                let x = f64::from(x);
                margin += x * point.weights[column];
                slope += x * direction.weights[column];
                square += x * x;
            }
        });
        let unit = records.clip.grid.step();
        let length = (square.sqrt() * unit).hypot(self.asked.constant);
        if length == 0.0 {
            // Such a row adds nothing to a gradient either.
            changes.fill(0);
            return;
        }
        let margin = (margin * unit + point.intercepts[0]) / length + self.asked.offset;
        let slope = (slope * unit + direction.intercepts[0]) / length;
        let target = records.targets[row];
        let loss = |margin: f64| Loss::Logistic.value(margin, target);
        let now = loss(margin);
        for ((change, size), limit) in changes.iter_mut().zip(self.asked.sizes).zip(&self.limits) {
            // The cast truncates, saturates, and makes 0 of what is not a number.
            *change = ((loss(margin - size * slope) - now) / self.step) as i64;
            *change = (*change).clamp(-limit, *limit);
        }
        let sign = changes.last().map_or(0, |last| last.signum());
        for change in changes {
            *change = sign * (sign * *change).max(0);
        }
    }
}

impl LocalSum for Whole<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let rows = records.targets.len();
        let count = self.limits.len();
        let block = |block: usize| {
            let mut sums = vec![0; count];
            let mut changes = vec![0; count];
            for row in block * BLOCK..rows.min((block + 1) * BLOCK) {
                self.changes(records, row, &mut changes);
                let share = records.share(row);
                for (sum, change) in sums.iter_mut().zip(&changes) {
                    *sum += share.part(*change);
                }
            }
            Sums(sums)
        };
        let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
        blocks
            .map(block)
            .reduce(|| Sums(vec![0; count]), Sums::merged)
    }
}
