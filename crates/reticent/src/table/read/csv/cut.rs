//! A stream cut into blocks of whole records.

use std::io::Read;

use super::super::error::ReadProblem;
use super::super::source::Source;
use super::block::{Block, newlines};
use super::{Dialect, Problem};

/// No record is longer: a quote that is never closed would otherwise swallow the whole file.
const LONGEST_RECORD: usize = 1 << 26;

/// What a text file may start with to say that it is UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many of the first bytes are looked at for zeros, which no text in UTF-8 has: UTF-16 has them
/// in every other place, and workbooks and archives near their start.
const NO_TEXT: usize = 8;

pub(super) struct Blocks<'a> {
    source: Source<'a>,
    dialect: Dialect,
    size: usize,
    /// The start of a record whose end has not been read.
    carried: Vec<u8>,
    line: u64,
    started: bool,
    ended: bool,
    /// What comes after the last whole record.
    fault: Option<Problem>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(source: Source<'a>, dialect: Dialect, size: usize) -> Self {
        Self {
            source,
            dialect,
            size,
            carried: Vec::new(),
            line: 1,
            started: false,
            ended: false,
            fault: None,
        }
    }

    /// The next blocks, and the error that stopped them if there was one.
    pub(super) fn batch(&mut self, most: usize) -> (Vec<Block>, Option<Problem>) {
        let mut blocks = Vec::with_capacity(most);
        while blocks.len() < most {
            match self.next() {
                Ok(Some(block)) => blocks.push(block),
                Ok(None) => break,
                Err(problem) => return (blocks, Some(problem)),
            }
        }
        (blocks, None)
    }

    /// The next whole records: about as many bytes as a block has, or one record that is longer.
    pub(super) fn next(&mut self) -> Result<Option<Block>, Problem> {
        let mut text = std::mem::take(&mut self.carried);
        while !self.ended {
            self.more(&mut text)?;
            let Cut { end, open, stray } = cut(&text, self.dialect);
            if let Some(at) = stray {
                self.fault = Some(self.open_quote(&text[..at], ReadProblem::AfterQuote));
                text.truncate(end);
                self.ended = true;
                break;
            }
            if self.ended {
                if let Some(start) = open {
                    let before = &text[..start];
                    self.fault = Some(self.open_quote(before, ReadProblem::OpenQuote));
                    text.truncate(end);
                }
                break;
            }
            if end > 0 {
                self.carried = text.split_off(end);
                break;
            }
            if text.len() > LONGEST_RECORD {
                return Err(self.open_quote(&[], ReadProblem::RecordTooLong));
            }
        }
        if text.is_empty() {
            return self.fault.take().map_or(Ok(None), Err);
        }
        let block = Block {
            line: self.line,
            dialect: self.dialect,
            text,
        };
        self.line += newlines(&block.text);
        Ok(Some(block))
    }

    /// Reads on, with growing reads if a record is long, so that each byte is examined only a few
    /// times in the search for its end.
    fn more(&mut self, text: &mut Vec<u8>) -> Result<(), Problem> {
        // So long that the first text shows whether it is one, and has a byte order mark: whatever
        // the size of blocks.
        let wanted = self.size.max(text.len()).max(NO_TEXT);
        let read = (&mut self.source)
            .take(wanted as u64)
            .read_to_end(text)
            .map_err(|error| self.source.problem(error))?;
        self.ended = read < wanted;
        if !self.started {
            self.started = true;
            if text.iter().take(NO_TEXT).any(|&byte| byte == 0) {
                return Err(ReadProblem::NoText.into());
            }
            if text.starts_with(BYTE_ORDER_MARK) {
                text.drain(..BYTE_ORDER_MARK.len());
            }
        }
        Ok(())
    }

    fn open_quote(&self, before: &[u8], problem: ReadProblem) -> Problem {
        Problem {
            line: Some(self.line + newlines(before)),
            field: None,
            problem,
        }
    }
}

/// Where the last whole record ends, and where a quote opens that is not closed.
struct Cut {
    end: usize,
    open: Option<usize>,
    /// Where text follows the quote that closes a field: most likely a quote that opened records
    /// earlier and ends here. What lies between would count as one field, and those records would
    /// vanish for the content of one.
    stray: Option<usize>,
}

/// What a byte can be in the middle of.
#[derive(Clone, Copy)]
enum State {
    Record,
    Comment,
    FieldStart,
    Field,
    Quotes(usize),
    QuoteSeen(usize),
}

/// `text` starts with a record. Line ends within quotes are no ends of records; the rules are
/// those of the parser.
fn cut(text: &[u8], dialect: Dialect) -> Cut {
    let Some(quote) = text.iter().position(|&byte| byte == b'"') else {
        let end = text.iter().rposition(|&byte| byte == b'\n');
        return Cut {
            end: end.map_or(0, |end| end + 1),
            open: None,
            stray: None,
        };
    };
    // Before the first quote, every line end is the end of a record.
    let start = text[..quote].iter().rposition(|&byte| byte == b'\n');
    let mut end = start.map_or(0, |end| end + 1);
    let mut state = State::Record;
    let mut stray = None;
    for (at, &byte) in text.iter().enumerate().skip(end) {
        let closed = matches!(state, State::QuoteSeen(_));
        state = match (state, byte) {
            (State::Comment, b'\n') => State::Record,
            (State::Comment, _) => State::Comment,
            (State::Quotes(from), b'"') => State::QuoteSeen(from),
            (State::Quotes(from), _) => State::Quotes(from),
            (_, b'\n' | b'\r') => State::Record,
            (State::Record, byte) if Some(byte) == dialect.comment => State::Comment,
            (State::QuoteSeen(from), b'"') => State::Quotes(from),
            (State::Record | State::FieldStart, b'"') => State::Quotes(at),
            (_, byte) if byte == dialect.delimiter => State::FieldStart,
            _ => State::Field,
        };
        if closed && matches!(state, State::Field) && !matches!(byte, b' ' | b'\t') {
            stray = Some(at);
            break;
        }
        if byte == b'\n' && matches!(state, State::Record) {
            end = at + 1;
        }
    }
    let open = match state {
        State::Quotes(from) => Some(from),
        _ => None,
    };
    Cut { end, open, stray }
}
