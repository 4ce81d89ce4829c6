//! What private ADMM promises: a certificate within the budget, the plan and nothing else, the LASSO
//! where noise is small, the support where it is plain; and what is not promised of the paper's noise.

use super::super::testing::{WIDTH, budget, facts, two_columns};
use super::super::{
    Facts, FitError, FitInput, Fitted, Guarantee, LinearFunction, PlanError, Planned,
};
use super::plan::Promise;
use super::run::Split;
use super::*;
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::noise::Generator;
use crate::population::Records;
use crate::privacy::{Charge, Event, Rho};
use crate::solve::{Design, LinearProblem, Stop, lasso};
use crate::table::{ClippedTable, Layout, RecordBound, Table, Target};

fn steps(count: u64) -> Option<NonZeroU64> {
    NonZeroU64::new(count)
}

fn run(plan: &AdmmPlan, records: &Records, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    plan.run(FitInput::Sealed(records), &mut rng, &mut ())
        .unwrap()
}

/// Rows of two or more entries, and whether each is of the second class.
fn table(rows: &[(&[f32], bool, usize)], bound: RecordBound) -> ClippedTable<'static> {
    let width = rows[0].0.len();
    let each = || {
        let times = |(row, class, count): &(&[f32], bool, usize)| {
            std::iter::repeat_n((row.to_vec(), u32::from(*class)), *count)
        };
        rows.iter().flat_map(times)
    };
    let values: Vec<f32> = each().flat_map(|(row, _)| row).collect();
    let count = values.len() / width;
    let table = Table {
        features: Matrix::Dense(Dense::new(values, count, width).unwrap()),
        target: Target::Classes {
            class: each().map(|(_, class)| class).collect(),
            names: vec!["no".into(), "yes".into()],
        },
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    };
    table.clip(bound, None, false).unwrap()
}

/// Both thresholds are the least points of what they are made to minimise: by search.
#[test]
fn thresholds_are_least_points() {
    for penalty in [Penalty::L1, Penalty::L1Half] {
        for weight in [0.01, 0.4, 1.0, 3.0] {
            for x in [-9.0, -2.0, -0.7, 0.0, 0.3, 1.4, 1.6, 4.0] {
                let cost = |z: f64| {
                    let size = match penalty {
                        Penalty::L1 => z.abs(),
                        Penalty::L1Half => z.abs().sqrt(),
                    };
                    weight * size + 0.5 * (z - x) * (z - x)
                };
                let found = penalty.threshold(x, weight);
                let best = (-10_000..=10_000).map(|k| cost(f64::from(k) * 1e-3));
                let best = best.fold(f64::INFINITY, f64::min);
                assert!(
                    cost(found) <= best + 1e-12,
                    "{penalty:?} {x} {weight}: {found}"
                );
            }
        }
    }
}

#[test]
fn thresholds_have_their_closed_forms() {
    assert_eq!(Penalty::L1.threshold(3.0, 1.0), 2.0);
    assert_eq!(Penalty::L1.threshold(-3.0, 1.0), -2.0);
    assert_eq!(Penalty::L1.threshold(0.9, 1.0), 0.0);
    // At its cut the half threshold jumps from 0 to two thirds.
    let cut = Penalty::L1Half.cut(1.0);
    assert_eq!(cut, 1.5);
    assert_eq!(Penalty::L1Half.threshold(cut, 1.0), 0.0);
    let beyond = Penalty::L1Half.threshold(-cut.next_up(), 1.0);
    assert!((beyond + 1.0).abs() < 1e-6, "{beyond}");
    for penalty in [Penalty::L1, Penalty::L1Half] {
        for cut in [0.1, 1.0, 7.0] {
            assert!((penalty.cut(penalty.weight(cut)) - cut).abs() < 1e-12);
        }
    }
}

/// With little noise many steps lead to the LASSO of the same penalty.
#[test]
fn without_noise_to_speak_of_the_steps_lead_to_the_lasso() {
    let rows: [(&[f32], bool, usize); 6] = [
        (&[1.0, 0.2, -0.5], true, 70),
        (&[1.0, -0.6, 0.5], true, 40),
        (&[0.8, -0.2, 0.1], false, 30),
        (&[-0.9, 0.5, 0.5], false, 80),
        (&[-0.4, 1.0, -0.5], true, 20),
        (&[-1.0, -0.1, 0.2], false, 60),
    ];
    let bound = RecordBound::Linf(1.0);
    let held = table(&rows, bound);
    let problem = LinearProblem {
        design: Design {
            features: held.features(),
            unit: held.unit(),
        },
        targets: held.targets(),
        loss: Loss::Logistic,
        intercept: true,
    };
    let stop = Stop {
        gap: 1e-12,
        steps: 10_000,
    };
    let exact = lasso(problem, 0.02, stop);
    assert_eq!(exact.weights.len(), 2, "{exact:?}");
    let admm = Admm {
        iterations: steps(400),
        lambda: Some(0.02),
        augmentation: Some(0.1),
        ..Admm::new(Task::Logistic, budget(1e9, 1e-6))
    };
    let plan = admm
        .plan(Facts {
            records: 300,
            columns: 3,
            rows: bound,
        })
        .unwrap();
    let fitted = run(&plan, &held.seal(Adjacency::ReplaceOne), 1);
    let [LinearFunction { weights, intercept }] = fitted.outputs() else {
        panic!("one function");
    };
    assert_eq!(weights.len(), exact.weights.len());
    for ((j, w), (i, v)) in weights.iter().zip(&exact.weights) {
        assert!(j == i && (w - v).abs() < 0.01, "{w} {v}");
    }
    assert!((intercept - exact.intercept).abs() < 0.01);
}

/// Nearly all of the budget is spent.
#[test]
fn what_is_certified_is_the_plan_and_within_the_budget() {
    let rows: [(&[f32], bool, usize); 2] = [(&[1.0, 0.5], true, 300), (&[-1.0, 0.5], false, 200)];
    let bound = RecordBound::L2(1.0);
    let records = table(&rows, bound).seal(Adjacency::ReplaceOne);
    for (epsilon, count) in [(0.5, 1), (1.0, 3), (4.0, 10)] {
        let admm = Admm {
            iterations: steps(count),
            ..Admm::new(Task::Logistic, budget(epsilon, 1e-6))
        };
        let plan = admm
            .plan(Facts {
                records: 500,
                columns: 2,
                rows: bound,
            })
            .unwrap();
        let fitted = run(&plan, &records, 1);
        let charges = plan.spending().unwrap().charges();
        assert_eq!(fitted.statement.charges, charges);
        assert!(fitted.statement.epsilon <= epsilon);
        assert!(fitted.statement.epsilon > 0.99 * epsilon);
        let [
            Charge {
                event: Event::Pure { .. },
                count: pure,
            },
            gaussian,
            ..,
        ] = charges
        else {
            panic!("{charges:?}");
        };
        assert_eq!((pure.get(), gaussian.count.get()), (count, count));
        assert!(matches!(gaussian.event, Event::Gaussian { .. }));
    }
}

/// At ε = 4 and n = 4000 a step's noise has a deviation of at most 0.014 in a mean slope (three steps, 13
/// weights), and the slopes of the two columns are above 0.15: 10 deviations apart. Twelve fits of twelve
/// columns are mistaken with probability below 1e-10.
#[test]
fn a_plain_support_is_found_with_the_right_signs() {
    for penalty in [Penalty::L1, Penalty::L1Half] {
        for count in [1, 3] {
            let admm = Admm {
                penalty,
                iterations: steps(count),
                nonzero: Some(2),
                ..Admm::new(Task::Logistic, budget(4.0, 1e-6))
            };
            let plan = admm.plan(facts(4000)).unwrap();
            let records = two_columns(4000, false);
            for seed in 0..3 {
                let fitted = run(&plan, &records, seed);
                let [(0, first), (3, second)] = fitted.outputs()[0].weights[..] else {
                    panic!("{penalty:?}: {:?}", fitted.outputs()[0]);
                };
                assert!(first > 0.05 && second < -0.05, "{first} {second}");
                assert!(fitted.outputs()[0].intercept > 0.0);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_model() {
    let admm = Admm {
        iterations: steps(2),
        ..Admm::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let plan = admm.plan(facts(300)).unwrap();
    let records = two_columns(300, false);
    assert_eq!(run(&plan, &records, 5), run(&plan, &records, 5));
    assert_ne!(
        run(&plan, &records, 5).outputs(),
        run(&plan, &records, 6).outputs()
    );
}

/// Whatever the facts, the defaults leave objective perturbation something to perturb with.
#[test]
fn defaults_are_never_refused() {
    for epsilon in [0.01, 1.0, 50.0] {
        for records in [20, 300] {
            for count in [1, 4] {
                let admm = Admm {
                    iterations: steps(count),
                    ..Admm::new(Task::Logistic, budget(epsilon, 1e-6))
                };
                let plan = admm.plan(facts(records)).unwrap();
                run(&plan, &two_columns(records as usize, false), 2);
            }
        }
    }
}

#[test]
fn what_can_not_be_planned_is_refused() {
    let refused = |change: fn(&mut Admm)| {
        let mut method = Admm::new(Task::Logistic, budget(1.0, 1e-6));
        change(&mut method);
        method.plan(facts(100)).map(drop).unwrap_err()
    };
    let error = refused(|method| method.adjacency = Adjacency::AddRemove);
    assert_eq!(error, PlanError::ReplaceOneOnly("admm"));
    let error = refused(|method| method.task = Task::Linear);
    assert!(matches!(error, PlanError::Task { .. }), "{error}");
    let error = refused(|method| method.task = Task::Multinomial { classes: 3 });
    assert!(matches!(error, PlanError::Task { .. }), "{error}");
    let error = refused(|method| method.nonzero = Some(WIDTH + 1));
    assert!(matches!(error, PlanError::Nonzero { .. }), "{error}");
    let error = refused(|method| method.lambda = Some(0.0));
    assert!(matches!(error, PlanError::NotPositive { .. }), "{error}");
    let error = refused(|method| method.augmentation = Some(f64::NAN));
    assert!(matches!(error, PlanError::NotPositive { .. }), "{error}");
    let error = refused(|method| method.augmentation = Some(1e300));
    assert!(
        error.to_string().contains("no grid holds the weights"),
        "{error}"
    );
    let error = refused(|method| method.augmentation = Some(1e-3));
    assert!(matches!(error, PlanError::Option { .. }), "{error}");
    // log(1 + 13/(4·100·c)) is a hair below the ε of one step, which is 0.99.. of 1: and it is run.
    let admm = Admm {
        augmentation: Some(13.0 / 400.0 / 0.98f64.exp_m1()),
        // With it, the step has the whole budget: no calibration follows.
        lambda: Some(0.1),
        ..Admm::new(Task::Logistic, budget(1.0, 1e-6))
    };
    run(&admm.plan(facts(100)).unwrap(), &two_columns(100, false), 1);
    let error = refused(|method| {
        method.calibration = Calibration::AsPublished;
        let rho = Rho::new(0.1).unwrap();
        method.budget = Budget::zcdp(rho, method.budget.delta()).unwrap();
    });
    assert!(matches!(error, PlanError::PublishedInRho(_)), "{error}");
    let error = refused(|method| {
        method.calibration = Calibration::AsPublished;
        method.augmentation = Some(1e-3);
    });
    assert!(matches!(error, PlanError::Option { .. }), "{error}");
}

fn published(iterations: u64, claimed: f64) -> Admm {
    Admm {
        iterations: steps(iterations),
        calibration: Calibration::AsPublished,
        intercept: false,
        ..Admm::new(Task::Logistic, budget(claimed, 1e-6))
    }
}

/// One step keeps to its claim, and is certified with what is proved, which is less.
#[test]
fn one_step_as_published_is_certified_with_what_is_proved() {
    for claimed in [0.5, 1.0, 4.0] {
        let plan = published(1, claimed).plan(facts(500)).unwrap();
        let spending = plan.spending().unwrap();
        assert_eq!(spending.claimed().unwrap().1.epsilon().get(), claimed);
        let fitted = run(&plan, &two_columns(500, false), 3);
        assert_eq!(fitted.statement.epsilon, spending.account().epsilon);
        let share = fitted.statement.epsilon / claimed;
        assert!((0.7..1.0).contains(&share), "{share}");
    }
}

#[test]
fn several_steps_as_published_guarantee_nothing_and_take_an_open_table() {
    let plan = published(2, 1.0).plan(facts(100)).unwrap();
    let Guarantee::Nothing { claimed, .. } = plan.guarantee() else {
        panic!("something is guaranteed");
    };
    assert_eq!(claimed.unwrap().1, budget(1.0, 1e-6));
    let mut rng = Generator::not_private(1);
    let records = two_columns(100, false);
    let refused = plan.run(FitInput::Sealed(&records), &mut rng, &mut ());
    assert!(matches!(refused, Err(FitError::NotOpen("admm"))));
    let rows: [(&[f32], bool, usize); 1] = [(&[1.0; WIDTH], true, 100)];
    let held = table(&rows, RecordBound::Linf(1.0));
    let fitted = plan.run(FitInput::Open(&held), &mut rng, &mut ()).unwrap();
    assert!(!fitted.statement.has_guarantee());
    assert_eq!(fitted.statement.epsilon, f64::INFINITY);
}

/// The plan of two published steps for rows of length 1 with so many records, whose cut is `cut`.
fn two_steps(records: u64, claimed: f64, cut: f64) -> AdmmPlan {
    let facts = Facts {
        records,
        columns: 2,
        rows: RecordBound::L2(1.0),
    };
    let plan = published(2, claimed).plan(facts).unwrap();
    AdmmPlan {
        lambda: plan.augmentation * cut,
        ..plan
    }
}

/// The points of two published steps, and z after them.
fn points(plan: &AdmmPlan, held: &ClippedTable<'_>, b: &[f64]) -> ([Vec<f64>; 2], Vec<f64>) {
    let mut split = Split::new(2);
    let points = [(); 2].map(|()| {
        let point = plan.exact_point(held, &split.centre(), b, 1e-7);
        split.advance(&point, plan);
        point
    });
    (points, split.z)
}

/// Σψx over the records.
fn slopes(held: &ClippedTable<'_>, point: &[f64]) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for (i, target) in held.targets().iter().enumerate() {
        let (mut margin, unit) = (0.0, held.unit());
        let add = |j: usize, x: f32| margin += f64::from(x) * unit * point[j];
        held.features().for_row(i, add);
        let slope = Loss::Logistic.slope(margin, *target);
        held.features()
            .for_row(i, |j, x| sums[j] += f64::from(x) * unit * slope);
    }
    sums
}

/// What two published points say of a guess at the table: 0 if it is the one, whatever b was.
#[test]
fn two_points_of_one_noise_vector_tell_neighbours_apart() {
    let rows: [(&[f32], bool, usize); 3] = [
        (&[1.0, 0.0], true, 30),
        (&[0.3, 0.6], false, 20),
        (&[0.5, -0.5], true, 1),
    ];
    let with_last = |row| table(&[rows[0], rows[1], row], RecordBound::L2(1.0));
    let held = with_last(rows[2]);
    let another_row = with_last((&[0.1, -0.9], false, 1));
    let another_label = with_last((&[0.5, -0.5], false, 1));
    let plan = two_steps(51, 1.0, 0.3);
    let nc = 51.0 * plan.augmentation;
    for seed in [0.1, 0.7, -2.0] {
        let ([one, two], _) = points(&plan, &held, &[seed, 0.5 - seed]);
        let mut split = Split::new(2);
        let first = split.centre();
        split.advance(&one, &plan);
        let second = split.centre();
        let distance = |guess: &ClippedTable<'_>| {
            let (g, h) = (slopes(guess, &one), slopes(guess, &two));
            let of = |j: usize| g[j] - h[j] + nc * (one[j] - first[j] - two[j] + second[j]);
            of(0).abs().max(of(1).abs())
        };
        assert!(distance(&held) < 1e-6, "{}", distance(&held));
        assert!(distance(&another_row) > 1e-3, "{}", distance(&another_row));
        // A label adds the same to both, and does not show.
        assert!(distance(&another_label) < 1e-6);
    }
}

/// The counterexample of `Published`: the second weight of the last point is exactly 0 on the first table
/// whenever b is below the cut there, and on its neighbour never.
#[test]
fn a_column_without_entries_shows_in_the_last_point() {
    let rows: [(&[f32], bool, usize); 2] = [(&[1.0, 0.0], true, 49), (&[1.0, 0.0], true, 1)];
    let mut others = rows;
    others[1] = (&[0.0, 1.0], true, 1);
    let [held, neighbour] = [rows, others].map(|rows| table(&rows, RecordBound::L2(1.0)));
    let plan = two_steps(50, 1.0, 1.0);
    for second in [-0.99, -0.4, 0.02, 0.5, 0.9] {
        let last = |held| points(&plan, held, &[0.3, second]).0[1][1].abs();
        // As near to it as the steps are exact.
        assert!(last(&held) < 1e-6, "{}", last(&held));
        assert!(last(&neighbour) > 1e-4, "{second}: {}", last(&neighbour));
    }
}

/// Records for which the map from b to z has derivatives of both signs, with both weights in z all the
/// way between: somewhere there it folds over.
#[test]
fn the_last_split_folds_over() {
    let rows: [(&[f32], bool, usize); 4] = [
        (&[0.805, -0.593], false, 8136),
        (&[0.805, -0.593], true, 69),
        (&[-0.359, 0.402], false, 2),
        (&[-0.359, 0.402], true, 20_000),
    ];
    let held = table(&rows, RecordBound::L2(1.0));
    let (records, cut) = (28_207, 28.765);
    let plan = two_steps(records, 1.0, cut);
    let Promise::Nothing(published) = plan.promise else {
        panic!("two steps");
    };
    assert_eq!(published.rate, 1.0);
    let nc = records as f64 * plan.augmentation;
    assert!((nc - 5.4).abs() < 1e-9);
    // From the first point, which b and w₁ determine each other by with a derivative of one sign.
    let last = |first: [f64; 2]| {
        let g = slopes(&held, &first);
        let b = [-g[0] / nc - first[0], -g[1] / nc - first[1]];
        let ([one, _], z) = points(&plan, &held, &b);
        assert!((one[0] - first[0]).abs() + (one[1] - first[1]).abs() < 1e-6);
        assert!(z[0] != 0.0 && z[1] != 0.0);
        z
    };
    let determinant = |far: f64| {
        let (first, h) = ([cut + far, cut - 0.01], 1e-3);
        let along = |d: [f64; 2]| {
            let to = last([first[0] + d[0], first[1] + d[1]]);
            let from = last([first[0] - d[0], first[1] - d[1]]);
            [(to[0] - from[0]) / (2.0 * h), (to[1] - from[1]) / (2.0 * h)]
        };
        let (a, b) = (along([h, 0.0]), along([0.0, h]));
        a[0] * b[1] - a[1] * b[0]
    };
    let (near, far) = (determinant(2.0), determinant(10.0));
    assert!(near < -0.1 && far > 0.1, "{near} {far}");
    for k in [4.0, 6.0, 8.0] {
        last([cut + k, cut - 0.01]);
    }
}
