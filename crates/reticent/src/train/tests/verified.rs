//! Whoever verifies the certificate of a fit finds that it holds, whatever was fitted.

use std::num::NonZeroU64;

use super::*;
use crate::fit::MethodOptions;
use crate::model::{Certificate, Verdict};

/// The one method that fits without a budget alone: it certifies nothing.
const WITHOUT_PRIVACY: &str = "lasso";

/// The rows of [`table`], and three classes if there are several.
fn table_of(task: TaskName) -> Table<'static> {
    let mut table = table(task == TaskName::Linear);
    if task == TaskName::Multinomial {
        let of_row = |row: usize| {
            let mut sum = 0.0;
            table
                .features
                .for_row(row, |column, x| sum += if column < 2 { x } else { 0.0 });
            (sum / 2.0 + 1.0) as u32
        };
        table.target = Target::Classes {
            class: (0..table.features.rows()).map(of_row).collect(),
            names: ["a", "b", "c"].map(String::from).to_vec(),
        };
    }
    table
}

/// The certificate of a fit or of a choice; none if there is no such plan.
fn certificate_of(request: &FitRequest) -> Option<Certificate> {
    let task = request.task.unwrap();
    let checked = request.check(ParameterStyle::Arguments).ok()?;
    let made = match request.method == MethodName::CHOOSE {
        true => checked
            .choose(table_of(task), Some(3), &mut ())
            .map(|chosen| chosen.certificate),
        false => checked
            .train(table_of(task), None, Some(3), &mut ())
            .map(|trained| trained.model.certificate().clone()),
    };
    match made {
        Ok(certificate) => Some(certificate),
        Err(TrainError::Plan(_)) => None,
        Err(error) => panic!("{} {}: {error}", request.method.name(), task.name()),
    }
}

/// That nothing fails, and that the releases were compared with the plan.
fn assert_holds(certificate: &Certificate, name: &str) {
    let verification = certificate.verify();
    let failed = verification.checks.iter();
    let failed: Vec<_> = failed
        .filter(|check| check.verdict == Verdict::Fails)
        .collect();
    assert!(failed.is_empty(), "{name}: {failed:?}");
    assert!(verification.plan_checked(), "{name}");
}

#[test]
fn every_certificate_of_a_fit_holds_whatever_the_method_and_the_task() {
    for method in MethodName::all() {
        for task in TaskName::ALL {
            let mut fits = 0;
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                for intercept in [true, false] {
                    for nonzero in [None, Some(Nonzero::Count(3)), Some(Nonzero::Auto)] {
                        let request = FitRequest {
                            method,
                            adjacency,
                            public_n: (adjacency == Adjacency::AddRemove).then_some(620),
                            intercept,
                            nonzero,
                            ..request(task)
                        };
                        if let Some(certificate) = certificate_of(&request) {
                            let name = method.name();
                            let task = task.name();
                            let name = format!("{name} {task} {adjacency} {intercept} {nonzero:?}");
                            assert_holds(&certificate, &name);
                            fits += 1;
                        }
                    }
                }
            }
            let fitted = method.declaration().tasks.contains(&task);
            let expected = fitted && method.name() != WITHOUT_PRIVACY;
            assert_eq!(fits > 0, expected, "{} {}", method.name(), task.name());
        }
    }
}

/// Then there are no margins to calibrate.
#[test]
fn the_certificate_of_a_filter_holds_where_all_weights_are_0() {
    let agd = |options: MethodOptions, epsilon: f64| FitRequest {
        method: method("agd"),
        options,
        epsilon: Some(epsilon),
        ..request(TaskName::Logistic)
    };
    let penalised = MethodOptions::default().with("saturating-penalty", 1000.0);
    let one_step = MethodOptions::default()
        .with("saturating-penalty", 1000.0)
        .with("iterations", NonZeroU64::MIN);
    for request in [agd(penalised, 8.0), agd(one_step, 1.0)] {
        let trained = checked(&request).train(table(false), None, Some(3), &mut ());
        let model = trained.unwrap().model;
        assert_eq!(model.nonzero(), 0);
        assert_holds(model.certificate(), "agd");
    }
}

/// Noise of all sizes has room on the grids, and a fit that was planned ends in a model.
#[test]
fn fits_of_the_smallest_budgets_and_of_most_steps_end_in_models_that_verify() {
    let of = |name: &str, epsilon: f64, options: MethodOptions| FitRequest {
        method: method(name),
        options,
        epsilon: Some(epsilon),
        ..request(TaskName::Logistic)
    };
    let none = MethodOptions::default;
    let steps = |count: u64| none().with("iterations", NonZeroU64::new(count).unwrap());
    let whole = |optimizer: &str| {
        let all = NonZeroU64::new(600).unwrap();
        let options = none().with("optimizer", optimizer).with("epochs", 64.0);
        options.with("batch", all)
    };
    for epsilon in [1e-2, 1e-4, 1e-6] {
        for request in [
            of("agd", epsilon, none()),
            of("agd", epsilon, steps(2000)),
            of("sgd", epsilon, none()),
            of("sgd", epsilon, whole("sgd")),
            of("sgd", epsilon, whole("srm")),
        ] {
            for (intercept, adjacency) in [
                (true, Adjacency::ReplaceOne),
                (false, Adjacency::ReplaceOne),
                (true, Adjacency::AddRemove),
            ] {
                let request = FitRequest {
                    intercept,
                    adjacency,
                    public_n: (adjacency == Adjacency::AddRemove).then_some(600),
                    ..request.clone()
                };
                let name = format!(
                    "{} {epsilon} {intercept} {adjacency}",
                    request.method.name()
                );
                let certificate = certificate_of(&request).expect("a plan");
                assert_holds(&certificate, &name);
            }
        }
    }
}
