//! Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations.

/// Sweeps over all pairs: convergence is quadratic, and ten are plenty in practice.
const MOST_SWEEPS: usize = 40;

/// The eigenvalues of a symmetric matrix, and an eigenvector for each.
pub struct Eigen {
    /// The eigenvalues, in no order.
    pub values: Vec<f64>,
    /// The eigenvectors, as many as eigenvalues, of length 1.
    pub vectors: Vec<Vec<f64>>,
}

impl Eigen {
    /// Of the matrix with these rows, which must be symmetric.
    ///
    /// Cyclic Jacobi (Golub and Van Loan 2013, § 8.5): each rotation makes one entry off the
    /// diagonal zero; cost about 10·k³ for order k.
    pub fn of(mut matrix: Vec<Vec<f64>>) -> Self {
        let order = matrix.len();
        let axis = |j: usize| (0..order).map(|k| f64::from(u8::from(j == k))).collect();
        // Row j is eigenvector j.
        let mut vectors: Vec<Vec<f64>> = (0..order).map(axis).collect();
        let size: f64 = matrix.iter().flatten().map(|x| x * x).sum();
        for _ in 0..MOST_SWEEPS {
            let off: f64 = (0..order)
                .flat_map(|j| (0..j).map(move |k| (j, k)))
                .map(|(j, k)| matrix[j][k] * matrix[j][k])
                .sum();
            if off <= 1e-28 * size {
                break;
            }
            for p in 0..order {
                for q in p + 1..order {
                    rotate(&mut matrix, &mut vectors, p, q);
                }
            }
        }
        Self {
            values: (0..order).map(|j| matrix[j][j]).collect(),
            vectors,
        }
    }

    /// Σ f(λᵢ)·⟨vᵢ, x⟩·vᵢ for a function of the place of an eigenvalue.
    pub fn apply(&self, x: &[f64], f: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sum = vec![0.0; x.len()];
        for (i, vector) in self.vectors.iter().enumerate() {
            let inner: f64 = vector.iter().zip(x).map(|(v, x)| v * x).sum();
            let factor = f(i) * inner;
            for (sum, v) in sum.iter_mut().zip(vector) {
                *sum += factor * v;
            }
        }
        sum
    }
}

/// The rotation in the plane of p and q that makes their entry zero.
fn rotate(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let entry = matrix[p][q];
    if entry == 0.0 {
        return;
    }
    let ratio = (matrix[q][q] - matrix[p][p]) / (2.0 * entry);
    let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = tangent * cosine;
    let turn = |a: &mut f64, b: &mut f64| {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    };
    for row in matrix.iter_mut() {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    for rows in [matrix, vectors] {
        let (upper, lower) = rows.split_at_mut(q);
        let pairs = upper[p].iter_mut().zip(&mut lower[0]);
        pairs.for_each(|(a, b)| turn(a, b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::pairs;

    #[test]
    fn eigenvectors_are_orthonormal_and_make_the_matrix_again() {
        let pseudo_random = |k: usize| (k as f64 * 0.618_033_988_749_894_9).fract() - 0.5;
        for order in [1, 2, 5, 17] {
            let entry = |j: usize, k: usize| pseudo_random(j.max(k) * 31 + j.min(k) * 7);
            let row = |j: usize| (0..order).map(|k| entry(j, k)).collect::<Vec<f64>>();
            let matrix: Vec<Vec<f64>> = (0..order).map(row).collect();
            let eigen = Eigen::of(matrix.clone());
            for (j, expected) in matrix.iter().enumerate() {
                let axis: Vec<f64> = (0..order).map(|k| f64::from(u8::from(j == k))).collect();
                let row = eigen.apply(&axis, |i| eigen.values[i]);
                let same = eigen.apply(&axis, |_| 1.0);
                let near = |a: &[f64], b: &[f64]| pairs(a, b).all(|(a, b)| (a - b).abs() < 1e-12);
                assert!(near(&row, expected) && near(&same, &axis));
            }
        }
    }
}
