//! What models promise: exact files, refusals with a reason, honest certificates.

mod certificate;
mod damage;
mod file;
mod predict;
mod write;

use super::*;
use crate::data::RecordBound;
use crate::fit::Facts;
use crate::privacy::{
    Accountant, Adjacency, Basis, Charge, Delta, Event, NoiseMultiplier, Range, Statement, account,
};

/// A true statement of a plan of 30 selections and a Gaussian.
fn statement() -> Statement {
    let range = Range::new(0.05).unwrap();
    let noise = NoiseMultiplier::new(11.0).unwrap();
    let charges = vec![
        Charge::new(Event::Exponential { range }, 30.try_into().unwrap()),
        Charge::once(Event::Gaussian { noise }),
    ];
    let delta = Delta::new(1e-6).unwrap();
    let total = account(&charges, Adjacency::ReplaceOne, delta).unwrap();
    Statement {
        basis: Basis::Plan,
        adjacency: Adjacency::ReplaceOne,
        epsilon: total.epsilon,
        delta,
        accountant: total.accountant,
        charges,
        secure: true,
    }
}

fn certificate_of(statement: Statement, rows: RecordBound) -> Certificate {
    let facts = Facts {
        records: 1000,
        columns: 6,
        rows,
    };
    let method = Method::new("frank-wolfe")
        .with("iterations", 30)
        .with("radius", 10.0);
    Certificate::new(statement, facts, method)
}

fn certificate() -> Certificate {
    certificate_of(statement(), RecordBound::L2(1.0))
}

fn fitted(certificate: &Certificate) -> Fitted {
    Fitted {
        weights: vec![(1, 0.1 + 0.2), (2, 0.0), (5, -1e-300)],
        intercept: -0.25,
        statement: certificate.statement.clone(),
    }
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

fn classes() -> [ClassPattern; 2] {
    [
        pattern("healthy", Some(&["0", "-1"])),
        pattern("ill \"☤\"", None),
    ]
}

/// A logistic model with rows held to `rows`.
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

/// A linear model of a target in [10, 30].
fn linear(centred: bool) -> Model {
    let range = TargetRange {
        low: 10.0,
        high: 30.0,
    };
    let certificate = Certificate {
        target: Some(range),
        ..certificate()
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
    let epsilon = crate::privacy::Epsilon::new(0.1).unwrap();
    Statement {
        basis: Basis::Filter,
        epsilon: 2.0,
        accountant: Accountant::Zcdp,
        charges: vec![Charge::new(Event::Pure { epsilon }, 3.try_into().unwrap())],
        ..statement()
    }
}

#[test]
fn a_linear_model_speaks_in_the_units_of_its_target() {
    let centred = linear(true);
    assert_eq!(centred.weights(), [(1, (0.1 + 0.2) * 10.0), (5, -1e-299)]);
    assert_eq!(centred.intercept(), -0.25 * 10.0 + 20.0);
    let scaled = linear(false);
    assert_eq!(scaled.weights()[0], (1, (0.1 + 0.2) * 30.0));
    assert_eq!(scaled.intercept(), -0.25 * 30.0);
    assert_eq!(scaled.task(), Task::Linear);
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
        let fitted = Fitted {
            weights,
            ..fitted(&certificate)
        };
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
        let outcome = Outcome::Classes(pair);
        assert_eq!(new(vec![], outcome, layout()), Err(ModelError::Classes));
    }
    let range = TargetRange {
        low: 0.0,
        high: 1.0,
    };
    let unstated = new(vec![], Outcome::Value(range), layout());
    assert_eq!(unstated, Err(ModelError::Range));
}
