//! How many weights are asked for: a public number, or as many as the noise leaves no doubt about.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many weights a model may have, over all classes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nonzero {
    /// So many: a public number.
    Count(usize),
    /// As many as exceed their noise, on average at most one in ten of them by chance: found from
    /// what is released anyway.
    Auto,
}

impl Nonzero {
    /// What [`Auto`](Self::Auto) is called.
    pub const AUTO: &str = "auto";

    /// The number, if one is asked for.
    pub fn count(self) -> Option<usize> {
        match self {
            Self::Count(count) => Some(count),
            Self::Auto => None,
        }
    }
}

impl fmt::Display for Nonzero {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Auto => f.write_str(Self::AUTO),
        }
    }
}

/// In a file, a number or "auto".
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum InFile {
    Count(usize),
    Name(String),
}

impl Serialize for Nonzero {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let in_file = match self {
            Self::Count(count) => InFile::Count(*count),
            Self::Auto => InFile::Name(Self::AUTO.to_owned()),
        };
        in_file.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Nonzero {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match InFile::deserialize(deserializer)? {
            InFile::Count(count) => Ok(Self::Count(count)),
            InFile::Name(name) if name == Self::AUTO => Ok(Self::Auto),
            InFile::Name(_) => {
                let what = "nonzero is a whole number, or auto";
                Err(serde::de::Error::custom(what))
            }
        }
    }
}
