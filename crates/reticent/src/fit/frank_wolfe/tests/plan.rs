//! What a plan promises before any record is read.

use proptest::prelude::*;

use super::*;
use crate::fit::PlanError;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_plan_never_exceeds_its_budget(
        epsilon in 0.05..8.0f64,
        digits in 3.0..12.0f64,
        records in 1..1_000_000u64,
        columns in 1..100_000usize,
        bound in 1e-3..1e3f64,
        iterations in prop::option::of(1..5000u64),
        (intercept, logistic, round, add_remove, l2) in any::<(bool, bool, bool, bool, bool)>(),
        share in 0.01..0.9f64,
    ) {
        let budget = budget(epsilon, 10f64.powf(-digits));
        let task = if logistic { Task::Logistic } else { Task::Linear };
        let adjacency = if add_remove { Adjacency::AddRemove } else { Adjacency::ReplaceOne };
        let rows = if l2 { RecordBound::L2(bound) } else { RecordBound::Linf(bound) };
        let facts = Facts { records, columns, rows };
        let plan = FrankWolfe {
            adjacency,
            region: round.then_some(Region::L2 { radius: 1.0 }),
            iterations: iterations.and_then(NonZeroU64::new),
            intercept,
            intercept_share: share,
            ..FrankWolfe::new(task, budget)
        }.plan(facts).unwrap();
        prop_assert!(plan.spending().unwrap().account().epsilon <= epsilon);
        // Near it as well: noise beyond need is waste.
        prop_assert!(plan.spending().unwrap().account().epsilon > 0.99 * epsilon);
        let ledger = Ledger::planned(plan.spending().unwrap().budget(), adjacency, plan.spending().unwrap().charges().to_vec()).unwrap();
        prop_assert_eq!(ledger.statement().epsilon, plan.spending().unwrap().account().epsilon);
        // Behind the steps are the class counts, and unless a region was asked for the calibration.
        let around = match logistic && intercept {
            true if round => 1,
            true => 4,
            false => 0,
        };
        let charges = plan.spending().unwrap().charges();
        let (steps, others) = charges.split_at(1 + usize::from(intercept));
        prop_assert!(steps.iter().all(|charge| charge.count == plan.iterations()));
        prop_assert!(others.iter().all(|charge| charge.count.get() == 1));
        prop_assert_eq!(others.len(), around);
        // The slope spans what a gradient takes.
        let spanned = plan.loss().slope_bound() / plan.slope_grid().step();
        prop_assert!((1.0..=1048576.0).contains(&spanned), "{}", spanned);
    }
}

#[test]
fn a_budget_that_no_noise_meets_makes_no_plan() {
    let refused = FrankWolfe::new(Task::Logistic, budget(1e-30, 1e-12)).plan(facts(1000));
    assert!(
        matches!(
            refused,
            Err(PlanError::Calibrate(CalibrateError::TooDear { .. }))
        ),
        "{:?}",
        refused.err()
    );
}

#[test]
fn no_laplace_noise_was_published_for_round_regions() {
    let plan = FrankWolfe {
        region: Some(Region::L2 { radius: 1.0 }),
        calibration: Calibration::AsPublished,
        ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let message = plan.plan(facts(500)).err().unwrap().to_string();
    assert!(
        message.contains("use the exact calibration for the l2 ball"),
        "{message}"
    );
}

#[test]
fn nonsense_is_refused_with_a_reason() {
    let base = || FrankWolfe::new(Task::Linear, budget(1.0, 1e-6));
    let refused = |params: FrankWolfe, facts: Facts| params.plan(facts).err().unwrap();
    let zero = Facts {
        columns: 0,
        ..facts(5)
    };
    assert!(matches!(refused(base(), zero), PlanError::Empty { .. }));
    assert!(matches!(refused(base(), facts(0)), PlanError::Empty { .. }));
    for rows in [RecordBound::L2(0.0), RecordBound::Linf(f64::NAN)] {
        let facts = Facts { rows, ..facts(5) };
        assert!(matches!(
            refused(base(), facts),
            PlanError::NotPositive { .. }
        ));
    }
    let with_threshold = |task, threshold| FrankWolfe {
        huber_threshold: Some(threshold),
        ..FrankWolfe::new(task, budget(1.0, 1e-6))
    };
    assert!(matches!(
        refused(with_threshold(Task::Linear, -1.0), facts(5)),
        PlanError::NotPositive { .. }
    ));
    assert_eq!(
        refused(with_threshold(Task::Logistic, 1.0), facts(5)),
        PlanError::HuberThresholdOfLogistic
    );
    let share = FrankWolfe {
        intercept_share: 1.0,
        ..base()
    };
    assert!(matches!(refused(share, facts(5)), PlanError::Share { .. }));
    let region = |region| FrankWolfe {
        region: Some(region),
        ..base()
    };
    let short = Vertices {
        points: vec![vec![0.0; WIDTH], vec![1.0]],
    };
    let expected = RegionError::Length {
        corner: 2,
        given: 1,
        columns: WIDTH,
    };
    assert_eq!(
        refused(region(Region::Polytope(short)), facts(5)),
        PlanError::Region(expected)
    );
    assert_eq!(
        refused(region(Region::L1 { radius: 0.0 }), facts(5)),
        PlanError::Region(RegionError::Radius(0.0))
    );
    // No grid holds these, although the vertices are long enough.
    let of_all = |value: f64| {
        Region::Polytope(Vertices {
            points: vec![vec![value; WIDTH]],
        })
    };
    for (value, expected) in [
        (9e-101, RegionError::Coordinates(9e-101)),
        (0.0, RegionError::OnlyOrigin),
    ] {
        let error = refused(region(of_all(value)), facts(5));
        assert_eq!(error, PlanError::Region(expected));
    }
}

#[test]
fn defaults_follow_the_public_facts() {
    let plan = |task, epsilon, facts| {
        FrankWolfe::new(task, budget(epsilon, 1e-6))
            .plan(facts)
            .unwrap()
    };
    let steps_of = |plan: &FrankWolfePlan| plan.iterations().get();
    let radius_of = |plan: &FrankWolfePlan| plan.region().l1_radius(WIDTH);
    for task in [Task::Logistic, Task::Linear] {
        let mut last = (0, 0.0);
        for n in [1, 300, 3000, 30_000, 1_000_000, 1_000_000_000] {
            let plan = plan(task, 1.0, facts(n));
            let now = (steps_of(&plan), radius_of(&plan));
            assert!(
                now.0 >= last.0 && now.1 >= last.1,
                "{n}: {now:?} after {last:?}"
            );
            assert!((5..=1000).contains(&now.0), "{n}: {now:?}");
            last = now;
        }
        assert_eq!(last.0, 1000);
    }
    // A bound ten times as large: weights a tenth, the same steps and the same margins.
    let wide = Facts {
        rows: RecordBound::Linf(10.0),
        ..facts(30_000)
    };
    let (one, ten) = (
        plan(Task::Logistic, 1.0, facts(30_000)),
        plan(Task::Logistic, 1.0, wide),
    );
    assert_eq!(steps_of(&one), steps_of(&ten));
    assert!((radius_of(&one) / radius_of(&ten) - 10.0).abs() < 1e-9);
    // Less to spend: fewer steps.
    assert!(steps_of(&plan(Task::Logistic, 0.1, facts(30_000))) < steps_of(&one));
}

#[test]
fn a_plan_prints_what_a_person_asks() {
    let plan = FrankWolfe {
        region: Some(Region::L1 { radius: 10.0 }),
        iterations: steps(100),
        ..FrankWolfe::new(Task::Logistic, budget(1.0, 1e-6))
    };
    let text = plan.plan(facts(30_000)).unwrap().to_string();
    for part in [
        "100 steps of size 1/(t+1) in the l1 ball of radius 10",
        "noise of the mean gradient: ",
        "epsilon = ",
        "at delta = 0.000001 (replace-one adjacency, by ",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}
