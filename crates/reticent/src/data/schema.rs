//! Schemas: what the named columns of a table mean, declared in TOML.

use serde::{Deserialize, Serialize};

/// What the columns of a table are and how they become features: declared, public.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    features: Vec<String>,
}

impl Schema {
    /// The names of the features, in the order of the matrix.
    pub fn features(&self) -> &[String] {
        &self.features
    }
}
