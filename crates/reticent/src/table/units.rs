//! Units: whose a row is, where a person is protected who may have several rows.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

/// The most rows of one unit that a declaration may allow: each of them is rounded, on a grid that is as
/// much finer as there are rows.
pub const MOST_UNIT_ROWS: u32 = 1 << 12;

/// The same where the number of units is private: sums then have room for as many as there can be, and
/// so few steps are left that a smaller share would be rounded away.
pub const MOST_UNIT_ROWS_OF_PRIVATE_NUMBER: u32 = 1 << 4;

/// What is protected where it is not the row: a unit, such as a person, with all its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectedUnit {
    /// The column that says whose a row is, where it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// How many rows of one unit count, the first ones of the table.
    pub rows: NonZeroU32,
}

impl ProtectedUnit {
    /// How many rows of one unit count where nothing else is declared.
    pub const ROWS: NonZeroU32 = NonZeroU32::new(100).unwrap();

    /// So many rows, if there may be as many.
    pub fn rows(count: u64) -> Option<NonZeroU32> {
        let count = u32::try_from(count).ok()?;
        NonZeroU32::new(count).filter(|count| count.get() <= MOST_UNIT_ROWS)
    }
}

/// In words: "a person: all rows with the same 'patient', of which the first 100 count".
impl fmt::Display for ProtectedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.column {
            Some(column) => write!(f, "a person: all rows with the same '{column}'")?,
            None => write!(f, "a person: all rows of the same group")?,
        }
        match self.rows.get() {
            1 => write!(f, ", of which the first counts"),
            rows => write!(f, ", of which the first {rows} count"),
        }
    }
}

/// Whose each row is, and how many rows of one unit count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units {
    /// The unit of each row, by its number from 0: every number up to the last has a row.
    of_row: Vec<u32>,
    count: usize,
    declared: ProtectedUnit,
}

/// A share of the weight of one record: a whole number of 2⁻²⁴.
pub(crate) const WHOLE_SHARE: u32 = 1 << 24;

impl Units {
    /// The units of a table, by anything that tells the unit of each row. Of the rows of a unit,
    /// the first ones count, in the order of the table.
    pub fn new<K: Eq + Hash>(
        of_rows: impl IntoIterator<Item = K>,
        declared: ProtectedUnit,
    ) -> Self {
        let mut numbers = HashMap::new();
        let number = |unit| {
            // Fewer than 2³², as there are no more units than rows.
            let next = numbers.len() as u32;
            *numbers.entry(unit).or_insert(next)
        };
        Self {
            of_row: of_rows.into_iter().map(number).collect(),
            count: numbers.len(),
            declared,
        }
    }

    /// What was declared.
    pub fn declared(&self) -> &ProtectedUnit {
        &self.declared
    }

    /// How many units there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many rows of a unit count: no more than [`MOST_UNIT_ROWS`], whatever was declared.
    pub(crate) fn most_rows(&self) -> u32 {
        self.declared.rows.get().min(MOST_UNIT_ROWS)
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.of_row.len()
    }

    /// The unit of each row, by its number from 0.
    pub(crate) fn of_rows(&self) -> &[u32] {
        &self.of_row
    }

    /// What each row counts for, in steps of 2⁻²⁴.
    ///
    /// # Privacy
    ///
    /// The first rows of a unit, at most [`most_rows`](Self::most_rows) of them, share one whole in nearly
    /// equal parts, and the others count for nothing: the shares of a unit add up to 2²⁴, exactly. They
    /// are a function of the rows of that unit alone.
    pub(crate) fn shares(&self) -> Vec<u32> {
        let mut rows = vec![0u32; self.count];
        for unit in &self.of_row {
            rows[*unit as usize] += 1;
        }
        let mut before = vec![0u32; self.count];
        let share = |unit: &u32| {
            let unit = *unit as usize;
            let used = rows[unit].min(self.most_rows());
            let place = before[unit];
            before[unit] += 1;
            match place < used {
                // What is left over is divided among the first.
                true => WHOLE_SHARE / used + u32::from(place < WHOLE_SHARE % used),
                false => 0,
            }
        };
        self.of_row.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_shares_of_a_unit_add_up_to_one_whole(
            of_rows in prop::collection::vec(0..6u64, 0..80),
            most in 1..9u32,
        ) {
            let declared = ProtectedUnit { column: None, rows: NonZeroU32::new(most).unwrap() };
            let units = Units::new(of_rows.iter().copied(), declared);
            let shares = units.shares();
            let mut sums = vec![(0, 0); units.count()];
            for (unit, share) in units.of_row.iter().zip(shares) {
                let (sum, used) = &mut sums[*unit as usize];
                // The first rows, and no others.
                prop_assert_eq!(share > 0, *used < most);
                *sum += share;
                *used += u32::from(share > 0);
            }
            prop_assert!(sums.iter().all(|(sum, used)| *sum == WHOLE_SHARE && *used <= most));
            let names: std::collections::HashSet<u64> = of_rows.into_iter().collect();
            prop_assert_eq!(names.len(), units.count());
        }
    }
}
