//! What ONNX files promise: the predictions of the model, and its certificate.

mod evaluator;
mod maps;
mod reader;
mod tensor;

use super::*;
use crate::fit::{ColumnRange, Released};
use crate::matrix::{Dense, Matrix};
use crate::table::Schema;
use evaluator::evaluated;
use reader::{all, ints, metadata, one, text};
use tensor::Tensor;

/// Rows within bounds, on them, far beyond, and of zeros.
fn rows() -> Vec<[f32; 6]> {
    let mut rows = vec![
        [0.0; 6],
        [1.0; 6],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, -3e38, 3e38, 0.0, 1e-45, 0.0],
        [1e-45; 6],
    ];
    for i in 0..300 {
        let size = [0.1, 1.0, 50.0][i % 3];
        let entry = |j: usize| (((i * 6 + j) * 7919 % 2003) as f32 / 1001.0 - 1.0) * size;
        rows.push(std::array::from_fn(entry));
    }
    rows
}

fn features(rows: &[[f32; 6]]) -> Tensor {
    let numbers = rows.concat().into_iter().map(f64::from).collect();
    Tensor::new(&[rows.len(), 6], numbers)
}

fn near(ours: &[f64], theirs: &[f64]) {
    assert_eq!(ours.len(), theirs.len());
    for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        let allowed = 1e-12 * ours.abs().max(1.0);
        assert!((ours - theirs).abs() <= allowed, "{i}: {ours} {theirs}");
    }
}

/// The graph of a model says what the model does.
fn agrees(model: &Model) {
    let rows = rows();
    let matrix = Matrix::Dense(Dense::new(rows.concat(), rows.len(), 6).unwrap());
    let (known, labels) = evaluated(&model.to_onnx().unwrap(), features(&rows));
    match model.predict(&matrix).unwrap() {
        Predictions::Values(values) => {
            near(&values, &known["values"].numbers);
            assert!(labels.is_empty());
        }
        Predictions::Classes { scores, names } => {
            near(&scores, &known["scores"].numbers);
            let each = |&s: &f64| [1.0 - probability(s), probability(s)];
            let each: Vec<f64> = scores.iter().flat_map(each).collect();
            near(&each, &known["probabilities"].numbers);
            let label = |s: &f64| names[usize::from(*s > 0.0)].clone();
            assert_eq!(scores.iter().map(label).collect::<Vec<_>>(), labels);
        }
        Predictions::Multiclass { scores, names } => {
            near(&scores, &known["scores"].numbers);
            let records = scores.chunks_exact(names.len());
            let each: Vec<f64> = records.clone().flat_map(probabilities).collect();
            near(&each, &known["probabilities"].numbers);
            let label = |row: &[f64]| names[likeliest(row)].clone();
            assert_eq!(records.map(label).collect::<Vec<_>>(), labels);
        }
    }
}

/// Models of every task with rows clipped to `bound`; weights so large that a step of the grid is
/// visible.
fn models(bound: RecordBound, weigh: impl Fn(usize) -> Vec<(u32, f64)>) -> Vec<Model> {
    let range = TargetRange {
        low: -3e3,
        high: 5e3,
    };
    let model = |outputs: usize, outcome: Outcome| {
        let target = match outcome {
            Outcome::Value(range) => Some(range),
            Outcome::Classes(_) => None,
        };
        let certificate = Certificate {
            target,
            ..certificate_of(statement(), bound)
        };
        let output = |function: usize| LinearFunction {
            weights: weigh(function),
            intercept: 0.25 - function as f64,
        };
        let fitted = Fitted::linear(
            (0..outputs).map(output).collect(),
            certificate.statement.clone(),
        );
        let certificate = asked_for(certificate, &outcome);
        Model::new(&fitted, outcome, true, layout(), certificate).unwrap()
    };
    vec![
        model(1, Outcome::Classes(classes())),
        model(3, Outcome::Classes(numbered(3))),
        model(2, Outcome::Classes(numbered(2))),
        model(1, Outcome::Value(range)),
    ]
}

/// Bounds of a power of two and between: there a row may lie beyond the last whole step.
const BOUNDS: [RecordBound; 5] = [
    RecordBound::Linf(1.0),
    RecordBound::Linf(0.3),
    RecordBound::L2(1.0),
    RecordBound::L2(1.700_001),
    RecordBound::L2(1e-50),
];

#[test]
fn the_graph_predicts_what_the_model_does() {
    let weigh = |function: usize| match function {
        0 => vec![(1, 3.0), (2, -7.5), (5, 1e-300)],
        1 => vec![(0, -2.0), (2, 4.0)],
        _ => vec![],
    };
    for bound in BOUNDS {
        models(bound, weigh).iter().for_each(agrees);
    }
}

#[test]
fn a_map_to_log_odds_is_part_of_the_graph() {
    for bound in BOUNDS {
        agrees(&calibrated(bound));
    }
}

#[test]
fn a_row_that_is_not_finite_counts_as_zeros_as_in_training() {
    let mut rows = [[0.1; 6]; 4];
    rows[0] = [0.0; 6];
    rows[1][3] = f32::NAN;
    rows[2][0] = f32::INFINITY;
    rows[3][5] = f32::NEG_INFINITY;
    for bound in BOUNDS {
        // Columns 3 and 0 have no weight, but they count.
        for model in models(bound, |_| vec![(1, 2.0), (5, 1.0)]) {
            let (known, _) = evaluated(&model.to_onnx().unwrap(), features(&rows));
            let scores = &known["scores"];
            let predictor = model.predictor();
            let intercepts = (0..predictor.scores()).map(|k| predictor.intercept(k));
            let intercepts: Vec<f64> = intercepts.collect();
            (0..rows.len()).for_each(|i| assert_eq!(scores.row(i), intercepts));
        }
    }
}

#[test]
fn a_model_without_weights_predicts_its_intercept() {
    for bound in [RecordBound::Linf(1.0), RecordBound::L2(1.0)] {
        models(bound, |_| vec![]).iter().for_each(agrees);
    }
}

#[test]
fn a_row_that_is_a_hair_too_long_is_brought_a_step_nearer() {
    // Not a whole number of steps: rows on the bound lie between the last step and the next.
    let bound = 0.700_000_9;
    let model = &models(RecordBound::L2(bound), |_| vec![(0, 1e5), (1, 1e5)])[3];
    let turned = |i: usize| {
        let angle = i as f64 / 100.0;
        let (x, y) = (bound * angle.cos(), bound * angle.sin());
        [x as f32, y as f32, 0.0, 0.0, 0.0, 0.0]
    };
    let rows: Vec<[f32; 6]> = (0..157).map(turned).collect();
    let matrix = Matrix::Dense(Dense::new(rows.concat(), rows.len(), 6).unwrap());
    let (known, _) = evaluated(&model.to_onnx().unwrap(), features(&rows));
    let Ok(Predictions::Values(values)) = model.predict(&matrix) else {
        panic!("it predicts numbers");
    };
    near(&values, &known["values"].numbers);
    let stepped = &known["too_long"].numbers;
    assert!(stepped.contains(&1.0) && stepped.contains(&0.0));
}

/// The name, type and shape of a value of the graph; a size that is open is its name.
fn value(info: &[u8]) -> (String, i64, Vec<String>) {
    let tensor = one(one(info, 2), 1);
    let axis = |axis: &[u8]| match ints(axis, 1)[..] {
        [size] => size.to_string(),
        _ => text(one(axis, 2)),
    };
    let shape = all(one(tensor, 2), 1).into_iter().map(axis).collect();
    (text(one(info, 1)), ints(tensor, 1)[0], shape)
}

#[test]
fn inputs_and_outputs_are_declared() {
    let declared = |model: &Model| {
        let file = model.to_onnx().unwrap();
        assert_eq!(ints(&file, 1), [8]);
        assert_eq!(text(one(&file, 2)), "reticent");
        let operators = one(&file, 8);
        assert_eq!(
            (one(operators, 1), ints(operators, 2)),
            (&b""[..], vec![18])
        );
        let graph = one(&file, 7);
        let values = |number| {
            all(graph, number)
                .into_iter()
                .map(value)
                .collect::<Vec<_>>()
        };
        (values(11), values(12))
    };
    let expected = |name: &str, kind: i64, shape: &[&str]| {
        let shape = shape.iter().map(|&axis| axis.to_owned()).collect();
        (name.to_owned(), kind, shape)
    };
    let takes = vec![expected("features", 1, &["records", "6"])];
    let label = expected("label", 8, &["records"]);
    let of = |classes: &str| expected("probabilities", 11, &["records", classes]);
    let models = models(RecordBound::Linf(1.0), |_| vec![]);
    assert_eq!(
        declared(&models[0]),
        (takes.clone(), vec![label.clone(), of("2")])
    );
    assert_eq!(declared(&models[1]), (takes.clone(), vec![label, of("3")]));
    let values = expected("values", 11, &["records"]);
    assert_eq!(declared(&models[3]), (takes, vec![values]));
}

/// Columns that are called as nodes and outputs are.
const COLUMNS: &str = r#"
version = 1
missing = ["", "-9"]
column = [
  {name = "features", kind = "numeric", bounds = [0, 1], missing_indicator = true},
  {name = "label", kind = "date", bounds = ["2000-01-01", "2001-01-01"]},
  {name = "step", kind = "categorical", levels = ["1", "2"]},
  {name = "positions", kind = "categorical", levels = ["1", "x"]},
  {name = "note", kind = "ignored"},
  {name = "probabilities", kind = "target", classes = ["no", "yes"]},
]"#;

#[test]
fn the_inputs_of_a_schema_are_its_columns_and_no_node_is_called_as_one() {
    let schema = Schema::from_toml(COLUMNS).unwrap();
    let certificate = Certificate {
        columns: schema.width() as u64,
        ..certificate()
    };
    let function = LinearFunction {
        weights: vec![(0, 1.0), (1, 2.0), (8, -1.0)],
        intercept: 0.0,
    };
    let fitted = Fitted::linear(vec![function], certificate.statement.clone());
    let outcome = Outcome::Classes(classes());
    let certificate = asked_for(certificate, &outcome);
    let layout = Layout::Named(schema);
    let model = Model::new(&fitted, outcome, true, layout, certificate).unwrap();
    let file = model.to_onnx().unwrap();
    let domains: Vec<String> = all(&file, 8).into_iter().map(|d| text(one(d, 1))).collect();
    assert_eq!(domains, ["", "ai.onnx.ml"]);
    let graph = one(&file, 7);
    let values = |number| -> Vec<(String, i64, Vec<String>)> {
        all(graph, number).into_iter().map(value).collect()
    };
    let column = |name: &str, kind: i64| {
        let shape = vec!["records".to_owned(), "1".to_owned()];
        (name.to_owned(), kind, shape)
    };
    let inputs = [
        column("features", 11),
        column("label", 11),
        column("step", 11),
        column("positions", 8),
    ];
    let mut found = values(11);
    found.sort_by_key(|(name, ..)| inputs.iter().position(|(input, ..)| input == name));
    assert_eq!(found, inputs);
    let outputs: Vec<String> = values(12).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(outputs, ["label_", "probabilities_"]);
    let mut names: Vec<String> = inputs.into_iter().map(|(name, ..)| name).collect();
    names.extend(
        all(graph, 5)
            .into_iter()
            .map(|constant| text(one(constant, 8))),
    );
    for node in all(graph, 1) {
        // What a node is made of comes before it.
        for input in all(node, 1) {
            assert!(names.contains(&text(input)), "{}", text(input));
        }
        let output = text(one(node, 2));
        assert!(!names.contains(&output), "{output}");
        names.push(output);
    }
    assert!(outputs.iter().all(|output| names.contains(output)));
}

#[test]
fn the_metadata_have_the_certificate() {
    let model = logistic(RecordBound::L2(1.0));
    let file = model.to_onnx().unwrap();
    let facts = metadata(&file);
    let read: Certificate = serde_json::from_str(&facts["certificate"]).unwrap();
    assert_eq!(&read, model.certificate());
    assert_eq!(facts["epsilon"].parse(), Ok(read.statement.epsilon));
    assert_eq!(facts["delta"].parse(), Ok(1e-6));
    let fact = |name: &str| facts[name].as_str();
    assert_eq!(fact("private"), "true");
    assert_eq!(fact("adjacency"), "replace-one");
    assert_eq!(fact("accountant"), read.statement.accountant.name());
    assert_eq!(fact("method"), "frank-wolfe");
    assert_eq!(fact("class_names"), r#"["healthy","ill \"☤\""]"#);
    assert!(!facts.contains_key("feature_names") && !facts.contains_key("rho"));
    assert_eq!(text(one(&file, 6)), fact("privacy"));
    assert!(fact("privacy").contains("under differential privacy"));
    assert_eq!(model.to_onnx().unwrap(), file);
}

#[test]
fn a_model_without_a_guarantee_says_so() {
    let facts = metadata(&unprotected().to_onnx().unwrap());
    assert_eq!(
        (facts["private"].as_str(), facts["epsilon"].as_str()),
        ("false", "inf")
    );
    assert!(facts["privacy"].contains("NOT PRIVATE, without any guarantee: nothing is proved"));
    let certificate = certificate().not_private("a fixed seed");
    let fitted = fitted(&certificate);
    let outcome = Outcome::Classes(classes());
    let certificate = asked_for(certificate, &outcome);
    let seeded = Model::new(&fitted, outcome, true, layout(), certificate).unwrap();
    let facts = metadata(&seeded.to_onnx().unwrap());
    assert_eq!(facts["private"], "false");
    assert!(facts["privacy"].ends_with("that is NOT PRIVATE: a fixed seed."));
}

#[test]
fn the_size_follows_the_weights_and_not_the_columns() {
    let sized = |columns: u32, bound| {
        let certificate = Certificate {
            columns: columns.into(),
            ..certificate_of(statement(), bound)
        };
        let fitted = Fitted::linear(
            vec![LinearFunction {
                weights: vec![(0, 1.0), (columns - 1, 2.0)],
                intercept: 0.0,
            }],
            certificate.statement.clone(),
        );
        let width = columns as usize;
        let layout = Layout::Numbered { first: 1, width };
        let outcome = Outcome::Classes(classes());
        let certificate = asked_for(certificate, &outcome);
        let model = Model::new(&fitted, outcome, true, layout, certificate).unwrap();
        model.to_onnx().unwrap().len()
    };
    for bound in [RecordBound::Linf(1.0), RecordBound::L2(1.0)] {
        let (narrow, wide) = (sized(2, bound), sized(u32::MAX, bound));
        // The number of columns itself has more digits.
        assert!(narrow < 8000 && wide < narrow + 50, "{narrow} {wide}");
    }
}

/// Of two columns 0 lies outside the range: it counts as an end, stored or not.
#[test]
fn ranges_of_columns_are_part_of_the_model_its_file_and_the_graph() {
    let range = |column, low, high| ColumnRange { column, low, high };
    let ranges = vec![
        range(0, 0.2, 0.6),
        range(2, -0.7, -0.1),
        range(4, -0.3, 0.9),
    ];
    let function = LinearFunction {
        weights: vec![(0, 3.0), (1, -2.0), (2, 5.0), (4, 0.5)],
        intercept: 0.25,
    };
    let target = TargetRange {
        low: -1.0,
        high: 1.0,
    };
    let certificate = Certificate {
        target: Some(target),
        ..certificate_of(statement(), RecordBound::Linf(1.0))
    };
    let fitted = Fitted {
        released: Released::Number {
            function,
            ranges: ranges.clone(),
            noise: 0.1,
        },
        statement: certificate.statement.clone(),
    };
    let outcome = Outcome::Value(target);
    let certificate = asked_for(certificate, &outcome);
    let model = Model::new(&fitted, outcome, true, layout(), certificate).unwrap();
    assert_eq!(model.predictor().ranges(), ranges);
    agrees(&model);
    let again = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(again.predictor(), model.predictor());
    let row = [1.0, 0.5, 0.0, 0.0, -1.0, 0.0];
    let Predictions::Values(values) = model
        .predict(&Matrix::Dense(Dense::new(row.to_vec(), 1, 6).unwrap()))
        .unwrap()
    else {
        panic!("a model of numbers predicts values");
    };
    let expected = 0.25 + 3.0 * 0.6 - 2.0 * 0.5 + 5.0 * -0.1 + 0.5 * -0.3;
    assert!((values[0] - expected).abs() < 1e-5);
    let empty = model.to_json().replace("0.6\n", "0.1\n");
    let refused = Model::from_json(empty.as_bytes()).unwrap_err();
    assert!(matches!(refused, ModelError::ColumnRange(_)), "{refused}");
}

#[test]
fn a_model_that_no_such_file_can_hold_is_refused() {
    let (classes, columns) = (10_000, 30_000_u32);
    // Three columns of its own for each function: a table of 30 000 × 10 000 doubles.
    let certificate = Certificate {
        columns: u64::from(columns),
        ..certificate()
    };
    let output = |function: u32| LinearFunction {
        weights: (0..3).map(|k| (3 * function + k, 1.0)).collect(),
        intercept: 0.0,
    };
    let fitted = Fitted::linear(
        (0..classes).map(output).collect(),
        certificate.statement.clone(),
    );
    let width = columns as usize;
    let layout = Layout::Numbered { first: 1, width };
    let outcome = Outcome::Classes(numbered(classes as usize));
    let certificate = asked_for(certificate, &outcome);
    let model = Model::new(&fitted, outcome, true, layout, certificate).unwrap();
    let refused = model.to_onnx().unwrap_err();
    assert_eq!(refused.bytes, 8 * 10_000 * 30_000);
    assert!(refused.to_string().contains("at most 2147483647"));
}
