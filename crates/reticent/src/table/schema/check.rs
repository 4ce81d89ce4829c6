//! From a written schema to a checked one.

use std::collections::HashSet;

use toml::de::{DeTable, DeValue};
use toml::value::Datetime;

use super::file::{
    ClassFile, ColumnFile, EndFile, KindFile, MissingFile, ScaleFile, SchemaFile, SourceFile,
};
use super::{
    Bounds, Column, Kind, LabelType, MissingNumber, Position, Scale, Schema, SchemaError,
    SchemaProblem, TargetKind, VERSION,
};
use crate::table::ProtectedUnit;
use crate::table::read::{ClassPattern, Key, OTHER, date};

/// Where in the schema a problem is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    Top(&'static str),
    Column(usize),
    Key(usize, &'static str),
    Item(usize, &'static str, usize),
}

pub(super) type Fault = (Spot, SchemaProblem);

pub(super) fn from_toml(text: &str) -> Result<Schema, SchemaError> {
    let file: SchemaFile = toml::from_str(text).map_err(|error| SchemaError {
        file: None,
        place: error.span().map(|span| line_and_column(text, span.start)),
        problem: SchemaProblem::Syntax(error.message().to_owned()),
    })?;
    checked(file).map_err(|(spot, problem)| SchemaError {
        file: None,
        place: offset(text, spot).map(|offset| line_and_column(text, offset)),
        problem,
    })
}

impl TryFrom<SchemaFile> for Schema {
    type Error = SchemaProblem;

    fn try_from(file: SchemaFile) -> Result<Self, SchemaProblem> {
        checked(file).map_err(|(_, problem)| problem)
    }
}

/// Both from 1; the column counts characters.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (
        before.matches('\n').count() + 1,
        before[line..].chars().count() + 1,
    )
}

/// The text is read again, with the place of each value, only when something is wrong.
fn offset(text: &str, spot: Spot) -> Option<usize> {
    let table = DeTable::parse(text).ok()?;
    let top = |key: &str| table.get_ref().get(key);
    let column = |at: usize| top("column")?.get_ref().get(at);
    let key = |at, key: &'static str| column(at)?.get_ref().get(key);
    let value = match spot {
        Spot::Top(name) => top(name),
        Spot::Column(at) => key(at, "name").or_else(|| column(at)),
        Spot::Key(at, name) => key(at, name),
        Spot::Item(at, name, item) => key(at, name).and_then(|list| match list.get_ref() {
            DeValue::Array(items) => items.get(item),
            _ => None,
        }),
    };
    Some(value?.span().start)
}

fn checked(file: SchemaFile) -> Result<Schema, Fault> {
    if file.version != VERSION {
        return Err((Spot::Top("version"), SchemaProblem::Version(file.version)));
    }
    let delimiter = character("delimiter", &file.delimiter)?;
    let comment = match &file.comment {
        Some(comment) => Some(character("comment", comment)?),
        None => None,
    };
    if comment == Some(delimiter) {
        return Err((Spot::Top("comment"), SchemaProblem::CommentDelimiter));
    }
    let columns = columns(&file.columns, &file.missing)?;
    let features = features(&columns)?;
    if let Some(map) = &file.features {
        let of_columns = map.of(features.len());
        of_columns.map_err(|error| (Spot::Top("features"), SchemaProblem::FeatureMap(error)))?;
    }
    Ok(Schema {
        header: file.header,
        delimiter,
        comment,
        missing: file.missing,
        declared_after_look: file.declared_after_look,
        map: file.features,
        columns,
        features,
    })
}

fn character(key: &'static str, given: &str) -> Result<u8, Fault> {
    match given.as_bytes() {
        [byte]
            if byte.is_ascii()
                && !byte.is_ascii_alphanumeric()
                && !matches!(byte, b'"' | b'\n' | b'\r') =>
        {
            Ok(*byte)
        }
        _ => Err((
            Spot::Top(key),
            SchemaProblem::Character {
                key,
                given: given.to_owned(),
            },
        )),
    }
}

fn columns(files: &[ColumnFile], missing: &[String]) -> Result<Vec<Column>, Fault> {
    let mut columns: Vec<Column> = Vec::with_capacity(files.len());
    let mut names = HashSet::new();
    let mut target: Option<&str> = None;
    let mut unit: Option<&str> = None;
    let mut unfinished: Vec<(usize, String)> = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let name = &file.name;
        if name.is_empty() || name.trim() != name {
            return Err((Spot::Column(at), SchemaProblem::Name));
        }
        if !names.insert(name) {
            return Err((Spot::Column(at), SchemaProblem::ColumnTwice(name.clone())));
        }
        if file.kind == Some(KindFile::Target)
            && let Some(first) = target.replace(name)
        {
            let problem = SchemaProblem::TwoTargets {
                first: first.to_owned(),
                second: name.clone(),
            };
            return Err((Spot::Key(at, "kind"), problem));
        }
        if file.kind == Some(KindFile::Unit)
            && let Some(first) = unit.replace(name)
        {
            let (first, second) = (first.to_owned(), name.clone());
            let problem = SchemaProblem::TwoUnits { first, second };
            return Err((Spot::Key(at, "kind"), problem));
        }
        match lacking(file) {
            Some(what) => unfinished.push((at, format!("the {what} of '{name}'"))),
            None => columns.push(column(at, file, missing)?),
        }
    }
    match unfinished.first() {
        None => Ok(columns),
        Some(&(at, _)) => {
            let needs = unfinished.into_iter().map(|(_, need)| need).collect();
            Err((Spot::Column(at), SchemaProblem::Unfinished(needs)))
        }
    }
}

/// What a template leaves for a person to fill in.
fn lacking(file: &ColumnFile) -> Option<&'static str> {
    fn none<T>(list: &Option<Vec<T>>) -> bool {
        list.as_ref().is_none_or(Vec::is_empty)
    }
    match file.kind {
        None => Some("kind"),
        Some(KindFile::Numeric | KindFile::Date) => none(&file.bounds).then_some("bounds"),
        Some(KindFile::Categorical) => none(&file.levels).then_some("levels"),
        Some(KindFile::Target) => {
            (none(&file.range) && none(&file.classes)).then_some("classes or range")
        }
        Some(KindFile::Ignored | KindFile::Unit) => None,
    }
}

fn column(at: usize, file: &ColumnFile, missing: &[String]) -> Result<Column, Fault> {
    // `lacking` has checked the kind, and that the lists below are there.
    let kind = file.kind.unwrap_or(KindFile::Ignored);
    only_own_keys(at, kind, file)?;
    Ok(Column {
        name: file.name.clone(),
        kind: match kind {
            KindFile::Numeric => numeric(at, file)?,
            KindFile::Date => date(at, file)?,
            KindFile::Categorical => categorical(at, file, missing)?,
            KindFile::Ignored => Kind::Ignored,
            KindFile::Unit => unit(at, file)?,
            KindFile::Target => Kind::Target(target(at, file)?),
        },
        from_data: file.source == Some(SourceFile::Data),
    })
}

fn only_own_keys(at: usize, kind: KindFile, file: &ColumnFile) -> Result<(), Fault> {
    let own: &[&str] = match kind {
        KindFile::Numeric => &["bounds", "scale", "missing", "missing_indicator"],
        KindFile::Date => &["bounds", "missing", "missing_indicator"],
        KindFile::Categorical => &["levels"],
        KindFile::Ignored => &[],
        KindFile::Unit => &["rows"],
        KindFile::Target => &["classes", "range", "missing"],
    };
    let given = [
        ("bounds", file.bounds.is_some()),
        ("levels", file.levels.is_some()),
        ("classes", file.classes.is_some()),
        ("range", file.range.is_some()),
        ("missing", file.missing.is_some()),
        ("scale", file.scale.is_some()),
        ("missing_indicator", file.missing_indicator.is_some()),
        ("rows", file.rows.is_some()),
    ];
    if let Some((key, _)) = given.iter().find(|(key, is)| *is && !own.contains(key)) {
        let problem = SchemaProblem::Foreign {
            column: file.name.clone(),
            kind: kind.name(),
            key,
        };
        return Err((Spot::Key(at, key), problem));
    }
    if matches!(kind, KindFile::Ignored | KindFile::Unit) && file.source.is_some() {
        let problem = SchemaProblem::Source(file.name.clone());
        return Err((Spot::Key(at, "source"), problem));
    }
    Ok(())
}

fn bounds(at: usize, key: &'static str, name: &str, ends: &[f64]) -> Result<Bounds, Fault> {
    let bounds = match *ends {
        [low, high] => Bounds::new(low, high),
        _ => None,
    };
    let problem = || SchemaProblem::Bounds {
        column: name.to_owned(),
        key,
    };
    bounds.ok_or_else(|| (Spot::Key(at, key), problem()))
}

fn unit(at: usize, file: &ColumnFile) -> Result<Kind, Fault> {
    let rows = match file.rows {
        None => Some(ProtectedUnit::ROWS),
        Some(rows) => ProtectedUnit::rows(rows),
    };
    let problem = || SchemaProblem::UnitRows(file.name.clone());
    let rows = rows.ok_or_else(|| (Spot::Key(at, "rows"), problem()))?;
    Ok(Kind::Unit { rows })
}

fn bad_missing(at: usize, file: &ColumnFile, allowed: String) -> Fault {
    let problem = SchemaProblem::Missing {
        column: file.name.clone(),
        allowed,
    };
    (Spot::Key(at, "missing"), problem)
}

fn numeric(at: usize, file: &ColumnFile) -> Result<Kind, Fault> {
    let ends = file.bounds.as_deref().unwrap_or_default();
    // What is no number makes no bounds, and the message says what does.
    let ends: Vec<f64> = (ends.iter())
        .map(|end| match end {
            EndFile::Number(end) => *end,
            EndFile::Text(_) | EndFile::Date(_) => f64::NAN,
        })
        .collect();
    let missing = MissingNumber::of_number(at, file)?;
    let bounds = bounds(at, "bounds", &file.name, &ends)?;
    let scale = match file.scale {
        Some(ScaleFile::Log) => Scale::Log,
        Some(ScaleFile::Linear) | None => Scale::Linear,
    };
    if !Position::new(bounds, scale).is_sound() {
        let problem = SchemaProblem::LogBounds(file.name.clone());
        return Err((Spot::Key(at, "bounds"), problem));
    }
    Ok(Kind::Numeric {
        bounds,
        scale,
        missing,
        indicator: indicator(at, file, missing)?,
    })
}

fn date(at: usize, file: &ColumnFile) -> Result<Kind, Fault> {
    let day = |end: &EndFile| match end {
        EndFile::Number(_) => None,
        EndFile::Text(text) => date::days_of(text.as_bytes()),
        EndFile::Date(date) => date_of(date),
    };
    let ends = file.bounds.iter().flatten().map(day);
    let ends: Option<Vec<f64>> = ends.map(|day| day.map(|day| day as f64)).collect();
    let bounds = match ends.as_deref() {
        Some(&[low, high]) => Bounds::new(low, high),
        _ => None,
    };
    let problem = || SchemaProblem::DateBounds(file.name.clone());
    let bounds = bounds.ok_or_else(|| (Spot::Key(at, "bounds"), problem()))?;
    let missing = MissingNumber::of_date(at, file)?;
    Ok(Kind::Date {
        bounds,
        missing,
        indicator: indicator(at, file, missing)?,
    })
}

/// The day of a date of TOML without a time.
pub(super) fn date_of(date: &Datetime) -> Option<i64> {
    date::days_of(date.to_string().as_bytes()).filter(|_| date.time.is_none())
}

fn indicator(at: usize, file: &ColumnFile, missing: MissingNumber) -> Result<bool, Fault> {
    let indicator = file.missing_indicator == Some(true);
    if indicator && missing == MissingNumber::Refuse {
        let problem = SchemaProblem::Indicator(file.name.clone());
        return Err((Spot::Key(at, "missing_indicator"), problem));
    }
    Ok(indicator)
}

fn categorical(at: usize, file: &ColumnFile, missing: &[String]) -> Result<Kind, Fault> {
    let levels = file.levels.as_deref().unwrap_or_default();
    // Levels are compared as records are: 1 and 01 are one level.
    let key = |text| Key::of_text(str::as_bytes(text));
    let missing: Vec<Key> = missing.iter().map(|text| key(text)).collect();
    let mut texts = HashSet::new();
    let mut keys = HashSet::new();
    for (item, level) in levels.iter().enumerate() {
        let reason = if !texts.insert(level) {
            "is listed twice; keep one of the two"
        } else if !keys.insert(key(level)) {
            "is the same number or truth value as a level before it, and levels are compared as \
             such; keep one of the two, or put a letter before codes that are no numbers"
        } else if level == OTHER {
            "is there by itself: whatever is not listed counts as it; leave it out"
        } else if level.trim_ascii() != level {
            "has blanks around it, and fields are trimmed before use; remove them"
        } else if missing.contains(&key(level)) {
            "is also listed as missing, and a missing value counts as \"other\"; remove one"
        } else {
            continue;
        };
        let problem = SchemaProblem::Level {
            column: file.name.clone(),
            level: level.clone(),
            reason,
        };
        return Err((Spot::Item(at, "levels", item), problem));
    }
    Ok(Kind::Categorical {
        levels: levels.to_vec(),
    })
}

fn target(at: usize, file: &ColumnFile) -> Result<TargetKind, Fault> {
    match (&file.classes, &file.range) {
        (Some(_), Some(_)) => Err((
            Spot::Key(at, "range"),
            SchemaProblem::TargetBoth(file.name.clone()),
        )),
        (Some(classes), None) => target_classes(at, file, classes),
        (None, range) => target_range(at, file, range.as_deref().unwrap_or_default()),
    }
}

fn target_classes(
    at: usize,
    file: &ColumnFile,
    classes: &[ClassFile],
) -> Result<TargetKind, Fault> {
    let column = || file.name.clone();
    let mixed = || SchemaProblem::MixedClasses(column());
    let label_type = LabelType::of(classes).ok_or_else(|| (Spot::Key(at, "classes"), mixed()))?;
    let written: Vec<String> = classes.iter().map(ClassFile::text).collect();
    let patterns = ClassPattern::list(&written).map_err(|reason| {
        let column = column();
        let problem = SchemaProblem::Classes { column, reason };
        (Spot::Key(at, "classes"), problem)
    })?;
    let missing = match &file.missing {
        None => None,
        Some(MissingFile::Word(word)) if word == "refuse" => None,
        Some(given) => Some(class_named(at, file, given, label_type, &patterns)?),
    };
    Ok(TargetKind::Classes {
        written,
        label_type,
        patterns,
        missing,
    })
}

/// The number of the class that stands for a missing label.
fn class_named(
    at: usize,
    file: &ColumnFile,
    given: &MissingFile,
    label_type: LabelType,
    patterns: &[ClassPattern],
) -> Result<usize, Fault> {
    label_type.named(given, patterns).ok_or_else(|| {
        let name = |pattern: &ClassPattern| match label_type {
            LabelType::Text => format!("{:?}", pattern.name),
            LabelType::Integer | LabelType::Truth => pattern.name.clone(),
        };
        let names: Vec<String> = patterns.iter().map(name).collect();
        let allowed = format!("\"refuse\" or the name of a class: {}", names.join(" or "));
        bad_missing(at, file, allowed)
    })
}

fn target_range(at: usize, file: &ColumnFile, range: &[f64]) -> Result<TargetKind, Fault> {
    let missing = match &file.missing {
        None => None,
        Some(MissingFile::Word(word)) if word == "refuse" => None,
        Some(MissingFile::Number(value)) if value.is_finite() => Some(*value),
        Some(_) => {
            let allowed = "\"refuse\" or a finite number".to_owned();
            return Err(bad_missing(at, file, allowed));
        }
    };
    let range = bounds(at, "range", &file.name, range)?;
    Ok(TargetKind::Range { range, missing })
}

/// Features have distinct names.
fn features(columns: &[Column]) -> Result<Vec<String>, Fault> {
    let mut features = Vec::new();
    let mut seen = HashSet::new();
    for (at, column) in columns.iter().enumerate() {
        for name in column.features() {
            if !seen.insert(name.clone()) {
                return Err((Spot::Column(at), SchemaProblem::FeatureTwice(name)));
            }
            features.push(name);
        }
    }
    if features.is_empty() {
        return Err((Spot::Top("column"), SchemaProblem::NoFeature));
    }
    if u32::try_from(features.len()).is_err() {
        return Err((Spot::Top("column"), SchemaProblem::TooWide));
    }
    Ok(features)
}
