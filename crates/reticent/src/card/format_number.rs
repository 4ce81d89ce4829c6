//! Numbers as people read them.

/// The shortest decimal that reads back as the same number.
pub fn exact(value: f64) -> String {
    if value == 0.0 || (1e-4..1e7).contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A number ≥ 0 with so many significant digits, never below the number itself: a printed ε must
/// not promise more than was proved.
pub fn rounded_up(value: f64, significant: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = significant.saturating_sub(1);
    let nearest = format!("{value:.places$e}");
    // `{:e}` writes what `parse` reads, so neither default below is ever used.
    let (mantissa, exponent) = nearest.split_once('e').unwrap_or((&nearest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (mantissa, exponent) = if nearest.parse::<f64>().is_ok_and(|shown| shown >= value) {
        (mantissa.to_owned(), exponent)
    } else {
        one_more(mantissa, exponent)
    };
    place(&mantissa, exponent)
}

/// A number with so many significant digits, zeros included: numbers below each other look alike.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let places = digits.saturating_sub(1);
    let nearest = format!("{:.places$e}", value.abs());
    // `{:e}` writes what `parse` reads, so neither default below is ever used.
    let (mantissa, exponent) = nearest.split_once('e').unwrap_or((&nearest, "0"));
    format!("{sign}{}", place(mantissa, exponent.parse().unwrap_or(0)))
}

/// A text whose long numbers are shortened.
pub fn short_numbers(text: &str) -> String {
    let word = |word: &str| match word.parse::<f64>() {
        Ok(value) if word.len() > 6 && word.contains('.') => short(value),
        _ => word.to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Four significant digits.
pub fn short(value: f64) -> String {
    format!("{value:.3e}")
        .parse()
        .map_or_else(|_| value.to_string(), exact)
}

/// The next decimal of as many digits: 1.233 → 1.234, 9.999 → 1.000 and an exponent more.
fn one_more(mantissa: &str, exponent: i32) -> (String, i32) {
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let mut carried = true;
    for digit in digits.iter_mut().rev() {
        if *digit != b'9' {
            *digit += 1;
            carried = false;
            break;
        }
        *digit = b'0';
    }
    if carried {
        digits[0] = b'1';
    }
    let digits: String = digits.into_iter().map(char::from).collect();
    let (unit, rest) = digits.split_at(1);
    (format!("{unit}.{rest}"), exponent + i32::from(carried))
}

/// Writes d.ddd × 10^exponent without an exponent where that is easy to read.
fn place(mantissa: &str, exponent: i32) -> String {
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    match usize::try_from(exponent) {
        Ok(shift @ 0..=6) if shift + 1 >= digits.len() => {
            format!("{digits}{}", "0".repeat(shift + 1 - digits.len()))
        }
        Ok(shift @ 0..=6) => {
            let (units, fraction) = digits.split_at(shift + 1);
            format!("{units}.{fraction}")
        }
        Err(_) if exponent >= -4 => {
            let zeros = "0".repeat(exponent.unsigned_abs() as usize - 1);
            format!("0.{zeros}{digits}")
        }
        _ => format!("{mantissa}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_never_below_the_number() {
        assert_eq!(rounded_up(1.2341, 4), "1.235");
        assert_eq!(rounded_up(1.2349, 4), "1.235");
        assert_eq!(rounded_up(1.234, 4), "1.234");
        assert_eq!(rounded_up(9.99901, 4), "10.00");
        assert_eq!(rounded_up(0.0012341, 4), "0.001235");
        assert_eq!(rounded_up(123456.7, 4), "123500");
        assert_eq!(rounded_up(1.5e-9, 4), "1.500e-9");
        assert_eq!(rounded_up(1.23401e12, 4), "1.235e12");
        assert_eq!(rounded_up(0.0, 4), "0");
        let mut value = 1e-12;
        while value < 1e12 {
            for digits in [1, 4, 6] {
                let shown: f64 = rounded_up(value, digits).parse().unwrap();
                assert!(shown >= value, "{shown} is below {value}");
                let step = 10f64.powi(1 - digits as i32);
                assert!(shown <= value * (1.0 + 1.001 * step), "{shown} for {value}");
            }
            value *= 1.37;
        }
    }

    #[test]
    fn all_significant_digits_are_shown() {
        assert_eq!(significant(100.72, 4), "100.7");
        assert_eq!(significant(50.0, 4), "50.00");
        assert_eq!(significant(-49.9, 4), "-49.90");
        assert_eq!(significant(0.012, 4), "0.01200");
        assert_eq!(significant(0.0, 4), "0");
    }

    #[test]
    fn small_and_large_numbers_keep_their_exponent() {
        assert_eq!(exact(1e-5), "1e-5");
        assert_eq!(exact(0.01), "0.01");
        assert_eq!(exact(20.0), "20");
        assert_eq!(exact(1e9), "1e9");
    }

    #[test]
    fn four_digits_are_shown() {
        assert_eq!(short(0.123456), "0.1235");
        assert_eq!(short(-12345.6), "-12350");
        assert_eq!(short(1.5e-9), "1.5e-9");
        assert_eq!(short(0.0), "0");
        let region = "the l2 ball of radius 0.12345678";
        assert_eq!(short_numbers(region), "the l2 ball of radius 0.1235");
        assert_eq!(short_numbers("100000 of 12"), "100000 of 12");
    }
}
