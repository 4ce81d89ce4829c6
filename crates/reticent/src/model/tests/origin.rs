//! Names of columns and types of labels outlast a file, and change nothing else.

use super::*;

fn named() -> Origin {
    let names = ["age", "dose", "age", "", "weeks \"<b>\"", "é"];
    Origin {
        column_names: Some(names.map(str::to_owned).to_vec()),
        label_type: Some("int8".parse().unwrap()),
    }
}

#[test]
fn names_and_types_read_back_and_change_no_weight() {
    let plain = logistic(RecordBound::L2(1.0));
    let model = plain.clone().with_origin(named()).unwrap();
    let text = model.to_json();
    let again = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.to_json(), text);
    assert_eq!(again.origin(), &named());
    assert_eq!(again.feature_name(4), "weeks \"<b>\"");
    assert_eq!(plain.feature_name(4), "5");
    assert_eq!(again.predictor(), plain.predictor());
    assert_eq!(again.certificate(), plain.certificate());
}

#[test]
fn names_are_one_per_column_and_types_are_of_labels() {
    let mut short = named();
    short.column_names.as_mut().unwrap().pop();
    let model = logistic(RecordBound::L2(1.0));
    assert_eq!(
        model.with_origin(short).unwrap_err(),
        ModelError::ColumnNames
    );
    let typed = Origin {
        column_names: None,
        ..named()
    };
    assert_eq!(
        linear(true).with_origin(typed).unwrap_err(),
        ModelError::LabelType
    );
}

#[test]
fn a_file_with_another_type_is_refused() {
    let model = logistic(RecordBound::L2(1.0)).with_origin(named()).unwrap();
    let text = model.to_json();
    for (from, to) in [
        ("\"int8\"", "\"datetime64\""),
        ("\"int8\"", "null"),
        ("    \"dose\",\n", ""),
    ] {
        assert!(text.contains(from), "{text}");
        assert!(Model::from_json(text.replacen(from, to, 1).as_bytes()).is_err());
    }
}

/// Written before files had names and types, by a fit with a seed.
#[test]
fn a_file_from_before_names_is_still_read() {
    let text = include_str!("../../../tests/data/model-before-names.json");
    let model = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(model.origin(), &Origin::default());
    assert_eq!(model.nonzero(), 3);
    assert_eq!(model.to_json(), text);
}
