//! Some of the columns of a matrix.

use super::{Csr, Dense, Matrix};

/// The matrix of these columns.
///
/// # Panics
///
/// If the columns do not increase, or one lies beyond the last.
pub(crate) fn restrict(features: &Matrix, columns: &[u32]) -> Matrix<'static> {
    assert!(columns.is_sorted_by(|a, b| a < b), "columns must increase");
    let within = |&last: &u32| (last as usize) < features.width();
    assert!(columns.last().is_none_or(within), "columns of the table");
    let rows = features.rows();
    let width = columns.len();
    let restricted = match features {
        Matrix::Sparse(csr) => {
            // The new place of each column, from 1; 0 if it is dropped.
            let mut place = vec![0u32; csr.width()];
            for (to, &from) in (1..).zip(columns) {
                place[from as usize] = to;
            }
            let stay = |&&column: &&u32| place[column as usize] > 0;
            // Counted first: a growing vector would take half as much memory again.
            let entries = csr.columns().iter().filter(stay).count();
            let (mut kept, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
            let mut starts = vec![0];
            for i in 0..rows {
                let (from, entries) = csr.row(i);
                for (&from, &value) in from.iter().zip(entries) {
                    if let Some(to) = place[from as usize].checked_sub(1) {
                        kept.push(to);
                        values.push(value);
                    }
                }
                starts.push(kept.len());
            }
            Csr::new(starts, kept, values, width).map(Matrix::Sparse)
        }
        Matrix::Dense(dense) => {
            let mut values = Vec::with_capacity(rows * width);
            for i in 0..rows {
                let row = dense.row(i);
                values.extend(columns.iter().map(|&column| row[column as usize]));
            }
            Dense::new(values, rows, width).map(Matrix::Dense)
        }
    };
    restricted.expect("increasing columns of a matrix make a matrix")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restriction_keeps_the_entries_of_its_columns() {
        let dense = Matrix::Dense(Dense::new((1..=12).map(|x| x as f32).collect(), 3, 4).unwrap());
        let csr = Csr::new(
            vec![0, 4, 8, 12],
            [0, 1, 2, 3].repeat(3),
            (1..=12).map(|x| x as f32).collect(),
            4,
        );
        let sparse = Matrix::Sparse(csr.unwrap());
        for features in [dense, sparse] {
            let restricted = restrict(&features, &[1, 3]);
            assert_eq!((restricted.rows(), restricted.width()), (3, 2));
            let mut seen = Vec::new();
            for i in 0..3 {
                restricted.for_row(i, |column, x| seen.push((column, x)));
            }
            let expected = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0].map(|x| x as f32);
            let expected: Vec<_> = (0..6).map(|k| (k % 2, expected[k])).collect();
            assert_eq!(seen, expected);
        }
    }
}
