//! What is public about sealed records.

use crate::privacy::Adjacency;
use crate::table::{Clip, MOST_RECORDS, RecordBound};

/// What is public about sealed records, wherever they are: questions and sensitivities depend on
/// this alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// The number of features.
    pub(crate) width: usize,
    /// How many classes there are; 0 if targets are numbers.
    pub(crate) classes: u32,
    /// The bound that was enforced, and its grid.
    pub(crate) clip: Clip,
    /// Which tables count as neighbours.
    pub(crate) adjacency: Adjacency,
    /// The number of records, where it is public; of units, where these are protected.
    pub(crate) count: Option<usize>,
    /// The most rows of one unit that count: 1 where each record is a unit.
    pub(crate) unit_rows: u32,
    /// Whether every row counts as a whole record: then nothing is truncated for its share.
    pub(crate) whole: bool,
}

impl Shape {
    /// The number of features.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many classes there are; 0 if the targets are numbers.
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// The declared bound of the rows.
    pub fn bound(&self) -> RecordBound {
        self.clip.bound
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The number of records if it is public, as under replace-one adjacency; of units, where these
    /// are protected. Under add-remove it is as private as the records: a declared number takes its
    /// place.
    pub fn count(&self) -> Option<usize> {
        self.count
    }

    /// The largest number of records that is consistent with what is public; of units, where these
    /// are protected: the rows of a unit together weigh as much as one record.
    pub(super) fn most_records(&self) -> usize {
        self.count.unwrap_or(MOST_RECORDS)
    }
}
