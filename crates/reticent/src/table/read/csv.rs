//! CSV: records of fields, through a schema.
//!
//! ```text
//! stream ─ blocks of whole records ─ parsed and encoded in parallel ─ appended in order ─> rows
//! ```
//!
//! While some blocks are parsed the next are read and decompressed; besides the table, only a few
//! blocks per thread are in memory. Blocks are cut by size alone, so that neither the table nor the
//! reported error depends on the number of threads.

mod block;
mod columns;
mod cut;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use rayon::prelude::*;

use super::by_name::ByName;
use super::draft::{Drafting, Survey};
use super::encode::{Cell, Encoder};
use super::error::{ReadError, ReadProblem};
use super::gather::Gathered;
use super::source::Source;
use super::{Reading, WantedTarget};
use crate::table::Table;
use crate::table::look::Rows;
use crate::table::schema::{Column, Draft, Kind, Proposal, Schema};
use block::{Block, Start};
pub(super) use columns::columns;
use cut::{BYTE_ORDER_MARK, Blocks};

/// How many bytes are parsed at a time by one thread.
pub(super) const BLOCK: usize = 1 << 19;

/// What is wrong, with the line, and the field if one is concerned.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) line: Option<u64>,
    pub(super) field: Option<usize>,
    pub(super) problem: ReadProblem,
}

impl Problem {
    pub(super) fn in_file(self, name: &Path) -> ReadError {
        ReadError {
            file: name.to_owned(),
            line: self.line,
            column: self.field.map(|field| field as u64),
            problem: self.problem,
        }
    }
}

impl From<ReadProblem> for Problem {
    fn from(problem: ReadProblem) -> Self {
        Self {
            line: None,
            field: None,
            problem,
        }
    }
}

/// How the fields of a text file are separated.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) comment: Option<u8>,
}

impl Dialect {
    fn of(schema: &Schema) -> Self {
        Self {
            delimiter: schema.delimiter(),
            comment: schema.comment(),
        }
    }

    /// A parser of whole records. It drops a byte order mark at the start of any text; the file's
    /// own mark is removed before, so a mark here is content, and is written twice.
    fn parser(self, text: &[u8]) -> csv::Reader<Cursor<Cow<'_, [u8]>>> {
        let text = match text.starts_with(BYTE_ORDER_MARK) {
            true => Cow::Owned([BYTE_ORDER_MARK, text].concat()),
            false => Cow::Borrowed(text),
        };
        csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(self.delimiter)
            .comment(self.comment)
            .from_reader(Cursor::new(text))
    }
}

/// Reads a table of CSV; `name` is what errors call it.
pub(super) fn read(
    source: Source,
    name: &Path,
    reading: &Reading,
    block: usize,
) -> Result<Table<'static>, ReadError> {
    let schema = reading.schema.ok_or(ReadProblem::NoSchema);
    schema
        .map_err(Problem::from)
        .and_then(|schema| table(source, schema, reading, block))
        .map_err(|problem| problem.in_file(name))
}

fn table(
    source: Source,
    schema: &Schema,
    reading: &Reading,
    block: usize,
) -> Result<Table<'static>, Problem> {
    let mut blocks = Blocks::new(source, Dialect::of(schema), block);
    let (first, start) = first(&mut blocks)?;
    let (encoder, first) = beginning(first, start, schema, reading)?;
    let rows = rows(blocks, first, &encoder)?;
    Ok(rows.into_table(&encoder, schema)?)
}

/// The first block that has a record, and that record.
fn first(blocks: &mut Blocks) -> Result<(Block, Start), Problem> {
    loop {
        let block = blocks.next()?.ok_or(ReadProblem::Empty)?;
        if let Some(start) = block.first_record() {
            return Ok((block, start));
        }
    }
}

/// Encodes all blocks, one batch while the next is read.
fn rows(mut blocks: Blocks, first: Block, encoder: &Encoder) -> Result<Gathered, Problem> {
    let size = rayon::current_num_threads();
    let mut rows = Gathered::new();
    let mut batch = vec![first];
    let mut failed = None;
    while !batch.is_empty() {
        let (next, encoded) = rayon::join(
            || match failed {
                None => blocks.batch(size),
                Some(_) => (Vec::new(), None),
            },
            || {
                let encode = |block: &Block| block.encode(encoder);
                batch.par_iter().map(encode).collect::<Vec<_>>()
            },
        );
        for part in encoded {
            let (part, class) = part?;
            rows.append(part, &class);
        }
        // A fault in what was read before comes first in the file.
        if let Some(problem) = failed {
            return Err(problem);
        }
        (batch, failed) = next;
    }
    failed.map_or(Ok(rows), Err)
}

/// Which field is which column: by the header, or by the order of the schema. What is left of
/// the first block holds records.
fn beginning<'a>(
    block: Block,
    start: Start,
    schema: &'a Schema,
    reading: &Reading<'a>,
) -> Result<(Encoder<'a>, Block), Problem> {
    let fields = match schema.header() {
        true => by_name(&start, schema)?,
        false => by_order(&start, schema, reading.wanted)?,
    };
    let target = schema.target().and_then(|(at, _)| fields[at]);
    let encoder = Encoder::new(schema, fields).with_target(target, schema, reading.wanted)?;
    let rest = match schema.header() {
        true => block.after(start.end),
        false => block,
    };
    Ok((encoder, rest))
}

/// The line is not quoted: it may be a record.
fn by_name(start: &Start, schema: &Schema) -> Result<Vec<Option<usize>>, Problem> {
    let in_header = |field: Option<usize>, problem| Problem {
        line: Some(start.line),
        field: field.map(|field| field + 1),
        problem,
    };
    let columns = schema.columns().len();
    let known = |name: &[u8]| {
        let mut columns = schema.columns().iter();
        columns.any(|column| column.name.as_bytes() == name.trim_ascii())
    };
    if start.record.len() == 1 && columns > 1 && !start.record.iter().all(known) {
        let delimiter = char::from(schema.delimiter());
        return Err(in_header(
            None,
            ReadProblem::OneField { columns, delimiter },
        ));
    }
    let mut names = ByName::new(schema);
    for (field, name) in start.record.iter().enumerate() {
        names
            .put_once(field, name.trim_ascii())
            .map_err(|problem| match problem {
                ReadProblem::ColumnUnknown => match absent(start, schema) {
                    absent if absent.is_empty() => ReadProblem::ColumnUnknown,
                    absent => ReadProblem::ColumnRenamed(absent),
                },
                problem => problem,
            })
            .map_err(|problem| in_header(Some(field), problem))?;
    }
    names.fields().map_err(|problem| in_header(None, problem))
}

/// The columns that the schema describes, and the header does not name.
fn absent(start: &Start, schema: &Schema) -> Vec<String> {
    let named = |column: &&Column| {
        let mut names = start.record.iter();
        names.any(|name| name.trim_ascii() == column.name.as_bytes())
    };
    let needed = |column: &&Column| !matches!(column.kind, Kind::Ignored);
    let absent = schema
        .columns()
        .iter()
        .filter(needed)
        .filter(|column| !named(column));
    absent.map(|column| column.name.clone()).collect()
}

/// A file to predict may lack the target, and no other column.
fn by_order(
    start: &Start,
    schema: &Schema,
    wanted: WantedTarget,
) -> Result<Vec<Option<usize>>, Problem> {
    let found = start.record.len();
    let columns = schema.columns().len();
    let target = schema.target().map(|(at, _)| at);
    match target {
        _ if found == columns => Ok((0..columns).map(Some).collect()),
        Some(target) if found + 1 == columns && matches!(wanted, WantedTarget::Nothing) => {
            let field = |at: usize| (at != target).then(|| at - usize::from(at > target));
            Ok((0..columns).map(field).collect())
        }
        _ => Err(Problem {
            line: Some(start.line),
            field: None,
            problem: ReadProblem::FieldCount(columns),
        }),
    }
}

/// Every record of a text file, also those that a fit would refuse.
pub(super) fn look<'a>(
    source: Source,
    name: &Path,
    schema: &'a Schema,
) -> Result<Rows<'a>, ReadError> {
    let looked = || {
        let mut blocks = Blocks::new(source, Dialect::of(schema), BLOCK);
        let (first, start) = first(&mut blocks)?;
        let (fields, first) = match schema.header() {
            true => (by_name(&start, schema)?, first.after(start.end)),
            false => (by_order(&start, schema, WantedTarget::Nothing)?, first),
        };
        let mut rows = Rows::new(schema, &fields, true);
        let mut block = Some(first);
        while let Some(some) = block {
            some.every_record(|record, line| {
                let cell = |field: usize| Cell::Text(record[field].trim_ascii());
                rows.see(record.len(), cell, line);
            })?;
            block = blocks.next()?;
        }
        Ok(rows)
    };
    looked().map_err(|problem: Problem| problem.in_file(name))
}

/// Drafts a schema. Without `from_values`, only the first record is read, and of that only the
/// names, or the number of fields.
pub(super) fn draft(path: &Path, drafting: &Drafting) -> Result<Draft, ReadError> {
    let drafted = || {
        let dialect = Dialect {
            delimiter: drafting.delimiter,
            comment: None,
        };
        let source = Source::open(path, &|_, _| {})?;
        let mut blocks = Blocks::new(source, dialect, BLOCK);
        let (first, start) = first(&mut blocks)?;
        let fields = start.record.len();
        let names = match drafting.header {
            true => names(&start, drafting.any_header)?,
            false => (1..=fields).map(|n| format!("field{n}")).collect(),
        };
        let unknown = |name| (name, Proposal::Unknown);
        let (mut draft, wanted) = drafting.begin(names.into_iter().map(unknown).collect())?;
        if !wanted.is_empty() {
            let first = if drafting.header {
                first.after(start.end)
            } else {
                first
            };
            let surveys = surveyed(first, blocks, &wanted, fields)?;
            for (at, survey) in wanted.into_iter().zip(surveys) {
                draft.columns[at].proposal = survey.proposal(&draft.columns[at])?;
            }
        }
        Ok(draft)
    };
    drafted().map_err(|problem: Problem| problem.in_file(path))
}

/// The names of a header. One that looks like a value is refused unless `any` may be a name: it
/// would be published with the schema.
fn names(start: &Start, any: bool) -> Result<Vec<String>, Problem> {
    let name = |(field, name): (usize, &[u8])| {
        String::from_utf8(name.trim_ascii().to_vec()).map_err(|_| Problem {
            line: Some(start.line),
            field: Some(field + 1),
            problem: ReadProblem::NotUtf8,
        })
    };
    let names: Vec<String> = start
        .record
        .iter()
        .enumerate()
        .map(name)
        .collect::<Result<_, _>>()?;
    match super::draft::like_a_value(&names) {
        Some(field) if !any => Err(Problem {
            line: Some(start.line),
            field: Some(field + 1),
            problem: ReadProblem::HeaderOfValues,
        }),
        _ => Ok(names),
    }
}

fn surveyed(
    first: Block,
    mut blocks: Blocks,
    wanted: &[usize],
    fields: usize,
) -> Result<Vec<Survey>, Problem> {
    let mut surveys: Vec<Survey> = wanted.iter().map(|_| Survey::default()).collect();
    let mut block = Some(first);
    while let Some(some) = block {
        some.each_record(fields, |record| {
            for (survey, &field) in surveys.iter_mut().zip(wanted) {
                survey.see(Cell::Text(record[field].trim_ascii()));
            }
        })?;
        block = blocks.next()?;
    }
    Ok(surveys)
}
