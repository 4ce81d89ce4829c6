//! What a choice promises: a certificate within the budget, the plan and nothing else, and columns
//! that predict the target.

use crate::fit::{FitInput, Planned};
use std::ops::ControlFlow;

use super::*;
use crate::fit::testing::wide::{WIDTH, budget, facts, records};
use crate::fit::testing::{self, three_classes};
use crate::noise::Generator;
use crate::population::Records;
use crate::privacy::Statement;
use crate::table::RecordBound;

const THREE: Task = Task::Multinomial { classes: 3 };

fn run(plan: &SelectOnlyPlan, records: &Records) -> (Vec<u32>, Statement) {
    let mut rng = Generator::not_private(3);
    let fitted = plan.run(FitInput::Sealed(records), &mut rng, &mut ());
    let fitted = fitted.unwrap();
    let Released::Columns(columns) = fitted.released else {
        panic!("columns are chosen");
    };
    (columns, fitted.statement)
}

fn choose(task: Task, budget: Budget, columns: usize) -> SelectOnly {
    SelectOnly {
        columns: Some(columns),
        ..SelectOnly::new(task, budget)
    }
}

/// The gradients of the columns that decide are tens of times the noise.
#[test]
fn an_obvious_support_is_chosen() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        for intercept in [true, false] {
            for task in [Task::Logistic, Task::Linear] {
                let parameters = SelectOnly {
                    adjacency,
                    intercept,
                    columns: Some(3),
                    ..SelectOnly::new(task, budget(3.0))
                };
                let chosen = run(
                    &parameters.plan(facts()).unwrap(),
                    &records(task, adjacency),
                );
                assert_eq!(chosen.0, [0, 3, 7], "{task:?}");
            }
        }
    }
    let plan = choose(THREE, budget(3.0), 2).plan(testing::facts(6000));
    let chosen = run(&plan.unwrap(), &three_classes(6000));
    assert_eq!(chosen.0, [0, 3]);
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for task in [Task::Logistic, Task::Linear] {
        let records = records(task, Adjacency::ReplaceOne);
        for (columns, intercept) in [(1, true), (WIDTH - 1, true), (5, false)] {
            let parameters = SelectOnly {
                intercept,
                columns: Some(columns),
                ..SelectOnly::new(task, budget(0.7))
            };
            let plan = parameters.plan(facts()).unwrap();
            let chosen = run(&plan, &records);
            assert_eq!(chosen.0.len(), columns);
            assert!(chosen.0.is_sorted_by(|a, b| a < b));
            assert_eq!(chosen.1.charges, plan.spending().unwrap().charges());
            let spent = chosen.1.epsilon;
            assert!(spent <= 0.7 && spent > 0.69, "{task:?} {spent}");
        }
    }
}

/// Nine records of ten are of one class, or near one number: the constant column has four times the
/// gradient of the informative one, before there is an intercept.
#[test]
fn no_column_is_chosen_for_being_constant() {
    for task in [Task::Logistic, Task::Linear, THREE] {
        let records = testing::with_a_constant(6000, task);
        let chosen = |intercept| {
            let parameters = SelectOnly {
                intercept,
                columns: Some(1),
                ..SelectOnly::new(task, budget(3.0))
            };
            run(&parameters.plan(testing::facts(6000)).unwrap(), &records).0
        };
        assert_eq!(chosen(true), [4], "{task:?}");
        assert_eq!(chosen(false), [1], "{task:?}");
    }
}

#[test]
fn parameters_that_make_no_choice_are_refused() {
    for given in [0, WIDTH, WIDTH + 1] {
        let refused = choose(Task::Logistic, budget(1.0), given).plan(facts());
        let columns = WIDTH;
        assert_eq!(refused.unwrap_err(), PlanError::Columns { given, columns });
    }
    let one = Task::Multinomial { classes: 1 };
    let refused = choose(one, budget(1.0), 3).plan(facts());
    assert_eq!(refused.unwrap_err(), PlanError::Classes(1));
}

#[test]
fn records_of_another_table_are_refused_before_anything_is_charged() {
    let other = Facts {
        rows: RecordBound::Linf(2.0),
        ..facts()
    };
    let plan = choose(Task::Logistic, budget(1.0), 3).plan(other);
    let mut rng = Generator::not_private(1);
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    let refused = plan
        .unwrap()
        .run(FitInput::Sealed(&records), &mut rng, &mut ());
    assert!(matches!(refused, Err(FitError::Facts { .. })));
}

/// Stops before step `self.0`.
struct StopAt(u64);

impl ProgressObserver for StopAt {
    fn step(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        assert_eq!(total, 2);
        match done == self.0 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[test]
fn a_choice_that_is_stopped_certifies_the_whole_plan() {
    let records = records(Task::Linear, Adjacency::ReplaceOne);
    let plan = choose(Task::Linear, budget(1.0), 3).plan(facts());
    let plan = plan.unwrap();
    for at in [0, 1] {
        let mut rng = Generator::not_private(1);
        let stopped = plan.run(FitInput::Sealed(&records), &mut rng, &mut StopAt(at));
        let Err(FitError::Stopped {
            done, statement, ..
        }) = stopped
        else {
            panic!("it went on");
        };
        assert_eq!(done, at);
        // Costs are the plan's, and certified in full.
        assert_eq!(statement.charges, plan.spending().unwrap().charges());
    }
}
