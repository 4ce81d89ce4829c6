//! What `nonzero` auto promises: the weights that are kept are nearly all true, and those true ones that
//! exceed their noise are kept.

use super::*;
use crate::matrix::{Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::Records;
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

const COLUMNS: usize = 30;
const ROWS: usize = 8000;
const SEEDS: u64 = 8;
/// The columns that matter, and their weights.
const TRUTH: [(usize, f64); 4] = [(2, 2.0), (9, -1.6), (17, 1.2), (28, -1.2)];

/// Columns in [−1, 1] that go together (each half its own and half common to all), and the target that
/// these weights make; by classes, twice that in log-odds.
fn records(task: Task, truth: &[(usize, f64)], seed: u64) -> Records<'static> {
    records_without(&[], task, truth, seed)
}

/// The same, but these columns are 0 in every record.
fn records_without(
    absent: &[usize],
    task: Task,
    truth: &[(usize, f64)],
    seed: u64,
) -> Records<'static> {
    let mut bits = Generator::not_private(1000 + seed);
    let mut uniform = || (bits.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let (mut values, mut classes, mut targets) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let common = 2.0 * uniform() - 1.0;
        let mut row: Vec<f64> = (0..COLUMNS)
            .map(|_| (common + 2.0 * uniform() - 1.0) / 2.0)
            .collect();
        absent.iter().for_each(|column| row[*column] = 0.0);
        let score: f64 = truth.iter().map(|(j, weight)| weight * row[*j]).sum();
        values.extend(row.iter().map(|x| *x as f32));
        // A sum of uniform numbers is nearly normal: of deviation 0.25.
        let noise: f64 = (0..3).map(|_| uniform() - 0.5).sum::<f64>() / 2.0;
        targets.push(score + noise);
        classes.push(u32::from(uniform() < 1.0 / (1.0 + (-2.0 * score).exp())));
    }
    let table = Table {
        features: Matrix::Dense(Dense::new(values, ROWS, COLUMNS).unwrap()),
        target: Target::Values(targets),
        layout: Layout::Numbered {
            first: 1,
            width: COLUMNS,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: -5.0,
        high: 5.0,
    };
    let rows = RecordBound::Linf(1.0);
    let enforced = table.enforce(rows, Some(range), true, Adjacency::ReplaceOne);
    match task {
        Task::Linear => enforced.unwrap(),
        _ => enforced.unwrap().of_classes(&classes, 2),
    }
}

/// The columns of the weights that are kept.
fn columns_kept(task: Task, truth: &[(usize, f64)], seed: u64) -> Vec<u32> {
    columns_of(Some(Nonzero::Auto), task, &records(task, truth, seed), seed)
}

/// The columns of the weights of a fit.
fn columns_of(nonzero: Option<Nonzero>, task: Task, records: &Records, seed: u64) -> Vec<u32> {
    let facts = Facts {
        records: ROWS as u64,
        columns: COLUMNS,
        rows: RecordBound::Linf(1.0),
    };
    let parameters = Select {
        nonzero,
        ..Select::new(task, budget(4.0))
    };
    let plan = parameters.plan(facts).unwrap();
    let fitted = run(&plan, records, seed);
    let weights = &fitted.outputs()[0].weights;
    weights.iter().map(|(j, _)| *j).collect()
}

/// The same over all seeds, and how many of them are false.
fn kept(task: Task) -> (Vec<u32>, usize) {
    let columns = |seed| columns_kept(task, &TRUTH, seed);
    let all: Vec<u32> = (0..SEEDS).flat_map(columns).collect();
    let is_true = |column: &u32| TRUTH.iter().any(|(j, _)| *j == *column as usize);
    let wrong = all.iter().filter(|column| !is_true(column)).count();
    (all, wrong)
}

/// Of about 36 weights that are kept, a tenth may be false in the mean: 3.6, and beyond 11 with a
/// probability below 1e-3 if they are Poisson. All true ones lie more than six deviations above their
/// noise: that more than one of 32 is lost has a probability below 1e-3.
#[test]
fn the_weights_that_are_kept_are_true_and_the_strong_ones_are_kept() {
    for task in [Task::Linear, Task::Logistic] {
        let (all, wrong) = kept(task);
        assert!(wrong <= 11, "{task:?}: {wrong} of {}", all.len());
        let right = all.len() - wrong;
        assert!(
            right >= TRUTH.len() * SEEDS as usize - 1,
            "{task:?} {right}"
        );
    }
}

/// Where no column matters, a table keeps any with a probability of at most a tenth: of 24 more than 7
/// with one below 1e-3.
#[test]
fn where_no_column_matters_none_is_kept() {
    for task in [Task::Linear, Task::Logistic] {
        let keeps = |seed: &u64| !columns_kept(task, &[], *seed).is_empty();
        let tables = (0..24).filter(keeps).count();
        assert!(tables <= 7, "{task:?}: {tables} of 24");
    }
}

/// Every weight lies more than ten deviations above its noise: none is lost.
#[test]
fn where_all_columns_matter_all_are_kept() {
    let sign = |j: usize| if j.is_multiple_of(2) { 1.0 } else { -1.0 };
    let truth: Vec<(usize, f64)> = (0..COLUMNS).map(|j| (j, sign(j))).collect();
    for seed in 0..3 {
        let all = columns_kept(Task::Linear, &truth, seed);
        assert_eq!(all.len(), COLUMNS, "{all:?}");
    }
}

#[test]
fn statistics_do_not_find_the_number_of_weights() {
    let parameters = Select {
        nonzero: Some(Nonzero::Auto),
        fitting: Fitting::Statistics,
        ..Select::new(Task::Linear, budget(1.0))
    };
    let refused = parameters.plan(facts()).unwrap_err();
    assert!(matches!(refused, PlanError::NonzeroAuto(_)));
}

/// A level that nobody has: noise adds up in its weight, and no record pulls it back. By its second moment
/// each of these 80 columns is taken for one that is seen with a probability of 0.023 (two deviations): that
/// more than 7 are has one of about 1e-3.
#[test]
fn a_column_that_is_zero_in_every_record_hardly_ever_has_a_weight() {
    let absent = [4, 11, 12, 20, 29];
    let mut kept = 0;
    for nonzero in [Some(Nonzero::Auto), None] {
        for seed in 0..SEEDS {
            let records = records_without(&absent, Task::Linear, &TRUTH, seed);
            let columns = columns_of(nonzero, Task::Linear, &records, seed);
            let is_absent = |j: &&u32| absent.contains(&(**j as usize));
            kept += columns.iter().filter(is_absent).count();
        }
    }
    assert!(kept <= 7, "{kept}");
}
