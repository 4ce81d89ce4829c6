//! A look, to be read in a terminal.

use std::fmt::{self, Display, Formatter};

use super::super::read::date;
use super::column::written;
use super::{ColumnLook, Finding, LevelLook, Look, Severity};

/// How many levels of a column are listed.
const LISTED: usize = 12;

/// The columns of a terminal.
const WIDTH: usize = 80;

impl Display for Look {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        wrap(f, self.notice, "", "")?;
        let word = if self.records == 1 {
            "record"
        } else {
            "records"
        };
        writeln!(
            f,
            "\n{} {word}, {} columns",
            self.records,
            self.columns.len()
        )?;
        for severity in [Severity::Refused, Severity::Warning, Severity::Note] {
            section(f, severity, &self.findings)?;
        }
        if !self.wants_mending() {
            writeln!(f, "\nNothing to mend was found.")?;
        }
        if !self.columns.is_empty() {
            writeln!(f, "\nThe columns in figures")?;
        }
        self.columns
            .iter()
            .try_for_each(|column| write!(f, "{column}"))?;
        writeln!(f)?;
        wrap(f, self.afterwards, "", "")
    }
}

/// The findings of one kind, under their title.
pub(super) fn section(f: &mut Formatter, severity: Severity, all: &[Finding]) -> fmt::Result {
    let mut findings = all
        .iter()
        .filter(|finding| finding.severity == severity)
        .peekable();
    if findings.peek().is_some() {
        let title = match severity {
            Severity::Refused => "A fit refuses the table",
            Severity::Warning => "A fit accepts it, and it is probably not what is meant",
            Severity::Note => "Good to know",
        };
        writeln!(f, "\n{title}")?;
    }
    findings.try_for_each(|finding| write!(f, "{finding}"))
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let column = self.column.as_ref();
        let column = column.map_or(String::new(), |name| format!("{}: ", printable(name)));
        let first = self.first.map_or(String::new(), |line| match self.count {
            Some(1) => format!(" ({} {line})", self.places),
            _ => format!(" (first in {} {line})", self.places),
        });
        let mark = match self.severity {
            Severity::Refused => "✗",
            Severity::Warning => "!",
            Severity::Note => "·",
        };
        let found = format!("{column}{}{first}", printable(&self.found));
        wrap(f, &found, &format!("  {mark} "), "    ")?;
        match self.remedy.is_empty() {
            true => Ok(()),
            false => wrap(f, &self.remedy, "    → ", "      "),
        }
    }
}

impl Display for ColumnLook {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mut facts = vec![self.kind.to_owned()];
        if let Some(numbers) = &self.numbers {
            let shown = |value: f64| match self.kind {
                // The days of dates are whole.
                "date" => date::text_of(value as i64),
                _ => written(value),
            };
            facts.push(format!(
                "declared {} to {}",
                shown(numbers.low),
                shown(numbers.high)
            ));
            if let (Some(least), Some(greatest)) = (numbers.least, numbers.greatest) {
                facts.push(format!("found {} to {}", shown(least), shown(greatest)));
            }
            facts.push(format!("{} below, {} above", numbers.below, numbers.above));
        }
        let level = |level: &LevelLook| {
            let mark = if level.declared { "" } else { " undeclared" };
            format!("'{}' {}{mark}", printable(&level.level), level.count)
        };
        facts.extend(self.levels.iter().take(LISTED).map(level));
        if self.levels.len() > LISTED {
            facts.push(format!("{} more", self.levels.len() - LISTED));
        }
        if self.missing > 0 {
            facts.push(format!("{} missing", self.missing));
        }
        let line = format!("{}: {}", printable(&self.name), facts.join(", "));
        wrap(f, &line, "  ", "      ")
    }
}

/// Lines of a terminal; blanks are what is broken at.
pub(super) fn wrap(f: &mut Formatter, text: &str, first: &str, next: &str) -> fmt::Result {
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split(' ') {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            line = next.to_owned();
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    writeln!(f, "{line}")
}

/// Signs that steer a terminal are shown, not sent.
fn printable(text: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_debug().to_string(),
        false => c.to_string(),
    };
    text.chars().map(shown).collect()
}
