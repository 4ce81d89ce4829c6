//! From labels to two classes: by declaration, or the two labels that a file has.

use std::collections::HashMap;

use super::error::ReadProblem;
use super::number;
use crate::data::table::Target;

/// Which labels make up a class: `label`, `a|b|c`, or `*` for all others; with a name before
/// an `=` if the class is to be called differently.
///
/// Labels that are numbers are compared as numbers (`+1`, `1` and `1.0` are the same), others
/// exactly, blanks around them aside. A name is made of letters, digits, blanks, `_` and `-`, so
/// that `<=50K` is a label and `poor=<=50K` a label with a name.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPattern {
    /// What the class is called.
    pub name: String,
    /// Its labels; `None` for all that the other class does not list.
    pub labels: Option<Vec<String>>,
}

/// Why classes can not be declared so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClassPatternError {
    /// Not two patterns.
    #[error("two classes with a comma between are needed, the positive one second; got {0}")]
    NotTwo(usize),
    /// Nothing where a label or name should stand.
    #[error("'{0}' has an empty label or name; write a class as `label`, `a|b|c`, `*` or `name=…`")]
    EmptyLabel(String),
    /// A star among labels.
    #[error("'{0}' lists * among labels; * alone stands for all labels that the other class lacks")]
    StarInList(String),
    /// Two stars.
    #[error("both classes are *; list the labels of at least one")]
    BothRest,
    /// One label twice.
    #[error("'{0}' is in both classes; a label belongs to one")]
    InBoth(String),
    /// Two classes of one name.
    #[error("both classes are called '{0}'; name one of them differently, as in `name=…`")]
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

    /// Two classes, the negative one first, that can be told apart.
    pub fn pair(negative: &str, positive: &str) -> Result<[Self; 2], ClassPatternError> {
        let pair = [Self::parse(negative)?, Self::parse(positive)?];
        match [&pair[0].labels, &pair[1].labels] {
            [None, None] => return Err(ClassPatternError::BothRest),
            [Some(first), Some(_)] => {
                let second = pair[1].listed();
                if let Some(label) = first.iter().find(|l| second.contains(&Label::of(l))) {
                    return Err(ClassPatternError::InBoth(label.clone()));
                }
            }
            _ => {}
        }
        if pair[0].name == pair[1].name {
            return Err(ClassPatternError::SameName(pair[0].name.clone()));
        }
        Ok(pair)
    }

    /// Two classes with a comma between, as on the command line: `no,yes`, `1|2|3,*`.
    pub fn parse_pair(text: &str) -> Result<[Self; 2], ClassPatternError> {
        match text.split(',').collect::<Vec<_>>()[..] {
            [negative, positive] => Self::pair(negative, positive),
            ref others => Err(ClassPatternError::NotTwo(others.len())),
        }
    }

    fn listed(&self) -> Vec<Label> {
        self.labels.iter().flatten().map(|l| Label::of(l)).collect()
    }
}

/// A label as it is compared: numbers come before texts.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
enum Label {
    /// Finite, and never −0.
    Number(f64),
    Text(String),
}

impl Label {
    fn of(text: &str) -> Self {
        let text = text.trim();
        match number::any_f64(text.as_bytes()) {
            Ok(value) => Self::number(value),
            Err(_) => Self::Text(text.to_owned()),
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
    #[cfg_attr(not(test), expect(dead_code, reason = "for tables with named columns"))]
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
        // A code for each of 2³² labels: memory ends long before.
        (self.known.len() - 1) as u32
    }

    /// The class of each record.
    ///
    /// Declared classes must cover every label; that only one of them occurs is accepted, for a
    /// refusal would tell neighbouring tables apart. Without a declaration the file must have
    /// two labels, the larger of which is the positive class, and `assumed` says so.
    pub(super) fn into_classes(
        self,
        declared: Option<&[ClassPattern; 2]>,
        assumed: &mut Vec<String>,
    ) -> Result<Target, LabelProblem> {
        let (is_second, names) = match declared {
            Some(patterns) => (
                self.by_declaration(patterns)?,
                patterns.clone().map(|pattern| pattern.name),
            ),
            None => {
                let second = self.by_order()?;
                let name = |which: bool| {
                    let at = second.iter().position(|&is| is == which).unwrap_or(0);
                    self.known[at].name()
                };
                let names = [name(false), name(true)];
                assumed.push(format!(
                    "the classes ({} and {}) were taken from the file",
                    names[0], names[1]
                ));
                (second, names)
            }
        };
        let second = self.codes.iter().map(|&code| is_second[code as usize]);
        Ok(Target::Classes {
            second: second.collect(),
            names,
        })
    }

    /// Whether each known label is of the second class.
    fn by_declaration(&self, patterns: &[ClassPattern; 2]) -> Result<Vec<bool>, LabelProblem> {
        let listed = patterns.each_ref().map(ClassPattern::listed);
        let class = |(label, &record): (&Label, &usize)| match (
            listed[0].contains(label),
            listed[1].contains(label),
        ) {
            (true, _) => Ok(false),
            (_, true) => Ok(true),
            _ if patterns[1].labels.is_none() => Ok(true),
            _ if patterns[0].labels.is_none() => Ok(false),
            _ => Err(LabelProblem {
                record: Some(record),
                problem: ReadProblem::LabelUndeclared,
            }),
        };
        self.known.iter().zip(&self.first).map(class).collect()
    }

    /// Of two labels, whether each is the larger.
    fn by_order(&self) -> Result<Vec<bool>, LabelProblem> {
        match &self.known[..] {
            [first, second] => Ok(vec![first > second, second > first]),
            [_, _, ..] => Err(LabelProblem {
                record: Some(self.first[2]),
                problem: ReadProblem::ManyClasses,
            }),
            _ => Err(LabelProblem {
                record: None,
                problem: ReadProblem::OneClass,
            }),
        }
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

#[cfg(test)]
mod tests;
