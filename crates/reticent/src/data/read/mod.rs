//! Reading files: LIBSVM text, CSV and Parquet, compressed or not.

mod error;

use std::path::Path;

pub use error::{ReadError, ReadProblem};

use super::schema::Schema;
use super::table::Table;

/// What to read, and what is declared of it.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// What the target is to become.
    pub wanted: Wanted<'a>,
    /// The declared number of columns (LIBSVM); taken from the file if `None`.
    pub columns: Option<usize>,
    /// Whether the first column is called 0 (LIBSVM); it is called 1 otherwise.
    pub zero_based: bool,
    /// What the columns mean (CSV and Parquet).
    pub schema: Option<&'a Schema>,
    /// Told how many bytes of the file have been read, and how many there are.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// What the target is to become.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// Two classes: those declared, or the two labels that the file has.
    Classes(Option<&'a [ClassPattern; 2]>),
    /// Numbers.
    Values,
    /// Nothing: features only.
    Nothing,
}

/// Which labels make up a class: `label`, `a|b|c`, or `*` for all others; with a name before
/// an `=` if the class is to be called differently.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPattern {
    /// What the class is called.
    pub name: String,
    /// Its labels; `None` for all that the other class does not list.
    pub labels: Option<Vec<String>>,
}

/// Reads a table. The format follows from the name, after any `.gz`, `.bz2`, `.xz` or `.zst`:
/// `.csv` and `.tsv`, `.parquet`, anything else LIBSVM text. Compression follows from the content.
pub fn read(path: &Path, reading: &Reading) -> Result<Table, ReadError> {
    let _ = (path, reading.wanted);
    todo!()
}
