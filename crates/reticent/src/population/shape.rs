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
    /// The number of records, where it is public.
    pub(crate) count: Option<usize>,
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

    /// The number of records if it is public, as under replace-one adjacency. Under add-remove it
    /// is as private as the records: a declared number takes its place.
    pub fn count(&self) -> Option<usize> {
        self.count
    }

    /// The largest number of records that is consistent with what is public.
    pub(super) fn most_records(&self) -> usize {
        self.count.unwrap_or(MOST_RECORDS)
    }
}
