use proptest::prelude::*;

use super::*;

/// Rows of numbers, many of them zero.
#[derive(Debug, Clone)]
struct Numbers {
    rows: usize,
    width: usize,
    values: Vec<f64>,
}

impl Numbers {
    fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.width + column]
    }

    /// Starts, indices and values of what is not zero in each of `lists` lists.
    fn compressed(
        lists: usize,
        length: usize,
        at: impl Fn(usize, usize) -> f64,
    ) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for list in 0..lists {
            for index in (0..length).filter(|&index| at(list, index) != 0.0) {
                indices.push(index as u32);
                values.push(at(list, index));
            }
            starts.push(indices.len());
        }
        (starts, indices, values)
    }

    fn by_columns(&self) -> Vec<f64> {
        let columns = (0..self.width).flat_map(|j| (0..self.rows).map(move |i| (i, j)));
        columns.map(|(i, j)| self.at(i, j)).collect()
    }

    /// As all constructors make it.
    fn all(&self) -> [Matrix<'static>; 4] {
        let (starts, columns, values) =
            Self::compressed(self.rows, self.width, |i, j| self.at(i, j));
        let csr = Matrix::from_csr(starts, columns, &values, self.width);
        let (starts, rows, values) = Self::compressed(self.width, self.rows, |j, i| self.at(i, j));
        let csc = Matrix::from_csc(&starts, &rows, &values, self.rows, self.width);
        let c = Matrix::from_dense(&self.values, self.rows, self.width, Order::Rows);
        let fortran = self.by_columns();
        let fortran = Matrix::from_dense(&fortran, self.rows, self.width, Order::Columns);
        [csr, csc, c, fortran].map(|made| made.expect("numbers of a matrix"))
    }
}

fn entries(matrix: &Matrix) -> Vec<(usize, usize, f32)> {
    let mut entries = Vec::new();
    for i in 0..matrix.rows() {
        matrix.for_row(i, |j, value| entries.push((i, j, value)));
    }
    entries.retain(|(_, _, value)| *value != 0.0);
    entries
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let shape = (0usize..40, 1usize..20, 0.0..1.0);
    shape.prop_flat_map(|(rows, width, share)| {
        let value = prop_oneof![
            ((1.0 - share) * 100.0) as u32 + 1 => Just(0.0),
            (share * 100.0) as u32 + 1 => -10.0..10.0,
        ];
        let values = prop::collection::vec(value, rows * width);
        values.prop_map(move |values| Numbers {
            rows,
            width,
            values,
        })
    })
}

proptest! {
    #[test]
    fn arrays_of_one_table_make_one_matrix_whatever_their_order(numbers in numbers()) {
        let mut expected: Vec<_> = (0..numbers.rows * numbers.width)
            .map(|k| (k / numbers.width, k % numbers.width, numbers.values[k] as f32))
            .collect();
        expected.retain(|(_, _, value)| *value != 0.0);
        for matrix in numbers.all() {
            prop_assert_eq!((matrix.rows(), matrix.width()), (numbers.rows, numbers.width));
            prop_assert_eq!(&entries(&matrix), &expected);
        }
    }
}

#[test]
fn a_dense_array_is_stored_as_it_is_smallest() {
    for order in [Order::Rows, Order::Columns] {
        let full = Matrix::from_dense(&[1.0f64; 200], 10, 20, order).unwrap();
        assert!(matches!(full, Matrix::Dense(_)));
        let mut few = [0.0f64; 200];
        few[7] = 1.0;
        let few = Matrix::from_dense(&few, 10, 20, order).unwrap();
        assert!(matches!(few, Matrix::Sparse(_)));
        assert_eq!(few.entries(), 1);
    }
}

#[test]
fn columns_that_are_borrowed_stay_where_they_are() {
    let columns = vec![0u32, 2, 1];
    let matrix = Matrix::from_csr(vec![0, 2, 3], &columns, &[1.0f32, 0.0, 3.0], 3).unwrap();
    let Matrix::Sparse(csr) = &matrix else {
        panic!("rows that are sparse stay so");
    };
    assert_eq!(csr.row(0).0.as_ptr(), columns.as_ptr());
    // A stored zero is an entry like any other.
    assert_eq!(csr.row(0), (&[0, 2][..], &[1.0, 0.0][..]));
}

#[test]
fn single_and_double_precision_and_integers_make_the_same_matrix() {
    let double = Matrix::from_dense(&[1.0f64, 0.0, -3.0, 4.0], 2, 2, Order::Rows);
    let single = Matrix::from_dense(&[1.0f32, 0.0, -3.0, 4.0], 2, 2, Order::Rows);
    let whole = Matrix::from_dense(&[1i32, 0, -3, 4], 2, 2, Order::Rows);
    assert_eq!(double, single);
    assert_eq!(double, whole);
}

#[test]
fn arrays_that_do_not_fit_together_are_refused() {
    let csc = |starts: &[usize], rows: &[u32], values: usize| {
        Matrix::from_csc(starts, rows, &vec![1.0; values], 3, 2).unwrap_err()
    };
    let shape = |error| matches!(error, MatrixError::Shape(_));
    // Starts: none, not from 0, not to the end, not sorted, too few, too many.
    assert!(shape(csc(&[], &[], 0)));
    assert!(shape(csc(&[1, 1, 2], &[0, 1], 2)));
    assert!(shape(csc(&[0, 1, 1], &[0, 1], 2)));
    assert!(shape(csc(&[0, 3, 2], &[0, 1], 2)));
    assert!(shape(csc(&[0, 2], &[0, 1], 2)));
    assert!(shape(csc(&[0, 1, 1, 2], &[0, 1], 2)));
    assert!(shape(csc(&[0, 1, 2], &[0, 1], 3)));
    assert_eq!(csc(&[0, 2, 2], &[1, 1], 2), MatrixError::Rows);
    assert_eq!(csc(&[0, 2, 2], &[2, 1], 2), MatrixError::Rows);
    assert_eq!(csc(&[0, 1, 2], &[0, 3], 2), MatrixError::Rows);
    let csr = |starts: &[usize], columns: Vec<u32>, values: usize| {
        Matrix::from_csr(starts.to_vec(), columns, &vec![1.0; values], 3).unwrap_err()
    };
    assert!(shape(csr(&[], vec![], 0)));
    assert!(shape(csr(&[0, 1], vec![0, 1], 2)));
    assert!(shape(csr(&[0, 2, 1, 2], vec![0, 1], 2)));
    assert!(shape(csr(&[0, 2], vec![0, 1], 1)));
    assert_eq!(csr(&[0, 2], vec![1, 1], 2), MatrixError::Columns);
    assert_eq!(csr(&[0, 2], vec![0, 3], 2), MatrixError::Columns);
    for order in [Order::Rows, Order::Columns] {
        assert!(shape(
            Matrix::from_dense(&[1.0; 5], 2, 3, order).unwrap_err()
        ));
        let overflow = Matrix::from_dense(&[1.0; 5], usize::MAX, 2, order);
        assert!(shape(overflow.unwrap_err()));
    }
}

#[test]
fn what_single_precision_cannot_hold_becomes_its_end() {
    for (beyond, end) in [(1e39, f32::MAX), (-1e300, f32::MIN), (f64::MAX, f32::MAX)] {
        let held = |made: Result<Matrix, MatrixError>, at: usize| {
            let mut found = 0.0;
            made.unwrap().for_row(at / 10, |column, value| {
                if column == at % 10 {
                    found = value;
                }
            });
            assert_eq!(found, end, "{beyond}");
        };
        held(Matrix::from_csr(vec![0, 1], vec![0], &[beyond], 2), 0);
        held(Matrix::from_csc(&[0, 1, 1], &[0], &[beyond], 1, 2), 0);
        for order in [Order::Rows, Order::Columns] {
            held(Matrix::from_dense(&[beyond, 1.0], 1, 2, order), 0);
            let mut mostly_zero = [0.0; 100];
            mostly_zero[55] = beyond;
            held(Matrix::from_dense(&mostly_zero, 10, 10, order), 55);
        }
    }
}

#[test]
fn nan_and_infinity_are_refused() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = |made: Result<Matrix, MatrixError>| {
            assert_eq!(made.unwrap_err(), MatrixError::NotFinite, "{bad}");
        };
        refused(Matrix::from_csr(vec![0, 1], vec![0], &[bad], 2));
        refused(Matrix::from_csc(&[0, 1, 1], &[0], &[bad], 1, 2));
        for order in [Order::Rows, Order::Columns] {
            refused(Matrix::from_dense(&[bad, 1.0], 1, 2, order));
            let mut mostly_zero = [0.0; 100];
            mostly_zero[50] = bad;
            refused(Matrix::from_dense(&mostly_zero, 10, 10, order));
        }
    }
}

#[test]
fn a_table_without_rows_or_columns_is_a_matrix() {
    for (rows, width) in [(0, 0), (0, 3), (3, 0)] {
        for order in [Order::Rows, Order::Columns] {
            let empty = Matrix::from_dense(&[0.0f64; 0], rows, width, order).unwrap();
            assert_eq!((empty.rows(), empty.width()), (rows, width));
        }
        let starts = vec![0; width + 1];
        let empty = Matrix::from_csc(&starts, &[], &[0.0f64; 0], rows, width).unwrap();
        assert_eq!((empty.rows(), empty.width()), (rows, width));
    }
}
