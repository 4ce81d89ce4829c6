//! Why a request can not be trained, told in the words of whoever asked.

use crate::privacy::OutOfRange;

/// How parameters are written where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// `--target-range`, `--method select`.
    Flags,
    /// `target_range`, `method='select'`.
    Arguments,
}

impl Voice {
    /// A parameter.
    pub(super) fn name(self, parameter: &str) -> String {
        match (self, parameter) {
            (Self::Flags, _) => format!("--{parameter}"),
            (Self::Arguments, "rows") => "row_bound".to_owned(),
            (Self::Arguments, _) => parameter.replace('-', "_"),
        }
    }

    /// A parameter with a number that was given.
    pub(super) fn value(self, parameter: &str, value: f64) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{parameter}={value}"),
        }
    }

    /// A parameter with a value.
    pub(super) fn set(self, parameter: &str, value: &str) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{}='{value}'", parameter.replace('-', "_")),
        }
    }

    /// A parameter with a number to choose.
    pub(super) fn number(self, parameter: &str, value: char) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{parameter}={value}"),
        }
    }

    /// No privacy.
    pub(super) fn open(self) -> &'static str {
        match self {
            Self::Flags => "--epsilon inf",
            Self::Arguments => "epsilon=float('inf')",
        }
    }
}

/// Why a request can not be trained.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// Parameters without a default that were not given.
    Missing {
        /// Which.
        what: String,
        /// How to choose each of them.
        remedies: Vec<&'static str>,
    },
    /// A value that can not be what it is declared as.
    Value(String),
    /// Parameters that can not all be meant.
    Conflict {
        /// What contradicts what.
        what: String,
        /// What to do about it.
        remedy: String,
    },
}

impl std::error::Error for Refused {}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing { what, remedies } => {
                f.write_str(what)?;
                remedies.iter().try_for_each(|how| write!(f, "\n  {how}"))
            }
            Self::Value(what) => f.write_str(what),
            Self::Conflict { what, remedy } => write!(f, "{what}; {remedy}"),
        }
    }
}

impl From<OutOfRange> for Refused {
    fn from(error: OutOfRange) -> Self {
        Self::Value(error.to_string())
    }
}

impl Refused {
    pub(super) fn conflict(what: String, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        Self::Conflict { what, remedy }
    }
}
