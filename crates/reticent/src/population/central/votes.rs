//! Sample-and-vote: blocks of records vote for columns.

use rayon::prelude::*;

use super::CentralRecords;
use crate::population::query::Scores;
use crate::population::records::Records;
use crate::privacy::Adjacency;
use crate::solve::largest;

/// Why there is no vote. All of it is about declared, public numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VotesError {
    /// Under add-remove adjacency one record shifts all that stand behind it to other blocks.
    #[error("blocks by row number are private under replace-one adjacency only; use that")]
    ReplaceOneOnly,
    /// More blocks than records, or none.
    #[error("{records} records make 1 to {records} blocks; {given} were asked for")]
    Blocks {
        /// How many were asked for.
        given: usize,
        /// How many records there are.
        records: usize,
    },
    /// More votes a block than columns, or none.
    #[error("a block may vote for 1 to {columns} columns; {given} were asked for")]
    Each {
        /// How many were asked for.
        given: usize,
        /// How many columns there are.
        columns: usize,
    },
}

impl CentralRecords<'_> {
    /// How many of `blocks` blocks of records propose each column, each block proposing the
    /// `each` columns that vary most with the target in it: those of the largest
    /// |Σ (y − ȳ)·x|, ȳ being the block's own mean.
    ///
    /// Record i is in block i mod `blocks`, so that a file sorted by its target fills all alike.
    ///
    /// # Privacy
    ///
    /// Replace-one: a record's block is fixed by its row number, which is public. Replacing it
    /// changes that block alone, whose proposals are a function of the block alone, whatever
    /// floats do in it: at most `each` columns lose a vote and as many gain one. So no score
    /// moves by more than 1, some up and some down: the range is 2 (Kifer–Smith–Thakurta 2012).
    pub fn votes(&self, blocks: usize, each: usize) -> Result<Scores<'static>, VotesError> {
        let sealed = self.records;
        if sealed.adjacency != Adjacency::ReplaceOne {
            return Err(VotesError::ReplaceOneOnly);
        }
        let (records, columns) = (sealed.targets.len(), sealed.features.width());
        if !(1..=records).contains(&blocks) {
            let given = blocks;
            return Err(VotesError::Blocks { given, records });
        }
        if !(1..=columns).contains(&each) {
            let given = each;
            return Err(VotesError::Each { given, columns });
        }
        let mut members = vec![Vec::new(); blocks];
        for row in 0..records {
            members[row % blocks].push(row);
        }
        let proposals: Vec<Vec<usize>> = members
            .par_iter()
            .map_init(
                || vec![0.0; columns],
                |sums, members| self.proposed(members, each, sums),
            )
            .collect();
        let mut votes = vec![0i64; columns];
        for column in proposals.into_iter().flatten() {
            votes[column] += 1;
        }
        Ok(Scores::new("votes", votes, sealed.adjacency, 2))
    }

    /// The columns that one block proposes; `sums` is room for one number per column.
    fn proposed(&self, members: &[usize], each: usize, sums: &mut [f64]) -> Vec<usize> {
        let Records {
            features, targets, ..
        } = self.records;
        let mean = members.iter().map(|i| targets[*i]).sum::<f64>() / members.len() as f64;
        sums.fill(0.0);
        for &i in members {
            let centred = targets[i] - mean;
            features.for_row(i, |j, x| sums[j] += centred * f64::from(x));
        }
        largest(sums, each)
    }
}

#[cfg(test)]
mod tests;
