//! What each row counts for: all of a record, or a share of its unit.

use crate::table::{Units, WHOLE_SHARE, share_of};

/// The shares of all rows.
///
/// # Privacy
///
/// What is protected is a *unit*: a record, or the rows of a person. The shares of the rows of a unit
/// add up to at most 1, in whole numbers of 2⁻²⁴, and are a function of that unit alone. A row adds
/// the share of what it would add as a record of its own, by integers that are truncated towards zero:
/// for a vector v and a share s, s·v in steps is no longer than s·‖v‖ in any norm. So by the triangle
/// inequality a unit adds at most what one record may, and a sensitivity that is proved from a bound
/// of what *one record adds* (a norm, a count of 1, a cap of slopes) holds for units as it stands.
/// Where the proof uses more than that, the question says what holds for units.
///
/// *Weights of classes* are at most 1, and a row's share times that of its class is rounded down: what a
/// unit adds only becomes less.
pub(super) struct Shares {
    /// One per row; `None` if each is a whole.
    of_row: Option<Vec<u32>>,
    /// The number of units.
    units: usize,
    /// The most rows of a unit that count; `None` if each row is a unit.
    unit_rows: Option<u32>,
}

impl Shares {
    /// Of so many rows, in these units.
    pub fn new(rows: usize, units: Option<&Units>) -> Self {
        match units {
            None => Self {
                of_row: None,
                units: rows,
                unit_rows: None,
            },
            Some(units) => Self {
                of_row: Some(units.shares()),
                units: units.count(),
                unit_rows: Some(units.most_rows()),
            },
        }
    }

    /// The same, each of them times the weight of the row's class, a number between 0 and 1, and
    /// rounded down: a function of the row and of numbers that are public or were released.
    pub fn weighted(&self, targets: &[f64], weights: &[f64]) -> Self {
        let weights: Vec<u32> = weights.iter().map(|weight| share_of(*weight)).collect();
        let weighted = |(row, class): (usize, &f64)| {
            // Classes are whole numbers from 0, and no product exceeds a whole.
            let weight = u64::from(weights.get(*class as usize).copied().unwrap_or(WHOLE_SHARE));
            ((u64::from(self.of(row).0) * weight) >> COUNT_BITS) as u32
        };
        Self {
            of_row: Some(targets.iter().enumerate().map(weighted).collect()),
            ..*self
        }
    }

    /// The number of units.
    pub fn units(&self) -> usize {
        self.units
    }

    /// The most rows of a unit that count.
    pub fn unit_rows(&self) -> u32 {
        self.unit_rows.unwrap_or(1)
    }

    /// Whether a unit may have several rows, some of which may not count.
    pub fn are_in_units(&self) -> bool {
        self.unit_rows.is_some()
    }

    /// Whether every row is a record of its own.
    pub fn are_whole(&self) -> bool {
        self.of_row.is_none()
    }

    /// The share of a row.
    #[inline]
    pub fn of(&self, row: usize) -> Share {
        Share(self.of_row.as_ref().map_or(WHOLE_SHARE, |of| of[row]))
    }
}

/// A share of 1, in steps of 2⁻²⁴.
#[derive(Clone, Copy)]
pub(super) struct Share(u32);

/// The steps of a count: a whole record is 2²⁴ of them.
pub(super) const COUNT_BITS: u32 = WHOLE_SHARE.ilog2();

impl Share {
    /// In steps of 2⁻²⁴.
    #[inline]
    pub fn steps(self) -> i64 {
        i64::from(self.0)
    }

    /// The share of a number of steps, towards zero.
    #[inline]
    pub fn part(self, steps: i64) -> i64 {
        match self.0 {
            WHOLE_SHARE => steps,
            // No larger than the steps.
            share => (i128::from(steps) * i128::from(share) / i128::from(WHOLE_SHARE)) as i64,
        }
    }

    /// The share of a bound, rounded down.
    #[inline]
    pub fn bound(self, most: u64) -> u64 {
        ((u128::from(most) * u128::from(self.0)) >> COUNT_BITS) as u64
    }

    /// The share of a cap of slopes, which is not negative, rounded down.
    #[inline]
    pub fn cap(self, most: i32) -> i32 {
        // No larger than the cap.
        self.part(i64::from(most)) as i32
    }

    /// As a float: exact.
    #[inline]
    pub fn factor(self) -> f64 {
        f64::from(self.0) / f64::from(WHOLE_SHARE)
    }
}
