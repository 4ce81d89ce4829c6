//! Rows replaced by their features: a fixed, public map that comes before a linear model.
//!
//! # Privacy
//!
//! The features of a row are a function of that row and of public numbers, the description of the
//! map: what a row is mapped to depends on no other one. So tables that differ in one record, or in
//! the rows of one person, are mapped to tables that differ in the same one, and whose each row is
//! and what it counts for stay as they were. The bound is enforced after the map, on the features
//! ([`Table::clip`]), and every sensitivity follows from that bound alone: that a map keeps features
//! within a norm of 1 is welcome, and no guarantee rests on it.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::{Layout, RecordBound, Table};
use crate::features::{FeatureMap, FeatureMapError, PreparedMap, Scratch};
use crate::matrix::{Dense, Matrix, MatrixError};

/// The bound of rows of features where none is declared: no map exceeds it but by rounding.
pub(crate) const FEATURE_BOUND: RecordBound = RecordBound::L2(1.0);

/// Rows that are mapped together.
const ROWS: usize = 256;
/// The parts of all rows after which it is told how far the map is. How many rows there are may be private:
/// so the same shares are told whatever their number, and only the time between two of them depends on it.
const TENTHS: usize = 10;

/// Why rows have no features.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeaturesError {
    /// The description makes no sense, or is of rows of another length.
    #[error(transparent)]
    Map(#[from] FeatureMapError),
    /// More numbers than there is memory for. (It is not said how many: the number of rows may be
    /// private.)
    #[error(
        "{0} features of each row do not fit in memory; use a map with fewer features, or fewer rows"
    )]
    Memory(usize),
    /// The features are no matrix.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// Whoever watched stopped it.
    #[error("stopped while features were computed; nothing was spent")]
    Stopped,
}

/// Called with the share of the rows that are mapped: 0, 0.1, … and 1, each once. `Break` stops.
pub type MapProgress<'a> = &'a mut dyn FnMut(f64) -> ControlFlow<()>;

/// A map that is ready to run on the rows of a matrix.
pub(crate) struct RowMap {
    inputs: usize,
    prepared: PreparedMap,
}

/// What a thread maps rows with.
pub(crate) struct RowBuffer {
    row: Vec<f32>,
    scratch: Scratch,
}

impl RowMap {
    pub fn new(map: &FeatureMap) -> Result<Self, FeatureMapError> {
        Ok(Self {
            inputs: map.inputs(),
            prepared: map.prepare()?,
        })
    }

    /// How many features there are.
    pub fn outputs(&self) -> usize {
        self.prepared.outputs()
    }

    /// The map itself, for writers of other formats.
    pub fn prepared(&self) -> &PreparedMap {
        &self.prepared
    }

    pub fn buffer(&self) -> RowBuffer {
        RowBuffer {
            row: vec![0.0; self.inputs],
            scratch: self.prepared.scratch(),
        }
    }

    /// Writes the features of row `i` of a matrix, which is as wide as the map takes, to `out`.
    pub fn apply(&self, rows: &Matrix, i: usize, buffer: &mut RowBuffer, out: &mut [f32]) {
        let RowBuffer { row, scratch } = buffer;
        match rows {
            Matrix::Dense(dense) => self.prepared.apply(dense.row(i), scratch, out),
            Matrix::Sparse(_) => {
                row.fill(0.0);
                rows.for_row(i, |column, value| row[column] = value);
                self.prepared.apply(row, scratch, out);
            }
        }
    }

    /// The features of all rows, with the same bits on any number of threads: each row is mapped by
    /// itself. They are the one copy there is, which bounds are then enforced on in place.
    pub fn matrix(
        &self,
        rows: &Matrix,
        progress: MapProgress,
    ) -> Result<Matrix<'static>, FeaturesError> {
        let (count, width) = (rows.rows(), self.outputs());
        let memory = || FeaturesError::Memory(width);
        let size = count.checked_mul(width).ok_or_else(memory)?;
        // Refused here where it is too much; zeroed pages come for free below.
        let mut room = Vec::<f32>::new();
        room.try_reserve_exact(size).map_err(|_| memory())?;
        drop(room);
        let mut features = vec![0.0; size];
        let mut told = 0;
        let mut tell_until = |done: usize| {
            while told <= TENTHS && told * count <= TENTHS * done {
                let share = told as f64 / TENTHS as f64;
                told += 1;
                if progress(share).is_break() {
                    return Err(FeaturesError::Stopped);
                }
            }
            Ok(())
        };
        for (part, out) in features.chunks_mut(ROWS * width).enumerate() {
            let first = part * ROWS;
            tell_until(first)?;
            out.par_chunks_exact_mut(width).enumerate().for_each_init(
                || self.buffer(),
                |buffer, (i, out)| self.apply(rows, first + i, buffer, out),
            );
        }
        tell_until(count)?;
        Ok(Matrix::Dense(Dense::new(features, count, width)?))
    }
}

impl Table<'_> {
    /// The same records, each row replaced by its features: what is then [clipped](Table::clip) to a
    /// bound and sealed. The features are numbered from 0.
    ///
    /// ```
    /// # use reticent::matrix::{Dense, Matrix};
    /// # use reticent::table::{Layout, Target};
    /// use std::ops::ControlFlow;
    ///
    /// use reticent::features::{FeatureMap, RandomFourier};
    /// use reticent::privacy::Adjacency;
    /// use reticent::table::{RecordBound, Table};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let table = Table {
    /// #     features: Matrix::Dense(Dense::new(vec![1.0, 0.5, -0.5, -1.0], 2, 2)?),
    /// #     target: Target::Classes { class: vec![0, 1], names: vec!["no".into(), "yes".into()] },
    /// #     layout: Layout::Numbered { first: 1, width: 2 },
    /// #     assumed: Vec::new(),
    /// #     units: None,
    /// # };
    /// let map = FeatureMap::Fourier(RandomFourier::new(2, 500, 0));
    /// let records = table
    ///     .map_features(&map, &mut |_| ControlFlow::Continue(()))?
    ///     .enforce(RecordBound::L2(1.0), None, true, Adjacency::ReplaceOne)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn map_features(
        self,
        map: &FeatureMap,
        progress: MapProgress,
    ) -> Result<Table<'static>, FeaturesError> {
        map.check_columns(self.features.width())?;
        let map = RowMap::new(map)?;
        Ok(Table {
            features: map.matrix(&self.features, progress)?,
            target: self.target,
            layout: Layout::of_features(map.outputs()),
            assumed: self.assumed,
            units: self.units,
        })
    }
}

/// The map of a model, made ready when the first row is predicted: a file that is only read or
/// verified draws no weights.
#[derive(Clone, Default)]
pub(crate) struct LazyMap(OnceLock<Arc<RowMap>>);

impl LazyMap {
    /// The map of this description, which is always the same and was checked.
    ///
    /// # Panics
    ///
    /// If it was not checked.
    pub fn get(&self, map: &FeatureMap) -> &RowMap {
        self.0.get_or_init(|| {
            let ready = RowMap::new(map).expect("no model has a map that was not checked");
            Arc::new(ready)
        })
    }
}

/// It follows from its description, which stands beside it.
impl PartialEq for LazyMap {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for LazyMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyMap")
    }
}

#[cfg(test)]
mod tests;
