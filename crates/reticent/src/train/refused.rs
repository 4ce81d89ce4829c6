//! Why a request cannot be trained, in the caller's words.

use crate::fit::OptionError;
use crate::privacy::OutOfRange;

/// Why a request cannot be trained.
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
    /// A value that its parameter does not allow.
    Value(String),
    /// Parameters that contradict each other.
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

impl From<OptionError> for Refused {
    fn from(error: OptionError) -> Self {
        match error {
            OptionError::Value(what) => Self::Value(what),
            OptionError::Conflict { what, remedy } => Self::Conflict { what, remedy },
        }
    }
}

impl Refused {
    pub(super) fn conflict(what: String, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        Self::Conflict { what, remedy }
    }
}
