//! Files read back as what was written, and only such files are read.

use proptest::prelude::*;

use super::*;

#[test]
fn a_model_reads_back_to_the_last_bit_and_writes_the_same_bytes() {
    for model in [
        logistic(RecordBound::Linf(0.1)),
        calibrated(RecordBound::L2(1.0)),
        linear(true),
        linear(false),
    ] {
        let text = model.to_json();
        let again = Model::from_json(text.as_bytes()).unwrap();
        assert_eq!(again, model);
        assert_eq!(again.to_json(), text);
    }
}

#[test]
fn the_file_says_what_it_is_first_and_reads_like_this() {
    let text = logistic(RecordBound::L2(1.0)).to_json();
    let start = r#"{
  "format": "reticent model",
  "version": 1,
  "task": "logistic",
  "classes": [
    {
      "name": "healthy",
      "labels": [
        "0",
        "-1"
      ]
    },
    {
      "name": "ill \"☤\"",
      "labels": null
    }
  ],
  "layout": {
    "numbered": {
      "first": 1,
      "width": 6
    }
  },
  "intercept": -0.25,
  "weights": {
    "2": 0.30000000000000004,
    "6": -1e-300
  },
  "certificate": {
    "private": true,
    "reasons_not_private": [],
    "statement": {
      "basis": "plan",
      "adjacency": "replace-one",
"#;
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.contains("\"rows\": {\n      \"l2\": 1.0\n    }"),
        "{text}"
    );
    assert!(text.ends_with("}\n"));
}

#[test]
fn a_function_a_class_reads_like_this() {
    let text = multinomial(three(), Outcome::Classes(numbered(3)))
        .unwrap()
        .to_json();
    assert!(text.contains("\"task\": \"multinomial\""), "{text}");
    let functions = r#"
  "outputs": [
    {
      "intercept": 0.5,
      "weights": {
        "2": 2.0
      }
    },
    {
      "intercept": -0.5,
      "weights": {
        "2": -1.0,
        "3": 0.25
      }
    },
    {
      "intercept": 0.0,
      "weights": {}
    }
  ],
  "certificate": {"#;
    assert!(text.contains(functions), "{text}");
}

#[test]
fn a_model_without_a_guarantee_reads_back_with_an_infinite_epsilon() {
    let model = unprotected();
    let text = model.to_json();
    assert!(text.contains("\"basis\": \"no-guarantee\""), "{text}");
    assert!(text.contains("\"epsilon\": \"inf\""), "{text}");
    let again = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.certificate().statement.epsilon, f64::INFINITY);
    assert_eq!(again.to_json(), text);
}

#[test]
fn hard_zeros_are_absent() {
    assert!(!logistic(RecordBound::L2(1.0)).to_json().contains("\"3\""));
}

proptest! {
    #[test]
    fn any_weights_read_back_to_the_last_bit(
        weights in prop::collection::btree_map(0u32..6, prop::num::f64::NORMAL, 0..6),
        intercept in prop::num::f64::NORMAL,
    ) {
        let certificate = certificate();
        let weights = weights.into_iter().collect();
        let fitted = Fitted::linear(vec![LinearFunction { weights, intercept }], certificate.statement.clone());
        let outcome = Outcome::Classes(classes());
        let certificate = asked_for(certificate, &outcome);
        let model = Model::new(&fitted, outcome, true, layout(), certificate).unwrap();
        prop_assert_eq!(Model::from_json(model.to_json().as_bytes()), Ok(model));
    }

    #[test]
    fn any_functions_of_several_classes_read_back_to_the_last_bit(
        outputs in prop::collection::vec(
            (
                prop::collection::btree_map(0u32..6, prop::num::f64::NORMAL, 0..6),
                prop::num::f64::NORMAL,
            ),
            2..6,
        ),
    ) {
        let outcome = Outcome::Classes(numbered(outputs.len()));
        let outputs = outputs.into_iter().map(|(weights, intercept)| LinearFunction {
            weights: weights.into_iter().collect(),
            intercept,
        });
        let model = multinomial(outputs.collect(), outcome).unwrap();
        let text = model.to_json();
        let again = Model::from_json(text.as_bytes());
        prop_assert_eq!(again.as_ref().map(Model::to_json), Ok(text));
        prop_assert_eq!(again, Ok(model));
    }
}
