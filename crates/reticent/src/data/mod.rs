//! From files to queries: bounds are enforced here, and sensitivities follow from them.
//!
//! ```text
//! file ─ read ─> Table ─ enforce ─> Records ─ gradient ─> Gradient ─> Query ─> (mechanism)
//! ```

mod clip;
pub(crate) mod csc;
mod gradient;
mod groups;
mod held;
mod lasso_count;
mod matrix;
mod medians;
mod minimiser;
mod moments;
mod objective;
mod public;
pub(crate) mod query;
mod read;
mod records;
mod restrict;
mod schema;
mod sum;
mod table;
mod vertices;
mod votes;

pub(crate) use clip::Clip;
pub use gradient::{About, Cap, ClassGradient, Gradient, SlopeGridError, Vertex};
pub use groups::GroupScores;
pub use held::Held;
pub use lasso_count::LassoCount;
pub use matrix::{Csr, Dense, Matrix, MatrixError, Order};
pub use minimiser::{Minimiser, MinimiserError, RegularisedLoss};
pub use moments::{MomentsError, unpack_moments};
pub use objective::Objective;
pub use public::PublicFeatures;
pub use query::{Count, CountBoundsError, Query, Scores};
#[cfg(feature = "parquet")]
pub use read::read_parquet;
pub use read::{
    AnyValue, ClassPattern, ClassPatternError, ColumnValues, Drafting, EncodeError, MOST_CLASSES,
    ReadError, ReadProblem, Reading, RowError, Wanted, draft, encode, read, read_csv, read_libsvm,
};
pub(crate) use records::clip_for;
pub use records::{EnforceError, Records, TargetRange};
pub use schema::{
    Bounds, Column, Draft, DraftColumn, Kind, MissingNumber, Proposal, Schema, SchemaError,
    SchemaProblem, TargetKind,
};
pub use sum::{BoundedSum, RecordBound, SumError};
pub use table::{Layout, Table, Target};
pub use vertices::VerticesError;
pub use votes::VotesError;
