//! Dates as ISO 8601 writes them, as days since 1970-01-01.
//!
//! The calendar is the Gregorian one, before its introduction as well. A time of day may follow and is
//! cut off: a reader that finds one time in a column writes all of its dates with times.

/// The first day that is written: 0001-01-01.
const FIRST_DAY: i64 = -719_162;

/// The days of a text such as `2024-03-31`, `2024-03-31T08:15` or `2024-03-31 08:15:00.5Z`, or `None`
/// if it is none: no other order, no other zone, no day that the calendar lacks.
pub(in crate::table) fn days_of(text: &[u8]) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *date else {
        return None;
    };
    let (year, month, day) = (
        digits(&[y1, y2, y3, y4])?,
        digits(&[m1, m2])?,
        digits(&[d1, d2])?,
    );
    let there = year >= 1 && (1..=12).contains(&month) && day >= 1;
    (there && day <= month_length(year, month) && is_time(time))
        .then(|| days_before(year, month) + day - 1)
}

/// The text of a day that [`days_of`] a text.
pub(in crate::table) fn text_of(days: i64) -> String {
    // Some twenty years too early at most: a year has 365 or 366 days.
    let mut year = (days - FIRST_DAY) / 366 + 1;
    while days_before(year + 1, 1) <= days {
        year += 1;
    }
    let month = (2..=12)
        .take_while(|&month| days_before(year, month) <= days)
        .last()
        .unwrap_or(1);
    let day = days - days_before(year, month) + 1;
    format!("{year:04}-{month:02}-{day:02}")
}

fn digits(text: &[u8]) -> Option<i64> {
    (text.iter()).try_fold(0, |number, &byte| {
        let digit = char::from(byte).to_digit(10)?;
        Some(number * 10 + i64::from(digit))
    })
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to the first of a month, of a year from 1 on.
fn days_before(year: i64, month: i64) -> i64 {
    let past = year - 1;
    let leaps = past / 4 - past / 100 + past / 400;
    let months: i64 = (1..month).map(|month| month_length(year, month)).sum();
    FIRST_DAY + past * 365 + leaps + months
}

/// Whether this is nothing, or a time of day: `T` or a blank, `hh:mm`, seconds and their fraction if
/// there are any, and `Z` or nothing.
fn is_time(text: &[u8]) -> bool {
    let Some((b'T' | b' ', text)) = text.split_first() else {
        return text.is_empty();
    };
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let two = |text: &[u8], end| digits(text).is_some_and(|number| number < end);
    let (clock, seconds) = text.split_at_checked(5).unwrap_or((text, b""));
    let [h1, h2, b':', m1, m2] = *clock else {
        return false;
    };
    let seconds = match *seconds {
        [] => true,
        [b':', s1, s2] => two(&[s1, s2], 61),
        [b':', s1, s2, b'.', ref fraction @ ..] => {
            two(&[s1, s2], 61) && !fraction.is_empty() && fraction.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    two(&[h1, h2], 24) && two(&[m1, m2], 60) && seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last day that four digits can write.
    const LAST_DAY: i64 = 2_932_896;

    #[test]
    fn a_day_is_written_and_read_as_itself_and_follows_the_one_before() {
        assert_eq!(text_of(FIRST_DAY), "0001-01-01");
        assert_eq!(text_of(LAST_DAY), "9999-12-31");
        let mut before = String::new();
        // Every day of some years around a century that is no leap year, and some of all others.
        let near = -28_000..-24_000;
        for days in (FIRST_DAY..=LAST_DAY).filter(|days| days % 97 == 0 || near.contains(days)) {
            let text = text_of(days);
            assert!(text > before, "{text}");
            assert_eq!(days_of(text.as_bytes()), Some(days), "{text}");
            before = text;
        }
    }

    #[test]
    fn days_count_from_1970() {
        for (text, days) in [
            ("1970-01-01", 0),
            ("1969-12-31", -1),
            ("2000-02-29", 11_016),
            ("2024-03-31", 19_813),
            ("2024-03-31T23:59", 19_813),
            ("2024-03-31 23:59:60", 19_813),
            ("2024-03-31T00:00:00.000000001Z", 19_813),
        ] {
            assert_eq!(days_of(text.as_bytes()), Some(days), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_of_the_calendar_is_none() {
        for text in [
            "",
            "2024",
            "2024-3-31",
            "31.03.2024",
            "03/31/2024",
            "20240331",
            "45382",
            "2023-02-29",
            "1900-02-29",
            "2024-04-31",
            "2024-00-10",
            "2024-13-01",
            "2024-01-00",
            "0000-01-01",
            "+2024-01-1",
            "2024-01-01T",
            "2024-01-01T24:00",
            "2024-01-01T1:00",
            "2024-01-01T10:60",
            "2024-01-01T10:00:61",
            "2024-01-01T10:00:00.",
            "2024-01-01T10:00+02:00",
            "2024-01-01x",
            "２０２４-01",
        ] {
            assert_eq!(days_of(text.as_bytes()), None, "{text}");
        }
    }
}
