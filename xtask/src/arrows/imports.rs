//! What a source file names of other modules: imports and paths, those of tests left out.

use super::lex::{self, Token};

/// What a source file declares and names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Modules that are in files of their own, by their path from the crate's root.
    pub modules: Vec<Vec<String>>,
    /// What is named by a path that starts with `crate`, `self` or `super`.
    pub named: Vec<Named>,
}

/// Something named by its path.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    /// From the crate's root; `*` at its end stands for all that is there.
    pub path: Vec<String>,
    /// The line, from 1.
    pub line: usize,
}

/// Reads the source of the module `home`, given by its path from the crate's root.
pub fn read(text: &str, home: &[String]) -> Source {
    let mut reader = Reader {
        tokens: lex::tokens(text),
        home: home.to_vec(),
        source: Source::default(),
    };
    reader.read();
    reader.source
}

struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    /// The module that we are in.
    home: Vec<String>,
    source: Source,
}

impl<'a> Reader<'a> {
    /// The token at a place; nothing beyond the last.
    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn read(&mut self) {
        let mut at = 0;
        let mut depth = 0;
        // The depths in which modules were opened.
        let mut opened = Vec::new();
        while at < self.tokens.len() {
            if let Some(end) = self.test(at) {
                at = end;
                continue;
            }
            let next = self.text(at + 1);
            match self.text(at) {
                "mod" if lex::is_word(next) && self.text(at + 2) == ";" => {
                    let mut module = self.home.clone();
                    module.push(next.to_owned());
                    self.source.modules.push(module);
                }
                "mod" if lex::is_word(next) && self.text(at + 2) == "{" => {
                    self.home.push(next.to_owned());
                    opened.push(depth);
                    // Past the name: the brace is counted next.
                    at += 1;
                }
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    if opened.last() == Some(&depth) {
                        opened.pop();
                        self.home.pop();
                    }
                }
                // `pub(in super::super)` names no other module's content.
                "pub" if next == "(" && self.is_visibility(at + 2) => at = self.close(at + 1),
                "crate" | "super" | "self" if matches!(next, "::" | "as") => {
                    at = self.path(at, self.home.clone());
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Whether `pub(` is followed by where it is visible, and not by the type of a field.
    fn is_visibility(&self, at: usize) -> bool {
        self.text(at) == "in" || self.text(at + 1) == ")"
    }

    /// Notes what a path or a tree of them names, relative to `base`. Returns where it ends.
    fn path(&mut self, mut at: usize, base: Vec<String>) -> usize {
        let mut path = base;
        loop {
            match self.text(at) {
                "crate" => path.clear(),
                "self" => {}
                "super" => {
                    path.pop();
                }
                "{" => return self.group(at, &path),
                segment => path.push(segment.to_owned()),
            }
            let next = self.text(at + 2);
            let goes_on = lex::is_word(next) || matches!(next, "{" | "*");
            if self.text(at + 1) != "::" || !goes_on {
                break;
            }
            at += 2;
        }
        let line = self.tokens[at].line;
        self.source.named.push(Named { path, line });
        at + 1
    }

    /// The same of `{…, …}` in an import.
    fn group(&mut self, open: usize, base: &[String]) -> usize {
        let end = self.close(open);
        let mut at = open + 1;
        while at < end {
            let text = self.text(at);
            at = match text {
                // Whatever it is called here, the path says where it comes from.
                "as" => at + 2,
                "*" | "{" => self.path(at, base.to_vec()),
                _ if lex::is_word(text) => self.path(at, base.to_vec()),
                _ => at + 1,
            };
        }
        end + 1
    }

    /// Where the bracket that opens at a place is closed.
    fn close(&self, open: usize) -> usize {
        let mut depth = 0;
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return at;
            }
        }
        self.tokens.len()
    }

    /// Where the item ends that an attribute at this place leaves to tests, if it does.
    fn test(&self, at: usize) -> Option<usize> {
        if self.text(at) != "#" {
            return None;
        }
        let inner = self.text(at + 1) == "!";
        let open = at + 1 + usize::from(inner);
        if self.text(open) != "[" {
            return None;
        }
        let close = self.close(open);
        let words: Vec<&str> = (open + 1..close).map(|at| self.text(at)).collect();
        let test = match words[..] {
            ["test"] => true,
            // `any` and `not` can hold outside tests too.
            ["cfg", ..] => {
                words.contains(&"test") && !words.contains(&"not") && !words.contains(&"any")
            }
            _ => false,
        };
        test.then(|| match inner {
            true => self.end_of(close + 1, |_| false),
            false => self.end_of_item(close + 1),
        })
    }

    /// Where the item, statement or field ends that starts at a place.
    fn end_of_item(&self, mut at: usize) -> usize {
        while self.text(at) == "#" {
            at = self.close(at + 1) + 1;
        }
        let start = at;
        if self.text(at) == "pub" {
            at += 1;
            if self.text(at) == "(" {
                at = self.close(at) + 1;
            }
        }
        match self.text(at) {
            "use" | "let" | "static" | "type" => self.end_of(start, |end| end == ";"),
            "const" if !matches!(self.text(at + 1), "fn" | "unsafe" | "async" | "extern") => {
                self.end_of(start, |end| end == ";")
            }
            "mod" | "fn" | "impl" | "struct" | "enum" | "trait" | "const" | "unsafe" | "async"
            | "extern" | "macro_rules" => self.end_of(start, |end| matches!(end, ";" | "}")),
            _ => self.end_of(start, |end| matches!(end, ";" | "}" | ",")),
        }
    }

    /// The place after the first token outside brackets that ends an item, or that of the bracket
    /// that closes what the item is in.
    fn end_of(&self, start: usize, ends: impl Fn(&str) -> bool) -> usize {
        let mut at = start;
        while at < self.tokens.len() {
            match self.text(at) {
                "(" | "[" | "{" => at = self.close(at),
                ")" | "]" | "}" => return at,
                _ => {}
            }
            at += 1;
            if ends(self.text(at - 1)) {
                return at;
            }
        }
        at
    }
}
