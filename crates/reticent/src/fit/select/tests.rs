//! What select-then-fit promises: a certificate within the budget, the plan and nothing else, at
//! most as many non-zeros as asked for, and an obvious support.

use super::*;
use crate::fit::testing::wide::{WIDTH, budget, facts, records, run};
use crate::fit::{PlanError, Planned};

fn select(task: Task, epsilon: f64) -> Select {
    Select {
        nonzero: Some(3),
        ..Select::new(task, budget(epsilon))
    }
}

/// The slopes of the three columns are tens of times the noise.
#[test]
fn an_obvious_support_is_chosen_and_fitted() {
    for task in [Task::Logistic, Task::Linear] {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let records = records(task, adjacency);
            let mut parameters = select(task, 3.0);
            parameters.adjacency = adjacency;
            let fitted = run(&parameters.plan(facts()).unwrap(), &records, 1);
            let output = &fitted.outputs[0];
            let support: Vec<u32> = output.weights.iter().map(|(j, _)| *j).collect();
            assert_eq!(support, [0, 3, 7], "{task:?}");
            assert!(output.weights[1].1 < 0.0 && output.weights[0].1 > output.weights[2].1);
            // The classes are as many: 0.5 decides no sign.
            assert!(task == Task::Logistic || output.intercept > 0.0);
        }
    }
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for task in [Task::Logistic, Task::Linear] {
        let records = records(task, Adjacency::ReplaceOne);
        for nonzero in [Some(3), Some(WIDTH), None] {
            let parameters = Select {
                nonzero,
                ..select(task, 0.7)
            };
            let plan = parameters.plan(facts()).unwrap();
            let fitted = run(&plan, &records, 2);
            assert_eq!(fitted.statement.charges, plan.spending().charges());
            let spent = fitted.statement.epsilon;
            assert!(spent <= 0.7 && spent > 0.69, "{task:?} {spent}");
            assert!(fitted.outputs[0].weights.len() <= plan.nonzero());
        }
    }
}

/// With next to no noise a linear model is the one that made the targets, on a scale of 6, whether
/// columns are chosen or all are fitted.
#[test]
fn without_noise_a_linear_fit_comes_to_the_truth() {
    let records = records(Task::Linear, Adjacency::ReplaceOne);
    for nonzero in [Some(3), None] {
        let parameters = Select {
            nonzero,
            ..select(Task::Linear, 1e6)
        };
        let fitted = run(&parameters.plan(facts()).unwrap(), &records, 3);
        let output = &fitted.outputs[0];
        let mut weights = vec![0.0; WIDTH];
        for (j, weight) in &output.weights {
            weights[*j as usize] = weight * 6.0;
        }
        for (j, weight) in weights.iter().enumerate() {
            let truth = match j {
                0 => 2.0,
                3 => -2.0,
                7 => 1.0,
                _ => 0.0,
            };
            assert!((weight - truth).abs() < 0.1, "{j}: {weight}");
        }
        assert!((output.intercept * 6.0 - 0.5).abs() < 0.1);
    }
}

#[test]
fn what_makes_no_plan_is_refused() {
    for nonzero in [0, WIDTH + 1] {
        let parameters = Select {
            nonzero: Some(nonzero),
            ..select(Task::Linear, 1.0)
        };
        let refused = parameters.plan(facts()).unwrap_err();
        assert!(matches!(refused, PlanError::Nonzero { .. }));
    }
    let multinomial = Task::Multinomial { classes: 3 };
    let refused = select(multinomial, 1.0).plan(facts()).unwrap_err();
    assert!(matches!(refused, PlanError::Task { .. }));
}
