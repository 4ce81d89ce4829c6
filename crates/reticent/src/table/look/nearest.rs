//! The declared level that an undeclared one may be meant for.

/// The nearest of the `declared`, if one is near: the same but for case, blanks and signs, the same
/// truth value, or a few letters off.
pub(super) fn nearest<'a>(level: &str, declared: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let plain = plain(level);
    if plain.is_empty() {
        return None;
    }
    let truth = truth(&plain);
    let most = match plain.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        long => long / 3,
    };
    declared
        .filter_map(|candidate| {
            let other = self::plain(candidate);
            let same_truth = truth.is_some() && truth == self::truth(&other);
            let distance = match same_truth {
                true => 0,
                false => distance(&plain, &other),
            };
            (distance <= most).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters and digits alone, in lower case.
fn plain(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

fn truth(plain: &str) -> Option<bool> {
    match plain {
        "true" | "t" | "yes" | "y" | "1" => Some(true),
        "false" | "f" | "no" | "n" | "0" => Some(false),
        _ => None,
    }
}

/// How many letters to insert, remove or replace.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, &b) in other.iter().enumerate() {
            let replaced = before + usize::from(a != b);
            before = row[j + 1];
            row[j + 1] = replaced.min(before + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_near_what_it_is_meant_for_and_nothing_else() {
        let declared = ["heart", "lung", "State-gov", "0", "1", "m", "f"];
        for (level, expected) in [
            ("HEART", Some("heart")),
            ("hearth", Some("heart")),
            ("lungs", Some("lung")),
            ("staet-gov", Some("State-gov")),
            ("state gov", Some("State-gov")),
            ("TRUE", Some("1")),
            ("False", Some("0")),
            ("M\u{a0}", Some("m")),
            ("kidney", None),
            ("x", None),
            ("-", None),
        ] {
            let found = nearest(level, declared.iter().copied());
            assert_eq!(found, expected, "{level}");
        }
    }
}
