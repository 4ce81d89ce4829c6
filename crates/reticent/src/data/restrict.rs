//! Records with some of their columns, for a fit on a support that was released; and records made
//! as long as each other.

use super::matrix::{Csr, Dense, Matrix};
use super::records::{Records, clip_for};
use super::sum::RecordBound;

impl Records<'_> {
    /// The same records with these columns only, in this order.
    ///
    /// # Privacy
    ///
    /// Dropping columns is a function of the row alone, and does not lengthen it in any norm: what
    /// is left keeps its bound, its grid and its seal. *Which* columns is the caller's to answer
    /// for: they are public, or were released and charged.
    ///
    /// # Panics
    ///
    /// If the columns do not increase, or one lies beyond the last.
    pub fn on(&self, columns: &[u32]) -> Records<'static> {
        Records {
            features: restrict(&self.features, columns, None),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
        }
    }

    /// The records z = (x, c)/‖(x, c)‖₂: these columns and one more that holds the constant c
    /// (rounded to the grid), all made of length 1. What is zero altogether stays zero.
    ///
    /// # Privacy
    ///
    /// A function of the row alone, and of the columns and the constant, which are public or were
    /// released. The new rows are whole steps of the grid of the bound ‖z‖₂ ≤ 1, which is enforced in
    /// integers as any declared bound is.
    ///
    /// # Panics
    ///
    /// If the columns do not increase, or one lies beyond the last.
    pub fn unit(&self, columns: &[u32], constant: f64) -> Records<'_> {
        // A bound spans 2²⁰ steps, which f32 holds; a constant is no larger than it.
        let most = self.clip.steps as f64;
        let constant = (constant / self.clip.grid.step()).clamp(0.0, most).trunc() as f32;
        let mut features = match &self.features {
            // All columns stay where they are, and need no copy.
            Matrix::Sparse(csr) if columns.len() == csr.width() => {
                Matrix::Bordered(csr.bordered(constant))
            }
            features => restrict(features, columns, Some(constant)),
        };
        let clip = clip_for(RecordBound::L2(1.0)).expect("1 is a bound that a grid spans");
        // Rows are whole numbers, so that every one that is not zero is shortened to length 1.
        features.clip_rows(&clip);
        Records {
            features,
            targets: self.targets.clone(),
            classes: self.classes,
            clip,
            adjacency: self.adjacency,
        }
    }
}

/// The matrix of these columns, and of one of a constant at the end if there is any.
fn restrict(features: &Matrix, columns: &[u32], constant: Option<f32>) -> Matrix<'static> {
    assert!(columns.is_sorted_by(|a, b| a < b), "columns must increase");
    let within = |&last: &u32| (last as usize) < features.width();
    assert!(columns.last().is_none_or(within), "columns of the table");
    let rows = features.rows();
    let width = columns.len() + usize::from(constant.is_some());
    let restricted = match features {
        Matrix::Bordered(bordered) => {
            let plain = Matrix::Sparse(bordered.plain());
            return restrict(&plain, columns, constant);
        }
        Matrix::Sparse(csr) => {
            // Where each column went, from 1 on; 0 if nowhere.
            let mut place = vec![0u32; csr.width()];
            for (to, &from) in (1..).zip(columns) {
                place[from as usize] = to;
            }
            let stay = |&&column: &&u32| place[column as usize] > 0;
            let border = if constant.is_some() { rows } else { 0 };
            // Counted first: a vector that grows would take half as much again.
            let entries = csr.columns().iter().filter(stay).count() + border;
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
                if let Some(constant) = constant {
                    kept.push(columns.len() as u32);
                    values.push(constant);
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
                values.extend(constant);
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
    fn a_border_is_a_column_like_any_other() {
        let csr = Csr::new(vec![0, 2, 2, 3], vec![0, 2, 1], vec![3.0, -4.0, 7.0], 3).unwrap();
        let mut bordered = Matrix::Bordered(csr.bordered(5.0));
        let mut plain = restrict(&Matrix::Sparse(csr.clone()), &[0, 1, 2], Some(5.0));
        let clip = clip_for(RecordBound::L2(1.0)).unwrap();
        for step in 0..3 {
            assert_eq!(bordered.width(), plain.width());
            assert_eq!(bordered.entries(), plain.entries());
            for i in 0..3 {
                let of = |matrix: &Matrix| {
                    let mut row = Vec::new();
                    matrix.for_row(i, |column, value| row.push((column, value)));
                    row
                };
                assert_eq!(of(&bordered), of(&plain), "after {step} changes");
            }
            let support = [1, 3];
            assert_eq!(
                restrict(&bordered, &support, None),
                restrict(&plain, &support, None)
            );
            for matrix in [&mut bordered, &mut plain] {
                match step {
                    0 => matrix.clip_rows(&clip),
                    _ => matrix.scale(0.5),
                }
            }
        }
    }

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
            let restricted = restrict(&features, &[1, 3], None);
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
