//! The public grid on which private sums live: whole multiples of a power of two.
//!
//! On a grid a sum is an integer, so it has no rounding and no order, and the sensitivity
//! proved for it is the sensitivity it has (Mironov 2012 shows what floats would leak).

use serde::{Deserialize, Serialize};

use super::parameter::power_of_two;

/// A public grid of step 2^exponent, −500 ≤ exponent ≤ 500.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "i32", into = "i32")]
pub struct Grid {
    exponent: i32,
}

/// A value cannot be put on the grid.
///
/// The value may be private and a message is a release: neither it nor its place is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// NaN.
    #[error("a value is not a number; replace missing values by a fixed rule first")]
    NotANumber,
    /// Plus or minus infinity.
    #[error("a value is infinite; clamp values to their declared bound first")]
    Infinite,
    /// A number of 2⁶³ steps or more.
    #[error("a value lies beyond the grid; take a coarser grid or clamp to a smaller bound")]
    OutOfRange,
    /// The step itself is not supported.
    #[error("the grid step must be 2^e with -500 <= e <= 500")]
    Step,
}

impl Grid {
    /// The grid of step 2^`exponent`.
    pub fn new(exponent: i32) -> Result<Self, GridError> {
        if (-500..=500).contains(&exponent) {
            Ok(Self { exponent })
        } else {
            Err(GridError::Step)
        }
    }

    /// Binary logarithm of the step.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// The step, exactly.
    pub fn step(self) -> f64 {
        power_of_two(self.exponent)
    }

    /// `steps` steps as a float: exact up to 2⁵³ steps, the nearest float beyond.
    pub fn to_real(self, steps: i64) -> f64 {
        steps as f64 * self.step()
    }

    /// `value` in whole steps, rounded *towards zero*, so that no bound on |value| is exceeded.
    pub fn truncate(self, value: f64) -> Result<i64, GridError> {
        self.steps(value).and_then(|steps| whole(steps.trunc()))
    }

    /// `value` in whole steps, rounded to the nearest, ties to even.
    pub fn nearest(self, value: f64) -> Result<i64, GridError> {
        self.steps(value)
            .and_then(|steps| whole(steps.round_ties_even()))
    }

    /// Every value on the grid, each rounded to the nearest.
    ///
    /// This is the way for scores that start as floats into
    /// [`ExponentialSelector`](super::ExponentialSelector). Rounding moves a score by up to
    /// half a step, so it adds a step to its sensitivity and two to a score range.
    pub fn place(self, values: &[f64]) -> Result<Vec<i64>, GridError> {
        values.iter().map(|&value| self.nearest(value)).collect()
    }

    /// `value` divided by the step.
    ///
    /// Exact, as the step is a power of two, except where it overflows (then |value| is
    /// beyond the grid) or underflows (then |value| is below 2^−500 steps, and is 0 steps
    /// by either rounding).
    fn steps(self, value: f64) -> Result<f64, GridError> {
        if value.is_nan() {
            Err(GridError::NotANumber)
        } else if value.is_infinite() {
            Err(GridError::Infinite)
        } else {
            Ok(value * power_of_two(-self.exponent))
        }
    }
}

impl TryFrom<i32> for Grid {
    type Error = GridError;

    fn try_from(exponent: i32) -> Result<Self, GridError> {
        Self::new(exponent)
    }
}

impl From<Grid> for i32 {
    fn from(grid: Grid) -> i32 {
        grid.exponent
    }
}

/// An integral float as an integer, if its magnitude is below 2⁶³.
fn whole(steps: f64) -> Result<i64, GridError> {
    if steps.abs() < power_of_two(63) {
        Ok(steps as i64)
    } else {
        Err(GridError::OutOfRange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn truncation_goes_towards_zero_and_placing_to_the_nearest() {
        let grid = Grid::new(-1).unwrap();
        assert_eq!(grid.truncate(0.99), Ok(1));
        assert_eq!(grid.truncate(-0.99), Ok(-1));
        assert_eq!(
            grid.place(&[0.99, -0.99, 0.25, 0.75]),
            Ok(vec![2, -2, 0, 2])
        );
        assert_eq!(grid.to_real(-3), -1.5);
        assert_eq!(grid.truncate(5e-324), Ok(0));
    }

    #[test]
    fn errors_are_typed_and_quote_nothing() {
        let grid = Grid::new(0).unwrap();
        assert_eq!(grid.truncate(f64::NAN), Err(GridError::NotANumber));
        assert_eq!(
            grid.place(&[1.0, f64::NEG_INFINITY]),
            Err(GridError::Infinite)
        );
        assert_eq!(grid.truncate(9.3e18), Err(GridError::OutOfRange));
        assert_eq!(grid.nearest(i64::MIN as f64), Err(GridError::OutOfRange));
        assert_eq!(grid.truncate((i64::MAX - 1023) as f64), Ok(i64::MAX - 1023));
        assert_eq!(
            Grid::new(-300).unwrap().truncate(1e300),
            Err(GridError::OutOfRange)
        );
        assert_eq!(Grid::new(501), Err(GridError::Step));
        let message = grid.truncate(9.3e18).unwrap_err().to_string();
        assert!(!message.contains('9'));
    }

    #[test]
    fn a_stored_grid_is_checked_when_read() {
        let grid = Grid::new(-20).unwrap();
        let text = serde_json::to_string(&grid).unwrap();
        assert_eq!(serde_json::from_str::<Grid>(&text).unwrap(), grid);
        assert!(serde_json::from_str::<Grid>("900").is_err());
    }

    proptest! {
        #[test]
        fn truncation_never_grows_and_loses_less_than_a_step(
            value in -1e9..1e9f64, exponent in -30..30i32
        ) {
            let grid = Grid::new(exponent).unwrap();
            let back = grid.to_real(grid.truncate(value).unwrap());
            prop_assert!(back.abs() <= value.abs());
            prop_assert!((value - back).abs() < grid.step());
        }
    }
}
