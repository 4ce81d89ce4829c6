//! Keys by which the people of a table are told apart.

use std::borrow::Cow;

use super::encode::Cell;

/// Whole numbers beyond this size have lost digits where they are stored as floats.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// What tells a person: digits for a whole number, however it is written, and any other text exactly.
///
/// # Privacy
///
/// A function of the value alone, and two people never have one key: a removed person would otherwise
/// leave rows behind. So numbers are not compared as floats, which takes 12345678901234567 and
/// …568 for one, and a text such as `12e3` is no number. A float too large to be exact is none
/// (`None`): whose it is can not be told. `7`, `07` and `7.0` are one, as readers that guess types
/// write each of them for the same.
pub(super) fn unit_key(cell: Cell<'_>) -> Option<Cow<'_, [u8]>> {
    match cell {
        Cell::Number(value) if value.abs() > MOST_EXACT || !value.is_finite() => None,
        // −0 + 0 is 0.
        Cell::Number(value) => Some(Cow::Owned((value + 0.0).to_string().into_bytes())),
        Cell::Text(text) => Some(Cow::Borrowed(whole(text).unwrap_or(text))),
        cell => cell.text(),
    }
}

/// The digits of a whole number without what does not change it, if a text is one.
fn whole(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let (digits, rest) = match text.iter().position(|byte| *byte == b'.') {
        Some(point) => text.split_at(point),
        None => (text, &[][..]),
    };
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let zeros = rest.iter().skip(1).all(|byte| *byte == b'0');
    if !number(digits) || !zeros {
        return None;
    }
    let first = digits.iter().position(|byte| *byte != b'0');
    Some(first.map_or(b"0", |first| &digits[first..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_text(text: &str) -> Vec<u8> {
        unit_key(Cell::Text(text.as_bytes())).unwrap().into_owned()
    }

    #[test]
    fn different_people_never_have_one_key() {
        let ids = [
            "12345678901234567",
            "12345678901234568",
            "0e11",
            "0e22",
            "0",
            "1e400",
            "99e88888",
            "0012E3",
            "12000",
            "-7",
            "7",
            "7.5",
            "7.50",
            "true",
            "True",
            "Ulm",
            "ulm",
            "+",
            ".",
            "0x7",
        ];
        let keys: std::collections::HashSet<Vec<u8>> = ids.iter().map(|id| of_text(id)).collect();
        assert_eq!(keys.len(), ids.len());
    }

    #[test]
    fn a_whole_number_is_one_person_however_it_is_written_or_stored() {
        for text in ["7", "07", "+7", "7.0", "7.", "007.00"] {
            assert_eq!(of_text(text), b"7", "{text}");
        }
        for cell in [Cell::Number(7.0), Cell::Integer(7)] {
            assert_eq!(unit_key(cell).unwrap().as_ref(), b"7");
        }
        for cell in [Cell::Number(-0.0), Cell::Integer(0), Cell::Text(b"000")] {
            assert_eq!(unit_key(cell).unwrap().as_ref(), b"0");
        }
        let long = 12_345_678_901_234_567;
        let exact = unit_key(Cell::Integer(long)).unwrap().into_owned();
        assert_eq!(exact, of_text("12345678901234567"));
    }

    #[test]
    fn a_float_that_lost_digits_tells_nobody() {
        for value in [1.0e16, -1.0e300, f64::INFINITY, f64::NAN] {
            assert_eq!(unit_key(Cell::Number(value)), None, "{value}");
        }
    }
}
