//! Damaged, foreign and hostile files are refused with a reason, and never make us panic.

use proptest::prelude::*;

use super::*;

/// The file of a logistic model with one text replaced by another where it first comes: what was
/// asked for repeats some of it at the end.
fn changed(from: &str, to: &str) -> String {
    let text = logistic(RecordBound::L2(1.0)).to_json();
    assert!(text.contains(from), "{from}\n{text}");
    text.replacen(from, to, 1)
}

fn reason(text: &str) -> String {
    Model::from_json(text.as_bytes()).unwrap_err().to_string()
}

/// The change of this file is refused with these words.
fn refused_in(model: &Model, from: &str, to: &str, words: &str) {
    let text = model.to_json();
    assert!(text.contains(from), "{from}\n{text}");
    let reason = reason(&text.replacen(from, to, 1));
    assert!(reason.contains(words), "{from} -> {to}\n{reason}");
}

/// The change is refused with these words.
fn refused(from: &str, to: &str, words: &str) {
    let reason = reason(&changed(from, to));
    assert!(reason.contains(words), "{from} -> {to}\n{reason}");
}

#[test]
fn what_is_not_json_is_said_to_be_that() {
    let text = logistic(RecordBound::L2(1.0)).to_json();
    assert!(reason("").contains("not JSON"));
    assert!(reason("label,probability\n").contains("not JSON"));
    assert!(reason(&text[..text.len() / 2]).contains("not JSON"));
    assert!(reason(&format!("{text}{text}")).contains("not JSON"));
    let deep = format!("{{\"remark\": {}", "[".repeat(1 << 20));
    assert!(reason(&deep).contains("not JSON"));
    assert!(reason(&"[".repeat(1 << 20)).contains("its format must be"));
    assert!(reason(&"{\"format\":".repeat(1 << 20)).contains("its format must be"));
    let bytes = Model::from_json(b"\xff\xfe{}").unwrap_err().to_string();
    assert!(bytes.contains("not JSON"), "{bytes}");
}

#[test]
fn other_formats_and_newer_versions_are_told_apart() {
    for foreign in [
        "{}",
        "[]",
        "3",
        "{\"format\": \"onnx\", \"version\": 1}",
        "null",
    ] {
        assert!(reason(foreign).contains("its format must be"), "{foreign}");
    }
    refused(
        "\"version\": 1,",
        "\"version\": 2,",
        "made by a newer reticent",
    );
    refused("\"version\": 1,", "\"version\": 0,", "does not exist");
    // A newer version may have any fields.
    let newer = "{\"format\": \"reticent model\", \"version\": 7, \"trees\": []}";
    assert!(reason(newer).contains("made by a newer reticent"));
}

#[test]
fn a_map_to_log_odds_that_does_not_increase_is_refused() {
    let model = calibrated(RecordBound::L2(1.0));
    let text = model.to_json();
    let start = text.find("\"calibration\": [").unwrap();
    let end = text.find("\"certificate\"").unwrap();
    let with = |points: &str| {
        let changed = format!("{}{points}{}", &text[..start], &text[end..]);
        reason(&changed)
    };
    for points in [
        "[]",
        "[[0, 0]]",
        "[[0, 1], [1, 1]]",
        "[[1, 0], [0, 1]]",
        "[[0, 0], [0, 1]]",
    ] {
        let words = with(&format!("\"calibration\": {points}, "));
        assert!(words.contains("increase in both"), "{points}: {words}");
    }
    for points in ["null", "[[0, 0, 0], [1, 1, 1]]", "[[0, \"1\"]]", "3"] {
        let words = with(&format!("\"calibration\": {points}, "));
        assert!(words.contains("damaged"), "{points}: {words}");
    }
    // A map of a number, or of several classes.
    let points = "\"calibration\": [[0, 0], [1, 1]], \"certificate\":";
    let number = linear(true).to_json();
    let of_number = number.replacen("\"certificate\":", points, 1);
    assert!(Model::from_json(of_number.as_bytes()).is_err());
    let several = multinomial(three(), Outcome::Classes(numbered(3))).unwrap();
    let of_several = several.to_json().replacen("\"certificate\":", points, 1);
    assert!(Model::from_json(of_several.as_bytes()).is_err());
}

#[test]
fn unknown_fields_are_refused_at_every_depth() {
    let unknown = |from: &str| refused(from, &format!("\"remark\": 1, {from}"), "remark");
    unknown("\"task\":");
    unknown("\"first\":");
    unknown("\"private\":");
    unknown("\"basis\":");
    unknown("\"range\":");
    unknown("\"parameters\":");
    unknown("\"budget\":");
    unknown("\"iterations\": 30");
    let class = "\"name\": \"healthy\"";
    refused(class, &format!("\"remark\": 1, {class}"), "remark");
    refused("\"l2\": 1.0", "\"l2\": 1.0, \"linf\": 1.0", "damaged");
}

#[test]
fn missing_fields_are_named() {
    refused("\n  \"intercept\": -0.25,", "", "missing field `intercept`");
    refused("    \"private\": true,\n", "", "missing field `private`");
    refused("\"count\": 30", "\"epsilon\": 30", "missing field `count`");
    refused(
        "\"range\": 0.05",
        "\"rho\": 0.05",
        "'exponential' with these keys is not a release",
    );
    refused(
        "\"task\": \"logistic\"",
        "\"intercept\": 1",
        "duplicate field `intercept`",
    );
}

#[test]
fn weights_that_are_no_weights_are_refused() {
    let weight = "\"2\": 0.30000000000000004";
    refused(weight, "\"2\": 1e999", "out of range");
    refused(weight, "\"2\": null", "damaged");
    refused(weight, "\"2\": \"0.3\"", "damaged");
    refused(weight, "\"2\": 0.0", "is zero");
    refused(
        weight,
        "\"2\": 1, \"2\": 1",
        "'2' is listed twice or out of order",
    );
    refused(
        weight,
        "\"3\": 1, \"2\": 1",
        "'2' is listed twice or out of order",
    );
    for name in [
        "0",
        "7",
        "02",
        "+2",
        " 2",
        "age",
        "",
        "-1",
        "99999999999999999999999",
    ] {
        let named = format!("\"{name}\": 0.5");
        refused(weight, &named, "none of the model's features");
    }
    refused(
        "\"intercept\": -0.25",
        "\"intercept\": -1e400",
        "out of range",
    );
}

#[test]
fn parts_of_the_wrong_kind_or_size_are_refused() {
    refused(
        "\"width\": 6",
        "\"width\": 7",
        "states 6 columns, and the model has 7",
    );
    refused(
        "\"width\": 6",
        "\"width\": 5",
        "none of the model's features",
    );
    refused("\"width\": 6", "\"width\": -6", "damaged");
    refused(
        "\"width\": 6",
        "\"width\": 18446744073709551615",
        "between 1 and 2^32 - 1",
    );
    refused("\"first\": 1", "\"first\": 2", "numbered from 0 or 1");
    refused(
        "\"task\": \"logistic\"",
        "\"task\": \"linear\"",
        "a logistic model has two classes",
    );
    refused(
        "\"target\": null",
        "\"target\": {\"low\": 0, \"high\": 1}",
        "a logistic model has two",
    );
    refused("\"healthy\"", "\"ill \\\"☤\\\"\"", "two classes are called");
}

#[test]
fn a_certificate_that_contradicts_itself_is_refused() {
    let contradiction = |from: &str, to: &str| refused(from, to, "contradicts itself");
    contradiction("\"private\": true", "\"private\": false");
    contradiction(
        "\"reasons_not_private\": []",
        "\"reasons_not_private\": [\"a seed\"]",
    );
    contradiction("\"secure\": true", "\"secure\": false");
    contradiction("\"records\": 1000", "\"records\": 0");
    contradiction("\"l2\": 1.0", "\"l2\": -1.0");
    contradiction("\"l2\": 1.0", "\"l2\": 0.0");
    refused("\"columns\": 6", "\"columns\": 8", "states 8 columns");
    refused("\"delta\": 1e-6", "\"delta\": 0", "above 0 and below 1");
    refused("\"noise\": 1", "\"noise\": 0, \"rate\": 1", "noise is 0");
    let negative = logistic(RecordBound::L2(1.0)).to_json();
    let negative = negative.replacen("\"epsilon\": ", "\"epsilon\": -", 1);
    assert!(reason(&negative).contains("at least 0"));
    let sampled = "\"kind\": \"subsampled-gaussian\", \"rate\": 0.1, \"sampling\": \"poisson\"";
    refused(
        "\"kind\": \"gaussian\"",
        sampled,
        "contradicts itself: a subsampled-gaussian release",
    );
}

#[test]
fn functions_that_do_not_fit_the_classes_are_refused() {
    let model = multinomial(three(), Outcome::Classes(numbered(3))).unwrap();
    let damaged = |from: &str, to: &str, words: &str| refused_in(&model, from, to, words);
    let third = ",\n    {\n      \"intercept\": 0.0,\n      \"weights\": {}\n    }";
    damaged(third, "", "3 classes and 2 linear functions");
    damaged(
        third,
        &format!("{third}{third}"),
        "3 classes and 4 linear functions",
    );
    damaged(
        "\"multinomial\"",
        "\"logistic\"",
        "a linear function for each",
    );
    damaged(
        "\"multinomial\"",
        "\"linear\"",
        "a linear function for each",
    );
    damaged(
        "\"outputs\":",
        "\"intercept\": 1, \"outputs\":",
        "a linear function for each",
    );
    damaged("\"outputs\":", "\"weights\": null, \"outputs\":", "damaged");
    damaged(
        "\"outputs\":",
        "\"outputs\": [], \"outputs\":",
        "duplicate field",
    );
    damaged("\"intercept\": 0.5,", "", "missing field `intercept`");
    damaged(
        "\"intercept\": 0.5,",
        "\"bias\": 1, \"intercept\": 0.5,",
        "bias",
    );
    damaged("\"3\": 0.25", "\"9\": 0.25", "none of the model's features");
    damaged(
        "\"name\": \"2\"",
        "\"name\": \"1\"",
        "two classes are called",
    );
    refused(
        "\"logistic\"",
        "\"multinomial\"",
        "a linear function for each",
    );
}

#[test]
fn a_file_of_one_function_must_have_it() {
    let start = changed("\n  \"intercept\": -0.25,", "");
    assert!(reason(&start).contains("missing field `intercept`"));
    refused(
        "\"weights\": {",
        "\"outputs\": [], \"weights\": {",
        "a linear function",
    );
    refused("\"intercept\": -0.25", "\"intercept\": null", "damaged");
}

#[test]
fn no_guarantee_and_privacy_exclude_each_other() {
    let model = unprotected();
    let damaged = |from: &str, to: &str, words: &str| refused_in(&model, from, to, words);
    let text = model.to_json();
    let start = text.find("\"reasons_not_private\"").unwrap();
    let end = start + text[start..].find("],").unwrap() + 2;
    let reasons = &text[start..end];
    let none = "\"reasons_not_private\": [],";
    // The reason is gone and it claims privacy, together and each alone.
    damaged(
        "\"private\": false",
        "\"private\": true",
        "contradicts itself",
    );
    damaged(reasons, none, "contradicts itself");
    let both = text.replacen("\"private\": false", "\"private\": true", 1);
    let both = both.replacen(reasons, none, 1);
    assert!(
        reason(&both).contains("states that nothing is proved"),
        "{both}"
    );
    damaged("\"no-guarantee\"", "\"plan\"", "must be a finite number");
    damaged("\"no-guarantee\"", "\"filter\"", "must be a finite number");
    damaged("\"inf\"", "1.0", "no release is listed");
    damaged("\"inf\"", "\"Infinity\"", "damaged");
    damaged("\"inf\"", "\"-inf\"", "damaged");
    damaged("\"inf\"", "null", "damaged");
    damaged(
        "\"charges\": []",
        "\"charges\": [{\"kind\": \"gaussian\", \"noise\": 1.0, \"count\": 1}]",
        "no release is listed",
    );
    // An infinite ε for releases that were listed.
    let plan = logistic(RecordBound::L2(1.0));
    let epsilon = format!("\"epsilon\": {:?}", plan.certificate().statement.epsilon);
    refused(&epsilon, "\"epsilon\": \"inf\"", "must be a finite number");
}

proptest! {
    /// Whatever one byte becomes: no panic, and what is accepted is a model that reads back.
    #[test]
    fn a_flipped_byte_never_panics(place in any::<prop::sample::Index>(), byte: u8) {
        let mut text = linear(true).to_json().into_bytes();
        let place = place.index(text.len());
        text[place] = byte;
        match Model::from_json(&text) {
            Ok(model) => {
                let written = model.to_json();
                prop_assert_eq!(Model::from_json(written.as_bytes()), Ok(model));
            }
            Err(error) => {
                // It was a change, and the reason is one that a person can read.
                prop_assert_ne!(text, linear(true).to_json().into_bytes());
                prop_assert!(error.to_string().len() > 10, "{}", error);
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_short_is_refused(place in any::<prop::sample::Index>()) {
        let text = linear(true).to_json();
        // Without the last brace, at least.
        let cut = &text.as_bytes()[..place.index(text.len() - 1)];
        let reason = Model::from_json(cut).unwrap_err().to_string();
        prop_assert!(reason.contains("not JSON"), "{}", reason);
    }
}
