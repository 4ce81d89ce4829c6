//! A wide sparse matrix in tiles that fit a cache: a copy for passes that look up a number per
//! column.
//!
//! A look-up in a vector of a million numbers misses the near caches. In a tile all columns lie in a
//! block whose numbers stay in the second-level cache, and rows follow each other. Row and column
//! within a tile are `u16`, so that an entry takes the 8 bytes that it takes in sparse rows.

use std::ops::Range;

use rayon::prelude::*;

use super::Csr;

/// Rows of a tile.
pub(crate) const TILE_ROWS: usize = 1 << 16;
/// Columns of a tile: numbers of 8 bytes take 256 kB.
pub(crate) const TILE_COLUMNS: usize = 1 << 15;

/// One entry, by its place in a tile.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    pub row: u16,
    pub column: u16,
    pub value: f32,
}

/// The entries, tile after tile: all tiles of the first rows, then of the next. Within a tile they
/// are in the order of rows, and of columns within a row. Stored zeros are left out.
pub(crate) struct Tiles {
    entries: Vec<Entry>,
    /// Where each tile starts, and the end.
    starts: Vec<usize>,
    /// Blocks of columns.
    blocks: usize,
}

impl Tiles {
    /// The tiles of sparse rows. Two passes over the entries, on all threads.
    pub fn new(matrix: &Csr) -> Self {
        let rows = matrix.rows();
        let blocks = matrix.width().div_ceil(TILE_COLUMNS);
        let bands: Vec<Range<usize>> = (0..rows)
            .step_by(TILE_ROWS)
            .map(|first| first..rows.min(first + TILE_ROWS))
            .collect();
        let count = |band: &Range<usize>| counts(matrix, band.clone(), blocks);
        let counts: Vec<Vec<usize>> = bands.par_iter().map(count).collect();
        let mut starts = Vec::with_capacity(bands.len() * blocks + 1);
        let mut sum = 0;
        starts.push(0);
        starts.extend(counts.iter().flatten().map(|count| {
            sum += count;
            sum
        }));
        let mut entries = vec![Entry::default(); sum];
        let mut left = &mut entries[..];
        let mut shares = Vec::with_capacity(bands.len());
        for (band, counts) in bands.into_iter().zip(counts) {
            let share;
            (share, left) = left.split_at_mut(counts.iter().sum());
            shares.push((band, counts, share));
        }
        let fill = |(band, counts, share): (_, Vec<_>, &mut [Entry])| {
            fill(matrix, band, &counts, share);
        };
        shares.into_par_iter().for_each(fill);
        Self {
            entries,
            starts,
            blocks,
        }
    }

    /// The entries of a tile.
    pub fn tile(&self, band: usize, block: usize) -> &[Entry] {
        let tile = band * self.blocks + block;
        &self.entries[self.starts[tile]..self.starts[tile + 1]]
    }
}

/// The number of non-zeros in each block of columns, in some rows.
fn counts(matrix: &Csr, rows: Range<usize>, blocks: usize) -> Vec<usize> {
    let mut counts = vec![0; blocks];
    for i in rows {
        let (columns, values) = matrix.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            counts[column as usize / TILE_COLUMNS] += usize::from(value != 0.0);
        }
    }
    counts
}

/// Puts the non-zeros of some rows in their tiles.
fn fill(matrix: &Csr, rows: Range<usize>, counts: &[usize], entries: &mut [Entry]) {
    let mut next = Vec::with_capacity(counts.len());
    let mut sum = 0;
    for count in counts {
        next.push(sum);
        sum += count;
    }
    for (row, i) in rows.enumerate() {
        let (columns, values) = matrix.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            if value != 0.0 {
                let place = &mut next[column as usize / TILE_COLUMNS];
                entries[*place] = Entry {
                    row: row as u16,
                    column: (column as usize % TILE_COLUMNS) as u16,
                    value,
                };
                *place += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_hold_the_non_zeros_in_the_order_of_rows_and_columns() {
        let (rows, width) = (TILE_ROWS + 1000, 3 * TILE_COLUMNS + 5);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows {
            let first = (i * 7919) % 1000;
            columns.extend((0..3).map(|k| (first + k * (width - 1001) / 2) as u32));
            values.extend((0..3).map(|k| ((i + k) % 5) as f32));
            starts.push(columns.len());
        }
        let matrix = Csr::new(starts, columns, values, width).unwrap();
        let tiles = Tiles::new(&matrix);
        for band in 0..2 {
            let mut found: Vec<Vec<(u32, f32)>> = vec![Vec::new(); TILE_ROWS];
            for block in 0..4 {
                for entry in tiles.tile(band, block) {
                    let column = (block * TILE_COLUMNS) as u32 + u32::from(entry.column);
                    found[usize::from(entry.row)].push((column, entry.value));
                }
            }
            for (i, found) in (band * TILE_ROWS..rows).zip(found) {
                let (columns, values) = matrix.row(i);
                let entries = columns.iter().copied().zip(values.iter().copied());
                let expected: Vec<_> = entries.filter(|(_, x)| *x != 0.0).collect();
                assert_eq!(found, expected);
            }
        }
    }
}
