//! What select-then-fit promises: a certificate within the budget, the plan and nothing else, at
//! most as many non-zeros as asked for, and an obvious support.

mod column_frames;
mod sparsity;
mod target_frame;

use super::*;
use crate::fit::testing::wide::{WIDTH, budget, facts, records, run};
use crate::fit::testing::{self, three_classes};
use crate::fit::{Facts, LinearFunction, PlanError, Planned};

const THREE: Task = Task::Multinomial { classes: 3 };

fn select(task: Task, epsilon: f64) -> Select {
    Select {
        nonzero: Some(Nonzero::Count(3)),
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
            let output = &fitted.outputs()[0];
            let support: Vec<u32> = output.weights.iter().map(|(j, _)| *j).collect();
            assert_eq!(support, [0, 3, 7], "{task:?}");
            let weight = |k: usize| output.weights[k].1;
            assert!(weight(0) > 0.0 && weight(1) < 0.0 && weight(2) > 0.0);
            // Classes are by the majority of the three, whatever their weights were.
            assert!(task == Task::Logistic || weight(0) > 1.5 * weight(2));
            // The classes are as many: 0.5 decides no sign.
            assert!(task == Task::Logistic || output.intercept > 0.0);
        }
    }
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for (task, fitting) in [
        (Task::Logistic, Fitting::Gradients),
        (Task::Linear, Fitting::Gradients),
        (Task::Linear, Fitting::Statistics),
    ] {
        let records = records(task, Adjacency::ReplaceOne);
        let counts = [Some(Nonzero::Count(3)), Some(Nonzero::Count(WIDTH)), None];
        let found = (fitting == Fitting::Gradients).then_some(Some(Nonzero::Auto));
        for nonzero in counts.into_iter().chain(found) {
            let parameters = Select {
                nonzero,
                fitting,
                ..select(task, 0.7)
            };
            let plan = parameters.plan(facts()).unwrap();
            let fitted = run(&plan, &records, 2);
            assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
            let spent = fitted.statement.epsilon;
            assert!(spent <= 0.7 && spent > 0.69, "{task:?} {spent}");
            assert!(fitted.outputs()[0].weights.len() <= plan.nonzero());
        }
    }
}

/// With next to no noise a linear model is the one that made the targets, on a scale of 6, whether
/// columns are chosen or all are fitted.
#[test]
fn without_noise_a_linear_fit_comes_to_the_truth() {
    let records = records(Task::Linear, Adjacency::ReplaceOne);
    for nonzero in [Some(Nonzero::Count(3)), None] {
        let parameters = Select {
            nonzero,
            ..select(Task::Linear, 1e6)
        };
        let fitted = run(&parameters.plan(facts()).unwrap(), &records, 3);
        let output = &fitted.outputs()[0];
        assert_true_weights(output, 0.1);
    }
}

/// The weights that made the targets, on a scale of 6: those that are absent are zero.
fn assert_true_weights(output: &LinearFunction, tolerance: f64) {
    let mut weights = vec![0.0f64; WIDTH];
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
        assert!((weight - truth).abs() < tolerance, "{j}: {weight}");
    }
    assert!((output.intercept * 6.0 - 0.5).abs() < tolerance);
}

#[test]
fn what_makes_no_plan_is_refused() {
    for nonzero in [0, WIDTH + 1] {
        let parameters = Select {
            nonzero: Some(Nonzero::Count(nonzero)),
            ..select(Task::Linear, 1.0)
        };
        let refused = parameters.plan(facts()).unwrap_err();
        assert!(matches!(refused, PlanError::Nonzero { .. }));
    }
    for task in [Task::Logistic, THREE] {
        let parameters = Select {
            fitting: Fitting::Statistics,
            ..select(task, 1.0)
        };
        let refused = parameters.plan(facts()).unwrap_err();
        assert!(matches!(refused, PlanError::Task { .. }));
    }
    let refused = select(Task::Multinomial { classes: 1 }, 1.0).plan(facts());
    assert_eq!(refused.unwrap_err(), PlanError::Classes(1));
}

/// Six weights of three classes are those of two columns: the two that decide.
#[test]
fn several_classes_share_the_columns_that_are_chosen() {
    let records = three_classes(6000);
    for nonzero in [6, 5] {
        let parameters = Select {
            nonzero: Some(Nonzero::Count(nonzero)),
            ..Select::new(THREE, budget(2.0))
        };
        let plan = parameters.plan(testing::facts(6000)).unwrap();
        let fitted = run(&plan, &records, 1);
        assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
        assert!(fitted.statement.epsilon <= 2.0 && fitted.statement.epsilon > 1.99);
        assert_eq!(fitted.outputs().len(), 3);
        let weights = || fitted.outputs().iter().flat_map(|output| &output.weights);
        assert_eq!(weights().count(), nonzero);
        assert!(weights().all(|(j, _)| [0, 3].contains(j)));
        // Class 0 is where column 0 is positive, and 1 where column 3 is, if it is not.
        let weight = |class: usize, column: u32| {
            let weights = &fitted.outputs()[class].weights;
            weights.iter().find(|(j, _)| *j == column).map(|(_, w)| *w)
        };
        assert!(weight(0, 0) > Some(0.0) && weight(1, 3) > Some(0.0));
        assert!(weight(2, 3) < Some(0.0));
    }
}

/// The statistics of next to no noise are those of least squares.
#[test]
fn statistics_without_noise_are_least_squares() {
    let records = records(Task::Linear, Adjacency::ReplaceOne);
    for nonzero in [Some(Nonzero::Count(3)), None] {
        let parameters = Select {
            nonzero,
            fitting: Fitting::Statistics,
            ..select(Task::Linear, 1e6)
        };
        let plan = parameters.plan(facts()).unwrap();
        let fitted = run(&plan, &records, 3);
        assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
        let output = &fitted.outputs()[0];
        assert_true_weights(output, 1e-3);
    }
}

/// Nine targets of ten are −1 and one is 1: the mean is −0.8, whatever residuals are clipped to.
#[test]
fn both_fits_predict_the_mean_of_a_skewed_target() {
    let records = testing::skewed(20_000);
    for fitting in [Fitting::Gradients, Fitting::Statistics] {
        let parameters = Select {
            fitting,
            ..Select::new(Task::Linear, budget(1.0))
        };
        let plan = parameters.plan(testing::facts(20_000)).unwrap();
        let mean = run(&plan, &records, 5).outputs()[0].intercept;
        assert!((mean + 0.8).abs() < 0.02, "{fitting:?} {mean}");
    }
}

/// Nine records of ten are of one class (a number: near 4), so that without an intercept the constant
/// column would have four times the gradient of the informative one.
#[test]
fn no_column_is_chosen_for_being_constant() {
    for task in [Task::Logistic, Task::Linear, THREE] {
        let records = testing::with_a_constant(6000, task);
        let parameters = Select {
            nonzero: Some(Nonzero::Count(task.outputs())),
            ..Select::new(task, budget(3.0))
        };
        let plan = parameters.plan(testing::facts(6000)).unwrap();
        let fitted = run(&plan, &records, 8);
        let weights = fitted.outputs().iter().flat_map(|output| &output.weights);
        let columns: Vec<u32> = weights.map(|(j, _)| *j).collect();
        assert!(
            columns.iter().all(|j| *j == 4) && !columns.is_empty(),
            "{task:?} {columns:?}"
        );
    }
}
