//! Text for people: wrapped, and without control characters from files.

use std::fmt::Write;

use super::style::{NAME, QUIET};

/// The width of a line.
const WIDTH: usize = 80;

/// The text in lines of at most 80 columns, each after `indent` spaces.
pub fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length <= WIDTH {
            out.push(' ');
            column += 1 + length;
        } else {
            if column > 0 {
                out.push('\n');
            }
            out.push_str(&" ".repeat(indent));
            column = indent + length;
        }
        out.push_str(word);
    }
    out.push('\n');
    out
}

/// Columns of a name, at least.
pub const NAME_WIDTH: usize = 15;

/// Columns of the longest value that meanings are aligned behind.
const VALUE_WIDTH: usize = 20;

/// Lines of name, value and meaning, in columns; what is longer than its column moves the rest to the
/// next line.
pub fn facts_table(out: &mut String, facts: &[(&str, String, &str)]) {
    let width = |text: &str| text.chars().count();
    let names = facts.iter().map(|(name, ..)| width(name));
    let name_width = names.fold(NAME_WIDTH, usize::max);
    let values = facts.iter().map(|(_, value, _)| width(value));
    let value_width = values.filter(|it| *it <= VALUE_WIDTH).fold(12, usize::max);
    let indent = name_width + value_width + 6;
    for (name, value, meaning) in facts {
        // Writing to a String cannot fail.
        let _ = write!(out, "  {NAME}{name:<name_width$}{NAME:#}  ");
        let meaning = wrapped(meaning, indent);
        let (meaning, value) = match width(value) <= value_width {
            true => (
                meaning.trim_start_matches(' '),
                format!("{value:<value_width$}  "),
            ),
            false => (meaning.as_str(), format!("{value}\n")),
        };
        let _ = match meaning.trim().is_empty() {
            true => writeln!(out, "{}", value.trim_end()),
            false => write!(out, "{value}{QUIET}{meaning}{QUIET:#}"),
        };
    }
}

/// The text of a file as it may be shown: control characters, which could control the terminal,
/// become �.
pub fn printable(text: &str) -> String {
    let show = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(show).collect()
}

/// At most so many columns, the last of which is … if something was cut.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_full_as_80_columns_allow() {
        let text = wrapped(&"ab ".repeat(60), 2);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0].chars().count(), 79);
        assert!(lines.iter().all(|line| line.starts_with("  ab")));
        assert_eq!(wrapped("", 2), "\n");
    }

    #[test]
    fn facts_stay_in_their_columns() {
        let mut out = String::new();
        let long = "a polytope of 123456 vertices".to_owned();
        let meaning = "a meaning that is longer than what is left of the line behind its value";
        facts_table(
            &mut out,
            &[
                ("n", "5".to_owned(), meaning),
                (
                    "huber-threshold",
                    "counted private".to_owned(),
                    "of the loss",
                ),
                ("region", long, "holds the weights"),
                ("task", "linear".to_owned(), ""),
            ],
        );
        let plain = crate::card::plain(&out);
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines.len(), 6, "{plain}");
        let column = |line: usize, word: &str| {
            let (before, _) = lines[line].split_once(word).unwrap();
            before.chars().count()
        };
        let column_of_all = [
            column(0, "a meaning"),
            column(1, "of the line"),
            column(2, "of the loss"),
            column(4, "holds"),
        ];
        assert_eq!(column_of_all, [36; 4], "{plain}");
        assert_eq!(lines[5].trim_end(), lines[5]);
        assert!(lines.iter().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn a_word_that_does_not_fit_has_a_line_of_its_own() {
        let long = "ε".repeat(90);
        assert_eq!(
            wrapped(&format!("a {long} b"), 1),
            format!(" a\n {long}\n b\n")
        );
    }

    #[test]
    fn no_escape_sequence_comes_through() {
        assert_eq!(
            printable("a\x1b[31mb\r\n\u{9b}c"),
            "a\u{fffd}[31mb\u{fffd}\u{fffd}\u{fffd}c"
        );
    }

    #[test]
    fn what_is_cut_says_so() {
        assert_eq!(cut("mean radius", 11), "mean radius");
        assert_eq!(cut("mean radius", 6), "mean …");
    }
}
