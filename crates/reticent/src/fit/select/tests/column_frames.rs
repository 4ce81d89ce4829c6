//! What a linear fit promises about its columns: wherever in their bounds they lie, it finds them; those
//! that fill their bounds, look like a constant or are hidden by noise stay as they are.

use super::*;
use crate::fit::{FitInput, Released};
use crate::matrix::{Csr, Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::{Parts, Population, Records};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

const ROWS: usize = 10_000;
const COLUMNS: usize = 5;
const BOUND: RecordBound = RecordBound::Linf(2.0);
/// What the columns add to the target over the width of their values.
const EFFECTS: [f64; COLUMNS] = [20.0, -10.0, 15.0, 0.0, 5.0];

/// Uniform in [−1, 1].
fn uniform(bits: &mut Generator) -> f64 {
    (bits.next_u64() >> 11) as f64 / f64::from(1u32 << 31) / f64::from(1u32 << 21) - 1.0
}

/// Rows whose columns lie at location ± width, and targets around 500.
fn rows(places: &[(f64, f64); COLUMNS]) -> (Vec<f32>, Vec<f64>) {
    let mut bits = Generator::not_private(3);
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let row: Vec<f64> = (0..COLUMNS).map(|_| uniform(&mut bits)).collect();
        let effects = row.iter().zip(EFFECTS).map(|(x, effect)| x * effect);
        targets.push(500.0 + effects.sum::<f64>() + 3.0 * uniform(&mut bits));
        let placed = row.iter().zip(places);
        values.extend(placed.map(|(x, (location, width))| (location + width * x) as f32));
    }
    (values, targets)
}

fn sealed(features: Matrix<'static>, targets: &[f64]) -> Records<'static> {
    let table = Table {
        features,
        target: Target::Values(targets.to_vec()),
        layout: Layout::Numbered {
            first: 1,
            width: COLUMNS,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: 0.0,
        high: 1000.0,
    };
    let enforced = table.enforce(BOUND, Some(range), true, Adjacency::ReplaceOne);
    enforced.unwrap()
}

fn dense(values: &[f32]) -> Matrix<'static> {
    let rows = values.len() / COLUMNS;
    Matrix::Dense(Dense::new(values.to_vec(), rows, COLUMNS).unwrap())
}

/// The same as sparse rows.
fn sparse(values: &[f32]) -> Matrix<'static> {
    let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks(COLUMNS) {
        for (column, &x) in (0u32..).zip(row).filter(|(_, x)| **x != 0.0) {
            columns.push(column);
            entries.push(x);
        }
        starts.push(columns.len());
    }
    Matrix::Sparse(Csr::new(starts, columns, entries, COLUMNS).unwrap())
}

fn plan(epsilon: f64) -> SelectPlan {
    let facts = crate::fit::Facts {
        records: ROWS as u64,
        columns: COLUMNS,
        rows: BOUND,
    };
    let plan = Select::new(Task::Linear, budget(epsilon));
    plan.plan(facts).unwrap()
}

fn released(population: &dyn Population, epsilon: f64) -> Released {
    let mut randomness = Generator::not_private(5);
    let input = FitInput::Sealed(population);
    let fitted = plan(epsilon).run(input, &mut randomness, &mut ()).unwrap();
    fitted.released
}

const WIDE: [(f64, f64); COLUMNS] = [
    (0.0, 0.01),
    (-1.9, 0.002),
    (0.0, 2.0),
    (1.0, 0.1),
    (0.7, 0.3),
];

#[test]
fn columns_are_found_wherever_in_their_bounds_they_lie() {
    let (values, targets) = rows(&WIDE);
    let released = released(&sealed(dense(&values), &targets), 1.0);
    let function = &released.outputs()[0];
    for (j, ((_, width), effect)) in (0u32..).zip(WIDE.iter().zip(EFFECTS)) {
        // On the scale of the target, over the width of the values.
        let weight = 500.0 * function.weight(j) * width;
        assert!((weight - effect).abs() < 1.5, "column {j}: {weight}");
    }
    let framed: Vec<u32> = released.ranges().iter().map(|range| range.column).collect();
    assert!(framed.contains(&0) && framed.contains(&1) && !framed.contains(&2));
    for range in released.ranges() {
        let (location, width) = WIDE[range.column as usize];
        assert!(range.low < location - 0.7 * width && location + 0.7 * width < range.high);
        assert!(range.high - range.low < 8.0 * width, "{range:?}");
    }
}

#[test]
fn columns_that_fill_their_bounds_stay_as_they_are() {
    let (values, targets) = rows(&[(0.0, 2.0); COLUMNS]);
    let released = released(&sealed(dense(&values), &targets), 1.0);
    assert_eq!(released.ranges(), []);
}

/// Of 1000 records one has the value 1: noise hides it.
#[test]
fn a_column_that_looks_constant_stays_as_it_is() {
    let (mut values, targets) = rows(&WIDE);
    for (i, row) in values.chunks_mut(COLUMNS).enumerate() {
        row[0] = if i % 1000 == 0 { 1.0 } else { 0.0 };
    }
    let released = released(&sealed(dense(&values), &targets), 1.0);
    assert!(released.ranges().iter().all(|range| range.column != 0));
}

#[test]
fn a_budget_that_would_not_show_them_is_not_spent_on_columns() {
    let says = |epsilon, value: &str| {
        let mut entries = plan(epsilon).summary().into_iter();
        entries.any(|entry| entry.name == "column frames" && entry.value.to_string() == value)
    };
    assert!(says(1.0, "searched for") && says(0.01, "the bounds"));
    assert_eq!(plan(0.01).shares.columns, 0.0);
}

#[test]
fn records_in_parts_have_the_same_frames_and_fit() {
    let (values, targets) = rows(&WIDE);
    let part = |rows: std::ops::Range<usize>| -> Box<dyn Population> {
        let values = &values[rows.start * COLUMNS..rows.end * COLUMNS];
        Box::new(sealed(dense(values), &targets[rows]))
    };
    let parts = Parts::new(vec![part(0..3000), part(3000..ROWS)]).unwrap();
    let whole = sealed(dense(&values), &targets);
    assert_eq!(released(&parts, 1.0), released(&whole, 1.0));
}

/// Most values of three columns are 0.
#[test]
fn sparse_rows_have_the_same_frames_and_fit_as_dense_ones() {
    let (mut values, targets) = rows(&[
        (0.0, 0.01),
        (-0.5, 0.02),
        (0.0, 0.02),
        (0.0, 2.0),
        (0.0, 1.0),
    ]);
    for (i, row) in values.chunks_mut(COLUMNS).enumerate() {
        let columns = [0, 2, 4].into_iter().filter(|j| (i + j) % 5 > 1);
        columns.for_each(|j| row[j] = 0.0);
    }
    let [one, two] = [dense(&values), sparse(&values)].map(|features| sealed(features, &targets));
    let found = released(&one, 1.0);
    assert!(found.ranges().len() >= 2);
    assert_eq!(found, released(&two, 1.0));
    // A column of zeros is scaled, and not moved.
    let of_zeros = found.ranges().iter().filter(|range| range.column % 2 == 0);
    of_zeros.for_each(|range| assert_eq!(range.low, -range.high));
}

#[test]
fn without_an_intercept_no_column_is_moved() {
    let (values, targets) = rows(&WIDE);
    let parameters = Select {
        intercept: false,
        ..Select::new(Task::Linear, budget(1.0))
    };
    let facts = plan(1.0).facts;
    let fitted = run(
        &parameters.plan(facts).unwrap(),
        &sealed(dense(&values), &targets),
        4,
    );
    assert_eq!(fitted.outputs()[0].intercept, 0.0);
    let ranges = fitted.released.ranges().iter();
    ranges.for_each(|range| assert_eq!(range.low, -range.high));
}
