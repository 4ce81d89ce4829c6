//! From labels to classes: by declaration, or the labels that a file has.

use std::cmp::Ordering::Equal;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use super::error::ReadProblem;
use super::key::Key;
use crate::table::Target;

/// More classes than this are a mistake: most likely a number that was taken for a label.
pub const MOST_CLASSES: usize = 10_000;

/// How many classes are named in the note that they were taken from a file; the model lists all of
/// them.
const NAMED: usize = 20;

/// Which labels make up a class: `label`, `a|b|c`, or `*` for all others; with a name before
/// an `=` if the class is to be called differently.
///
/// Labels that are numbers are compared as numbers (`+1`, `1` and `1.0` are the same), truth values
/// as such (`true` and `True`), others exactly, blanks around them aside. A name is made of letters, digits, blanks, `_` and `-`, so
/// that `<=50K` is a label and `poor=<=50K` a label with a name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPattern {
    /// What the class is called.
    pub name: String,
    /// Its labels; `None` for all that no other class lists.
    pub labels: Option<Vec<String>>,
}

/// Why a declaration of classes is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassPatternError {
    /// Fewer than two patterns.
    #[error("at least two classes with a comma between are needed; got {0}")]
    TooFew(usize),
    /// More patterns than there may be.
    #[error("at most {MOST_CLASSES} classes are allowed; got {0}; is the target a number?")]
    TooMany(usize),
    /// An empty label or name.
    #[error("'{0}' has an empty label or name; write a class as `label`, `a|b|c`, `*` or `name=…`")]
    EmptyLabel(String),
    /// A star among labels.
    #[error("'{0}' lists * among labels; * alone stands for all labels that no other class lists")]
    StarInList(String),
    /// Two stars.
    #[error("two classes are *; list the labels of all but one")]
    TwoRest,
    /// One label twice.
    #[error("'{0}' is in two classes; a label belongs to one")]
    InTwo(String),
    /// Two classes of one name.
    #[error("two classes are called '{0}'; name one of them differently, as in `name=…`")]
    SameName(String),
}

impl ClassPattern {
    /// One class. Without a name it is called by its labels, and `*` is called `other`.
    pub fn parse(text: &str) -> Result<Self, ClassPatternError> {
        let in_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-');
        let (name, labels) = match text.split_once('=') {
            Some((name, labels)) if name.chars().all(in_name) => (Some(name.trim()), labels.trim()),
            _ => (None, text.trim()),
        };
        if name == Some("") {
            return Err(ClassPatternError::EmptyLabel(text.to_owned()));
        }
        if labels == "*" {
            return Ok(Self {
                name: name.unwrap_or("other").to_owned(),
                labels: None,
            });
        }
        let list: Vec<String> = labels.split('|').map(|l| l.trim().to_owned()).collect();
        if list.iter().any(String::is_empty) {
            return Err(ClassPatternError::EmptyLabel(text.to_owned()));
        }
        if list.iter().any(|label| label == "*") {
            return Err(ClassPatternError::StarInList(text.to_owned()));
        }
        Ok(Self {
            name: name.map_or_else(|| list.join("|"), str::to_owned),
            labels: Some(list),
        })
    }

    /// Distinct classes, as many as there are texts. Of two, the positive one is second.
    pub fn list(texts: &[impl AsRef<str>]) -> Result<Vec<Self>, ClassPatternError> {
        let patterns: Result<Vec<_>, _> = texts.iter().map(|t| Self::parse(t.as_ref())).collect();
        let patterns = patterns?;
        Self::check(&patterns)?;
        Ok(patterns)
    }

    /// Classes with commas between, as on the command line: `no,yes`, `1|2|3,*`, `a,b,c,*`.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, ClassPatternError> {
        Self::list(&text.split(',').collect::<Vec<_>>())
    }

    /// Refuses classes that are not distinct.
    pub(crate) fn check(patterns: &[Self]) -> Result<(), ClassPatternError> {
        match patterns.len() {
            few @ 0..2 => return Err(ClassPatternError::TooFew(few)),
            many if many > MOST_CLASSES => return Err(ClassPatternError::TooMany(many)),
            _ => {}
        }
        let mut class_of = HashMap::new();
        let mut names = HashSet::new();
        let mut rest = false;
        for (class, pattern) in patterns.iter().enumerate() {
            match &pattern.labels {
                None if rest => return Err(ClassPatternError::TwoRest),
                None => rest = true,
                Some(labels) if labels.is_empty() => {
                    return Err(ClassPatternError::EmptyLabel(pattern.name.clone()));
                }
                Some(labels) => {
                    for label in labels {
                        if *class_of.entry(Label::of(label)).or_insert(class) != class {
                            return Err(ClassPatternError::InTwo(label.clone()));
                        }
                    }
                }
            }
            if !names.insert(&pattern.name) {
                return Err(ClassPatternError::SameName(pattern.name.clone()));
            }
        }
        Ok(())
    }
}

/// A label as it is compared: numbers come before texts.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Label {
    /// Finite, and never −0.
    Number(f64),
    Text(String),
}

/// A number is never NaN, and zero has one sign: equal labels have equal bits.
impl Eq for Label {}

impl Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Number(value) => value.to_bits().hash(state),
            Self::Text(text) => text.hash(state),
        }
    }
}

impl Label {
    fn of(text: &str) -> Self {
        match Key::of_text(text.trim().as_bytes()) {
            Key::Number(bits) => Self::number(f64::from_bits(bits)),
            // A text, or the name of a truth value.
            Key::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
        }
    }

    fn number(value: f64) -> Self {
        Self::Number(value + 0.0) // −0 + 0 is 0
    }

    /// The shortest form that reads back as the same label.
    fn name(&self) -> String {
        match self {
            Self::Number(value) if *value == 0.0 || (1e-5..1e16).contains(&value.abs()) => {
                value.to_string()
            }
            Self::Number(value) => format!("{value:e}"),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The labels of a file, each kept once, and which of them each record has.
#[derive(Debug, Default)]
pub(super) struct Labels {
    known: Vec<Label>,
    /// The record that had it first.
    first: Vec<usize>,
    codes: Vec<u32>,
    by_bits: HashMap<u64, u32>,
    by_text: HashMap<String, u32>,
}

impl Labels {
    /// The label of the next record, a finite number.
    pub(super) fn push_number(&mut self, value: f64) {
        let code = self.number_code(value);
        self.codes.push(code);
    }

    /// The label of the next record, a text that may be a number.
    pub(super) fn push_text(&mut self, text: &str) {
        let code = match self.by_text.get(text) {
            Some(&code) => code,
            None => {
                let code = match Label::of(text) {
                    Label::Number(value) => self.number_code(value),
                    Label::Text(trimmed) => match self.by_text.get(&trimmed) {
                        Some(&code) => code,
                        None => {
                            let code = self.added(Label::Text(trimmed.clone()));
                            self.by_text.insert(trimmed, code);
                            code
                        }
                    },
                };
                self.by_text.insert(text.to_owned(), code);
                code
            }
        };
        self.codes.push(code);
    }

    fn number_code(&mut self, value: f64) -> u32 {
        let value = value + 0.0;
        match self.by_bits.get(&value.to_bits()) {
            Some(&code) => code,
            None => {
                let code = self.added(Label::number(value));
                self.by_bits.insert(value.to_bits(), code);
                code
            }
        }
    }

    fn added(&mut self, label: Label) -> u32 {
        self.known.push(label);
        self.first.push(self.codes.len());
        // There are codes for 2³² labels: memory runs out long before.
        (self.known.len() - 1) as u32
    }

    /// The class of each record.
    ///
    /// Declared classes must cover every label; classes that do not occur are accepted, because a
    /// refusal would distinguish neighbouring tables. Without a declaration the labels of the file
    /// are the classes, in order, the positive one of two last; `assumed` says so.
    pub(super) fn into_classes(
        mut self,
        declared: Option<&[ClassPattern]>,
        how_many: HowMany,
        assumed: &mut Vec<String>,
    ) -> Result<Target, LabelProblem> {
        let (class_of, names) = match declared {
            Some(patterns) => {
                let names = patterns.iter().map(|pattern| pattern.name.clone());
                (self.by_declaration(patterns, how_many)?, names.collect())
            }
            None => {
                let (class_of, names) = self.by_order(how_many)?;
                assumed.push(format!(
                    "the classes ({}) were taken from the file",
                    listed(&names)
                ));
                (class_of, names)
            }
        };
        for code in &mut self.codes {
            *code = class_of[*code as usize];
        }
        Ok(Target::Classes {
            class: self.codes,
            names,
        })
    }

    /// The class of each known label.
    fn by_declaration(
        &self,
        patterns: &[ClassPattern],
        how_many: HowMany,
    ) -> Result<Vec<u32>, LabelProblem> {
        how_many.check(patterns)?;
        let mut listed = HashMap::new();
        let mut rest = None;
        for (class, pattern) in (0u32..).zip(patterns) {
            match &pattern.labels {
                None => rest = Some(class),
                Some(labels) => listed.extend(labels.iter().map(|l| (Label::of(l), class))),
            }
        }
        let class = |(label, &record): (&Label, &usize)| {
            let found = listed.get(label).copied().or(rest);
            found.ok_or(LabelProblem {
                record: Some(record),
                problem: ReadProblem::LabelUndeclared,
            })
        };
        self.known.iter().zip(&self.first).map(class).collect()
    }

    /// The place of each known label in their order, and the names in that order.
    fn by_order(&self, how_many: HowMany) -> Result<(Vec<u32>, Vec<String>), LabelProblem> {
        let (most, too_many) = match how_many {
            HowMany::Two => (2, ReadProblem::ManyClasses),
            HowMany::Several => (MOST_CLASSES, ReadProblem::ManyLabels),
        };
        if let Some(&record) = self.first.get(most) {
            return Err(LabelProblem {
                record: Some(record),
                problem: too_many,
            });
        }
        if self.known.len() < 2 {
            return Err(ReadProblem::OneClass.into());
        }
        let mut order: Vec<usize> = (0..self.known.len()).collect();
        // No label is NaN: any two compare.
        order.sort_by(|&a, &b| self.known[a].partial_cmp(&self.known[b]).unwrap_or(Equal));
        let names = order
            .iter()
            .map(|&label| self.known[label].name())
            .collect();
        let mut class_of = vec![0; order.len()];
        for (class, &label) in (0u32..).zip(&order) {
            class_of[label] = class;
        }
        Ok((class_of, names))
    }
}

/// How many classes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HowMany {
    /// Two.
    Two,
    /// Two or more.
    Several,
}

impl HowMany {
    /// Refuses another number of declared classes.
    pub(super) fn check(self, patterns: &[ClassPattern]) -> Result<(), ReadProblem> {
        match (self, patterns.len()) {
            (Self::Two, 2) => Ok(()),
            (Self::Several, 2..=MOST_CLASSES) => Ok(()),
            (Self::Two, declared) => Err(ReadProblem::NotTwoDeclared(declared)),
            (Self::Several, declared) => Err(ReadProblem::DeclaredClasses(declared)),
        }
    }
}

/// `a, b and c`; of very many, the first.
fn listed(names: &[String]) -> String {
    match names {
        [all @ .., last] if names.len() <= NAMED => format!("{} and {last}", all.join(", ")),
        _ => format!(
            "{} and {} more",
            names[..NAMED].join(", "),
            names.len() - NAMED
        ),
    }
}

/// What is wrong with the labels, and which record shows it first.
#[derive(Debug)]
pub(super) struct LabelProblem {
    /// The record, from 0.
    pub(super) record: Option<usize>,
    /// What is wrong.
    pub(super) problem: ReadProblem,
}

impl From<ReadProblem> for LabelProblem {
    fn from(problem: ReadProblem) -> Self {
        Self {
            record: None,
            problem,
        }
    }
}

#[cfg(test)]
mod tests;
