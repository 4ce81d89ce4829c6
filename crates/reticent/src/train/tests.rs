//! One way from a table to a model, and refusals that a person can act on.

use std::ops::ControlFlow;

use super::{Conflict, Cost, Details, MethodName, Order, TaskName, TrainError, Voice};
use crate::fit::{Auto, Fitting, PlanError, Planned, Watch};
use crate::matrix::{Dense, Matrix};
use crate::model::Outcome;
use crate::noise::{Generator, Randomness};
use crate::privacy::{Adjacency, Budget, Delta, Epsilon, Rho};
use crate::table::{ClassPattern, Layout, RecordBound, Table, Target, TargetRange};

const WIDTH: usize = 6;

fn budget(epsilon: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(1e-6).unwrap())
}

fn order(task: TaskName) -> Order {
    Order {
        task,
        method: MethodName::Auto,
        budget: Some(budget(8.0)),
        adjacency: Adjacency::ReplaceOne,
        public_n: None,
        rows: RecordBound::Linf(1.0),
        range: (task == TaskName::Linear).then_some(TargetRange {
            low: -4.0,
            high: 8.0,
        }),
        classes: None,
        nonzero: None,
        intercept: true,
        details: Details::default(),
    }
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
    }
}

/// Lets so many steps pass.
struct Stop(u64);

impl Watch for Stop {
    fn step(&mut self, done: u64, _: u64) -> ControlFlow<()> {
        match done < self.0 {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    }
}

#[test]
fn a_trained_model_is_that_of_its_plan() {
    let order = order(TaskName::Logistic);
    let trained = order.train(table(false), None, Some(7), &mut ()).unwrap();
    let (plan, why) = Auto::new(TaskName::Logistic.of(2), budget(8.0))
        .plan(order.facts(600, WIDTH).unwrap())
        .unwrap();
    let records = table(false)
        .enforce(order.rows, None, true, Adjacency::ReplaceOne)
        .unwrap();
    let mut randomness = Generator::not_private(7);
    let fitted = plan.run(&records, &mut randomness, &mut ()).unwrap();
    assert_eq!(trained.model.outputs(), fitted.outputs);
    assert_eq!(trained.why, Some(why));
    let certificate = trained.model.certificate();
    assert_eq!(certificate.statement, fitted.statement);
    assert_eq!(certificate.assumed_public, ["a fact"]);
    assert!(!certificate.private, "a seed protects nobody");
    assert!(certificate.verify().holds());
}

#[test]
fn a_number_comes_out_in_its_own_units() {
    let order = order(TaskName::Linear);
    let trained = order.train(table(true), None, Some(3), &mut ()).unwrap();
    let output = &trained.model.outputs()[0];
    let first = output.weights.iter().find(|(column, _)| *column == 0);
    assert!((first.unwrap().1 - 3.0).abs() < 0.3, "{output:?}");
    assert!((output.intercept - 2.0).abs() < 0.3, "{output:?}");
    assert_eq!(
        trained.model.outcome(),
        &Outcome::Value(order.range.unwrap())
    );
}

#[test]
fn noise_of_the_system_is_private_and_none_is_not() {
    let mut order = order(TaskName::Logistic);
    let private = order.train(table(false), None, None, &mut ()).unwrap();
    assert!(private.model.certificate().private);
    order.budget = None;
    let open = order.train(table(false), None, None, &mut ()).unwrap();
    assert!(!open.model.certificate().private);
    assert_eq!(open.model.certificate().method.name, "lasso");
}

#[test]
fn a_fit_that_is_stopped_tells_what_it_cost() {
    let mut order = order(TaskName::Logistic);
    order.method = MethodName::Ight;
    let error = order.train(table(false), None, Some(1), &mut Stop(3));
    let Err(TrainError::Stopped {
        done, statement, ..
    }) = error
    else {
        panic!("{error:?}");
    };
    assert_eq!(done, 3);
    let cost = Cost::of(&statement);
    assert!(cost.epsilon > 0.0 && cost.epsilon < 8.0, "{cost}");
    let told = TrainError::Stopped {
        done,
        total: 9,
        statement,
    };
    let told = told.to_string();
    assert!(
        told.contains(&format!("count this run as {cost}")),
        "{told}"
    );
    assert!(told.contains("as NOT PRIVATE"), "it was seeded: {told}");
}

#[test]
fn the_column_that_decides_is_chosen_and_certified() {
    for (task, numbers) in [(TaskName::Logistic, false), (TaskName::Linear, true)] {
        let mut order = order(task);
        order.nonzero = Some(1);
        let chosen = order.choose(table(numbers), None, &mut ()).unwrap();
        assert_eq!(chosen.columns, [0]);
        assert!(chosen.certificate.private);
        assert!(chosen.certificate.statement.epsilon <= 8.0);
        assert!(chosen.certificate.verify().holds());
        assert_eq!(chosen.certificate.target, order.range);
    }
    let mut all = order(TaskName::Logistic);
    all.nonzero = Some(WIDTH);
    let error = all.choose(table(false), None, &mut ()).unwrap_err();
    assert!(matches!(error, TrainError::Plan(_)), "{error}");
}

#[test]
fn a_number_without_a_range_is_refused_before_anything_is_spent() {
    let mut order = order(TaskName::Linear);
    order.range = None;
    let error = order.train(table(true), None, None, &mut ()).unwrap_err();
    assert!(matches!(error, TrainError::Enforce(_)), "{error}");
}

#[test]
fn under_add_remove_the_declared_number_stands_for_the_records() {
    let mut order = order(TaskName::Logistic);
    (order.adjacency, order.public_n) = (Adjacency::AddRemove, Some(500));
    let trained = order.train(table(false), None, Some(1), &mut ()).unwrap();
    let certificate = trained.model.certificate();
    assert_eq!(certificate.records, 500);
    assert!(certificate.assumed_public[1].contains("at least one record"));
    order.public_n = None;
    let refused = |error: TrainError| matches!(error, TrainError::Plan(PlanError::PrivateSize));
    assert!(refused(
        order
            .train(table(false), None, Some(1), &mut ())
            .unwrap_err()
    ));
    assert!(refused(
        order.choose(table(false), Some(1), &mut ()).unwrap_err()
    ));
}

#[test]
fn other_classes_than_the_table_has_are_refused_before_anything_is_spent() {
    let mut order = order(TaskName::Multinomial);
    order.classes = Some(ClassPattern::parse_list("no,yes,maybe").unwrap());
    let error = order.train(table(false), None, None, &mut ()).unwrap_err();
    assert!(matches!(error, TrainError::Enforce(_)), "{error}");
}

#[test]
fn parameters_that_contradict_each_other_are_told_in_the_callers_words() {
    let with = |task, change: fn(&mut Order)| {
        let mut order = order(task);
        change(&mut order);
        order
    };
    use TaskName::{Linear, Logistic};
    let cases = [
        (
            with(Logistic, |o| o.public_n = Some(5)),
            "public-n",
            "public_n",
        ),
        (
            with(Logistic, |o| {
                (o.adjacency, o.public_n) = (Adjacency::AddRemove, Some(0));
            }),
            "--public-n 0 was given, but a table has at least one record",
            "public_n=0 was given, but a table has at least one record",
        ),
        (
            with(Logistic, |o| {
                let (low, high) = (0.0, 1.0);
                o.range = Some(TargetRange { low, high });
            }),
            "--task logistic has classes",
            "task='logistic' has classes",
        ),
        (
            with(Linear, |o| {
                o.method = MethodName::FrankWolfe;
                o.nonzero = Some(3);
            }),
            "--method frank-wolfe has no use",
            "method='frank-wolfe' has no use",
        ),
        (
            with(Linear, |o| o.details.l1 = Some(1.0)),
            "--l1 was given",
            "use method='frank-wolfe', 'sparsifier', 'lasso'",
        ),
        (
            with(Logistic, |o| {
                o.method = MethodName::Select;
                o.details.fitting = Some(Fitting::Statistics);
            }),
            "--fitting statistics",
            "fitting='statistics'",
        ),
        (
            with(Logistic, |o| o.method = MethodName::Lasso),
            "use --epsilon inf",
            "use epsilon=float('inf')",
        ),
        (
            with(Logistic, |o| {
                (o.method, o.budget) = (MethodName::Select, None);
            }),
            "--method select is private by design",
            "method='select' is private by design",
        ),
        (
            with(Logistic, |o| {
                o.method = MethodName::Ight;
                o.details.peeling = true;
            }),
            "add --nonzero S",
            "add nonzero=S",
        ),
        (
            with(Linear, |o| {
                let (rho, delta) = (Rho::new(0.1).unwrap(), Delta::new(1e-6).unwrap());
                o.method = MethodName::FrankWolfe;
                o.budget = Some(Budget::zcdp(rho, delta).unwrap());
                o.details.as_published = true;
            }),
            "use --epsilon in place of --rho",
            "use epsilon in place of rho",
        ),
    ];
    for (order, flags, arguments) in cases {
        let say = |voice| order.check(voice).unwrap_err().to_string();
        assert!(say(Voice::Flags).contains(flags), "{}", say(Voice::Flags));
        let said = say(Voice::Arguments);
        assert!(said.contains(arguments), "{said}");
        assert!(!said.contains("--"), "{said}");
    }
    for task in TaskName::ALL {
        assert_eq!(order(task).check(Voice::Flags), Ok::<(), Conflict>(()));
    }
}
