//! From figures to what is wrong, worst first, each with its remedy.

use super::super::schema::{Kind, MissingNumber, TargetKind};
use super::column::{Seen, written};
use super::rows::Rows;
use super::{Finding, LevelLook, Severity, Tally, shape};

/// Fewer values than these are no ground for a suspicion.
const FEW: u64 = 20;

/// What places are called in memory and in Parquet, and in text files.
const PLACES: [&str; 2] = ["row", "line"];

/// How many levels a finding quotes.
const QUOTED: usize = 5;

/// Bounds that are so many times wider than the values are far too wide.
const FAR_WIDER: f64 = 20.0;

pub(super) fn of(rows: &Rows) -> Vec<Finding> {
    let mut findings = of_rows(rows);
    for seen in &rows.columns {
        match seen.field {
            Some(_) => of_column(seen, &mut findings),
            None if matches!(seen.column.kind, Kind::Target(_)) => findings.push(about(
                seen,
                Severity::Warning,
                "target-absent",
                "the table does not have the target, which is enough to predict alone",
                "add the column, or rename it in the schema, if a model is to be fitted",
            )),
            None => {}
        }
    }
    for finding in &mut findings {
        finding.places = PLACES[usize::from(rows.in_file)];
    }
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn of_rows(rows: &Rows) -> Vec<Finding> {
    let row = |severity, kind, tally: Tally, found: &str, remedy: &str| {
        (tally.count > 0).then(|| Finding {
            severity,
            kind,
            column: None,
            count: Some(tally.count),
            first: tally.first,
            places: PLACES[0],
            found: format!("{} {found}", records(tally.count)),
            remedy: remedy.to_owned(),
        })
    };
    [
        row(
            Severity::Refused,
            "field-count",
            rows.ragged,
            "with more or fewer fields than the header or the schema",
            "complete them; quote fields that hold the delimiter; see that lines are not broken",
        ),
        row(
            Severity::Warning,
            "header-repeated",
            rows.headers,
            "repeating the header",
            "remove it: files that were joined have one header each",
        ),
        row(
            Severity::Warning,
            "total",
            rows.totals,
            "that may be no person: a field says total, sum or mean",
            "remove it before the table is given to a fit, where it would count as a record",
        ),
        row(
            Severity::Warning,
            "row-empty",
            rows.empty,
            "in which every feature is missing",
            "if they are no people, remove them where the table is made; by a rule that looks at \
             one row alone",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_column(seen: &Seen, findings: &mut Vec<Finding>) {
    of_missing(seen, findings);
    if seen.bounds().is_some() {
        of_numbers(seen, findings);
    } else if !seen.names().is_empty() {
        of_levels(seen, findings);
    }
    of_values(seen, findings);
}

fn of_missing(seen: &Seen, findings: &mut Vec<Finding>) {
    let missing = seen.missing;
    let refuses = match &seen.column.kind {
        Kind::Numeric { missing, .. } | Kind::Date { missing, .. } => {
            *missing == MissingNumber::Refuse
        }
        Kind::Unit { .. } => true,
        Kind::Target(TargetKind::Classes { missing, .. }) => missing.is_none(),
        Kind::Target(TargetKind::Range { missing, .. }) => missing.is_none(),
        Kind::Ignored => return,
        _ => false,
    };
    let (severity, remedy) = match refuses {
        true if matches!(seen.column.kind, Kind::Unit { .. }) => (
            Severity::Refused,
            "say whose each row is, with a name of its own if it is nobody else's; no record is \
             dropped for it",
        ),
        true => (
            Severity::Refused,
            "say in the schema what stands for a missing value (missing = …); no record is dropped \
             for it",
        ),
        false if missing.count > seen.count => (
            Severity::Warning,
            "most are missing: is it the right column? If so, choose what stands for a missing \
             value (missing = …), or ignore it",
        ),
        false => (
            Severity::Note,
            "the schema says what stands for them; nothing has to be done",
        ),
    };
    if missing.count > 0 {
        let found = format!("{} missing", values(missing.count));
        findings.push(tallied(seen, severity, "missing", missing, found, remedy));
    }
}

fn of_numbers(seen: &Seen, findings: &mut Vec<Finding>) {
    let (numbers, Some(bounds)) = (&seen.numbers, seen.bounds()) else {
        return;
    };
    if numbers.texts.count > 0 {
        let what = match seen.column.kind {
            Kind::Date { .. } => "no date like 2024-03-31",
            _ => "no number",
        };
        let found = format!(
            "{} {what}, such as {}",
            values(numbers.texts.count),
            quoted(numbers.quoted.iter().map(String::as_str))
        );
        let mut remedies: Vec<&str> = Vec::new();
        for text in &numbers.quoted {
            let remedy = match seen.column.kind {
                Kind::Date { .. } => "write dates like 2024-03-31, or list the text as missing",
                _ => shape::remedy(text),
            };
            if !remedies.contains(&remedy) {
                remedies.push(remedy);
            }
        }
        let remedy = &remedies.join("; ");
        let texts = numbers.texts;
        findings.push(tallied(
            seen,
            Severity::Refused,
            "not-a-number",
            texts,
            found,
            remedy,
        ));
    }
    if numbers.infinite.count > 0 {
        let found = format!("{} NaN or infinite", values(numbers.infinite.count));
        let remedy = "list the text at the top of the schema (missing = [\"\", \"NaN\"]), or \
                      replace it";
        let infinite = numbers.infinite;
        findings.push(tallied(
            seen,
            Severity::Refused,
            "not-finite",
            infinite,
            found,
            remedy,
        ));
    }
    let Some((least, greatest)) = numbers.ends() else {
        return;
    };
    let clipped = numbers.below + numbers.above;
    if clipped > 0 {
        let below = bounds.low() - least;
        let above = greatest - bounds.high();
        let unit = match seen.column.kind {
            Kind::Date { .. } => " days",
            _ => "",
        };
        let mut parts = Vec::new();
        if numbers.below > 0 {
            parts.push(format!(
                "{} below, by at most {}{unit}",
                numbers.below,
                written(below)
            ));
        }
        if numbers.above > 0 {
            parts.push(format!(
                "{} above, by at most {}{unit}",
                numbers.above,
                written(above)
            ));
        }
        let parts = parts.join("; ");
        let (severity, kind, remedy) = match clipped {
            // Whatever is left is the same number.
            _ if clipped == numbers.count => (
                Severity::Warning,
                "clips-everything",
                "every value is clipped, and nothing of them is left: look at the units (days or \
                 years, serial dates of a spreadsheet), and declare what any such table can hold",
            ),
            _ if clipped * 10 > numbers.count => (
                Severity::Warning,
                "clips-many",
                "look at the units, and declare what any such table can hold",
            ),
            _ => (
                Severity::Note,
                "clipped",
                "clipping is harmless; see that these values can be what they say",
            ),
        };
        let found = format!(
            "{} of {} values clipped to [{}, {}]: {parts}",
            clipped,
            numbers.count,
            seen.written(bounds.low()),
            seen.written(bounds.high())
        );
        findings.push(Finding {
            count: Some(clipped),
            ..about(seen, severity, kind, found, remedy)
        });
    }
    let (width, spread) = (
        bounds.high() / 2.0 - bounds.low() / 2.0,
        greatest / 2.0 - least / 2.0,
    );
    if clipped < numbers.count && spread > 0.0 && numbers.count >= FEW && width > FAR_WIDER * spread
    {
        let found = format!(
            "the bounds [{}, {}] are {:.0} times wider than the values, which lie between {} and {}",
            seen.written(bounds.low()),
            seen.written(bounds.high()),
            width / spread,
            seen.written(least),
            seen.written(greatest)
        );
        let remedy = "noise is as large as the bounds: is there publicly known something narrower? \
                      Not these two values";
        findings.push(about(
            seen,
            Severity::Warning,
            "range-too-wide",
            found,
            remedy,
        ));
    }
}

fn of_levels(seen: &Seen, findings: &mut Vec<Finding>) {
    let target = matches!(seen.column.kind, Kind::Target(_));
    let others = seen.others();
    if !others.is_empty() {
        let (severity, kind, what, remedy) = match target {
            true => (
                Severity::Refused,
                "class-undeclared",
                "of no declared class",
                "write the labels as the classes are declared, or list them: \"a|b\", or \"name=*\" \
                 for all others",
            ),
            false => (
                Severity::Warning,
                "level-undeclared",
                "of no declared level, which all count as \"other\"",
                "write them as they are declared, or declare them if any such table can hold them",
            ),
        };
        let shown: Vec<String> = others.iter().take(QUOTED).map(level).collect();
        let more = match others.len().saturating_sub(QUOTED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let found = format!(
            "{} {what}: {}{more}",
            values(seen.undeclared.count),
            shown.join(", ")
        );
        findings.push(tallied(
            seen,
            severity,
            kind,
            seen.undeclared,
            found,
            remedy,
        ));
    }
    let absent = || {
        let declared = seen.names().iter().zip(&seen.declared);
        declared.filter(|(_, count)| **count == 0)
    };
    let names: Vec<&str> = absent().map(|(name, _)| name.as_str()).collect();
    if !names.is_empty() && seen.count > 0 {
        let (severity, kind, remedy) = match target {
            true => (
                Severity::Warning,
                "class-absent",
                "a model cannot learn a class without records: is it written in another way here?",
            ),
            false => (
                Severity::Note,
                "level-absent",
                "leave it declared if any such table can hold it",
            ),
        };
        let found = format!("declared, and in no record: {}", quoted(names.into_iter()));
        findings.push(about(seen, severity, kind, found, remedy));
    }
}

/// What the values are to one another, whatever they are.
fn of_values(seen: &Seen, findings: &mut Vec<Finding>) {
    let ignored = matches!(seen.column.kind, Kind::Ignored | Kind::Unit { .. });
    let target = matches!(seen.column.kind, Kind::Target(_));
    if seen.count > 1 && !seen.varies && !ignored {
        let found = format!("one value in all {} records that have any", seen.count);
        let remedy = match target {
            true => "nothing can be learned from it: is it the right column?",
            false => {
                "nothing can be learned from it: ignore the column, if it is so in any such \
                      table"
            }
        };
        findings.push(about(seen, Severity::Warning, "constant", found, remedy));
    }
    let prose = seen.prose * 2 > seen.count && seen.count > 0;
    if prose {
        let found = format!("{} sentences rather than levels", values(seen.prose));
        let remedy = "free text can name people and is no category: kind = \"ignored\"";
        findings.push(about(seen, Severity::Warning, "free-text", found, remedy));
    }
    let Some(repeated) = seen.values.repeated().filter(|_| seen.count >= FEW) else {
        return;
    };
    if matches!(seen.column.kind, Kind::Unit { .. }) {
        return;
    }
    let whole = !seen.numbers.fractional;
    if ignored && repeated > 0 {
        let found = format!(
            "{} occurring a second time, and all others once",
            values(repeated)
        );
        let remedy = "if this names people, some have several rows: kind = \"unit\" protects people, each \
                      with all rows";
        findings.push(about(seen, Severity::Note, "id-repeated", found, remedy));
    }
    if !ignored && !target && !prose && whole && repeated == 0 {
        let found = "every value differs from every other, as those of an identifier do";
        let remedy = "an identifier is no feature and names people: kind = \"ignored\", unless it is \
                      a measurement";
        findings.push(about(seen, Severity::Warning, "id-like", found, remedy));
    }
}

fn about(
    seen: &Seen,
    severity: Severity,
    kind: &'static str,
    found: impl Into<String>,
    remedy: &str,
) -> Finding {
    Finding {
        severity,
        kind,
        column: Some(seen.column.name.clone()),
        count: None,
        first: None,
        places: PLACES[0],
        found: found.into(),
        remedy: remedy.to_owned(),
    }
}

fn tallied(
    seen: &Seen,
    severity: Severity,
    kind: &'static str,
    tally: Tally,
    found: String,
    remedy: &str,
) -> Finding {
    Finding {
        count: Some(tally.count),
        first: tally.first,
        ..about(seen, severity, kind, found, remedy)
    }
}

/// `'HEART' (12, for 'heart'?)`.
fn level(level: &LevelLook) -> String {
    let nearest = level.nearest.as_ref();
    let nearest = nearest.map_or(String::new(), |nearest| format!(", for '{nearest}'?"));
    format!("'{}' ({}{nearest})", short(&level.level), level.count)
}

fn quoted<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<String> = texts.map(|text| format!("'{}'", short(text))).collect();
    match texts.len().checked_sub(QUOTED) {
        None | Some(0) => texts.join(", "),
        Some(more) => format!("{} and {more} more", texts[..QUOTED].join(", ")),
    }
}

/// Its first characters.
fn short(text: &str) -> String {
    const MOST: usize = 32;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn values(count: u64) -> String {
    format!("{count} value{}", if count == 1 { "" } else { "s" })
}

fn records(count: u64) -> String {
    format!("{count} record{}", if count == 1 { "" } else { "s" })
}
