//! Small tables for the tests of estimators: rows of ±1, and targets that a few columns decide.

pub(super) mod wide;

use super::Facts;
use crate::matrix::{Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::Records;
use crate::privacy::{Adjacency, Budget, Delta, Epsilon};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

/// Columns of every table here.
pub(super) const WIDTH: usize = 12;

pub(super) fn budget(epsilon: f64, delta: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(delta).unwrap())
}

pub(super) fn facts(records: u64) -> Facts {
    Facts {
        records,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    }
}

/// Rows of ±1.
fn signs(rows: usize) -> Vec<f32> {
    let mut rng = Generator::not_private(11);
    let mut row = || {
        let bits = rng.next_u64();
        (0..WIDTH).map(move |j| if bits >> j & 1 == 0 { 1.0 } else { -1.0 })
    };
    (0..rows).flat_map(|_| row()).collect()
}

fn enforced(values: Vec<f32>, target: Target) -> Records<'static> {
    let rows = values.len() / WIDTH;
    let table = Table {
        features: Matrix::Dense(Dense::new(values, rows, WIDTH).unwrap()),
        target,
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: -5.0,
        high: 5.0,
    };
    let bound = RecordBound::Linf(1.0);
    table
        .enforce(bound, Some(range), true, Adjacency::ReplaceOne)
        .unwrap()
}

/// Rows, and their classes: 0 where column 0 is positive, else 1 where column 3 is, else 2.
pub(super) fn of_three_classes(rows: usize) -> (Vec<f32>, Vec<u32>) {
    let values = signs(rows);
    let class = |row: &[f32]| match (row[0] > 0.0, row[3] > 0.0) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    };
    let classes = values.chunks(WIDTH).map(class).collect();
    (values, classes)
}

/// [`of_three_classes`], enforced.
pub(super) fn three_classes(rows: usize) -> Records<'static> {
    let (values, classes) = of_three_classes(rows);
    enforced(values, Target::Values(vec![0.0; rows])).of_classes(&classes, 3)
}

/// The score 2·x₀ − 2·x₃ + 1 of each row, as a number or by its sign.
pub(super) fn two_columns(rows: usize, numbers: bool) -> Records<'static> {
    let values = signs(rows);
    let score = |row: &[f32]| f64::from(2.0 * row[0] - 2.0 * row[3] + 1.0);
    let scores: Vec<f64> = values.chunks(WIDTH).map(score).collect();
    let classes: Vec<u32> = scores.iter().map(|score| u32::from(*score > 0.0)).collect();
    let records = enforced(values, Target::Values(scores));
    if numbers {
        records
    } else {
        records.of_classes(&classes, 2)
    }
}

/// Targets that are independent of all columns: 5 for every tenth row, and −5 for the others.
pub(super) fn skewed(rows: usize) -> Records<'static> {
    let target = |i: usize| if i.is_multiple_of(10) { 5.0 } else { -5.0 };
    enforced(signs(rows), Target::Values((0..rows).map(target).collect()))
}

/// Column 1 is constant; the effect of column 4 is rare, or small relative to the mean.
pub(super) fn with_a_constant(rows: usize, task: super::Task) -> Records<'static> {
    let mut values = signs(rows);
    values
        .iter_mut()
        .skip(1)
        .step_by(WIDTH)
        .for_each(|x| *x = 1.0);
    let informative: Vec<f32> = values.iter().skip(4).step_by(WIDTH).copied().collect();
    let number = |x: &f32| 4.0 + 0.5 * f64::from(*x);
    let records = enforced(
        values,
        Target::Values(informative.iter().map(number).collect()),
    );
    let class = |(i, x): (usize, &f32)| match i % 5 == 0 && *x > 0.0 {
        true => 1 + (i % 2) as u32 * u32::from(task.outputs() > 1),
        false => 0,
    };
    let classes: Vec<u32> = informative.iter().enumerate().map(class).collect();
    match task {
        super::Task::Linear => records,
        _ => records.of_classes(&classes, task.outputs().max(2) as u32),
    }
}
