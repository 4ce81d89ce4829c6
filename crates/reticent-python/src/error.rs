//! The engine's errors as Python's exceptions.

use std::fmt::Display;
use std::path::Path;

use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyValueError};
use reticent::model::ModelFileError;

/// A `ValueError` with the message of an error of the engine.
pub fn value_error(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Python's own exception for an operating system error about a model file, and a `ValueError` for
/// its content.
pub fn file_error(error: ModelFileError) -> PyErr {
    match &error {
        ModelFileError::Io { file, error: said } => os_error(file, said),
        _ => value_error(error),
    }
}

/// Python's own exception for an operating system error about a file: `FileNotFoundError` and
/// others.
pub fn os_error(file: &Path, said: &std::io::Error) -> PyErr {
    match said.raw_os_error() {
        // The constructor of OSError chooses the class by the number.
        Some(number) => PyOSError::new_err((number, said.to_string(), file.to_owned())),
        None => PyOSError::new_err(format!("{}: {said}", file.display())),
    }
}
