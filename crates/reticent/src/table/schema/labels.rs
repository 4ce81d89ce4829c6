//! What classes are declared as: texts, whole numbers or truth values.

use super::file::{ClassFile, MissingFile};
use crate::table::read::ClassPattern;

/// The type of declared classes, which is that of predicted labels where a language has types.
/// Labels are found however they are written or stored, whichever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelType {
    /// `["no", "yes"]`, in which patterns such as `a|b` and `*` may occur.
    Text,
    /// `[0, 1]`.
    Integer,
    /// `[false, true]`.
    Truth,
}

impl LabelType {
    /// The type of classes, if it is one.
    pub(super) fn of(classes: &[ClassFile]) -> Option<Self> {
        let one = |class: &ClassFile| match class {
            ClassFile::Text(_) => Self::Text,
            ClassFile::Integer(_) => Self::Integer,
            ClassFile::Truth(_) => Self::Truth,
        };
        let first = classes.first().map_or(Self::Text, one);
        classes
            .iter()
            .all(|class| one(class) == first)
            .then_some(first)
    }

    /// A class as it is written.
    pub(super) fn written(self, text: String) -> ClassFile {
        match self {
            Self::Text => ClassFile::Text(text),
            // The texts were made of such classes.
            Self::Integer => match text.parse() {
                Ok(number) => ClassFile::Integer(number),
                Err(_) => ClassFile::Text(text),
            },
            Self::Truth => ClassFile::Truth(text == "true"),
        }
    }

    /// The class that a rule for missing labels names; `None` if there is none.
    pub(super) fn named(self, rule: &MissingFile, patterns: &[ClassPattern]) -> Option<usize> {
        let name = match (self, rule) {
            (_, MissingFile::Word(word)) => word.clone(),
            // The shortest form of a whole number, as that of an integer.
            (Self::Integer, MissingFile::Number(number)) => number.to_string(),
            (Self::Truth, MissingFile::Truth(truth)) => truth.to_string(),
            _ => return None,
        };
        patterns.iter().position(|pattern| pattern.name == name)
    }
}

impl ClassFile {
    /// As a pattern is written.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Integer(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
        }
    }
}
