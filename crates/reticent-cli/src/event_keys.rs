//! What follows `kind:` in an event: key=value,...

use reticent::privacy::OutOfRange;

use crate::names::{key_meant, unknown};
use crate::parse_number;

/// The `key=value` pairs of one event: known keys, none twice.
pub struct Settings<'a> {
    kind: &'static str,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Settings<'a> {
    /// Splits the text after `kind:`, or says what is wrong with it.
    pub fn read(
        kind: &'static str,
        keys: &[&'static str],
        text: Option<&'a str>,
    ) -> Result<Self, String> {
        let keys: Vec<&str> = keys.iter().copied().chain(["count"]).collect();
        let parts: Vec<&str> = text.into_iter().flat_map(|text| text.split(',')).collect();
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            if part.trim().is_empty() {
                return Err(format!(
                    "a key=value is missing at a ':' or ','; {kind} takes {}",
                    keys.join(", ")
                ));
            }
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (key.trim(), value.trim());
            if !keys.contains(&key) {
                return Err(match cut(pairs.last(), &parts[place..]) {
                    Some(hint) => format!("a comma ends a value; {hint}"),
                    None => unknown(&format!("key of {kind}"), key, &keys, key_meant(kind, key)),
                });
            }
            if value.is_empty() {
                return Err(format!("'{key}' has no value; write {key}=..."));
            }
            if let Some((_, first)) = pairs.iter().find(|(known, _)| *known == key) {
                return Err(format!(
                    "'{key}' is given twice, as {first} and as {value}; give it once"
                ));
            }
            pairs.push((key, value));
        }
        Ok(Self { kind, pairs })
    }

    /// The value of a key, if it was given.
    pub fn take(&mut self, key: &str) -> Option<&'a str> {
        let place = self.pairs.iter().position(|(known, _)| *known == key)?;
        Some(self.pairs.remove(place).1)
    }

    /// The value of a key that must be given.
    pub fn required(&mut self, key: &str) -> Result<&'a str, String> {
        let kind = self.kind;
        self.take(key)
            .ok_or_else(|| format!("{kind} needs {key}=...; it was not given"))
    }

    /// The quantity of a key that must be given.
    pub fn quantity<T>(
        &mut self,
        key: &str,
        new: fn(f64) -> Result<T, OutOfRange>,
    ) -> Result<T, String> {
        parse_number::quantity(self.required(key)?, new)
    }
}

/// What to write if the text after a comma continues a number: noise=0,5.
fn cut(last: Option<&(&str, &str)>, parts: &[&str]) -> Option<String> {
    let (key, value) = last?;
    let rest: Vec<&str> = parts
        .iter()
        .map(|part| part.trim())
        .take_while(|part| !part.contains('='))
        .collect();
    parse_number::comma_hint(&format!("{value},{}", rest.join(",")), *key == "count")
}
