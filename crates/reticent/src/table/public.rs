//! Public rows: features that hold nothing of the private records.

use super::bound::{EnforceError, RecordBound, clip_for};
use crate::matrix::{Matrix, restrict};

/// Rows of features that may be read by anyone: generated, or from a public file.
///
/// They must not depend on the private records except through what was released. Nothing here is
/// protected.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicFeatures {
    /// In whole steps of `unit`.
    features: Matrix<'static>,
    unit: f64,
}

impl PublicFeatures {
    /// Rows clipped to a bound in the same way as private records, so that both mean the same.
    pub fn enforced(
        mut features: Matrix<'static>,
        bound: RecordBound,
    ) -> Result<Self, EnforceError> {
        let clip = clip_for(bound)?;
        clip.rows(&mut features);
        let unit = clip.grid.step();
        Ok(Self { features, unit })
    }

    /// The columns of `support` alone, which is in increasing order.
    pub fn restricted(&self, support: &[u32]) -> Self {
        Self {
            features: restrict(&self.features, support),
            unit: self.unit,
        }
    }

    /// The features in whole steps of [`unit`](Self::unit).
    pub fn features(&self) -> &Matrix<'static> {
        &self.features
    }

    /// What an entry of 1 stands for.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The real rows one after the other, each followed by a 1 if `ones`.
    pub(crate) fn dense(&self, ones: bool) -> Vec<f64> {
        let width = self.features.width() + usize::from(ones);
        let mut values = vec![0.0; self.features.rows() * width];
        for (i, row) in values.chunks_exact_mut(width.max(1)).enumerate() {
            self.features
                .for_row(i, |j, x| row[j] = f64::from(x) * self.unit);
            if ones {
                row[width - 1] = 1.0;
            }
        }
        values
    }
}
