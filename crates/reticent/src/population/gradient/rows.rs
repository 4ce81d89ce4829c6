//! What the row of a record determines: the factor of its margins, the steps in a slope of 1, and
//! the largest number of steps.

use rayon::prelude::*;

use super::frame::{Frame, Rule, Slopes};
use crate::matrix::Matrix;
use crate::population::records::Records;
use crate::table::{Clip, RecordBound};

/// Fewer rows than this are not worth another thread.
const ROWS_PER_THREAD: usize = 2048;

/// Numbers of each record, functions of its own row, of its share and of public numbers. All empty
/// where rows are free and every record is a unit.
///
/// # Privacy
///
/// Caps and norms are the shares of what they would be for a record that is a unit, rounded down: those
/// of the rows of one unit add up to no more than that.
#[derive(Default)]
pub(super) struct RowNumbers {
    /// The factor of its margins, as a multiple of its scale; none for a factor of 1.
    pub shortening: Option<f64>,
    /// The number of steps in a slope of 1, of a record that is a unit.
    pub scales: Vec<f64>,
    /// What slopes are multiplied by besides: its share of the unit; empty for 1.
    pub shares: Vec<f64>,
    /// The largest number of steps of a slope.
    pub caps: Vec<i32>,
    /// The largest norm in steps of the residuals of several classes together; empty for one
    /// function.
    pub norms: Vec<i32>,
}

impl RowNumbers {
    /// The numbers of these records.
    pub fn new(frame: &Frame, records: &Records<'_>) -> Self {
        let several = frame.slopes == Slopes::Classes;
        let per_step = 1.0 / frame.slope_grid.step();
        let (features, rows) = (&records.features, records.targets.len());
        let squares = || squared_norms(features, frame.centre(), frame.scales(), frame.constant);
        let share = |row: usize| records.share(row);
        let whole = records.shares.are_whole();
        let shares = match whole {
            true => Vec::new(),
            false => (0..rows).map(|row| share(row).factor()).collect(),
        };
        // For each row the largest multiple that is no longer than its share of the limit.
        let within = |squares: &[u128], limit: u64| -> Vec<i32> {
            let steps = |(row, square): (usize, &u128)| {
                let share = share(row);
                whole_quotient(share.bound(limit), *square, share.cap(frame.most))
            };
            squares.iter().enumerate().map(steps).collect()
        };
        let numbers = match frame.rule {
            Rule::Free if whole => Self::default(),
            Rule::Free => {
                let of_all = |most: i32| (0..rows).map(|row| share(row).cap(most)).collect();
                Self {
                    caps: of_all(frame.most),
                    norms: frame.norm.map_or_else(Vec::new, of_all),
                    ..Self::default()
                }
            }
            Rule::Within { steps, .. } if several => {
                let squares = squares();
                let norm = frame.norm.unwrap_or(frame.most);
                let held = |most: i32| squares.iter().map(move |&n| shortened(most, steps, n));
                let shared = |caps: &[i32]| -> Vec<i32> {
                    let caps = caps.iter().enumerate();
                    caps.map(|(row, cap)| share(row).cap(*cap)).collect()
                };
                let caps: Vec<i32> = held(frame.most).collect();
                let scale = |cap: &i32| per_step * (f64::from(*cap) / f64::from(frame.most));
                Self {
                    scales: caps.iter().map(scale).collect(),
                    norms: shared(&held(norm).collect::<Vec<_>>()),
                    caps: shared(&caps),
                    ..Self::default()
                }
            }
            Rule::Within { length, limit, .. } => {
                let squares = squares();
                let weight = |&n: &u128| (length / (n as f64).sqrt()).min(1.0) * per_step;
                Self {
                    scales: squares.iter().map(weight).collect(),
                    caps: within(&squares, limit),
                    ..Self::default()
                }
            }
            Rule::One { limit, .. } => {
                let squares = squares();
                // 2ᵉ, a residual of 1 on a row of length 1.
                let one = 1.0 / frame.grid.step();
                let (caps, norms) = match several {
                    true => (within(&squares, one as u64), within(&squares, limit)),
                    false => (within(&squares, limit), Vec::new()),
                };
                Self {
                    // 1/(norm in units of 1) is that many times 2ᵉ/norm: exactly, as grid steps are
                    // powers of two.
                    shortening: Some(
                        frame.grid.step() * frame.parts_of_a_step() as f64
                            / frame.shape.clip.grid.step(),
                    ),
                    scales: over_norms(&squares, one),
                    caps,
                    norms,
                    ..Self::default()
                }
            }
        };
        Self { shares, ..numbers }
    }
}

/// A number divided by each norm. A row of length 0 adds nothing, whatever its slope.
fn over_norms(squares: &[u128], number: f64) -> Vec<f64> {
    let over = |square: &u128| match square {
        0 => 0.0,
        square => number / (*square as f64).sqrt(),
    };
    squares.iter().map(over).collect()
}

/// The greatest integer m ≤ `most` with m²·`square` ≤ `limit`², for a limit of at most 2⁶⁰ and a
/// square below 2⁹⁰, of which 0 counts as 1.
///
/// Floats propose it and integers decide, whatever was proposed: a division and a root of 128 bits
/// per record take longer than all other arithmetic on its row.
pub(in crate::population) fn whole_quotient(limit: u64, square: u128, most: i32) -> i32 {
    let square = square.max(1);
    let within = |m: i32| {
        let m = u128::from(m.unsigned_abs());
        // At most 2 above L/N, and (L + 2N)² is below 2¹²⁸.
        m * m * square <= u128::from(limit).pow(2)
    };
    let proposed = limit as f64 / (square as f64).sqrt();
    // A cast keeps to the range of the type.
    let mut m = (proposed as i32).clamp(0, most);
    while !within(m) {
        m -= 1;
    }
    while m < most && within(m + 1) {
        m += 1;
    }
    m
}

/// The greatest integer m ≤ `most` with m²·`square` ≤ (`most`·`length`)².
fn shortened(most: i32, length: u64, square: u128) -> i32 {
    let length = u128::from(length);
    if square <= length * length {
        return most;
    }
    // At most (2²³·2³⁷)² = 2¹²⁰; and m ≤ `most`, as the row is longer than the length.
    let product = most as u128 * length;
    (product * product / square).isqrt() as i32
}

/// ‖(a∘xᵢ − m, b₀)‖₂² of each record in squared grid steps.
pub(in crate::population) fn squared_norms(
    features: &Matrix,
    centre: &[i32],
    scales: &[u32],
    constant: u64,
) -> Vec<u128> {
    let norm = SquaredNorm::new(centre, scales, constant);
    (0..features.rows())
        .into_par_iter()
        .with_min_len(ROWS_PER_THREAD)
        .map(|row| norm.of(features, row))
        .collect()
}

/// ‖(a∘x − m, b₀)‖₂² of a record in squared grid steps: exact, as entries and the centre m are at most
/// 2²⁰ in size, and scales a at most 2⁴. An empty centre is 0, and empty scales are 1.
pub(super) struct SquaredNorm<'a> {
    centre: &'a [i32],
    scales: &'a [u32],
    /// Of a row of zeros.
    of_zero: i128,
}

impl<'a> SquaredNorm<'a> {
    pub fn new(centre: &'a [i32], scales: &'a [u32], constant: u64) -> Self {
        let square = |m: &i32| i128::from(*m).pow(2);
        Self {
            centre,
            scales,
            of_zero: centre.iter().map(square).sum::<i128>() + i128::from(constant).pow(2),
        }
    }

    pub fn of(&self, features: &Matrix, row: usize) -> u128 {
        if let (Matrix::Dense(dense), []) = (features, self.scales) {
            let row = dense.row(row);
            let centre = self.centre;
            let beyond_zero = pulp::Arch::new().dispatch(BeyondZero { row, centre });
            return (self.of_zero + beyond_zero) as u128;
        }
        let mut sum = self.of_zero;
        features.for_row(row, |column, x| {
            let x = x as i64 * self.scales.get(column).map_or(1, |a| i64::from(*a));
            let m = self.centre.get(column).map_or(0, |m| i64::from(*m));
            // (x − m)² − m².
            sum += i128::from(x * (x - 2 * m));
        });
        sum as u128
    }
}

/// Σ (x − m)² − m² of a dense row: what it adds to that of a row of zeros. A term is a whole number of at
/// most 3·2⁴⁰ in size, so that floats hold the sum of 2¹¹ of them. `pulp` compiles it for several kinds
/// of registers.
struct BeyondZero<'a> {
    row: &'a [f32],
    centre: &'a [i32],
}

/// Terms that are added in floats, and partial sums of them.
const IN_FLOATS: usize = 1 << 11;
const LANES: usize = 16;

impl pulp::NullaryFnOnce for BeyondZero<'_> {
    type Output = i128;

    #[inline(always)]
    fn call(self) -> i128 {
        let mut all = 0;
        for (chunk, row) in self.row.chunks(IN_FLOATS).enumerate() {
            let centre = self.centre.get(chunk * IN_FLOATS..).unwrap_or_default();
            let mut sums = [0.0; LANES];
            let (rows, rest) = row.as_chunks::<LANES>();
            let (centres, _) = centre.as_chunks::<LANES>();
            for (place, row) in rows.iter().enumerate() {
                let centre = centres.get(place).unwrap_or(&[0; LANES]);
                for lane in 0..LANES {
                    let (x, m) = (f64::from(row[lane]), f64::from(centre[lane]));
                    sums[lane] += x * (x - 2.0 * m);
                }
            }
            let mut sum: f64 = sums.iter().sum();
            for (place, x) in (row.len() - rest.len()..).zip(rest) {
                let (x, m) = (f64::from(*x), f64::from(*centre.get(place).unwrap_or(&0)));
                sum += x * (x - 2.0 * m);
            }
            all += sum as i128;
        }
        all
    }
}

/// An upper bound of ‖(x, c)‖₂ for rows within a bound and a constant c, in grid steps.
pub(super) fn longest(clip: &Clip, width: usize, constant: u64) -> u64 {
    let entries = match clip.bound {
        RecordBound::L2(_) => 1,
        RecordBound::Linf(_) => width as u128,
    };
    // A bound spans at most 2²⁰ steps, a constant 2³⁶, and a table has at most 2³² columns.
    let square = |steps: u64| u128::from(steps) * u128::from(steps);
    sqrt_up(square(clip.steps) * entries + square(constant))
}

/// ⌈√square⌉, for a square below 2¹²⁸.
pub(super) fn sqrt_up(square: u128) -> u64 {
    let root = square.isqrt();
    (root + u128::from(root * root < square)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quotient by a division and a root in integers.
    fn plain(limit: u64, square: u128, most: i32) -> i32 {
        let ratio = u128::from(limit).pow(2) / square.max(1);
        ratio.isqrt().min(most as u128) as i32
    }

    #[test]
    fn squared_norms_of_dense_rows_are_those_of_their_entries() {
        for width in [1, 15, 16, 33, 2048, 5001] {
            let entry = |j: usize| ((j * 7919) % (1 << 21)) as i64 - (1 << 20);
            let values = (0..2 * width).map(|j| entry(j) as f32).collect();
            let dense = Matrix::Dense(crate::matrix::Dense::new(values, 2, width).unwrap());
            let centre: Vec<i32> = (0..width).map(|j| entry(3 * j + 1) as i32).collect();
            for centre in [&centre[..], &[]] {
                let norm = SquaredNorm::new(centre, &[], 12_345);
                for row in 0..2 {
                    let difference = |j: usize| {
                        let m = centre.get(j).map_or(0, |m| i128::from(*m));
                        (i128::from(entry(row * width + j)) - m).pow(2)
                    };
                    let expected = (0..width).map(difference).sum::<i128>() + 12_345i128.pow(2);
                    assert_eq!(norm.of(&dense, row), expected as u128, "{width}");
                }
            }
        }
    }

    #[test]
    fn a_whole_quotient_is_exact_where_floats_are_not() {
        for limit in [0, 1, 2, 3, (1 << 34) - 1, 1 << 34, (1 << 60) - 1, 1 << 60] {
            for most in [1, 1 << 22, i32::MAX] {
                for square in [0, 1, 2, 3, 1 << 44, (1 << 88) - 1] {
                    let found = whole_quotient(limit, square, most);
                    assert_eq!(found, plain(limit, square, most), "{limit}, {square}");
                }
                // Squares at and beside those of which the quotient is a whole number.
                for times in [1, 2, 3, 1000, (1 << 22) - 1, 1 << 22] {
                    let exact = u128::from(limit).pow(2) / times / times;
                    for square in exact.saturating_sub(2)..=exact + 2 {
                        if square < 1 << 90 {
                            let found = whole_quotient(limit, square, most);
                            assert_eq!(found, plain(limit, square, most), "{limit}, {square}");
                        }
                    }
                }
            }
        }
    }
}
