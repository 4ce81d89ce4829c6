//! What a text that is no number looks like, and what to do about it.

/// The texts by which hospitals and programs mean "missing".
const MISSING: [&str; 14] = [
    "", "-", "--", ".", "?", "na", "n/a", "nan", "null", "none", "nil", "#n/a", "k.a.", "unknown",
];

/// The texts that begin the last line of a spreadsheet.
const TOTALS: [&str; 10] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "summe",
    "gesamt",
    "insgesamt",
    "mean",
    "average",
    "mittelwert",
];

/// Whether a text usually means "missing".
pub(in crate::table) fn is_missing(text: &str) -> bool {
    MISSING.contains(&text.to_lowercase().as_str())
}

/// Whether a text usually begins a row of totals.
pub(super) fn means_total(text: &str) -> bool {
    TOTALS.contains(&text.to_lowercase().trim_end_matches(':'))
}

/// Whether a text is more like a sentence than a level.
pub(super) fn is_prose(text: &str) -> bool {
    text.split_whitespace().count() >= 4 || text.chars().count() > 40
}

/// Whether a text reads as a date, in any usual order.
pub(in crate::table) fn is_date(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    ['-', '/', '.'].iter().any(|&sign| {
        let parts: Vec<&str> = day.split(sign).collect();
        let digits = |part: &&str| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let short = parts.iter().filter(|part| part.len() <= 2).count();
        parts.len() == 3 && short >= 2 && parts.iter().all(digits)
    })
}

/// What to do about a text that is no number.
pub(super) fn remedy(text: &str) -> &'static str {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let only = |also: &[char]| {
        text.chars()
            .all(|c| c.is_ascii_digit() || also.contains(&c))
    };
    let signs = |sign: char| text.matches(sign).count();
    if is_missing(text) {
        "if it means \"missing\", list it at the top of the schema: missing = [\"\", …]"
    } else if is_date(text) {
        "dates are no numbers: turn them into days since a public date, with public bounds, or ignore \
         the column"
    } else if digits == 0 {
        "if it means \"missing\", list it in the schema; if the column has levels, declare it \
         kind = \"categorical\""
    } else if text.ends_with('%') {
        "remove the percent signs, and declare the bounds as [0, 100]"
    } else if signs(',') == 1 && only(&[',', '-', '+']) {
        "write decimals with a point: export the table again with another locale"
    } else if only(&[',', '.', ' ', '\'', '\u{a0}', '\u{202f}', '-', '+']) {
        "write numbers without separators of thousands, and with a point for decimals"
    } else {
        "remove what stands beside the number (a unit, < or >): a column has one unit, which belongs \
         into its name"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shape_has_its_remedy() {
        for (text, words) in [
            ("-", "missing"),
            ("#N/A", "missing"),
            ("3,5", "with a point"),
            ("1,234,567", "thousands"),
            ("1 234", "thousands"),
            ("12 %", "percent"),
            ("5 mg", "unit"),
            ("<5", "unit"),
            ("2020-01-31", "dates"),
            ("31.01.20", "dates"),
            ("1/31/2020 10:00", "dates"),
            ("high", "categorical"),
        ] {
            assert!(remedy(text).contains(words), "{text}: {}", remedy(text));
        }
    }

    #[test]
    fn numbers_are_no_dates() {
        for text in ["3.5", "-3", "1.234.567", "12", "1-2", ""] {
            assert!(!is_date(text), "{text}");
        }
    }
}
