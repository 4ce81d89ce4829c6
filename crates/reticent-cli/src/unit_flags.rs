//! The flags that say what is protected: a person with all rows, in place of a row.

use std::path::Path;

use clap::Args;
use reticent::table::{MOST_UNIT_ROWS, ProtectedUnit, Schema};

use crate::failure::Failure;
use crate::flags::PRIVACY;
use crate::refusal;

/// Whose a row is.
#[derive(Debug, Args)]
pub struct UnitFlags {
    /// The column that says whose a row is: then people are protected, each with all rows, and not
    /// rows [with --schema: its column of kind "unit"]
    ///
    /// The rows of one person share the weight of one record. How many rows there are is then
    /// private; how many people there are is public under replace-one.
    #[arg(long, value_name = "COLUMN", help_heading = PRIVACY)]
    pub unit: Option<String>,

    /// How many rows of one person count, the first ones of the table; at most 16 under add-remove
    /// [default: that of the schema, or 100]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = PRIVACY, requires = "unit", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_UNIT_ROWS)))]
    pub unit_rows: Option<u32>,
}

impl UnitFlags {
    /// The schema of a file, with the unit that is asked for.
    pub fn open(&self, schema: Option<&Path>) -> Result<Option<Schema>, Failure> {
        let Some(path) = schema else {
            return match &self.unit {
                None => Ok(None),
                Some(_) => Err(refusal::conflict(
                    "--unit names a column, and only a table with a schema has names\n\n  \
                     tip: give the table as CSV or Parquet, with --schema",
                )
                .into()),
            };
        };
        let schema = Schema::open(path).map_err(Failure::of)?;
        let Some(column) = &self.unit else {
            return Ok(Some(schema));
        };
        let rows = self.unit_rows.map(u64::from);
        // The parser keeps to what may be declared.
        let schema = schema.with_unit(column, rows.and_then(ProtectedUnit::rows));
        schema.map(Some).map_err(|error| {
            Failure::Failed(format!("{}: --unit {column}: {error}", path.display()))
        })
    }
}
