//! Reading files: LIBSVM text, CSV and Parquet, compressed or not; and tables that are in memory.

mod by_name;
mod classes;
mod columns;
mod csv;
pub(super) mod date;
mod draft;
mod encode;
mod error;
mod gather;
mod key;
mod libsvm;
mod look;
mod memory;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod source;
mod unit_key;
mod vertices;

use std::io::Read;
use std::path::Path;

use classes::HowMany;
pub use classes::{ClassPattern, ClassPatternError, MOST_CLASSES};
pub use columns::{has_names, read_columns};
pub use draft::{Drafting, draft};
pub use encode::RowError;
pub(super) use encode::{Cell, Encoder, OTHER};
pub use error::{ReadError, ReadProblem};
pub(crate) use key::Key;
pub use look::{look, look_columns};
pub use memory::{AnyValue, ColumnValues, EncodeError, encode, units};
pub(super) use number::NumberError;
pub use vertices::read_vertices;

use super::Table;
use super::schema::Schema;
use source::Source;

/// What to read, and what is declared about it.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// What the target is to become.
    pub wanted: WantedTarget<'a>,
    /// The declared number of columns (LIBSVM); taken from the file if `None`.
    pub columns: Option<usize>,
    /// Whether the first column is called 0 (LIBSVM); it is called 1 otherwise.
    pub zero_based: bool,
    /// What the columns mean (CSV and Parquet).
    pub schema: Option<&'a Schema>,
    /// Called with the number of bytes read so far, and of the whole file.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// What the target is to become.
#[derive(Clone, Copy)]
pub enum WantedTarget<'a> {
    /// Two classes: those declared, or the two labels that the file has.
    Classes(Option<&'a [ClassPattern]>),
    /// Two classes or more: those declared, or the labels that the file has, in order.
    MultipleClasses(Option<&'a [ClassPattern]>),
    /// Numbers.
    Values,
    /// Nothing: features only.
    Nothing,
}

impl<'a> WantedTarget<'a> {
    /// The declared classes and how many there may be, if classes are wanted.
    fn classes(self) -> Option<(Option<&'a [ClassPattern]>, HowMany)> {
        match self {
            Self::Classes(declared) => Some((declared, HowMany::Two)),
            Self::MultipleClasses(declared) => Some((declared, HowMany::Several)),
            Self::Values | Self::Nothing => None,
        }
    }
}

/// Reads a table. The format follows from the name, after any `.gz`, `.bz2`, `.xz` or `.zst`:
/// `.csv` and `.tsv`, `.parquet`, anything else LIBSVM text. Compression follows from the content.
///
/// ```
/// use reticent::table::{Reading, Target, WantedTarget, read};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let name = format!("reticent-read-example-{}", std::process::id());
/// # let path = std::env::temp_dir().join(name);
/// std::fs::write(&path, "+1 1:0.5 3:2  # a comment\n-1 2:1e-3\n")?;
/// let reading = Reading {
///     wanted: WantedTarget::Classes(None),
///     columns: Some(3),
///     zero_based: false,
///     schema: None,
///     progress: &|_, _| {},
/// };
/// let table = read(&path, &reading)?;
/// assert_eq!((table.features.rows(), table.features.width()), (2, 3));
/// assert_eq!(table.assumed, ["the classes (-1 and 1) were taken from the file"]);
/// # std::fs::remove_file(&path)?;
/// # Ok(())
/// # }
/// ```
pub fn read(path: &Path, reading: &Reading) -> Result<Table<'static>, ReadError> {
    let format = match (Format::of(path), reading.schema) {
        // LIBSVM text has no column names, so a file with a schema is CSV with another extension.
        (Format::Libsvm, Some(_)) => Format::Csv,
        (format, _) => format,
    };
    match format {
        Format::Libsvm => {
            let source = Source::open(path, reading.progress).map_err(whole_file(path))?;
            libsvm::read(source, path, reading, libsvm::BLOCK)
        }
        Format::Csv => {
            let source = Source::open(path, reading.progress).map_err(whole_file(path))?;
            csv::read(source, path, reading, csv::BLOCK)
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(path, reading),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(whole_file(path)(ReadProblem::Format("Parquet"))),
    }
}

/// Reads a table of LIBSVM text from any stream, compressed or not. `name` is what errors call
/// it; progress is not reported.
pub fn read_libsvm(
    stream: impl Read + Send,
    name: &Path,
    reading: &Reading,
) -> Result<Table<'static>, ReadError> {
    let source = Source::new(stream).map_err(whole_file(name))?;
    libsvm::read(source, name, reading, libsvm::BLOCK)
}

/// Reads a table of CSV from any stream, compressed or not. `name` is what errors call it; progress
/// is not reported.
pub fn read_csv(
    stream: impl Read + Send,
    name: &Path,
    reading: &Reading,
) -> Result<Table<'static>, ReadError> {
    let source = Source::new(stream).map_err(whole_file(name))?;
    csv::read(source, name, reading, csv::BLOCK)
}

/// Reads a table from the bytes of a Parquet file. `name` is what errors call it.
#[cfg(feature = "parquet")]
pub fn read_parquet(
    bytes: Vec<u8>,
    name: &Path,
    reading: &Reading,
) -> Result<Table<'static>, ReadError> {
    parquet::read_bytes(bytes, name, reading)
}

/// An error that is about no place in particular.
fn whole_file(path: &Path) -> impl FnOnce(ReadProblem) -> ReadError {
    move |problem| ReadError {
        file: path.to_owned(),
        line: None,
        column: None,
        problem,
    }
}

/// What a file holds, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Libsvm,
    Csv,
    Parquet,
}

impl Format {
    fn of(path: &Path) -> Self {
        let ending = |path: &Path| {
            let ending = path.extension()?.to_str()?;
            Some(ending.to_ascii_lowercase())
        };
        let inner = match ending(path).as_deref() {
            Some("gz" | "bz2" | "xz" | "zst") => path.with_extension(""),
            _ => path.to_owned(),
        };
        match ending(&inner).as_deref() {
            Some("csv" | "tsv") => Self::Csv,
            Some("parquet") => Self::Parquet,
            _ => Self::Libsvm,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_format() {
        for (name, format) in [
            ("a9a", Format::Libsvm),
            ("a9a.t.xz", Format::Libsvm),
            ("csv", Format::Libsvm),
            ("x.csv", Format::Csv),
            ("folder.parquet/x.TSV.GZ", Format::Csv),
            ("x.parquet", Format::Parquet),
            ("x.parquet.zst", Format::Parquet),
        ] {
            assert_eq!(Format::of(Path::new(name)), format, "{name}");
        }
    }
}
