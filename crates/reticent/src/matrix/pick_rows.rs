//! Some of the rows of a matrix.

use super::{Csr, Dense, Matrix};

/// The matrix of these rows, in this order.
///
/// # Panics
///
/// If a row lies beyond the last.
pub(crate) fn pick_rows(features: &Matrix, rows: &[u32]) -> Matrix<'static> {
    let width = features.width();
    let picked = match features {
        Matrix::Sparse(csr) => {
            let of = |row: &u32| csr.row(*row as usize);
            let entries = rows.iter().map(|row| of(row).0.len()).sum();
            let (mut columns, mut values) =
                (Vec::with_capacity(entries), Vec::with_capacity(entries));
            let mut starts = Vec::with_capacity(rows.len() + 1);
            starts.push(0);
            for row in rows {
                let (own, entries) = of(row);
                columns.extend_from_slice(own);
                values.extend_from_slice(entries);
                starts.push(columns.len());
            }
            Csr::new(starts, columns, values, width).map(Matrix::Sparse)
        }
        Matrix::Dense(dense) => {
            let mut values = Vec::with_capacity(rows.len() * width);
            for row in rows {
                values.extend_from_slice(dense.row(*row as usize));
            }
            Dense::new(values, rows.len(), width).map(Matrix::Dense)
        }
    };
    picked.expect("rows of a matrix make a matrix")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picked_rows_keep_their_entries() {
        let dense = Matrix::Dense(Dense::new((1..=12).map(|x| x as f32).collect(), 4, 3).unwrap());
        let csr = Csr::new(vec![0, 1, 1, 3], vec![2, 0, 1], vec![5.0, 6.0, 7.0], 3);
        let entries = |features: &Matrix, row| {
            let mut seen = Vec::new();
            features.for_row(row, |column, x| seen.push((column, x)));
            seen
        };
        for (features, rows) in [
            (dense, vec![3, 0, 2]),
            (Matrix::Sparse(csr.unwrap()), vec![2, 1, 0]),
        ] {
            let picked = pick_rows(&features, &rows);
            assert_eq!((picked.rows(), picked.width()), (rows.len(), 3));
            for (place, row) in rows.iter().enumerate() {
                assert_eq!(entries(&picked, place), entries(&features, *row as usize));
            }
            assert_eq!(pick_rows(&features, &[]).rows(), 0);
        }
    }
}
