//! Units: whose a row is, where a person is protected who may have several rows.

use std::collections::HashMap;
use std::num::NonZeroU32;

/// The most rows of one unit that a declaration may allow: shares of a few 2⁻²⁴ are none.
pub const MOST_UNIT_ROWS: u32 = 1 << 16;

/// Whose each row is, and how many rows of one unit count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Units {
    /// The unit of each row, by its number from 0: every number up to the last has a row.
    of_row: Vec<u32>,
    count: usize,
    most_rows: NonZeroU32,
}

/// A share of the weight of one record: a whole number of 2⁻²⁴.
pub(crate) const WHOLE_SHARE: u32 = 1 << 24;

impl Units {
    /// The units of a table, by any number of the unit for each row. Of the rows of a unit, the
    /// first `most_rows` count, in the order of the table.
    ///
    /// # Panics
    ///
    /// If a unit may have more than [`MOST_UNIT_ROWS`].
    pub fn new(of_rows: impl IntoIterator<Item = u64>, most_rows: NonZeroU32) -> Self {
        assert!(most_rows.get() <= MOST_UNIT_ROWS, "too many rows of a unit");
        let mut numbers = HashMap::new();
        let number = |unit| {
            // Fewer than 2³², as there are no more units than rows.
            let next = numbers.len() as u32;
            *numbers.entry(unit).or_insert(next)
        };
        Self {
            of_row: of_rows.into_iter().map(number).collect(),
            count: numbers.len(),
            most_rows,
        }
    }

    /// How many units there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How many rows of a unit count.
    pub fn most_rows(&self) -> NonZeroU32 {
        self.most_rows
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.of_row.len()
    }

    /// What each row counts for, in steps of 2⁻²⁴.
    ///
    /// # Privacy
    ///
    /// The first rows of a unit, at most [`most_rows`](Self::most_rows), share one whole in nearly
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
            let used = rows[unit].min(self.most_rows.get());
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
            let units = Units::new(of_rows.iter().copied(), NonZeroU32::new(most).unwrap());
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
