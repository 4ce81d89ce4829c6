//! Licence expressions as crates write them: names, `AND`, `OR` (in old crates `/`), parentheses.

use std::collections::BTreeSet;
use std::iter::Peekable;
use std::vec::IntoIter;

/// Whether the allowed licences suffice. What cannot be read does not hold.
pub fn holds(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<String> = spaced.split_whitespace().map(str::to_owned).collect();
    let mut words = words.into_iter().peekable();
    either(&mut words, allowed).is_some_and(|holds| holds) && words.next().is_none()
}

type Words = Peekable<IntoIter<String>>;

fn either(words: &mut Words, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut holds = both(words, allowed)?;
    while words.next_if(|word| word == "OR").is_some() {
        holds |= both(words, allowed)?;
    }
    Some(holds)
}

fn both(words: &mut Words, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut holds = one(words, allowed)?;
    while words.next_if(|word| word == "AND").is_some() {
        holds &= one(words, allowed)?;
    }
    Some(holds)
}

fn one(words: &mut Words, allowed: &BTreeSet<String>) -> Option<bool> {
    let mut name = words.next()?;
    if name == "(" {
        let holds = either(words, allowed)?;
        return words.next_if(|word| word == ")").map(|_| holds);
    }
    if words.next_if(|word| word == "WITH").is_some() {
        name = format!("{name} WITH {}", words.next()?);
    }
    Some(allowed.contains(&name))
}
