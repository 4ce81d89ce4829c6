//! Text for people: wrapped, and without control characters from files.

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
