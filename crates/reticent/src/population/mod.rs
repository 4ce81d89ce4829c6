//! Sealed records, and the questions that they answer.

mod gradient;
mod groups;
mod lasso_count;
mod medians;
mod minimiser;
mod moments;
mod objective;
pub(crate) mod query;
mod records;
mod sum;
mod vertices;
mod votes;

pub use gradient::{About, Cap, ClassGradient, Gradient, SlopeGridError};
pub use groups::GroupScores;
pub use lasso_count::LassoCount;
pub use minimiser::{Minimiser, MinimiserError, RegularisedLoss};
pub use moments::{MomentsError, unpack_moments};
pub use objective::Objective;
pub use query::{Count, CountBoundsError, Query, Scores};
pub use records::Records;
pub use sum::{BoundedSum, SumError};
pub use vertices::VerticesError;
pub use votes::VotesError;
