//! Keys by which levels, labels and texts that mean "missing" are compared.

use super::encode::Cell;
use super::number::{self, NumberError};

const TRUE: &[u8] = b"true";
const FALSE: &[u8] = b"false";

/// A value as it is compared: numbers as numbers, truth values as truth values, texts exactly.
///
/// # Privacy
///
/// A function of the value alone. The type of a column, or how its values are written, may depend
/// on any one of its records: a reader that guesses types reads `01` as the number 1 until one
/// record of the column is a text. So `1`, `1.0`, `"01"` and `"1"` have one key, and so have a
/// truth value and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key<'a> {
    /// The bits of a finite number; zero has one sign.
    Number(u64),
    /// Anything that is not a finite number.
    Text(&'a [u8]),
}

impl<'a> Key<'a> {
    /// Of a text without blanks around it.
    #[inline]
    pub(crate) fn of_text(text: &'a [u8]) -> Self {
        match number::any_f64(text) {
            Ok(value) => Self::of_number(value),
            // The spellings of truth values.
            Err(_) => Self::Text(match text {
                b"true" | b"True" | b"TRUE" => TRUE,
                b"false" | b"False" | b"FALSE" => FALSE,
                text => text,
            }),
        }
    }

    /// Of a cell that holds something.
    #[inline]
    pub(in crate::table) fn of(cell: Cell<'a>) -> Option<Self> {
        Some(match cell {
            Cell::Null => return None,
            Cell::Text(text) => Self::of_text(text),
            Cell::Number(value) => Self::of_number(value),
            Cell::Integer(value) => Self::of_number(value as f64),
            Cell::Day(days) => Self::of_number(days as f64),
            Cell::Truth(true) => Self::Text(TRUE),
            Cell::Truth(false) => Self::Text(FALSE),
        })
    }

    /// The finite number that it stands for: a truth value is 1 or 0.
    #[inline]
    pub(in crate::table) fn number(self) -> Result<f64, NumberError> {
        match self {
            Self::Number(bits) => Ok(f64::from_bits(bits)),
            Self::Text(TRUE) => Ok(1.0),
            Self::Text(FALSE) => Ok(0.0),
            Self::Text(text) => match number::any_f64(text) {
                Err(NumberError::NotFinite) => Err(NumberError::NotFinite),
                _ => Err(NumberError::Malformed),
            },
        }
    }

    /// The texts of truth values that have the key of this one, if it is one's.
    pub(crate) fn truth_spellings(self) -> &'static [&'static str] {
        match self {
            Self::Text(TRUE) => &["true", "True", "TRUE"],
            Self::Text(FALSE) => &["false", "False", "FALSE"],
            _ => &[],
        }
    }

    #[inline]
    fn of_number(value: f64) -> Self {
        match value {
            // −0 + 0 is 0.
            value if value.is_finite() => Self::Number((value + 0.0).to_bits()),
            f64::INFINITY => Self::Text(b"inf"),
            f64::NEG_INFINITY => Self::Text(b"-inf"),
            _ => Self::Text(b"NaN"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_same_however_it_is_written_or_stored() {
        let one = Key::of(Cell::Number(1.0));
        assert_eq!(Key::of(Cell::Integer(1)), one);
        for text in ["1", "01", "+1", "1.0", "1.", "001.00", "1e0", "10e-1"] {
            assert_eq!(Key::of(Cell::Text(text.as_bytes())), one, "{text}");
        }
        assert_eq!(Key::of_text(b"-0"), Key::of_text(b"0.0"));
        assert_eq!(
            Key::of_text(b"1e400"),
            Key::of(Cell::Number(f64::MAX)).unwrap()
        );
        assert_eq!(Key::of(Cell::Null), None);
    }

    #[test]
    fn a_truth_value_is_the_same_as_its_name() {
        for text in ["true", "True", "TRUE"] {
            let key = Key::of(Cell::Text(text.as_bytes()));
            assert_eq!(key, Key::of(Cell::Truth(true)), "{text}");
            assert!(Key::of_text(b"True").truth_spellings().contains(&text));
        }
        assert_eq!(Key::of(Cell::Text(b"False")), Key::of(Cell::Truth(false)));
        assert_ne!(Key::of(Cell::Truth(true)), Key::of(Cell::Integer(1)));
    }

    #[test]
    fn texts_that_are_no_numbers_stay_exact() {
        for text in [
            "x", "01x", "1,5", "1 000", "0x1", "tRUE", "Ulm", "ulm", "nan", "",
        ] {
            assert_eq!(Key::of_text(text.as_bytes()), Key::Text(text.as_bytes()));
        }
    }
}
