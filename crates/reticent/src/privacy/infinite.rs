//! An ε that may be infinite, in files: a number, or the text `"inf"`, as JSON has no infinity.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;

/// What infinity is called.
const INFINITE: &str = "inf";

/// Writes a number that may be infinite.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if *value == f64::INFINITY {
        serializer.serialize_str(INFINITE)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// Reads a number that may be infinite.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    deserializer.deserialize_any(NumberOrInfinite)
}

struct NumberOrInfinite;

impl Visitor<'_> for NumberOrInfinite {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a number or \"{INFINITE}\"")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<f64, E> {
        match value {
            INFINITE => Ok(f64::INFINITY),
            // Not quoted: a file may contain anything.
            _ => Err(E::custom(format!(
                "a text other than \"{INFINITE}\" is not a number"
            ))),
        }
    }
}
