//! What a linear fit promises about its targets: wherever in a declared range they lie, it finds
//! them; where features say nothing, it is the mean; and both rest on what was released.

use super::*;
use crate::matrix::{Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::{Parts, Population, Records};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

const COLUMNS: usize = 4;

/// Targets 500 ± 25 (a constant, two columns of ±1 that add 20 and −10, and noise), between the
/// ends of a declared range.
fn table(rows: usize, explained: f64) -> Table<'static> {
    let mut bits = Generator::not_private(3);
    let (mut values, mut targets) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let word = bits.next_u64();
        let sign = |j: usize| if word >> j & 1 == 0 { 1.0f32 } else { -1.0 };
        values.extend((0..COLUMNS).map(sign));
        let noise: f64 = (0..12).map(|k| f64::from(sign(20 + k))).sum();
        let signal = f64::from(20.0 * sign(0) - 10.0 * sign(1));
        targets.push(500.0 + explained * signal + 2.0 * noise);
    }
    Table {
        features: Matrix::Dense(Dense::new(values, rows, COLUMNS).unwrap()),
        target: Target::Values(targets),
        layout: Layout::Numbered {
            first: 1,
            width: COLUMNS,
        },
        assumed: Vec::new(),
        units: None,
    }
}

fn sealed(rows: usize, explained: f64, high: f64) -> Records<'static> {
    let range = TargetRange { low: 0.0, high };
    let table = table(rows, explained);
    let enforced = table.enforce(
        RecordBound::Linf(1.0),
        Some(range),
        true,
        Adjacency::ReplaceOne,
    );
    enforced.unwrap()
}

fn facts_of(rows: usize) -> crate::fit::Facts {
    crate::fit::Facts {
        records: rows as u64,
        columns: COLUMNS,
        rows: RecordBound::Linf(1.0),
    }
}

fn fitted(records: &Records<'_>, rows: usize, epsilon: f64, seed: u64) -> LinearFunction {
    let plan = Select::new(Task::Linear, budget(epsilon));
    let fitted = run(&plan.plan(facts_of(rows)).unwrap(), records, seed);
    fitted.outputs()[0].clone()
}

/// The weights and the intercept in the units of the target.
fn in_units(function: &LinearFunction, high: f64) -> (Vec<f64>, f64) {
    let mut weights = vec![0.0; COLUMNS];
    for (j, weight) in &function.weights {
        weights[*j as usize] = weight * high / 2.0;
    }
    (weights, (function.intercept + 1.0) * high / 2.0)
}

#[test]
fn a_range_that_is_far_too_wide_costs_next_to_nothing() {
    for high in [1e3, 1e5, 1e7] {
        let records = sealed(20_000, 1.0, high);
        let (weights, intercept) = in_units(&fitted(&records, 20_000, 1.0, 7), high);
        assert!((intercept - 500.0).abs() < 2.0, "{high}: {intercept}");
        let truth = [20.0, -10.0, 0.0, 0.0];
        for (weight, truth) in weights.iter().zip(truth) {
            assert!((weight - truth).abs() < 2.0, "{high}: {weights:?}");
        }
    }
}

/// One column in 60 has a weight by chance where features say nothing: seeds are fixed.
#[test]
fn features_that_say_nothing_leave_the_mean() {
    let records = sealed(3000, 0.0, 1e3);
    let kept = (0..10).filter(|seed| !fitted(&records, 3000, 0.3, *seed).weights.is_empty());
    assert!(kept.count() <= 2);
}

#[test]
fn a_budget_that_is_too_small_buys_the_mean_alone() {
    let parameters = Select::new(Task::Linear, budget(0.02));
    let plan = parameters.plan(facts_of(300)).unwrap();
    assert_eq!(plan.rounds(), 0);
    let says = |name: &str, value: &str| {
        let mut entries = plan.summary().into_iter();
        entries.any(|entry| entry.name == name && entry.value.to_string() == value)
    };
    assert!(says("features", "not asked") && says("predicts", "the mean"));
    let fitted = run(&plan, &sealed(300, 1.0, 1e3), 1);
    assert_eq!(fitted.statement.charges, plan.spending().unwrap().charges());
    assert!(fitted.outputs()[0].weights.is_empty());
}

#[test]
fn a_model_without_an_intercept_has_none_in_any_frame() {
    let parameters = Select {
        intercept: false,
        ..Select::new(Task::Linear, budget(1.0))
    };
    let records = sealed(20_000, 1.0, 1e3);
    let fitted = run(&parameters.plan(facts_of(20_000)).unwrap(), &records, 4);
    assert_eq!(fitted.outputs()[0].intercept, 0.0);
}

#[test]
fn records_in_parts_have_the_same_frame_and_fit() {
    let split = |part: usize| -> Box<dyn Population> {
        let mut table = table(3000, 1.0);
        let rows = if part == 0 { 0..1000 } else { 1000..3000 };
        let Matrix::Dense(dense) = &table.features else {
            unreachable!("the table is dense")
        };
        let values = rows.clone().flat_map(|i| dense.row(i).to_vec()).collect();
        table.features = Matrix::Dense(Dense::new(values, rows.len(), COLUMNS).unwrap());
        let Target::Values(targets) = table.target else {
            unreachable!("targets are numbers")
        };
        table.target = Target::Values(targets[rows].to_vec());
        let range = TargetRange {
            low: 0.0,
            high: 1e4,
        };
        let bound = RecordBound::Linf(1.0);
        let enforced = table.enforce(bound, Some(range), true, Adjacency::ReplaceOne);
        Box::new(enforced.unwrap())
    };
    let parts = Parts::new(vec![split(0), split(1)]).unwrap();
    let plan = Select::new(Task::Linear, budget(1.0));
    let plan = plan.plan(facts_of(3000)).unwrap();
    let mut randomness = Generator::not_private(6);
    let input = crate::fit::FitInput::Sealed(&parts);
    let in_parts = plan.run(input, &mut randomness, &mut ()).unwrap();
    let whole = run(&plan, &sealed(3000, 1.0, 1e4), 6);
    assert_eq!(in_parts.outputs(), whole.outputs());
}
