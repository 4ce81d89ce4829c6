//! Every method with its options, as it is declared.

use std::num::NonZeroU64;

use reticent::fit::{Facts, MethodName, MethodOptions, MethodRequest, Nonzero, TaskName};
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon, Rho};
use reticent::table::{RecordBound, TargetRange};

use crate::table::Shape;

/// A seeded fit with a name.
pub struct Case {
    pub name: String,
    /// Unchecked: contradictory requests are planned as well.
    pub request: MethodRequest,
    pub facts: Facts,
    pub shape: Shape,
    pub sparse: bool,
}

impl Case {
    /// The range of a numeric target.
    pub fn range(&self) -> Option<TargetRange> {
        let linear = self.request.task == TaskName::Linear;
        linear.then_some(TargetRange {
            low: 0.0,
            high: 100.0,
        })
    }
}

pub const SMALL: Shape = Shape {
    rows: 300,
    width: 12,
};
/// Several blocks of slopes, and more columns than weights are kept.
const MIDDLE: Shape = Shape {
    rows: 2_500,
    width: 40,
};
/// Large enough that threads share the work.
const LARGE: Shape = Shape {
    rows: 36_000,
    width: 20,
};

pub fn epsilon(value: f64) -> Option<Budget> {
    let delta = Delta::new(1e-6).unwrap();
    Some(Budget::new(Epsilon::new(value).unwrap(), delta))
}

fn method(name: &str) -> MethodName {
    name.parse().unwrap()
}

/// What a variant changes in a plain request.
type Change = fn(&mut MethodRequest);

/// The methods and options: a name, and what differs from a plain request.
const VARIANTS: &[(&str, Change)] = &[
    ("auto", |_| {}),
    ("auto, 4 weights", |o| o.nonzero = Some(Nonzero::Count(4))),
    ("auto, as many weights as are found", |o| {
        o.nonzero = Some(Nonzero::Auto);
    }),
    ("auto, no intercept", |o| o.intercept = false),
    ("auto, rho", |o| {
        let delta = Delta::new(1e-6).unwrap();
        o.budget = Some(Budget::zcdp(Rho::new(0.2).unwrap(), delta).unwrap());
    }),
    ("frank-wolfe", |o| o.method = method("frank-wolfe")),
    ("frank-wolfe, 9 steps of 2/(t+2), no intercept", |o| {
        o.method = method("frank-wolfe");
        o.intercept = false;
        o.options.set("iterations", NonZeroU64::new(9).unwrap());
        o.options.set("step-rule", "standard");
        o.options.set("radius", 3.0);
    }),
    ("frank-wolfe, one ball", |o| {
        o.method = method("frank-wolfe");
        o.options.set("ball", "whole");
    }),
    ("frank-wolfe, as published", |o| {
        o.method = method("frank-wolfe");
        o.options.set("as-published", true);
    }),
    ("sparsifier", |o| o.method = method("sparsifier")),
    ("sparsifier, 5 weights", |o| {
        o.method = method("sparsifier");
        o.nonzero = Some(Nonzero::Count(5));
    }),
    ("sparsifier, as published", |o| {
        o.method = method("sparsifier");
        o.options.set("as-published", true);
    }),
    ("ight", |o| o.method = method("ight")),
    ("ight, 3 weights", |o| {
        o.method = method("ight");
        o.nonzero = Some(Nonzero::Count(3));
    }),
    ("ight, no intercept", |o| {
        o.method = method("ight");
        o.intercept = false;
    }),
    ("ight, peeling", |o| {
        o.method = method("ight");
        o.nonzero = Some(Nonzero::Count(3));
        o.options.set("peeling", true);
    }),
    ("ight, as published", |o| {
        o.method = method("ight");
        o.nonzero = Some(Nonzero::Count(3));
        o.options.set("as-published", true);
    }),
    ("select", |o| o.method = method("select")),
    ("select, 3 weights, no intercept", |o| {
        o.method = method("select");
        o.nonzero = Some(Nonzero::Count(3));
        o.intercept = false;
    }),
    ("select, by statistics", |o| {
        o.method = method("select");
        o.options.set("fitting", "statistics");
    }),
    ("two-stage", |o| o.method = method("two-stage")),
    ("admm", |o| o.method = method("admm")),
    ("admm, l1/2 in 3 steps", |o| {
        o.method = method("admm");
        o.nonzero = Some(Nonzero::Count(3));
        o.options.set("penalty", "l1/2");
        o.options.set("iterations", NonZeroU64::new(3).unwrap());
    }),
    ("admm, as published", |o| {
        o.method = method("admm");
        o.options.set("as-published", true);
    }),
    ("transfer", |o| o.method = method("transfer")),
    ("transfer, dense teacher", |o| {
        o.method = method("transfer");
        o.options.set("teacher", "dense");
    }),
    ("transfer, as published", |o| {
        o.method = method("transfer");
        o.nonzero = Some(Nonzero::Count(4));
        o.options.set("as-published", true);
    }),
    ("sgd, a random step of single records", |o| {
        o.method = method("sgd");
        o.options.set("batch", NonZeroU64::MIN);
        o.options.set("result", "random");
    }),
    ("agd", |o| o.method = method("agd")),
    ("sgd without privacy", |o| {
        o.method = method("sgd");
        o.budget = None;
        o.options.set("epochs", 3.0);
    }),
    ("storm", |o| {
        o.method = method("sgd");
        o.budget = None;
        o.options.set("optimizer", "srm");
        o.options.set("epochs", 3.0);
    }),
    ("lasso without privacy", |o| {
        o.method = method("lasso");
        o.budget = None;
    }),
    ("ight without privacy", |o| {
        o.method = method("ight");
        o.budget = None;
    }),
    ("frank-wolfe without privacy", |o| {
        o.method = method("frank-wolfe");
        o.budget = None;
    }),
];

fn request(task: TaskName, adjacency: Adjacency) -> MethodRequest {
    MethodRequest {
        task,
        method: MethodName::AUTO,
        budget: epsilon(2.0),
        adjacency,
        nonzero: None,
        intercept: true,
        class_weight: None,
        options: MethodOptions::default(),
        classes: (task == TaskName::Multinomial).then_some(3),
        public_rows: None,
    }
}

/// Under add-remove a declared number stands for that of the records.
fn facts(adjacency: Adjacency, rows: RecordBound, shape: Shape) -> Facts {
    let more = match adjacency {
        Adjacency::ReplaceOne => 0,
        Adjacency::AddRemove => 17,
    };
    Facts {
        records: shape.rows as u64 + more,
        columns: shape.width,
        rows,
    }
}

/// Every method and option × task × adjacency × bound of the rows × storage.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for task in TaskName::ALL {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            for rows in [RecordBound::L2(1.5), RecordBound::Linf(1.0)] {
                for sparse in [false, true] {
                    for (of, variant) in variants() {
                        // Large ones once for each kind of row.
                        let shape = match (of, adjacency, rows) {
                            ("auto" | "choose", Adjacency::ReplaceOne, RecordBound::L2(_)) => LARGE,
                            ("select" | "frank-wolfe" | "ight, 3 weights", ..) => MIDDLE,
                            _ => SMALL,
                        };
                        let mut request = request(task, adjacency);
                        variant(&mut request);
                        let bound = match rows {
                            RecordBound::L2(_) => "l2",
                            RecordBound::Linf(_) => "linf",
                        };
                        let storage = if sparse { "sparse" } else { "dense" };
                        let task = task.name();
                        cases.push(Case {
                            name: format!("{of} | {task} | {adjacency} | {bound} | {storage}"),
                            request,
                            facts: facts(adjacency, rows, shape),
                            shape,
                            sparse,
                        });
                    }
                }
            }
        }
    }
    cases
}

/// The variants, and the choice of columns alone.
fn variants() -> impl Iterator<Item = (&'static str, Change)> {
    let choice: Change = |request| {
        request.method = MethodName::CHOOSE;
        request.nonzero = Some(Nonzero::Count(4));
    };
    VARIANTS.iter().copied().chain([("choose", choice)])
}
