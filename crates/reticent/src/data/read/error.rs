//! What is wrong with a file, where, and what to do.

use std::path::PathBuf;

/// A file that can not be read: the file, the place, the reason, the remedy.
///
/// No content of the file is quoted: a message is a release. Whoever may see the file can look
/// at the place.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {problem}", file.display(), place(*line, *column))]
pub struct ReadError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; for Parquet, the row.
    pub line: Option<u64>,
    /// The byte in the line, from 1; for tables with named columns, the number of the field.
    pub column: Option<u64>,
    /// What is wrong.
    pub problem: ReadProblem,
}

fn place(line: Option<u64>, column: Option<u64>) -> String {
    match (line, column) {
        (Some(line), Some(column)) => format!(":{line}:{column}"),
        (Some(line), None) => format!(":{line}"),
        _ => String::new(),
    }
}

/// What is wrong with a file, with the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProblem {
    /// The operating system refused, or the compressed stream is damaged.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}
