//! Counts as queries: what one record can move where each record adds 1 to one count of a group.

use crate::noise::Grid;
use crate::population::Shape;
use crate::population::query::{Query, Sensitivity};
use crate::population::shares::COUNT_BITS;
use crate::privacy::Adjacency;

/// How far one record can move counts in so many groups, of each of which a record adds to one.
pub(super) fn counts_moved(groups: usize, adjacency: Adjacency) -> f64 {
    squared(groups, adjacency).sqrt()
}

/// The square of what one record can move, in records.
fn squared(groups: usize, adjacency: Adjacency) -> f64 {
    f64::from(adjacency.differing_records()) * groups as f64
}

/// A query of counts in so many groups, in steps of 2⁻²⁴.
///
/// # Privacy
///
/// A record adds 1 to one count of each group. So neighbours under replace-one differ in each group
/// by (1, −1) in two counts or not at all, 2 per group in squares, and under add-remove by 1 in one
/// count, 1 per group: √(2g) and √g in ℓ₂ for g groups, rounded up to a whole step. The rows of a
/// unit add their shares, to several counts of a group perhaps: numbers of at least 0 that add up to
/// at most 1. Two such vectors have no negative product, so that the square of their difference is
/// at most the sum of their squares, 2 per group, as for records. There are fewer than 2³² records, and
/// a count stays below 2⁵⁶ steps.
pub(super) fn counts_query(
    question: &'static str,
    counts: Vec<i64>,
    groups: usize,
    shape: &Shape,
) -> Query<'static> {
    let grid = Grid::new(-(COUNT_BITS as i32)).expect("a small exponent");
    let differing = u128::from(shape.adjacency.differing_records());
    let square = (differing * groups as u128) << (2 * COUNT_BITS);
    let root = square.isqrt();
    let steps = root + u128::from(root * root < square);
    Query::new(
        question,
        counts,
        grid,
        shape.adjacency,
        // A group is a list in memory: there are far fewer than 2³⁰.
        Sensitivity::whole((steps as u64).max(1)),
    )
}
