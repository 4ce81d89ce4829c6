//! Counts as queries: what one record can move where each record adds 1 to one count of a group.

use crate::noise::Grid;
use crate::population::Shape;
use crate::population::query::{Query, Sensitivity};
use crate::privacy::Adjacency;

/// Bits of a count's fraction, unless records are too many.
const COUNT_BITS: u32 = 24;

/// How far one record can move counts in so many groups, of each of which a record adds to one.
pub(super) fn counts_moved(groups: usize, adjacency: Adjacency) -> f64 {
    squared(groups, adjacency).sqrt()
}

/// The square of what one record can move, in records.
fn squared(groups: usize, adjacency: Adjacency) -> f64 {
    f64::from(adjacency.differing_records()) * groups as f64
}

/// A query of counts in so many groups, on a fine grid.
///
/// # Privacy
///
/// A record adds 1 to one count of each group. So neighbours under replace-one differ in each group
/// by (1, −1) in two counts or not at all, 2 per group in squares, and under add-remove by 1 in one
/// count, 1 per group: √(2g) and √g in ℓ₂ for g groups, rounded up to a whole step. A count is at
/// most the number of records, and the grid leaves it below 2⁶².
pub(super) fn counts_query(
    question: &'static str,
    counts: Vec<i64>,
    groups: usize,
    shape: &Shape,
) -> Query<'static> {
    let records = shape.most_records().max(1) as u64;
    let bits = (60 - records.ilog2()).min(COUNT_BITS);
    let grid = Grid::new(-(bits as i32)).expect("a small exponent");
    let differing = u128::from(shape.adjacency.differing_records());
    let square = (differing * groups as u128) << (2 * bits);
    let root = square.isqrt();
    let steps = root + u128::from(root * root < square);
    let values: Vec<i64> = counts.into_iter().map(|count| count << bits).collect();
    Query::new(
        question,
        values,
        grid,
        shape.adjacency,
        // A group is a list in memory: there are far fewer than 2³⁰.
        Sensitivity::whole((steps as u64).max(1)),
    )
}
