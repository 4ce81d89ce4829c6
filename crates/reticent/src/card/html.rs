//! A card without colours, and for a notebook.

use super::style::{ALARM, BAR, LOUD, NAME, QUIET, WRONG};
use anstyle::Style;

/// The start of an escape sequence.
const ESCAPE: char = '\u{1b}';

/// What a style looks like in a notebook, on light and dark pages.
const LOOKS: [(Style, &str); 6] = [
    (LOUD, "color:#2e8b57;font-weight:bold"),
    (NAME, "font-weight:bold"),
    (QUIET, "opacity:0.65"),
    (ALARM, "color:#b8860b;font-weight:bold"),
    (BAR, "color:#1f8ea3"),
    (WRONG, "color:#c0392b;font-weight:bold"),
];

/// The text without its colours.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    each_part(text, |part| {
        if let Part::Text(text) = part {
            out.push_str(text);
        }
    });
    out
}

/// The same text in HTML, its colours as styles. Everything in it is shown as it is: no name of a
/// feature or of a class becomes markup.
pub fn html(text: &str) -> String {
    let mut out = "<pre style=\"white-space:pre;line-height:1.3\">".to_owned();
    let mut open = false;
    each_part(text, |part| match part {
        Part::Text(text) => out.push_str(&escaped(text)),
        Part::Sequence(sequence) => {
            // A style is one sequence or several; a reset ends all of them.
            let reset = sequence == "[0m";
            if open && reset {
                out.push_str("</span>");
                open = false;
            } else if !open && !reset {
                out.push_str(&format!("<span style=\"{}\">", look(sequence)));
                open = true;
            }
        }
    });
    if open {
        out.push_str("</span>");
    }
    out.push_str("</pre>");
    out
}

/// A part of a text with colours.
enum Part<'a> {
    Text(&'a str),
    /// Escape sequences that follow one another, without their escapes.
    Sequence(&'a str),
}

fn each_part<'a>(text: &'a str, mut visit: impl FnMut(Part<'a>)) {
    let mut rest = text;
    while let Some(start) = rest.find(ESCAPE) {
        visit(Part::Text(&rest[..start]));
        let mut end = start;
        // What is written by `anstyle` ends in m.
        while rest[end..].starts_with(ESCAPE) {
            end = rest[end..].find('m').map_or(rest.len(), |m| end + m + 1);
        }
        visit(Part::Sequence(&rest[start + 1..end]));
        rest = &rest[end..];
    }
    visit(Part::Text(rest));
}

/// The look of the style that begins with these sequences.
fn look(sequence: &str) -> &'static str {
    let written = |style: &Style| style.render().to_string();
    let same = |(style, _): &&(Style, &str)| written(style).strip_prefix(ESCAPE) == Some(sequence);
    LOOKS.iter().find(same).map_or("", |(_, look)| look)
}

/// As text in HTML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            c => out.push(c),
        }
    }
    out
}
