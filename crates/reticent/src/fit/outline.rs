//! What a plan says of itself, line by line: for a person and for a certificate.

use serde::{Deserialize, Serialize};

/// One public parameter of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub value: Value,
    /// What that means, in a few words.
    pub meaning: &'static str,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, which a person may be shown shortened.
    Number(f64),
    /// Anything else, as it is.
    Text(String),
}

impl Line {
    /// A line about a number.
    pub fn number(name: &'static str, value: f64, meaning: &'static str) -> Self {
        let value = Value::Number(value);
        Self {
            name,
            value,
            meaning,
        }
    }

    /// A line about anything else.
    pub fn text(name: &'static str, value: impl ToString, meaning: &'static str) -> Self {
        let value = Value::Text(value.to_string());
        Self {
            name,
            value,
            meaning,
        }
    }
}

/// Exact: a number reads back to the same bits.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// How a model was fitted, in public parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// Its name on the command line.
    pub name: String,
    /// Its parameters, as a person would write them.
    pub parameters: Vec<Parameter>,
}

/// A public parameter of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// What it is called.
    pub name: String,
    /// What it is.
    pub value: String,
}

impl Method {
    /// A method and what its plan says of itself.
    pub fn new(name: &str, outline: &[Line]) -> Self {
        let parameter = |line: &Line| Parameter {
            name: line.name.to_owned(),
            value: line.value.to_string(),
        };
        Self {
            name: name.to_owned(),
            parameters: outline.iter().map(parameter).collect(),
        }
    }
}
