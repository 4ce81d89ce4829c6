//! Parquet: plain columns, through a schema.
//!
//! Row groups are read a batch of rows at a time; nulls are missing values. Whole numbers keep
//! all their digits, so that a column of codes has the same levels as in a text file.

mod batch;
#[cfg(test)]
mod dates;
mod pages;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::by_name::ByName;
use super::csv::Problem;
use super::draft::{Drafting, Survey};
use super::encode::Encoder;
use super::error::{ReadError, ReadProblem};
use super::gather::{self, Gathered};
use super::{Reading, source};
use crate::table::Table;
use crate::table::look::Rows;
use crate::table::schema::{Draft, Kind, Proposal, Schema};
use batch::Batches;

impl From<ParquetError> for Problem {
    fn from(error: ParquetError) -> Self {
        ReadProblem::Parquet(error.to_string()).into()
    }
}

/// Reads a table of Parquet.
pub(super) fn read(path: &Path, reading: &Reading) -> Result<Table<'static>, ReadError> {
    read_opened(|| opened(path), path, reading)
}

/// Reads a table from the bytes of a Parquet file; `name` is what errors call it.
pub(super) fn read_bytes(
    bytes: Vec<u8>,
    name: &Path,
    reading: &Reading,
) -> Result<Table<'static>, ReadError> {
    let open = || Ok(SerializedFileReader::new(Bytes::from(bytes))?);
    read_opened(open, name, reading)
}

fn read_opened<R: ChunkReader + 'static>(
    open: impl FnOnce() -> Result<SerializedFileReader<R>, Problem>,
    name: &Path,
    reading: &Reading,
) -> Result<Table<'static>, ReadError> {
    let schema = reading.schema.ok_or(ReadProblem::NoSchema);
    schema
        .map_err(Problem::from)
        .and_then(|schema| guarded(|| table(&open()?, schema, reading)))
        .map_err(|problem| problem.in_file(name))
}

/// The decoders of the parquet crate index and slice by numbers that they find in the file: one
/// that is damaged can make them panic. Nothing that they touched is used after that.
fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let reason = "its numbers contradict each other".to_owned();
        Err(ReadProblem::Parquet(reason).into())
    })
}

fn opened(path: &Path) -> Result<SerializedFileReader<File>, Problem> {
    Ok(SerializedFileReader::new(source::file(path)?)?)
}

fn table(
    file: &impl FileReader,
    schema: &Schema,
    reading: &Reading,
) -> Result<Table<'static>, Problem> {
    let fields = by_name(file.metadata().file_metadata().schema_descr(), schema)?;
    let target = schema.target().and_then(|(at, _)| fields[at]);
    let encoder = Encoder::new(schema, fields).with_target(target, schema, reading.wanted)?;
    let total = file.metadata().file_metadata().num_rows();
    let mut rows = Gathered::new();
    let mut before = 0;
    let used = used(&encoder);
    visit(file, &used, |batch| {
        let cell = |field: usize, row: usize| batch.cell(field, row - before);
        let (part, class) = gather::encoded(before..before + batch.rows(), cell, &encoder)?;
        rows.append(part, &class);
        before += batch.rows();
        let done = before as u64;
        (reading.progress)(done, u64::try_from(total).unwrap_or(done).max(done));
        Ok(())
    })?;
    Ok(rows.into_table(&encoder, schema)?)
}

/// Every record of a file, also those that a fit would refuse.
pub(super) fn look<'a>(path: &Path, schema: &'a Schema) -> Result<Rows<'a>, ReadError> {
    guarded(|| {
        let file = opened(path)?;
        let fields = by_name(file.metadata().file_metadata().schema_descr(), schema)?;
        let mut rows = Rows::new(schema, &fields, false).without_ignored();
        let used = rows.used().into_iter();
        let used: Vec<Used> = used.map(|(leaf, dates)| Used { leaf, dates }).collect();
        let count = fields.iter().flatten().count();
        let mut before = 0;
        visit(&file, &used, |batch| {
            for row in 0..batch.rows() {
                before += 1;
                rows.see(count, |field| batch.cell(field, row), || before);
            }
            Ok(())
        })?;
        Ok(rows)
    })
    .map_err(|problem| problem.in_file(path))
}

/// A column that is used, and whether it is declared as one of dates.
#[derive(Clone, Copy)]
struct Used {
    leaf: usize,
    dates: bool,
}

fn used(encoder: &Encoder) -> Vec<Used> {
    encoder
        .used()
        .map(|(leaf, dates)| Used { leaf, dates })
        .collect()
}

/// Passes on the rows of the file, some at a time, with the cells of the columns `used`.
fn visit(
    file: &impl FileReader,
    used: &[Used],
    mut each: impl FnMut(&batch::Batch) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let schema = file.metadata().file_metadata().schema_descr();
    for column in used {
        if let Some(problem) = unread(&schema.column(column.leaf)) {
            return Err(problem.into());
        }
    }
    for group in 0..file.num_row_groups() {
        let mut batches = Batches::new(file.get_row_group(group)?, used)?;
        while let Some(batch) = batches.next()? {
            each(batch)?;
        }
    }
    Ok(())
}

/// Appends the values of the columns with these names, row after row.
pub(super) fn columns(path: &Path, names: &[String], values: &mut Vec<f64>) -> Result<(), Problem> {
    guarded(|| {
        let file = opened(path)?;
        let leaves = file.metadata().file_metadata().schema_descr().columns();
        let header = leaves.iter().map(|leaf| top(leaf).as_bytes());
        let wanted = super::columns::places(header, names).map_err(|(leaf, problem)| Problem {
            line: None,
            field: leaf.map(|leaf| leaf + 1),
            problem,
        })?;
        let numbers = |&leaf: &usize| Used { leaf, dates: false };
        let used: Vec<Used> = wanted.iter().map(numbers).collect();
        let mut before = 0;
        visit(&file, &used, |batch| {
            for row in 0..batch.rows() {
                for (&leaf, name) in wanted.iter().zip(names) {
                    let number = super::columns::number(batch.cell(leaf, row), name);
                    values.push(number.map_err(|problem| Problem {
                        line: Some((before + row) as u64 + 1),
                        field: Some(leaf + 1),
                        problem,
                    })?);
                }
            }
            before += batch.rows();
            Ok(())
        })
    })
}

/// Which leaf column is which column of the schema. Names belong to the file's type, not to a
/// record; still, the place is enough.
fn by_name(descriptor: &SchemaDescriptor, schema: &Schema) -> Result<Vec<Option<usize>>, Problem> {
    let mut names = ByName::new(schema);
    for (leaf, column) in descriptor.columns().iter().enumerate() {
        let problem = match names.put(leaf, top(column).as_bytes()) {
            Ok((_, false)) => continue,
            // A nested column has several leaves, and may have them if it is ignored.
            Ok((known, true)) if matches!(known.kind, Kind::Ignored) => continue,
            Ok(_) if nested(column) => ReadProblem::Nested(top(column).to_owned()),
            Ok(_) => ReadProblem::ColumnTwice,
            Err(problem) => problem,
        };
        return Err(Problem {
            line: None,
            field: Some(leaf + 1),
            problem,
        });
    }
    Ok(names.fields()?)
}

/// The name of the column that a leaf belongs to.
fn top(column: &ColumnDescriptor) -> &str {
    column.path().parts().first().map_or("", String::as_str)
}

fn nested(column: &ColumnDescriptor) -> bool {
    column.path().parts().len() > 1 || column.max_rep_level() > 0
}

/// Why a column cannot be read, if it cannot.
fn unread(column: &ColumnDescriptor) -> Option<ReadProblem> {
    let name = || top(column).to_owned();
    if nested(column) {
        return Some(ReadProblem::Nested(name()));
    }
    (!is_text(column) && !is_number(column)).then(|| ReadProblem::ColumnType(name()))
}

/// Bytes without a type count as text if they are UTF-8, as old writers intend.
fn is_text(column: &ColumnDescriptor) -> bool {
    column.physical_type() == Physical::BYTE_ARRAY
        && matches!(
            column.converted_type(),
            ConvertedType::UTF8 | ConvertedType::NONE | ConvertedType::ENUM
        )
}

/// A decimal is stored as a whole number that stands for another: it is not read.
fn is_number(column: &ColumnDescriptor) -> bool {
    matches!(
        column.physical_type(),
        Physical::BOOLEAN | Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE
    ) && column.converted_type() != ConvertedType::DECIMAL
}

/// How many of a column's whole numbers make a day, if its type says that it holds dates or times; these
/// count from 1970, in UTC where they know of zones.
fn per_day(column: &ColumnDescriptor) -> Option<i64> {
    const SECONDS: i64 = 86_400;
    let types = (column.logical_type_ref(), column.converted_type());
    match types {
        (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(1),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some(SECONDS * 1000),
        (None, ConvertedType::TIMESTAMP_MICROS) => Some(SECONDS * 1_000_000),
        (Some(LogicalType::Timestamp(timestamp)), _) => Some(match timestamp.unit {
            TimeUnit::MILLIS => SECONDS * 1000,
            TimeUnit::MICROS => SECONDS * 1_000_000,
            TimeUnit::NANOS => SECONDS * 1_000_000_000,
        }),
        _ => None,
    }
}

/// Drafts a schema from the file's metadata, and the values of columns that are named.
pub(super) fn draft(path: &Path, drafting: &Drafting) -> Result<Draft, ReadError> {
    guarded(|| {
        let file = opened(path)?;
        let leaves = file.metadata().file_metadata().schema_descr().columns();
        let proposal = |column: &ColumnDescriptor| match column {
            _ if unread(column).is_some() => Proposal::Unknown,
            _ if is_text(column) => Proposal::Texts,
            _ if per_day(column).is_some() => Proposal::Dates,
            _ => Proposal::Numbers,
        };
        let mut columns: Vec<(String, Proposal)> = Vec::new();
        // The first leaf of each column.
        let mut first = Vec::new();
        for (leaf, column) in leaves.iter().enumerate() {
            if columns.last().is_none_or(|(name, _)| name != top(column)) {
                columns.push((top(column).to_owned(), proposal(column)));
                first.push(leaf);
            }
        }
        let (mut draft, wanted) = drafting.begin(columns)?;
        let used = wanted.iter().map(|&column| first[column]);
        let used: Vec<Used> = used.map(|leaf| Used { leaf, dates: false }).collect();
        let mut surveys: Vec<Survey> = used.iter().map(|_| Survey::default()).collect();
        visit(&file, &used, |batch| {
            for (survey, used) in surveys.iter_mut().zip(&used) {
                (0..batch.rows()).for_each(|row| survey.see(batch.cell(used.leaf, row)));
            }
            Ok(())
        })?;
        for (at, survey) in wanted.into_iter().zip(surveys) {
            draft.columns[at].proposal = survey.proposal(&draft.columns[at])?;
        }
        Ok(draft)
    })
    .map_err(|problem| problem.in_file(path))
}
