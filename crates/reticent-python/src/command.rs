//! The command `reticent`, for the script that the package puts on the path.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these arguments, of which the first is its name in usage lines. It reads
/// and writes the process's own files and streams, and handles Ctrl-C; returns the exit code.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| reticent_cli::main(arguments))
}
