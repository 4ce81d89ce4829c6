//! Rows held to a length by weighting their records.

use crate::population::gradient::about::Frame;
use crate::population::gradient::cap::squared_norms;
use crate::population::gradient::{Cap, SlopeGridError};
use crate::population::records::Records;
use crate::table::Clip;
use crate::table::RecordBound;

/// The most steps that a length or a constant may span: squares fit in 128 bits.
const MOST_STEPS: f64 = (1u64 << 36) as f64;

/// How many slope steps each record may have, for rows of no more than some length.
pub(super) struct Lengths {
    /// The length in whole grid steps, or the longest row there can be: ℓ.
    pub most: u64,
    /// b₀ in grid steps.
    pub constant: u64,
    /// m in grid steps, one a column: what is taken off each row. Empty for 0.
    pub centre: Vec<i32>,
    /// L, the longest that k ⊗ (x − m, b₀) can be, if rows are seen from a centre.
    pub whole: Option<u64>,
    /// What each record's margins are multiplied by. Empty for 1.
    pub shortening: Vec<f64>,
    /// How many steps a residual of 1 is, for each record.
    pub scales: Vec<f64>,
    /// Mᵢ: the greatest integer, at most M, with Mᵢ·‖(x, b₀)‖₂ ≤ M·ℓ.
    pub caps: Vec<i32>,
    /// Nᵢ: the same for N.
    pub norms: Vec<i32>,
}

impl Lengths {
    /// For the rows of `records`, of which each has residuals of at most `most` slope steps, M, of
    /// which there are `per_step` in 1, and of norm at most `norm`, N.
    pub fn new(
        records: &Records,
        cap: Cap,
        per_step: f64,
        most: i32,
        norm: i32,
    ) -> Result<Self, SlopeGridError> {
        let Cap {
            length, intercept, ..
        } = cap;
        let step = records.clip.grid.step();
        let (steps, constant) = (length / step, intercept / step);
        if !((1.0..=MOST_STEPS).contains(&steps) && (0.0..=MOST_STEPS).contains(&constant)) {
            return Err(SlopeGridError::Length { length, intercept });
        }
        let constant = constant as u64;
        // No row is longer than the longest there can be, and a length beyond it bounds nothing.
        let longest = longest(&records.clip, records.width(), constant);
        let steps = (steps as u64).min(longest);
        let squares = squared_norms(&records.features, &[], constant);
        let caps: Vec<i32> = squares.iter().map(|&n| shortened(most, steps, n)).collect();
        let scale = |cap: &i32| per_step * (f64::from(*cap) / f64::from(most));
        Ok(Self {
            most: steps,
            constant,
            centre: Vec::new(),
            whole: None,
            shortening: Vec::new(),
            scales: caps.iter().map(scale).collect(),
            norms: squares.iter().map(|&n| shortened(norm, steps, n)).collect(),
            caps,
        })
    }

    /// For rows seen from a centre.
    pub fn about(frame: Frame) -> Self {
        // 2ᵉ, a residual of 1 on a row of length 1.
        let one = (1.0 / frame.grid.step()) as u64;
        Self {
            most: u64::MAX,
            constant: frame.constant,
            whole: Some(frame.length),
            shortening: frame.shortening(),
            scales: frame.weights(),
            caps: frame.most_with(one),
            norms: frame.most_with(frame.length),
            centre: frame.centre,
        }
    }
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
