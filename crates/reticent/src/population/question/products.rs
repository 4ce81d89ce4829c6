//! Products of rows with the weights of several functions, entry after entry.
//!
//! Each product is added up in the order of the columns, so that its bits depend on its row alone. What
//! is done at the same time are several functions and, of dense rows, several rows.

use std::ops::Range;

use crate::matrix::{Dense, Matrix};

/// Functions whose products are made together, and rows.
const LANES: usize = 8;
const ROWS: usize = 4;

/// The weights of functions, laid out by column.
pub(super) struct Products<'a> {
    functions: usize,
    /// As they were given: function after function.
    weights: &'a [f64],
    /// For each column those of all functions, in whole lanes; `None` if some is not finite.
    by_column: Option<Vec<[f64; LANES]>>,
}

impl<'a> Products<'a> {
    /// Of weights function after function.
    pub fn new(weights: &'a [f64], functions: usize) -> Self {
        let width = weights.len() / functions.max(1);
        let groups = functions.div_ceil(LANES);
        let finite = weights.iter().all(|weight| weight.is_finite());
        let by_column = finite.then(|| {
            let mut by_column = vec![[0.0; LANES]; width * groups];
            for (l, weights) in weights.chunks(width.max(1)).enumerate() {
                let places = by_column.iter_mut().skip(l / LANES).step_by(groups);
                for (place, weight) in places.zip(weights) {
                    place[l % LANES] = *weight;
                }
            }
            by_column
        });
        Self {
            functions,
            weights,
            by_column,
        }
    }

    /// Those of some rows, row after row.
    pub fn of(&self, features: &Matrix, rows: Range<usize>, products: &mut [f64]) {
        match (features, &self.by_column) {
            (Matrix::Dense(dense), Some(by_column)) => pulp::Arch::new().dispatch(OfDense {
                dense,
                by_column,
                functions: self.functions,
                rows,
                products,
            }),
            _ => {
                for (row, products) in rows.zip(products.chunks_mut(self.functions)) {
                    self.of_row(features, row, products);
                }
            }
        }
    }

    /// A zero adds nothing, stored or not, even if a weight is infinite.
    fn of_row(&self, features: &Matrix, row: usize, products: &mut [f64]) {
        let width = features.width();
        products.fill(0.0);
        match (products, &self.by_column) {
            ([product], _) => {
                // Without a loop over functions at each entry.
                let mut sum = 0.0;
                features.for_row(row, |column, x| {
                    if x != 0.0 {
                        sum += f64::from(x) * self.weights[column];
                    }
                });
                *product = sum;
            }
            (products, Some(by_column)) => {
                let groups = self.functions.div_ceil(LANES);
                features.for_row(row, |column, x| {
                    let weights = by_column[column * groups..][..groups].as_flattened();
                    for (product, weight) in products.iter_mut().zip(weights) {
                        *product += f64::from(x) * weight;
                    }
                });
            }
            (products, None) => features.for_row(row, |column, x| {
                if x != 0.0 {
                    for (function, product) in products.iter_mut().enumerate() {
                        *product += f64::from(x) * self.weights[function * width + column];
                    }
                }
            }),
        }
    }
}

/// The products of dense rows with finite weights; `pulp` compiles it for several kinds of registers.
struct OfDense<'a, 'b> {
    dense: &'a Dense,
    by_column: &'a [[f64; LANES]],
    functions: usize,
    rows: Range<usize>,
    products: &'b mut [f64],
}

impl pulp::NullaryFnOnce for OfDense<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let groups = self.functions.div_ceil(LANES);
        let last = self.rows.end.saturating_sub(1);
        let together = self.products.chunks_mut(ROWS * self.functions);
        for (first, products) in self.rows.step_by(ROWS).zip(together) {
            // Rows beyond the last are the last again, and their products are not looked at.
            let rows: [&[f32]; ROWS] =
                std::array::from_fn(|place| self.dense.row((first + place).min(last)));
            for group in 0..groups {
                let mut sums = [[0.0; LANES]; ROWS];
                let weights = self.by_column.iter().skip(group).step_by(groups);
                for (column, weights) in weights.enumerate() {
                    for (sums, row) in sums.iter_mut().zip(&rows) {
                        let x = f64::from(row[column]);
                        for lane in 0..LANES {
                            sums[lane] += x * weights[lane];
                        }
                    }
                }
                let functions = group * LANES..self.functions.min((group + 1) * LANES);
                for (products, sums) in products.chunks_mut(self.functions).zip(&sums) {
                    products[functions.clone()].copy_from_slice(&sums[..functions.len()]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Csr;

    /// The definition, in the order of the columns.
    fn plain(row: &[f32], weights: &[f64]) -> f64 {
        let mut sum = 0.0;
        for (x, weight) in row.iter().zip(weights) {
            if *x != 0.0 {
                sum += f64::from(*x) * weight;
            }
        }
        sum
    }

    #[test]
    fn products_are_those_of_the_definition_bit_for_bit() {
        for (rows, width) in [(1, 1), (3, 7), (6, 100)] {
            let values: Vec<f32> = (0..rows * width)
                .map(|i| ((i * 37) % 11) as f32 - 5.0)
                .collect();
            let dense = Matrix::Dense(Dense::new(values.clone(), rows, width).unwrap());
            let columns: Vec<u32> = (0..rows).flat_map(|_| 0..width as u32).collect();
            let starts = (0..=rows).map(|row| row * width).collect();
            let sparse = Matrix::Sparse(Csr::new(starts, columns, values.clone(), width).unwrap());
            for functions in [1, 2, 8, 10, 17] {
                let mut weights: Vec<f64> = (0..functions * width)
                    .map(|i| (0.7 * i as f64).sin())
                    .collect();
                for last in [0.3, f64::INFINITY] {
                    weights[functions * width - 1] = last;
                    let of = Products::new(&weights, functions);
                    for features in [&dense, &sparse] {
                        for rows in [0..rows, rows - 1..rows] {
                            let mut found = vec![f64::NAN; rows.len() * functions];
                            of.of(features, rows.clone(), &mut found);
                            let expected = rows.flat_map(|row| {
                                let row = &values[row * width..][..width];
                                weights
                                    .chunks(width)
                                    .map(move |weights| plain(row, weights))
                            });
                            let bits = |x: f64| x.to_bits();
                            let expected: Vec<u64> = expected.map(bits).collect();
                            let found: Vec<u64> = found.into_iter().map(bits).collect();
                            assert_eq!(found, expected, "{width} {functions}");
                        }
                    }
                }
            }
        }
    }
}
