//! A schema as it is written, in TOML or in a model file: only the structure, unchecked.

use serde::{Deserialize, Serialize};
use toml::value::Datetime;

use crate::features::DeclaredMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaFile {
    pub version: u32,
    #[serde(default = "yes")]
    pub header: bool,
    #[serde(default = "comma")]
    pub delimiter: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    #[serde(default = "empty_fields")]
    pub missing: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declared_after_look: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<DeclaredMap>,
    #[serde(rename = "column", default)]
    pub columns: Vec<ColumnFile>,
}

fn yes() -> bool {
    true
}

fn comma() -> String {
    ",".to_owned()
}

fn empty_fields() -> Vec<String> {
    vec![String::new()]
}

/// A column with the keys of every kind: which ones are allowed is checked later, where the message
/// can name the column.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnFile {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<KindFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Vec<EndFile>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<ClassFile>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingFile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_indicator: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceFile>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum KindFile {
    Numeric,
    Date,
    Categorical,
    Ignored,
    Unit,
    Target,
}

impl KindFile {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Date => "date",
            Self::Categorical => "categorical",
            Self::Ignored => "ignored",
            Self::Unit => "unit",
            Self::Target => "target",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or a text")]
pub(super) enum MissingFile {
    /// The name of a class.
    Truth(bool),
    Number(f64),
    Word(String),
    Date(Datetime),
}

/// An end of the bounds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number or a date")]
pub(super) enum EndFile {
    Number(f64),
    Text(String),
    Date(Datetime),
}

/// A class as it is declared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a text, a whole number or a truth value"
)]
pub(super) enum ClassFile {
    Truth(bool),
    Integer(i64),
    Text(String),
}

/// How a number becomes a position within its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ScaleFile {
    Linear,
    Log,
}

/// Where bounds, levels, classes or range come from, if not from public knowledge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SourceFile {
    Data,
}
