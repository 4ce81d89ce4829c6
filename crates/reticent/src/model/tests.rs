//! What models promise: exact files, refusals with a reason, honest certificates.

mod certificate;
mod damage;
mod file;
mod hostile;
mod onnx;
mod origin;
mod predict;
mod replan;
mod write;

use super::*;
use std::num::NonZeroU64;

use crate::fit::{
    CalibrationMap, Facts, LinearFunction, MethodName, MethodOptions, MethodRequest, Planned,
    Released, TaskName,
};
use crate::privacy::{
    Accountant, Adjacency, Basis, Budget, Charge, Delta, Epsilon, Event, Ledger, NoiseMultiplier,
    Statement, account,
};
use crate::table::RecordBound;

fn method(name: &str) -> MethodName {
    name.parse().unwrap()
}

fn count(value: u64) -> NonZeroU64 {
    NonZeroU64::new(value).unwrap()
}

/// Frank–Wolfe of 30 steps, each with a selection and the slope of an intercept.
fn request() -> MethodRequest {
    let (epsilon, delta) = (Epsilon::new(0.7).unwrap(), Delta::new(1e-6).unwrap());
    MethodRequest {
        task: TaskName::Logistic,
        method: method("frank-wolfe"),
        budget: Some(Budget::new(epsilon, delta)),
        adjacency: Adjacency::ReplaceOne,
        nonzero: None,
        intercept: true,
        class_weight: None,
        options: MethodOptions::default().with("iterations", count(30)),
        classes: None,
        public_rows: None,
    }
}

/// A table of 1000 records and 6 columns.
fn facts(rows: RecordBound) -> Facts {
    Facts {
        records: 1000,
        columns: 6,
        rows,
    }
}

fn planned(request: &MethodRequest, rows: RecordBound) -> Box<dyn Planned> {
    request.plan(facts(rows)).unwrap().0
}

/// What the ledger of a plan states when it is done.
fn stated(plan: &dyn Planned) -> Statement {
    let spending = plan.spending().unwrap();
    let charges = spending.charges().to_vec();
    let ledger = Ledger::planned(spending.budget(), spending.adjacency(), charges);
    ledger.unwrap().statement()
}

/// A true statement of that plan.
fn statement() -> Statement {
    stated(&*planned(&request(), RecordBound::L2(1.0)))
}

/// The certificate of what was asked for, with any statement.
fn certificate_for(
    request: &MethodRequest,
    statement: Statement,
    rows: RecordBound,
) -> Certificate {
    let plan = planned(request, rows);
    let method = Method::new(plan.name(), &plan.summary());
    let mut certificate = Certificate::new(statement, facts(rows), method);
    certificate.request = Some(request.clone());
    certificate
}

fn certificate_of(statement: Statement, rows: RecordBound) -> Certificate {
    certificate_for(&request(), statement, rows)
}

fn certificate() -> Certificate {
    certificate_of(statement(), RecordBound::L2(1.0))
}

/// The same, of a request for a model with this outcome.
fn asked_for(mut certificate: Certificate, outcome: &Outcome) -> Certificate {
    if let Some(request) = &mut certificate.request {
        (request.task, request.classes) = match outcome {
            Outcome::Value(_) => (TaskName::Linear, None),
            Outcome::Classes(classes) if classes.len() == 2 => (TaskName::Logistic, None),
            Outcome::Classes(classes) => (TaskName::Multinomial, Some(classes.len() as u32)),
        };
    }
    certificate
}

fn fitted(certificate: &Certificate) -> Fitted {
    let output = LinearFunction {
        weights: vec![(1, 0.1 + 0.2), (2, 0.0), (5, -1e-300)],
        intercept: -0.25,
    };
    Fitted::linear(vec![output], certificate.statement.clone())
}

fn layout() -> Layout {
    Layout::Numbered { first: 1, width: 6 }
}

fn pattern(name: &str, labels: Option<&[&str]>) -> ClassPattern {
    ClassPattern {
        name: name.to_owned(),
        labels: labels.map(|labels| labels.iter().map(|&label| label.to_owned()).collect()),
    }
}

fn classes() -> Vec<ClassPattern> {
    vec![
        pattern("healthy", Some(&["0", "-1"])),
        pattern("ill \"☤\"", None),
    ]
}

/// Classes `0`, `1`, …
fn numbered(count: usize) -> Vec<ClassPattern> {
    let name = |class: usize| pattern(&class.to_string(), Some(&[&class.to_string()]));
    (0..count).map(name).collect()
}

/// A model of so many classes, with weights of all its functions.
fn multinomial(outputs: Vec<LinearFunction>, outcome: Outcome) -> Result<Model, ModelError> {
    let certificate = certificate();
    let statement = certificate.statement.clone();
    let fitted = Fitted::linear(outputs, statement);
    let certificate = asked_for(certificate, &outcome);
    Model::new(&fitted, outcome, true, layout(), certificate)
}

/// Three classes: a weight each of different columns, and none.
fn three() -> Vec<LinearFunction> {
    let output = |weights, intercept| LinearFunction { weights, intercept };
    vec![
        output(vec![(1, 2.0)], 0.5),
        output(vec![(1, -1.0), (2, 0.25)], -0.5),
        output(vec![], 0.0),
    ]
}

/// A logistic model with rows clipped to `rows`.
fn logistic(rows: RecordBound) -> Model {
    let certificate = certificate_of(statement(), rows);
    let fitted = fitted(&certificate);
    Model::new(
        &fitted,
        Outcome::Classes(classes()),
        true,
        layout(),
        certificate,
    )
    .unwrap()
}

/// The same with a map to log-odds.
fn calibrated(rows: RecordBound) -> Model {
    let certificate = certificate_of(statement(), rows);
    let mut fitted = fitted(&certificate);
    let points = vec![(-2.0, -5.0), (-0.3, -1.0), (0.1, 0.25), (4.0, 0.5)];
    fitted.released = Released::Calibrated {
        function: fitted.outputs()[0].clone(),
        map: CalibrationMap::new(points).unwrap(),
    };
    let outcome = Outcome::Classes(classes());
    Model::new(&fitted, outcome, true, layout(), certificate).unwrap()
}

/// A model that was fitted without noise.
fn unprotected() -> Model {
    let delta = Delta::new(1e-6).unwrap();
    let statement = Statement::without_guarantee(Adjacency::ReplaceOne, delta);
    let certificate = certificate_of(statement, RecordBound::L2(1.0));
    let fitted = fitted(&certificate);
    let outcome = Outcome::Classes(classes());
    Model::new(&fitted, outcome, true, layout(), certificate).unwrap()
}

/// A linear model of a target in [10, 30].
fn linear(centred: bool) -> Model {
    let range = TargetRange {
        low: 10.0,
        high: 30.0,
    };
    let certificate = Certificate {
        target: Some(range),
        ..asked_for(certificate(), &Outcome::Value(range))
    };
    let fitted = fitted(&certificate);
    Model::new(
        &fitted,
        Outcome::Value(range),
        centred,
        layout(),
        certificate,
    )
    .unwrap()
}

/// A filter of ε = 2 of which a little was used.
fn filter_statement() -> Statement {
    let epsilon = Epsilon::new(0.1).unwrap();
    Statement {
        basis: Basis::Filter,
        epsilon: 2.0,
        accountant: Accountant::Zcdp,
        charges: vec![Charge::new(Event::Pure { epsilon }, 3.try_into().unwrap())],
        ..statement()
    }
}

/// Of releases that follow no plan, and from before it was said what was asked for.
fn filter_certificate() -> Certificate {
    Certificate {
        request: None,
        version: "0.1.0".to_owned(),
        ..certificate_of(filter_statement(), RecordBound::L2(1.0))
    }
}

#[test]
fn a_linear_model_speaks_in_the_units_of_its_target() {
    let centred = linear(true);
    let weights = vec![(1, (0.1 + 0.2) * 10.0), (5, -1e-299)];
    let intercept = -0.25 * 10.0 + 20.0;
    let output = LinearFunction { weights, intercept };
    assert_eq!(centred.predictor(), &Predictor::Linear(vec![output]));
    assert_eq!(centred.nonzero(), 2);
    let scaled = linear(false);
    let predictor = scaled.predictor();
    assert_eq!(predictor.weights(0)[0], (1, (0.1 + 0.2) * 30.0));
    assert_eq!(predictor.intercept(0), -0.25 * 30.0);
    assert_eq!(scaled.task(), Task::Linear);
}

#[test]
fn columns_alone_are_no_model() {
    let certificate = certificate();
    let chosen = Fitted {
        released: Released::Columns(vec![1, 4]),
        statement: certificate.statement.clone(),
    };
    let outcome = Outcome::Classes(classes());
    let refused = Model::new(&chosen, outcome, true, layout(), certificate);
    assert_eq!(refused, Err(ModelError::NoPredictor));
}

#[test]
fn a_certificate_of_another_fit_is_refused() {
    let certificate = certificate();
    let mut other = fitted(&certificate);
    other.statement.epsilon *= 2.0;
    let model = Model::new(
        &other,
        Outcome::Classes(classes()),
        true,
        layout(),
        certificate,
    );
    assert_eq!(model, Err(ModelError::Statement));
}

#[test]
fn parts_that_do_not_fit_together_are_refused() {
    let new = |weights: Vec<(u32, f64)>, outcome: Outcome, layout: Layout| {
        let certificate = certificate();
        let intercept = 0.0;
        let output = LinearFunction { weights, intercept };
        let fitted = Fitted::linear(vec![output], certificate.statement.clone());
        let certificate = asked_for(certificate, &outcome);
        Model::new(&fitted, outcome, true, layout, certificate)
    };
    let two = || Outcome::Classes(classes());
    let refused = |weights| new(weights, two(), layout()).unwrap_err();
    assert!(matches!(refused(vec![(6, 1.0)]), ModelError::Beyond { .. }));
    assert!(matches!(
        refused(vec![(2, 1.0), (2, 1.0)]),
        ModelError::Order(_)
    ));
    assert!(matches!(
        refused(vec![(2, 1.0), (1, 1.0)]),
        ModelError::Order(_)
    ));
    assert!(matches!(
        refused(vec![(2, f64::NAN)]),
        ModelError::NotFinite(_)
    ));
    let narrow = Layout::Numbered { first: 1, width: 5 };
    assert!(matches!(
        new(vec![], two(), narrow),
        Err(ModelError::Columns { .. })
    ));
    for (first, width) in [(2, 6), (1, 0), (0, u32::MAX as usize + 1)] {
        let layout = Layout::Numbered { first, width };
        assert_eq!(new(vec![], two(), layout), Err(ModelError::Layout));
    }
    for pair in [
        [pattern("a", None), pattern("b", None)],
        [pattern("a", Some(&[])), pattern("b", None)],
        [pattern("a", Some(&["1"])), pattern("a", None)],
        [
            pattern("a", Some(&["1", "2"])),
            pattern("b", Some(&["3", "1"])),
        ],
    ] {
        let outcome = Outcome::Classes(pair.to_vec());
        let refused = new(vec![], outcome, layout());
        assert!(
            matches!(refused, Err(ModelError::Classes(_))),
            "{refused:?}"
        );
    }
    let range = TargetRange {
        low: 0.0,
        high: 1.0,
    };
    let unstated = new(vec![], Outcome::Value(range), layout());
    assert_eq!(unstated, Err(ModelError::Range));
}

#[test]
fn the_number_of_functions_tells_the_task() {
    let classes = |count| Outcome::Classes(numbered(count));
    let three = multinomial(three(), classes(3)).unwrap();
    assert_eq!(three.task(), Task::Multinomial { classes: 3 });
    assert_eq!((three.predictor().scores(), three.nonzero()), (3, 3));
    let of = |outputs, count| multinomial(vec![LinearFunction::default(); outputs], classes(count));
    assert_eq!(of(1, 2).unwrap().task(), Task::Logistic);
    let two = of(2, 2).unwrap();
    assert_eq!(two.task(), Task::Multinomial { classes: 2 });
    for (outputs, classes) in [(0, 2), (1, 3), (2, 3), (3, 2), (4, 3)] {
        let refused = ModelError::Outputs { outputs, classes };
        assert_eq!(of(outputs, classes), Err(refused));
    }
}

#[test]
fn each_function_is_checked() {
    let mut outputs = three();
    outputs[1].weights.push((6, 1.0));
    let refused = multinomial(outputs, Outcome::Classes(numbered(3)));
    assert!(matches!(refused, Err(ModelError::Beyond { .. })));
    let mut outputs = three();
    outputs[2].intercept = f64::INFINITY;
    let refused = multinomial(outputs, Outcome::Classes(numbered(3)));
    assert!(matches!(refused, Err(ModelError::NotFinite(_))));
}

#[test]
fn labels_that_are_the_same_number_are_one_label() {
    let same = vec![pattern("a", Some(&["1"])), pattern("b", Some(&["+1.0"]))];
    let refused = multinomial(vec![LinearFunction::default()], Outcome::Classes(same));
    assert!(matches!(refused, Err(ModelError::Classes(_))));
}
