//! One column, value by value.

use std::collections::{HashMap, HashSet};

use super::super::read::{Cell, Key, NumberError, date};
use super::super::schema::{Bounds, Column, Kind, TargetKind};
use super::numbers::Numbers;
use super::shape::is_prose;
use super::{ColumnLook, LevelLook, Tally, nearest};

/// More undeclared levels than these are not listed.
const MOST_LEVELS: usize = 1000;

/// More different values than these are not remembered.
const MOST_VALUES: usize = 1 << 20;

/// A key that outlives its record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum OwnedKey {
    Number(u64),
    Text(Box<[u8]>),
}

impl From<Key<'_>> for OwnedKey {
    fn from(key: Key) -> Self {
        match key {
            Key::Number(bits) => Self::Number(bits),
            Key::Text(text) => Self::Text(text.into()),
        }
    }
}

/// What a column is, as far as a look distinguishes it.
enum Role {
    Numbers(Bounds),
    /// Dates, as days since 1970-01-01.
    Dates(Bounds),
    /// The declared levels, or the classes with their labels, by the key of each.
    Levels {
        declared: HashMap<OwnedKey, usize>,
        names: Vec<String>,
        /// Which of the names takes all that is not listed.
        rest: Option<usize>,
    },
    /// Not read, or read only to tell whose a row is.
    Ignored,
}

/// A column, as far as it has been seen.
pub(super) struct Seen<'a> {
    pub(super) column: &'a Column,
    /// Which field of a record it is.
    pub(super) field: Option<usize>,
    role: Role,
    pub(super) count: u64,
    pub(super) missing: Tally,
    first: Option<OwnedKey>,
    pub(super) varies: bool,
    pub(super) values: Values,
    pub(super) numbers: Numbers,
    /// How often each declared level occurs.
    pub(super) declared: Vec<u64>,
    others: HashMap<OwnedKey, (String, u64)>,
    pub(super) undeclared: Tally,
    pub(super) prose: u64,
}

impl<'a> Seen<'a> {
    pub(super) fn new(column: &'a Column, field: Option<usize>) -> Self {
        let role = Role::of(&column.kind);
        let names = match &role {
            Role::Levels { names, .. } => names.len(),
            Role::Numbers(_) | Role::Dates(_) | Role::Ignored => 0,
        };
        Self {
            column,
            field,
            role,
            count: 0,
            missing: Tally::default(),
            first: None,
            varies: false,
            values: Values::default(),
            numbers: Numbers::default(),
            declared: vec![0; names],
            others: HashMap::new(),
            undeclared: Tally::default(),
            prose: 0,
        }
    }

    /// The next value; `key` is `None` if it is missing.
    pub(super) fn see(&mut self, cell: Cell, key: Option<Key>, line: impl Fn() -> u64) {
        let Some(key) = key else {
            self.missing.add(line);
            return;
        };
        self.count += 1;
        let text = || cell.text().map_or(String::new(), |text| lossy(&text));
        let owned = OwnedKey::from(key);
        self.varies |= self.first.as_ref().is_some_and(|first| *first != owned);
        match &self.role {
            Role::Ignored => {}
            Role::Numbers(bounds) => match key.number() {
                Ok(value) => self.numbers.see(value, *bounds),
                Err(NumberError::NotFinite) => self.numbers.infinite.add(line),
                Err(NumberError::Malformed) => self.numbers.see_text(text(), line),
            },
            Role::Dates(bounds) => match cell.day() {
                Some(day) => self.numbers.see(day, *bounds),
                None => self.numbers.see_text(text(), line),
            },
            Role::Levels { declared, rest, .. } => match declared.get(&owned).copied().or(*rest) {
                Some(at) => self.declared[at] += 1,
                None => {
                    self.undeclared.add(line);
                    let text = text();
                    self.prose += u64::from(is_prose(&text));
                    let listed = self.others.len() < MOST_LEVELS;
                    match self.others.get_mut(&owned) {
                        Some((_, count)) => *count += 1,
                        None if listed => {
                            self.others.insert(owned.clone(), (text, 1));
                        }
                        None => {}
                    }
                }
            },
        }
        if self.first.is_none() {
            self.first = Some(owned.clone());
        }
        self.values.see(owned);
    }

    /// The bounds, if it is a column of numbers or dates.
    pub(super) fn bounds(&self) -> Option<Bounds> {
        match self.role {
            Role::Numbers(bounds) | Role::Dates(bounds) => Some(bounds),
            Role::Levels { .. } | Role::Ignored => None,
        }
    }

    /// A number of it, as it is written: a date, where these are dates.
    pub(super) fn written(&self, value: f64) -> String {
        match self.role {
            // The days of dates are whole.
            Role::Dates(_) => date::text_of(value as i64),
            _ => written(value),
        }
    }

    /// The names of its levels or classes.
    pub(super) fn names(&self) -> &[String] {
        match &self.role {
            Role::Levels { names, .. } => names,
            Role::Numbers(_) | Role::Dates(_) | Role::Ignored => &[],
        }
    }

    /// The levels that are not declared, the most frequent first.
    pub(super) fn others(&self) -> Vec<LevelLook> {
        let mut others: Vec<LevelLook> = (self.others.values())
            .map(|(level, count)| LevelLook {
                level: level.clone(),
                declared: false,
                count: *count,
                nearest: self.nearest(level),
            })
            .collect();
        others.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.level.cmp(&b.level)));
        others
    }

    /// Levels and labels are suggested as they are written in the schema.
    fn nearest(&self, level: &str) -> Option<String> {
        let written: Vec<&str> = match &self.column.kind {
            Kind::Target(TargetKind::Classes { patterns, .. }) => patterns
                .iter()
                .flat_map(|pattern| pattern.labels.iter().flatten())
                .map(String::as_str)
                .collect(),
            _ => self.names().iter().map(String::as_str).collect(),
        };
        nearest::nearest(level, written.into_iter()).map(str::to_owned)
    }

    pub(super) fn look(&self) -> ColumnLook {
        let declared = self.names().iter().zip(&self.declared);
        let declared = declared.map(|(level, count)| LevelLook {
            level: level.clone(),
            declared: true,
            count: *count,
            nearest: None,
        });
        ColumnLook {
            name: self.column.name.clone(),
            kind: match &self.column.kind {
                Kind::Target(_) => "target",
                Kind::Categorical { .. } => "categorical",
                Kind::Ignored => "ignored",
                Kind::Unit { .. } => "unit",
                Kind::Date { .. } => "date",
                Kind::Numeric { .. } => "numeric",
            },
            missing: self.missing.count,
            numbers: self.bounds().map(|bounds| self.numbers.look(bounds)),
            levels: declared.chain(self.others()).collect(),
        }
    }
}

impl Role {
    fn of(kind: &Kind) -> Self {
        let key = |text: &str| OwnedKey::from(Key::of_text(text.trim().as_bytes()));
        match kind {
            Kind::Numeric { bounds, .. } => Self::Numbers(*bounds),
            Kind::Date { bounds, .. } => Self::Dates(*bounds),
            Kind::Target(TargetKind::Range { range, .. }) => Self::Numbers(*range),
            Kind::Categorical { levels } => Self::Levels {
                declared: levels.iter().map(|level| key(level)).zip(0..).collect(),
                names: levels.clone(),
                rest: None,
            },
            Kind::Target(TargetKind::Classes { patterns, .. }) => {
                let labels = |pattern: &'_ crate::table::ClassPattern| -> Vec<OwnedKey> {
                    let labels = pattern.labels.iter().flatten();
                    labels.map(|label| key(label)).collect()
                };
                let of_class = |(class, pattern)| {
                    let labels: Vec<OwnedKey> = labels(pattern);
                    labels.into_iter().map(move |label| (label, class))
                };
                Self::Levels {
                    declared: patterns.iter().enumerate().flat_map(of_class).collect(),
                    names: patterns
                        .iter()
                        .map(|pattern| pattern.name.clone())
                        .collect(),
                    rest: patterns.iter().position(|pattern| pattern.labels.is_none()),
                }
            }
            Kind::Ignored | Kind::Unit { .. } => Self::Ignored,
        }
    }
}

/// The different values of a column, remembered as long as nearly all differ.
#[derive(Default)]
pub(super) struct Values {
    seen: HashSet<OwnedKey>,
    repeated: u64,
    given_up: bool,
}

impl Values {
    fn see(&mut self, key: OwnedKey) {
        if self.given_up {
            return;
        }
        self.repeated += u64::from(!self.seen.insert(key));
        let usual = self.repeated > 10 + self.seen.len() as u64 / 10;
        if usual || self.seen.len() > MOST_VALUES {
            self.given_up = true;
            self.seen = HashSet::new();
        }
    }

    /// How many values occur a second time, if nearly all differ.
    pub(super) fn repeated(&self) -> Option<u64> {
        (!self.given_up).then_some(self.repeated)
    }
}

/// A number without a long row of zeros.
pub(super) fn written(value: f64) -> String {
    match value.abs() < 1e15 {
        true => value.to_string(),
        false => format!("{value:e}"),
    }
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}
