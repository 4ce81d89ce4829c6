//! Tables: read from files or memory, through schemas, and clipped to declared bounds.
//!
//! Everything here is open: it is the user's own copy of the data.
//!
//! ```text
//! file ─ read ─> Table ─ clip ─> ClippedTable ─> (sealed: population)
//! ```

mod bound;
mod class_weight;
mod clip;
mod clipped;
mod features;
mod look;
mod public;
mod read;
mod schema;
mod units;

use crate::matrix::Matrix;

pub use bound::{EnforceError, RecordBound, TargetRange};
pub(crate) use bound::{MOST_RECORDS, clip_for};
pub use class_weight::ClassWeight;
pub(crate) use class_weight::share_of;
pub(crate) use clip::{Clip, grid_for};
pub use clipped::ClippedTable;
pub(crate) use features::{FEATURE_BOUND, LazyMap, RowBuffer, RowMap};
pub use features::{FeaturesError, MapProgress};
pub use look::{
    ColumnLook, FOR_THE_OWNER, Finding, LevelLook, Look, NumberedLook, NumbersLook, SAY_SO,
    Severity, look_numbered,
};
pub use public::PublicFeatures;
pub(crate) use read::Key;
#[cfg(feature = "parquet")]
pub use read::read_parquet;
pub use read::{
    AnyValue, ClassPattern, ClassPatternError, ColumnValues, Drafting, EncodeError, MOST_CLASSES,
    ReadError, ReadProblem, Reading, RowError, WantedTarget, draft, encode, has_names, look,
    look_columns, read, read_columns, read_csv, read_libsvm, read_vertices, units,
};
pub(crate) use schema::Position;
pub use schema::{
    Bounds, Column, Draft, DraftColumn, Kind, LabelType, MissingNumber, Proposal, Scale, Schema,
    SchemaError, SchemaProblem, TargetKind,
};
pub(crate) use units::WHOLE_SHARE;
pub use units::{MOST_UNIT_ROWS, MOST_UNIT_ROWS_OF_PRIVATE_NUMBER, ProtectedUnit, Units};

/// What a certificate lists as assumed public where its owner says that declarations were changed
/// after a look at the table.
pub const AFTER_LOOK: &str = "bounds declared after a look at the data";

/// A table in memory, before any bound is enforced. It is the user's own copy of the data:
/// nothing here is private or protected. [`Table::enforce`] makes [`Records`] of it, which are.
///
/// [`Records`]: crate::population::Records
#[derive(Debug, Clone, PartialEq)]
pub struct Table<'a> {
    /// One row per record.
    pub features: Matrix<'a>,
    /// What is to be predicted.
    pub target: Target,
    /// What the columns are.
    pub layout: Layout,
    /// Facts that were taken from the data instead of being declared, in words a regulator
    /// understands.
    pub assumed: Vec<String>,
    /// Whose each row is, where a unit such as a person is protected; `None` where it is the row.
    pub units: Option<Units>,
}

impl Table<'_> {
    /// How many units are protected: people, or rows.
    pub fn protected(&self) -> usize {
        self.units
            .as_ref()
            .map_or(self.features.rows(), Units::count)
    }
}

impl Table<'_> {
    /// Adds to what is assumed to be public, once.
    pub fn assume(&mut self, fact: &str) {
        if !self.assumed.iter().any(|known| known == fact) {
            self.assumed.push(fact.to_owned());
        }
    }
}

/// What is to be predicted, one per record.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// One of two or more classes.
    Classes {
        /// The class of each record by its number, from 0; of two, 1 is the positive one.
        class: Vec<u32>,
        /// Their names.
        names: Vec<String>,
    },
    /// A number, finite.
    Values(Vec<f64>),
    /// The file has none, which is enough for prediction.
    Absent,
}

/// What the columns of the feature matrix are.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Layout {
    /// Numbered, as in LIBSVM files.
    Numbered {
        /// What the first is called: 0 or 1.
        first: u32,
        /// How many there are.
        width: usize,
    },
    /// NamedChoice, and made from the columns of a table by a schema.
    Named(Schema),
}

impl Layout {
    /// That of features made by a map, which are numbered from 0.
    pub(crate) fn of_features(width: usize) -> Self {
        Self::Numbered { first: 0, width }
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        match self {
            Self::Numbered { width, .. } => *width,
            Self::Named(schema) => schema.features().len(),
        }
    }

    /// The name of feature `j`.
    pub fn name(&self, j: usize) -> String {
        match self {
            Self::Numbered { first, .. } => (j + *first as usize).to_string(),
            Self::Named(schema) => schema.features()[j].clone(),
        }
    }
}
