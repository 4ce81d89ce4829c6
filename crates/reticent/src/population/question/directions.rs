//! The directions of the rows: the sum of the rows, each scaled to length one.

use super::{LocalSum, Sums};
use crate::noise::Grid;
use crate::population::gradient::{
    Change, SlopeGridError, add_rows, squared_norms, whole_quotient,
};
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::population::shares::Share;
use crate::population::{Population, Shape};
use crate::privacy::Adjacency;

/// The largest number of bits of the length 1: rows as long as 1000 entries still have a thousand
/// steps, with enough bits left for noise.
const MOST_BITS: u32 = 34;
/// The largest multiple of a row that is added.
const MOST_TIMES: i32 = 1 << 22;

/// Σ (x, c)/‖(x, c)‖₂ over the records: one coordinate per column, and the constant's last.
///
/// # Privacy
///
/// In whole numbers: with N the length of (x, c) in grid steps, a record adds k·(x, c) for
/// k = ⌊2ᵉ/N⌋, or a smaller k, in steps of 2⁻ᵉ: an exact product, of length at most 2ᵉ steps. It is a
/// function of the record alone; e comes from the number of records if that is public, and from the
/// largest possible number if not: sums stay below 2⁶². Σ k·x and Σ k are added up, and the
/// constant's coordinate, c·Σ k, is computed from the sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Directions {
    /// c.
    pub constant: f64,
}

/// The same in whole numbers.
struct Whole {
    /// c in grid steps.
    constant: u64,
    /// e.
    bits: u32,
}

impl Directions {
    /// The farthest that one record can move the sum.
    pub fn moved(adjacency: Adjacency) -> f64 {
        f64::from(adjacency.differing_records())
    }

    /// The sum of the directions of a population.
    pub fn ask(&self, population: &dyn Population) -> Result<Query<'static>, SlopeGridError> {
        let shape = population.shape();
        let whole = self.whole(&shape);
        let grid = Grid::new(-(whole.bits as i32)).map_err(|_| SlopeGridError::Product)?;
        let mut sums = population.sum(&whole).0;
        let times = sums.pop().unwrap_or(0);
        let last = i128::from(times) * i128::from(whole.constant);
        let values = sums.into_iter().map(i128::from).chain([last]);
        let record = RecordSteps::L2(1 << whole.bits);
        let sensitivity = Sensitivity::of(record, shape.width + 1, shape.adjacency);
        let query = Query::clamped("directions", values, grid, shape.adjacency, sensitivity);
        Ok(query)
    }

    fn whole(&self, shape: &Shape) -> Whole {
        let most = shape.clip.steps as f64;
        let records = shape.most_records().max(1) as u64;
        Whole {
            constant: (self.constant / shape.clip.grid.step()).clamp(0.0, most * most) as u64,
            bits: (60 - records.ilog2()).min(MOST_BITS),
        }
    }
}

impl LocalSum for Whole {
    /// Σ k·x, one per column, and Σ k.
    fn over(&self, records: &Records<'_>) -> Sums {
        // ⌊2ᵉ/N⌋, of a share of 2ᵉ.
        let times = |squared: &u128, share: Share| {
            whole_quotient(share.bound(1 << self.bits), *squared, share.cap(MOST_TIMES))
        };
        let norms = squared_norms(&records.features, &[], &[], self.constant);
        let change = |(row, squared): (u32, &u128)| Change {
            row,
            by: times(squared, records.share(row as usize)),
        };
        let rows: Vec<Change> = (0..).zip(&norms).map(change).collect();
        let mut sums = vec![0; records.features.width()];
        add_rows(&records.features, &rows, &mut sums);
        sums.push(rows.iter().map(|row| i64::from(row.by)).sum());
        Sums(sums)
    }
}
