//! Dense rows and several functions: the two products that a gradient is made of.
//!
//! Rows of some thousand columns fill a near cache after a few dozen, so that both products are made
//! block by block, and what is added to again and again is held in registers ([`held`]): for sums of
//! rows sixteen columns of up to four functions; for products of rows with weights sixteen rows, after
//! they were transposed. All numbers are whole and small enough for floats to hold every partial sum
//! exactly (`products.rs`; and below), so that the order changes no bit.

use std::borrow::Borrow;

use super::follow::BLOCK;
use crate::matrix::Dense;

/// Some rows of a matrix.
#[derive(Clone, Copy)]
pub(in crate::population) enum BlockRows<'a> {
    /// Those with these numbers.
    Some(&'a [u32]),
    /// So many, from one on.
    From {
        /// The number of the first.
        first: usize,
        /// How many.
        count: usize,
    },
}

impl BlockRows<'_> {
    /// How many rows there are.
    #[inline(always)]
    pub fn len(self) -> usize {
        match self {
            Self::Some(rows) => rows.len(),
            Self::From { count, .. } => count,
        }
    }

    /// The number of the row in a place.
    #[inline(always)]
    pub fn number(self, place: usize) -> usize {
        match self {
            Self::Some(rows) => rows[place] as usize,
            Self::From { first, .. } => first + place,
        }
    }
}

/// How many rows of so many columns are worked on together: what stays in a cache between the first
/// product and the second.
pub(super) fn block(width: usize) -> usize {
    /// Of a block, in entries.
    const CACHED: usize = 1 << 19;
    (CACHED / width.max(1)).clamp(LANES, BLOCK)
}

/// Sums that are held in registers, for each of so many functions.
const LANES: usize = 16;
const FUNCTIONS: usize = 4;

/// Sums of sixteen numbers for each of some functions.
type Held = [[f64; LANES]; FUNCTIONS];

/// Adds entries to the sums of F functions, each times its factor: sixteen at a time, in their order.
#[inline(always)]
fn held<const F: usize>(
    mut held: Held,
    entries: &[impl Borrow<[f32; LANES]>],
    factors: [&[f64]; FUNCTIONS],
) -> Held {
    for (place, entries) in entries.iter().enumerate() {
        let entries = entries.borrow();
        let mut wide = [0.0; LANES];
        for lane in 0..LANES {
            wide[lane] = f64::from(entries[lane]);
        }
        for l in 0..F {
            let factor = factors[l][place];
            for lane in 0..LANES {
                held[l][lane] += factor * wide[lane];
            }
        }
    }
    held
}

/// [`held`] for as many functions as there are, at most four.
#[inline(always)]
fn held_of(
    functions: usize,
    sums: Held,
    entries: &[impl Borrow<[f32; LANES]>],
    factors: [&[f64]; FUNCTIONS],
) -> Held {
    match functions {
        1 => held::<1>(sums, entries, factors),
        2 => held::<2>(sums, entries, factors),
        3 => held::<3>(sums, entries, factors),
        _ => held::<4>(sums, entries, factors),
    }
}

/// Columns of sixteen rows that are transposed together: with their weights they stay in a near cache.
const COLUMNS: usize = 1 << 9;

/// The products of rows with the weights of each function, function after function: `products[l][i]` of
/// the row in place i, added up in the order of the columns. `pulp` compiles it for several kinds of registers.
pub(in crate::population) struct Products<'a, 'b, 'c> {
    pub dense: &'a Dense,
    pub rows: BlockRows<'a>,
    pub weights: &'a [f64],
    pub products: &'b mut [&'c mut [f64]],
}

impl pulp::NullaryFnOnce for Products<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            dense,
            rows,
            weights,
            products,
        } = self;
        let functions = products.len();
        let width = weights.len() / functions.max(1);
        let last = rows.len().saturating_sub(1);
        products.iter_mut().for_each(|of| of.fill(0.0));
        let mut panel = vec![[0.0; LANES]; COLUMNS.min(width)];
        for columns in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - columns);
            let panel = &mut panel[..count];
            for first in (0..rows.len()).step_by(LANES) {
                // Rows beyond the last are the last again, and their products are not looked at.
                let row = |lane: usize| {
                    let number = rows.number((first + lane).min(last));
                    &dense.row(number)[columns..][..count]
                };
                let together: [&[f32]; LANES] = std::array::from_fn(row);
                for (column, lanes) in panel.iter_mut().enumerate() {
                    for lane in 0..LANES {
                        lanes[lane] = together[lane][column];
                    }
                }
                for l in (0..functions).step_by(FUNCTIONS) {
                    let factors = std::array::from_fn(|k| {
                        let function = (l + k).min(functions - 1);
                        &weights[function * width + columns..][..count]
                    });
                    let mut sums = [[0.0; LANES]; FUNCTIONS];
                    for (sums, products) in sums.iter_mut().zip(&products[l..]) {
                        let own = products[first..].iter().zip(sums);
                        own.for_each(|(product, sum)| *sum = *product);
                    }
                    sums = held_of(functions - l, sums, panel, factors);
                    for (products, sums) in products[l..].iter_mut().zip(&sums) {
                        let own = products[first..].iter_mut().zip(sums);
                        own.for_each(|(product, sum)| *product = *sum);
                    }
                }
            }
        }
    }
}

/// Adds rows, each times its steps of each function, to the sums of the functions, one after another.
/// Steps are whole, function after function. `pulp` compiles it for several kinds of registers.
///
/// Steps of at most 2²³ (the difference of two slopes) times entries of at most 2²⁰, over at most 2⁸ rows
/// at a time: up to 2⁵¹, which floats hold.
pub(super) struct Sums<'a, 'b> {
    pub dense: &'a Dense,
    pub rows: BlockRows<'a>,
    pub steps: &'a [f64],
    pub sums: &'b mut [i64],
}

/// Rows that are added in floats.
const IN_FLOATS: usize = 1 << 8;

impl pulp::NullaryFnOnce for Sums<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            dense,
            rows,
            steps,
            sums,
        } = self;
        let all = rows.len().max(1);
        let functions = steps.len() / all;
        let Some(width) = sums.len().checked_div(functions) else {
            return;
        };
        let mut lanes: Vec<&[f32; LANES]> = Vec::with_capacity(IN_FLOATS);
        for first in (0..rows.len()).step_by(IN_FLOATS) {
            let places = first..rows.len().min(first + IN_FLOATS);
            let lines: Vec<&[f32]> = places
                .clone()
                .map(|place| dense.row(rows.number(place)))
                .collect();
            for columns in (0..width).step_by(LANES) {
                // Of the last columns there may be fewer.
                lanes.clear();
                lanes.extend(lines.iter().filter_map(|row| row[columns..].first_chunk()));
                for l in (0..functions).step_by(FUNCTIONS) {
                    let factors = std::array::from_fn(|k| {
                        let function = (l + k).min(functions - 1);
                        &steps[function * all..][places.clone()]
                    });
                    let sums = sums[l * width..].chunks_mut(width).take(FUNCTIONS);
                    let sums = sums.map(|sums| &mut sums[columns..]);
                    if width - columns < LANES {
                        sums.zip(&factors)
                            .for_each(|(sums, factors)| add_last(&lines, columns, factors, sums));
                        continue;
                    }
                    let held = held_of(functions - l, Held::default(), &lanes, factors);
                    for (sums, held) in sums.zip(&held) {
                        let sums = sums.iter_mut().zip(held);
                        sums.for_each(|(sum, held)| *sum += whole(*held));
                    }
                }
            }
        }
    }
}

/// Adds the columns from the given one on, each row times its factor, to the sums of one function.
fn add_last(rows: &[&[f32]], columns: usize, factors: &[f64], sums: &mut [i64]) {
    for (column, sum) in (columns..).zip(sums) {
        let terms = rows.iter().zip(factors);
        let held: f64 = terms.map(|(row, by)| by * f64::from(row[column])).sum();
        *sum += whole(held);
    }
}

/// A whole float of at most 2⁵¹ in size as an integer, without the checks of a cast.
#[inline(always)]
fn whole(x: f64) -> i64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5·2⁵²
    (x + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits()) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTHS: [usize; 5] = [1, 7, 16, 33, 2060];

    /// Whole numbers of up to so many bits, of both signs, the largest among them.
    fn whole_numbers(count: usize, bits: u32) -> Vec<i64> {
        let number = |i: usize| (i as i64 * 1_103_515_245 + 12_345) % (1 << bits);
        let signed = |i: usize| {
            if i.is_multiple_of(3) {
                -number(i)
            } else {
                number(i)
            }
        };
        let mut all: Vec<i64> = (0..count).map(signed).collect();
        all[0] = 1 << bits;
        all
    }

    fn matrix(rows: usize, width: usize) -> (Vec<i64>, Dense) {
        let entries = whole_numbers(rows * width, 20);
        let values = entries.iter().map(|x| *x as f32).collect();
        (entries, Dense::new(values, rows, width).unwrap())
    }

    /// All rows, and some in another order.
    fn choices(rows: usize) -> [(Vec<usize>, Option<Vec<u32>>); 2] {
        let some: Vec<u32> = (0..rows as u32).rev().step_by(2).collect();
        let numbers = some.iter().map(|row| *row as usize).collect();
        [((0..rows).collect(), None), (numbers, Some(some))]
    }

    fn block_rows(chosen: &Option<Vec<u32>>, count: usize) -> BlockRows<'_> {
        match chosen {
            Some(rows) => BlockRows::Some(rows),
            None => BlockRows::From { first: 0, count },
        }
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for width in WIDTHS {
            let (entries, dense) = matrix(9, width);
            for functions in [1, 2, 5] {
                // 2²⁰·2²⁰·2060 is below 2⁵³.
                let weights = whole_numbers(functions * width, 20);
                let floats: Vec<f64> = weights.iter().map(|w| *w as f64).collect();
                for (numbers, chosen) in choices(9) {
                    let mut found = vec![vec![f64::NAN; numbers.len()]; functions];
                    let mut products: Vec<&mut [f64]> =
                        found.iter_mut().map(|of| &mut of[..]).collect();
                    pulp::Arch::new().dispatch(Products {
                        dense: &dense,
                        rows: block_rows(&chosen, numbers.len()),
                        weights: &floats,
                        products: &mut products,
                    });
                    for (found, weights) in found.iter().zip(weights.chunks(width)) {
                        for (found, row) in found.iter().zip(&numbers) {
                            let entries = &entries[row * width..][..width];
                            let terms = entries.iter().zip(weights).map(|(x, w)| x * w);
                            assert_eq!(*found as i64, terms.sum::<i64>(), "{width} {functions}");
                        }
                    }
                }
            }
        }
    }

    /// As many rows of the largest entries and steps as are added in floats, and more.
    #[test]
    fn sums_are_exact_in_integers() {
        for (width, rows) in WIDTHS
            .map(|width| (width, 9))
            .into_iter()
            .chain([(17, 600)])
        {
            let (mut entries, mut dense) = matrix(rows, width);
            if rows > IN_FLOATS {
                entries.fill(1 << 20);
                let values = entries.iter().map(|x| *x as f32).collect();
                dense = Dense::new(values, rows, width).unwrap();
            }
            for functions in [1, 2, 3, 4, 7] {
                let steps = whole_numbers(rows * functions, 23);
                for (numbers, chosen) in choices(rows) {
                    let count = numbers.len();
                    let steps: Vec<i64> = match rows > IN_FLOATS {
                        true => vec![1 << 23; count * functions],
                        false => steps[..count * functions].to_vec(),
                    };
                    let floats: Vec<f64> = steps.iter().map(|k| *k as f64).collect();
                    let mut found = vec![11; functions * width];
                    pulp::Arch::new().dispatch(Sums {
                        dense: &dense,
                        rows: block_rows(&chosen, count),
                        steps: &floats,
                        sums: &mut found,
                    });
                    for (l, found) in found.chunks(width).enumerate() {
                        for (column, found) in found.iter().enumerate() {
                            let own = steps[l * count..].iter().zip(&numbers);
                            let terms = own.map(|(k, row)| k * entries[row * width + column]);
                            assert_eq!(*found, 11 + terms.sum::<i64>(), "{width} {functions}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_rows_add_nothing() {
        let (_, dense) = matrix(2, 20);
        let mut sums = vec![3; 20];
        pulp::Arch::new().dispatch(Sums {
            dense: &dense,
            rows: BlockRows::Some(&[]),
            steps: &[],
            sums: &mut sums,
        });
        assert_eq!(sums, [3; 20]);
    }
}
