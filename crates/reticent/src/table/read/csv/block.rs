//! Whole records of a CSV file, parsed and encoded.

use super::super::encode::{Cell, Encoder, Part, RowError};
use super::super::error::ReadProblem;
use super::super::gather;
use super::cut::BYTE_ORDER_MARK;
use super::{Dialect, Problem};

/// Some whole records, as text.
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    /// The number of the first line, from 1.
    pub(super) line: u64,
    pub(super) dialect: Dialect,
}

/// The first record of a file.
pub(super) struct Start {
    pub(super) record: csv::ByteRecord,
    pub(super) line: u64,
    /// The byte after it.
    pub(super) end: usize,
}

/// Encoded records, and the class of each.
pub(super) type Encoded = (Part, Vec<u32>);

impl Block {
    /// The first record, if there is one.
    pub(super) fn first_record(&self) -> Option<Start> {
        let mut parser = self.dialect.parser(&self.text);
        let mut record = csv::ByteRecord::new();
        // Bytes in memory do not fail, and records may have any number of fields.
        let found = parser.read_byte_record(&mut record).unwrap_or(false);
        found.then(|| Start {
            line: self.line_of(&record),
            end: self.place(parser.position()),
            record,
        })
    }

    /// The records after the byte `end`.
    pub(super) fn after(mut self, end: usize) -> Self {
        self.line += newlines(&self.text[..end]);
        self.text.drain(..end);
        self
    }

    /// The features and targets of the records, or the first fault.
    pub(super) fn encode(&self, encoder: &Encoder) -> Result<Encoded, Problem> {
        self.check_utf8()?;
        let mut part = Part::default();
        let mut parser = self.dialect.parser(&self.text);
        let mut record = csv::ByteRecord::new();
        let mut fault = Ok(());
        while fault.is_ok() && parser.read_byte_record(&mut record).unwrap_or(false) {
            fault = self.encode_record(&record, encoder, &mut part);
        }
        // A label that is no class comes before a later error.
        let class = gather::classes(&mut part, encoder).map_err(|label| Problem {
            line: label.record.and_then(|record| self.line_of_record(record)),
            field: encoder.classes().map(|(field, _)| field + 1),
            problem: label.problem,
        })?;
        fault.map(|()| (part, class))
    }

    /// Calls `visit` with each record, which has so many fields.
    pub(super) fn each_record(
        &self,
        fields: usize,
        mut visit: impl FnMut(&csv::ByteRecord),
    ) -> Result<(), Problem> {
        self.check_utf8()?;
        let mut parser = self.dialect.parser(&self.text);
        let mut record = csv::ByteRecord::new();
        while parser.read_byte_record(&mut record).unwrap_or(false) {
            self.check_count(&record, fields)?;
            visit(&record);
        }
        Ok(())
    }

    /// Calls `visit` with each record, of any number of fields, and with what tells its line.
    pub(super) fn every_record(
        &self,
        mut visit: impl FnMut(&csv::ByteRecord, &dyn Fn() -> u64),
    ) -> Result<(), Problem> {
        self.check_utf8()?;
        let mut parser = self.dialect.parser(&self.text);
        let mut record = csv::ByteRecord::new();
        while parser.read_byte_record(&mut record).unwrap_or(false) {
            visit(&record, &|| self.line_of(&record));
        }
        Ok(())
    }

    #[inline]
    fn check_count(&self, record: &csv::ByteRecord, fields: usize) -> Result<(), Problem> {
        if record.len() == fields {
            return Ok(());
        }
        Err(Problem {
            line: Some(self.line_of(record)),
            field: None,
            problem: ReadProblem::FieldCount(fields),
        })
    }

    #[inline]
    fn encode_record(
        &self,
        record: &csv::ByteRecord,
        encoder: &Encoder,
        part: &mut Part,
    ) -> Result<(), Problem> {
        self.check_count(record, encoder.fields())?;
        let cell = |field: usize| Cell::Text(record[field].trim_ascii());
        encoder
            .record(cell, part)
            .map_err(|RowError { field, problem }| Problem {
                line: Some(self.line_of(record)),
                field: Some(field),
                problem,
            })
    }

    /// All at once, because that is fast; which field it is matters only if it fails.
    fn check_utf8(&self) -> Result<(), Problem> {
        let Err(error) = std::str::from_utf8(&self.text) else {
            return Ok(());
        };
        let mut parser = self.dialect.parser(&self.text);
        let mut record = csv::ByteRecord::new();
        while parser.read_byte_record(&mut record).unwrap_or(false) {
            let bad = |field: &[u8]| std::str::from_utf8(field).is_err();
            if let Some(field) = record.iter().position(bad) {
                return Err(Problem {
                    line: Some(self.line_of(&record)),
                    field: Some(field + 1),
                    problem: ReadProblem::NotUtf8,
                });
            }
        }
        // Outside of any field: in a comment.
        Err(Problem {
            line: Some(self.line + newlines(&self.text[..error.valid_up_to()])),
            field: None,
            problem: ReadProblem::NotUtf8,
        })
    }

    fn line_of_record(&self, record: usize) -> Option<u64> {
        let mut parser = self.dialect.parser(&self.text);
        let found = parser.byte_records().nth(record)?.ok()?;
        Some(self.line_of(&found))
    }

    /// The position of the parser in the text: an added byte order mark does not count.
    fn place(&self, position: &csv::Position) -> usize {
        let added = match self.text.starts_with(BYTE_ORDER_MARK) {
            true => BYTE_ORDER_MARK.len(),
            false => 0,
        };
        // Before the first record the parser has not passed the mark yet.
        (position.byte() as usize).saturating_sub(added)
    }

    /// The line that a record starts on. The parser reports where it began to look for the record,
    /// which may be before empty lines and comments.
    pub(super) fn line_of(&self, record: &csv::ByteRecord) -> u64 {
        let mut start = record.position().map_or(0, |at| self.place(at));
        while let Some(&byte) = self.text.get(start) {
            match byte {
                b'\n' | b'\r' => start += 1,
                _ if Some(byte) == self.dialect.comment => {
                    let rest = &self.text[start..];
                    let end = rest.iter().position(|&byte| byte == b'\n');
                    start += end.unwrap_or(rest.len());
                }
                _ => break,
            }
        }
        self.line + newlines(&self.text[..start])
    }
}

pub(super) fn newlines(text: &[u8]) -> u64 {
    text.iter().filter(|&&byte| byte == b'\n').count() as u64
}
