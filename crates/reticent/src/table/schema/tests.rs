//! Schemas are checked when they are read, and lose nothing when they are written.

use crate::features::{DeclaredFourier, DeclaredMap};
use proptest::prelude::*;

use super::*;

const PATIENTS: &str = r#"version = 1
missing = ["", "?"]

[[column]]
name = "age"
kind = "numeric"
bounds = [20, 100]

[[column]]
name = "town"
kind = "categorical"
levels = ["Ulm", "Bonn"]

[[column]]
name = "id"
kind = "ignored"

[[column]]
name = "ill"
kind = "target"
classes = ["no", "yes"]
"#;

/// The error of a schema: its place and its words.
fn refused(toml: &str) -> (Option<(usize, usize)>, String) {
    let error = Schema::from_toml(toml).unwrap_err();
    (error.place, error.problem.to_string())
}

/// `PATIENTS` with a change must be refused at the place, with the words.
fn refused_with(old: &str, new: &str, place: (usize, usize), words: &str) {
    assert!(PATIENTS.contains(old), "{old}");
    let (found, message) = refused(&PATIENTS.replacen(old, new, 1));
    assert!(message.contains(words), "{new}: {message}");
    assert_eq!(found, Some(place), "{new}: {message}");
}

#[test]
fn features_are_named_after_columns_and_levels() {
    let schema = Schema::from_toml(PATIENTS).unwrap();
    let names = ["age", "town=Ulm", "town=Bonn", "town=other"];
    assert_eq!(schema.features(), names);
    assert_eq!(schema.width(), 4);
    assert_eq!(schema.target().unwrap().0, 3);
    assert_eq!(schema.classes().unwrap()[1].name, "yes");
    assert!(schema.target_range().is_none());
    assert!(schema.not_private().is_empty());
}

#[test]
fn ends_and_middle_are_exact_and_values_beyond_are_clipped() {
    let schema = Schema::from_toml(PATIENTS).unwrap();
    let age = |text: &str| schema.encode(&[text, "Ulm", "", ""]).unwrap()[0];
    assert_eq!(age("20"), (0, -1.0));
    assert_eq!(age("100"), (0, 1.0));
    assert_eq!(age("40"), (0, -0.5));
    assert_eq!(age("-1e300"), (0, -1.0));
    assert_eq!(age("1e300"), (0, 1.0));
    // The middle is 0, which is not stored.
    assert_eq!(age("60"), (1, 1.0));
    assert_eq!(age("?"), (1, 1.0));
}

#[test]
fn what_is_no_level_is_other() {
    let schema = Schema::from_toml(PATIENTS).unwrap();
    for (town, feature) in [("Ulm", 1), (" Bonn ", 2), ("Rom", 3), ("?", 3), ("ulm", 3)] {
        let row = schema.encode(&["60", town, "7", "yes"]).unwrap();
        assert_eq!(row, [(feature, 1.0)], "{town}");
    }
}

#[test]
fn a_level_that_is_also_missing_as_a_number_is_refused() {
    let toml = PATIENTS.replacen("\"?\"", "\"-9\"", 1);
    assert!(toml.contains("\"-9\""));
    let (_, message) = refused(&toml.replacen("\"Bonn\"", "\"-9.0\"", 1));
    assert!(message.contains("also listed as missing"), "{message}");
}

#[test]
fn a_missing_number_follows_its_rule() {
    for (rule, value) in [
        ("\"middle\"", 0.0),
        ("\"low\"", -1.0),
        ("\"high\"", 1.0),
        ("80", 0.5),
        ("1e9", 1.0),
    ] {
        let bounds = "bounds = [20, 100]";
        let toml = PATIENTS.replace(bounds, &format!("{bounds}\nmissing = {rule}"));
        let schema = Schema::from_toml(&toml).unwrap();
        let row = schema.encode(&["", "Ulm", "", ""]).unwrap();
        assert_eq!(row.first() == Some(&(0, value)), value != 0.0, "{rule}");
        assert_eq!(Schema::from_toml(&schema.to_toml()).unwrap(), schema);
    }
    let toml = PATIENTS.replace("[20, 100]", "[20, 100]\nmissing = \"refuse\"");
    let error = Schema::from_toml(&toml).unwrap().encode(&["?", "", "", ""]);
    let error = error.unwrap_err();
    assert_eq!(error.field, 1);
    assert!(error.to_string().contains("missing"), "{error}");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    refused_with("version = 1", "version = 2", (1, 11), "version 2");
    refused_with("missing =", "mising =", (2, 1), "unknown field `mising`");
    refused_with("bounds =", "bound =", (7, 1), "unknown field `bound`");
    refused_with("[20, 100]", "[100, 20]", (7, 10), "the lower first");
    refused_with("[20, 100]", "[20, 20]", (7, 10), "two finite numbers");
    refused_with("[20, 100]", "[20, inf]", (7, 10), "two finite numbers");
    refused_with("[20, 100]", "[nan, 1]", (7, 10), "two finite numbers");
    refused_with("[20, 100]", "[20]", (7, 10), "two finite numbers");
    refused_with("[20, 100]", "[0, 5e-324]", (7, 10), "two finite numbers");
    refused_with("[20, 100]", "\"20-100\"", (7, 10), "expected a sequence");
    refused_with("\"numeric\"", "\"number\"", (6, 8), "unknown variant");
    refused_with("\"Bonn\"", "\"Ulm\"", (12, 18), "listed twice");
    refused_with(
        "\"Ulm\", \"Bonn\"",
        "\"1\", \"01\"",
        (12, 16),
        "same number",
    );
    refused_with(
        "\"Ulm\", \"Bonn\"",
        "\"1.50\", \"1.5\"",
        (12, 19),
        "same number",
    );
    refused_with(
        "\"Ulm\", \"Bonn\"",
        "\"TRUE\", \"true\"",
        (12, 19),
        "truth value",
    );
    refused_with("\"Bonn\"", "\"other\"", (12, 18), "leave it out");
    refused_with("\"Bonn\"", "\"Bonn \"", (12, 18), "blanks");
    refused_with("\"Bonn\"", "\"?\"", (12, 18), "missing");
    refused_with("\"town\"", "\"age\"", (10, 8), "described twice");
    refused_with("\"town\"", "\" town\"", (10, 8), "blanks");
    refused_with(
        "\"ignored\"",
        "\"target\"\nrange=[0, 1]",
        (21, 8),
        "a table has one",
    );
    refused_with(
        "\"ignored\"",
        "\"ignored\"\nlevels=[\"a\"]",
        (17, 8),
        "does not belong",
    );
    refused_with(
        "\"ignored\"",
        "\"ignored\"\nsource=\"data\"",
        (17, 8),
        "does not belong",
    );
    refused_with("[\"no\", \"yes\"]", "[\"no\"]", (21, 11), "two classes");
    refused_with(
        "[\"no\", \"yes\"]",
        "[\"a\", \"b\", \"b\"]",
        (21, 11),
        "two classes",
    );
    refused_with(
        "[\"no\", \"yes\"]",
        "[\"no\", \"no|x\"]",
        (21, 11),
        "in two",
    );
    refused_with(
        "[\"no\", \"yes\"]",
        "[\"*\", \"*\"]",
        (21, 11),
        "two classes are *",
    );
    refused_with(
        "[\"no\", \"yes\"]",
        "[\"no\", \"yes\"]\nrange = [0, 1]",
        (22, 9),
        "both",
    );
    refused_with(
        "[\"no\", \"yes\"]",
        "[\"no\", \"yes\"]\nmissing=3",
        (22, 9),
        "\"yes\"",
    );
    refused_with(
        "missing =",
        "comment = \",\"\nmissing =",
        (2, 11),
        "same character",
    );
    refused_with(
        "missing =",
        "delimiter = \"||\"\nmissing =",
        (2, 13),
        "one ASCII",
    );
    refused_with(
        "missing =",
        "delimiter = \"é\"\nmissing =",
        (2, 13),
        "one ASCII",
    );
    refused_with(
        "[20, 100]",
        "[20, 100]\nmissing = []",
        (8, 11),
        "number or a text",
    );
    refused_with(
        "[20, 100]",
        "[20, 100]\nmissing = \"mean\"",
        (8, 11),
        "\"middle\"",
    );
    let (place, message) = refused("version = 1\n[[column]]\nname = \"y\"\nkind = \"ignored\"\n");
    assert_eq!(place.map(|(line, _)| line), Some(2));
    assert!(message.contains("no feature"), "{message}");
    assert!(refused("version = 1").1.contains("no feature"));
    assert!(refused("header = true").1.contains("version"));
    assert_eq!(refused("version = ").0, Some((1, 11)));
}

#[test]
fn features_of_one_name_are_refused() {
    let (_, message) = refused(&PATIENTS.replace("\"age\"", "\"town=Ulm\""));
    assert!(message.contains("'town=Ulm'"), "{message}");
}

#[test]
fn a_template_says_what_is_still_to_be_filled_in() {
    let column = |name: &str, target, proposal| DraftColumn {
        name: name.to_owned(),
        target,
        proposal,
    };
    let mut draft = Draft {
        header: true,
        delimiter: b'\t',
        columns: vec![
            column("a \"b\"", false, Proposal::Unknown),
            column("n", false, Proposal::Numbers),
            column("t", false, Proposal::Texts),
            column("y", true, Proposal::Unknown),
        ],
    };
    let (place, message) = refused(&draft.to_string());
    // The first of what is missing.
    assert_eq!(place, Some((11, 8)));
    for need in [
        "kind of 'a \"b\"'",
        "bounds of 'n'",
        "levels of 't'",
        "range of 'y'",
    ] {
        assert!(message.contains(need), "{message}");
    }
    // Filled in from values, it is a schema that says so.
    draft.columns[0].proposal = Proposal::Levels(vec!["'\n\"".to_owned()]);
    draft.columns[1].proposal = Proposal::Bounds(Bounds::new(-1.5, 1e300).unwrap());
    draft.columns[2].proposal = Proposal::Levels(vec!["x".to_owned()]);
    draft.columns[3].proposal = Proposal::Levels(vec!["0".to_owned(), "1".to_owned()]);
    let schema = Schema::from_toml(&draft.to_string()).unwrap();
    assert_eq!(schema.delimiter(), b'\t');
    assert_eq!(
        schema.not_private(),
        [
            "the levels of column 'a \"b\"' were taken from the data",
            "the bounds of column 'n' were taken from the data",
            "the levels of column 't' were taken from the data",
            "the classes of column 'y' were taken from the data",
        ]
    );
}

#[test]
fn a_schema_in_a_model_file_is_checked_too() {
    let schema = Schema::from_toml(PATIENTS).unwrap();
    let json = serde_json::to_string(&schema).unwrap();
    let broken = json.replace("100.0", "-100.0");
    assert_ne!(json, broken);
    let error = serde_json::from_str::<Schema>(&broken).unwrap_err();
    assert!(error.to_string().contains("column 'age'"), "{error}");
}

/// Any text that may be a name or a level, blanks around it aside.
fn word() -> impl Strategy<Value = String> {
    "[a-z0-9\"'\\\\é=|,\n.-]{1,6}".prop_map(|text| text.trim().to_owned())
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let end = prop_oneof![-1e3..1e3, -1e308..1e308, Just(0.0)];
    (end.clone(), end).prop_filter_map("low < high", |(a, b)| Bounds::new(a, b))
}

fn number_rule() -> impl Strategy<Value = MissingNumber> {
    prop_oneof![
        Just(MissingNumber::Middle),
        Just(MissingNumber::Low),
        Just(MissingNumber::High),
        Just(MissingNumber::Refuse),
        (-1e300..1e300).prop_map(MissingNumber::Value),
    ]
}

fn days() -> impl Strategy<Value = Bounds> {
    let end = (-719_162..=2_932_896i64).prop_map(|day| day as f64);
    (end.clone(), end).prop_filter_map("low < high", |(a, b)| Bounds::new(a, b))
}

fn day_rule() -> impl Strategy<Value = MissingNumber> {
    prop_oneof![
        Just(MissingNumber::Middle),
        Just(MissingNumber::Refuse),
        (-719_162..=2_932_896i64).prop_map(|day| MissingNumber::Value(day as f64)),
    ]
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![
        (bounds(), any::<bool>(), number_rule(), any::<bool>()).prop_map(
            |(bounds, log, missing, indicator)| Kind::Numeric {
                bounds,
                scale: [Scale::Linear, Scale::Log][usize::from(log)],
                missing,
                indicator,
            }
        ),
        (days(), day_rule(), any::<bool>()).prop_map(|(bounds, missing, indicator)| Kind::Date {
            bounds,
            missing,
            indicator,
        }),
        proptest::collection::btree_set(word(), 1..5).prop_map(|levels| Kind::Categorical {
            levels: levels.into_iter().collect()
        }),
        Just(Kind::Ignored),
        (bounds(), proptest::option::of(-9.0..9.0))
            .prop_map(|(range, missing)| { Kind::Target(TargetKind::Range { range, missing }) }),
    ]
}

/// Schemas that pass the check.
fn schema() -> impl Strategy<Value = Schema> {
    let column = (word(), kind(), any::<bool>());
    (proptest::collection::vec(column, 1..6), any::<bool>()).prop_filter_map(
        "refused",
        |(columns, header)| {
            let columns = columns.into_iter().map(|(name, kind, from_data)| Column {
                from_data: from_data && kind != Kind::Ignored,
                name,
                kind,
            });
            let file = SchemaFile::from(Schema {
                header,
                delimiter: b';',
                comment: header.then_some(b'#'),
                missing: vec![String::new(), "NA".to_owned()],
                declared_after_look: header,
                map: header.then_some(DeclaredMap::Fourier(DeclaredFourier {
                    outputs: 9,
                    scale: None,
                    seed: 4,
                })),
                columns: columns.collect(),
                features: Vec::new(),
            });
            Schema::try_from(file).ok()
        },
    )
}

proptest! {
    #[test]
    fn toml_and_json_lose_nothing(schema in schema()) {
        let toml = schema.to_toml();
        prop_assert_eq!(&Schema::from_toml(&toml).unwrap(), &schema, "{}", toml);
        let json = serde_json::to_string(&schema).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Schema>(&json).unwrap(), &schema);
    }

    #[test]
    fn the_map_stays_within_and_never_decreases(
        bounds in bounds(),
        a in prop_oneof![-1e3..1e3f64, any::<f64>().prop_filter("finite", |x| x.is_finite())],
        b in -1e3..1e3f64,
    ) {
        for scale in [Scale::Linear, Scale::Log] {
            let position = Position::new(bounds, scale);
            if !position.is_sound() {
                prop_assert!(scale == Scale::Log);
                continue;
            }
            let (low, high) = (position.of(f64::min(a, b)), position.of(f64::max(a, b)));
            prop_assert!((-1.0..=1.0).contains(&low) && low <= high && high <= 1.0);
            prop_assert_eq!(position.of(bounds.low()), -1.0);
            prop_assert_eq!(position.of(bounds.high()), 1.0);
            if scale == Scale::Linear {
                let middle = bounds.low() / 2.0 + bounds.high() / 2.0;
                prop_assert_eq!(position.of(middle), 0.0);
            }
        }
    }

    #[test]
    fn every_column_makes_one_entry_at_most_within_one(
        schema in schema(),
        fields in proptest::collection::vec(prop_oneof!["-?[0-9]{1,4}", Just(String::new())], 6),
        date in "(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
    ) {
        let field = |(text, column): (&String, &Column)| match column.kind {
            Kind::Date { .. } if !text.is_empty() => date.clone(),
            _ => text.clone(),
        };
        let fields: Vec<String> = fields.iter().zip(schema.columns()).map(field).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let fields = &fields[..];
        let Ok(row) = schema.encode(fields) else {
            // A missing number that is refused.
            prop_assert!(fields.contains(&""));
            return Ok(());
        };
        prop_assert!(row.is_sorted_by(|a, b| a.0 < b.0));
        prop_assert!(row.iter().all(|(j, x)| (*j as usize) < schema.width() && x.abs() <= 1.0));
        let mut first = 0;
        for column in schema.columns() {
            let width = match &column.kind {
                Kind::Numeric { indicator, .. } | Kind::Date { indicator, .. } => {
                    1 + u32::from(*indicator)
                }
                Kind::Categorical { levels } => levels.len() as u32 + 1,
                _ => continue,
            };
            let of_column = row.iter().filter(|(j, _)| (first..first + width).contains(j));
            let values: Vec<f32> = of_column.map(|(_, x)| *x).collect();
            match column.kind {
                Kind::Categorical { .. } => prop_assert_eq!(values, [1.0]),
                _ => prop_assert!(values.len() <= width as usize),
            }
            first += width;
        }
    }
}
