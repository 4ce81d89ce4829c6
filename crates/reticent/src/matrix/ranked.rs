//! Sparse rows whose columns are numbered by how often they occur.
//!
//! In text, few words make up most entries. Numbered by frequency, the weights and the sums of those
//! lie next to each other and stay in the nearest cache, whatever their place in the alphabet. A
//! number is a `u16`, so that a look-up needs no bounds check.
//!
//! The entries of a row that share their value (words that occur once, binary columns; also if each
//! row is scaled by its own length) come in fours with one value: three bytes per entry in place of
//! six, and one product for four.

use super::Csr;

/// The largest number of columns, one rank being left over.
pub(crate) const MOST_COLUMNS: usize = (1 << 16) - 1;

/// How many ranks a `u16` counts.
pub(crate) const RANKS: usize = 1 << 16;

/// The rows.
pub(crate) struct Ranked {
    /// Row i has the items from `starts[i]` to `starts[i + 1]`.
    starts: Vec<usize>,
    items: Items,
    /// The column of each rank.
    columns: Vec<u32>,
    /// The rank of each column.
    ranks: Vec<u16>,
}

/// What rows are made of, row after row.
enum Items {
    /// Ranks and values, in the order of the matrix.
    Entries(Vec<u16>, Vec<f32>),
    /// Four entries at a time.
    Fours(Vec<Four>),
}

/// Four entries of a row with the same value. Where there are fewer, the rank that no column has is
/// repeated: its weight is 0, and its sum is not looked at.
#[derive(Clone, Copy)]
pub(crate) struct Four {
    pub value: f32,
    pub ranks: [u16; 4],
}

/// One row.
pub(crate) enum RankedRow<'a> {
    /// Ranks and values.
    Entries(&'a [u16], &'a [f32]),
    /// Four entries at a time.
    Fours(&'a [Four]),
}

impl Ranked {
    /// The ranked rows of a matrix of at most [`MOST_COLUMNS`] columns. Two passes over the entries.
    ///
    /// # Panics
    ///
    /// If there are more columns.
    pub fn new(matrix: &Csr) -> Self {
        let width = matrix.width();
        assert!(width <= MOST_COLUMNS, "a rank is a u16");
        let mut counts = vec![0u32; width];
        for &column in matrix.columns() {
            counts[column as usize] += 1;
        }
        let mut columns: Vec<u32> = (0..width as u32).collect();
        columns.sort_by_key(|column| std::cmp::Reverse(counts[*column as usize]));
        let mut ranks = vec![0u16; width];
        for (place, column) in columns.iter().enumerate() {
            ranks[*column as usize] = place as u16;
        }
        let (starts, items) = fours(matrix, &ranks).unwrap_or_else(|| {
            let ranks = matrix
                .columns()
                .iter()
                .map(|column| ranks[*column as usize]);
            let items = Items::Entries(ranks.collect(), matrix.values.clone());
            (matrix.starts.clone(), items)
        });
        Self {
            starts,
            items,
            columns,
            ranks,
        }
    }

    /// Row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> RankedRow<'_> {
        let range = self.starts[i]..self.starts[i + 1];
        match &self.items {
            Items::Entries(ranks, values) => {
                RankedRow::Entries(&ranks[range.clone()], &values[range])
            }
            Items::Fours(fours) => RankedRow::Fours(&fours[range]),
        }
    }

    /// The column of each rank.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// The rank of each column.
    pub fn ranks(&self) -> &[u16] {
        &self.ranks
    }
}

/// The rows in fours, without stored zeros, if at most a third of the places is left over.
fn fours(matrix: &Csr, ranks: &[u16]) -> Option<(Vec<usize>, Items)> {
    /// Entries after which so many left over are no longer taken for chance.
    const FEW: usize = 1 << 12;
    let mut fours: Vec<Four> = Vec::with_capacity(matrix.entries() / 3);
    let mut starts = Vec::with_capacity(matrix.rows() + 1);
    starts.push(0);
    // Of each value of a row, the entries that have not been put into a four.
    let mut open: Vec<(f32, usize, [u16; 4])> = Vec::new();
    let none = ranks.len() as u16;
    let mut entries = 0;
    for i in 0..matrix.rows() {
        open.clear();
        let (columns, values) = matrix.row(i);
        for (&column, &value) in columns.iter().zip(values) {
            if value == 0.0 {
                continue;
            }
            entries += 1;
            let place = open.iter().position(|(known, ..)| *known == value);
            let place = place.unwrap_or_else(|| {
                open.push((value, 0, [none; 4]));
                open.len() - 1
            });
            let (value, count, four) = &mut open[place];
            four[*count] = ranks[column as usize];
            *count += 1;
            if *count == 4 {
                fours.push(Four {
                    value: *value,
                    ranks: std::mem::replace(four, [none; 4]),
                });
                *count = 0;
            }
        }
        let rest = open.iter().filter(|(_, count, _)| *count > 0);
        fours.extend(rest.map(|&(value, _, ranks)| Four { value, ranks }));
        starts.push(fours.len());
        if 4 * fours.len() > entries + entries / 2 + FEW {
            return None;
        }
    }
    Some((starts, Items::Fours(fours)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries of a row by column, without zeros.
    fn entries(ranked: &Ranked, i: usize) -> Vec<(u32, f32)> {
        let column = |rank: &u16| ranked.columns().get(usize::from(*rank)).copied();
        let mut entries: Vec<(u32, f32)> = match ranked.row(i) {
            RankedRow::Entries(ranks, values) => {
                let columns = ranks.iter().map(|rank| column(rank).unwrap());
                columns.zip(values.iter().copied()).collect()
            }
            RankedRow::Fours(fours) => {
                let of_four = |four: &Four| {
                    four.ranks
                        .map(|rank| column(&rank).map(|c| (c, four.value)))
                };
                fours.iter().flat_map(of_four).flatten().collect()
            }
        };
        entries.retain(|(_, x)| *x != 0.0);
        entries.sort_by_key(|(column, _)| *column);
        entries
    }

    fn check(matrix: &Csr, in_fours: bool) {
        let ranked = Ranked::new(matrix);
        assert_eq!(matches!(ranked.items, Items::Fours(_)), in_fours);
        for i in 0..matrix.rows() {
            let (columns, values) = matrix.row(i);
            let expected = columns.iter().copied().zip(values.iter().copied());
            let expected: Vec<_> = expected.filter(|(_, x)| *x != 0.0).collect();
            assert_eq!(entries(&ranked, i), expected);
        }
        for (column, rank) in ranked.ranks().iter().enumerate() {
            assert_eq!(ranked.columns()[usize::from(*rank)], column as u32);
        }
    }

    #[test]
    fn ranks_stand_for_the_columns_and_frequent_ones_come_first() {
        let columns = vec![1, 3, 0, 3, 3, 4, 1, 3];
        let values: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let matrix = Csr::new(vec![0, 2, 2, 4, 6, 8], columns, values, 6).unwrap();
        assert_eq!(&Ranked::new(&matrix).columns()[..2], [3, 1]);
        check(&matrix, true);
    }

    #[test]
    fn rows_of_few_values_come_in_fours_and_others_as_they_are() {
        let (rows, width) = (500, 40);
        let starts: Vec<usize> = (0..=rows).map(|i| i * width).collect();
        let columns: Vec<u32> = (0..rows).flat_map(|_| 0..width as u32).collect();
        for (different, in_fours) in [(3, true), (width, false)] {
            let value = |place: usize| ((place / width + place % different) % 50) as f32;
            let values = (0..rows * width).map(value).collect();
            let matrix = Csr::new(starts.clone(), columns.clone(), values, width).unwrap();
            check(&matrix, in_fours);
        }
    }
}
