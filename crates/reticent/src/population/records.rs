//! Records: a table whose bounds are enforced and which can no longer be read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::batch::{BatchSum, Members, WideSums};
use super::gradient::{Follow, Following, Frame};
use super::parts::SealedTable;
use super::question::{LocalSum, Sums};
use super::shares::{Share, Shares};
use super::{CentralRecords, ColumnFrame, NotCentral, Population, Shape, TargetFrame};
use crate::matrix::{Matrix, restrict};
use crate::privacy::Adjacency;
use crate::table::{
    ClassWeight, Clip, ClippedTable, EnforceError, RecordBound, Table, TargetRange,
};

/// A table whose bounds are enforced: all that a private fit sees of the data, through queries
/// only.
///
/// There is no way to read a record back: no getter, no `Debug`, `Clone`, `PartialEq` or
/// `Serialize`, which the tests in `tests/compile_fail` check.
///
/// # Privacy
///
/// Each record is mapped, as a function of itself and of declared numbers alone, to whole steps
/// of a public grid within its bound, and its target to [−1, 1] or the number of its class. So neighbouring
/// tables become neighbouring records, and what is proved for enforced records holds for
/// tables. The enforced record is used everywhere, in the margin as in the gradient. No record
/// is dropped, whatever it holds, so that replace-one neighbours keep the same number.
pub struct Records<'a> {
    /// In whole grid steps, each of which `f32` holds exactly. Shared with framed records.
    pub(super) features: Arc<Matrix<'a>>,
    /// Numbers in [−1, 1], or classes by their number from 0.
    pub(super) targets: Vec<f64>,
    /// How many classes there are; 0 if targets are numbers.
    pub(super) classes: u32,
    /// The bound that was enforced, and the grid.
    pub(super) clip: Clip,
    pub(super) adjacency: Adjacency,
    /// What each row counts for. Shared with framed and restricted records.
    pub(super) shares: Arc<Shares>,
    /// What is declared for the classes, as long as shares do not say it.
    class_weight: Option<ClassWeight>,
    /// Identifies the table among all sealed ones.
    number: u64,
}

impl<'a> Table<'a> {
    /// Enforces the bounds and seals the table.
    ///
    /// A numeric target is clipped to `range` and mapped to [−1, 1]: by its centre and half its
    /// width if `centred`, else divided by the larger end. A class becomes its number: of two, the
    /// second is 1, the first 0.
    pub fn enforce(
        self,
        rows: RecordBound,
        range: Option<TargetRange>,
        centred: bool,
        adjacency: Adjacency,
    ) -> Result<Records<'a>, EnforceError> {
        Ok(self.clip(rows, range, centred)?.seal(adjacency))
    }
}

impl Records<'_> {
    /// What a row counts for.
    #[inline]
    pub(super) fn share(&self, row: usize) -> Share {
        self.shares.of(row)
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
                Adjacency::ReplaceOne => Some(self.shares.units()),
                Adjacency::AddRemove => None,
            },
            unit_rows: self.shares.unit_rows(),
            whole: self.shares.are_whole(),
        }
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        question.over(self)
    }

    fn sum_of_batch(&self, question: &dyn BatchSum, members: &Members<'_>) -> WideSums {
        question.over(self, &self.shares.rows_of(members))
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        Box::new(Following::new(self, frame))
    }

    fn restricted_to(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        if columns.iter().copied().eq(0..self.features.width() as u32) {
            return Box::new(self);
        }
        Box::new(Records {
            features: Arc::new(restrict(&self.features, columns)),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            shares: Arc::clone(&self.shares),
            class_weight: self.class_weight.clone(),
            number: self.number,
        })
    }

    fn framed(&self, frame: TargetFrame) -> Box<dyn Population + '_> {
        assert_eq!(self.classes, 0, "the targets are classes");
        Box::new(Records {
            features: Arc::clone(&self.features),
            targets: self.targets.iter().map(|y| frame.apply(*y)).collect(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            shares: Arc::clone(&self.shares),
            class_weight: self.class_weight.clone(),
            number: self.number,
        })
    }

    fn columns_framed(&self, frames: &[Option<ColumnFrame>]) -> Box<dyn Population + '_> {
        Box::new(Records {
            features: Arc::new(self.features_in(frames)),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            shares: Arc::clone(&self.shares),
            class_weight: self.class_weight.clone(),
            number: self.number,
        })
    }

    fn tables(&self) -> Vec<SealedTable> {
        vec![SealedTable {
            number: self.number,
            rows: self.targets.len(),
            units: self.shares.units(),
        }]
    }

    fn class_weight(&self) -> Option<&ClassWeight> {
        self.class_weight.as_ref()
    }

    fn weighted(&self, weights: &[f64]) -> Box<dyn Population + '_> {
        Box::new(Records {
            features: Arc::clone(&self.features),
            targets: self.targets.clone(),
            classes: self.classes,
            clip: self.clip,
            adjacency: self.adjacency,
            shares: Arc::new(self.shares.weighted(&self.targets, weights)),
            class_weight: None,
            number: self.number,
        })
    }

    fn central(&self) -> Result<CentralRecords<'_>, NotCentral> {
        if self.shares.are_in_units() {
            return Err(NotCentral::InUnits);
        }
        match (self.shares.are_whole(), &self.class_weight) {
            (true, None) => Ok(CentralRecords::of(self)),
            _ => Err(NotCentral::Weighted),
        }
    }
}

impl<'a> ClippedTable<'a> {
    /// Seals the table: from here on, only queries come out.
    pub fn seal(self, adjacency: Adjacency) -> Records<'a> {
        let ClippedTable {
            features,
            targets,
            classes,
            clip,
            units,
            class_weight,
        } = self;
        static SEALED: AtomicU64 = AtomicU64::new(0);
        Records {
            features: Arc::new(features),
            shares: Arc::new(Shares::new(targets.len(), units.as_ref())),
            class_weight,
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
