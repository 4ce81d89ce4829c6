//! A proved upper bound of the operator norm of a public dense matrix.
//!
//! Power iteration alone errs downwards, and a sensitivity that relied on it would be too small.
//! Here it only proposes a number, and a Cholesky factor proves it.

use rayon::prelude::*;

use super::cholesky::{Cholesky, inner};

/// The shorter side up to which a certificate is tried: its cost is that side cubed.
const MOST_SIDE: usize = 2048;

/// Half the distance from 1 to the next float: the relative error of one operation.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// An upper bound of ‖X‖₂ = max ‖Xv‖₂/‖v‖₂ for the matrix whose rows of `width` entries stand
/// one after the other in `values`: the least of √(‖X‖₁·‖X‖∞), the Frobenius norm and, if the
/// shorter side is at most 2048, a Cholesky certificate; rounded up. Infinite if an entry is
/// not finite.
///
/// *The certificate.* Let G = XᵀX or XXᵀ, whichever is smaller, of order k, its entries sums of
/// l products; T a guess of ‖X‖₂²; and u = 2⁻⁵³, γₘ = mu/(1 − mu). In floats
///
/// - Ĝ differs from G by at most γₗ|X|ᵀ|X| entry by entry, so in norm by at most γₗ‖X‖_F²;
/// - Â = T·I − Ĝ is computed with an error of at most u·|âⱼⱼ| on the diagonal, exact elsewhere;
/// - if Cholesky's factorisation of Â succeeds, L̂L̂ᵀ = Â + E with
///   |E| ≤ γₖ₊₁|L̂||L̂|ᵀ (Higham 2002, theorem 10.3), whose norm is at most
///   γₖ₊₁/(1 − γₖ₊₁)·tr Â (as in Rump 2006).
///
/// L̂L̂ᵀ has no negative eigenvalue, so that ‖X‖₂² = λ_max(G) is at most
/// T + γₖ₊₁/(1 − γₖ₊₁)·tr Â + u·max âⱼⱼ + γₗ‖X‖_F². The order of summation does not matter to
/// any γ. Entries are scaled by a power of two first so that the largest is between 1 and 2:
/// what underflows is then below 2⁻¹⁰⁰⁰ of the rest, less than the last rounding up.
///
/// # Panics
///
/// If the values do not make whole rows.
pub fn operator_norm_bound(values: &[f64], width: usize) -> f64 {
    assert!(
        values.is_empty() || (width > 0 && values.len().is_multiple_of(width)),
        "the values must make whole rows"
    );
    if !values.iter().all(|x| x.is_finite()) {
        return f64::INFINITY;
    }
    let largest = values.iter().fold(0.0f64, |most, x| x.abs().max(most));
    if largest == 0.0 {
        return 0.0;
    }
    let matrix = Scaled::of(values, width, largest);
    let squares = matrix.frobenius_squared().min(matrix.of_sums());
    let squares = matrix
        .certificate()
        .map_or(squares, |proved| proved.min(squares));
    // The root is rounded to the nearest, and the scale may round where it underflows.
    matrix.unscale(squares.sqrt().next_up()).next_up()
}

/// A matrix whose largest entry is between 1 and 2.
struct Scaled {
    values: Vec<f64>,
    width: usize,
    height: usize,
    exponent: i32,
}

impl Scaled {
    fn of(values: &[f64], width: usize, largest: f64) -> Self {
        let exponent = libm::ilogb(largest);
        let scale = |&x: &f64| libm::scalbn(x, -exponent);
        Self {
            values: values.iter().map(scale).collect(),
            width,
            height: values.len() / width,
            exponent,
        }
    }

    fn unscale(&self, x: f64) -> f64 {
        libm::scalbn(x, self.exponent)
    }

    /// An upper bound of ‖X‖_F².
    fn frobenius_squared(&self) -> f64 {
        let sum = inner(&self.values, &self.values);
        raised(sum, self.values.len() + 1)
    }

    /// An upper bound of ‖X‖₁·‖X‖∞, which is at least ‖X‖₂².
    fn of_sums(&self) -> f64 {
        let (mut columns, mut largest_row) = (vec![0.0; self.width], 0.0f64);
        for row in self.values.chunks_exact(self.width) {
            let mut sum = 0.0;
            for (column, x) in columns.iter_mut().zip(row) {
                *column += x.abs();
                sum += x.abs();
            }
            largest_row = largest_row.max(sum);
        }
        let largest_column = columns.into_iter().fold(0.0, f64::max);
        raised(largest_row * largest_column, self.width + self.height + 1)
    }

    /// An upper bound of ‖X‖₂² that a Cholesky factor proves, within 1e-5 of the least where
    /// power iteration came that near.
    fn certificate(&self) -> Option<f64> {
        let (order, length) = if self.width <= self.height {
            (self.width, self.height)
        } else {
            (self.height, self.width)
        };
        if order > MOST_SIDE {
            return None;
        }
        let gram = self.gram(order);
        let guess = largest_eigenvalue(&gram, order);
        let excesses = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];
        let tried = excesses.map(|excess| guess * (1.0 + excess));
        let (proved, trace, most) = tried.into_iter().find_map(|t| proof(&gram, order, t))?;
        let factor = gamma(order + 1) / (1.0 - gamma(order + 1)) * trace;
        let products = gamma(length) * self.frobenius_squared();
        let error = (factor + products + ROUNDING * most) * (1.0 + 1e-9);
        Some((proved + error).next_up())
    }

    /// The smaller of XᵀX and XXᵀ, all of it.
    fn gram(&self, order: usize) -> Vec<f64> {
        let turned;
        let (lines, length) = if self.width <= self.height {
            turned = self.transpose();
            (&turned, self.height)
        } else {
            (&self.values, self.width)
        };
        let line = |i: usize| &lines[i * length..(i + 1) * length];
        let entries = (0..order * order).into_par_iter();
        entries
            .map(|k| inner(line(k / order), line(k % order)))
            .collect()
    }

    fn transpose(&self) -> Vec<f64> {
        let mut turned = vec![0.0; self.values.len()];
        for (i, row) in self.values.chunks_exact(self.width).enumerate() {
            for (j, &x) in row.iter().enumerate() {
                turned[j * self.height + i] = x;
            }
        }
        turned
    }
}

/// T, tr Â and max âⱼⱼ if the factorisation of Â = T·I − Ĝ succeeds; the trace rounded up.
fn proof(gram: &[f64], order: usize, t: f64) -> Option<(f64, f64, f64)> {
    let mut shifted: Vec<f64> = gram.iter().map(|x| -x).collect();
    let (mut trace, mut most) = (0.0, 0.0f64);
    for j in 0..order {
        let entry = t - gram[j * order + j];
        shifted[j * order + j] = entry;
        trace += entry;
        most = most.max(entry);
    }
    Cholesky::of(shifted, order)?;
    Some((t, raised(trace, order), most))
}

/// Power iteration from a slightly perturbed vector of ones: an estimate, from below.
fn largest_eigenvalue(gram: &[f64], order: usize) -> f64 {
    const ROUNDS: usize = 500;
    let mut vector: Vec<f64> = (0..order)
        .map(|j| 1.0 + ((j + 1) as f64 * 0.618_033_988_749_894_9).fract())
        .collect();
    let mut found = 0.0;
    for _ in 0..ROUNDS {
        let length = inner(&vector, &vector).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            break;
        }
        vector.iter_mut().for_each(|x| *x /= length);
        let rows = gram.par_chunks_exact(order);
        let next: Vec<f64> = rows.map(|row| inner(row, &vector)).collect();
        let value = inner(&next, &vector);
        let settled = (value - found).abs() <= 1e-12 * value;
        found = value;
        vector = next;
        if settled {
            break;
        }
    }
    // A vector orthogonal to all that matters would give 0; no diagonal entry is larger than the
    // largest eigenvalue.
    let diagonal = (0..order).map(|j| gram[j * order + j]);
    diagonal.fold(found, f64::max)
}

/// γₘ = mu/(1 − mu), rounded up.
fn gamma(m: usize) -> f64 {
    let mu = m as f64 * ROUNDING;
    mu / (1.0 - mu) * (1.0 + 1e-15)
}

/// An upper bound of a sum of numbers that are not negative, computed as `x` with at most
/// `operations` roundings on the way to any term.
fn raised(x: f64, operations: usize) -> f64 {
    (x * (1.0 + 2.0 * gamma(operations + 1))).next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Randomness, SeededGenerator};
    use proptest::prelude::*;

    fn above(bound: f64, exact: f64, within: f64) {
        assert!(bound >= exact, "{bound} < {exact}");
        assert!(bound <= exact * within, "{bound} is far above {exact}");
    }

    #[test]
    fn exact_cases_are_bounded_from_just_above() {
        // Diagonal, whatever the scale.
        for scale in [1.0, 1e-300, 1e300, 5e-324] {
            let diagonal = [3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0].map(|x| x * scale);
            let slack = if scale < 1e-310 { 2.0 } else { 1.0 + 1e-12 };
            above(operator_norm_bound(&diagonal, 3), 3.0 * scale, slack);
        }
        // A rotation times 5.
        above(
            operator_norm_bound(&[3.0, -4.0, 4.0, 3.0], 2),
            5.0,
            1.0 + 1e-5,
        );
        // Rank one: ‖u‖·‖v‖ = 3·7, where the Frobenius norm is exact.
        let outer = [1.0, 2.0, 2.0].map(|u| [2.0, 3.0, 6.0].map(|v| u * v));
        above(operator_norm_bound(&outer.concat(), 3), 21.0, 1.0 + 1e-12);
        // Hadamard's matrix of order 4: 2.
        let hadamard: Vec<f64> = (0..16u32)
            .map(|k| {
                if ((k / 4) & (k % 4)).count_ones() % 2 == 0 {
                    1.0
                } else {
                    -1.0
                }
            })
            .collect();
        above(operator_norm_bound(&hadamard, 4), 2.0, 1.0 + 1e-5);
        assert_eq!(operator_norm_bound(&[0.0; 6], 2), 0.0);
        assert_eq!(operator_norm_bound(&[], 0), 0.0);
        assert_eq!(operator_norm_bound(&[1.0, f64::NAN], 2), f64::INFINITY);
        assert_eq!(operator_norm_bound(&[1.0, f64::INFINITY], 1), f64::INFINITY);
    }

    /// [[1, 1], [0, 1]] has the golden ratio as its norm.
    #[test]
    fn the_golden_matrix_has_its_norm() {
        let golden = 0.5 * (1.0 + 5f64.sqrt());
        above(
            operator_norm_bound(&[1.0, 1.0, 0.0, 1.0], 2),
            golden,
            1.0 + 1e-5,
        );
    }

    fn normals(count: usize, seed: u64) -> Vec<f64> {
        let mut rng = SeededGenerator::not_private(seed);
        let mut uniform = || (rng.next_u64() >> 11) as f64 * 2f64.powi(-53) - 0.5;
        // Twelve uniform numbers: near enough to a normal one.
        (0..count)
            .map(|_| (0..12).map(|_| uniform()).sum())
            .collect()
    }

    /// ‖Xv‖/‖v‖ after many rounds of v ← XᵀXv.
    fn estimate(values: &[f64], width: usize, rounds: usize) -> f64 {
        let mut v = normals(width, 5);
        let mut ratio = 0.0;
        for _ in 0..rounds {
            let length = inner(&v, &v).sqrt();
            v.iter_mut().for_each(|x| *x /= length);
            let image: Vec<f64> = values.chunks_exact(width).map(|r| inner(r, &v)).collect();
            ratio = inner(&image, &image).sqrt();
            v.fill(0.0);
            for (row, y) in values.chunks_exact(width).zip(&image) {
                v.iter_mut().zip(row).for_each(|(v, x)| *v += x * y);
            }
        }
        ratio
    }

    #[test]
    fn on_gaussian_matrices_it_is_within_a_hundredth_of_the_norm() {
        for (height, width, seed) in [(200, 60, 1), (40, 150, 2), (100, 100, 3)] {
            let values = normals(height * width, seed);
            let exact = estimate(&values, width, 3000);
            above(operator_norm_bound(&values, width), exact, 1.01);
        }
    }

    /// A first vector that is orthogonal to the largest direction must not matter: the certificate
    /// fails until the guess is large enough, or the other bounds serve.
    #[test]
    fn a_too_small_guess_is_never_proved() {
        let gram = [2.0, 1.0, 1.0, 2.0];
        for t in [2.0, 2.5, 2.999_999] {
            assert!(proof(&gram, 2, t).is_none(), "{t} is below 3");
        }
        assert!(proof(&gram, 2, 3.000_001).is_some());
    }

    proptest! {
        #[test]
        fn no_vector_is_stretched_by_more(
            values in prop::collection::vec(-3.0..3.0f64, 24),
            v in prop::collection::vec(-1.0..1.0f64, 12),
            width in prop::sample::select(vec![1usize, 2, 3, 4, 6, 8, 12]),
            power in -200..200i32
        ) {
            let values: Vec<f64> = values.iter().map(|x| x * 2f64.powi(power)).collect();
            let v = &v[..width];
            let image: f64 = values
                .chunks_exact(width)
                .map(|row| inner(row, v).powi(2))
                .sum();
            let bound = operator_norm_bound(&values, width);
            prop_assert!(image.sqrt() <= bound * inner(v, v).sqrt() * (1.0 + 1e-13));
            prop_assert!(estimate(&values, width, 200) <= bound * (1.0 + 1e-13));
        }
    }
}
