//! Adding multiples of rows to a vector of integers.

use crate::matrix::csc::Csc;
use crate::matrix::ranked::{RANKS, Ranked, RankedRow};
use crate::matrix::tiles::{TILE_COLUMNS, TILE_ROWS, Tiles};
use crate::matrix::{Csr, Matrix};
use crate::parallel::{self, SINGLE_THREAD_WORK};

/// A record whose slope has changed.
#[derive(Clone, Copy, Default)]
pub(in crate::population) struct Change {
    pub row: u32,
    pub by: i32,
}

/// A second thread needs a vector of its own, which is cleared and added at the end: worthwhile
/// only from this many entries per column.
const ENTRIES_PER_COLUMN: usize = 3;

/// Adds `by` times the row to `sums`, for each change. The features are whole numbers of at
/// most 2²⁰ in size.
///
/// Integer sums do not depend on their order, so the result does not depend on the number of
/// threads.
pub(in crate::population) fn add_rows(features: &Matrix, changes: &[Change], sums: &mut [i64]) {
    share(features, changes, sums, rayon::current_num_threads());
}

/// [`add_rows`] on about `threads` threads.
fn share(features: &Matrix, changes: &[Change], sums: &mut [i64], threads: usize) {
    let entries = entries(features, changes);
    if threads < 2 || entries < SINGLE_THREAD_WORK.max(ENTRIES_PER_COLUMN * sums.len()) {
        return add_alone(features, changes.iter().copied(), sums);
    }
    let (first, second) = changes.split_at(changes.len() / 2);
    let width = sums.len();
    let ((), others) = rayon::join(
        || share(features, first, sums, threads / 2),
        || {
            let mut others = vec![0; width];
            share(features, second, &mut others, threads - threads / 2);
            others
        },
    );
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// Records that have moved, among those from `first` on.
pub(super) fn changes(first: usize, moves: &[i32]) -> impl Iterator<Item = Change> {
    let all = (first as u32..).zip(moves);
    all.filter_map(|(row, &by)| (by != 0).then_some(Change { row, by }))
}

/// Adding an entry to sums that miss the cache takes this many times as long as in tiles.
pub(super) const SCATTER_TO_TILES: usize = 6;
/// The same for columns.
pub(super) const SCATTER_TO_COLUMNS: usize = 2;

/// Σ k·x afresh, for all functions: column after column, on all threads. The slopes of a record, one
/// per function, lie side by side.
pub(super) fn sum_columns(
    width: usize,
    columns: &Csc,
    slopes: &[i32],
    functions: usize,
    sums: &mut [i64],
) {
    let mut left: Vec<&mut [i64]> = sums.chunks_mut(width.max(1)).collect();
    let mut shares = Vec::new();
    for range in columns.ranges(PARTS_PER_THREAD * rayon::current_num_threads()) {
        let mut share = Vec::with_capacity(functions);
        for left in &mut left {
            let (own, rest) = std::mem::take(left).split_at_mut(range.len());
            share.push(own);
            *left = rest;
        }
        shares.push((range, share));
    }
    let threads = parallel::threads(columns.entries());
    parallel::share(shares.into_iter(), threads, |(range, mut sums)| {
        let mut of_column = vec![0; functions];
        for (place, column) in range.enumerate() {
            let (rows, values) = columns.column(column);
            of_column.fill(0);
            pulp::Arch::new().dispatch(Column {
                rows,
                values,
                slopes,
                sums: &mut of_column,
            });
            for (sums, sum) in sums.iter_mut().zip(&of_column) {
                sums[place] = *sum;
            }
        }
    });
}

/// Parts of the columns, so that no thread waits long for another.
const PARTS_PER_THREAD: usize = 8;

/// Adds Σ k·x of one column for each function; `pulp` compiles it for several kinds of registers.
struct Column<'a, 'b> {
    rows: &'a [u32],
    values: &'a [f32],
    slopes: &'a [i32],
    sums: &'b mut [i64],
}

impl pulp::NullaryFnOnce for Column<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let functions = self.sums.len();
        for (&row, &x) in self.rows.iter().zip(self.values) {
            let x = whole(x) as i32;
            let slopes = &self.slopes[row as usize * functions..][..functions];
            for (sum, slope) in self.sums.iter_mut().zip(slopes) {
                *sum += i64::from(*slope) * i64::from(x);
            }
        }
    }
}

/// Σ k·x afresh, for one function: each thread has blocks of columns, whose sums stay in its cache.
/// One pass over the tiles, which have so many entries.
pub(super) fn sum_tiles(entries: usize, tiles: &Tiles, slopes: &[i32], sums: &mut [i64]) {
    let blocks = sums.chunks_mut(TILE_COLUMNS).enumerate();
    let threads = parallel::threads(entries);
    parallel::share(blocks, threads, |(block, sums)| {
        sums.fill(0);
        for (band, slopes) in slopes.chunks(TILE_ROWS).enumerate() {
            for entry in tiles.tile(band, block) {
                let by = i64::from(slopes[usize::from(entry.row)]);
                sums[usize::from(entry.column)] += by * whole(entry.value);
            }
        }
    });
}

/// How many entries the rows of changes have.
pub(super) fn entries(features: &Matrix, changes: &[Change]) -> usize {
    match features {
        Matrix::Sparse(csr) => changes
            .iter()
            .map(|c| csr.row(c.row as usize).0.len())
            .sum(),
        Matrix::Dense(_) => changes.len() * features.width(),
    }
}

/// Adds changes to sums by rank.
pub(super) fn add_ranked(
    rows: &Ranked,
    changes: impl Iterator<Item = Change>,
    sums: &mut [i64; RANKS],
) {
    for change in changes {
        let by = i64::from(change.by);
        match rows.row(change.row as usize) {
            RankedRow::Entries(ranks, values) => {
                for (&rank, &x) in ranks.iter().zip(values) {
                    sums[usize::from(rank)] += by * whole(x);
                }
            }
            // The sum of the rank that no column has may wrap: nobody looks at it.
            RankedRow::Fours(fours) => {
                for four in fours {
                    let by = by * whole(four.value);
                    for rank in four.ranks {
                        let sum = &mut sums[usize::from(rank)];
                        *sum = sum.wrapping_add(by);
                    }
                }
            }
        }
    }
}

/// Adds sparse rows from `first` on, each times its slope of each function, to the sums of the
/// functions, one after another. The slopes of a row lie side by side.
pub(super) fn add_sparse(csr: &Csr, first: usize, slopes: &[i32], sums: &mut [i64]) {
    let Some(functions) = sums.len().checked_div(csr.width()) else {
        return;
    };
    for (row, slopes) in (first..).zip(slopes.chunks(functions)) {
        let (columns, values) = csr.row(row);
        for (by, sums) in slopes.iter().zip(sums.chunks_mut(csr.width())) {
            let by = i64::from(*by);
            if by != 0 {
                for (&column, &x) in columns.iter().zip(values) {
                    sums[column as usize] += by * whole(x);
                }
            }
        }
    }
}

/// [`add_rows`] on this thread.
pub(super) fn add_alone(
    features: &Matrix,
    changes: impl Iterator<Item = Change>,
    sums: &mut [i64],
) {
    for change in changes {
        let by = i64::from(change.by);
        match features {
            Matrix::Sparse(csr) => {
                let (columns, values) = csr.row(change.row as usize);
                for (&column, &x) in columns.iter().zip(values) {
                    sums[column as usize] += by * whole(x);
                }
            }
            Matrix::Dense(dense) => {
                for (sum, &x) in sums.iter_mut().zip(dense.row(change.row as usize)) {
                    *sum += by * whole(x);
                }
            }
        }
    }
}

/// A whole float of at most 2²² in size as an integer: a cast without the checks for other floats,
/// and three times as fast. The sum of a whole number and 1.5·2²³ is exact, and its last bits are
/// that number.
#[inline]
pub(super) fn whole(x: f32) -> i64 {
    const SHIFT: f32 = 12_582_912.0;
    i64::from((x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_floats_become_the_integers_they_are() {
        for x in (0..1 << 20).step_by(77).chain([1, 1 << 20]) {
            assert_eq!(whole(x as f32), x);
            assert_eq!(whole(-x as f32), -x);
        }
    }
}
