//! What the two-stage procedure promises: a certificate within the budget, the plan and nothing
//! else, the number of weights that was planned, and the support where it is plain.

use super::super::testing::{WIDTH, budget, facts, two_columns};
use super::*;
use crate::fit::{FitInput, Fitted, Planned};
use crate::noise::Generator;
use crate::population::Records;

fn plan(task: Task, epsilon: f64, records: u64) -> TwoStagePlan {
    let method = TwoStage {
        nonzero: Some(2),
        ..TwoStage::new(task, budget(epsilon, 1e-6))
    };
    method.plan(facts(records)).unwrap()
}

fn run(plan: &TwoStagePlan, records: &Records, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    plan.run(FitInput::Sealed(records), &mut rng, &mut ())
        .unwrap()
}

const TASKS: [(Task, bool); 2] = [(Task::Logistic, false), (Task::Linear, true)];

#[test]
fn what_is_certified_is_the_plan_and_within_the_budget() {
    for (task, numbers) in TASKS {
        for epsilon in [0.3, 4.0] {
            let plan = plan(task, epsilon, 500);
            let fitted = run(&plan, &two_columns(500, numbers), 1);
            assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
            assert!(fitted.statement.epsilon <= epsilon);
            // The least noise that fits: nearly all of the budget is spent.
            assert!(fitted.statement.epsilon > 0.99 * epsilon);
            assert!(fitted.outputs()[0].weights.len() <= 2);
            let charged = |kind| {
                let events = plan
                    .spending()
                    .unwrap()
                    .charges()
                    .iter()
                    .map(|charge| charge.event);
                events.filter(|event| event.name() == kind).count()
            };
            assert_eq!(charged("exponential"), 1);
            assert_eq!(charged("pure"), usize::from(task == Task::Logistic));
            // The solver's, and for classes their counts and the calibration.
            assert_eq!(
                charged("gaussian"),
                if task == Task::Logistic { 5 } else { 1 }
            );
        }
    }
}

/// At ε = 4 and n = 4000 a vote of 130 blocks or more is unanimous, 20 times its noise ahead of the
/// rest: a false alarm has probability below 1e-6.
#[test]
fn a_plain_support_is_found_with_the_right_signs() {
    for (task, numbers) in TASKS {
        let plan = plan(task, 4.0, 4000);
        let records = two_columns(4000, numbers);
        for seed in 0..3 {
            let fitted = run(&plan, &records, seed);
            let [(0, first), (3, second)] = fitted.outputs()[0].weights[..] else {
                panic!("{task:?}: {:?}", fitted.outputs()[0]);
            };
            assert!(first > 0.05 && second < -0.05, "{task:?}: {first} {second}");
            assert!(fitted.outputs()[0].intercept > 0.0, "{task:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_model() {
    for (task, numbers) in TASKS {
        let plan = plan(task, 1.0, 300);
        let records = two_columns(300, numbers);
        assert_eq!(run(&plan, &records, 5), run(&plan, &records, 5));
        assert_ne!(
            run(&plan, &records, 5).outputs(),
            run(&plan, &records, 6).outputs()
        );
    }
}

/// Whatever the facts, the default λ leaves objective perturbation something to perturb with.
#[test]
fn a_default_lambda_is_never_refused() {
    for epsilon in [0.01, 1.0, 50.0] {
        for records in [20, 300] {
            for nonzero in [1, WIDTH] {
                let method = TwoStage {
                    nonzero: Some(nonzero),
                    ..TwoStage::new(Task::Logistic, budget(epsilon, 1e-6))
                };
                let plan = method.plan(facts(records)).unwrap();
                let fitted = run(&plan, &two_columns(records as usize, false), 2);
                assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
                assert!(fitted.statement.epsilon <= epsilon);
                let weights = &fitted.outputs()[0].weights;
                assert!((1..=nonzero).contains(&weights.len()), "{weights:?}");
                assert!(weights.iter().all(|(_, weight)| weight.is_finite()));
            }
        }
    }
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let refused = |change: fn(&mut TwoStage)| {
        let mut method = TwoStage::new(Task::Logistic, budget(1.0, 1e-6));
        change(&mut method);
        method.plan(facts(100)).map(drop).unwrap_err()
    };
    let error = refused(|method| method.adjacency = Adjacency::AddRemove);
    assert_eq!(error, PlanError::ReplaceOneOnly("two-stage"));
    let error = refused(|method| method.nonzero = Some(WIDTH + 1));
    assert!(matches!(error, PlanError::Nonzero { .. }), "{error}");
    let error = refused(|method| method.blocks = Some(101));
    assert!(matches!(error, PlanError::Blocks { .. }), "{error}");
    let error = refused(|method| method.share = 1.0);
    assert!(matches!(error, PlanError::Share { .. }), "{error}");
    let error = refused(|method| method.lambda = Some(0.0));
    assert!(matches!(error, PlanError::NotPositive { .. }), "{error}");
    let error = refused(|method| method.task = Task::Multinomial { classes: 3 });
    assert!(matches!(error, PlanError::Task { .. }), "{error}");
}
