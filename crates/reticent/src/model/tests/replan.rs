//! Releases that are not those of the plan are detected, whatever the arithmetic says.

use super::certificate::{COST, PLAN, failures, warnings};
use super::*;
use crate::fit::{Nonzero, ParameterStyle};
use crate::privacy::{Rho, total_rho};

/// With ε, ρ and the accountant of the releases that it lists: the arithmetic holds.
fn with_matching_epsilon(mut certificate: Certificate) -> Certificate {
    let statement = &mut certificate.statement;
    let total = account(&statement.charges, statement.adjacency, statement.delta).unwrap();
    (statement.epsilon, statement.accountant) = (total.epsilon, total.accountant);
    statement.rho = statement
        .rho
        .map(|_| total_rho(&statement.charges).unwrap());
    certificate
}

#[test]
fn a_count_of_32_changed_to_1_with_a_matching_epsilon_is_found_out() {
    let mut request = request();
    request.options.set("iterations", count(32));
    // Then steps are all that is charged: neither class counts nor a calibration.
    request.intercept = false;
    let rows = RecordBound::L2(1.0);
    let honest = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(honest.verify().holds());
    let mut attack = honest.clone();
    for charge in &mut attack.statement.charges {
        assert_eq!(charge.count.get(), 32);
        charge.count = NonZeroU64::MIN;
    }
    let attack = with_matching_epsilon(attack);
    assert!(attack.statement.epsilon < honest.statement.epsilon / 3.0);
    assert_eq!(failures(&attack), [PLAN]);
    // Nor is a larger cost than that of the plan taken for the plan's.
    let mut more = honest;
    more.statement.charges[0].count = NonZeroU64::new(33).unwrap();
    assert_eq!(failures(&with_matching_epsilon(more)), [PLAN]);
}

#[test]
fn changed_facts_requests_and_methods_are_found_out() {
    type Change = fn(&mut Certificate);
    let changes: [(&str, Change); 9] = [
        ("the request", |c| c.request = None),
        ("the budget", |c| {
            let (epsilon, delta) = (Epsilon::new(0.1).unwrap(), Delta::new(1e-6).unwrap());
            c.request.as_mut().unwrap().budget = Some(Budget::new(epsilon, delta));
        }),
        ("no budget", |c| c.request.as_mut().unwrap().budget = None),
        ("the method", |c| {
            c.request.as_mut().unwrap().method = method("select");
        }),
        ("steps", |c| {
            let request = c.request.as_mut().unwrap();
            request.options.set("iterations", count(29));
        }),
        ("adjacency", |c| {
            c.statement.adjacency = Adjacency::AddRemove;
        }),
        ("no columns", |c| c.columns = 0),
        ("the method that is named", |c| {
            c.method.name = "ight".to_owned();
        }),
        ("a parameter that is named", |c| {
            c.method.parameters[0].value = "31".to_owned();
        }),
    ];
    for (name, change) in changes {
        let mut tampered = certificate();
        change(&mut tampered);
        assert!(failures(&tampered).contains(&PLAN), "{name}");
    }
}

#[test]
fn every_method_is_planned_again_from_its_certificate() {
    let tasks = [
        (TaskName::Logistic, None),
        (TaskName::Linear, None),
        (TaskName::Multinomial, Some(3)),
    ];
    let methods = MethodName::all();
    let mut done = 0;
    for method in methods {
        for (task, classes) in tasks {
            for nonzero in [None, Some(Nonzero::Count(3)), Some(Nonzero::Auto)] {
                let request = MethodRequest {
                    task,
                    method,
                    classes,
                    nonzero,
                    options: MethodOptions::default(),
                    ..request()
                };
                // Not every method does every task, or keeps a number of weights.
                if request.check_options(ParameterStyle::Flags, false).is_err() {
                    continue;
                }
                let rows = RecordBound::Linf(1.0);
                let (plan, _) = request.plan(facts(rows)).unwrap();
                // What a filter lets pass is not planned one by one: it has a test of its own.
                if plan
                    .spending()
                    .is_some_and(|spending| spending.basis() == Basis::Filter)
                {
                    continue;
                }
                let mut certificate = certificate_for(&request, stated(&*plan), rows);
                certificate.target = (task == TaskName::Linear).then_some(TargetRange {
                    low: 0.0,
                    high: 1.0,
                });
                let text = serde_json::to_string(&certificate).unwrap();
                let read: Certificate = serde_json::from_str(&text).unwrap();
                assert_eq!(read, certificate);
                let name = format!("{} {} {nonzero:?}", method.name(), task.name());
                assert!(read.verify().holds(), "{name}: {:?}", read.verify());
                for place in 0..read.statement.charges.len() {
                    let mut fewer = read.clone();
                    let count = &mut fewer.statement.charges[place].count;
                    *count = count.checked_add(1).unwrap();
                    assert_eq!(failures(&with_matching_epsilon(fewer)), [PLAN], "{name}");
                }
                done += 1;
            }
        }
    }
    assert!(done >= 30, "{done}");
}

#[test]
fn a_teacher_on_public_rows_is_planned_again_by_their_number() {
    let request = MethodRequest {
        method: method("transfer"),
        options: MethodOptions::default(),
        public_rows: Some(200),
        ..request()
    };
    let rows = RecordBound::L2(1.0);
    let certificate = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    let parameters = &certificate.method.parameters;
    assert!(
        parameters
            .iter()
            .any(|p| p.value.starts_with("public file"))
    );
    let mut too_few = certificate;
    too_few.request.as_mut().unwrap().public_rows = Some(0);
    assert_eq!(failures(&too_few), [PLAN]);
}

#[test]
fn a_certificate_of_another_version_is_checked_by_its_arithmetic_and_told_as_such() {
    let mut old = certificate();
    old.version = "0.1.0".to_owned();
    old.request = None;
    assert!(old.verify().holds());
    assert_eq!(warnings(&old), [PLAN]);
    let found = &old.verify().checks;
    let told = |check: &Check| check.found.contains("made by another version (0.1.0)");
    assert!(found.iter().any(told), "{found:?}");
    old.statement.epsilon /= 2.0;
    assert_eq!(failures(&old), [COST]);
}

/// What the documentation says that no recomputation can detect.
#[test]
fn a_consistent_lie_is_the_certificate_of_another_fit() {
    let mut request = request();
    request.options.set("iterations", count(1));
    let rows = RecordBound::L2(1.0);
    let lie = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(lie.verify().holds());
}

#[test]
fn what_a_paper_claims_beyond_the_proof_is_pointed_out_and_no_claim_is_made_up() {
    let mut request = request();
    request.options.set("as-published", true);
    let rows = RecordBound::L2(1.0);
    let plan = planned(&request, rows);
    let mut certificate = certificate_for(&request, stated(&*plan), rows);
    certificate.published = plan.guarantee().claimed().map(Published::of);
    assert!(certificate.verify().holds(), "{:?}", certificate.verify());
    assert_eq!(warnings(&certificate), ["as published"]);
    certificate.published.as_mut().unwrap().epsilon /= 2.0;
    assert_eq!(failures(&certificate), [PLAN]);
    certificate.published = None;
    assert_eq!(failures(&certificate), [PLAN]);
}

/// The way around the plan that would leave the least trace: the releases of a filter are any.
#[test]
fn what_was_asked_for_is_planned_and_no_filter() {
    let mut forged = certificate();
    forged.statement = filter_statement();
    assert_eq!(failures(&forged), [PLAN]);
}

/// A filter of what was asked for: its budget is certified in full, and its releases are the calibration's
/// and any others within the ρ of the steps.
#[test]
fn a_filter_certifies_the_budget_that_was_asked_for_and_no_more_than_it_lets_pass() {
    let mut request = request();
    request.method = method("agd");
    let rows = RecordBound::L2(1.0);
    let plan = planned(&request, rows);
    let spending = plan.spending().unwrap();
    let of_steps = |times: u64| {
        let charges = spending.charges().iter().map(|charge| match charge.event {
            // A quarter of the ρ of all steps each.
            Event::Zcdp { rho } => {
                let noise = NoiseMultiplier::new((2.0 / rho.get()).sqrt()).unwrap();
                Charge::new(Event::Gaussian { noise }, count(times))
            }
            _ => *charge,
        });
        let statement = Statement {
            basis: Basis::Filter,
            adjacency: spending.adjacency(),
            epsilon: spending.budget().epsilon().get(),
            delta: spending.budget().delta(),
            rho: spending.rho(),
            accountant: Accountant::Zcdp,
            charges: charges.collect(),
            secure: true,
        };
        certificate_for(&request, statement, rows)
    };
    for times in [1, 3, 4] {
        let honest = of_steps(times);
        assert!(honest.verify().holds(), "{:?}", honest.verify());
        assert!(warnings(&honest).is_empty());
    }
    let failed = failures(&of_steps(5));
    assert!(failed.contains(&PLAN), "{failed:?}");
    let mut less = of_steps(3);
    less.statement.epsilon *= 0.999;
    assert!(failures(&less).contains(&PLAN));
    let mut without_counts = of_steps(3);
    let of_steps_alone = |charge: &Charge| charge.count.get() == 3;
    without_counts.statement.charges.retain(of_steps_alone);
    assert_eq!(failures(&without_counts), [PLAN]);
    let mut planned_instead = of_steps(3);
    planned_instead.statement.basis = Basis::Plan;
    let failed = failures(&with_matching_epsilon(planned_instead));
    assert_eq!(failed, [PLAN]);
}

/// The class counts of two classes, and two releases of their calibration, are planned with the same noise.
#[test]
fn a_filter_lists_equal_releases_as_one_charge_and_no_fewer_than_are_planned() {
    let mut request = request();
    request.method = method("agd");
    let rows = RecordBound::L2(1.0);
    let plan = planned(&request, rows);
    let spending = plan.spending().unwrap();
    let mut ledger = Ledger::filter(spending.budget(), spending.adjacency());
    for charge in spending.charges() {
        let made = match charge.event {
            // Half of what the steps may spend.
            Event::Zcdp { rho } => {
                let rho = Rho::new(rho.get() / 2.0).unwrap();
                Charge::once(Event::Zcdp { rho })
            }
            _ => *charge,
        };
        ledger.charge(made, true).unwrap();
    }
    let honest = certificate_for(&request, ledger.statement(), rows);
    let merged = |charge: &Charge| charge.count.get() == 3;
    let place = honest.statement.charges.iter().position(merged).unwrap();
    assert!(honest.verify().holds(), "{:?}", honest.verify());
    let mut fewer = honest;
    fewer.statement.charges[place].count = count(2);
    assert_eq!(failures(&fewer), [PLAN]);
}

/// Without what was asked for there is no plan to hold releases to, and a filter lets any noise pass.
#[test]
fn a_certificate_that_does_not_say_what_was_asked_for_is_old_or_fails() {
    for mut silent in [certificate(), filter_certificate()] {
        silent.request = None;
        for version in [
            env!("CARGO_PKG_VERSION"),
            "0.2.0",
            "0.2.1",
            "0.10.0",
            "1.0.0",
        ] {
            silent.version = version.to_owned();
            assert_eq!(failures(&silent), [PLAN], "{version}");
        }
        for version in ["0.0.1", "0.1.0", "0.1.99"] {
            silent.version = version.to_owned();
            assert!(failures(&silent).is_empty(), "{version}");
            assert_eq!(warnings(&silent), [PLAN], "{version}");
        }
    }
}

/// An old certificate says nothing of what was asked for, so that one which does is not old.
#[test]
fn a_certificate_is_not_made_older_than_it_is() {
    for version in ["0.1.0", "0.1.99", "old", "", "0.2"] {
        let mut forged = certificate();
        forged.version = version.to_owned();
        assert_eq!(failures(&forged), [PLAN], "{version}");
    }
    for version in ["0.2.1", "0.10.0", "1.0.0"] {
        let mut newer = certificate();
        newer.version = version.to_owned();
        assert!(failures(&newer).is_empty(), "{version}");
        assert_eq!(warnings(&newer), [PLAN]);
    }
}

/// A choice of columns alone is cheap, and other classes are another fit.
#[test]
fn a_model_is_what_its_certificate_was_asked_for() {
    let changes: [fn(&mut MethodRequest); 3] = [
        |request| request.method = MethodName::CHOOSE,
        |request| request.task = TaskName::Linear,
        |request| (request.task, request.classes) = (TaskName::Multinomial, Some(7)),
    ];
    for change in changes {
        let mut certificate = certificate();
        change(certificate.request.as_mut().unwrap());
        let outcome = Outcome::Classes(classes());
        let fitted = fitted(&certificate);
        let refused = Model::new(&fitted, outcome, true, layout(), certificate).unwrap_err();
        assert!(matches!(refused, ModelError::Certificate(_)), "{refused}");
    }
}

#[test]
fn vertices_must_be_listed_as_assumed_public() {
    let mut request = request();
    request.method = method("frank-wolfe");
    request.nonzero = None;
    request.options = Default::default();
    let rows = RecordBound::L2(1.0);
    let columns = certificate_for(&request, stated(&*planned(&request, rows)), rows).columns;
    let corner = |value: f64| vec![value; columns as usize];
    request
        .options
        .set("region", vec![corner(1.0), corner(-1.0)]);
    let mut silent = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    silent.assumed_public.clear();
    assert_eq!(failures(&silent), [PLAN]);
    silent.assumed_public.push(PUBLIC_VERTICES.to_owned());
    assert!(silent.verify().holds());
}

#[test]
fn no_parameter_is_near_infinity() {
    let request = request();
    let rows = RecordBound::L2(1.0);
    let honest = certificate_for(&request, stated(&*planned(&request, rows)), rows);
    assert!(honest.verify().holds());
    let numbers = |parameter: &Parameter| parameter.value.parse::<f64>().is_ok();
    let places: Vec<usize> = (0..honest.method.parameters.len())
        .filter(|place| numbers(&honest.method.parameters[*place]))
        .collect();
    assert!(!places.is_empty());
    for place in places {
        for value in ["inf", "-inf", "NaN", "infinity", "1e999"] {
            let mut changed = honest.clone();
            changed.method.parameters[place].value = value.to_owned();
            assert_eq!(failures(&changed), [PLAN], "{value}");
        }
    }
}
