//! Scores of several groups of candidates that one record can only move together.

use crate::mechanism::ReleaseKey;
use crate::privacy::Adjacency;

/// Scores in groups of equal size, one choice to be made in each.
///
/// The candidates of a group are both signs of each of its values, as in
/// [`Query::signed_scores`](super::Query::signed_scores): with d values, candidate j < d is +j
/// and candidate d + j is −j.
///
/// # Privacy
///
/// Let range_k be how far one record can move the scores of group k against each other,
/// max(u−u′) − min(u−u′). A record may be able to move any one group far, but not all of them at
/// once: what is known is a bound of Σ_k range_k², which is proved where the scores are made.
pub struct GroupScores<'a> {
    question: &'static str,
    values: &'a [i64],
    groups: usize,
    adjacency: Adjacency,
    squares: u128,
}

/// What a mechanism sees of scores in groups.
pub(crate) struct OpenGroups<'a> {
    /// Group after group.
    pub values: &'a [i64],
    /// The number of values of a group.
    pub width: usize,
    /// The supremum over neighbours of Σ_k range_k², in grid steps.
    pub squares: u128,
}

impl<'a> GroupScores<'a> {
    /// The caller proves at the call that Σ_k range_k² ≤ `squares` in grid steps, and that no value
    /// exceeds ±[`LIMIT`](super::query::LIMIT). The values are group after group.
    pub(super) fn new(
        question: &'static str,
        values: &'a [i64],
        groups: usize,
        adjacency: Adjacency,
        squares: u128,
    ) -> Self {
        #[cfg(test)]
        let squares = match super::query::mutant::less(question, 100) {
            100 => squares,
            _ => squares * 98 / 100,
        };
        Self {
            question,
            values,
            groups,
            adjacency,
            squares,
        }
    }

    /// The scores and their joint range, for a mechanism.
    pub(crate) fn open(&self, _: &ReleaseKey) -> OpenGroups<'a> {
        OpenGroups {
            values: self.values,
            width: self.width(),
            squares: self.squares,
        }
    }

    /// The values, for the tests of the questions that make scores.
    #[cfg(test)]
    pub(super) fn raw_values(&self) -> &[i64] {
        self.values
    }

    /// The bound of Σ range², for the tests of the questions that make scores.
    #[cfg(test)]
    pub(super) fn raw_squares(&self) -> u128 {
        self.squares
    }

    /// What was asked, in a few words.
    pub fn question(&self) -> &'static str {
        self.question
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The number of groups, which is public.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of values of a group.
    fn width(&self) -> usize {
        self.values.len() / self.groups.max(1)
    }
}
