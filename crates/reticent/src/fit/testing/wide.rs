//! A wider table, of which three columns decide, for estimators that keep a few of many.

use super::super::{Facts, FitInput, Fitted, Planned, Task};
use crate::matrix::{Dense, Matrix};
use crate::noise::{Generator, Randomness};
use crate::population::Records;
use crate::privacy::{Adjacency, Budget, Delta, Epsilon};
use crate::table::{Layout, RecordBound, Table, Target, TargetRange};

pub(in crate::fit) const WIDTH: usize = 40;
const ROWS: usize = 6000;

pub(in crate::fit) fn budget(epsilon: f64) -> Budget {
    Budget::new(Epsilon::new(epsilon).unwrap(), Delta::new(1e-6).unwrap())
}

pub(in crate::fit) fn facts() -> Facts {
    Facts {
        records: ROWS as u64,
        columns: WIDTH,
        rows: RecordBound::Linf(1.0),
    }
}

/// Rows of ±1, and the score 2·x₀ − 2·x₃ + x₇ + 0.5 of each.
pub(in crate::fit) fn records(task: Task, adjacency: Adjacency) -> Records<'static> {
    records_above(-1.0, task, adjacency)
}

/// The same, with `low` in place of −1 in the rows.
pub(in crate::fit) fn records_above(
    low: f32,
    task: Task,
    adjacency: Adjacency,
) -> Records<'static> {
    let mut rng = Generator::not_private(11);
    let (mut values, mut scores) = (Vec::new(), Vec::new());
    for _ in 0..ROWS {
        let bits = rng.next_u64();
        let x = |j: usize| if bits >> j & 1 == 0 { 1.0f32 } else { -1.0 };
        values.extend((0..WIDTH).map(|j| x(j).max(low)));
        scores.push(f64::from(2.0 * x(0) - 2.0 * x(3) + x(7) + 0.5));
    }
    let target = match task {
        Task::Linear => Target::Values(scores),
        _ => Target::Classes {
            class: scores.iter().map(|score| u32::from(*score > 0.0)).collect(),
            names: vec!["no".into(), "yes".into()],
        },
    };
    let table = Table {
        features: Matrix::Dense(Dense::new(values, ROWS, WIDTH).unwrap()),
        target,
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: -6.0,
        high: 6.0,
    };
    table
        .enforce(RecordBound::Linf(1.0), Some(range), true, adjacency)
        .unwrap()
}

pub(in crate::fit) fn run(plan: &dyn Planned, records: &Records, seed: u64) -> Fitted {
    let mut rng = Generator::not_private(seed);
    plan.run(FitInput::Sealed(records), &mut rng, &mut ())
        .unwrap()
}
