//! Sealed records, wherever they are, and the questions that they answer.
//!
//! ```text
//! fit ──question (public data)──> population
//!     <──query (integers on a public grid, with their sensitivity)──┘
//! ```
//!
//! A fit asks a [`Population`] and does not know where its records are. Two are there: [`Records`] in
//! memory, and [`Parts`], a list of populations whose sums are added.
//!
//! *A question* is a file: a struct of public numbers, the sum that it takes over records in one
//! place (an integer vector), what is finished on the sum over all of them inside this room, the
//! sensitivity, from bounds alone, and its proof. Integers add up to the same bits in whatever parts
//! they come, so a question has one answer and one sensitivity however records are split.
//!
//! | question | answer | file |
//! |---|---|---|
//! | [`Gradient`] | the gradient of a loss at released weights, for a model that moves | `gradient/` |
//! | [`Moments`] | second moments, records capped in length | `question/moments.rs` |
//! | [`Directions`] | where rows point: the sum of unit rows | `question/directions.rs` |
//! | [`Lengths`], [`Residuals`] | which level is nearest to a median | `question/medians.rs` |
//!
//! *What is not a sum* (blocks that vote, the weights that a LASSO needs, a minimiser, objective
//! perturbation) takes records that are in [`OnePlace`], and is refused where they are not.
//!
//! Only this room can make a query, because its constructors are private to it, and only `mechanism`
//! can open one, because that takes a key which only it can make.

mod gradient;
mod groups;
mod parts;
pub(crate) mod query;
mod question;
mod records;
mod shape;
mod sum;
#[cfg(test)]
mod tests;
mod vertices;
mod whole;

use std::sync::Arc;

use gradient::{Follow, Frame};
pub use gradient::{Gradient, Length, RowFrame, SlopeGridError, Slopes, slope_grid};
pub use groups::GroupScores;
use parts::SealedTable;
pub use parts::{Parts, PartsError};
pub use query::{Count, CountBoundsError, Query, Scores};
pub use question::{Directions, Lengths, Moments, MomentsError, Residuals};
use question::{LocalSum, Sums};
pub use records::Records;
pub use shape::Shape;
pub use sum::{BoundedSum, SumError};
pub use vertices::VerticesError;
pub use whole::{
    InParts, LassoCount, Minimiser, MinimiserError, Objective, OnePlace, RegularisedLoss,
    VotesError,
};

/// Whatever can answer questions about sealed records.
///
/// What goes in is public, what comes out is shut: the types of the sums have no name outside this
/// room, so that nobody else can be a population or look into one.
pub trait Population: Sync {
    /// What is public of the records.
    fn shape(&self) -> Shape;

    /// The sum of a question over all records.
    fn sum(&self, question: &dyn LocalSum) -> Sums;

    /// Follows a gradient along a path of released steps: what makes it incremental is kept where the
    /// records are.
    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_>;

    /// The same records with these columns only.
    ///
    /// # Privacy
    ///
    /// Dropping columns is a function of the row alone, and does not lengthen it in any norm: what is
    /// left keeps its bound, its grid and its seal. *Which* columns is the caller's to answer for:
    /// they are public, or were released and charged.
    ///
    /// # Panics
    ///
    /// If the columns do not increase, or one lies beyond the last.
    fn on(&self, columns: &[u32]) -> Box<dyn Population + '_>;

    /// The sealed tables that it is made of, so that none is taken for two parts.
    fn tables(&self) -> Vec<SealedTable>;

    /// The records, if they are in one place: for questions whose answers are not sums.
    fn in_one_place(&self) -> Result<OnePlace<'_>, InParts>;
}

/// All columns need no copy: what is borrowed answers as its owner does.
impl<P: Population + ?Sized> Population for &P {
    fn shape(&self) -> Shape {
        (**self).shape()
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        (**self).sum(question)
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        (**self).follow(frame)
    }

    fn on(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        (**self).on(columns)
    }

    fn tables(&self) -> Vec<SealedTable> {
        (**self).tables()
    }

    fn in_one_place(&self) -> Result<OnePlace<'_>, InParts> {
        (**self).in_one_place()
    }
}
