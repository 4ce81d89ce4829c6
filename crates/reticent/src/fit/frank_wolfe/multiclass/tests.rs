//! What the multinomial LASSO promises: a certificate within the budget, the plan and nothing
//! else, weights in their balls, and the features that separate the classes.

use super::*;
use crate::fit::testing::{WIDTH, budget, facts, of_three_classes, three_classes};
use crate::fit::{FitError, FitInput, Fitted, PlanError, Planned, ProgressObserver};
use crate::noise::Generator;
use crate::privacy::{CalibrateError, Event};

const BALLS: [Ball; 2] = [Ball::Whole, Ball::PerClass];
const TASK: Task = Task::Multinomial { classes: 3 };

fn run(plan: &MulticlassFrankWolfePlan, rows: usize, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    plan.run(FitInput::Sealed(&three_classes(rows)), &mut rng, &mut ())
        .unwrap()
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for ball in BALLS {
        let iterations = NonZeroU64::new(13);
        let parameters = MulticlassFrankWolfe {
            ball,
            iterations,
            ..MulticlassFrankWolfe::new(TASK, budget(1.0, 1e-6))
        };
        let plan = parameters.plan(facts(400)).unwrap();
        let fitted = run(&plan, 400, 1);
        assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
        let spent = plan.spending().unwrap().account().epsilon;
        assert!(spent <= 1.0 && spent > 0.99, "{spent}");
        assert_eq!(fitted.outputs().len(), 3);
        let first = plan.spending().unwrap().charges()[0];
        assert_eq!(first.count.get(), 13);
        let once = matches!(
            (ball, first.event),
            (Ball::Whole, Event::Exponential { .. }) | (Ball::PerClass, Event::Zcdp { .. })
        );
        assert!(once, "{first:?}");
    }
}

/// Balls per class cost the same whatever the number of classes; twice the ρ of one ball at the
/// same noise.
#[test]
fn the_noise_does_not_grow_with_the_number_of_classes() {
    let noise = |ball, classes| {
        let parameters = MulticlassFrankWolfe {
            ball,
            iterations: NonZeroU64::new(20),
            ..MulticlassFrankWolfe::new(Task::Multinomial { classes }, budget(1.0, 1e-6))
        };
        parameters.plan(facts(5000)).unwrap().gradient_noise()
    };
    let (few, many) = (noise(Ball::PerClass, 2), noise(Ball::PerClass, 50));
    assert_eq!(few, many);
    let whole = noise(Ball::Whole, 2);
    // The accountants may do a little better with one kind of event than with the other.
    assert!(
        (few / whole / 2f64.sqrt() - 1.0).abs() < 0.05,
        "{few} {whole}"
    );
}

#[test]
fn weights_stay_in_their_balls() {
    for ball in BALLS {
        for radius in [0.5, 3.0] {
            let parameters = MulticlassFrankWolfe {
                ball,
                radius: Some(radius),
                iterations: NonZeroU64::new(9),
                ..MulticlassFrankWolfe::new(TASK, budget(2.0, 1e-6))
            };
            let fitted = run(&parameters.plan(facts(300)).unwrap(), 300, 4);
            let norm = |k: usize| -> f64 {
                let weights = fitted.outputs()[k].weights.iter();
                weights.map(|(_, w)| w.abs()).sum()
            };
            let norms = [norm(0), norm(1), norm(2)];
            let most = match ball {
                Ball::Whole => norms.iter().sum(),
                Ball::PerClass => norms.iter().fold(0.0, |most: f64, n| most.max(*n)),
            };
            assert!(most <= radius * (1.0 + 1e-12), "{norms:?}");
            assert!(most > 0.0);
        }
    }
}

/// Columns 0 and 3 separate the classes; a fit with the defaults puts most of its weight there, and
/// is right far more often than the largest class.
#[test]
fn the_features_that_tell_the_classes_apart_are_found() {
    for ball in BALLS {
        let parameters = MulticlassFrankWolfe {
            ball,
            // Of which the steps have about 2.
            ..MulticlassFrankWolfe::new(TASK, budget(2.2, 1e-8))
        };
        let plan = parameters.plan(facts(6000)).unwrap();
        let fitted = run(&plan, 6000, 2);
        let all = fitted.outputs().iter().flat_map(|o| &o.weights);
        let (mut there, mut elsewhere) = (0.0, 0.0);
        for (column, weight) in all {
            if [0, 3].contains(column) {
                there += weight.abs();
            } else {
                elsewhere += weight.abs();
            }
        }
        assert!(there > 3.0 * elsewhere, "{ball:?}: {there} {elsewhere}");
        let (rows, classes) = of_three_classes(6000);
        let score = |k: usize, row: &[f32]| {
            let output = &fitted.outputs()[k];
            let products = output.weights.iter();
            let sum: f64 = products.map(|(j, w)| w * f64::from(row[*j as usize])).sum();
            sum + output.intercept
        };
        let right = rows
            .chunks(WIDTH)
            .zip(&classes)
            .filter(|(row, class)| {
                let own = score(**class as usize, row);
                (0..3).all(|k| k == **class as usize || score(k, row) < own)
            })
            .count();
        assert!(right > 5400, "{ball:?}: {right} of 6000");
    }
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let plan = || {
        MulticlassFrankWolfe::new(TASK, budget(1.0, 1e-6))
            .plan(facts(500))
            .unwrap()
    };
    assert_eq!(run(&plan(), 500, 8), run(&plan(), 500, 8));
    assert_ne!(run(&plan(), 500, 8), run(&plan(), 500, 9));
}

#[test]
fn a_plan_that_cannot_keep_its_budget_is_refused() {
    let tight = MulticlassFrankWolfe::new(TASK, budget(1e-12, 1e-300));
    let refused = tight.plan(facts(100)).map(drop).unwrap_err();
    assert!(
        matches!(
            refused,
            PlanError::Calibrate(CalibrateError::TooDear { .. })
        ),
        "{refused}"
    );
    let task = |task| MulticlassFrankWolfe::new(task, budget(1.0, 1e-6)).plan(facts(100));
    let refused = task(Task::Logistic).map(drop).unwrap_err();
    assert!(matches!(refused, PlanError::Task { .. }));
    let refused = task(Task::Multinomial { classes: 1 })
        .map(drop)
        .unwrap_err();
    assert_eq!(refused, PlanError::Classes(1));
}

#[test]
fn records_of_another_number_of_classes_are_refused() {
    let task = Task::Multinomial { classes: 4 };
    let plan = MulticlassFrankWolfe::new(task, budget(1.0, 1e-6))
        .plan(facts(50))
        .unwrap();
    let mut rng = Generator::not_private(1);
    let refused = plan.run(FitInput::Sealed(&three_classes(50)), &mut rng, &mut ());
    assert!(matches!(refused, Err(FitError::Facts { .. })));
}

/// Stops before the third step.
struct Impatient;

impl ProgressObserver for Impatient {
    fn step(&mut self, done: u64, _: u64) -> std::ops::ControlFlow<()> {
        if done < 2 {
            std::ops::ControlFlow::Continue(())
        } else {
            std::ops::ControlFlow::Break(())
        }
    }
}

/// Costs are fixed by the plan, and certified in full though the fit stops early.
#[test]
fn a_fit_that_is_stopped_has_spent_its_plan() {
    let plan = MulticlassFrankWolfe::new(TASK, budget(1.0, 1e-6))
        .plan(facts(200))
        .unwrap();
    let mut rng = Generator::not_private(1);
    let stopped = plan.run(
        FitInput::Sealed(&three_classes(200)),
        &mut rng,
        &mut Impatient,
    );
    let Err(FitError::Stopped {
        done: 2, statement, ..
    }) = stopped
    else {
        panic!("it went on");
    };
    assert_eq!(statement.charges, plan.spending().unwrap().charges());
}
