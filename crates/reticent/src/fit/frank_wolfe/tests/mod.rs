//! What private Frank–Wolfe promises: a certificate within the budget, the plan and nothing
//! else, weights in their region, and the same model from the same seed on any threads.

mod plan;

use std::num::NonZeroU64;
use std::ops::ControlFlow;

use super::*;
use crate::fit::{Facts, FitError, FitInput, Fitted, Planned, ProgressObserver};
use crate::matrix::{Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::Records;
use crate::privacy::{CalibrateError, Delta, Epsilon, Event, Ledger};
use crate::solve::Vertex;
use crate::solve::{LinearOracle, RegionError, Vertices};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

const WIDTH: usize = 12;

fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

fn facts(records: u64) -> Facts {
    Facts {
        records,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    }
}

fn steps(count: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(count)
}

/// Rows of ±1, and the score 2·x₀ − 2·x₃ + 1 of each.
fn table(rows: usize) -> (Matrix<'static>, Vec<f64>) {
    let mut rng = Generator::not_private(11);
    let mut values = Vec::with_capacity(rows * WIDTH);
    let mut scores = Vec::with_capacity(rows);
    for _ in 0..rows {
        let bits = rng.next_u64();
        let row: Vec<f32> = (0..WIDTH)
            .map(|j| if bits >> j & 1 == 0 { 1.0 } else { -1.0 })
            .collect();
        scores.push(2.0 * f64::from(row[0]) - 2.0 * f64::from(row[3]) + 1.0);
        values.extend(row);
    }
    (
        Matrix::Dense(Dense::new(values, rows, WIDTH).unwrap()),
        scores,
    )
}

fn records_under(task: Task, rows: usize, adjacency: Adjacency) -> Records<'static> {
    let (features, scores) = table(rows);
    let target = match task {
        Task::Logistic => Target::Classes {
            class: (scores.iter().map(|score| u32::from(*score > 0.0))).collect(),
            names: vec!["no".into(), "yes".into()],
        },
        _ => Target::Values(scores),
    };
    let range = TargetRange {
        low: -5.0,
        high: 5.0,
    };
    let table = Table {
        features,
        target,
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    table
        .enforce(RecordBound::Linf(1.0), Some(range), true, adjacency)
        .unwrap()
}

fn records(task: Task, rows: usize) -> Records<'static> {
    records_under(task, rows, Adjacency::ReplaceOne)
}

fn run(plan: &FrankWolfePlan, records: &Records, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    plan.run(FitInput::Sealed(records), &mut rng, &mut ())
        .unwrap()
}

fn dense(fitted: &Fitted) -> Vec<f64> {
    let mut weights = vec![0.0; WIDTH];
    for &(column, weight) in &fitted.outputs()[0].weights {
        weights[column as usize] = weight;
    }
    weights
}

#[test]
fn what_is_charged_is_the_plan() {
    let plan = FrankWolfe {
        iterations: steps(17),
        ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let plan = plan.plan(facts(500)).unwrap();
    let fitted = run(&plan, &records(Task::Logistic, 500), 1);
    assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
    assert_eq!(
        fitted.statement.epsilon,
        plan.spending().unwrap().account().epsilon
    );
    assert!(!fitted.statement.secure, "a seed is not private");
    let shares = &plan.spending().unwrap().account().shares;
    assert!(
        (shares[1] - 0.1).abs() < 0.02,
        "a tenth for the intercept: {shares:?}"
    );
}

#[test]
fn a_seed_repeats_the_model_on_any_number_of_threads() {
    let plan = FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
        .plan(facts(3000))
        .unwrap();
    let records = records(Task::Logistic, 3000);
    let on = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| run(&plan, &records, seed))
    };
    let one = on(1, 5);
    assert_eq!(one, on(2, 5));
    assert_eq!(one, on(7, 5));
    assert_ne!(one, on(1, 6));
}

/// Stops before step 3.
struct Impatient;

impl ProgressObserver for Impatient {
    fn step(&mut self, done: u64, _: u64) -> ControlFlow<()> {
        if done == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn a_fit_that_is_stopped_is_certified_in_full() {
    let plan = FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
        .plan(facts(300))
        .unwrap();
    let mut rng = Generator::not_private(1);
    let stopped = plan.run(
        FitInput::Sealed(&records(Task::Logistic, 300)),
        &mut rng,
        &mut Impatient,
    );
    match stopped {
        Err(FitError::Stopped {
            done,
            total,
            statement,
        }) => {
            assert_eq!((done, total), (3, plan.iterations().get()));
            assert_eq!(statement.charges, plan.spending().unwrap().charges());
            assert_eq!(
                statement.epsilon,
                plan.spending().unwrap().account().epsilon
            );
        }
        other => panic!("{other:?}"),
    }
}

/// The mean slope of the two true columns is far above the noise (1 % of it), so that no
/// other column is chosen while they have anything to give; a linear fit goes on to the other
/// columns only once these two are done.
#[test]
fn an_obvious_support_is_recovered() {
    let plan = FrankWolfe {
        region: Some(Region::L1 { radius: 3.0 }),
        ..FrankWolfe::new(Task::Logistic, budget(4.0, 1e-6))
    };
    let plan = plan.plan(facts(20_000)).unwrap();
    let fitted = run(&plan, &records(Task::Logistic, 20_000), 2);
    let weights = dense(&fitted);
    let rest: f64 = weights.iter().map(|w| w.abs()).sum::<f64>() - weights[0] - weights[3].abs();
    assert!(weights[0] > 1.2 && weights[3] < -1.2, "{weights:?}");
    assert!(rest < 0.3, "{weights:?}");
    assert!(
        fitted.outputs()[0].intercept > 0.5,
        "{}",
        fitted.outputs()[0].intercept
    );
}

#[test]
fn a_linear_model_comes_near_the_truth() {
    // Targets (2x₀ − 2x₃ + 1)/5, of ℓ₁ norm 0.8 and intercept 0.2.
    let plan = FrankWolfe::new(Task::Linear, budget(4.0, 1e-6))
        .plan(facts(20_000))
        .unwrap();
    let fitted = run(&plan, &records(Task::Linear, 20_000), 3);
    let weights = dense(&fitted);
    assert!((weights[0] - 0.4).abs() < 0.06, "{weights:?}");
    assert!((weights[3] + 0.4).abs() < 0.06, "{weights:?}");
    assert!(
        (fitted.outputs()[0].intercept - 0.2).abs() < 0.03,
        "{}",
        fitted.outputs()[0].intercept
    );
}

#[test]
fn without_an_intercept_nothing_is_spent_on_it() {
    let plan = FrankWolfe {
        intercept: false,
        ..FrankWolfe::new(Task::Linear, budget(1.0, 1e-6))
    };
    let plan = plan.plan(facts(500)).unwrap();
    assert_eq!(plan.spending().unwrap().charges().len(), 1);
    assert_eq!(plan.intercept_noise(), None);
    assert_eq!(
        run(&plan, &records(Task::Linear, 500), 4).outputs()[0].intercept,
        0.0
    );
}

/// |w_j| ≤ 0.25 each.
struct Cube;

impl LinearOracle for Cube {
    fn least(&self, direction: &[f64]) -> Vertex {
        Vertex::Point(direction.iter().map(|x| -0.25 * x.signum()).collect())
    }
    fn l1_radius(&self) -> f64 {
        0.25 * WIDTH as f64
    }
    fn l2_radius(&self) -> f64 {
        0.25 * (WIDTH as f64).sqrt()
    }
}

#[test]
fn every_region_runs_and_holds_the_weights() {
    let triangle = || {
        let mut points = vec![vec![0.0; WIDTH]; 3];
        points[0][0] = 1.0;
        points[1][3] = -1.0;
        points[2][5] = 0.5;
        Vertices { points }
    };
    let l1 = |w: &[f64]| w.iter().map(|x| x.abs()).sum::<f64>();
    let l2 = |w: &[f64]| w.iter().map(|x| x * x).sum::<f64>().sqrt();
    type Holds<'a> = &'a dyn Fn(&[f64]) -> bool;
    let inside: [(Region, Holds); 5] = [
        (Region::L1 { radius: 0.7 }, &|w| l1(w) <= 0.7 + 1e-12),
        (Region::Simplex { radius: 0.7 }, &|w| {
            w.iter().all(|x| *x >= 0.0) && (l1(w) - 0.7).abs() < 1e-12
        }),
        (Region::Polytope(triangle()), &|w| {
            let shares = w[0] - w[3] + 2.0 * w[5];
            w[0] >= 0.0 && w[3] <= 0.0 && w[5] >= 0.0 && (shares - 1.0).abs() < 1e-12
        }),
        (Region::L2 { radius: 0.7 }, &|w| l2(w) <= 0.7 + 1e-12),
        (Region::Oracle(Box::new(Cube)), &|w| {
            w.iter().all(|x| x.abs() <= 0.25 + 1e-12)
        }),
    ];
    let records = records(Task::Logistic, 4000);
    for (region, holds) in inside {
        for rule in [StepRule::Standard, StepRule::Average] {
            let name = region.to_string();
            let plan = FrankWolfe {
                region: Some(clone(&region)),
                step_rule: rule,
                iterations: steps(20),
                ..FrankWolfe::new(Task::Logistic, budget(4.0, 1e-6))
            };
            let plan = plan.plan(facts(4000)).unwrap();
            let weights = dense(&run(&plan, &records, 6));
            assert!(holds(&weights), "{name}: {weights:?}");
            // Every one of them points the right way.
            assert!(weights[0] > 0.0 && weights[3] <= 0.0, "{name}: {weights:?}");
        }
    }
}

fn clone(region: &Region) -> Region {
    match region {
        Region::L1 { radius } => Region::L1 { radius: *radius },
        Region::Simplex { radius } => Region::Simplex { radius: *radius },
        Region::Polytope(vertices) => Region::Polytope(vertices.clone()),
        Region::L2 { radius } => Region::L2 { radius: *radius },
        Region::Oracle(_) => Region::Oracle(Box::new(Cube)),
    }
}

/// A weight of a declared vertex may be small without being a rounding error.
#[test]
fn small_coordinates_of_a_vertex_are_kept() {
    let mut point = vec![0.0; WIDTH];
    (point[0], point[1]) = (1.0, 1e-15);
    let region = Region::Polytope(Vertices {
        points: vec![point.clone()],
    });
    let plan = FrankWolfe {
        region: Some(region),
        ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let plan = plan.plan(facts(400)).unwrap();
    let weights = dense(&run(&plan, &records(Task::Logistic, 400), 1));
    assert!(weights[1] > 0.9e-15, "{weights:?}");
}

/// The figures of docs/derivations/frank-wolfe.md.
#[test]
fn few_steps_of_the_published_noise_cost_less_than_is_claimed() {
    for (count, expected) in [(1, 0.38), (3, 0.66), (8, 1.08), (50, 1.61), (1000, 1.67)] {
        let plan = FrankWolfe {
            iterations: steps(count),
            intercept: false,
            calibration: Calibration::AsPublished,
            ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
        };
        let plan = plan.plan(facts(500)).unwrap();
        let proved = plan.spending().unwrap().account().epsilon;
        assert!((proved - expected).abs() < 0.005, "{count}: {proved}");
    }
}

#[test]
fn the_published_noise_is_certified_at_what_is_proved_for_it() {
    for (epsilon, delta, count) in [(1.0, 1e-6, 100), (0.5, 1e-5, 20), (1.0, 1e-9, 1000)] {
        let plan = FrankWolfe {
            iterations: steps(count),
            intercept: false,
            calibration: Calibration::AsPublished,
            ..FrankWolfe::new(Task::Logistic, budget(epsilon, delta))
        };
        let plan = plan.plan(facts(500)).unwrap();
        let ratio = plan.spending().unwrap().account().epsilon / epsilon;
        assert!(
            (1.4..2.05).contains(&ratio),
            "{epsilon} {delta} {count}: {ratio}"
        );
        let claimed = plan.spending().unwrap().claimed().map(|(_, budget)| budget);
        assert_eq!(claimed, Some(budget(epsilon, delta)));
        // The scale that the paper prints: L₁√(8T·log(1/δ))/(nε), of a score over ‖C‖₁.
        let scale = (8.0 * count as f64 * -f64::ln(delta)).sqrt() / (500.0 * epsilon);
        assert!((plan.gradient_noise() / scale - 1.0).abs() < 1e-12);
        let fitted = run(&plan, &records(Task::Logistic, 500), 7);
        assert_eq!(
            fitted.statement.epsilon,
            plan.spending().unwrap().account().epsilon
        );
        assert!(matches!(
            plan.spending().unwrap().charges()[0].event,
            Event::Pure { .. }
        ));
    }
}

#[test]
fn records_that_the_plan_was_not_made_for_are_refused() {
    let plan = |facts| {
        FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
            .plan(facts)
            .unwrap()
    };
    let mut rng = Generator::not_private(1);
    let records = records(Task::Logistic, 500);
    let others = [
        facts(499),
        Facts {
            columns: WIDTH + 1,
            ..facts(500)
        },
        Facts {
            rows: RecordBound::Linf(2.0),
            ..facts(500)
        },
        Facts {
            rows: RecordBound::L2(1.0),
            ..facts(500)
        },
    ];
    for other in others {
        let refused = plan(other).run(FitInput::Sealed(&records), &mut rng, &mut ());
        assert!(
            matches!(refused, Err(FitError::Facts { .. })),
            "{refused:?}"
        );
    }
    let private_count = records_under(Task::Logistic, 500, Adjacency::AddRemove);
    let refused = plan(facts(500)).run(FitInput::Sealed(&private_count), &mut rng, &mut ());
    assert!(
        matches!(refused, Err(FitError::Facts { .. })),
        "{refused:?}"
    );
    let declared = FrankWolfe {
        adjacency: Adjacency::AddRemove,
        ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let declared = declared.plan(facts(450)).unwrap();
    let fitted = declared
        .run(FitInput::Sealed(&private_count), &mut rng, &mut ())
        .unwrap();
    assert_eq!(
        fitted.statement.charges,
        declared.spending().unwrap().charges()
    );
}
