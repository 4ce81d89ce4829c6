//! Rust source as words and signs: without blanks, comments and literals.

/// A word or a sign, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// An identifier, a keyword or a number; `::`; or one character.
    pub text: &'a str,
    /// The line, from 1.
    pub line: usize,
}

/// The words and signs of a source file.
pub fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while !rest.is_empty() {
        let length = ignored(rest).unwrap_or_else(|| {
            let length = word(rest).unwrap_or_else(|| sign(rest));
            let text = &rest[..length];
            tokens.push(Token { text, line });
            length
        });
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// Whether a token is an identifier, a keyword or a number.
pub fn is_word(text: &str) -> bool {
    text.starts_with(of_word)
}

/// Whether a word may hold a character.
pub fn of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The length of the word that the text starts with.
fn word(text: &str) -> Option<usize> {
    let length = text.find(|c| !of_word(c)).unwrap_or(text.len());
    (length > 0).then_some(length)
}

/// The length of the sign that the text starts with.
fn sign(text: &str) -> usize {
    match text.starts_with("::") {
        true => 2,
        false => first_length(text),
    }
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The length of the blank, comment, literal or lifetime that the text starts with.
fn ignored(text: &str) -> Option<usize> {
    if text.starts_with(char::is_whitespace) {
        return Some(first_length(text));
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(block_comment(text));
    }
    if text.starts_with('"') {
        return Some(quoted(text, '"'));
    }
    if let Some(after) = text.strip_prefix('\'') {
        let literal = after.starts_with('\\') || after[first_length(after)..].starts_with('\'');
        return Some(match literal {
            true => quoted(text, '\''),
            false => 1 + word(after).unwrap_or(0),
        });
    }
    raw(text)
}

/// Comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += first_length(rest);
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of a literal up to the closing quote that no backslash precedes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return at + 1;
        }
    }
    text.len()
}

/// The length of a raw string, or of the `r#` of a raw identifier.
fn raw(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"]
        .into_iter()
        .find(|prefix| text.strip_prefix(prefix).is_some_and(hash_or_quote))?;
    let after = &text[prefix.len()..];
    let hashes = after.find(|c| c != '#').unwrap_or(after.len());
    let Some(content) = after[hashes..].strip_prefix('"') else {
        return Some(prefix.len() + hashes);
    };
    let end = format!("\"{}", "#".repeat(hashes));
    let length = content
        .find(&end)
        .map_or(content.len(), |at| at + end.len());
    Some(prefix.len() + hashes + 1 + length)
}

fn hash_or_quote(text: &str) -> bool {
    text.starts_with(['#', '"'])
}
