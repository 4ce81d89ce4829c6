//! Records: a table whose bounds have been enforced, and which can no longer be read.

use crate::matrix::{Matrix, restrict};
use crate::privacy::Adjacency;
use crate::table::{Clip, EnforceError, Held, RecordBound, Table, TargetRange};

/// A table whose bounds have been enforced: what a private fit may see of the data, which is
/// queries and nothing else.
///
/// There is no way to read a record back: no getter, no `Debug`, `Clone`, `PartialEq` or
/// `Serialize`, and the tests in `tests/compile_fail` hold it to that.
///
/// # Privacy
///
/// Each record is mapped, as a function of itself and of declared numbers alone, to whole steps
/// of a public grid within its bound, and its target to [−1, 1] or the number of its class. So neighbouring
/// tables become neighbouring records, and what is proved for enforced records holds for
/// tables. The enforced record is used everywhere, in the margin as in the gradient. No record
/// is dropped, whatever it holds, so that replace-one neighbours keep the same number.
pub struct Records<'a> {
    /// In whole grid steps, each of which `f32` holds exactly.
    pub(super) features: Matrix<'a>,
    /// Numbers in [−1, 1], or classes by their number from 0.
    pub(super) targets: Vec<f64>,
    /// How many classes there are; 0 if targets are numbers.
    pub(super) classes: u32,
    /// The bound that was enforced, and the grid.
    pub(super) clip: Clip,
    pub(super) adjacency: Adjacency,
}

impl<'a> Table<'a> {
    /// Enforces the bounds, and shuts the table.
    ///
    /// A numeric target is clipped to `range` and mapped to [−1, 1]: by its middle and half
    /// its width if `centred`, else divided by the larger end. A class becomes its number: of
    /// two, the second is 1, the first 0.
    pub fn enforce(
        self,
        rows: RecordBound,
        range: Option<TargetRange>,
        centred: bool,
        adjacency: Adjacency,
    ) -> Result<Records<'a>, EnforceError> {
        Ok(self.hold(rows, range, centred)?.shut(adjacency))
    }
}

impl Records<'_> {
    /// The number of records where it is public, which is under replace-one adjacency. Under
    /// add-remove it is as private as the records: a declared number takes its place.
    pub fn count(&self) -> Option<usize> {
        match self.adjacency {
            Adjacency::ReplaceOne => Some(self.targets.len()),
            Adjacency::AddRemove => None,
        }
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.features.width()
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
}

impl<'a> Held<'a> {
    /// Shuts the table: from here on, only queries leave.
    pub fn shut(self, adjacency: Adjacency) -> Records<'a> {
        let Held {
            features,
            targets,
            classes,
            clip,
        } = self;
        Records {
            features,
            targets,
            classes,
            clip,
            adjacency,
        }
    }
}

impl Records<'_> {
    /// The same records with these columns only, in this order.
    ///
    /// # Privacy
    ///
    /// Dropping columns is a function of the row alone, and does not lengthen it in any norm: what
    /// is left keeps its bound, its grid and its seal. *Which* columns is the caller's to answer
    /// for: they are public, or were released and charged.
    ///
    /// # Panics
    ///
    /// If the columns do not increase, or one lies beyond the last.
    pub fn on(&self, columns: &[u32]) -> Records<'static> {
        Records {
            features: restrict(&self.features, columns),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
        }
    }
}

#[cfg(test)]
impl Records<'_> {
    /// The same rows with other targets: classes by their number, of which there are `classes`.
    pub(crate) fn of_classes(mut self, targets: &[u32], classes: u32) -> Self {
        assert_eq!(targets.len(), self.targets.len());
        assert!(targets.iter().all(|class| *class < classes));
        self.targets = targets.iter().map(|class| f64::from(*class)).collect();
        self.classes = classes;
        self
    }
}

#[cfg(test)]
mod tests;
