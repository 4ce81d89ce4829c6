//! A table clipped to its bounds, still open: for fits without privacy, and before it is sealed.

use super::bound::{EnforceError, MOST_RECORDS, RecordBound, TargetRange, clip_for, mapped};
use super::{ClassWeight, Clip, Table, Units};
use crate::matrix::Matrix;

/// A table whose rows and targets are clipped to declared bounds, but which can still be read: a
/// model without privacy is fitted on it, so that it gets the same numbers as a private one.
pub struct ClippedTable<'a> {
    /// In whole grid steps.
    pub(crate) features: Matrix<'a>,
    pub(crate) targets: Vec<f64>,
    pub(crate) classes: u32,
    pub(crate) clip: Clip,
    pub(crate) units: Option<Units>,
    pub(crate) class_weight: Option<ClassWeight>,
}

impl<'a> Table<'a> {
    /// Clips rows and targets to their bounds, as [`enforce`](Self::enforce) does, and leaves them
    /// open.
    pub fn clip(
        self,
        rows: RecordBound,
        range: Option<TargetRange>,
        centred: bool,
    ) -> Result<ClippedTable<'a>, EnforceError> {
        let clip = clip_for(rows)?;
        let (targets, classes) = mapped(self.target, range, centred)?;
        let units = self.units;
        let differs = |units: &Units| units.rows() != targets.len();
        if targets.len() != self.features.rows() || units.as_ref().is_some_and(differs) {
            return Err(EnforceError::Shape);
        }
        if targets.len() > MOST_RECORDS {
            return Err(EnforceError::TooManyRows);
        }
        let mut features = self.features;
        clip.rows(&mut features);
        Ok(ClippedTable {
            features,
            targets,
            classes,
            clip,
            units,
            class_weight: None,
        })
    }
}

impl<'a> ClippedTable<'a> {
    /// The same table, of which records count for as much as is declared for their class: once a fit
    /// has released the class counts.
    pub fn weighted(self, class_weight: ClassWeight) -> Result<Self, EnforceError> {
        if !class_weight.fits(self.classes as usize) {
            return Err(EnforceError::ClassWeights(self.classes));
        }
        Ok(Self {
            class_weight: Some(class_weight),
            ..self
        })
    }

    /// The rows in whole steps of [`unit`](Self::unit).
    pub fn features(&self) -> &Matrix<'a> {
        &self.features
    }

    /// What an entry of 1 stands for.
    pub fn unit(&self) -> f64 {
        self.clip.grid.step()
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
