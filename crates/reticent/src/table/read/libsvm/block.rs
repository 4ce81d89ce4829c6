//! Parsing a block of LIBSVM lines: one pass over its bytes, into the arrays of a sparse matrix.

use super::super::error::ReadProblem;
use super::super::number::{self, NumberError};

/// What is declared about the columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    /// What the first is called: 0 or 1.
    pub(super) first: u32,
    /// How many there are, if that is declared.
    pub(super) declared: Option<usize>,
}

/// The records of a block. Lines and records count from 0 at its start.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The label of each record.
    pub(super) labels: Vec<f64>,
    /// Where each record ends among the entries.
    pub(super) ends: Vec<usize>,
    /// The column of each entry, from 0.
    pub(super) columns: Vec<u32>,
    /// The value of each entry, never 0.
    pub(super) values: Vec<f32>,
    /// The lines of the records: each pair is a record and its line, and the records up to the next
    /// pair are on the lines that follow.
    pub(super) places: Vec<(usize, u64)>,
    /// How many lines there are.
    pub(super) lines: u64,
    /// How many columns the indices need, explicit zeros included.
    pub(super) width: usize,
    /// The first thing that is wrong; nothing after it was parsed.
    pub(super) fault: Option<Fault>,
}

/// Something wrong, and where.
#[derive(Debug)]
pub(super) struct Fault {
    /// The line, from 0 in the block.
    pub(super) line: u64,
    /// The byte in the line, from 1.
    pub(super) column: u64,
    /// What is wrong.
    pub(super) problem: ReadProblem,
}

impl Block {
    /// Parses whole lines; the block's earlier content is dropped, its memory reused.
    pub(super) fn parse(&mut self, text: &[u8], columns: Columns) {
        self.labels.clear();
        self.ends.clear();
        self.columns.clear();
        self.values.clear();
        self.places.clear();
        self.lines = 0;
        self.width = 0;
        self.fault = None;
        let mut cursor = Cursor { text, at: 0 };
        while cursor.at < text.len() {
            let start = cursor.at;
            if let Err((at, problem)) = self.line(&mut cursor, columns) {
                self.fault = Some(Fault {
                    line: self.lines,
                    column: (at - start) as u64 + 1,
                    problem,
                });
                return;
            }
            self.lines += 1;
        }
    }

    /// One line: nothing, or a record.
    fn line(&mut self, cursor: &mut Cursor, columns: Columns) -> Result<(), Wrong> {
        if cursor.line_is_over() {
            return Ok(());
        }
        let label = cursor.label()?;
        self.place();
        let mut over = cursor.line_is_over();
        if !over && cursor.rest().starts_with(b"qid:") {
            cursor.query_id()?;
            over = cursor.line_is_over();
        }
        // The least index that may come next; in u64, for the last is u32::MAX.
        let mut least = 0;
        while !over {
            let start = cursor.at;
            let index = cursor.index()?;
            let column = placed(index, least, columns).map_err(|problem| (start, problem))?;
            least = u64::from(index) + 1;
            self.width = self.width.max(column as usize + 1);
            let value = cursor.value()?;
            // An explicit zero means the same as leaving it out.
            if value != 0.0 {
                self.columns.push(column);
                self.values.push(value);
            }
            over = cursor.line_is_over();
        }
        self.labels.push(label);
        self.ends.push(self.columns.len());
        Ok(())
    }

    /// Notes the line of the record that is about to be parsed, unless it follows the last.
    fn place(&mut self) {
        let record = self.labels.len();
        let follows = self
            .places
            .last()
            .is_some_and(|&(first, line)| line + (record - first) as u64 == self.lines);
        if !follows {
            self.places.push((record, self.lines));
        }
    }
}

/// A byte of the text, and what is wrong there.
type Wrong = (usize, ReadProblem);

/// The column of an index, if it is allowed here.
#[inline]
fn placed(index: u32, least: u64, columns: Columns) -> Result<u32, ReadProblem> {
    let column = index
        .checked_sub(columns.first)
        .ok_or(ReadProblem::IndexZero)?;
    if let Some(declared) = columns.declared
        && column as usize >= declared
    {
        return Err(ReadProblem::IndexBeyondColumns(declared));
    }
    match u64::from(index) + 1 {
        next if next > least => Ok(column),
        next if next == least => Err(ReadProblem::IndexTwice),
        _ => Err(ReadProblem::IndexOrder),
    }
}

/// A place in the text of a block.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

/// Blanks within a line; the carriage return of a Windows line end is one.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

/// What a token ends at.
fn is_end(byte: u8) -> bool {
    is_blank(byte) || matches!(byte, b'\n' | b'#')
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    /// Skips blanks; at the end of the line or at a comment, skips to the next line and says so.
    #[inline]
    fn line_is_over(&mut self) -> bool {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
        match self.peek() {
            None => true,
            Some(b'\n') => {
                self.at += 1;
                true
            }
            Some(b'#') => {
                let end = self.rest().iter().position(|&byte| byte == b'\n');
                self.at = end.map_or(self.text.len(), |end| self.at + end + 1);
                true
            }
            Some(_) => false,
        }
    }

    /// Takes the token that starts here.
    fn token(&mut self) -> &[u8] {
        let start = self.at;
        let rest = self.rest();
        self.at += rest
            .iter()
            .position(|&byte| is_end(byte))
            .unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn label(&mut self) -> Result<f64, Wrong> {
        if let Some((value, length)) = number::prefix_f64(self.rest(), is_end) {
            self.at += length;
            return Ok(value);
        }
        let start = self.at;
        let token = self.token();
        let problem = match number::any_f64(token) {
            Ok(value) => return Ok(value),
            Err(NumberError::Malformed) if token.contains(&b':') => ReadProblem::LabelMissing,
            Err(NumberError::Malformed) => ReadProblem::LabelNotANumber,
            Err(NumberError::NotFinite) => ReadProblem::LabelNotFinite,
        };
        Err((start, problem))
    }

    /// `qid:` and a number, which linear models ignore.
    fn query_id(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        let number = &self.token()[b"qid:".len()..];
        match !number.is_empty() && number.iter().all(u8::is_ascii_digit) {
            true => Ok(()),
            false => Err((start, ReadProblem::QueryId)),
        }
    }

    /// An index and its colon.
    #[inline]
    fn index(&mut self) -> Result<u32, Wrong> {
        let start = self.at;
        let mut index = 0u64;
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0'))
            && digit < 10
        {
            index = index.saturating_mul(10).saturating_add(u64::from(digit));
            self.at += 1;
        }
        match self.peek() {
            Some(b':') if self.at > start => self.at += 1,
            Some(byte) if !is_end(byte) => return Err((start, ReadProblem::IndexNotANumber)),
            _ => return Err((start, ReadProblem::CutShort)),
        }
        u32::try_from(index).map_err(|_| (start, ReadProblem::IndexTooLarge))
    }

    #[inline]
    fn value(&mut self) -> Result<f32, Wrong> {
        if let Some((value, length)) = number::prefix_f32(self.rest(), is_end) {
            self.at += length;
            return Ok(value);
        }
        let start = self.at;
        let problem = match self.token() {
            [] => ReadProblem::CutShort,
            token => match number::any_f32(token) {
                Ok(value) => return Ok(value),
                Err(NumberError::Malformed) => ReadProblem::ValueNotANumber,
                Err(NumberError::NotFinite) => ReadProblem::ValueNotFinite,
            },
        };
        Err((start, problem))
    }
}
