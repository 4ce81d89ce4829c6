//! The entries of a plan's summary, for a person and for a certificate.

use serde::{Deserialize, Serialize};

/// One public parameter of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanEntry {
    /// What it is called.
    pub name: &'static str,
    /// What it is.
    pub value: Value,
    /// Its meaning, in a few words.
    pub meaning: &'static str,
}

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number, which may be shortened for display.
    Number(f64),
    /// Anything else, as text.
    Text(String),
}

impl PlanEntry {
    /// An entry that is a number.
    pub fn number(name: &'static str, value: f64, meaning: &'static str) -> Self {
        let value = Value::Number(value);
        Self {
            name,
            value,
            meaning,
        }
    }

    /// The threshold of the Huber loss, which linear models minimise.
    pub(super) fn huber_threshold(threshold: f64) -> Self {
        let meaning = "of the loss; the target scaled to [−1, 1]";
        Self::number("huber-threshold", threshold, meaning)
    }

    /// An entry that is text.
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
    /// A method and the parameters of its plan.
    pub fn new(name: &str, summary: &[PlanEntry]) -> Self {
        let parameter = |line: &PlanEntry| Parameter {
            name: line.name.to_owned(),
            value: line.value.to_string(),
        };
        Self {
            name: name.to_owned(),
            parameters: summary.iter().map(parameter).collect(),
        }
    }
}
