//! Dense rows and several functions: the two products that a gradient is made of.
//!
//! A matrix of one or two thousand columns or more has rows that fill a near cache after a few dozen,
//! so that both products are made block by block, and what is added to again and again is held in
//! registers: for products two functions of four rows, each in eight partial sums; for sums of rows
//! sixteen columns of up to four functions. All numbers are whole and small enough for floats to hold
//! every partial sum exactly (`products.rs`; and below), so that the order changes no bit.

use super::follow::BLOCK;
use crate::matrix::Dense;

/// Some rows of a matrix.
#[derive(Clone, Copy)]
pub(super) enum BlockRows<'a> {
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
    (CACHED / width.max(1)).clamp(ROWS, BLOCK)
}

/// Partial sums of a product, and columns of a sum that are held in registers.
const LANES: usize = 8;
/// Rows whose products are made together.
const ROWS: usize = 4;
/// Columns whose weights stay in the nearest cache while a block of rows meets them.
const COLUMNS: usize = 1 << 10;

/// The products of rows with the weights of each function, function after function: `products[l][i]` of
/// the row in place i. `pulp` compiles it for several kinds of registers.
pub(super) struct Products<'a, 'b, 'c> {
    pub dense: &'a Dense,
    pub rows: BlockRows<'a>,
    pub weights: &'a [f64],
    pub products: &'b mut [&'c mut [f64]],
}

impl pulp::NullaryFnOnce for Products<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.weights.len() / self.products.len().max(1);
        self.products.iter_mut().for_each(|of| of.fill(0.0));
        for columns in (0..width).step_by(COLUMNS) {
            let count = COLUMNS.min(width - columns);
            let of_function = |l: usize| &self.weights[l * width + columns..][..count];
            for place in (0..self.rows.len()).step_by(ROWS) {
                // Rows beyond the last are the last again, and their products are not looked at.
                let last = self.rows.len() - 1;
                let row = |r: usize| {
                    let place = (place + r).min(last);
                    &self.dense.row(self.rows.number(place))[columns..][..count]
                };
                let rows: [&[f32]; ROWS] = std::array::from_fn(row);
                let mut add = |l: usize, products: [f64; ROWS]| {
                    let of = &mut self.products[l][place..];
                    of.iter_mut().zip(products).for_each(|(sum, x)| *sum += x);
                };
                let pairs = self.weights.len() / width.max(1) / 2;
                for l in (0..pairs).map(|pair| 2 * pair) {
                    let [one, two] = of_rows(&rows, [of_function(l), of_function(l + 1)]);
                    add(l, one);
                    add(l + 1, two);
                }
                if 2 * pairs * width < self.weights.len() {
                    let [one] = of_rows(&rows, [of_function(2 * pairs)]);
                    add(2 * pairs, one);
                }
            }
        }
    }
}

/// The products of four rows with the weights of F functions, all of the same length.
#[inline(always)]
fn of_rows<const F: usize>(rows: &[&[f32]; ROWS], weights: [&[f64]; F]) -> [[f64; ROWS]; F] {
    let mut sums = [[[0.0; LANES]; ROWS]; F];
    let (_, rest) = rows[0].as_chunks::<LANES>();
    let whole = rows[0].len() - rest.len();
    for at in (0..whole).step_by(LANES) {
        let of_row = |row: &[f32]| -> [f64; LANES] {
            std::array::from_fn(|lane| f64::from(row[at..][..LANES][lane]))
        };
        let entries = rows.map(of_row);
        for (sums, weights) in sums.iter_mut().zip(&weights) {
            let weights = &weights[at..][..LANES];
            for (sums, entries) in sums.iter_mut().zip(&entries) {
                for lane in 0..LANES {
                    sums[lane] += entries[lane] * weights[lane];
                }
            }
        }
    }
    let mut products = [[0.0; ROWS]; F];
    for ((products, sums), weights) in products.iter_mut().zip(&sums).zip(&weights) {
        for ((product, sums), row) in products.iter_mut().zip(sums).zip(rows) {
            let rest = row[whole..].iter().zip(&weights[whole..]);
            let rest: f64 = rest.map(|(x, weight)| f64::from(*x) * weight).sum();
            *product = sums.iter().sum::<f64>() + rest;
        }
    }
    products
}

/// Columns of a sum that are held in registers: those of a cache line of entries.
const SUMMED: usize = 16;
/// Functions whose sums are held.
const FUNCTIONS: usize = 4;

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
        for first in (0..rows.len()).step_by(IN_FLOATS) {
            let count = IN_FLOATS.min(rows.len() - first);
            let row = |place: usize| dense.row(rows.number(first + place));
            let of_function = |l: usize| &steps[l * all + first..][..count];
            for columns in (0..width).step_by(SUMMED) {
                for l in (0..functions).step_by(FUNCTIONS) {
                    let sums = (&mut sums[l * width + columns..], width);
                    let last = functions - 1;
                    let steps = std::array::from_fn(|held| of_function((l + held).min(last)));
                    match (functions - l, width - columns) {
                        (4.., SUMMED..) => add_lanes::<4>(&row, columns, steps, sums),
                        (3, SUMMED..) => add_lanes::<3>(&row, columns, steps, sums),
                        (2, SUMMED..) => add_lanes::<2>(&row, columns, steps, sums),
                        (1, SUMMED..) => add_lanes::<1>(&row, columns, steps, sums),
                        (held, _) => {
                            let steps = &steps[..held.min(FUNCTIONS)];
                            add_last(&row, columns, steps, sums);
                        }
                    }
                }
            }
        }
    }
}

/// Adds sixteen columns of rows, each times its step of the first F functions, to sums that are `width`
/// apart.
#[inline(always)]
fn add_lanes<'d, const F: usize>(
    row: &impl Fn(usize) -> &'d [f32],
    columns: usize,
    steps: [&[f64]; FUNCTIONS],
    (sums, width): (&mut [i64], usize),
) {
    let mut held = [[0.0; SUMMED]; F];
    for place in 0..steps[0].len() {
        let entries = &row(place)[columns..][..SUMMED];
        let entries: [f64; SUMMED] = std::array::from_fn(|lane| f64::from(entries[lane]));
        for (held, steps) in held.iter_mut().zip(&steps) {
            let by = steps[place];
            for lane in 0..SUMMED {
                held[lane] += by * entries[lane];
            }
        }
    }
    for (sums, held) in sums.chunks_mut(width).zip(&held) {
        for (sum, held) in sums.iter_mut().zip(held) {
            *sum += whole(*held);
        }
    }
}

/// The same of the columns from the given one on, of which there are fewer.
fn add_last<'d>(
    row: &impl Fn(usize) -> &'d [f32],
    columns: usize,
    steps: &[&[f64]],
    (sums, width): (&mut [i64], usize),
) {
    for (steps, sums) in steps.iter().zip(sums.chunks_mut(width)) {
        for (column, sum) in (columns..width).zip(sums) {
            let terms = steps.iter().enumerate();
            let held: f64 = terms
                .map(|(place, by)| by * f64::from(row(place)[column]))
                .sum();
            *sum += whole(held);
        }
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
