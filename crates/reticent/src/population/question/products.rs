//! Products of rows with the weights of several functions, entry after entry.
//!
//! Each product is added up in the order of the columns, so that its bits depend on its row alone. What
//! is done at the same time are several functions and, of dense rows, several rows.

use std::ops::Range;

use crate::matrix::Matrix;
use crate::population::gradient::dense::{self, BlockRows};

/// The weights of functions.
pub(super) struct Products<'a> {
    functions: usize,
    /// As they were given: function after function.
    weights: &'a [f64],
    /// Column after column; `None` if some is not finite.
    by_column: Option<Vec<f64>>,
}

impl<'a> Products<'a> {
    /// Of weights function after function.
    pub fn new(weights: &'a [f64], functions: usize) -> Self {
        let width = weights.len() / functions.max(1);
        let finite = weights.iter().all(|weight| weight.is_finite());
        let of_column = |column| weights.iter().skip(column).step_by(width);
        let by_column = finite.then(|| (0..width).flat_map(of_column).copied().collect());
        Self {
            functions,
            weights,
            by_column,
        }
    }

    /// Those of some rows, row after row.
    pub fn of(&self, features: &Matrix, rows: Range<usize>, products: &mut [f64]) {
        let functions = self.functions;
        let (Matrix::Dense(dense), Some(_)) = (features, &self.by_column) else {
            for (row, products) in rows.zip(products.chunks_mut(functions)) {
                self.of_row(features, row, products);
            }
            return;
        };
        let (first, count) = (rows.start, rows.len());
        let mut by_function = vec![0.0; products.len()];
        let mut places: Vec<&mut [f64]> = by_function.chunks_mut(count.max(1)).collect();
        pulp::Arch::new().dispatch(dense::Products {
            dense,
            rows: BlockRows::From { first, count },
            weights: self.weights,
            products: &mut places,
        });
        for (l, own) in by_function.chunks(count.max(1)).enumerate() {
            let places = products.iter_mut().skip(l).step_by(functions);
            places
                .zip(own)
                .for_each(|(place, product)| *place = *product);
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
                features.for_row(row, |column, x| {
                    let weights = &by_column[column * products.len()..];
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Dense};

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
