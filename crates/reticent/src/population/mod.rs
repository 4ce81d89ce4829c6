//! Sealed records, wherever they are stored, and the questions that they answer.
//!
//! ```text
//! fit ──question (public data)──> population
//!     <──query (integers on a public grid, with their sensitivity)──┘
//! ```
//!
//! A fit asks a [`Population`] and does not know where its records are. There are two: [`Records`]
//! in memory, and [`Parts`], a list of populations whose sums are added.
//!
//! *A question* is a file: a struct of public numbers, the sum that it takes over records in one
//! place (an integer vector), what is computed from the sum over all of them inside this module,
//! the sensitivity, from bounds alone, and its proof. Integers add up to the same bits however they
//! are grouped, so a question has one answer and one sensitivity however records are split.
//!
//! | question | answer | file |
//! |---|---|---|
//! | [`Gradient`] | the gradient of a loss at released weights, for a model that moves step by step | `gradient/` |
//! | [`BatchGradient`] | the same over a secret batch, each record's gradient clipped as one vector | `gradient/batch/` |
//! | [`Moments`] | second moments, records capped in length | `question/moments.rs` |
//! | [`Histograms`] | how many records have which target, value of a feature or level | `question/histogram.rs` |
//! | [`FramedSums`] | sums of targets and features, each clipped to a released frame | `question/framed_sums.rs` |
//! | [`Directions`] | the sum of unit rows | `question/directions.rs` |
//! | [`ClassCounts`] | how many records each class has | `question/class_counts.rs` |
//! | [`MarginHistogram`] | how many records have which margin | `question/margins.rs` |
//! | [`MarginSums`], [`ClassCalibration`] | what probabilities are fitted to | `question/margin_sums.rs`, `question/class_calibration.rs` |
//! | [`LossChanges`] | how the loss changes along a line | `question/loss_changes.rs` |
//! | [`Lengths`], [`Residuals`] | which level is nearest to a median | `question/medians.rs` |
//!
//! *What is not a sum* (blocks that vote, the weights that a LASSO needs, a minimiser, objective
//! perturbation) needs all records in one place ([`CentralRecords`]), and is refused otherwise.
//!
//! Only this module can make a query, because the constructors are private to it, and only
//! `mechanism` can open one, because that takes a key that only it can make.

mod batch;
mod central;
mod column_frame;
mod gradient;
mod groups;
mod parts;
pub(crate) mod query;
mod question;
mod records;
mod shape;
mod shares;
mod sum;
mod target_frame;
#[cfg(test)]
mod tests;
mod vertices;

use std::sync::Arc;

use crate::table::ClassWeight;
pub(crate) use batch::Batch;
pub use batch::BatchQuery;
use batch::{BatchSum, Members, WideSums};
pub use central::{
    CentralRecords, LassoCount, Minimiser, MinimiserError, NotCentral, Objective, RegularisedLoss,
    VotesError,
};
pub use column_frame::ColumnFrame;
pub use gradient::{
    BatchGradient, Gradient, Length, Point, RecordClip, RowFrame, SCALE_STEPS, SlopeGridError,
    Slopes, slope_grid,
};
use gradient::{Follow, Frame};
pub use groups::GroupScores;
use parts::SealedTable;
pub use parts::{Parts, PartsError};
pub use query::{Count, CountBoundsError, Query, Scores};
pub use question::{
    CellTerms, ClassCalibration, ClassCounts, Counted, Directions, FramedSums, FramedValue,
    Histograms, Lengths, LossChanges, MarginHistogram, MarginSums, Moments, MomentsError,
    ReleasedFunctions, Residuals,
};
use question::{LocalSum, Sums};
pub use records::Records;
pub use shape::Shape;
pub use sum::{BoundedSum, SumError};
pub use target_frame::TargetFrame;
pub use vertices::VerticesError;

/// Anything that can answer questions about sealed records.
///
/// What goes in is public, what comes out is sealed: the types of the sums have no name outside
/// this module, so that no other code can implement a population or look into one.
pub trait Population: Sync {
    /// What is public about the records.
    fn shape(&self) -> Shape;

    /// The sum of a question over all records.
    fn sum(&self, question: &dyn LocalSum) -> Sums;

    /// The sum of a question over some of the units.
    fn sum_of_batch(&self, question: &dyn BatchSum, members: &Members<'_>) -> WideSums;

    /// Follows a gradient along a path of released steps: the incremental state is kept where the
    /// records are.
    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_>;

    /// The same records with these columns only.
    ///
    /// # Privacy
    ///
    /// Dropping columns is a function of the row alone, and does not lengthen it in any norm: what is
    /// left keeps its bound, its grid and its seal. The caller is responsible for *which* columns:
    /// they are public, or were released and charged.
    ///
    /// # Panics
    ///
    /// If the columns do not increase, or one lies beyond the last.
    fn restricted_to(&self, columns: &[u32]) -> Box<dyn Population + '_>;

    /// The same records with their targets inside a frame.
    ///
    /// # Privacy
    ///
    /// Each target is mapped by a function of itself and of the [frame](TargetFrame), which is
    /// public or was released and charged. Rows are shared, not copied.
    ///
    /// # Panics
    ///
    /// If targets are classes.
    fn framed(&self, frame: TargetFrame) -> Box<dyn Population + '_>;

    /// The same records with their columns inside frames, if they have one.
    ///
    /// # Privacy
    ///
    /// Each entry is mapped by a function of itself and of the [frame](ColumnFrame) of its column,
    /// which is public or was released and charged, and keeps its bound and its grid.
    ///
    /// # Panics
    ///
    /// If rows are bounded in ℓ₂, or there is not one place per column.
    fn columns_framed(&self, frames: &[Option<ColumnFrame>]) -> Box<dyn Population + '_>;

    /// How much records are to count for by their class, if they are not to count alike and do so yet.
    fn class_weight(&self) -> Option<&ClassWeight>;

    /// The same records, each counting for its share times the weight of its class.
    ///
    /// # Privacy
    ///
    /// Weights are at most 1, and are public or were released and charged: a record adds no more
    /// than before, whatever is asked.
    fn weighted(&self, weights: &[f64]) -> Box<dyn Population + '_>;

    /// The sealed tables that it is made of, so that none is used for two parts.
    fn tables(&self) -> Vec<SealedTable>;

    /// The records, if they are in one place: for questions whose answers are not sums.
    fn central(&self) -> Result<CentralRecords<'_>, NotCentral>;
}

/// All columns need no copy: a borrowed population answers as its owner does.
impl<P: Population + ?Sized> Population for &P {
    fn shape(&self) -> Shape {
        (**self).shape()
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        (**self).sum(question)
    }

    fn sum_of_batch(&self, question: &dyn BatchSum, members: &Members<'_>) -> WideSums {
        (**self).sum_of_batch(question, members)
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        (**self).follow(frame)
    }

    fn restricted_to(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        (**self).restricted_to(columns)
    }

    fn framed(&self, frame: TargetFrame) -> Box<dyn Population + '_> {
        (**self).framed(frame)
    }

    fn columns_framed(&self, frames: &[Option<ColumnFrame>]) -> Box<dyn Population + '_> {
        (**self).columns_framed(frames)
    }

    fn class_weight(&self) -> Option<&ClassWeight> {
        (**self).class_weight()
    }

    fn weighted(&self, weights: &[f64]) -> Box<dyn Population + '_> {
        (**self).weighted(weights)
    }

    fn tables(&self) -> Vec<SealedTable> {
        (**self).tables()
    }

    fn central(&self) -> Result<CentralRecords<'_>, NotCentral> {
        (**self).central()
    }
}
