//! The model file: JSON, in one order, numbers exact to the last bit.

use std::path::Path;

use super::{Model, ModelError, ModelFileError};

/// What a model file says it is.
pub const FORMAT: &str = "reticent model";

/// The newest version of the format that is known here, and the one that is written.
pub const VERSION: u64 = 1;

impl Model {
    /// The model as JSON, with the same bytes each time.
    pub fn to_json(&self) -> String {
        todo!()
    }

    /// The model of a JSON text that [`to_json`](Self::to_json) wrote.
    pub fn from_json(text: &[u8]) -> Result<Self, ModelError> {
        let _ = text;
        todo!()
    }

    /// Reads a model file.
    pub fn read(path: &Path) -> Result<Self, ModelFileError> {
        let _ = path;
        todo!()
    }

    /// Writes a model file, whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), ModelFileError> {
        super::write_atomically(path, self.to_json().as_bytes()).map_err(|error| {
            ModelFileError::Io {
                file: path.to_owned(),
                error,
            }
        })
    }
}
