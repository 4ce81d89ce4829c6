//! A map of features before the model: what it makes possible, what is certified, and what the
//! model does with a row.

use super::*;
use crate::features::{DeclaredFourier, DeclaredMap, FeatureMap};
use crate::metric;
use crate::model::{Model, ModelError, Predictions};
use crate::table::{FEATURE_BOUND, FeaturesError, Schema};

const FEATURES: u32 = 60;

fn fourier(scale: f64) -> DeclaredMap {
    DeclaredMap::Fourier(DeclaredFourier {
        outputs: FEATURES,
        scale: Some(scale),
        seed: 1,
    })
}

/// Points of the square [−1, 1]², whose class is whether both have the same sign.
fn xor(rows: usize) -> Table<'static> {
    let mut rng = Generator::not_private(11);
    let unit = |bits: u64| (bits >> 40) as f32 / (1u32 << 23) as f32 - 1.0;
    let values: Vec<f32> = (0..2 * rows).map(|_| unit(rng.next_u64())).collect();
    let class = values.chunks(2).map(|row| u32::from(row[0] * row[1] > 0.0));
    Table {
        target: Target::Classes {
            class: class.collect(),
            names: vec!["no".into(), "yes".into()],
        },
        features: Matrix::Dense(Dense::new(values, rows, 2).unwrap()),
        layout: Layout::Numbered { first: 1, width: 2 },
        assumed: Vec::new(),
        units: None,
    }
}

fn mapped_request() -> FitRequest {
    FitRequest {
        rows: None,
        features: Some(fourier(0.5)),
        ..request(TaskName::Logistic)
    }
}

fn scores(model: &Model, table: &Table) -> Vec<f64> {
    match model.predict(&table.features).unwrap() {
        Predictions::Classes { scores, .. } => scores,
        other => panic!("{other:?}"),
    }
}

fn auc(model: &Model, table: &Table) -> f64 {
    let Target::Classes { class, .. } = &table.target else {
        panic!("classes")
    };
    let metrics = metric::classes(&scores(model, table), class).unwrap();
    metrics.auc.unwrap()
}

#[test]
fn a_boundary_that_bends_is_found_with_features_and_not_without() {
    let fit = |request: &FitRequest| {
        let trained = checked(request).train(xor(4000), None, Some(1), &mut ());
        trained.unwrap().model
    };
    let without = fit(&request(TaskName::Logistic));
    let with = fit(&mapped_request());
    let (without, with) = (auc(&without, &xor(4000)), auc(&with, &xor(4000)));
    assert!((without - 0.5).abs() < 0.1, "{without}");
    assert!(with > 0.9, "{with}");
}

#[test]
fn a_model_of_features_is_certified_and_read_back_as_it_was_written() {
    let request = mapped_request();
    let trained = checked(&request).train(xor(600), None, Some(1), &mut ());
    let model = trained.unwrap().model;
    let certificate = model.certificate();
    let map = fourier(0.5).of(2).unwrap();
    assert_eq!(certificate.features, Some(map));
    assert_eq!(certificate.columns, u64::from(FEATURES));
    assert_eq!(certificate.rows, FEATURE_BOUND);
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    assert_eq!(model.layout().width(), 2);
    assert_eq!(model.feature_name(3), "cos3");

    let text = model.to_json();
    let read = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(read, model);
    assert_eq!(read.to_json(), text);
    assert_eq!(scores(&read, &xor(600)), scores(&model, &xor(600)));
}

#[test]
fn predictions_are_those_of_the_linear_function_of_mapped_rows() {
    let request = mapped_request();
    let trained = checked(&request).train(xor(600), None, Some(1), &mut ());
    let model = trained.unwrap().model;
    let map = model.features().unwrap();
    let table = xor(20);
    let mapped = table
        .clone()
        .map_features(map, &mut |_| ControlFlow::Continue(()));
    let clipped = mapped.unwrap().clip(FEATURE_BOUND, None, true).unwrap();
    let rows = clipped.real();
    for (i, score) in scores(&model, &table).into_iter().enumerate() {
        let mut row = vec![0.0; FEATURES as usize];
        rows.for_row(i, |j, x| row[j] = f64::from(x));
        let predictor = model.predictor();
        let mut expected = predictor.intercept(0);
        for (column, weight) in predictor.weights(0) {
            expected += weight * row[*column as usize];
        }
        let expected = predictor
            .map()
            .map_or(expected, |map| map.log_odds(expected));
        assert!((score - expected).abs() < 1e-12, "{score} {expected}");
    }
}

#[test]
fn a_damaged_map_of_a_model_file_is_refused() {
    let trained = checked(&mapped_request()).train(xor(600), None, Some(1), &mut ());
    let text = trained.unwrap().model.to_json();
    for (from, to, words) in [
        (
            "\"outputs\": 60",
            "\"outputs\": 61",
            "as many as there are columns",
        ),
        (
            "\"outputs\": 60",
            "\"outputs\": 4294967295",
            "outputs = 4294967295",
        ),
        ("\"inputs\": 2", "\"inputs\": 3", "the table has 2 columns"),
        ("\"scale\": 0.5", "\"scale\": -0.5", "scale = -0.5"),
        (
            "\"scale\": 0.5",
            "\"scale\": null",
            "not a model that reticent wrote",
        ),
        ("\"kind\": \"fourier\"", "\"kind\": \"learned\"", "learned"),
        ("\"features\": {", "\"other\": {", "other"),
    ] {
        assert!(text.contains(from), "{from}\n{text}");
        let error = Model::from_json(text.replacen(from, to, 1).as_bytes()).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(words), "{from} -> {to}: {message}");
    }
}

#[test]
fn a_schema_declares_the_map_of_its_features() {
    let toml = r#"
        version = 1
        [features]
        kind = "fourier"
        outputs = 60
        scale = 0.5
        seed = 1
        [[column]]
        name = "a"
        kind = "numeric"
        bounds = [-1, 1]
        [[column]]
        name = "b"
        kind = "numeric"
        bounds = [-1, 1]
        [[column]]
        name = "same"
        kind = "target"
        classes = ["no", "yes"]
    "#;
    let schema = Schema::from_toml(toml).unwrap();
    assert_eq!(Schema::from_toml(&schema.to_toml()).unwrap(), schema);
    let table = || Table {
        layout: Layout::Named(schema.clone()),
        ..xor(600)
    };
    let of_schema = FitRequest {
        schema: true,
        features: None,
        ..mapped_request()
    };
    let train = |request: &FitRequest| checked(request).train(table(), None, Some(1), &mut ());
    let model = train(&of_schema).unwrap().model;
    let numbered = checked(&mapped_request()).train(xor(600), None, Some(1), &mut ());
    let numbered = numbered.unwrap().model;
    assert_eq!(model.features(), numbered.features());
    assert_eq!(scores(&model, &table()), scores(&numbered, &table()));
    let text = model.to_json();
    assert_eq!(Model::from_json(text.as_bytes()).unwrap(), model);

    // The file says the same twice.
    let other = text.replacen("\"seed\": 1", "\"seed\": 2", 1);
    let error = Model::from_json(other.as_bytes()).unwrap_err();
    assert_eq!(error, ModelError::OtherFeatures);
    let other = FitRequest {
        features: Some(fourier(0.25)),
        ..of_schema
    };
    let error = train(&other).unwrap_err();
    assert!(error.to_string().contains("declares another"), "{error}");
    let images = toml.replace(
        "kind = \"fourier\"",
        "kind = \"scattering\"\nimage = \"8x8\"",
    );
    let images = images
        .replace("outputs = 60", "")
        .replace("scale = 0.5", "");
    let images = images.replace("        seed = 1\n", "");
    let message = Schema::from_toml(&images).unwrap_err().to_string();
    assert!(message.contains("line 3"), "{message}");
    assert!(message.contains("(64 columns)"), "{message}");
    assert!(message.contains("2 columns"), "{message}");
}

#[test]
fn public_rows_go_through_the_same_map() {
    let mut request = mapped_request();
    request.method = method("transfer");
    request.public = true;
    let public = xor(300).features;
    let trained = checked(&request).train(xor(600), Some(public), Some(1), &mut ());
    let model = trained.unwrap().model;
    let certificate = model.certificate();
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    let narrow = Matrix::Dense(Dense::new(vec![0.5; 300], 300, 1).unwrap());
    let refused = checked(&request).train(xor(600), Some(narrow), Some(1), &mut ());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("2 columns"), "{message}");
    assert!(message.contains("1 column"), "{message}");
    // The model is that of two mapped tables.
    let map = fourier(0.5).of(2).unwrap();
    let mapped = |table: Table<'static>| {
        table
            .map_features(&map, &mut |_| ControlFlow::Continue(()))
            .unwrap()
    };
    let by_hand = FitRequest {
        features: None,
        rows: Some(FEATURE_BOUND),
        ..request
    };
    let rows = mapped(xor(300)).features;
    let by_hand = checked(&by_hand).train(mapped(xor(600)), Some(rows), Some(1), &mut ());
    assert_eq!(by_hand.unwrap().model.predictor(), model.predictor());
}

#[test]
fn columns_are_chosen_among_features() {
    let request = FitRequest {
        nonzero: Some(Nonzero::Count(3)),
        ..mapped_request()
    };
    let chosen = checked(&request)
        .choose(xor(600), Some(1), &mut ())
        .unwrap();
    assert_eq!(chosen.columns.len(), 3);
    assert_eq!(chosen.certificate.columns, u64::from(FEATURES));
    assert!(chosen.certificate.features.is_some());
    assert!(chosen.certificate.verify().holds());
}

/// Stops before the first step.
struct StopMapping;

impl ProgressObserver for StopMapping {
    fn step(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        panic!("no step follows")
    }

    fn mapping(&mut self, share: f64) -> ControlFlow<()> {
        match share > 0.0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Keeps the shares that it is told.
struct Told(Vec<f64>);

impl ProgressObserver for Told {
    fn step(&mut self, _: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn mapping(&mut self, share: f64) -> ControlFlow<()> {
        self.0.push(share);
        ControlFlow::Continue(())
    }
}

/// Under add-remove their number is private.
#[test]
fn the_same_shares_are_told_while_rows_are_mapped_however_many_there_are() {
    let request = FitRequest {
        adjacency: Adjacency::AddRemove,
        public_n: Some(600),
        ..mapped_request()
    };
    let tenths: Vec<f64> = (0..=10).map(|tenth| f64::from(tenth) / 10.0).collect();
    for rows in [7, 599, 600, 601, 5000] {
        let mut told = Told(Vec::new());
        checked(&request)
            .train(xor(rows), None, Some(1), &mut told)
            .unwrap();
        assert_eq!(told.0, tenths, "{rows} rows");
    }
}

#[test]
fn a_fit_that_is_stopped_while_rows_are_mapped_spends_nothing() {
    let stopped = checked(&mapped_request()).train(xor(600), None, None, &mut StopMapping);
    let error = stopped.unwrap_err();
    assert!(
        matches!(error, TrainError::Features(FeaturesError::Stopped)),
        "{error}"
    );
    assert!(error.to_string().contains("nothing was spent"));
}

#[test]
fn a_map_that_makes_no_sense_is_refused_before_any_data_are_read() {
    let refused = |features: DeclaredMap| {
        let request = FitRequest {
            features: Some(features),
            ..mapped_request()
        };
        request.check(ParameterStyle::Arguments).unwrap_err()
    };
    let message = refused(fourier(f64::NAN)).to_string();
    assert!(message.contains("scale"), "{message}");
    // A declared bound is that of the mapped rows.
    let declared = FitRequest {
        rows: Some(RecordBound::L2(0.5)),
        ..mapped_request()
    };
    assert_eq!(checked(&declared).rows(), RecordBound::L2(0.5));
    let facts = checked(&declared).facts(10, 2);
    assert_eq!((facts.columns, facts.rows), (60, RecordBound::L2(0.5)));
    let of = |columns| {
        checked(&declared)
            .feature_map(columns)
            .unwrap()
            .map(|map: FeatureMap| map.inputs())
    };
    assert_eq!(of(7), Some(7));
}
