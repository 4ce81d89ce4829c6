//! A histogram of the targets: how many of them lie between public edges.

use super::{LocalSum, Sums};
use crate::noise::{Grid, GridError};
use crate::population::Population;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::privacy::Adjacency;

/// A record counts as 2²⁰ steps, so that √2 records are a whole number of steps but for 2⁻²¹.
const BITS: u32 = 20;
/// ⌈√2·2²⁰⌉.
const ROOT_TWO_STEPS: u64 = 1_482_911;

/// How many targets lie in each bin: below the first edge, between one edge and the next (a target
/// on an edge lies above it), and from the last edge on.
///
/// # Privacy
///
/// Each record adds one unit vector, whose place is a function of its own target and of the edges.
/// Adding or removing a record moves the counts by 1 in ℓ₂. Replacing one moves them by the
/// difference of two unit vectors: 0, or 1 down in one bin and 1 up in another, √2 in ℓ₂, rounded
/// up to a whole step of 2⁻²⁰. Counts are integers, at most 2³² records of 2²⁰ steps: sums stay
/// below 2⁶².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Histogram<'a> {
    /// The edges between bins, in increasing order: public, or released before.
    pub edges: &'a [f64],
}

impl Histogram<'_> {
    /// How far one record can move the counts, in records.
    pub fn moved(adjacency: Adjacency) -> f64 {
        l2_steps(adjacency) as f64 / f64::from(1 << BITS)
    }

    /// The counts of a population, one more than there are edges.
    pub fn ask(&self, population: &dyn Population) -> Result<Query<'static>, GridError> {
        let adjacency = population.shape().adjacency;
        let counts = population.sum(self).0;
        let values: Vec<i64> = counts.iter().map(|count| count << BITS).collect();
        let grid = Grid::new(-(BITS as i32))?;
        let record = RecordSteps::Both {
            l2: l2_steps(adjacency),
            linf: 1 << BITS,
        };
        // The difference of two records counts as one part, so that it is not doubled again.
        let sensitivity = Sensitivity::of(record, values.len(), Adjacency::AddRemove);
        Ok(Query::new(
            "histogram",
            values,
            grid,
            adjacency,
            sensitivity,
        ))
    }
}

fn l2_steps(adjacency: Adjacency) -> u64 {
    match adjacency {
        Adjacency::AddRemove => 1 << BITS,
        Adjacency::ReplaceOne => ROOT_TWO_STEPS,
    }
}

impl LocalSum for Histogram<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let mut counts = vec![0i64; self.edges.len() + 1];
        for (row, target) in (0u32..).zip(&records.targets) {
            let bin = self.edges.partition_point(|edge| edge <= target);
            counts[bin] += i64::from(records.weight(row));
        }
        Sums(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Dense, Matrix};
    use crate::population::Parts;
    use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
    use crate::testing::pairs;
    use proptest::prelude::*;

    const EDGES: [f64; 4] = [-0.5, -0.25, 0.0, 0.75];

    fn records(targets: &[f64], adjacency: Adjacency) -> Records<'static> {
        let features = Dense::new(vec![0.0; targets.len()], targets.len(), 1).unwrap();
        let table = Table {
            features: Matrix::Dense(features),
            target: Target::Values(targets.to_vec()),
            layout: Layout::Numbered { first: 1, width: 1 },
            assumed: Vec::new(),
        };
        let range = Some(TargetRange {
            low: -1.0,
            high: 1.0,
        });
        let bound = RecordBound::Linf(1.0);
        table.enforce(bound, range, true, adjacency).unwrap()
    }

    /// The counts in whole records.
    fn counts(population: &dyn Population) -> Vec<i64> {
        let query = Histogram { edges: &EDGES }.ask(population).unwrap();
        query.raw_values().iter().map(|v| v >> BITS).collect()
    }

    #[test]
    fn the_steps_of_the_root_of_two_are_rounded_up() {
        let (steps, square) = (u128::from(ROOT_TWO_STEPS), 2u128 << (2 * BITS));
        assert!(steps * steps >= square && (steps - 1) * (steps - 1) < square);
    }

    proptest! {
        #[test]
        fn it_is_a_plain_count_also_in_parts(
            targets in prop::collection::vec(-1.2..1.2f64, 2..40),
            cut in 1..20usize,
        ) {
            let mut plain = vec![0i64; EDGES.len() + 1];
            for target in &targets {
                plain[EDGES.iter().filter(|edge| **edge <= *target).count()] += 1;
            }
            let whole = records(&targets, Adjacency::ReplaceOne);
            prop_assert_eq!(counts(&whole), plain.clone());
            let (left, right) = targets.split_at(cut.min(targets.len() - 1));
            let part = |targets| -> Box<dyn Population> {
                Box::new(records(targets, Adjacency::ReplaceOne))
            };
            let parts = Parts::new(vec![part(left), part(right)]).unwrap();
            prop_assert_eq!(counts(&parts), plain);
        }

        #[test]
        fn one_record_moves_it_by_no_more_than_its_sensitivity(
            targets in prop::collection::vec(-1.0..1.0f64, 2..9),
            other in -1.0..1.0f64,
        ) {
            let moved = |a: &[f64], b: &[f64], adjacency| {
                let (a, b) = (records(a, adjacency), records(b, adjacency));
                let ask = |records| Histogram { edges: &EDGES }.ask(records).unwrap();
                let (a, b) = (ask(&a), ask(&b));
                let moves = pairs(a.raw_values(), b.raw_values()).map(|(a, b)| (a - b) as f64);
                (moves.map(|x| x * x).sum::<f64>().sqrt(), a.raw_sensitivity().l2)
            };
            let mut replaced = targets.clone();
            replaced[0] = other;
            let (by, most) = moved(&targets, &replaced, Adjacency::ReplaceOne);
            prop_assert!(by <= most);
            let (by, most) = moved(&targets, &targets[1..], Adjacency::AddRemove);
            prop_assert!(by <= most);
        }
    }
}
