//! Schemas: what the named columns of a table mean, declared in TOML.
//!
//! A schema holds only public facts: what any such table may contain, never what this one contains.
//! Numbers and dates are mapped to [−1, 1] by their declared bounds, categorical columns become one
//! feature per declared level and one for everything else. Bounds or levels that were nevertheless
//! taken from the data are marked, and the certificate says so.
//!
//! ```
//! use reticent::table::Schema;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let schema = Schema::from_toml(
//!     r#"
//!     version = 1
//!
//!     [[column]]
//!     name = "age"
//!     kind = "numeric"
//!     bounds = [0, 120]
//!
//!     [[column]]
//!     name = "smoker"
//!     kind = "categorical"
//!     levels = ["yes", "no"]
//!
//!     [[column]]
//!     name = "ill"
//!     kind = "target"
//!     classes = ["0", "1"]
//!     "#,
//! )?;
//! assert_eq!(schema.features(), ["age", "smoker=yes", "smoker=no", "smoker=other"]);
//! assert_eq!(schema.encode(&["90", "no", "1"])?, [(0, 0.5), (2, 1.0)]);
//! # Ok(())
//! # }
//! ```

mod bounds;
mod check;
mod error;
mod file;
mod labels;
mod missing;
mod plain;
mod position;
mod template;
#[cfg(test)]
mod tests;
mod write;

use std::num::NonZeroU32;
use std::path::Path;

use serde::{Deserialize, Serialize};

pub use bounds::Bounds;
pub use error::{SchemaError, SchemaProblem};
pub use labels::LabelType;
pub use missing::MissingNumber;
pub(crate) use position::Position;
pub use position::Scale;
pub(super) use template::MISSING;
pub use template::{Draft, DraftColumn, Proposal};

use super::read::{ClassPattern, Encoder, OTHER, RowError};
use super::{AFTER_LOOK, ProtectedUnit};
use crate::features::DeclaredMap;
use file::SchemaFile;

/// The version of the format that is written, and the only one that is read.
const VERSION: u32 = 1;

/// What the columns of a table are and how they become features: declared, public, checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SchemaFile", into = "SchemaFile")]
pub struct Schema {
    header: bool,
    delimiter: u8,
    comment: Option<u8>,
    missing: Vec<String>,
    declared_after_look: bool,
    map: Option<DeclaredMap>,
    columns: Vec<Column>,
    /// Follows from the columns.
    features: Vec<String>,
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What it is called, in the header and in the names of its features.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Whether its bounds, levels, classes or range were taken from the data.
    pub from_data: bool,
}

impl Column {
    /// The names of its features.
    fn features(&self) -> Vec<String> {
        let name = &self.name;
        match &self.kind {
            Kind::Numeric { indicator, .. } | Kind::Date { indicator, .. } => {
                let missing = indicator.then(|| format!("{name} is missing"));
                [name.clone()].into_iter().chain(missing).collect()
            }
            Kind::Categorical { levels } => {
                let levels = levels.iter().map(String::as_str).chain([OTHER]);
                levels.map(|level| format!("{name}={level}")).collect()
            }
            Kind::Ignored | Kind::Unit { .. } | Kind::Target(_) => Vec::new(),
        }
    }
}

/// What a column is.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A number, mapped to [−1, 1].
    Numeric {
        /// What any such table can hold; anything beyond is clipped.
        bounds: Bounds,
        /// How: of [`Scale::Log`] the bounds are above 0.
        scale: Scale,
        /// What stands for a missing number.
        missing: MissingNumber,
        /// Whether a further feature is 1 where it is missing, and 0 elsewhere.
        indicator: bool,
    },
    /// A day of the calendar, mapped to [−1, 1].
    Date {
        /// As days since 1970-01-01; anything beyond is clipped.
        bounds: Bounds,
        /// What stands for a missing date; a value is a number of days, too.
        missing: MissingNumber,
        /// Whether a further feature is 1 where it is missing, and 0 elsewhere.
        indicator: bool,
    },
    /// One of some texts: one feature for each, and one for all others.
    Categorical {
        /// The texts.
        levels: Vec<String>,
    },
    /// Not read at all.
    Ignored,
    /// Whose a row is: the rows of one person are protected together. Not needed to predict.
    Unit {
        /// How many rows of one person count.
        rows: NonZeroU32,
    },
    /// What is to be predicted.
    Target(TargetKind),
}

/// What the target is.
#[derive(Debug, Clone, PartialEq)]
pub enum TargetKind {
    /// One of two or more classes.
    Classes {
        /// As they are written: `label`, `a|b|c`, `*` or `name=…`.
        written: Vec<String>,
        /// Whether they were written as texts, whole numbers or truth values.
        label_type: LabelType,
        /// As they are understood.
        patterns: Vec<ClassPattern>,
        /// The number, from 0, of the class that stands for a missing label; if `None`, the
        /// file is refused.
        missing: Option<usize>,
    },
    /// A number.
    Range {
        /// What any such table can hold; anything beyond is clipped.
        range: Bounds,
        /// The number that stands for a missing one; if `None`, the file is refused.
        missing: Option<f64>,
    },
}

impl Schema {
    /// Reads a schema from TOML. An error states line, column, reason and remedy.
    pub fn from_toml(text: &str) -> Result<Self, SchemaError> {
        check::from_toml(text)
    }

    /// Reads a schema from a TOML file.
    pub fn open(path: &Path) -> Result<Self, SchemaError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| SchemaError::from(SchemaProblem::Io(error)).in_file(path))?;
        Self::from_toml(&text).map_err(|error| error.in_file(path))
    }

    /// The schema in TOML; [`from_toml`](Self::from_toml) reads it back as the same.
    pub fn to_toml(&self) -> String {
        // A struct of strings, numbers and lists always has a form in TOML.
        toml::to_string(self).unwrap_or_default()
    }

    /// The names of the features, in the order of the matrix: `age`, `workclass=Private`,
    /// `workclass=other`.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        self.features.len()
    }

    /// The map that a model's rows go through, if one is declared: from these features to its own.
    pub fn feature_map(&self) -> Option<&DeclaredMap> {
        self.map.as_ref()
    }

    /// The columns, in the order of a file without header.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// What is to be predicted, and the column's place among [`columns`](Self::columns).
    pub fn target(&self) -> Option<(usize, &TargetKind)> {
        self.columns
            .iter()
            .enumerate()
            .find_map(|(at, column)| match &column.kind {
                Kind::Target(kind) => Some((at, kind)),
                _ => None,
            })
    }

    /// The declared range of a numeric target.
    pub fn target_range(&self) -> Option<Bounds> {
        match self.target() {
            Some((_, TargetKind::Range { range, .. })) => Some(*range),
            _ => None,
        }
    }

    /// The declared classes of the target.
    pub fn classes(&self) -> Option<&[ClassPattern]> {
        match self.target() {
            Some((_, TargetKind::Classes { patterns, .. })) => Some(patterns),
            _ => None,
        }
    }

    /// What the declared classes were written as, if there are any.
    pub fn label_type(&self) -> Option<LabelType> {
        match self.target() {
            Some((_, TargetKind::Classes { label_type, .. })) => Some(*label_type),
            _ => None,
        }
    }

    /// What is protected, if a column says whose a row is, and the place of that column.
    pub fn unit(&self) -> Option<(usize, ProtectedUnit)> {
        let unit = |(at, column): (usize, &Column)| match column.kind {
            Kind::Unit { rows } => {
                let column = Some(column.name.clone());
                Some((at, ProtectedUnit { column, rows }))
            }
            _ => None,
        };
        self.columns.iter().enumerate().find_map(unit)
    }

    /// The same schema, in which a column that was ignored says whose a row is. Where a number of rows
    /// is not given, it is that of the column or the default.
    pub fn with_unit(mut self, name: &str, rows: Option<NonZeroU32>) -> Result<Self, SchemaError> {
        if let Some((_, first)) = self.unit()
            && first.column.as_deref() != Some(name)
        {
            let (first, second) = (first.column.unwrap_or_default(), name.to_owned());
            return Err(SchemaProblem::TwoUnits { first, second }.into());
        }
        let named = self.columns.iter_mut().find(|column| column.name == name);
        match named {
            Some(column) => {
                let declared = match column.kind {
                    Kind::Ignored => ProtectedUnit::ROWS,
                    Kind::Unit { rows } => rows,
                    _ => return Err(SchemaProblem::UnitIsRead(name.to_owned()).into()),
                };
                let rows = rows.unwrap_or(declared);
                column.kind = Kind::Unit { rows };
                Ok(self)
            }
            None => Err(SchemaProblem::NoUnit(name.to_owned()).into()),
        }
    }

    /// The same schema for tables of which nothing has to be protected, such as rows to predict: whose
    /// a row is does not matter there.
    pub fn without_unit(mut self) -> Self {
        for column in &mut self.columns {
            if matches!(column.kind, Kind::Unit { .. }) {
                column.kind = Kind::Ignored;
            }
        }
        self
    }

    /// Whether the first line of a text file holds the names.
    pub fn header(&self) -> bool {
        self.header
    }

    /// What separates the fields of a text file.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// What comment lines of a text file start with.
    pub fn comment(&self) -> Option<u8> {
        self.comment
    }

    /// The texts that mean "missing".
    pub fn missing(&self) -> &[String] {
        &self.missing
    }

    /// Whether its owner says that it was changed after a look at the data.
    pub fn declared_after_look(&self) -> bool {
        self.declared_after_look
    }

    /// What it makes a certificate list as assumed public.
    pub(super) fn assumed(&self) -> Vec<String> {
        let mut assumed = self.not_private();
        if self.declared_after_look {
            assumed.push(AFTER_LOOK.to_owned());
        }
        assumed
    }

    /// What was taken from the data and is therefore not covered by any guarantee, one sentence
    /// each, for the certificate.
    pub fn not_private(&self) -> Vec<String> {
        let marked = self.columns.iter().filter(|column| column.from_data);
        marked
            .map(|column| {
                let (what, verb) = match &column.kind {
                    Kind::Categorical { .. } => ("levels", "were"),
                    Kind::Target(TargetKind::Classes { .. }) => ("classes", "were"),
                    Kind::Target(TargetKind::Range { .. }) => ("range", "was"),
                    Kind::Numeric { .. }
                    | Kind::Date { .. }
                    | Kind::Ignored
                    | Kind::Unit { .. } => ("bounds", "were"),
                };
                format!(
                    "the {what} of column '{}' {verb} taken from the data",
                    column.name
                )
            })
            .collect()
    }

    /// The same columns as they are summarised: on linear scales, which are the units of a count, a
    /// mean or a quantile, and without features for missing values.
    pub fn for_summary(&self) -> Self {
        let mut schema = self.clone();
        for column in &mut schema.columns {
            match &mut column.kind {
                Kind::Numeric {
                    bounds,
                    scale,
                    missing,
                    indicator,
                } => {
                    if (*scale, *missing) == (Scale::Log, MissingNumber::Middle) {
                        // Where a fit puts it: the middle by ratios.
                        *missing = MissingNumber::Value((bounds.low() * bounds.high()).sqrt());
                    }
                    (*scale, *indicator) = (Scale::Linear, false);
                }
                Kind::Date { indicator, .. } => *indicator = false,
                Kind::Categorical { .. } | Kind::Ignored | Kind::Unit { .. } | Kind::Target(_) => {}
            }
        }
        schema.features = schema.columns.iter().flat_map(Column::features).collect();
        schema
    }

    /// The features of one record, zeros left out: the place and value of each, as a model sees them
    /// before rows are clipped to their bound. The fields are in the order of
    /// [`columns`](Self::columns); the target's is not read. ([`encode`](super::encode) does the
    /// same for a table in memory.)
    ///
    /// This is the view of those who own the records, and of those who predict: a record in another
    /// form, not private and not protected.
    pub fn encode(&self, fields: &[&str]) -> Result<Vec<(u32, f32)>, RowError> {
        Encoder::in_order(self).row(fields)
    }
}
