//! The owner's own look at a table: what a declaration would do to its values, in exact figures.
//!
//! # Privacy
//!
//! None. Everything here is computed from the records as they are, without noise, and levels are
//! quoted: it is for the owner's eyes, and is written into no model and no certificate. Whoever
//! changes a declaration after it says so ([`AFTER_LOOK`](super::AFTER_LOOK)).

mod column;
mod findings;
mod nearest;
mod numbered;
mod numbers;
mod rows;
mod shape;
mod text;

use serde::Serialize;

pub use numbered::{NumberedLook, look_numbered};
pub(super) use rows::Rows;
pub(super) use shape::{is_date, is_missing};

/// What a look says of itself, first.
pub const FOR_THE_OWNER: &str = "For the owner's eyes only: these are facts about the records as \
     they are, and nothing of it is private. Do not publish, mail or log it.";

/// What a look says last.
pub const SAY_SO: &str = "Whoever changes a declaration after this look says so: \
     declared_after_look = true at the top of the schema, --declared-after-look on the command line, \
     declared_after_look=True in Python. The certificate then lists it.";

/// What the owner sees.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Look {
    /// That nothing of it is private.
    pub notice: &'static str,
    /// How to declare that something was changed after it.
    pub afterwards: &'static str,
    /// How many records there are, those that a fit would refuse among them.
    pub records: u64,
    /// What is wrong or remarkable: what a fit would refuse comes first.
    pub findings: Vec<Finding>,
    /// The columns, in the order of the schema.
    pub columns: Vec<ColumnLook>,
}

impl Look {
    /// Whether there is anything to mend: a finding that is more than a note.
    pub fn wants_mending(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.severity != Severity::Note)
    }

    /// The same as one JSON object.
    pub fn to_json(&self) -> String {
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// A fit refuses the whole table.
    Refused,
    /// A fit accepts it, and the model is probably not what is wanted.
    Warning,
    /// Good to know.
    Note,
}

/// Something wrong or remarkable.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What it is, for programs: `level-undeclared`.
    pub kind: &'static str,
    /// The column, if one is concerned.
    pub column: Option<String>,
    /// How many values or records.
    pub count: Option<u64>,
    /// The place, from 1, that shows it first.
    pub first: Option<u64>,
    /// What places are: a `line` of a text file, or a `row`.
    pub places: &'static str,
    /// What was found.
    pub found: String,
    /// What to do.
    pub remedy: String,
}

/// A column in figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnLook {
    /// Its name.
    pub name: String,
    /// What it is declared as.
    pub kind: &'static str,
    /// How many values are missing, by the schema's list.
    pub missing: u64,
    /// Of a column of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumbersLook>,
    /// Of a column of levels or classes: those declared first, then at most a thousand others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<LevelLook>,
}

/// Numbers and the bounds that they are clipped to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NumbersLook {
    /// The lower bound that is declared.
    pub low: f64,
    /// The upper one.
    pub high: f64,
    /// How many values are numbers.
    pub count: u64,
    /// The least value.
    pub least: Option<f64>,
    /// The greatest.
    pub greatest: Option<f64>,
    /// How many lie below the bounds, and are clipped.
    pub below: u64,
    /// How many lie above.
    pub above: u64,
    /// How many are no finite numbers.
    pub refused: u64,
}

/// A level, or a label of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LevelLook {
    /// As it is declared, or as it is first written.
    pub level: String,
    /// Whether it is declared.
    pub declared: bool,
    /// How many values have it.
    pub count: u64,
    /// The declared level that it may be meant for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

/// How often something occurs, and where first.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    count: u64,
    first: Option<u64>,
}

impl Tally {
    fn add(&mut self, line: impl FnOnce() -> u64) {
        self.count += 1;
        if self.first.is_none() {
            self.first = Some(line());
        }
    }
}
