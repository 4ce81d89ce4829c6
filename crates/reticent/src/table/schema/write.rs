//! From a checked schema to a written one.

use super::file::{ColumnFile, EndFile, KindFile, MissingFile, ScaleFile, SchemaFile, SourceFile};
use super::{Bounds, Column, Kind, Scale, Schema, TargetKind, VERSION};
use crate::table::ProtectedUnit;
use crate::table::read::date;

impl From<Schema> for SchemaFile {
    fn from(schema: Schema) -> Self {
        Self {
            version: VERSION,
            header: schema.header,
            delimiter: char::from(schema.delimiter).to_string(),
            comment: schema.comment.map(|byte| char::from(byte).to_string()),
            missing: schema.missing,
            declared_after_look: schema.declared_after_look,
            features: schema.map,
            columns: schema.columns.into_iter().map(ColumnFile::from).collect(),
        }
    }
}

impl From<Column> for ColumnFile {
    fn from(column: Column) -> Self {
        let file = Self {
            name: column.name,
            source: column.from_data.then_some(SourceFile::Data),
            ..Self::default()
        };
        match column.kind {
            Kind::Numeric {
                bounds,
                scale,
                missing,
                indicator,
            } => Self {
                kind: Some(KindFile::Numeric),
                bounds: Some(ends(bounds, EndFile::Number)),
                scale: (scale == Scale::Log).then_some(ScaleFile::Log),
                missing: missing.written(MissingFile::Number),
                missing_indicator: indicator.then_some(true),
                ..file
            },
            Kind::Date {
                bounds,
                missing,
                indicator,
            } => Self {
                kind: Some(KindFile::Date),
                bounds: Some(ends(bounds, |day| EndFile::Text(text_of(day)))),
                missing: missing.written(|day| MissingFile::Word(text_of(day))),
                missing_indicator: indicator.then_some(true),
                ..file
            },
            Kind::Categorical { levels } => Self {
                kind: Some(KindFile::Categorical),
                levels: Some(levels),
                ..file
            },
            Kind::Ignored => Self {
                kind: Some(KindFile::Ignored),
                ..file
            },
            Kind::Unit { rows } => Self {
                kind: Some(KindFile::Unit),
                rows: (rows != ProtectedUnit::ROWS).then_some(u64::from(rows.get())),
                ..file
            },
            Kind::Target(TargetKind::Classes {
                written,
                label_type,
                patterns,
                missing,
            }) => Self {
                kind: Some(KindFile::Target),
                classes: Some(
                    written
                        .into_iter()
                        .map(|class| label_type.written(class))
                        .collect(),
                ),
                missing: missing.map(|class| MissingFile::Word(patterns[class].name.clone())),
                ..file
            },
            Kind::Target(TargetKind::Range { range, missing }) => Self {
                kind: Some(KindFile::Target),
                range: Some(vec![range.low(), range.high()]),
                missing: missing.map(MissingFile::Number),
                ..file
            },
        }
    }
}

fn ends(bounds: Bounds, end: impl Fn(f64) -> EndFile) -> Vec<EndFile> {
    vec![end(bounds.low()), end(bounds.high())]
}

/// The text of a whole number of days, which a checked schema has.
fn text_of(day: f64) -> String {
    date::text_of(day as i64)
}
