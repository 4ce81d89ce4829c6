//! `reticent schema`: a template for a table with named columns.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use reticent::model::{write_atomically, write_new};
use reticent::table::{Draft, Drafting, draft};

use crate::failure::{Failure, unwritten};
use crate::output::{self, Overwrite};
use crate::style::ALARM;

pub const EXAMPLES: &str = "\
The template is made from the names of the columns, and from their types in
Parquet; no value is read. A first line that looks like a record is refused. Fill in what any such table can hold, then:
  reticent fit DATA --schema SCHEMA ...

Examples:
  reticent schema patients.csv --target ill --out patients.toml
  reticent schema visits.csv.gz --no-header --delimiter ';'";

/// The arguments of `reticent schema`.
#[derive(Debug, Args)]
pub struct SchemaArgs {
    /// The table: .csv, .tsv or .parquet; text may be compressed (.gz, .bz2, .xz, .zst)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The column to predict
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,

    /// The first line is a record: the columns are called field1, field2, …
    #[arg(long)]
    pub no_header: bool,

    /// The first line holds the names, although they look like values
    #[arg(long, conflicts_with = "no_header")]
    pub header: bool,

    /// What separates the fields of a text file [default: a tab for .tsv, else a comma]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    pub delimiter: Option<u8>,

    /// Take bounds, levels or classes of these columns from the data: not private, and marked as such
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub from_values: Vec<String>,

    /// Write to this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub overwrite: Overwrite,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        _ if text == "\\t" || text == "tab" => Ok(b'\t'),
        [byte] if !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\n' | b'\r') => {
            Ok(*byte)
        }
        _ => Err("one character such as , or ; is needed, or tab".to_owned()),
    }
}

/// The template, to be printed; nothing if it went into a file.
pub fn run(request: &SchemaArgs) -> Result<String, Failure> {
    if let Some(out) = &request.out {
        output::check("--out", out, &[&request.file], request.overwrite)?;
    }
    let draft = draft(
        &request.file,
        &Drafting {
            header: !request.no_header,
            any_header: request.header,
            delimiter: request
                .delimiter
                .unwrap_or_else(|| usual_delimiter(&request.file)),
            target: request.target.as_deref(),
            from_values: &request.from_values,
        },
    )
    .map_err(Failure::of)?;
    if !request.from_values.is_empty() {
        warn(&request.from_values);
    }
    match &request.out {
        None => Ok(draft.to_string()),
        Some(path) => written(path, &draft, request.overwrite).map(|()| String::new()),
    }
}

/// By the name, without the extension of a compression.
fn usual_delimiter(path: &Path) -> u8 {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = [".gz", ".bz2", ".xz", ".zst"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending))
        .unwrap_or(&name);
    if name.ends_with(".tsv") { b'\t' } else { b',' }
}

fn warn(columns: &[String]) {
    // Nothing can be reported if standard error is closed.
    let _ = writeln!(
        anstream::stderr(),
        "{ALARM}warning:{ALARM:#} bounds, levels or classes of {} were taken from the data. This is not private: \
         the schema says so, and so will the certificate of any model. Replace them by what is \
         publicly known where you can.",
        columns.join(", ")
    );
}

/// A schema that a person has filled in is not replaced by accident, even if it was made a moment ago.
fn written(path: &Path, draft: &Draft, overwrite: Overwrite) -> Result<(), Failure> {
    let text = draft.to_string();
    let write = match overwrite.overwrite {
        true => write_atomically,
        false => write_new,
    };
    write(path, text.as_bytes()).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => output::refuse_existing(path, overwrite)
            .err()
            .unwrap_or_else(|| Failure::of(&error)),
        _ => Failure::Failed(format!("{}: {}", path.display(), unwritten(&error))),
    })
}
