//! What each row counts for: all of a record, or a share of its unit.

use std::sync::Arc;

use super::batch::{Members, Rows};
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
    /// Which rows each unit has, where units may have several.
    rows_by_unit: Option<Arc<RowsByUnit>>,
}

/// The rows of each unit.
struct RowsByUnit {
    /// Where the rows of each unit begin, and where the last end.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl RowsByUnit {
    fn new(units: &Units) -> Self {
        let mut starts = vec![0u32; units.count() + 1];
        for unit in units.of_rows() {
            starts[*unit as usize + 1] += 1;
        }
        for unit in 0..units.count() {
            starts[unit + 1] += starts[unit];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; units.rows()];
        for (row, unit) in (0..).zip(units.of_rows()) {
            let place = &mut next[*unit as usize];
            rows[*place as usize] = row;
            *place += 1;
        }
        Self { starts, rows }
    }

    fn of(&self, unit: u32) -> &[u32] {
        let unit = unit as usize;
        &self.rows[self.starts[unit] as usize..self.starts[unit + 1] as usize]
    }
}

impl Shares {
    /// Of so many rows, in these units.
    pub fn new(rows: usize, units: Option<&Units>) -> Self {
        match units {
            None => Self {
                of_row: None,
                units: rows,
                unit_rows: None,
                rows_by_unit: None,
            },
            Some(units) => Self {
                of_row: Some(units.shares()),
                units: units.count(),
                unit_rows: Some(units.most_rows()),
                rows_by_unit: Some(Arc::new(RowsByUnit::new(units))),
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
            rows_by_unit: self.rows_by_unit.clone(),
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

    /// All rows of these units. (Those that do not count have a share of 0.)
    pub fn rows_of(&self, members: &Members<'_>) -> Rows {
        match &self.rows_by_unit {
            _ if members.0.len() == self.units => Rows::All,
            None => Rows::Some(members.0.to_vec()),
            Some(by_unit) => {
                let rows = members.0.iter().flat_map(|unit| by_unit.of(*unit));
                Rows::Some(rows.copied().collect())
            }
        }
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
