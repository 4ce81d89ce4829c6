//! A table of numbered columns, such as LIBSVM text.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use serde::Serialize;

use super::super::bound::{RecordBound, TargetRange};
use super::super::{Table, Target};
use super::{FOR_THE_OWNER, Finding, LevelLook, SAY_SO, Severity, text};

/// How many columns a finding names.
const NAMED: usize = 10;

/// What the owner sees of a table of numbered columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberedLook {
    /// That nothing of it is private.
    pub notice: &'static str,
    /// How to declare that something was changed after it.
    pub afterwards: &'static str,
    /// How many records there are.
    pub records: u64,
    /// How many columns.
    pub columns: u64,
    /// How many rows are longer than the declared bound, or have an entry beyond it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_clipped: Option<u64>,
    /// The longest row, in the norm of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<f64>,
    /// How many targets lie beyond the declared range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets_clipped: Option<u64>,
    /// The classes, and how many records each has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<LevelLook>,
    /// What is wrong or remarkable.
    pub findings: Vec<Finding>,
}

impl NumberedLook {
    /// Whether there is anything to mend: a finding that is more than a note.
    pub fn wants_mending(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|finding| finding.severity != Severity::Note)
    }
}

/// Looks at a table that was read, with what is declared about it.
pub fn look_numbered(
    table: &Table,
    rows: Option<RecordBound>,
    range: Option<TargetRange>,
) -> NumberedLook {
    let features = &table.features;
    let mut findings = Vec::new();
    let mut columns: HashMap<usize, (f32, u64, bool)> = HashMap::new();
    let (mut empty, mut clipped, mut longest) = (0, 0, 0.0_f64);
    let mut finding = |severity, kind, count: u64, found: String, remedy: &str| {
        findings.push(Finding {
            severity,
            kind,
            column: None,
            count: Some(count),
            first: None,
            places: "row",
            found,
            remedy: remedy.to_owned(),
        });
    };
    for row in 0..features.rows() {
        let (mut largest, mut square, mut entries) = (0.0_f64, 0.0_f64, 0);
        features.for_row(row, |column, value| {
            if value == 0.0 {
                return;
            }
            entries += 1;
            largest = largest.max(f64::from(value).abs());
            square += f64::from(value).powi(2);
            let (first, count, varies) = columns.entry(column).or_insert((value, 0, false));
            *count += 1;
            *varies |= *first != value;
        });
        empty += u64::from(entries == 0);
        let (length, bound) = match rows {
            Some(RecordBound::L2(bound)) => (square.sqrt(), bound),
            Some(RecordBound::Linf(bound)) => (largest, bound),
            None => continue,
        };
        longest = longest.max(length);
        clipped += u64::from(length > bound);
    }
    let records = features.rows() as u64;
    if let Some(RecordBound::L2(bound) | RecordBound::Linf(bound)) = rows {
        if clipped > 0 {
            let (severity, kind) = match clipped {
                _ if clipped * 10 > records => (Severity::Warning, "clips-many"),
                _ => (Severity::Note, "clipped"),
            };
            let found = format!(
                "{clipped} of {records} rows beyond the bound {bound}, the farthest at {longest}"
            );
            let remedy = "clipping is harmless for few rows; if for many, scale the features, or \
                          declare what any such table can hold";
            finding(severity, kind, clipped, found, remedy);
        }
        if longest > 0.0 && longest * 20.0 < bound {
            let found = format!("the bound {bound} is far beyond the farthest row, at {longest}");
            let remedy = "noise is as large as the bound: is there publicly known something \
                          narrower? Not this figure";
            finding(Severity::Warning, "range-too-wide", records, found, remedy);
        }
    }
    if empty > 0 {
        let found = format!("{empty} records without any entry but 0");
        let remedy = "each counts as a record; see that they are people";
        finding(Severity::Warning, "row-empty", empty, found, remedy);
    }
    let absent: Vec<usize> = (0..features.width())
        .filter(|&column| !columns.contains_key(&column))
        .collect();
    let constant: Vec<usize> = (0..features.width())
        .filter(|&column| {
            let seen = columns.get(&column);
            seen.is_some_and(|(_, count, varies)| !varies && *count == records && records > 1)
        })
        .collect();
    for (list, kind, severity, what) in [
        (absent, "column-empty", Severity::Note, "0 in every record"),
        (
            constant,
            "constant",
            Severity::Warning,
            "of one value in every record",
        ),
    ] {
        if !list.is_empty() {
            let names = list
                .iter()
                .take(NAMED)
                .map(|&column| table.layout.name(column));
            let names = names.collect::<Vec<_>>().join(", ");
            let more = if list.len() > NAMED { ", …" } else { "" };
            let found = format!("{} columns {what}: {names}{more}", list.len());
            let remedy = "nothing can be learned from them";
            finding(severity, kind, list.len() as u64, found, remedy);
        }
    }
    let targets_clipped = targets(table, range, &mut finding);
    let classes = classes(table, &mut finding);
    findings.sort_by_key(|finding| finding.severity);
    NumberedLook {
        notice: FOR_THE_OWNER,
        afterwards: SAY_SO,
        records,
        columns: features.width() as u64,
        rows_clipped: rows.map(|_| clipped),
        longest: rows.map(|_| longest),
        targets_clipped,
        classes,
        findings,
    }
}

fn targets(
    table: &Table,
    range: Option<TargetRange>,
    finding: &mut impl FnMut(Severity, &'static str, u64, String, &str),
) -> Option<u64> {
    let (Target::Values(values), Some(range)) = (&table.target, range) else {
        return None;
    };
    let beyond = |value: &&f64| **value < range.low || **value > range.high;
    let clipped = values.iter().filter(beyond).count() as u64;
    if clipped > 0 {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let severity = match clipped * 10 > values.len() as u64 {
            true => Severity::Warning,
            false => Severity::Note,
        };
        let found = format!(
            "{clipped} of {} targets beyond [{}, {}]: they lie between {least} and {greatest}",
            values.len(),
            range.low,
            range.high
        );
        let remedy = "declare what any such table can hold";
        finding(severity, "target-clipped", clipped, found, remedy);
    }
    Some(clipped)
}

fn classes(
    table: &Table,
    finding: &mut impl FnMut(Severity, &'static str, u64, String, &str),
) -> Vec<LevelLook> {
    let Target::Classes { class, names } = &table.target else {
        return Vec::new();
    };
    let mut counts = vec![0; names.len()];
    class.iter().for_each(|&class| counts[class as usize] += 1);
    let looks: Vec<LevelLook> = (names.iter().zip(counts))
        .map(|(name, count)| LevelLook {
            level: name.clone(),
            declared: true,
            count,
            nearest: None,
        })
        .collect();
    for look in looks.iter().filter(|look| look.count == 0) {
        let found = format!("the class '{}' is declared, and in no record", look.level);
        let remedy = "a model cannot learn a class without records: is it written in another way \
                      here?";
        finding(Severity::Warning, "class-absent", 0, found, remedy);
    }
    looks
}

impl Display for NumberedLook {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        text::wrap(f, self.notice, "", "")?;
        writeln!(f, "\n{} records, {} columns", self.records, self.columns)?;
        for class in &self.classes {
            writeln!(f, "  class {}: {} records", class.level, class.count)?;
        }
        for severity in [Severity::Refused, Severity::Warning, Severity::Note] {
            text::section(f, severity, &self.findings)?;
        }
        if !self.wants_mending() {
            writeln!(f, "\nNothing to mend was found.")?;
        }
        writeln!(f)?;
        text::wrap(f, self.afterwards, "", "")
    }
}
