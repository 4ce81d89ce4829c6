//! Drafts of schemas: from the header alone, and from the values of named columns.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use super::csv;
use super::encode::Cell;
use super::error::{ReadError, ReadProblem};
use super::key::Key;
use super::number::{self, NumberError};
use super::{Format, whole_file};
use crate::table::look::{is_date, is_missing};
use crate::table::schema::{Bounds, Draft, DraftColumn, MISSING, Proposal};

/// The largest number of levels of a category.
const MOST_LEVELS: usize = 1000;

/// What to draft.
#[derive(Debug, Clone, Copy)]
pub struct Drafting<'a> {
    /// Whether the first line of a text file holds the names; the columns are numbered if not.
    pub header: bool,
    /// Whether the names may look like values.
    pub any_header: bool,
    /// What separates the fields of a text file.
    pub delimiter: u8,
    /// The column to predict.
    pub target: Option<&'a str>,
    /// The columns whose bounds, levels or classes are taken from their values, which is not
    /// private: the schema marks them.
    pub from_values: &'a [String],
}

/// Drafts a schema for a file. Only the names of the columns are read, and their types if the
/// file's metadata have them, unless `from_values` says otherwise.
pub fn draft(path: &Path, drafting: &Drafting) -> Result<Draft, ReadError> {
    match Format::of(path) {
        Format::Libsvm => Err(whole_file(path)(ReadProblem::NoNames)),
        Format::Csv => csv::draft(path, drafting),
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::draft(path, drafting),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(whole_file(path)(ReadProblem::Format("Parquet"))),
    }
}

impl Drafting<'_> {
    /// The draft of a file with these columns, and the numbers of those whose values are wanted.
    pub(super) fn begin(
        &self,
        columns: Vec<(String, Proposal)>,
    ) -> Result<(Draft, Vec<usize>), ReadProblem> {
        let place = |name: &str| {
            let found = columns.iter().position(|(column, _)| column == name);
            found.ok_or_else(|| ReadProblem::NoSuchColumn {
                name: name.to_owned(),
                columns: columns.iter().map(|(column, _)| column.clone()).collect(),
            })
        };
        let target = self.target.map(place).transpose()?;
        let wanted: Result<_, _> = self.from_values.iter().map(|name| place(name)).collect();
        let wanted = wanted?;
        let columns = columns
            .into_iter()
            .enumerate()
            .map(|(at, (name, proposal))| DraftColumn {
                name,
                target: target == Some(at),
                proposal,
            });
        let draft = Draft {
            header: self.header,
            delimiter: self.delimiter,
            columns: columns.collect(),
        };
        Ok((draft, wanted))
    }
}

/// The first name that looks like a value (a number, a date, a truth value, a text that means
/// missing) or occurs a second time.
pub(super) fn like_a_value(names: &[String]) -> Option<usize> {
    let value = |name: &str| {
        !matches!(
            number::any_f64(name.as_bytes()),
            Err(NumberError::Malformed)
        ) || Key::of_text(name.as_bytes()).number().is_ok()
            || is_missing(name)
            || is_date(name)
    };
    let twice = |at: usize| names[..at].contains(&names[at]);
    (0..names.len()).find(|&at| value(&names[at]) || twice(at))
}

/// What the values of a column are, as they come.
#[derive(Debug, Default)]
pub(super) struct Survey {
    texts: BTreeSet<String>,
    too_many: bool,
    not_numbers: bool,
    ends: Option<(f64, f64)>,
}

impl Survey {
    pub(super) fn see(&mut self, cell: Cell) {
        let Some(text) = cell.text() else { return };
        let text = String::from_utf8_lossy(&text);
        if MISSING.contains(&&*text) {
            return;
        }
        match number::any_f64(text.as_bytes()) {
            Ok(value) => {
                let (low, high) = self.ends.unwrap_or((value, value));
                self.ends = Some((low.min(value), high.max(value)));
            }
            Err(_) => self.not_numbers = true,
        }
        if !self.too_many && !self.texts.contains(&*text) {
            self.texts.insert(text.into_owned());
            self.too_many = self.texts.len() > MOST_LEVELS;
        }
    }

    /// Numbers have bounds, texts are levels; a target of texts, or with two labels, has them
    /// for classes.
    pub(super) fn proposal(self, column: &DraftColumn) -> Result<Proposal, ReadProblem> {
        let unusable = || ReadProblem::NothingToTake(column.name.clone());
        let texts = distinct(self.texts);
        let labels = texts.len();
        let classes = labels == 2 || (self.not_numbers && labels > 2 && !self.too_many);
        match (column.target, self.not_numbers) {
            (true, _) if classes => Ok(Proposal::Levels(texts)),
            (_, false) => {
                let (low, high) = self.ends.ok_or_else(unusable)?;
                let bounds = Bounds::new(low, high).ok_or_else(unusable)?;
                Ok(Proposal::Bounds(bounds))
            }
            (false, true) if !self.too_many => {
                let levels = texts.into_iter();
                // It is always a level.
                Ok(Proposal::Levels(
                    levels.filter(|l| l != super::OTHER).collect(),
                ))
            }
            (_, true) => Err(unusable()),
        }
    }
}

/// The distinct texts, one for each set of equal ones, such as `1` and `1.0`.
fn distinct(texts: BTreeSet<String>) -> Vec<String> {
    let mut keys = HashSet::new();
    let mut distinct = Vec::new();
    for text in &texts {
        if keys.insert(Key::of_text(text.as_bytes())) {
            distinct.push(text.clone());
        }
    }
    distinct
}
