//! Sparse rows whose columns are numbered by how often they occur.
//!
//! In text, few words make up most entries. Numbered by frequency, the weights and the sums of those
//! lie next to each other and stay in the nearest cache, whatever their place in the alphabet. A
//! number is a `u16`, so that an entry takes six bytes, and a look-up needs no bounds check.

use super::Csr;

/// The largest number of columns.
pub(crate) const MOST_COLUMNS: usize = 1 << 16;

/// The rows, their entries in the order of the matrix.
pub(crate) struct Ranked {
    /// Row i has the entries from `starts[i]` to `starts[i + 1]`.
    starts: Vec<usize>,
    ranks: Vec<u16>,
    values: Vec<f32>,
    /// The column of each rank.
    columns: Vec<u32>,
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
        let mut rank = vec![0u16; width];
        for (place, column) in columns.iter().enumerate() {
            rank[*column as usize] = place as u16;
        }
        let ranks = matrix.columns().iter().map(|column| rank[*column as usize]);
        Self {
            starts: matrix.starts.clone(),
            ranks: ranks.collect(),
            values: matrix.values.clone(),
            columns,
        }
    }

    /// The ranks and the values of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u16], &[f32]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.ranks[range.clone()], &self.values[range])
    }

    /// The column of each rank.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_stand_for_the_columns_and_frequent_ones_come_first() {
        let columns = vec![1, 3, 0, 3, 3, 4, 1, 3];
        let values: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let matrix = Csr::new(vec![0, 2, 2, 4, 6, 8], columns, values, 6).unwrap();
        let ranked = Ranked::new(&matrix);
        assert_eq!(&ranked.columns()[..2], [3, 1]);
        for i in 0..matrix.rows() {
            let (ranks, values) = ranked.row(i);
            let column = |rank: &u16| ranked.columns()[usize::from(*rank)];
            let columns: Vec<u32> = ranks.iter().map(column).collect();
            assert_eq!((&columns[..], values), matrix.row(i));
        }
    }
}
