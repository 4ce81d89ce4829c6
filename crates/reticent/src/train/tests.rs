//! The path from a table to a model, and refusals that a person can act on.

mod features;
mod request;
mod verified;

use std::ops::ControlFlow;

use super::{
    CheckedRequest, FitRequest, MethodName, ParameterStyle, Refused, RunCost, TaskName, TrainError,
};
use crate::fit::{Auto, FitInput, Nonzero, ProgressObserver};
use crate::matrix::{Dense, Matrix};
use crate::model::Outcome;
use crate::noise::{Generator, Randomness};
use crate::privacy::{Adjacency, Budget, Delta, Epsilon};
use crate::table::{
    ClassPattern, ClassWeight, Layout, ProtectedUnit, RecordBound, Table, Target, TargetRange,
    Units,
};

const WIDTH: usize = 6;

fn method(name: &str) -> MethodName {
    name.parse().unwrap()
}

fn budget(epsilon: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(1e-6).unwrap())
}

fn request(task: TaskName) -> FitRequest {
    FitRequest {
        task: Some(task),
        epsilon: Some(8.0),
        delta: Some(1e-6),
        rows: Some(RecordBound::Linf(1.0)),
        range: (task == TaskName::Linear).then_some(TargetRange {
            low: -4.0,
            high: 8.0,
        }),
        ..FitRequest::default()
    }
}

fn checked(request: &FitRequest) -> CheckedRequest {
    request.check(ParameterStyle::Arguments).unwrap()
}

/// Rows of ±1, of which the first column decides the target.
fn table(numbers: bool) -> Table<'static> {
    let mut rng = Generator::not_private(5);
    let rows = 600;
    let sign = |bit: u64| if bit == 0 { 1.0f32 } else { -1.0 };
    let values: Vec<f32> = (0..rows)
        .flat_map(|_| {
            let bits = rng.next_u64();
            (0..WIDTH).map(move |j| sign(bits >> j & 1))
        })
        .collect();
    let first = values.chunks(WIDTH).map(|row| row[0]);
    let target = match numbers {
        true => Target::Values(first.map(|x| f64::from(2.0 + 3.0 * x)).collect()),
        false => Target::Classes {
            class: first.map(|x| u32::from(x > 0.0)).collect(),
            names: vec!["no".into(), "yes".into()],
        },
    };
    Table {
        features: Matrix::Dense(Dense::new(values, rows, WIDTH).unwrap()),
        target,
        layout: Layout::Numbered {
            first: 0,
            width: WIDTH,
        },
        assumed: vec!["a fact".into()],
        units: None,
    }
}

/// Stops after this many steps.
struct Stop(u64);

impl ProgressObserver for Stop {
    fn step(&mut self, done: u64, _: u64) -> ControlFlow<()> {
        match done < self.0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

#[test]
fn a_trained_model_is_that_of_its_plan() {
    let request = request(TaskName::Logistic);
    let trained = checked(&request)
        .train(table(false), None, Some(7), &mut ())
        .unwrap();
    let (plan, why) = Auto::new(TaskName::Logistic.of(2), budget(8.0))
        .plan(checked(&request).facts(600, WIDTH))
        .unwrap();
    let records = table(false)
        .enforce(RecordBound::Linf(1.0), None, true, Adjacency::ReplaceOne)
        .unwrap();
    let mut randomness = Generator::not_private(7);
    let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, &mut ());
    let fitted = fitted.unwrap();
    let predictor = trained.model.predictor();
    assert_eq!(predictor.functions(), fitted.outputs());
    assert_eq!(predictor.map(), fitted.released.map());
    assert!(predictor.map().is_some());
    assert_eq!(trained.why, Some(why));
    let certificate = trained.model.certificate();
    assert_eq!(certificate.statement, fitted.statement);
    assert_eq!(certificate.assumed_public, ["a fact"]);
    assert!(!certificate.private, "a seeded model is not private");
    assert!(certificate.verify().holds());
}

#[test]
fn labels_that_are_one_number_are_refused_before_anything_is_spent() {
    let mut twice = table(false);
    if let Target::Classes { names, .. } = &mut twice.target {
        *names = vec!["01".into(), "1".into()];
    }
    let refused = checked(&request(TaskName::Logistic)).train(twice, None, Some(7), &mut ());
    let error = refused.unwrap_err();
    assert!(matches!(&error, TrainError::Enforce(_)), "{error:?}");
    assert!(
        error
            .to_string()
            .contains("two labels of the table are one class")
    );
}

#[test]
fn a_certificate_says_that_a_person_is_protected_and_counts_people() {
    let declared = ProtectedUnit {
        column: Some("patient".into()),
        rows: 5.try_into().unwrap(),
    };
    let visits = || Table {
        // 200 people with three rows each.
        units: Some(Units::new((0..600).map(|row| row / 3), declared.clone())),
        ..table(false)
    };
    let request = FitRequest {
        class_weight: Some(ClassWeight::Balanced),
        ..request(TaskName::Logistic)
    };
    let trained = checked(&request).train(visits(), None, Some(7), &mut ());
    let certificate = trained.unwrap().model.certificate().clone();
    assert_eq!(certificate.records, 200);
    assert_eq!(certificate.unit, Some(declared.clone()));
    assert_eq!(certificate.class_weight(), Some(&ClassWeight::Balanced));
    assert!(certificate.verify().holds());
    // Without privacy nobody is protected.
    let open = FitRequest {
        epsilon: Some(f64::INFINITY),
        class_weight: None,
        ..request
    };
    let trained = checked(&open).train(visits(), None, None, &mut ());
    let model = trained.unwrap().model;
    assert_eq!(model.certificate().unit, None);
    assert_eq!(model.certificate().records, 600);
}

#[test]
fn a_number_comes_out_in_its_own_units() {
    let request = request(TaskName::Linear);
    let trained = checked(&request)
        .train(table(true), None, Some(3), &mut ())
        .unwrap();
    let predictor = trained.model.predictor();
    let mut weights = predictor.weights(0).iter();
    let first = weights.find(|(column, _)| *column == 0);
    assert!((first.unwrap().1 - 3.0).abs() < 0.3, "{predictor:?}");
    assert!((predictor.intercept(0) - 2.0).abs() < 0.3, "{predictor:?}");
    assert_eq!(
        trained.model.outcome(),
        &Outcome::Value(request.range.unwrap())
    );
}

#[test]
fn noise_of_the_system_is_private_and_none_is_not() {
    let mut request = request(TaskName::Logistic);
    let private = checked(&request)
        .train(table(false), None, None, &mut ())
        .unwrap();
    assert!(private.model.certificate().private);
    request.epsilon = Some(f64::INFINITY);
    let open = checked(&request)
        .train(table(false), None, None, &mut ())
        .unwrap();
    assert!(!open.model.certificate().private);
    assert_eq!(open.model.certificate().method.name, "lasso");
}

#[test]
fn a_fit_that_is_stopped_tells_what_it_cost() {
    let mut request = request(TaskName::Logistic);
    request.method = method("ight");
    let error = checked(&request).train(table(false), None, Some(1), &mut Stop(3));
    let Err(TrainError::Stopped {
        done, statement, ..
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(done, 3);
    let cost = RunCost::of(&statement);
    assert!(cost.epsilon > 0.0 && cost.epsilon < 8.0, "{cost}");
    let message = TrainError::Stopped {
        done,
        total: 9,
        statement,
    };
    let message = message.to_string();
    assert!(
        message.contains(&format!("count this run as {cost}")),
        "{message}"
    );
    assert!(
        message.contains("as NOT PRIVATE"),
        "it was seeded: {message}"
    );
}

#[test]
fn the_column_that_decides_is_chosen_and_certified() {
    for (task, numbers) in [(TaskName::Logistic, false), (TaskName::Linear, true)] {
        let mut request = request(task);
        request.nonzero = Some(Nonzero::Count(1));
        let chosen = checked(&request)
            .choose(table(numbers), None, &mut ())
            .unwrap();
        assert_eq!(chosen.columns, [0]);
        assert!(chosen.certificate.private);
        assert!(chosen.certificate.statement.epsilon <= 8.0);
        assert!(chosen.certificate.verify().holds());
        assert_eq!(chosen.certificate.target, request.range);
    }
    let mut all = request(TaskName::Logistic);
    all.nonzero = Some(Nonzero::Count(WIDTH));
    let error = checked(&all)
        .choose(table(false), None, &mut ())
        .unwrap_err();
    assert!(matches!(error, TrainError::Plan(_)), "{error}");
}

#[test]
fn columns_alone_are_not_trained_as_a_model() {
    let mut request = request(TaskName::Logistic);
    request.method = MethodName::CHOOSE;
    let refused = checked(&request).train(table(false), None, None, &mut ());
    assert!(matches!(refused, Err(TrainError::NoModel)), "{refused:?}");
}

#[test]
fn under_add_remove_the_declared_number_stands_for_the_records() {
    let mut request = request(TaskName::Logistic);
    (request.adjacency, request.public_n) = (Adjacency::AddRemove, Some(500));
    let trained = checked(&request)
        .train(table(false), None, Some(1), &mut ())
        .unwrap();
    let certificate = trained.model.certificate();
    assert_eq!(certificate.records, 500);
    assert!(certificate.assumed_public[1].contains("at least one record"));
    assert!(certificate.verify().holds());
    request.public_n = None;
    let refused = request.check(ParameterStyle::Arguments).unwrap_err();
    assert!(matches!(refused, Refused::Missing { .. }), "{refused}");
}

#[test]
fn other_classes_than_the_table_has_are_refused_before_anything_is_spent() {
    let mut request = request(TaskName::Multinomial);
    request.classes = Some(ClassPattern::parse_list("no,yes,maybe").unwrap());
    let error = checked(&request)
        .train(table(false), None, None, &mut ())
        .unwrap_err();
    assert!(matches!(error, TrainError::Enforce(_)), "{error}");
}
