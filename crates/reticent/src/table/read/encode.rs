//! From the fields of a record to its features and target, by a schema.
//!
//! CSV, Parquet and tables in memory go through the same code, cell by cell, so that one table gives the same
//! bits whatever file it came from.

use std::borrow::Cow;
use std::collections::HashMap;

use super::WantedTarget;
use super::classes::{ClassPattern, Labels};
use super::date;
use super::error::ReadProblem;
use super::key::Key;
use super::number::NumberError;
use super::unit_key::unit_key;
use crate::table::schema::{Bounds, Kind, MissingNumber, Position, Scale, Schema, TargetKind};

/// The name of the feature of a categorical column that stands for all other texts.
pub(crate) const OTHER: &str = "other";

/// A field that cannot be encoded.
#[derive(Debug, thiserror::Error)]
#[error("field {field}: {problem}")]
pub struct RowError {
    /// The number of the field, from 1.
    pub field: usize,
    /// What is wrong.
    pub problem: ReadProblem,
}

/// The content of one field.
#[derive(Debug, Clone, Copy)]
pub(in crate::table) enum Cell<'a> {
    /// Nothing; a text may mean the same.
    Null,
    Number(f64),
    Integer(i128),
    Truth(bool),
    /// Days since 1970-01-01.
    Day(i64),
    /// Trimmed.
    Text(&'a [u8]),
}

impl<'a> Cell<'a> {
    /// The days since 1970-01-01 of a date, by its text or its type.
    #[inline]
    pub(in crate::table) fn day(self) -> Option<f64> {
        let day = match self {
            Self::Day(days) => Some(days),
            Self::Text(text) => date::days_of(text),
            Self::Null | Self::Number(_) | Self::Integer(_) | Self::Truth(_) => None,
        };
        day.map(|day| day as f64)
    }

    /// As a text file would have it.
    #[inline]
    pub(in crate::table) fn text(self) -> Option<Cow<'a, [u8]>> {
        match self {
            Self::Null => None,
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Number(value) => Some(Cow::Owned(value.to_string().into_bytes())),
            Self::Integer(value) => Some(Cow::Owned(value.to_string().into_bytes())),
            Self::Truth(value) => Some(Cow::Owned(value.to_string().into_bytes())),
            Self::Day(days) => Some(Cow::Owned(days.to_string().into_bytes())),
        }
    }
}

/// Makes features and targets of records.
pub(crate) struct Encoder<'a> {
    /// The values that mean missing, such as `-999`, however they are written or stored.
    missing: Vec<Key<'a>>,
    /// In the order of the features.
    steps: Vec<Step<'a>>,
    target: Option<(usize, TargetRule<'a>)>,
    /// The field that says whose a record is, and its name.
    unit: Option<(usize, &'a str)>,
    fields: usize,
}

/// What becomes of one field.
struct Step<'a> {
    field: usize,
    name: &'a str,
    /// The first of its features.
    feature: u32,
    rule: Rule<'a>,
}

enum Rule<'a> {
    Number(Scaled),
    Date(Scaled),
    /// The place of each level; `other` comes after the last.
    Categorical(HashMap<Key<'a>, u32>),
}

/// A feature that is the position of a number or a day within its bounds.
struct Scaled {
    position: Position,
    /// That of a missing one, if it does not refuse the file.
    missing: Option<f32>,
    /// Whether the feature after it says that it is missing.
    indicator: bool,
}

impl Scaled {
    fn new(bounds: Bounds, scale: Scale, missing: MissingNumber, indicator: bool) -> Self {
        let position = Position::new(bounds, scale);
        Self {
            position,
            missing: missing.position(position),
            indicator,
        }
    }

    fn width(&self) -> u32 {
        1 + u32::from(self.indicator)
    }
}

/// What becomes of the target.
enum TargetRule<'a> {
    Classes {
        patterns: &'a [ClassPattern],
        /// A label of the class that stands for a missing one.
        missing: Option<String>,
    },
    Values {
        missing: Option<f64>,
    },
}

impl<'a> Encoder<'a> {
    /// Features only, the fields in the order of the schema.
    pub(crate) fn in_order(schema: &'a Schema) -> Self {
        Self::new(schema, (0..schema.columns().len()).map(Some).collect())
    }

    /// `fields` lists which field of a record is the schema's first column, second column, …; an
    /// unused one may be absent.
    pub(super) fn new(schema: &'a Schema, fields: Vec<Option<usize>>) -> Self {
        let mut steps = Vec::new();
        let mut feature = 0;
        let mut unit = None;
        for (column, &field) in schema.columns().iter().zip(&fields) {
            let (rule, width) = match &column.kind {
                &Kind::Numeric {
                    bounds,
                    scale,
                    missing,
                    indicator,
                } => {
                    let scaled = Scaled::new(bounds, scale, missing, indicator);
                    let width = scaled.width();
                    (Rule::Number(scaled), width)
                }
                &Kind::Date {
                    bounds,
                    missing,
                    indicator,
                } => {
                    let scaled = Scaled::new(bounds, Scale::Linear, missing, indicator);
                    let width = scaled.width();
                    (Rule::Date(scaled), width)
                }
                Kind::Categorical { levels } => {
                    let keys = levels.iter().map(|level| Key::of_text(level.as_bytes()));
                    let places = keys.zip(0..);
                    // The schema ensures that all features together fit.
                    let width = levels.len() as u32 + 1;
                    (Rule::Categorical(places.collect()), width)
                }
                Kind::Unit { .. } => {
                    unit = field.map(|field| (field, column.name.as_str()));
                    continue;
                }
                Kind::Ignored | Kind::Target(_) => continue,
            };
            if let Some(field) = field {
                let name = &column.name;
                steps.push(Step {
                    field,
                    name,
                    feature,
                    rule,
                });
            }
            feature += width;
        }
        Self {
            missing: (schema.missing().iter())
                .map(|text| Key::of_text(text.as_bytes()))
                .collect(),
            steps,
            target: None,
            unit,
            fields: fields.iter().flatten().count(),
        }
    }

    /// The same with the target in `field`, encoded as wanted.
    pub(super) fn with_target(
        mut self,
        field: Option<usize>,
        schema: &'a Schema,
        wanted: WantedTarget<'a>,
    ) -> Result<Self, ReadProblem> {
        let Some((at, kind)) = schema.target() else {
            return match wanted {
                WantedTarget::Nothing => Ok(self),
                _ => Err(ReadProblem::SchemaWithoutTarget),
            };
        };
        if matches!(wanted, WantedTarget::Nothing) {
            return Ok(self);
        }
        let rule = match (wanted.classes(), kind) {
            (
                Some((declared, how_many)),
                TargetKind::Classes {
                    patterns, missing, ..
                },
            ) => {
                let patterns = declared.unwrap_or(patterns);
                how_many.check(patterns)?;
                let missing = missing.map(|class| label_of(patterns, class)).transpose()?;
                TargetRule::Classes { patterns, missing }
            }
            (None, TargetKind::Range { missing, .. }) => TargetRule::Values { missing: *missing },
            (Some(_), TargetKind::Range { .. }) => return Err(ReadProblem::TargetIsNumber),
            (None, TargetKind::Classes { .. }) => return Err(ReadProblem::TargetIsClasses),
        };
        let field =
            field.ok_or_else(|| ReadProblem::ColumnAbsent(schema.columns()[at].name.clone()))?;
        self.target = Some((field, rule));
        Ok(self)
    }

    /// How many fields a record has.
    pub(super) fn fields(&self) -> usize {
        self.fields
    }

    /// The fields that are used, and whether each holds dates.
    #[cfg(feature = "parquet")]
    pub(super) fn used(&self) -> impl Iterator<Item = (usize, bool)> {
        let steps = self.steps.iter();
        let steps = steps.map(|step| (step.field, matches!(step.rule, Rule::Date(_))));
        let target = self.target.iter().map(|(field, _)| (*field, false));
        let unit = self.unit.iter().map(|(field, _)| (*field, false));
        steps.chain(target).chain(unit)
    }

    /// The features of one record of texts.
    pub(crate) fn row(&self, fields: &[&str]) -> Result<Vec<(u32, f32)>, RowError> {
        if fields.len() != self.fields {
            return Err(RowError {
                field: fields.len(),
                problem: ReadProblem::FieldCount(self.fields),
            });
        }
        let mut entries = Vec::new();
        self.features(
            |field| Cell::Text(fields[field].as_bytes().trim_ascii()),
            |feature, value| entries.push((feature, value)),
        )?;
        Ok(entries)
    }

    /// Passes the non-zero features of a record to `entry`, in order.
    #[inline]
    fn features<'c>(
        &self,
        cell: impl Fn(usize) -> Cell<'c>,
        mut entry: impl FnMut(u32, f32),
    ) -> Result<(), RowError> {
        for step in &self.steps {
            self.feature(step, cell(step.field), &mut entry)
                .map_err(|problem| RowError {
                    field: step.field + 1,
                    problem,
                })?;
        }
        Ok(())
    }

    /// Passes on the feature of a field, and the one that says that it is missing.
    #[inline]
    fn feature(
        &self,
        step: &Step,
        cell: Cell,
        entry: &mut impl FnMut(u32, f32),
    ) -> Result<(), ReadProblem> {
        let (scaled, value) = match &step.rule {
            Rule::Number(scaled) => (scaled, self.number(cell, step.name)?),
            Rule::Date(scaled) => (scaled, self.day(cell, step.name)?),
            Rule::Categorical(levels) => {
                let other = levels.len() as u32;
                // A level is never one of the missing texts: the schema ensures it.
                let place = Key::of(cell).and_then(|key| levels.get(&key));
                entry(step.feature + place.unwrap_or(&other), 1.0);
                return Ok(());
            }
        };
        let refused = || ReadProblem::FieldMissing(step.name.to_owned());
        let position = match value {
            Some(value) => scaled.position.of(value),
            None => scaled.missing.ok_or_else(refused)?,
        };
        if position != 0.0 {
            entry(step.feature, position);
        }
        if scaled.indicator && value.is_none() {
            entry(step.feature + 1, 1.0);
        }
        Ok(())
    }

    /// A finite number, or `None` if it is missing.
    ///
    /// # Privacy
    ///
    /// A function of the value alone, by its key: it does not show in what type a column is
    /// stored, which other records may decide. A truth value is 1 or 0.
    #[inline]
    fn number(&self, cell: Cell, name: &str) -> Result<Option<f64>, ReadProblem> {
        match self.present(cell) {
            None => Ok(None),
            Some(key) => key.number().map(Some).map_err(|error| match error {
                NumberError::NotFinite => ReadProblem::FieldNotFinite(name.to_owned()),
                NumberError::Malformed => ReadProblem::FieldNotANumber(name.to_owned()),
            }),
        }
    }

    /// The days of a date, or `None` if it is missing.
    ///
    /// # Privacy
    ///
    /// A function of the value alone: of its text, or of the day that its type says it is. A plain number
    /// is never a date, whatever it might count.
    #[inline]
    fn day(&self, cell: Cell, name: &str) -> Result<Option<f64>, ReadProblem> {
        // Texts and numbers that mean missing are not days.
        if !matches!(cell, Cell::Day(_)) && self.present(cell).is_none() {
            return Ok(None);
        }
        let day = cell.day().map(Some);
        day.ok_or_else(|| ReadProblem::FieldNotADate(name.to_owned()))
    }

    /// What a cell is compared by, unless it is missing. That list has a few entries.
    #[inline]
    fn present<'c>(&self, cell: Cell<'c>) -> Option<Key<'c>> {
        Key::of(cell).filter(|key| !self.missing.contains(key))
    }

    /// Appends a record.
    #[inline]
    pub(super) fn record<'c>(
        &self,
        cell: impl Fn(usize) -> Cell<'c>,
        part: &mut Part,
    ) -> Result<(), RowError> {
        self.features(&cell, |feature, value| {
            part.columns.push(feature);
            part.values.push(value);
        })?;
        if let Some((field, rule)) = &self.target {
            self.target(cell(*field), rule, part)
                .map_err(|problem| RowError {
                    field: field + 1,
                    problem,
                })?;
        }
        if let Some((field, name)) = self.unit {
            let key = self.unit(cell(field), name);
            let key = key.map_err(|problem| RowError {
                field: field + 1,
                problem,
            })?;
            part.units.push(key);
        }
        part.ends.push(part.columns.len());
        Ok(())
    }

    /// Whose a record is.
    fn unit(&self, cell: Cell, name: &str) -> Result<Vec<u8>, ReadProblem> {
        if self.present(cell).is_none() {
            return Err(ReadProblem::UnitMissing(name.to_owned()));
        }
        let key = unit_key(cell).ok_or_else(|| ReadProblem::UnitInexact(name.to_owned()))?;
        Ok(key.into_owned())
    }

    fn target(&self, cell: Cell, rule: &TargetRule, part: &mut Part) -> Result<(), ReadProblem> {
        let refused = || ReadProblem::TargetMissing;
        match rule {
            TargetRule::Values { missing } => {
                let value = self.number(cell, "target")?.or(*missing);
                part.numbers.push(value.ok_or_else(refused)?);
            }
            TargetRule::Classes { missing, .. } => match cell.text() {
                Some(text) if self.present(cell).is_some() => {
                    let text = std::str::from_utf8(&text).map_err(|_| ReadProblem::NotUtf8)?;
                    part.labels.push_text(text);
                }
                _ => part.labels.push_text(missing.as_ref().ok_or_else(refused)?),
            },
        }
        Ok(())
    }

    /// The classes that labels are to become, and the field that holds them.
    pub(super) fn classes(&self) -> Option<(usize, &'a [ClassPattern])> {
        match &self.target {
            Some((field, TargetRule::Classes { patterns, .. })) => Some((*field, *patterns)),
            _ => None,
        }
    }

    /// Whether the target is a number.
    pub(super) fn wants_numbers(&self) -> bool {
        matches!(&self.target, Some((_, TargetRule::Values { .. })))
    }
}

/// A label that belongs to the class.
fn label_of(patterns: &[ClassPattern], class: usize) -> Result<String, ReadProblem> {
    // The schema's class; the reading may declare fewer classes.
    let pattern = patterns
        .get(class)
        .ok_or(ReadProblem::DeclaredClasses(patterns.len()))?;
    if let Some(labels) = &pattern.labels {
        return Ok(labels[0].clone());
    }
    // Any label that the others do not list: the first of m, mm, mmm, … will do.
    let listed = |label: &String| {
        let mut labels = patterns.iter().flat_map(|pattern| &pattern.labels);
        labels.any(|labels| labels.contains(label))
    };
    let mut label = "m".to_owned();
    while listed(&label) {
        label.push('m');
    }
    Ok(label)
}

/// Some records, encoded.
#[derive(Default)]
pub(super) struct Part {
    /// Where each row ends.
    pub(super) ends: Vec<usize>,
    pub(super) columns: Vec<u32>,
    pub(super) values: Vec<f32>,
    pub(super) numbers: Vec<f64>,
    pub(super) labels: Labels,
    /// Whose each record is, if that matters.
    pub(super) units: Vec<Vec<u8>>,
}
