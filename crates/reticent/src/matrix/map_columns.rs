//! Entries of some columns changed, each as a function of itself.

use super::{Csr, Dense, Matrix, dense_is_smaller};

/// The matrix with each entry x of a column that has a `change` replaced by `map(change, x)`: those that
/// are not stored, too, which are 0.
///
/// # Panics
///
/// If there is not one place per column, or if the map makes an entry infinite.
pub(crate) fn map_columns<C>(
    features: &Matrix,
    changes: &[Option<C>],
    map: impl Fn(&C, f32) -> f32,
) -> Matrix<'static> {
    assert_eq!(changes.len(), features.width(), "one place per column");
    let changed = |column: usize, x: f32| match &changes[column] {
        Some(change) => map(change, x),
        None => x,
    };
    // The columns whose zeros change.
    let moved: Vec<u32> = (0..)
        .zip(changes)
        .filter(|(column, _)| changed(*column as usize, 0.0) != 0.0)
        .map(|(column, _)| column)
        .collect();
    let (rows, width) = (features.rows(), features.width());
    let mapped = match features {
        Matrix::Sparse(csr) => {
            let stored = |column: &u32| moved.binary_search(column).is_ok();
            let stored = csr.columns().iter().filter(|column| stored(column)).count();
            let entries = csr.entries() + rows * moved.len() - stored;
            match dense_is_smaller(rows, width, entries) {
                true => {
                    let empty: Vec<f32> = (0..width).map(|j| changed(j, 0.0)).collect();
                    let mut values = empty.repeat(rows);
                    for i in 0..rows {
                        features.for_row(i, |j, x| values[i * width + j] = changed(j, x));
                    }
                    Dense::new(values, rows, width).map(Matrix::Dense)
                }
                false => sparse(csr, entries, &moved, changed).map(Matrix::Sparse),
            }
        }
        Matrix::Dense(dense) => {
            let mut values = Vec::with_capacity(rows * width);
            for i in 0..rows {
                let row = dense.row(i).iter().enumerate();
                values.extend(row.map(|(column, x)| changed(column, *x)));
            }
            Dense::new(values, rows, width).map(Matrix::Dense)
        }
    };
    mapped.expect("finite entries of increasing columns make a matrix")
}

/// Sparse rows with so many `entries`, of which all are stored whose zeros change.
fn sparse(
    csr: &Csr<'_>,
    entries: usize,
    moved: &[u32],
    changed: impl Fn(usize, f32) -> f32,
) -> Result<Csr<'static>, super::MatrixError> {
    let (mut columns, mut values) = (Vec::with_capacity(entries), Vec::with_capacity(entries));
    let mut starts = vec![0];
    for i in 0..csr.rows() {
        let (of_row, stored) = csr.row(i);
        let mut missing = moved.iter().peekable();
        let mut push = |column: u32, x: f32| {
            columns.push(column);
            values.push(changed(column as usize, x));
        };
        for (&column, &x) in of_row.iter().zip(stored) {
            while let Some(&before) = missing.next_if(|&&other| other < column) {
                push(before, 0.0);
            }
            missing.next_if_eq(&&column);
            push(column, x);
        }
        missing.for_each(|&column| push(column, 0.0));
        starts.push(columns.len());
    }
    Csr::new(starts, columns, values, csr.width())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 9 rows of 8 columns, of which few entries are not 0.
    fn both(filled: usize) -> [Matrix<'static>; 2] {
        let (rows, width) = (9, 8);
        let mut values = vec![0.0f32; rows * width];
        let places = (0..filled).map(|k| k * 7 % (rows * width));
        places.for_each(|place| values[place] = 1.0 + place as f32);
        let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
        for row in values.chunks(width) {
            for (column, &x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
                columns.push(column);
                entries.push(x);
            }
            starts.push(columns.len());
        }
        let dense = Dense::new(values, rows, width).unwrap();
        let sparse = Csr::new(starts, columns, entries, width).unwrap();
        [Matrix::Dense(dense), Matrix::Sparse(sparse)]
    }

    fn entries(matrix: &Matrix) -> Vec<(usize, usize, f32)> {
        let mut all = Vec::new();
        for i in 0..matrix.rows() {
            matrix.for_row(i, |j, x| all.push((i, j, x)));
        }
        all.retain(|(.., x)| *x != 0.0);
        all
    }

    #[test]
    fn sparse_and_dense_rows_are_changed_alike() {
        // (factor, shift): columns 1 and 6 move their zeros.
        let mut changes = [None; 8];
        (changes[1], changes[3], changes[6]) =
            (Some((2.0, 1.0)), Some((3.0, 0.0)), Some((1.0, -2.0)));
        for filled in [0, 5, 12, 60] {
            let [dense, sparse] = both(filled);
            let map = |(factor, shift): &(f32, f32), x: f32| factor * x + shift;
            let [one, two] = [dense, sparse].map(|features| map_columns(&features, &changes, map));
            assert_eq!(entries(&one), entries(&two), "{filled}");
        }
    }

    #[test]
    fn a_sparse_matrix_whose_zeros_stay_has_the_same_entries() {
        let [_, sparse] = both(5);
        let mapped = map_columns(&sparse, &[Some(2.0f32); 8], |factor, x| factor * x);
        assert!(matches!(mapped, Matrix::Sparse(_)));
        assert_eq!(mapped.entries(), sparse.entries());
    }
}
