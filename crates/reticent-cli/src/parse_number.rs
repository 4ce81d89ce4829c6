//! Numbers as people type them.

use std::num::NonZeroU64;

use reticent::privacy::OutOfRange;

/// A quantity: a decimal, or a fraction of two. One outside its range is refused as it was typed,
/// whatever float it became.
pub fn quantity<T>(text: &str, new: fn(f64) -> Result<T, OutOfRange>) -> Result<T, String> {
    let value = real(text)?;
    new(value).map_err(
        |OutOfRange {
             quantity, allowed, ..
         }| {
            let lost = match lost(text, value) {
                Some(how) => format!(" (too {how} for a 64-bit float)"),
                None => String::new(),
            };
            format!("{quantity} is {text}{lost}; it must be {allowed}")
        },
    )
}

/// A count: a whole number, which may be written like 1e9.
pub fn count(text: &str) -> Result<NonZeroU64, String> {
    counted(text, "count is")
}

/// The count of an option, whose name the error has already.
pub fn option_count(text: &str) -> Result<NonZeroU64, String> {
    counted(text, "it is")
}

fn counted(text: &str, subject: &str) -> Result<NonZeroU64, String> {
    let value = whole(text);
    value.and_then(NonZeroU64::new).ok_or_else(|| {
        typographic(text).unwrap_or_else(|| {
            if value == Some(0) {
                return format!("{subject} {text}; it must be at least 1");
            }
            format!(
                "{subject} {text}; it must be a whole number from 1 to {}, like 30 or 1e9",
                u64::MAX
            )
        })
    })
}

/// A seed, whose flag the error names already.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        typographic(text).unwrap_or_else(|| {
            format!(
                "it is {text}; it must be a whole number from 0 to {}",
                u64::MAX
            )
        })
    })
}

/// What to write for a number with commas, like 0,5 or 10,000; nothing if it is not such a number.
/// A count has no decimals.
pub fn comma_hint(text: &str, is_count: bool) -> Option<String> {
    let (first, rest) = text.split_once(',')?;
    let mut ways = Vec::new();
    if !is_count && !rest.contains(',') && rest.starts_with(|c: char| c.is_ascii_digit()) {
        ways.push(format!("{first}.{rest}"));
    }
    let thousands = rest
        .split(',')
        .all(|group| group.len() == 3 && group.bytes().all(|b| b.is_ascii_digit()));
    if thousands && !first.starts_with('0') {
        let joined = text.replace(',', "");
        let brief = whole(&joined).map(|value| format!("{value:e}"));
        ways.push(joined.clone());
        ways.extend(brief.filter(|brief| is_count && brief.len() < joined.len()));
    }
    ways.retain(|way| way.parse::<f64>().is_ok());
    (!ways.is_empty()).then(|| format!("if {text} is a number, write {}", ways.join(" or ")))
}

/// The float nearest to a decimal; the quotient of two such, rounded to nearest once, for a
/// fraction.
pub fn real(text: &str) -> Result<f64, String> {
    let Some((above, below)) = text.split_once('/') else {
        return text.parse().map_err(|_| not_a_number(text));
    };
    let part = |part: &str| {
        part.trim()
            .parse()
            .ok()
            .filter(|part: &f64| part.is_finite())
    };
    match (part(above), part(below)) {
        (Some(above), Some(below)) if below > 0.0 => Ok(above / below),
        (Some(_), Some(_)) => Err(format!("'{text}' divides by a number that is not above 0")),
        _ => Err(not_a_number(text)),
    }
}

fn not_a_number(text: &str) -> String {
    typographic(text).unwrap_or_else(|| {
        let hint = comma_hint(text, false)
            .unwrap_or_else(|| "write it like 0.5, 1e-6 or 256/60000".to_owned());
        format!("'{text}' is not a number; {hint}")
    })
}

/// The message about a minus sign from a typeset text.
fn typographic(text: &str) -> Option<String> {
    let sign = text.chars().find(|c| matches!(c, '−' | '–' | '—'))?;
    Some(format!(
        "'{text}' has a typographic minus ({sign}, U+{:04X}); write the keyboard's (-)",
        u32::from(sign)
    ))
}

/// How a number exceeds the range of floats, if it does: 1e-400 becomes 0, and 1e400 infinite.
fn lost(text: &str, value: f64) -> Option<&'static str> {
    let leading = text.split(['e', 'E', '/']).next().unwrap_or(text);
    if value == 0.0 && leading.contains(|c| matches!(c, '1'..='9')) {
        Some("small")
    } else if value.is_infinite() && leading.contains(|c: char| c.is_ascii_digit()) {
        Some("large")
    } else {
        None
    }
}

/// The value of a decimal like 30, 1e9 or 2.5e3 if it is a whole number that fits: digit by
/// digit, since a float would round 9007199254740993 silently.
fn whole(text: &str) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<usize>().ok()?),
        None => (text, 0),
    };
    let (units, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(units) || !all_digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let zeros = u32::try_from(exponent.checked_sub(fraction.len())?).ok()?;
    let digits = format!("{units}{fraction}");
    digits
        .parse::<u64>()
        .ok()?
        .checked_mul(10u64.checked_pow(zeros)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read_exactly_or_not_at_all() {
        let read = |text: &str| count(text).map(NonZeroU64::get).ok();
        assert_eq!(read("30"), Some(30));
        assert_eq!(read("30.0"), Some(30));
        assert_eq!(read("1e9"), Some(1_000_000_000));
        assert_eq!(read("2.5e3"), Some(2500));
        assert_eq!(read("9007199254740993"), Some(9_007_199_254_740_993));
        assert_eq!(read("18446744073709551615"), Some(u64::MAX));
        for bad in [
            "0",
            "-1",
            "+",
            "",
            "1.5",
            "2.55e1",
            "1e-1",
            "1e20",
            "1e99",
            "nan",
            "inf",
            "x",
            ".5",
            "1.",
            "e3",
            "0e5",
            "18446744073709551616",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_fraction_is_the_nearest_float_to_the_quotient() {
        assert_eq!(real("256/60000"), Ok(256.0 / 60000.0));
        assert_eq!(real("1/3"), Ok(1.0 / 3.0));
        assert_eq!(real(" 1e1 / 4e0 "), Ok(2.5));
        for bad in ["1/0", "0/0", "1/-2", "1/1e-400"] {
            assert!(real(bad).unwrap_err().contains("not above 0"), "{bad}");
        }
        for bad in ["1/", "/2", "/", "1/2/3", "nan/1", "1/inf", "a/b"] {
            assert!(real(bad).unwrap_err().contains("not a number"), "{bad}");
        }
    }

    #[test]
    fn a_number_with_commas_is_answered_with_how_to_write_it() {
        let hint = |text, is_count| comma_hint(text, is_count).unwrap_or_default();
        assert_eq!(hint("0,5", false), "if 0,5 is a number, write 0.5");
        assert_eq!(hint("1,5e-3", false), "if 1,5e-3 is a number, write 1.5e-3");
        assert_eq!(
            hint("1,000", false),
            "if 1,000 is a number, write 1.000 or 1000"
        );
        assert_eq!(
            hint("10,000", true),
            "if 10,000 is a number, write 10000 or 1e4"
        );
        assert_eq!(hint("1,234", true), "if 1,234 is a number, write 1234");
        assert_eq!(
            hint("1,000,000", true),
            "if 1,000,000 is a number, write 1000000 or 1e6"
        );
        for (text, is_count) in [
            ("1,5", true),
            ("1,noise", false),
            ("5", false),
            ("1,", false),
            (",", false),
        ] {
            assert_eq!(comma_hint(text, is_count), None, "{text}");
        }
    }
}
