//! A table held to its bounds, still open: for fits without privacy, and on the way to records.

use super::clip::Clip;
use super::matrix::Matrix;
use super::records::{EnforceError, MOST_RECORDS, Records, TargetRange, clip_for, mapped};
use super::sum::RecordBound;
use super::table::Table;
use crate::privacy::Adjacency;
use crate::solve::Design;

/// A table whose rows and targets are held to declared bounds, but which can still be read:
/// what a model without privacy is fitted on, so that the two see the same numbers.
pub struct Held<'a> {
    /// In whole grid steps.
    features: Matrix<'a>,
    targets: Vec<f64>,
    classes: u32,
    clip: Clip,
}

impl<'a> Table<'a> {
    /// Holds rows and targets to their bounds, as [`enforce`](Self::enforce) does, and leaves
    /// them open.
    pub fn hold(
        self,
        rows: RecordBound,
        range: Option<TargetRange>,
        centred: bool,
    ) -> Result<Held<'a>, EnforceError> {
        let clip = clip_for(rows)?;
        let (targets, classes) = mapped(self.target, range, centred)?;
        if targets.len() != self.features.rows() {
            return Err(EnforceError::Shape);
        }
        if targets.len() > MOST_RECORDS {
            return Err(EnforceError::TooManyRows);
        }
        let mut features = self.features;
        features.clip_rows(&clip);
        Ok(Held {
            features,
            targets,
            classes,
            clip,
        })
    }
}

impl<'a> Held<'a> {
    /// Shuts the table: from here on, only queries leave.
    pub fn shut(self, adjacency: Adjacency) -> Records<'a> {
        Records {
            features: self.features,
            targets: self.targets,
            classes: self.classes,
            clip: self.clip,
            adjacency,
        }
    }

    /// The rows.
    pub fn design(&self) -> Design<'_> {
        Design {
            features: &self.features,
            unit: self.clip.grid.step(),
        }
    }

    /// The rows as real numbers: a copy.
    pub fn real(&self) -> Matrix<'a> {
        let mut features = self.features.clone();
        // A step is a power of two: whole steps times it are exact.
        features.scale(self.clip.grid.step() as f32);
        features
    }

    /// Numbers in [−1, 1], or classes by their number from 0.
    pub fn targets(&self) -> &[f64] {
        &self.targets
    }

    /// How many classes there are; 0 if targets are numbers.
    pub fn classes(&self) -> u32 {
        self.classes
    }
}
