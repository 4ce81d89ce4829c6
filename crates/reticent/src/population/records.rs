//! Records: a table whose bounds have been enforced, and which can no longer be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::gradient::{Follow, Following, Frame};
use super::parts::SealedTable;
use super::question::{LocalSum, Sums};
use super::{InParts, OnePlace, Population, Shape};
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
    /// Which table it is of all that were sealed.
    number: u64,
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
    /// How often a record counts: once.
    #[inline]
    pub(super) fn weight(&self, _row: u32) -> i32 {
        1
    }

    /// The unit that a record belongs to, which is what is protected: its own.
    #[inline]
    pub(super) fn unit(&self, row: u32) -> u32 {
        row
    }
}

impl Population for Records<'_> {
    fn shape(&self) -> Shape {
        Shape {
            width: self.features.width(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            count: match self.adjacency {
                Adjacency::ReplaceOne => Some(self.targets.len()),
                Adjacency::AddRemove => None,
            },
        }
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        question.over(self)
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        Box::new(Following::new(self, frame))
    }

    fn on(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        if columns.iter().copied().eq(0..self.features.width() as u32) {
            return Box::new(self);
        }
        Box::new(Records {
            features: restrict(&self.features, columns),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            number: self.number,
        })
    }

    fn tables(&self) -> Vec<SealedTable> {
        vec![SealedTable {
            number: self.number,
            rows: self.targets.len(),
        }]
    }

    fn in_one_place(&self) -> Result<OnePlace<'_>, InParts> {
        Ok(OnePlace::of(self))
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
        static SEALED: AtomicU64 = AtomicU64::new(0);
        Records {
            features,
            targets,
            classes,
            clip,
            adjacency,
            number: SEALED.fetch_add(1, Ordering::Relaxed),
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
