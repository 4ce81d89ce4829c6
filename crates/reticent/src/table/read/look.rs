//! The owner's look at a file, or at a table in memory, through a schema.

use std::path::Path;

use super::error::{ReadError, ReadProblem};
use super::memory::{self, ColumnValues, EncodeError};
use super::source::Source;
use super::{Format, csv, whole_file};
use crate::table::look::Look;
use crate::table::schema::Schema;

/// Looks at a file as [`read`](super::read) would read it with this schema, and goes on where that
/// refuses the file, so that everything is found at once.
///
/// # Privacy
///
/// None: it is for the owner's eyes only.
pub fn look(
    path: &Path,
    schema: &Schema,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Look, ReadError> {
    let rows = match Format::of(path) {
        Format::Libsvm | Format::Csv => {
            let source = Source::open(path, progress).map_err(whole_file(path))?;
            csv::look(source, path, schema)?
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::look(path, schema)?,
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(whole_file(path)(ReadProblem::Format("Parquet"))),
    };
    let look = rows.look();
    match look.records {
        0 => Err(whole_file(path)(ReadProblem::Empty)),
        _ => Ok(look),
    }
}

/// The same for a table in memory.
pub fn look_columns(
    columns: &[(&str, ColumnValues)],
    schema: &Schema,
) -> Result<Look, EncodeError> {
    Ok(memory::look(columns, schema)?.look())
}
