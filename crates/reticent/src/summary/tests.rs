//! What summaries promise: figures near the truth on tables with known answers, also where ranges
//! are far too wide; intervals that hold it; a cost that is the plan's.

use super::*;
use crate::matrix::{Dense, Matrix};
use crate::noise::Generator;
use crate::population::{Parts, Population, Records};
use crate::privacy::{Adjacency, Budget, Delta, Epsilon};
use crate::table::{Layout, RecordBound, Schema, Table, Target, TargetRange};

/// Fixed normal numbers: the sum of twelve uniform ones, less six.
fn normal(seed: u64) -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..20).for_each(|_| {
        uniform();
    });
    (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}

/// Values around 500 with deviation 50, by their number.
fn values(n: usize) -> Vec<f64> {
    (0..n as u64).map(|i| 500.0 + 50.0 * normal(i)).collect()
}

fn schema(high: f64) -> Schema {
    let text = format!(
        "version = 1\n[[column]]\nname = \"dose\"\nkind = \"numeric\"\nbounds = [0, {high}]\n\
         [[column]]\nname = \"ward\"\nkind = \"categorical\"\nlevels = [\"a\", \"b\"]\n\
         [[column]]\nname = \"cost\"\nkind = \"target\"\nrange = [0, {high}]\n"
    );
    Schema::from_toml(&text).unwrap()
}

/// Dose and cost have the same values; three of four records are in ward a, the others elsewhere.
fn records(values: &[f64], high: f64, adjacency: Adjacency) -> Records<'static> {
    let schema = schema(high);
    let encode = |(i, value): (usize, &f64)| {
        let mut row = [((value - high / 2.0) / (high / 2.0)) as f32, 0.0, 0.0, 0.0];
        row[if i % 4 == 3 { 3 } else { 1 }] = 1.0;
        row
    };
    let cells: Vec<f32> = values.iter().enumerate().flat_map(encode).collect();
    let table = Table {
        features: Matrix::Dense(Dense::new(cells, values.len(), 4).unwrap()),
        target: Target::Values(values.to_vec()),
        layout: Layout::Named(schema),
        assumed: Vec::new(),
        units: None,
    };
    let range = Some(TargetRange { low: 0.0, high });
    let bound = RecordBound::Linf(1.0);
    table.enforce(bound, range, true, adjacency).unwrap()
}

fn request(epsilon: f64, adjacency: Adjacency) -> SummaryRequest {
    SummaryRequest {
        budget: Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(1e-9).unwrap()),
        adjacency,
        numeric: 2,
        categorical: 1,
    }
}

fn summary(
    population: &dyn Population,
    high: f64,
    n: usize,
    epsilon: f64,
    seed: u64,
) -> (Summary, SummaryPlan) {
    let columns = SummaryColumn::all(&Layout::Named(schema(high)), 1.0);
    let adjacency = population.shape().adjacency();
    let plan = request(epsilon, adjacency).plan(n as u64).unwrap();
    let figures = Figures {
        quantiles: &[0.25, 0.5, 0.75],
        bins: 10,
    };
    let mut ledger = plan.ledger().unwrap();
    let mut randomness = Generator::not_private(seed);
    let run = plan.run(population, &columns, figures, &mut ledger, &mut randomness);
    let (summary, statement) = run.unwrap();
    assert_eq!(statement.charges, plan.charges());
    assert!(statement.epsilon <= epsilon);
    (summary, plan)
}

/// Mean, quantiles and histogram of a numeric column.
fn numeric(column: &ColumnSummary) -> (Mean, Vec<Quantile>, Vec<Bin>) {
    match column {
        ColumnSummary::Numeric {
            mean,
            quantiles,
            histogram,
            ..
        } => (*mean, quantiles.clone(), histogram.clone()),
        ColumnSummary::Categorical { .. } => panic!("a number"),
    }
}

#[test]
fn a_range_that_is_far_too_wide_costs_little() {
    let n = 20_000;
    let values = values(n);
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    for (high, adjacency) in [
        (1_000.0, Adjacency::ReplaceOne),
        (100_000.0, Adjacency::ReplaceOne),
        (100_000.0, Adjacency::AddRemove),
        (1e7, Adjacency::ReplaceOne),
    ] {
        let sealed = records(&values, high, adjacency);
        let (summary, _) = summary(&sealed, high, n, 1.0, 5);
        for column in [&summary.columns[0], &summary.columns[2]] {
            let (mean, quantiles, histogram) = numeric(column);
            let said = format!("{high} {adjacency}: {column:?}");
            // Features are on a grid of 2²⁰ steps: of a range of 1e7, steps of 10.
            let off = 3.0 + 2.0 * high / 2e6;
            assert!((mean.estimate.value - 500.0).abs() < off, "{said}");
            assert!(mean.clipped_to.1 - mean.clipped_to.0 < 1_500.0, "{said}");
            for quantile in quantiles {
                let truth = sorted[(quantile.share * n as f64) as usize];
                assert!(
                    (quantile.estimate.value - truth).abs() < off + 3.0,
                    "{said}"
                );
            }
            let within = histogram.iter().filter(|bin| bin.count.value > 1_000.0);
            assert!(within.count() >= 3, "{said}");
        }
    }
}

/// The intervals of 1000 runs with fixed seeds hold the truth at least 925 times: where they are
/// exact, 950 ± 6.9, so that one of 5000 figures fails; those of quantiles are wider.
#[test]
fn intervals_hold_the_truth() {
    let (n, high) = (2_000, 5_000.0);
    let values = values(n);
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let sealed = records(&values, high, adjacency);
        let mut held = vec![0; 7];
        for seed in 0..1000 {
            let (summary, _) = summary(&sealed, high, n, 1.0, seed);
            let holds = |estimate: Estimate, truth: f64| {
                usize::from(estimate.low <= truth && truth <= estimate.high)
            };
            let (mean, quantiles, histogram) = numeric(&summary.columns[2]);
            let clipped = values.iter().map(|value| {
                let (low, high) = mean.clipped_to;
                value.clamp(low, high)
            });
            held[0] += holds(mean.estimate, clipped.sum::<f64>() / n as f64);
            for (at, quantile) in quantiles.iter().enumerate() {
                let truth = sorted[(quantile.share * n as f64) as usize];
                held[1 + at] += holds(quantile.estimate, truth);
            }
            let bin = histogram[histogram.len() / 2];
            let inside = values.iter().filter(|v| **v >= bin.from && **v < bin.to);
            held[4] += holds(bin.count, inside.count() as f64);
            let ColumnSummary::Categorical { levels, .. } = &summary.columns[1] else {
                panic!("levels");
            };
            held[5] += holds(levels[0].count, 0.75 * n as f64);
            held[6] += holds(summary.records, n as f64);
        }
        println!("{adjacency}: {held:?} of 1000");
        assert!(
            held.iter().all(|held| *held >= 925),
            "{adjacency}: {held:?}"
        );
    }
}

/// How often the intervals of 1000 runs with fixed seeds hold the mean and the quartiles, of the
/// feature and of the target.
fn held(values: &[f64], high: f64, epsilon: f64) -> [[usize; 4]; 2] {
    let n = values.len();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let sealed = records(values, high, Adjacency::ReplaceOne);
    let mut held = [[0; 4]; 2];
    for seed in 0..1000 {
        let (summary, _) = summary(&sealed, high, n, epsilon, seed);
        for (held, column) in held.iter_mut().zip([0, 2]) {
            let (mean, quantiles, _) = numeric(&summary.columns[column]);
            let (low, high) = mean.clipped_to;
            let clipped = values.iter().map(|value| value.clamp(low, high));
            let mut truths = vec![(mean.estimate, clipped.sum::<f64>() / n as f64)];
            truths.extend(quantiles.iter().map(|quantile| {
                let truth = sorted[(quantile.share * n as f64) as usize];
                (quantile.estimate, truth)
            }));
            for (held, (estimate, truth)) in held.iter_mut().zip(truths) {
                let Estimate { value, low, high } = estimate;
                assert!(low <= value && value <= high, "{estimate:?}");
                *held += usize::from(low <= truth && truth <= high);
            }
        }
    }
    held
}

/// As above: one of 5000 figures fails by chance, if intervals are exact.
#[test]
fn intervals_hold_the_truth_of_few_records() {
    let ages: Vec<f64> = (0..49).map(|i| 55.0 + 15.0 * normal(i)).collect();
    for epsilon in [0.1, 1.0] {
        let held = held(&ages, 120.0, epsilon);
        println!("{epsilon}: {held:?} of 1000");
        assert!(held.iter().flatten().all(|held| *held >= 925), "{held:?}");
    }
}

/// Steps of a range of 1e9 are 477 wide; those of 1e7 are 4.8, and a shift of half of one would be
/// as large as the noise.
#[test]
fn intervals_hold_the_truth_though_steps_are_wide() {
    let costs: Vec<f64> = (0..4_000).map(|i| 690.0 + 50.0 * normal(i)).collect();
    for high in [1e6, 1e7, 1e9] {
        let held = held(&costs, high, 5.0);
        println!("{high}: {held:?} of 1000");
        assert!(held.iter().flatten().all(|held| *held >= 925), "{held:?}");
    }
    // Of two numbers, one of them at the end of the range.
    let flags: Vec<f64> = (0..4_000).map(|i| f64::from(i % 3 > 0)).collect();
    let held = held(&flags, 1_000.0, 5.0);
    assert!(held.iter().flatten().all(|held| *held >= 925), "{held:?}");
}

/// Values at the edges of bins, in the upper half of a range where sealing moves them down.
#[test]
fn a_value_at_an_edge_is_in_the_bin_that_begins_there() {
    let values = vec![70_000.0; 5_000];
    let sealed = records(&values, 100_000.0, Adjacency::ReplaceOne);
    let (summary, plan) = summary(&sealed, 100_000.0, 5_000, 5.0, 2);
    let (_, _, histogram) = numeric(&summary.columns[0]);
    for bin in histogram {
        let all = bin.from <= 70_000.0 && 70_000.0 < bin.to;
        let truth = if all { 5_000.0 } else { 0.0 };
        // Six deviations: a chance of 2e-9 each.
        let off = (bin.count.value - truth).abs();
        assert!(off < 6.0 * plan.shown_noise(), "{bin:?}");
    }
}

#[test]
fn what_missing_values_count_as_is_said() {
    let columns = SummaryColumn::all(&Layout::Named(schema(1_000.0)), 1.0);
    let missing = |column: &SummaryColumn| match column.kind {
        ColumnKind::Numeric { missing, .. } => missing,
        ColumnKind::Levels { .. } => None,
    };
    // The middle, if the schema says nothing; the target of a record must be there.
    assert_eq!(missing(&columns[0]), Some(500.0));
    assert_eq!(missing(&columns[2]), None);
}

#[test]
fn levels_are_counted_with_those_that_are_not_declared() {
    let values = values(4_000);
    let sealed = records(&values, 1_000.0, Adjacency::ReplaceOne);
    let (summary, plan) = summary(&sealed, 1_000.0, 4_000, 5.0, 1);
    let ColumnSummary::Categorical { name, levels } = &summary.columns[1] else {
        panic!("levels");
    };
    assert_eq!(name, "ward");
    let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "other"]);
    for (level, truth) in levels.iter().zip([3_000.0, 0.0, 1_000.0]) {
        // Six deviations: a chance of 2e-9 each.
        assert!((level.count.value - truth).abs() < 6.0 * plan.shown_noise());
    }
}

#[test]
fn parts_give_the_same_bits() {
    let values = values(900);
    let whole = records(&values, 1_000.0, Adjacency::AddRemove);
    let part = |values: &[f64]| -> Box<dyn Population> {
        Box::new(records(values, 1_000.0, Adjacency::AddRemove))
    };
    // Cut where the rule for wards begins anew.
    let (left, right) = values.split_at(400);
    let parts = Parts::new(vec![part(left), part(right)]).unwrap();
    let (one, _) = summary(&whole, 1_000.0, 900, 1.0, 3);
    let (two, _) = summary(&parts, 1_000.0, 900, 1.0, 3);
    assert_eq!(one, two);
}

#[test]
fn a_constant_column_is_found() {
    let values = vec![7.0; 5_000];
    let sealed = records(&values, 1_000.0, Adjacency::ReplaceOne);
    let (summary, _) = summary(&sealed, 1_000.0, 5_000, 1.0, 2);
    let (mean, quantiles, _) = numeric(&summary.columns[2]);
    assert!((quantiles[1].estimate.value - 7.0).abs() < 0.1);
    assert!((mean.estimate.value - 7.0).abs() < 5.0, "{mean:?}");
}

#[test]
fn a_budget_that_shows_nothing_says_so() {
    let values = values(20);
    let sealed = records(&values, 100_000.0, Adjacency::ReplaceOne);
    let (summary, _) = summary(&sealed, 100_000.0, 20, 0.01, 4);
    let (mean, quantiles, _) = numeric(&summary.columns[0]);
    assert!(
        mean.estimate.low < 500.0 && mean.estimate.high > 50_000.0,
        "{mean:?}"
    );
    for quantile in quantiles {
        assert_eq!(
            (quantile.estimate.low, quantile.estimate.high),
            (0.0, 100_000.0)
        );
    }
}

#[test]
fn releases_follow_from_public_facts() {
    let charges = |n, adjacency| {
        let plan = request(1.0, adjacency).plan(n).unwrap();
        let counts = plan.charges().iter().map(|charge| charge.count.get());
        counts.collect::<Vec<_>>()
    };
    assert_eq!(charges(10, Adjacency::ReplaceOne), [3, 1, 1, 1]);
    assert_eq!(charges(1 << 30, Adjacency::AddRemove), [1, 3, 1, 1, 1]);
    let levels = SummaryRequest {
        numeric: 0,
        ..request(1.0, Adjacency::ReplaceOne)
    };
    assert_eq!(levels.plan(10).unwrap().charges().len(), 1);
    let nothing = SummaryRequest {
        categorical: 0,
        ..levels
    };
    assert_eq!(nothing.plan(10), Err(SummaryPlanError::Nothing));
}
