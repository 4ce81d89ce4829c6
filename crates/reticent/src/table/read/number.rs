//! Decimal numbers of text files, to the nearest `f32` or `f64`.
//!
//! Parsed by fast-float2, which rounds correctly and stops by itself where a number ends. The standard
//! library needs the end beforehand and checks that the text is UTF-8: a table takes 29 to 42 % longer
//! to read with it (news20, of 1.27 M values, 28.0 ms in place of 21.8 ms on one core; ijcnn1 21.1 in
//! place of 14.6), and with lexical-core up to 14 %. A parser of our own for short decimals, which was
//! here before, was 2 % faster on news20 and 2 % slower on ijcnn1.

use fast_float2::FastFloat;

/// Why a text is not a finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::table) enum NumberError {
    /// It does not read as a number.
    Malformed,
    /// NaN or infinity, spelled out.
    NotFinite,
}

/// A finite number at the start of `text`, if it ends where `ends` says, and how many bytes it takes.
/// For the hot loop: no byte is read twice.
#[inline]
pub(super) fn prefix_f32(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(f32, usize)> {
    prefix(text, ends).filter(|(value, _): &(f32, usize)| value.is_finite())
}

/// The same for `f64`.
#[inline]
pub(super) fn prefix_f64(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(f64, usize)> {
    prefix(text, ends).filter(|(value, _): &(f64, usize)| value.is_finite())
}

#[inline]
fn prefix<T: FastFloat>(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(T, usize)> {
    let (value, length) = fast_float2::parse_partial(text).ok()?;
    let ended = text.get(length).is_none_or(|&byte| ends(byte));
    ended.then_some((value, length))
}

/// The whole of `text` as the nearest `f32` that is finite: a number beyond the range becomes its
/// end, and the bound of the rows clips it there. To refuse it would reveal something about a valid
/// record.
pub(super) fn any_f32(text: &[u8]) -> Result<f32, NumberError> {
    let value: f32 = fast_float2::parse(text).map_err(|_| NumberError::Malformed)?;
    spelled_finite(value.is_finite(), text).map(|()| value.clamp(f32::MIN, f32::MAX))
}

/// The same for `f64`.
#[inline]
pub(super) fn any_f64(text: &[u8]) -> Result<f64, NumberError> {
    let value: f64 = fast_float2::parse(text).map_err(|_| NumberError::Malformed)?;
    spelled_finite(value.is_finite(), text).map(|()| value.clamp(f64::MIN, f64::MAX))
}

/// What is parsed as NaN or infinity is either spelled so, or is a number with too many digits.
fn spelled_finite(finite: bool, text: &[u8]) -> Result<(), NumberError> {
    match finite || text.iter().any(u8::is_ascii_digit) {
        true => Ok(()),
        false => Err(NumberError::NotFinite),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn blank(byte: u8) -> bool {
        byte == b' '
    }

    /// The very bits of the standard library, for a text alone and for one that goes on; and what that
    /// refuses is refused.
    fn agrees(text: &str) -> Result<(), TestCaseError> {
        let longer = format!("{text} 7");
        let bytes = text.as_bytes();
        match text.parse::<f32>() {
            Ok(value) if value.is_finite() => {
                let found = prefix_f32(bytes, blank).map(|(x, length)| (x.to_bits(), length));
                prop_assert_eq!(found, Some((value.to_bits(), text.len())), "{}", text);
                let found = prefix_f32(longer.as_bytes(), blank).map(|(x, _)| x.to_bits());
                prop_assert_eq!(found, Some(value.to_bits()), "{}", text);
                prop_assert_eq!(any_f32(bytes).map(f32::to_bits), Ok(value.to_bits()));
            }
            Ok(_) => prop_assert_eq!(prefix_f32(bytes, blank), None, "{}", text),
            Err(_) => {
                prop_assert_eq!(prefix_f32(bytes, blank), None, "{}", text);
                prop_assert_eq!(any_f32(bytes), Err(NumberError::Malformed), "{}", text);
            }
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => {
                let found = prefix_f64(bytes, blank).map(|(x, length)| (x.to_bits(), length));
                prop_assert_eq!(found, Some((value.to_bits(), text.len())), "{}", text);
                prop_assert_eq!(any_f64(bytes).map(f64::to_bits), Ok(value.to_bits()));
            }
            Ok(_) => prop_assert_eq!(prefix_f64(bytes, blank), None, "{}", text),
            Err(_) => prop_assert_eq!(any_f64(bytes), Err(NumberError::Malformed), "{}", text),
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn decimals_are_the_nearest(text in "[+-]?[0-9]{0,25}(\\.[0-9]{0,25})?([eE][+-]?[0-9]{0,3})?") {
            agrees(&text)?;
        }

        #[test]
        fn printed_floats_are_the_nearest(single in any::<f32>(), double in any::<f64>()) {
            agrees(&format!("{single}"))?;
            agrees(&format!("{double:e}"))?;
            agrees(&format!("{:.6}", single.rem_euclid(3.0)))?;
        }

        /// Halfway between two neighbours, and just beside it: where rounding twice goes wrong.
        #[test]
        fn ties_are_the_nearest(mantissa in 0x80_0000u32..0xFF_FFFF, hair in -1i64..=1) {
            let middle = (i64::from(mantissa) * 2 + 1) * 5_000_000 + hair;
            agrees(&format!("{}.{:07}", middle / 10_000_000, middle % 10_000_000))?;
        }

        #[test]
        fn what_is_no_number_is_refused(text in "[+-]?[0-9.eE+xna_,if-]{0,7}") {
            agrees(&text)?;
        }
    }

    #[test]
    fn a_number_ends_where_it_must() {
        for (text, value, length) in [
            ("1", 1.0, 1),
            ("-0.5 3:1", -0.5, 4),
            ("+12.25 ", 12.25, 6),
            (".5", 0.5, 2),
            ("7. ", 7.0, 2),
            ("1e5", 1e5, 3),
        ] {
            assert_eq!(prefix_f32(text.as_bytes(), blank), Some((value, length)));
        }
        for text in [
            "", "+", ".", "-.", "1x", "x", "0x10", "1:2", "1e", "nan", "-inf ", "1e39",
        ] {
            assert_eq!(prefix_f32(text.as_bytes(), blank), None, "{text}");
        }
    }

    #[test]
    fn what_is_beyond_the_range_is_its_end_and_what_is_not_finite_is_told_apart() {
        assert_eq!(any_f32(b"1e39"), Ok(f32::MAX));
        assert_eq!(any_f32(b"-3.5e38"), Ok(f32::MIN));
        assert_eq!(any_f64(b"1e300"), Ok(1e300));
        assert_eq!(any_f64(b"-1e999"), Ok(f64::MIN));
        assert_eq!(any_f64(&[b'9'; 400]), Ok(f64::MAX));
        for text in ["nan", "NaN", "inf", "-Infinity"] {
            assert_eq!(any_f32(text.as_bytes()), Err(NumberError::NotFinite));
        }
        for text in ["", "-", "1,5", "1_000", "0x1p3", "\u{ff11}"] {
            assert_eq!(any_f32(text.as_bytes()), Err(NumberError::Malformed));
        }
        assert_eq!(any_f32(b"-2.5E-3"), Ok(-0.0025));
        assert_eq!(any_f32(b"\xff1"), Err(NumberError::Malformed));
    }
}
