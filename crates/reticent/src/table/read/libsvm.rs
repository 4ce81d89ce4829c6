//! LIBSVM and SVMlight text: `label [qid:N] index:value … [# comment]`, one record per line.
//!
//! ```text
//! stream ─ blocks of whole lines ─ parsed in parallel ─ appended in order ─> sparse rows
//! ```
//!
//! While some blocks are parsed the next are read and decompressed. Neither the text nor the parts
//! are kept: besides the table, only a few blocks per thread are in memory.

mod block;

use std::io::{self, Read};
use std::path::Path;

use rayon::prelude::*;

use super::classes::{LabelProblem, Labels};
use super::error::{ReadError, ReadProblem};
use super::source::Source;
use super::{Reading, WantedTarget};
use crate::matrix::{Csr, Matrix};
use crate::table::{Layout, Table, Target};
use block::{Block, Columns};

/// How many bytes are parsed at a time by one thread.
pub(super) const BLOCK: usize = 1 << 19;

/// Reads a table of LIBSVM text; `name` is what errors call it.
pub(super) fn read(
    source: Source,
    name: &Path,
    reading: &Reading,
    block: usize,
) -> Result<Table<'static>, ReadError> {
    let columns = Columns {
        first: u32::from(!reading.zero_based),
        declared: reading.columns,
    };
    let table = records(source, columns, block).and_then(|records| records.into_table(reading));
    table.map_err(|Problem { place, problem }| ReadError {
        file: name.to_owned(),
        line: place.map(|(line, _)| line),
        column: place.and_then(|(_, column)| column),
        problem,
    })
}

/// What is wrong, with its line and byte.
struct Problem {
    place: Option<(u64, Option<u64>)>,
    problem: ReadProblem,
}

impl From<ReadProblem> for Problem {
    fn from(problem: ReadProblem) -> Self {
        Self {
            place: None,
            problem,
        }
    }
}

/// Reads, parses and joins all blocks. The error that comes first in the file is reported, whatever
/// the order of the threads.
fn records(source: Source, columns: Columns, block: usize) -> Result<Records, Problem> {
    let mut blocks = Blocks {
        source,
        carried: Vec::new(),
        size: block,
        ended: false,
    };
    // Two batches take turns: one is parsed while the other is filled.
    let batch = || Vec::from_iter((0..rayon::current_num_threads()).map(|_| Slot::default()));
    let (mut parsed, mut filled) = (batch(), batch());
    let mut records = Records::default();
    let mut read = blocks.fill(&mut filled);
    loop {
        std::mem::swap(&mut parsed, &mut filled);
        let more = !blocks.ended && read.is_ok();
        let (next, ()) = rayon::join(
            || more.then(|| blocks.fill(&mut filled)),
            || {
                let each = |slot: &mut Slot| slot.block.parse(&slot.text, columns);
                parsed.par_iter_mut().for_each(each);
            },
        );
        for slot in &mut parsed {
            records.append(&mut slot.block)?;
        }
        read.map_err(|error| blocks.source.problem(error))?;
        match next {
            Some(next) => read = next,
            None => return Ok(records),
        }
    }
}

/// A piece of the file and its records.
#[derive(Default)]
struct Slot {
    text: Vec<u8>,
    block: Block,
}

/// A stream cut into blocks of whole lines.
struct Blocks<'a> {
    source: Source<'a>,
    /// The start of a line whose end has not been read.
    carried: Vec<u8>,
    size: usize,
    ended: bool,
}

impl Blocks<'_> {
    /// Fills the slots in turn; those after the end, or after an error, are left empty.
    fn fill(&mut self, slots: &mut [Slot]) -> io::Result<()> {
        let mut result = Ok(());
        for slot in slots {
            slot.text.clear();
            if result.is_ok() && !self.ended {
                result = self.next(&mut slot.text);
            }
        }
        result
    }

    /// The next whole lines: about as many bytes as a block has, or one line that is longer.
    fn next(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        text.append(&mut self.carried);
        text.reserve(self.size);
        loop {
            let start = text.len();
            let wanted = self.size.saturating_sub(start).max(self.size / 2).max(1);
            let read = (&mut self.source)
                .take(wanted as u64)
                .read_to_end(text)
                .inspect_err(|_| text.clear())?;
            if read == 0 {
                self.ended = true;
                return Ok(());
            }
            if let Some(end) = text[start..].iter().rposition(|&byte| byte == b'\n') {
                self.carried.extend_from_slice(&text[start + end + 1..]);
                text.truncate(start + end + 1);
                return Ok(());
            }
        }
    }
}

/// The records of a file.
struct Records {
    labels: Vec<f64>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    /// As in a block, but the lines count from 1 in the file.
    places: Vec<(usize, u64)>,
    lines: u64,
    width: usize,
}

impl Default for Records {
    fn default() -> Self {
        Self {
            labels: Vec::new(),
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            places: Vec::new(),
            lines: 0,
            width: 0,
        }
    }
}

impl Records {
    /// Adds the records of the next block, or returns what is wrong with it.
    fn append(&mut self, block: &mut Block) -> Result<(), Problem> {
        if let Some(fault) = block.fault.take() {
            return Err(Problem {
                place: Some((self.lines + fault.line + 1, Some(fault.column))),
                problem: fault.problem,
            });
        }
        let (records, entries) = (self.labels.len(), self.columns.len());
        let places = block.places.iter();
        self.places
            .extend(places.map(|(record, line)| (records + record, self.lines + line + 1)));
        self.starts
            .extend(block.ends.iter().map(|end| entries + end));
        self.labels.append(&mut block.labels);
        self.columns.append(&mut block.columns);
        self.values.append(&mut block.values);
        self.lines += block.lines;
        self.width = self.width.max(block.width);
        Ok(())
    }

    /// The line of a record.
    fn line(&self, record: usize) -> Option<u64> {
        let after = self.places.partition_point(|&(first, _)| first <= record);
        let (first, line) = self.places[..after].last()?;
        Some(line + (record - first) as u64)
    }

    fn into_table(mut self, reading: &Reading) -> Result<Table<'static>, Problem> {
        if self.labels.is_empty() {
            return Err(ReadProblem::Empty.into());
        }
        let mut assumed = Vec::new();
        let width = reading.columns.unwrap_or_else(|| {
            assumed.push(format!(
                "the number of columns ({}) was taken from the file",
                self.width
            ));
            self.width
        });
        let target = self.target(reading.wanted, &mut assumed)?;
        self.starts.shrink_to_fit();
        self.columns.shrink_to_fit();
        self.values.shrink_to_fit();
        let features = Csr::new(self.starts, self.columns, self.values, width)
            .expect("the parser keeps columns increasing, below the width, and values finite");
        Ok(Table {
            features: Matrix::Sparse(features),
            target,
            layout: Layout::Numbered {
                first: u32::from(!reading.zero_based),
                width,
            },
            assumed,
            units: None,
        })
    }

    /// The labels, as the wanted target.
    fn target(
        &mut self,
        wanted: WantedTarget,
        assumed: &mut Vec<String>,
    ) -> Result<Target, Problem> {
        let labels = std::mem::take(&mut self.labels);
        let Some((declared, how_many)) = wanted.classes() else {
            return Ok(match wanted {
                WantedTarget::Values => Target::Values(labels),
                _ => Target::Absent,
            });
        };
        let mut known = Labels::default();
        labels.iter().for_each(|&label| known.push_number(label));
        let located = |LabelProblem { record, problem }| Problem {
            place: record.and_then(|record| Some((self.line(record)?, None))),
            problem,
        };
        drop(labels);
        known
            .into_classes(declared, how_many, assumed)
            .map_err(located)
    }
}

#[cfg(test)]
mod tests;
