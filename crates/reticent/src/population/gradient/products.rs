//! Products of rows with dense weights.
//!
//! A product is the sum of f64(x)·w over the non-zeros of a row, entry after entry: whatever the
//! storage and the number of threads, the same additions in the same order, hence the same bits. Rows
//! do not depend on each other, so several are computed at a time, because each addition of a row
//! waits for the one before.

use super::follow::in_units;
use super::pass::Block;
use super::storage::Storage;
use crate::matrix::tiles::{TILE_COLUMNS, TILE_ROWS, Tiles};
use crate::matrix::tokens::{ByPair, GROUP, MOST_PAIRS, Tokens, by_pair};
use crate::matrix::{Csr, Dense, Matrix};

/// Weights of all functions, laid out for a storage; buffers are used again.
#[derive(Default)]
pub(super) struct Weights {
    /// For each function the products of all pairs of column and value, where those are stored.
    pairs: Vec<ByPair<f64>>,
    /// Column after column, one per function.
    columns: Vec<f64>,
    /// Whether some weight is infinite or no number: a stored zero times such a weight must add
    /// nothing.
    any: bool,
}

impl Weights {
    /// Sets them, from weights function after function.
    pub fn set(&mut self, storage: &Storage, weights: &[f64], width: usize, functions: usize) {
        if let Storage::Tokens(tokens) = storage {
            self.pairs.resize_with(functions, by_pair);
            for (table, weights) in self.pairs.iter_mut().zip(weights.chunks(width.max(1))) {
                // Token 0 ends short rows: adding 0 changes nothing.
                for (product, (column, x)) in table.iter_mut().zip(tokens.pairs()).skip(1) {
                    *product = f64::from(*x) * weights[*column as usize];
                }
            }
            return;
        }
        self.any = !weights.iter().all(|weight| weight.is_finite());
        self.columns.resize(weights.len(), 0.0);
        for (l, weights) in weights.chunks(width.max(1)).enumerate() {
            let places = self.columns.iter_mut().skip(l).step_by(functions);
            places.zip(weights).for_each(|(to, from)| *to = *from);
        }
    }

    /// The margins of a block of records, in `unit`s.
    pub fn products(&self, storage: &Storage, features: &Matrix, block: &mut Block<'_>, unit: f64) {
        let (first, columns) = (block.first, &self.columns);
        match (storage, features, &mut block.scaled[..]) {
            (Storage::Tokens(tokens), _, scaled) => {
                for (table, scaled) in self.pairs.iter().zip(scaled) {
                    of_tokens(tokens, table, first, scaled);
                }
            }
            (_, Matrix::Sparse(csr), [scaled]) if !self.any => {
                of_sparse(csr, columns, first, scaled);
            }
            (_, Matrix::Dense(dense), [scaled]) if !self.any => {
                of_dense(dense, columns, first, scaled);
            }
            (_, _, [scaled]) => of_any(features, columns, first, scaled),
            (_, _, scaled) => of_functions(features, columns, first, scaled),
        }
        block
            .scaled
            .iter_mut()
            .for_each(|scaled| in_units(scaled, unit));
    }
}

/// A group of rows at a time. `first` begins a group.
fn of_tokens(tokens: &Tokens, table: &[f64; MOST_PAIRS], first: usize, products: &mut [f64]) {
    let of_group = |group: usize| {
        let mut sums = [0.0; GROUP];
        for [a, b, c, d] in tokens.group(group) {
            sums[0] += table[usize::from(*a)];
            sums[1] += table[usize::from(*b)];
            sums[2] += table[usize::from(*c)];
            sums[3] += table[usize::from(*d)];
        }
        sums
    };
    let mut group = first / GROUP;
    let (groups, rest) = products.as_chunks_mut();
    for products in groups {
        *products = of_group(group);
        group += 1;
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&of_group(group)[..rest.len()]);
    }
}

/// Two rows at a time, for finite weights.
fn of_sparse(csr: &Csr, weights: &[f64], first: usize, products: &mut [f64]) {
    let of = |sum: f64, columns: &[u32], values: &[f32]| {
        let entries = columns.iter().zip(values);
        entries.fold(sum, |sum, (&column, &x)| {
            sum + f64::from(x) * weights[column as usize]
        })
    };
    let mut twos = products.chunks_exact_mut(2);
    let mut i = first;
    for two in &mut twos {
        let [(a, x), (b, y)] = [csr.row(i), csr.row(i + 1)];
        let common = a.len().min(b.len());
        let ((a, a_rest), (x, x_rest)) = (a.split_at(common), x.split_at(common));
        let ((b, b_rest), (y, y_rest)) = (b.split_at(common), y.split_at(common));
        let mut sums = [0.0; 2];
        for ((a, x), (b, y)) in a.iter().zip(x).zip(b.iter().zip(y)) {
            sums[0] += f64::from(*x) * weights[*a as usize];
            sums[1] += f64::from(*y) * weights[*b as usize];
        }
        two[0] = of(sums[0], a_rest, x_rest);
        two[1] = of(sums[1], b_rest, y_rest);
        i += 2;
    }
    for (product, i) in twos.into_remainder().iter_mut().zip(i..) {
        let (columns, values) = csr.row(i);
        *product = of(0.0, columns, values);
    }
}

/// Four rows at a time, for finite weights: then a zero adds nothing.
fn of_dense(dense: &Dense, weights: &[f64], first: usize, products: &mut [f64]) {
    let mut fours = products.chunks_exact_mut(4);
    let mut i = first;
    for four in &mut fours {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| dense.row(i + k));
        let mut sums = [0.0; 4];
        for ((((a, b), c), d), weight) in a.iter().zip(b).zip(c).zip(d).zip(weights) {
            sums[0] += f64::from(*a) * weight;
            sums[1] += f64::from(*b) * weight;
            sums[2] += f64::from(*c) * weight;
            sums[3] += f64::from(*d) * weight;
        }
        four.copy_from_slice(&sums);
        i += 4;
    }
    for (product, i) in fours.into_remainder().iter_mut().zip(i..) {
        let entries = dense.row(i).iter().zip(weights);
        *product = entries.fold(0.0, |sum, (&x, weight)| sum + f64::from(x) * weight);
    }
}

/// Row after row, by the definition: a zero adds nothing, even if the weight is infinite.
fn of_any(features: &Matrix, weights: &[f64], first: usize, products: &mut [f64]) {
    for (product, i) in products.iter_mut().zip(first..) {
        let mut sum = 0.0;
        features.for_row(i, |column, x| {
            if x != 0.0 {
                sum += f64::from(x) * weights[column];
            }
        });
        *product = sum;
    }
}

/// Several functions: each entry meets all weights of its column, which lie side by side.
fn of_functions(features: &Matrix, weights: &[f64], first: usize, products: &mut [&mut [f64]]) {
    let functions = products.len();
    let mut sums = vec![0.0; functions];
    let rows = products.first().map_or(0, |products| products.len());
    for place in 0..rows {
        sums.fill(0.0);
        features.for_row(first + place, |column, x| {
            if x != 0.0 {
                let x = f64::from(x);
                let weights = &weights[column * functions..][..functions];
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
        });
        for (products, sum) in products.iter_mut().zip(&sums) {
            products[place] = *sum;
        }
    }
}

/// The products of one band of rows, block of columns after block: each row in the order of its
/// columns.
pub(super) fn of_band(tiles: &Tiles, band: usize, weights: &[f64], products: &mut [f64]) {
    debug_assert!(products.len() <= TILE_ROWS);
    products.fill(0.0);
    for (block, weights) in weights.chunks(TILE_COLUMNS).enumerate() {
        for entry in tiles.tile(band, block) {
            products[usize::from(entry.row)] +=
                f64::from(entry.value) * weights[usize::from(entry.column)];
        }
    }
}
