//! What the table of a fit was called and typed beside what the model needs: the names of columns
//! that have no schema, and the type of labels in memory. Whoever loads a model finds both again.

use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::{Model, ModelError, Outcome};
use crate::table::Layout;

/// The names of the types that labels in memory may have: those of NumPy.
const LABEL_TYPES: [&str; 14] = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "str", "object",
];

/// The type that labels have in memory; in a file all of them are texts. `object` is texts that
/// are held as objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LabelType(&'static str);

impl LabelType {
    /// Its name in NumPy.
    pub fn name(self) -> &'static str {
        self.0
    }
}

impl FromStr for LabelType {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = LABEL_TYPES.into_iter().find(|known| *known == name);
        known.map(Self).ok_or_else(|| {
            let known = LABEL_TYPES.join(", ");
            format!("labels have no such type; it must be one of {known}")
        })
    }
}

impl Serialize for LabelType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for LabelType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(Error::custom)
    }
}

/// What a fit in memory leaves in the model for whoever loads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The names of the columns, where there is no schema, in the order of the features. Two may
    /// be the same.
    pub column_names: Option<Vec<String>>,
    /// The type of the labels, of a model of classes.
    pub label_type: Option<LabelType>,
}

impl Origin {
    /// Why it belongs to no model of this kind, if it does not.
    pub(super) fn check(&self, layout: &Layout, outcome: &Outcome) -> Result<(), ModelError> {
        if self.label_type.is_some() && matches!(outcome, Outcome::Value(_)) {
            return Err(ModelError::LabelType);
        }
        match (&self.column_names, layout) {
            (None, _) => Ok(()),
            (Some(names), Layout::Numbered { width, .. }) if names.len() == *width => Ok(()),
            (Some(_), _) => Err(ModelError::ColumnNames),
        }
    }
}

impl Model {
    /// The same model, which keeps how columns were called and labels were typed. It predicts as
    /// before.
    pub fn with_origin(self, origin: Origin) -> Result<Self, ModelError> {
        origin.check(&self.layout, &self.outcome)?;
        Ok(Self { origin, ..self })
    }

    /// How columns were called, where there is no schema, and labels were typed.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// What a person calls feature `j`: by its name in the map of features, by the name of its column
    /// or of the schema's feature, or by its number.
    pub fn feature_name(&self, j: usize) -> String {
        if let Some(map) = self.features() {
            return map.output_name(j);
        }
        let names = self.origin.column_names.as_ref();
        let named = names.and_then(|names| names.get(j)).cloned();
        named.unwrap_or_else(|| self.layout.name(j))
    }
}
