//! What DP-AGD promises: a certificate of the whole budget as a filter, releases within it whatever the
//! outcomes, and models that predict.

use std::num::NonZeroU64;

use super::run::Sizes;
use super::*;
use crate::fit::testing::budget;
use crate::fit::testing::wide::{WIDTH, facts, records, run};
use crate::fit::{PlanError, Planned, Task};
use crate::privacy::{Basis, Delta, Event, Rho, total_rho};

const BOTH: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];

fn agd(epsilon: f64) -> Agd {
    Agd::new(budget(epsilon, 1e-6))
}

/// The score is 2·x₀ − 2·x₃ + x₇ + 0.5.
#[test]
fn the_columns_that_matter_are_found_under_both_adjacencies() {
    for adjacency in BOTH {
        let records = records(Task::Logistic, adjacency);
        let parameters = Agd {
            adjacency,
            ..agd(20.0)
        };
        let plan = parameters.plan(facts()).unwrap();
        let fitted = run(&plan, &records, 1);
        let output = &fitted.outputs()[0];
        let others = output.weights.iter();
        let others = others.filter(|(j, _)| ![0, 3, 7].contains(j));
        let largest = others.map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
        let [a, b, c] = [0, 3, 7].map(|j| output.weight(j));
        assert!(a > 0.0 && b < 0.0 && c > 0.0, "{a} {b} {c}");
        assert!(a.min(-b) > largest, "{a} {b} {c}, {largest}");
    }
}

/// With little budget many gradients are found too noisy, and with much nearly none: the releases differ,
/// and what is certified does not.
#[test]
fn the_whole_budget_is_certified_as_a_filter_and_never_exceeded() {
    let delta = Delta::new(1e-6).unwrap();
    let in_rho = Budget::zcdp(Rho::new(0.05).unwrap(), delta).unwrap();
    for (budget, iterations) in [
        (budget(0.05, 1e-6), None),
        (budget(0.5, 1e-6), NonZeroU64::new(500)),
        (budget(5.0, 1e-6), None),
        (in_rho, None),
    ] {
        for adjacency in BOTH {
            let records = records(Task::Logistic, adjacency);
            let parameters = Agd {
                adjacency,
                iterations,
                ..Agd::new(budget)
            };
            let plan = parameters.plan(facts()).unwrap();
            let spending = plan.spending().unwrap();
            assert!(spending.account().epsilon <= budget.epsilon().get());
            let statement = run(&plan, &records, 3).statement;
            assert_eq!(statement.basis, Basis::Filter);
            assert_eq!(statement.epsilon, budget.epsilon().get());
            assert_eq!(statement.rho, budget.rho().map(Rho::get));
            let spent = total_rho(&statement.charges).unwrap();
            let planned = total_rho(spending.charges()).unwrap();
            assert!(spent <= planned, "{spent} of {planned}");
            // What is left would not have paid for one more step.
            assert!(spent > 0.8 * planned, "{spent} of {planned}");
        }
    }
}

/// Where no step helps, because a penalty outweighs the loss, the first gradient is released until the budget
/// is used up, with less noise each time; where steps help, hardly any is released again.
#[test]
fn a_gradient_that_is_found_too_noisy_is_released_again() {
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    let noises = |penalty| {
        let parameters = Agd {
            penalty,
            ..agd(50.0)
        };
        let fitted = run(&parameters.plan(facts()).unwrap(), &records, 5);
        let gaussian = |event| matches!(event, Event::Gaussian { .. });
        let charges = fitted.statement.charges.iter();
        let different = charges.filter(|charge| gaussian(charge.event)).count();
        (different, fitted.outputs()[0].weights.len())
    };
    let (few, weights) = noises(None);
    assert_eq!(weights, WIDTH);
    let (many, weights) = noises(Some(1e3));
    assert_eq!(weights, 0, "it stays where it began");
    assert!(2 * few < many, "{few} {many}");
}

#[test]
fn a_penalty_makes_weights_smaller_and_no_intercept_is_none() {
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    let fit = |penalty, intercept| {
        let parameters = Agd {
            penalty,
            intercept,
            ..agd(20.0)
        };
        run(&parameters.plan(facts()).unwrap(), &records, 4)
    };
    let length = |penalty| {
        let fitted = fit(penalty, false);
        assert_eq!(fitted.outputs()[0].intercept, 0.0);
        let squares = fitted.outputs()[0].weights.iter().map(|(_, w)| w * w);
        squares.sum::<f64>().sqrt()
    };
    let (without, with) = (length(None), length(Some(3.0)));
    assert!(with < 0.5 * without, "{with} of {without}");
}

#[test]
fn what_makes_no_plan_is_refused() {
    for given in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let changes: [fn(&mut Agd, f64); 2] =
            [|agd, x| agd.clip = Some(x), |agd, x| agd.penalty = Some(x)];
        for change in changes {
            let mut parameters = agd(1.0);
            change(&mut parameters, given);
            let refused = parameters.plan(facts()).unwrap_err();
            assert!(
                matches!(refused, PlanError::NotPositive { .. }),
                "{refused}"
            );
        }
    }
    let with = |clip: f64| {
        let parameters = Agd {
            clip: Some(clip),
            ..agd(1.0)
        };
        parameters.plan(facts())
    };
    for clip in [1e-300, 0.99e-5] {
        let refused = with(clip).unwrap_err();
        assert!(matches!(refused, PlanError::Option { .. }), "{refused}");
    }
    // The shortest that is planned is run, and no clip is longer than any gradient.
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    run(&with(1.01e-5).unwrap(), &records, 1);
    assert_eq!(with(1e300).unwrap(), with(1.0).unwrap());
    let endless = Agd {
        iterations: NonZeroU64::new(u64::MAX),
        ..agd(1.0)
    };
    let refused = endless.plan(facts()).unwrap_err();
    assert!(matches!(refused, PlanError::Steps { .. }), "{refused}");
}

/// They follow selections, as many as a plan has steps for.
#[test]
fn step_sizes_stay_within_what_grids_hold_however_many_steps_there_are() {
    for largest in [false, true] {
        let mut sizes = Sizes::new();
        for _ in 0..1_000_000 {
            let all: Vec<f64> = sizes.all().collect();
            let size = if largest { all[all.len() - 1] } else { all[0] };
            assert!((1e-11..=1e9).contains(&size), "{size}");
            sizes.taken(size);
        }
    }
}
