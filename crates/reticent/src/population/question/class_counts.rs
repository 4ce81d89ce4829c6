//! How many records each class has.

use super::counts::{counts_moved, counts_query};
use super::{LocalSum, Sums};
use crate::population::Population;
use crate::population::query::Query;
use crate::population::records::Records;
use crate::privacy::Adjacency;

/// The number of records of each class.
///
/// # Privacy
///
/// A record adds 1 to the count of its class: one group of counts. Replacing one moves two counts by 1
/// each, √2 in ℓ₂, or none; adding or removing one moves one by 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassCounts;

impl ClassCounts {
    /// How far one record can move the counts.
    pub fn moved(adjacency: Adjacency) -> f64 {
        counts_moved(1, adjacency)
    }

    /// The counts of a population; none if its targets are numbers.
    pub fn ask(self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        counts_query("class counts", population.sum(&self).0, 1, &shape)
    }
}

impl LocalSum for ClassCounts {
    fn over(&self, records: &Records<'_>) -> Sums {
        let mut counts = vec![0; records.classes as usize];
        if counts.is_empty() {
            return Sums(counts);
        }
        for (row, class) in records.targets.iter().enumerate() {
            // Classes are whole numbers from 0.
            counts[*class as usize] += records.share(row).steps();
        }
        Sums(counts)
    }
}
