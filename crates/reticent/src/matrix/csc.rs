//! Compressed sparse columns: a matrix by columns, for access to one at a time.

use rayon::prelude::*;

use super::Csr;

/// Compressed sparse columns, made of a [`Csr`] in one parallel pass.
pub(crate) struct Csc {
    /// Column j has the entries from `starts[j]` to `starts[j + 1]`.
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f32>,
}

impl Csc {
    /// The transpose, by counting: each thread fills the columns of its own range, which lie
    /// next to each other. Cost: two passes over the entries, and in each row one search per range.
    pub fn new(matrix: &Csr) -> Self {
        let starts = column_starts(matrix);
        let mut rows = vec![0u32; matrix.entries()];
        let mut values = vec![0f32; matrix.entries()];
        let ranges = ranges(&starts, rayon::current_num_threads());
        let mut shares = Vec::with_capacity(ranges.len());
        let (mut rows_left, mut values_left) = (&mut rows[..], &mut values[..]);
        for range in ranges {
            let entries = starts[range.end] - starts[range.start];
            let (share_rows, share_values);
            (share_rows, rows_left) = rows_left.split_at_mut(entries);
            (share_values, values_left) = values_left.split_at_mut(entries);
            shares.push((range, share_rows, share_values));
        }
        shares.into_par_iter().for_each(|(range, rows, values)| {
            fill(matrix, &starts, range, rows, values);
        });
        Self {
            starts,
            rows,
            values,
        }
    }

    /// At most `parts` ranges of columns with about equally many entries each.
    pub fn ranges(&self, parts: usize) -> Vec<std::ops::Range<usize>> {
        ranges(&self.starts, parts)
    }

    /// How many entries there are.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// The rows and values of column `j`, the rows in increasing order.
    pub fn column(&self, j: usize) -> (&[u32], &[f32]) {
        let range = self.starts[j]..self.starts[j + 1];
        (&self.rows[range.clone()], &self.values[range])
    }
}

/// Where each column will start.
fn column_starts(matrix: &Csr) -> Vec<usize> {
    let mut starts = vec![0; matrix.width() + 1];
    for &column in matrix.columns() {
        starts[column as usize + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

/// At most `parts` ranges of columns with about equally many entries each.
fn ranges(starts: &[usize], parts: usize) -> Vec<std::ops::Range<usize>> {
    let width = starts.len() - 1;
    let entries = starts[width];
    let cut = |part: usize| match part {
        0 => 0,
        part if part == parts => width,
        part => starts
            .partition_point(|&start| start < entries / parts * part)
            .min(width),
    };
    (0..parts).map(|part| cut(part)..cut(part + 1)).collect()
}

/// Fills the columns of one range.
fn fill(
    matrix: &Csr,
    starts: &[usize],
    range: std::ops::Range<usize>,
    rows: &mut [u32],
    values: &mut [f32],
) {
    let first = starts[range.start];
    let mut next: Vec<usize> = starts[range.clone()].iter().map(|s| s - first).collect();
    for i in 0..matrix.rows() {
        let (columns, entries) = matrix.row(i);
        let from = columns.partition_point(|&column| (column as usize) < range.start);
        for (&column, &value) in columns[from..].iter().zip(&entries[from..]) {
            let column = column as usize;
            if column >= range.end {
                break;
            }
            let place = &mut next[column - range.start];
            // A matrix has fewer than 2³² rows.
            rows[*place] = i as u32;
            values[*place] = value;
            *place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pairs;

    /// Every entry is found again in its column, whatever the number of threads.
    #[test]
    fn a_transpose_holds_the_same_entries_on_any_number_of_threads() {
        let (rows, width) = (97, 13);
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..rows {
            for j in (0..width).filter(|j| (i * 7 + j * j) % 5 < 2 && *j != 4) {
                columns.push(j as u32);
                values.push((i * width + j + 1) as f32);
            }
            starts.push(columns.len());
        }
        let matrix = Csr::new(starts, columns, values, width).unwrap();
        for threads in [1, 2, 7, 40] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let transpose = pool.unwrap().install(|| Csc::new(&matrix));
            let mut found = 0;
            for j in 0..width {
                let (rows, values) = transpose.column(j);
                assert!(rows.is_sorted_by(|a, b| a < b));
                for (&i, &value) in pairs(rows, values) {
                    assert_eq!(value, (i as usize * width + j + 1) as f32);
                }
                found += rows.len();
            }
            assert_eq!(found, matrix.entries());
        }
    }
}
