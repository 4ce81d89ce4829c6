//! Decimal numbers of text files, to the nearest `f32` or `f64`.
//!
//! Nearly every number in a data file is short. A decimal m·10⁻ᵏ with m ≤ 2⁵³ and k ≤ 22 is the
//! quotient of two exact doubles, so one division rounds it correctly (Clinger 1990). All
//! others, and all with an exponent, go to the standard library, which is correct too.

/// 10⁰ to 10²², each of which `f64` holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// The most digits whose value is surely below 2⁵³.
const MOST_DIGITS: usize = 15;

/// Why a text is no finite number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    /// It does not read as a number.
    Malformed,
    /// NaN or infinity, spelled out.
    NotFinite,
}

/// A number at the start of `text`, if it is a short decimal that ends where `ends` says, and
/// how many bytes it takes. Meant for the hot loop: no other byte is looked at.
#[inline]
pub(super) fn short_f32(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(f32, usize)> {
    let (value, length) = short_f64(text, ends)?;
    // Rounding twice differs from rounding once only if the first lands in the middle of two
    // neighbours, which in f64 shows as a one followed by zeros in the 29 bits that go. Below
    // the normal numbers of f32 more bits go.
    let in_the_middle = value.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
    let tiny = value != 0.0 && value.abs() < f64::from(f32::MIN_POSITIVE);
    (!in_the_middle && !tiny).then_some((value as f32, length))
}

/// The same for `f64`.
#[inline]
pub(super) fn short_f64(text: &[u8], ends: impl Fn(u8) -> bool) -> Option<(f64, usize)> {
    let negative = text.first() == Some(&b'-');
    let signed = negative || text.first() == Some(&b'+');
    let mut at = usize::from(signed);
    let whole = digits(text, &mut at, 0);
    let (mantissa, count, places) = match text.get(at) {
        Some(b'.') => {
            let before = at - usize::from(signed);
            at += 1;
            let start = at;
            let mantissa = digits(text, &mut at, whole);
            (mantissa, before + (at - start), at - start)
        }
        _ => (whole, at - usize::from(signed), 0),
    };
    let ended = text.get(at).is_none_or(|&byte| ends(byte));
    if count == 0 || count > MOST_DIGITS || !ended {
        return None;
    }
    let size = match places {
        0 => mantissa as f64,
        places => mantissa as f64 / POWERS[places],
    };
    Some((if negative { -size } else { size }, at))
}

/// Takes digits; the value is meaningless beyond 19 of them.
#[inline]
fn digits(text: &[u8], at: &mut usize, start: u64) -> u64 {
    let mut value = start;
    while let Some(digit) = text.get(*at).map(|byte| byte.wrapping_sub(b'0'))
        && digit < 10
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        *at += 1;
    }
    value
}

/// The whole of `text` as the nearest `f32` that is finite: a number beyond the range becomes its end,
/// and the bound of the rows clips it there. To refuse it would tell of a record that is valid.
pub(super) fn any_f32(text: &[u8]) -> Result<f32, NumberError> {
    let value = parsed::<f32>(text)?;
    spelled_finite(value.is_finite(), text).map(|()| value.clamp(f32::MIN, f32::MAX))
}

/// The same for `f64`.
#[inline]
pub(super) fn any_f64(text: &[u8]) -> Result<f64, NumberError> {
    // Nearly all are short.
    if let Some((value, _)) = short_f64(text, |_| false) {
        return Ok(value);
    }
    let value = parsed::<f64>(text)?;
    spelled_finite(value.is_finite(), text).map(|()| value.clamp(f64::MIN, f64::MAX))
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Result<T, NumberError> {
    let text = std::str::from_utf8(text).map_err(|_| NumberError::Malformed)?;
    text.parse().map_err(|_| NumberError::Malformed)
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

    /// Both paths give the very bits of the standard library.
    fn agrees(text: &str) -> Result<(), TestCaseError> {
        if let Some((value, length)) = short_f32(text.as_bytes(), blank) {
            prop_assert_eq!(length, text.len());
            prop_assert_eq!(value.to_bits(), text.parse::<f32>().unwrap().to_bits());
        }
        if let Some((value, length)) = short_f64(text.as_bytes(), blank) {
            prop_assert_eq!(length, text.len());
            prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits());
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn short_decimals_are_the_nearest(text in "[+-]?[0-9]{0,9}(\\.[0-9]{0,9})?") {
            agrees(&text)?;
        }

        #[test]
        fn printed_floats_are_the_nearest(value in any::<f32>()) {
            agrees(&format!("{value}"))?;
            agrees(&format!("{:.6}", value.rem_euclid(3.0)))?;
        }

        /// Halfway between two neighbours, and a hair beside: where rounding twice goes wrong.
        #[test]
        fn ties_are_the_nearest(mantissa in 0x80_0000u32..0xFF_FFFF, hair in -1i64..=1) {
            let middle = (i64::from(mantissa) * 2 + 1) * 5_000_000 + hair;
            agrees(&format!("{}.{:07}", middle / 10_000_000, middle % 10_000_000))?;
        }
    }

    #[test]
    fn short_numbers_take_the_fast_path() {
        for (text, value) in [
            ("1", 1.0),
            ("-0.5", -0.5),
            ("+12.25", 12.25),
            (".5", 0.5),
            ("7.", 7.0),
        ] {
            assert_eq!(short_f32(text.as_bytes(), blank), Some((value, text.len())));
        }
        for text in [
            "",
            "+",
            ".",
            "-.",
            "1e5",
            "1x",
            "x",
            "1234567890123456",
            "0x10",
        ] {
            assert_eq!(short_f32(text.as_bytes(), blank), None, "{text}");
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
