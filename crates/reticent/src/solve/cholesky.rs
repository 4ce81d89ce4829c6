//! Cholesky's factor of a symmetric matrix, in floats.

/// A lower triangle L with L·Lᵀ = A, rows one after the other, each of `order` places.
pub struct Cholesky {
    lower: Vec<f64>,
    order: usize,
}

impl Cholesky {
    /// Factors the symmetric matrix of which `matrix` holds the lower triangle, row by row;
    /// `None` if a pivot is not positive. Cost: order³/3.
    pub fn of(mut matrix: Vec<f64>, order: usize) -> Option<Self> {
        for i in 0..order {
            let (above, row) = matrix.split_at_mut(i * order);
            let row = &mut row[..=i];
            for j in 0..i {
                let other = &above[j * order..j * order + j + 1];
                row[j] = (row[j] - inner(&row[..j], &other[..j])) / other[j];
            }
            let pivot = row[i] - inner(&row[..i], &row[..i]);
            // Also false where it is not a number.
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            row[i] = pivot.sqrt();
        }
        Some(Self {
            lower: matrix,
            order,
        })
    }

    /// x with A·x = `right`.
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Self { lower, order } = self;
        let mut x = right.to_vec();
        for i in 0..*order {
            let row = &lower[i * order..i * order + i + 1];
            x[i] = (x[i] - inner(&row[..i], &x[..i])) / row[i];
        }
        for i in (0..*order).rev() {
            let row = &lower[i * order..i * order + i + 1];
            x[i] /= row[i];
            let value = x[i];
            for (entry, l) in x[..i].iter_mut().zip(row) {
                *entry -= value * l;
            }
        }
        x
    }

    /// The logarithm of the root of A's determinant.
    pub fn log_root_determinant(&self) -> f64 {
        let pivots = self.lower.iter().step_by(self.order + 1);
        pivots.map(|pivot| pivot.ln()).sum()
    }
}

/// A sum of products in four strands, which the compiler may compute together. What is proved for
/// one order of summation holds for this one.
pub(super) fn inner(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = a4.remainder().iter().zip(b4.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a4.zip(b4) {
        for k in 0..4 {
            strands[k] += a[k] * b[k];
        }
    }
    (strands[0] + strands[1]) + (strands[2] + strands[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pairs;

    #[test]
    fn it_solves_what_was_multiplied_and_refuses_what_is_not_positive() {
        // A = [[4, 2, 2], [2, 5, 3], [2, 3, 6]], x = (1, −2, 3).
        let lower = vec![4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 2.0, 3.0, 6.0];
        let factor = Cholesky::of(lower, 3).unwrap();
        let x = factor.solve(&[6.0, 1.0, 14.0]);
        for (found, expected) in pairs(&x, [1.0, -2.0, 3.0]) {
            assert!((found - expected).abs() < 1e-14, "{x:?}");
        }
        assert!(Cholesky::of(vec![1.0, 0.0, 2.0, 1.0], 2).is_none());
        assert!(Cholesky::of(vec![f64::NAN], 1).is_none());
    }
}
