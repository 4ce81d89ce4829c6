//! What stands for a missing number or date.

use super::check::{Fault, Spot, date_of};
use super::file::{ColumnFile, MissingFile};
use super::{Bounds, Position, SchemaProblem};
use crate::table::read::date;

/// What stands for a missing number, or a missing date.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MissingNumber {
    /// The middle of the bounds, which is 0 after the map.
    Middle,
    /// The lower bound.
    Low,
    /// The upper bound.
    High,
    /// A number in the units of the column; of a date, days since 1970-01-01.
    Value(f64),
    /// Nothing: the whole file is refused.
    Refuse,
}

impl MissingNumber {
    /// Where a missing value lies in [−1, 1], if it does not refuse the file.
    pub(crate) fn position(self, position: Position) -> Option<f32> {
        match self {
            Self::Middle => Some(0.0),
            Self::Low => Some(-1.0),
            Self::High => Some(1.0),
            Self::Value(value) => Some(position.of(value)),
            Self::Refuse => None,
        }
    }

    /// What a missing value counts as in the units of a column with these bounds, if it does not refuse
    /// the file and the scale is linear.
    pub(crate) fn value(self, bounds: Bounds) -> Option<f64> {
        match self {
            Self::Middle => Some(bounds.low() / 2.0 + bounds.high() / 2.0),
            Self::Low => Some(bounds.low()),
            Self::High => Some(bounds.high()),
            Self::Value(value) => Some(value),
            Self::Refuse => None,
        }
    }

    /// The rule of a numeric column.
    pub(super) fn of_number(at: usize, file: &ColumnFile) -> Result<Self, Fault> {
        let number = |rule: &MissingFile| match rule {
            MissingFile::Number(value) if value.is_finite() => Some(*value),
            _ => None,
        };
        Self::of(at, file, number, "a finite number")
    }

    /// The rule of a column of dates.
    pub(super) fn of_date(at: usize, file: &ColumnFile) -> Result<Self, Fault> {
        let day = |rule: &MissingFile| match rule {
            MissingFile::Word(text) => date::days_of(text.as_bytes()),
            MissingFile::Date(date) => date_of(date),
            _ => None,
        };
        let day = |rule: &MissingFile| day(rule).map(|day| day as f64);
        Self::of(at, file, day, "a date such as \"2000-12-31\"")
    }

    fn of(
        at: usize,
        file: &ColumnFile,
        value: impl Fn(&MissingFile) -> Option<f64>,
        or: &str,
    ) -> Result<Self, Fault> {
        let Some(rule) = &file.missing else {
            return Ok(Self::Middle);
        };
        if let MissingFile::Word(word) = rule {
            match word.as_str() {
                "middle" => return Ok(Self::Middle),
                "low" => return Ok(Self::Low),
                "high" => return Ok(Self::High),
                "refuse" => return Ok(Self::Refuse),
                _ => {}
            }
        }
        let problem = || SchemaProblem::Missing {
            column: file.name.clone(),
            allowed: format!("\"middle\", \"low\", \"high\", \"refuse\" or {or}"),
        };
        let value = value(rule).map(Self::Value);
        value.ok_or_else(|| (Spot::Key(at, "missing"), problem()))
    }

    /// As it is written; the default is left out.
    pub(super) fn written(self, value: impl Fn(f64) -> MissingFile) -> Option<MissingFile> {
        let word = |word: &str| Some(MissingFile::Word(word.to_owned()));
        match self {
            Self::Middle => None,
            Self::Low => word("low"),
            Self::High => word("high"),
            Self::Refuse => word("refuse"),
            Self::Value(number) => Some(value(number)),
        }
    }
}
