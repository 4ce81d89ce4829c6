//! What is wrong with a schema, where, and what to do.

use std::path::{Path, PathBuf};

use super::VERSION;
use crate::features::FeatureMapError;
use crate::table::MOST_UNIT_ROWS;
use crate::table::read::ClassPatternError;

/// A schema that cannot be used: the file, the place, the reason, the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", prefix(file.as_deref(), *place))]
pub struct SchemaError {
    /// The file, if there is one.
    pub file: Option<PathBuf>,
    /// Line and column, from 1, if the schema was written in TOML.
    pub place: Option<(usize, usize)>,
    /// What is wrong.
    pub problem: SchemaProblem,
}

impl SchemaError {
    pub(super) fn in_file(self, path: &Path) -> Self {
        Self {
            file: Some(path.to_owned()),
            ..self
        }
    }
}

impl From<SchemaProblem> for SchemaError {
    fn from(problem: SchemaProblem) -> Self {
        Self {
            file: None,
            place: None,
            problem,
        }
    }
}

fn prefix(file: Option<&Path>, place: Option<(usize, usize)>) -> String {
    match (file, place) {
        (Some(file), Some((line, column))) => format!("{}:{line}:{column}: ", file.display()),
        (Some(file), None) => format!("{}: ", file.display()),
        (None, Some((line, column))) => format!("line {line}, column {column}: "),
        (None, None) => String::new(),
    }
}

/// Why a schema could not be read, and what to do.
fn unread(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
        _ => format!("the schema could not be read: {error}"),
    }
}

/// What is wrong with a schema. A schema is public: its words may be quoted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaProblem {
    /// The file could not be read.
    #[error("{}", unread(.0))]
    Io(#[source] std::io::Error),
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{0}")]
    Syntax(String),
    /// Another version.
    #[error("version {0} of schemas is not known; this program reads version {VERSION}")]
    Version(u32),
    /// Not a single character that can separate fields or mark comments.
    #[error(
        "{key} = {given:?} is not one ASCII character other than a quote, a letter, a digit or a \
         line end"
    )]
    Character {
        /// The key.
        key: &'static str,
        /// What it was set to.
        given: String,
    },
    /// One character with two meanings.
    #[error("comment and delimiter are the same character; choose another")]
    CommentDelimiter,
    /// Columns that are not described yet.
    #[error(
        "the schema is not finished: {} still to be filled in, from what is publicly known of any \
         such table, never from this one",
        listed(.0)
    )]
    Unfinished(Vec<String>),
    /// A column without a name.
    #[error("a column has an empty name, or blanks around it; fields are trimmed before use")]
    Name,
    /// Two columns of one name.
    #[error("column '{0}' is described twice; keep one of the two")]
    ColumnTwice(String),
    /// Two features of one name.
    #[error("two features would be called '{0}'; rename a column or a level")]
    FeatureTwice(String),
    /// A map of features that is none, or of other rows.
    #[error("{0}")]
    FeatureMap(FeatureMapError),
    /// A key of another kind of column.
    #[error("'{key}' does not belong to a column of kind {kind:?} ('{column}'); remove it")]
    Foreign {
        /// The column.
        column: String,
        /// Its kind.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// Not two finite numbers in order.
    #[error(
        "the {key} of column '{column}' must be two finite numbers, the lower first, as in \
         {key} = [0, 120]"
    )]
    Bounds {
        /// The column.
        column: String,
        /// `bounds` or `range`.
        key: &'static str,
    },
    /// Not two dates in order.
    #[error(
        "the bounds of column '{0}' must be two dates, the earlier first, as in \
         bounds = [\"1900-01-01\", \"2030-12-31\"]"
    )]
    DateBounds(String),
    /// A logarithmic scale that includes 0.
    #[error(
        "scale = \"log\" needs bounds above 0 in column '{0}', as in bounds = [1, 100000]; what is \
         below the lower one, zero included, is clipped to it"
    )]
    LogBounds(String),
    /// A feature that would never be 1.
    #[error(
        "'missing_indicator' of column '{0}' would never be set, as a missing value refuses the file; \
         remove it, or choose another 'missing'"
    )]
    Indicator(String),
    /// A level that is listed twice, or can never occur.
    #[error("level '{level}' of column '{column}' {reason}")]
    Level {
        /// The column.
        column: String,
        /// The level.
        level: String,
        /// What is wrong with it, and the remedy.
        reason: &'static str,
    },
    /// No such rule.
    #[error("'missing' of column '{column}' must be {allowed}")]
    Missing {
        /// The column.
        column: String,
        /// What is allowed.
        allowed: String,
    },
    /// Classes and range at once.
    #[error("target '{0}' has both classes and range; keep classes to classify, range for numbers")]
    TargetBoth(String),
    /// Classes that are not distinct or not valid.
    #[error("classes of target '{column}': {reason}")]
    Classes {
        /// The column.
        column: String,
        /// Why.
        reason: ClassPatternError,
    },
    /// Classes of several types.
    #[error(
        "classes of target '{0}': they must be all texts, all whole numbers or all truth values; put \
         quotes around each"
    )]
    MixedClasses(String),
    /// More than one target.
    #[error("'{first}' and '{second}' are both of kind \"target\"; a table has one")]
    TwoTargets {
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
    /// More than one column that says whose a row is.
    #[error("'{first}' and '{second}' both say whose a row is; a table has one unit")]
    TwoUnits {
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
    /// A column that is a feature or the target.
    #[error(
        "column '{0}' can not say whose a row is: it is a feature or the target; describe it with \
         kind = \"unit\" in the schema"
    )]
    UnitIsRead(String),
    /// No such column.
    #[error(
        "the schema has no column '{0}' to say whose a row is; describe it, with kind = \"unit\""
    )]
    NoUnit(String),
    /// Not a number of rows.
    #[error(
        "'rows' of column '{0}' must be how many rows of one person count: a whole number from 1 \
         to {MOST_UNIT_ROWS}"
    )]
    UnitRows(String),
    /// A mark on a column without declared values.
    #[error(
        "source = \"data\" does not belong to column '{0}', which declares nothing that could be \
         taken from the data; remove it"
    )]
    Source(String),
    /// No column that is a feature.
    #[error(
        "the schema has no feature: describe at least one column as \"numeric\", \"date\" or \
         \"categorical\""
    )]
    NoFeature,
    /// More features than columns can be numbered.
    #[error("the schema has more than 4294967295 features; list fewer levels")]
    TooWide,
}

fn listed(needs: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = needs[..needs.len().min(MOST)].join(", ");
    if needs.len() > MOST {
        text.push_str(&format!(" and {} more", needs.len() - MOST));
    }
    text.push_str(if needs.len() == 1 { " is" } else { " are" });
    text
}
