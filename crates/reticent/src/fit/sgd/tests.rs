//! What private stochastic optimisation promises: a certificate within the budget, the plan and nothing
//! else, models that predict, for each optimiser, task and kind of sampling.

mod secrecy;
mod special_cases;

use std::num::NonZeroU64;

use super::*;
use crate::fit::testing::wide::{facts, records, run};
use crate::fit::testing::{budget, facts as few_facts, three_classes};
use crate::fit::{Auto, Facts, Fitted, Nonzero, PlanError, Planned};
use crate::mechanism::Batches;
use crate::privacy::{Delta, Event, Rho, Sampling};

const OPTIMIZERS: [SgdOptimizer; 4] = [
    SgdOptimizer::Sgd,
    SgdOptimizer::Momentum,
    SgdOptimizer::Adam,
    SgdOptimizer::Srm,
];
const BOTH: [Adjacency; 2] = [Adjacency::ReplaceOne, Adjacency::AddRemove];

fn sgd(task: Task, epsilon: f64) -> Sgd {
    Sgd::new(task, budget(epsilon, 1e-6))
}

/// The weights of columns 0, 3 and 7, and the largest of the others.
fn weights(fitted: &Fitted) -> ([f64; 3], f64) {
    let output = &fitted.outputs()[0];
    let others = output
        .weights
        .iter()
        .filter(|(j, _)| ![0, 3, 7].contains(j));
    let largest = others.map(|(_, weight)| weight.abs()).fold(0.0, f64::max);
    ([0, 3, 7].map(|j| output.weight(j)), largest)
}

/// The score is 2·x₀ − 2·x₃ + x₇ + 0.5: the three slopes are tens of times the noise.
#[test]
fn every_optimizer_finds_the_columns_that_matter_under_both_adjacencies() {
    for task in [Task::Logistic, Task::Linear] {
        for adjacency in BOTH {
            let records = records(task, adjacency);
            for optimizer in OPTIMIZERS {
                for smoothing in [None, Some(0.1)] {
                    let parameters = Sgd {
                        adjacency,
                        optimizer,
                        smoothing,
                        ..sgd(task, 5.0)
                    };
                    let plan = parameters.plan(facts()).unwrap();
                    let ([a, b, c], largest) = weights(&run(&plan, &records, 1));
                    let case = format!("{task:?} {adjacency:?} {optimizer:?} {smoothing:?}");
                    assert!(a > 0.0 && b < 0.0 && c > 0.0, "{case}: {a} {b} {c}");
                    let least = a.min(-b);
                    assert!(least > 1.5 * largest, "{case}: {a} {b} {c}, {largest}");
                }
            }
        }
    }
}

#[test]
fn several_classes_are_told_apart() {
    let records = three_classes(20_000);
    for optimizer in OPTIMIZERS {
        let parameters = Sgd {
            optimizer,
            ..sgd(Task::Multinomial { classes: 3 }, 3.0)
        };
        let fitted = run(&parameters.plan(few_facts(20_000)).unwrap(), &records, 2);
        let score = |row: [f64; 2], class: usize| {
            let output = &fitted.outputs()[class];
            output.weight(0) * row[0] + output.weight(3) * row[1] + output.intercept
        };
        for (row, class) in [
            ([1.0, 1.0], 0),
            ([1.0, -1.0], 0),
            ([-1.0, 1.0], 1),
            ([-1.0, -1.0], 2),
        ] {
            let others = (0..3).filter(|other| *other != class);
            for other in others {
                assert!(
                    score(row, class) > score(row, other),
                    "{optimizer:?} {row:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for task in [Task::Logistic, Task::Linear] {
        for adjacency in BOTH {
            let records = records(task, adjacency);
            for optimizer in OPTIMIZERS {
                let parameters = Sgd {
                    adjacency,
                    optimizer,
                    ..sgd(task, 0.7)
                };
                let plan = parameters.plan(facts()).unwrap();
                let fitted = run(&plan, &records, 3);
                let charges = plan.spending().unwrap().charges();
                assert_eq!(fitted.statement.charges, charges);
                assert!(fitted.statement.epsilon <= 0.7);
                assert!(fitted.statement.epsilon > 0.69, "nothing is left unused");
                let sampled = charges.iter().find_map(|charge| match charge.event {
                    Event::SubsampledGaussian { rate, sampling, .. } => {
                        Some((rate.get(), sampling, charge.count.get()))
                    }
                    _ => None,
                });
                let (rate, sampling, count) = sampled.unwrap();
                let expected = match adjacency {
                    Adjacency::ReplaceOne => Sampling::WithoutReplacement,
                    Adjacency::AddRemove => Sampling::Poisson,
                };
                assert_eq!((sampling, count), (expected, plan.steps()));
                assert!(rate >= plan.batch_size() / facts().records as f64);
            }
        }
    }
}

#[test]
fn batches_and_epochs_are_as_asked_for() {
    let plan = |batch: Option<u64>, epochs: Option<f64>, adjacency| {
        let parameters = Sgd {
            batch: batch.and_then(NonZeroU64::new),
            epochs,
            adjacency,
            ..sgd(Task::Logistic, 1.0)
        };
        parameters.plan(few_facts(10_000)).unwrap()
    };
    for adjacency in BOTH {
        let asked = plan(Some(500), Some(3.0), adjacency);
        assert_eq!(asked.steps(), 60);
        assert!((asked.batch_size() - 500.0).abs() < 1e-9);
        let all = plan(Some(1_000_000), Some(7.0), adjacency);
        assert_eq!((all.batches(), all.steps()), (Batches::All, 7));
        let default = plan(None, Some(2.0), adjacency);
        let epochs = default.steps() as f64 * default.batch_size() / 1e4;
        assert!((epochs - 2.0).abs() < 0.1, "{epochs}");
        // Less than one step.
        assert_eq!(plan(Some(500), Some(1e-9), adjacency).steps(), 1);
    }
    let endless = Sgd {
        batch: NonZeroU64::new(1),
        epochs: Some(1e9),
        ..sgd(Task::Logistic, 1.0)
    };
    let refused = endless.plan(few_facts(10_000)).unwrap_err();
    assert!(matches!(refused, PlanError::Steps { .. }), "{refused}");
}

#[test]
fn numbers_that_are_not_above_zero_are_refused() {
    for given in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let with = |change: fn(&mut Sgd, f64)| {
            let mut parameters = sgd(Task::Logistic, 1.0);
            change(&mut parameters, given);
            parameters.plan(few_facts(100))
        };
        let all: [fn(&mut Sgd, f64); 5] = [
            |sgd, x| sgd.smoothing = Some(x),
            |sgd, x| sgd.epochs = Some(x),
            |sgd, x| sgd.step_size = Some(x),
            |sgd, x| sgd.clip = Some(x),
            |sgd, x| sgd.penalty = Some(x),
        ];
        for change in all {
            let refused = with(change).unwrap_err();
            assert!(
                matches!(refused, PlanError::NotPositive { .. }),
                "{refused}"
            );
        }
    }
    let several = Sgd {
        penalty: Some(0.1),
        ..sgd(Task::Multinomial { classes: 3 }, 1.0)
    };
    let refused = several.plan(few_facts(100)).unwrap_err();
    assert!(matches!(refused, PlanError::Task { .. }), "{refused}");
}

/// A longer one than any gradient only adds noise, and a grid keeps nothing of one that is too short.
#[test]
fn a_clip_is_no_longer_than_any_gradient_and_long_enough_to_be_run() {
    for (task, bound) in [
        (Task::Logistic, 1.0),
        (Task::Linear, defaults::HUBER_THRESHOLD * 41f64.sqrt()),
        (Task::Multinomial { classes: 3 }, 2f64.sqrt()),
    ] {
        for optimizer in [SgdOptimizer::Momentum, SgdOptimizer::Srm] {
            let with = |clip: f64| {
                let parameters = Sgd {
                    clip: Some(clip),
                    optimizer,
                    ..sgd(task, 5.0)
                };
                parameters.plan(facts())
            };
            let longest = with(1e300).unwrap();
            assert!(
                (longest.clip - bound).abs() < 1e-9 * bound,
                "{task:?} {}",
                longest.clip
            );
            assert_eq!(longest, with(longest.clip).unwrap());
            for clip in [1e-300, 0.99e-5 * bound] {
                let refused = with(clip).unwrap_err();
                assert!(matches!(refused, PlanError::Option { .. }), "{refused}");
                assert!(
                    refused.to_string().starts_with("clip must be at least"),
                    "{refused}"
                );
            }
            if task != (Task::Multinomial { classes: 3 }) {
                let records = records(task, Adjacency::ReplaceOne);
                run(&with(1.01e-5 * bound).unwrap(), &records, 1);
            }
        }
    }
}

/// A penalty that outweighs the loss, whose slopes are at most 1, leaves weights near 0.
#[test]
fn a_penalty_makes_weights_smaller() {
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    let length = |penalty| {
        let parameters = Sgd {
            penalty,
            ..sgd(Task::Logistic, 50.0)
        };
        let fitted = run(&parameters.plan(facts()).unwrap(), &records, 4);
        let squares = fitted.outputs()[0].weights.iter().map(|(_, w)| w * w);
        squares.sum::<f64>().sqrt()
    };
    let (without, with) = (length(None), length(Some(3.0)));
    assert!(with < 0.5 * without, "{with} of {without}");
}

/// One step from 0 is along the smoothed gradient: neighbouring columns move together.
#[test]
fn smoothing_makes_neighbours_alike() {
    let records = records(Task::Logistic, Adjacency::ReplaceOne);
    let roughness = |smoothing| {
        let parameters = Sgd {
            smoothing,
            optimizer: SgdOptimizer::Sgd,
            batch: NonZeroU64::new(facts().records),
            epochs: Some(1.0),
            ..sgd(Task::Logistic, 5.0)
        };
        let plan = parameters.plan(facts()).unwrap();
        assert_eq!(plan.steps(), 1);
        let fitted = run(&plan, &records, 5);
        let weight = |j: usize| fitted.outputs()[0].weight(j as u32);
        let columns = facts().columns;
        let differences = (1..columns).map(|j| (weight(j) - weight(j - 1)).powi(2));
        differences.sum::<f64>() / (0..columns).map(|j| weight(j).powi(2)).sum::<f64>()
    };
    let (without, with) = (roughness(None), roughness(Some(3.0)));
    assert!(with < 0.5 * without, "{with} of {without}");
}

#[test]
fn plans_exist_at_the_ends_of_what_can_be_asked_for() {
    for epsilon in [1e-6, 1e-3, 30.0, 1e4] {
        for records in [1, 2, 1_000_000_000_000] {
            for columns in [1, 1_000_000] {
                for adjacency in BOTH {
                    for optimizer in OPTIMIZERS {
                        let facts = Facts {
                            columns,
                            ..few_facts(records)
                        };
                        let parameters = Sgd {
                            adjacency,
                            optimizer,
                            ..sgd(Task::Logistic, epsilon)
                        };
                        let plan = parameters.plan(facts).unwrap();
                        let account = plan.spending().unwrap().account();
                        assert!(account.epsilon <= epsilon);
                        assert!(plan.gradient_noise().is_finite());
                    }
                }
            }
        }
    }
}

/// One or two epochs are enough where there are many records and little noise; elsewhere, or where few
/// weights are wanted, `auto` stays with gradients of all records.
#[test]
fn auto_takes_batches_of_many_records_alone() {
    let method = |records, columns, epsilon, nonzero| {
        let auto = Auto {
            nonzero,
            ..Auto::new(Task::Logistic, budget(epsilon, 1e-12))
        };
        let facts = Facts {
            columns,
            ..few_facts(records)
        };
        auto.plan(facts).unwrap().0.name()
    };
    assert_eq!(method(1_000_000, 124, 1.0, None), "sgd");
    let rho = Rho::new(0.02).unwrap();
    let in_rho = Budget::zcdp(rho, Delta::new(1e-12).unwrap()).unwrap();
    let auto = Auto::new(Task::Logistic, in_rho);
    let plan = auto.plan(few_facts(1_000_000)).unwrap().0;
    assert_eq!(plan.name(), "ight", "batches have no cost in rho");
    for (records, columns, epsilon, nonzero) in [
        (100_000, 124, 1.0, None),
        (1_000_000, 100_000, 1.0, None),
        (1_000_000, 124, 0.01, None),
        (1_000_000, 124, 1.0, Some(Nonzero::Count(10))),
    ] {
        let name = method(records, columns, epsilon, nonzero);
        assert_ne!(name, "sgd", "{records} {columns} {epsilon}");
    }
}

/// A batch of all records is an ordinary Gaussian, which ρ pays for.
#[test]
fn a_budget_in_rho_pays_for_batches_of_all_records_alone_and_says_so() {
    let rho = Rho::new(0.02).unwrap();
    let budget = Budget::zcdp(rho, Delta::new(1e-12).unwrap()).unwrap();
    for adjacency in BOTH {
        let plan = |batch: u64| {
            let parameters = Sgd {
                adjacency,
                batch: NonZeroU64::new(batch),
                ..Sgd::new(Task::Logistic, budget)
            };
            parameters.plan(few_facts(10_000))
        };
        let refused = plan(9_999).unwrap_err();
        assert_eq!(refused, PlanError::BatchesInRho);
        for word in ["rho", "epsilon", "batch of all records", "ight"] {
            assert!(refused.to_string().contains(word), "{refused}");
        }
        let all = plan(10_000).unwrap();
        assert!(all.spending().unwrap().rho().unwrap() <= 0.02);
    }
}

/// Without the limit of its steps, noise makes steps long, and long steps make noise.
#[test]
fn the_noise_of_recursive_momentum_does_not_feed_itself() {
    for adjacency in BOTH {
        let records = records(Task::Logistic, adjacency);
        let parameters = Sgd {
            adjacency,
            optimizer: SgdOptimizer::Srm,
            ..sgd(Task::Logistic, 0.02)
        };
        let fitted = run(&parameters.plan(facts()).unwrap(), &records, 3);
        let weights = fitted.outputs()[0].weights.iter();
        let length = weights.map(|(_, w)| w * w).sum::<f64>().sqrt();
        // About a unit of it is noise: what may accumulate.
        println!("{adjacency}: {length}");
        assert!(length < 10.0, "{length}");
    }
}

/// A batch that is asked for changes how many steps there are, not how often records are drawn.
#[test]
fn a_batch_alone_leaves_the_epochs_as_they_are() {
    let epochs = |batch| {
        let parameters = Sgd {
            batch: NonZeroU64::new(batch),
            ..sgd(Task::Logistic, 1.0)
        };
        let plan = parameters.plan(facts()).unwrap();
        plan.steps() as f64 * plan.batch_size() / facts().records as f64
    };
    for batch in [1, 10, 100] {
        assert!(epochs(batch) >= 3.99, "{batch}: {}", epochs(batch));
    }
}
