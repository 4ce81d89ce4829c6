//! What Sparsifier promises: one ledger for count and steps, no more weights than were asked for
//! or released, and the weights that matter among them.

use super::super::{FitInput, Fitted, FrankWolfe, PlanError, Planned, Task};
use super::*;
use crate::fit::testing::{WIDTH, budget, facts, three_classes, two_columns};
use crate::noise::Generator;
use crate::population::Records;
use crate::privacy::{CalibrateError, Charge, Epsilon, Event};

const TASKS: [Task; 3] = [
    Task::Logistic,
    Task::Linear,
    Task::Multinomial { classes: 3 },
];

fn records(task: Task, rows: usize) -> Records<'static> {
    match task {
        Task::Logistic => two_columns(rows, false),
        Task::Linear => two_columns(rows, true),
        Task::Multinomial { .. } => three_classes(rows),
    }
}

fn run(plan: &SparsifierPlan, rows: usize, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    let records = records(plan.task(), rows);
    plan.run(FitInput::Sealed(&records), &mut rng, &mut ())
        .unwrap()
}

fn size(fitted: &Fitted) -> usize {
    fitted.outputs().iter().map(|o| o.weights.len()).sum()
}

#[test]
fn what_is_charged_is_the_plan_and_within_the_budget() {
    for task in TASKS {
        for nonzero in [None, Some(3)] {
            let parameters = Sparsifier {
                nonzero,
                ..Sparsifier::new(task, budget(1.0, 1e-6))
            };
            let plan = parameters.plan(facts(400)).unwrap();
            let fitted = run(&plan, 400, 1);
            let charges = plan.spending().unwrap().charges();
            assert_eq!(fitted.statement.charges, charges);
            let spent = plan.spending().unwrap().account().epsilon;
            assert!(spent <= 1.0 && spent > 0.98, "{task:?} {spent}");
            let counting = Charge::once(Event::Pure {
                epsilon: Epsilon::new(0.05).unwrap(),
            });
            assert_eq!(charges[0] == counting, nonzero.is_none());
        }
    }
}

/// A public number costs nothing: the noise is that of Frank–Wolfe alone.
#[test]
fn a_public_count_leaves_the_whole_budget_to_the_steps() {
    let parameters = Sparsifier {
        nonzero: Some(2),
        ..Sparsifier::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let plan = parameters.plan(facts(1000)).unwrap();
    let alone = FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6));
    let alone = alone.plan(facts(1000)).unwrap();
    assert_eq!(plan.spending(), alone.spending());
    assert_eq!(plan.nonzero(), Some(2));
}

#[test]
fn no_more_weights_are_kept_than_asked_for() {
    for task in TASKS {
        for nonzero in [1, 2, 5] {
            let parameters = Sparsifier {
                nonzero: Some(nonzero),
                ..Sparsifier::new(task, budget(0.5, 1e-6))
            };
            let fitted = run(&parameters.plan(facts(300)).unwrap(), 300, 3);
            assert!(size(&fitted) <= nonzero, "{task:?}");
            assert!(size(&fitted) > 0);
        }
    }
}

#[test]
fn a_counted_size_is_within_its_bounds_times_the_precision() {
    for task in TASKS {
        for seed in 0..6 {
            let parameters = Sparsifier {
                bounds: Some((2, 4)),
                precision: 1.5,
                ..Sparsifier::new(task, budget(0.5, 1e-6))
            };
            let plan = parameters.plan(facts(300)).unwrap();
            assert_eq!(plan.sizes(), (3, 6));
            let kept = size(&run(&plan, 300, seed));
            assert!((1..=6).contains(&kept), "{task:?} {kept}");
        }
    }
}

/// With a budget at which the count is nearly exact, the number of weights is that of the LASSO:
/// two, of which the target is made.
#[test]
fn a_generous_count_is_that_of_the_lasso() {
    for task in [Task::Logistic, Task::Linear] {
        let parameters = Sparsifier {
            bounds: Some((1, WIDTH)),
            count_share: 0.5,
            radius: Some(0.6),
            ..Sparsifier::new(task, budget(400.0, 1e-6))
        };
        let fitted = run(&parameters.plan(facts(2000)).unwrap(), 2000, 5);
        assert_eq!(size(&fitted), 2, "{task:?}");
    }
}

/// The kept weights are those of the columns that decide the target.
#[test]
fn the_support_is_recovered_where_it_is_easy() {
    for task in TASKS {
        let nonzero = match task {
            Task::Multinomial { .. } => 4,
            _ => 2,
        };
        let parameters = Sparsifier {
            nonzero: Some(nonzero),
            ..Sparsifier::new(task, budget(2.0, 1e-8))
        };
        let fitted = run(&parameters.plan(facts(6000)).unwrap(), 6000, 2);
        let mut columns: Vec<u32> = fitted
            .outputs()
            .iter()
            .flat_map(|o| o.weights.iter().map(|(column, _)| *column))
            .collect();
        columns.sort_unstable();
        columns.dedup();
        assert_eq!(columns, [0, 3], "{task:?}");
        assert_eq!(size(&fitted), nonzero, "{task:?}");
    }
}

/// As printed: ε₁ = 0.05·ε and the Laplace noise for 0.95·ε, certified at what is proved.
#[test]
fn the_published_noise_is_certified_at_what_is_proved() {
    let plan = Sparsifier::as_published(budget(1.0, 1e-3))
        .plan(facts(1000))
        .unwrap();
    let charges = plan.spending().unwrap().charges();
    let epsilon_per_step = 2.0 * 2.0 * 0.95 / (8.0 * 1000.0 * 1e3f64.ln()).sqrt();
    let pure = |epsilon: f64, count| {
        let epsilon = Epsilon::new(epsilon).unwrap();
        Charge::new(Event::Pure { epsilon }, NonZeroU64::new(count).unwrap())
    };
    assert_eq!(charges, [pure(0.05, 1), pure(epsilon_per_step, 1000)]);
    let (paper, claimed) = plan.spending().unwrap().claimed().unwrap();
    assert!(paper.contains("Khanna"));
    assert_eq!(claimed, budget(1.0, 1e-3));
    let proved = plan.spending().unwrap().account().epsilon;
    assert!(proved > 1.2 && proved < 2.1, "{proved}");
    let fitted = run(&plan, 1000, 1);
    assert_eq!(fitted.statement.charges, charges);
    let (lo, hi) = plan.sizes();
    assert_eq!((lo, hi), (4, 6));
    assert!(size(&fitted) <= hi);
}

#[test]
fn parameters_that_make_no_plan_are_refused() {
    let refused = |parameters: Sparsifier| parameters.plan(facts(100)).map(drop).unwrap_err();
    let base = || Sparsifier::new(Task::Logistic, budget(1.0, 1e-6));
    for given in [0, WIDTH + 1] {
        let nonzero = Some(given);
        let error = refused(Sparsifier { nonzero, ..base() });
        let weights = WIDTH;
        assert_eq!(error, PlanError::Nonzero { given, weights });
    }
    for bounds in [(0, 3), (4, 3), (1, WIDTH + 1)] {
        let bounds = Some(bounds);
        let error = refused(Sparsifier { bounds, ..base() });
        assert!(matches!(error, PlanError::CountBounds { .. }), "{error}");
    }
    for count_share in [0.0, 1.0, f64::NAN] {
        let error = refused(Sparsifier {
            count_share,
            ..base()
        });
        assert!(matches!(error, PlanError::Share { what: "count", .. }));
    }
    let tight = Sparsifier::new(Task::Logistic, budget(1e-12, 1e-300));
    let error = refused(tight);
    assert!(
        matches!(error, PlanError::Calibrate(CalibrateError::TooDear { .. })),
        "{error}"
    );
    let published = Sparsifier {
        task: Task::Multinomial { classes: 3 },
        ..Sparsifier::as_published(budget(1.0, 1e-3))
    };
    assert!(matches!(refused(published), PlanError::Task { .. }));
}
