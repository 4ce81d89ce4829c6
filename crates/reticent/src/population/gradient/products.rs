//! Products of rows with dense weights.
//!
//! A product is Σ x·W over the entries of a row, where x is a whole number of grid steps and W the
//! weight in whole numbers of a *unit*, a power of two that follows from the weights and the bound of
//! the rows: |Σ x·W| and all its parts stay below 2⁵³. Floats hold such numbers exactly, so that a
//! product is the same whatever the order: entry after entry, several at a time, two entries looked
//! up as one, on any number of threads.
//!
//! Weights are public, and so is their unit: it depends on no record.

use super::dense::{self, BlockRows};
use super::follow::in_units;
use super::storage::Storage;
use crate::matrix::phrases::{ByPhrase, GROUP, Phrases, by_phrase, threads_for};
use crate::matrix::ranked::{Four, Ranked, RankedRow};
use crate::matrix::tiles::{TILE_COLUMNS, TILE_ROWS, Tiles};
use crate::matrix::{Csr, Dense, Matrix};
use crate::parallel::{self, COORDINATES};
use crate::table::{Clip, RecordBound};

/// Columns whose weights of all functions are laid out together.
const COLUMNS: usize = 1 << 7;

/// Weights of all functions, laid out for a storage; buffers are used again.
#[derive(Default)]
pub(super) struct Weights {
    /// For each function the products of all phrases, where those are stored; or the weights of one
    /// function by rank.
    tables: Vec<ByPhrase>,
    /// Room for the products of shorter phrases.
    spare: Option<ByPhrase>,
    /// In whole units: function after function for tiles and dense rows, else column after column.
    whole: Vec<f64>,
    /// The unit of each function.
    units: Vec<f64>,
    /// The weights as they are, if they have no unit: some is infinite or no number.
    any: Option<Vec<f64>>,
}

impl Weights {
    /// Sets them, from weights function after function, for rows within a bound.
    pub fn set(&mut self, storage: &Storage, clip: &Clip, weights: &[f64], functions: usize) {
        let width = weights.len() / functions;
        let of_functions = || weights.chunks(width.max(1));
        let mut units = vec![None; functions];
        let threads = parallel::threads(weights.len());
        let places = units.iter_mut().zip(of_functions());
        parallel::share(places, threads.min(functions), |(place, weights)| {
            *place = unit(weights, clip);
        });
        let units: Option<Vec<f64>> = units.into_iter().collect();
        let Some(units) = units else {
            self.any = Some(weights.to_vec());
            self.units = vec![1.0; functions];
            return;
        };
        self.any = None;
        self.units = units;
        let whole = |unit: f64| {
            let per_unit = 1.0 / unit;
            move |weight: &f64| nearest(weight * per_unit)
        };
        match storage {
            Storage::Tokens(tokens) => {
                self.tables.resize_with(functions, by_phrase);
                let spare = self.spare.get_or_insert_with(by_phrase);
                let tables = self.tables.iter_mut().zip(&self.units);
                for ((table, unit), weights) in tables.zip(of_functions()) {
                    let whole = whole(*unit);
                    let pairs = tokens.pairs();
                    let chunks = table.chunks_mut(COORDINATES).zip(pairs.chunks(COORDINATES));
                    parallel::share(chunks, threads_for(pairs.len()), |(products, pairs)| {
                        for (product, (column, x)) in products.iter_mut().zip(pairs) {
                            *product = f64::from(*x) * whole(&weights[*column as usize]);
                        }
                    });
                    tokens.phrases.values(table, spare);
                }
            }
            Storage::Ranked(rows) if functions == 1 => {
                self.tables.resize_with(1, by_phrase);
                let whole = whole(self.units[0]);
                let columns = rows.columns().chunks(COORDINATES);
                let chunks = self.tables[0].chunks_mut(COORDINATES).zip(columns);
                parallel::share(chunks, parallel::threads(width), |(places, columns)| {
                    for (place, column) in places.iter_mut().zip(columns) {
                        *place = whole(&weights[*column as usize]);
                    }
                });
            }
            Storage::Tiles(_) | Storage::Dense => {
                self.whole.resize(weights.len(), 0.0);
                let places = self.whole.chunks_mut(width.max(1));
                for ((places, weights), unit) in places.zip(of_functions()).zip(&self.units) {
                    let whole = whole(*unit);
                    let weights = weights.chunks(COORDINATES);
                    let chunks = places.chunks_mut(COORDINATES).zip(weights);
                    parallel::share(chunks, parallel::threads(width), |(places, weights)| {
                        for (place, weight) in places.iter_mut().zip(weights) {
                            *place = whole(weight);
                        }
                    });
                }
            }
            Storage::Rows | Storage::Ranked(_) | Storage::Columns(_) => {
                self.whole.resize(weights.len(), 0.0);
                let units = &self.units;
                let chunks = self.whole.chunks_mut(COLUMNS * functions).enumerate();
                let threads = parallel::threads(weights.len());
                parallel::share(chunks, threads, |(chunk, places)| {
                    for (l, (weights, unit)) in of_functions().zip(units).enumerate() {
                        let whole = weights[chunk * COLUMNS..].iter().map(whole(*unit));
                        let places = places.iter_mut().skip(l).step_by(functions);
                        places.zip(whole).for_each(|(to, from)| *to = from);
                    }
                });
            }
        }
    }

    /// The whole weights of each function, and their unit, in the order of tiles.
    pub fn by_function(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let width = self.whole.len() / self.units.len().max(1);
        let whole = self.whole.chunks(width.max(1));
        whole.zip(self.units.iter().copied())
    }

    /// Whether they have units.
    pub fn are_whole(&self) -> bool {
        self.any.is_none()
    }

    /// The margins of the records from `first` on, one slice per function; rows are in `step`s.
    pub fn products(
        &self,
        storage: &Storage,
        features: &Matrix,
        first: usize,
        margins: &mut [&mut [f64]],
        step: f64,
    ) {
        let count = margins.first().map_or(0, |margins| margins.len());
        let rows = BlockRows::From { first, count };
        match (storage, features, &mut *margins) {
            _ if self.any.is_some() => self.of_any(features, rows, margins),
            (Storage::Tokens(tokens), _, scaled) => {
                for (table, scaled) in self.tables.iter().zip(scaled) {
                    of_phrases(&tokens.phrases, table, first, scaled);
                }
            }
            (Storage::Ranked(rows), _, [scaled]) => {
                of_ranked(rows, &self.tables[0], first, scaled);
            }
            (_, Matrix::Dense(dense), products) => self.of_dense(dense, rows, products),
            (_, Matrix::Sparse(csr), [scaled]) => of_sparse(csr, &self.whole, first, scaled),
            (_, Matrix::Sparse(csr), products) => pulp::Arch::new().dispatch(OfFunctions {
                csr,
                weights: &self.whole,
                first,
                products,
            }),
        }
        self.in_units(margins, step);
    }

    /// The same of some rows of a dense matrix, whose weights were set for [`Storage::Dense`].
    pub fn products_of_rows(
        &self,
        features: &Matrix,
        rows: BlockRows<'_>,
        margins: &mut [&mut [f64]],
        step: f64,
    ) {
        match features {
            Matrix::Dense(dense) if self.any.is_none() => self.of_dense(dense, rows, margins),
            _ => self.of_any(features, rows, margins),
        }
        self.in_units(margins, step);
    }

    fn of_dense(&self, dense: &Dense, rows: BlockRows<'_>, products: &mut [&mut [f64]]) {
        pulp::Arch::new().dispatch(dense::Products {
            dense,
            rows,
            weights: &self.whole,
            products,
        });
    }

    /// Row after row, by the definition: a zero adds nothing, even if the weight is infinite.
    fn of_any(&self, features: &Matrix, rows: BlockRows<'_>, products: &mut [&mut [f64]]) {
        let weights = self.any.as_deref().unwrap_or_default();
        let width = features.width().max(1);
        for (weights, products) in weights.chunks(width).zip(products) {
            for (place, product) in products.iter_mut().enumerate() {
                let mut sum = 0.0;
                features.for_row(rows.number(place), |column, x| {
                    if x != 0.0 {
                        sum += f64::from(x) * weights[column];
                    }
                });
                *product = sum;
            }
        }
    }

    fn in_units(&self, margins: &mut [&mut [f64]], step: f64) {
        for (scaled, unit) in margins.iter_mut().zip(&self.units) {
            in_units(scaled, *unit, step);
        }
    }
}

/// The unit u of the weights w, for rows x within a bound of b steps; `None` if some weight is not
/// finite, or nearly so, or if their squares are too small for a float.
///
/// Whole numbers W within ½ of w/u have |Σ x·W| ≤ b·(‖w‖₁/u + d/2) for entries of at most b, and
/// ≤ b·(‖w‖₂/u + √d/2) for rows of length at most b (Cauchy–Schwarz). u is the least power of two
/// with b·‖w‖ ≤ 2⁵¹·u; and b·d/2 ≤ 2²⁰·2³¹. So the sum of the sizes of all terms is at most 2⁵²
/// (and what little the norm below is rounded by), and no partial sum reaches 2⁵³.
///
/// Rounding moves a weight by at most 2⁻³¹·‖w‖, as b ≤ 2²⁰: a gradient at these weights instead of
/// those that were released, which are far more uncertain by their noise.
fn unit(weights: &[f64], clip: &Clip) -> Option<f64> {
    /// Squares below the range of floats, of up to 2³² weights, are nothing beside this.
    const LEAST_SQUARES: f64 = 1e-280;
    let norm = match clip.bound {
        RecordBound::Linf(_) => sum(weights, f64::abs),
        RecordBound::L2(_) => {
            let squares = sum(weights, |weight| weight * weight);
            if squares < LEAST_SQUARES && weights.iter().any(|weight| *weight != 0.0) {
                return None;
            }
            squares.sqrt()
        }
    };
    let size = norm * clip.steps as f64;
    if !size.is_finite() {
        return None;
    }
    // ⌊log₂ size⌋, or less than −1000.
    let exponent = (size.to_bits() >> 52) as i32 - 1023;
    let exponent = (exponent + 1 - 51).max(-1000);
    Some(f64::from_bits(((exponent + 1023) as u64) << 52))
}

/// Σ of a function of the weights, in eight sums: in the same order on every machine.
fn sum(weights: &[f64], of: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    for weights in weights.chunks(8) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            *sum += of(*weight);
        }
    }
    sums.iter().sum()
}

/// The nearest whole number, for a size of at most 2⁵¹.
#[inline]
fn nearest(x: f64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    (x + SHIFT) - SHIFT
}

/// A group of rows at a time. `first` begins a group.
fn of_phrases(rows: &Phrases, table: &ByPhrase, first: usize, products: &mut [f64]) {
    let of_group = |group: usize| {
        let mut sums = [0.0; GROUP];
        for [a, b, c, d] in rows.group(group) {
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

/// Four entries of a row at a time, because each addition waits for the one before.
fn of_sparse(csr: &Csr, weights: &[f64], first: usize, products: &mut [f64]) {
    let term = |column: &u32, x: &f32| f64::from(*x) * weights[*column as usize];
    for (product, i) in products.iter_mut().zip(first..) {
        let (columns, values) = csr.row(i);
        let (columns, last_columns) = columns.as_chunks::<4>();
        let (values, last_values) = values.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (columns, values) in columns.iter().zip(values) {
            for (sum, (column, x)) in sums.iter_mut().zip(columns.iter().zip(values)) {
                *sum += term(column, x);
            }
        }
        let last = last_columns.iter().zip(last_values);
        let last: f64 = last.map(|(column, x)| term(column, x)).sum();
        *product = (sums[0] + sums[1]) + (sums[2] + sums[3]) + last;
    }
}

/// The same by rank.
fn of_ranked(rows: &Ranked, table: &ByPhrase, first: usize, products: &mut [f64]) {
    let weight = |rank: u16| table[usize::from(rank)];
    for (product, i) in products.iter_mut().zip(first..) {
        let mut sums = [0.0; 4];
        match rows.row(i) {
            RankedRow::Entries(ranks, values) => {
                let (ranks, last_ranks) = ranks.as_chunks::<4>();
                let (values, last_values) = values.as_chunks::<4>();
                for (ranks, values) in ranks.iter().zip(values) {
                    for (sum, (rank, x)) in sums.iter_mut().zip(ranks.iter().zip(values)) {
                        *sum += f64::from(*x) * weight(*rank);
                    }
                }
                for (sum, (rank, x)) in sums.iter_mut().zip(last_ranks.iter().zip(last_values)) {
                    *sum += f64::from(*x) * weight(*rank);
                }
            }
            // A sum of weights is no larger than that of their products with whole numbers.
            RankedRow::Fours(fours) => {
                let (pairs, last) = fours.as_chunks::<2>();
                let term = |four: &Four| {
                    let [a, b, c, d] = four.ranks.map(weight);
                    f64::from(four.value) * ((a + b) + (c + d))
                };
                for [one, two] in pairs {
                    sums[0] += term(one);
                    sums[1] += term(two);
                }
                sums[2] = last.first().map_or(0.0, term);
            }
        }
        *product = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

/// Several functions of sparse rows: each entry meets all weights of its column, which lie side by side.
/// `pulp` compiles it for several kinds of registers.
struct OfFunctions<'a, 'b, 'c> {
    csr: &'a Csr<'a>,
    weights: &'a [f64],
    first: usize,
    products: &'b mut [&'c mut [f64]],
}

impl pulp::NullaryFnOnce for OfFunctions<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let functions = self.products.len();
        let mut sums = vec![0.0; functions];
        let rows = self.products.first().map_or(0, |products| products.len());
        for place in 0..rows {
            sums.fill(0.0);
            let (columns, values) = self.csr.row(self.first + place);
            for (&column, &x) in columns.iter().zip(values) {
                let x = f64::from(x);
                let weights = &self.weights[column as usize * functions..][..functions];
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += x * weight;
                }
            }
            for (products, sum) in self.products.iter_mut().zip(&sums) {
                products[place] = *sum;
            }
        }
    }
}

/// The products of one band of rows, block of columns after block.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Grid;

    /// The bound of the proof, in whole numbers, for the worst row; and units that lose little.
    #[test]
    fn products_in_whole_units_stay_below_two_to_the_53() {
        let steps = 1 << 20;
        let clip = |bound| Clip {
            bound,
            grid: Grid::new(-20).unwrap(),
            steps,
        };
        let alike = vec![0.37; 100_000];
        let mut spiky = vec![1e-9; 1000];
        spiky[7] = -1e9;
        for weights in [
            alike,
            spiky,
            vec![0.0; 5],
            vec![1e-320],
            vec![1e300, -1e300],
        ] {
            let box_ = unit(&weights, &clip(RecordBound::Linf(1.0))).unwrap();
            let whole = |unit: f64| weights.iter().map(move |w| nearest(w / unit) as i128);
            let all: i128 = whole(box_).map(|w| w.abs() * i128::from(steps)).sum();
            assert!(all < 1 << 53);
            if let Some(ball) = unit(&weights, &clip(RecordBound::L2(1.0))) {
                let squares: i128 = whole(ball).map(|w| w * w).sum();
                assert!(squares.unsigned_abs().isqrt() + 1 < 1 << 33);
            }
            let norm: f64 = weights.iter().map(|w| w.abs()).sum();
            assert!(norm < 1e-280 || box_ <= norm * 2f64.powi(-30), "{box_:e}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
            assert_eq!(unit(&[bad, bad], &clip(RecordBound::Linf(1.0))), None);
        }
        // Their squares are 0 in floats, and they are not.
        assert_eq!(unit(&[1e-163; 40], &clip(RecordBound::L2(1.0))), None);
    }
}
