use proptest::prelude::*;

use super::*;
use crate::matrix::{Csr, Dense};
use crate::table::{Layout, MOST_CLASSES, Target};
use crate::testing::pairs;

/// A dense table of rows of one length.
fn table(rows: &[Vec<f32>], target: Target) -> Table<'static> {
    let width = rows[0].len();
    let dense = Dense::new(rows.concat(), rows.len(), width).unwrap();
    Table {
        features: Matrix::Dense(dense),
        target,
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    }
}

fn enforced(rows: &[Vec<f32>], bound: RecordBound) -> Records<'static> {
    let target = Target::Values(vec![0.0; rows.len()]);
    let range = Some(TargetRange {
        low: 0.0,
        high: 1.0,
    });
    table(rows, target)
        .enforce(bound, range, true, Adjacency::ReplaceOne)
        .unwrap()
}

fn row(records: &Records, i: usize) -> Vec<f32> {
    let mut row = vec![0.0; records.shape().width()];
    records.features.for_row(i, |column, x| row[column] = x);
    row
}

/// Any finite `f32`, with the nasty ones well represented.
fn entry() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => -3.0..3.0f32,
        2 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
        2 => prop::sample::select(vec![0.0, -0.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN]),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Vec<f32>>> {
    (1..6usize).prop_flat_map(|d| prop::collection::vec(prop::collection::vec(entry(), d), 1..6))
}

proptest! {
    #[test]
    fn an_enforced_row_is_whole_and_within_its_bound_whatever_it_was(
        rows in rows(),
        value in prop_oneof![1e-3..1e3f64, Just(1.0), Just(1e-100), Just(1e100)],
    ) {
        for bound in [RecordBound::L2(value), RecordBound::Linf(value)] {
            let records = enforced(&rows, bound);
            let steps = records.clip.steps;
            prop_assert!((1 << 19..=1 << 20).contains(&steps));
            prop_assert!(steps as f64 * records.clip.grid.step() <= value);
            for i in 0..rows.len() {
                let row = row(&records, i);
                prop_assert!(row.iter().all(|x| x.fract() == 0.0));
                let whole: Vec<u64> = row.iter().map(|x| x.abs() as u64).collect();
                match bound {
                    RecordBound::L2(_) => {
                        let squares: u64 = whole.iter().map(|x| x * x).sum();
                        prop_assert!(squares <= steps * steps);
                    }
                    RecordBound::Linf(_) => prop_assert!(whole.iter().all(|x| *x <= steps)),
                }
            }
        }
    }

    #[test]
    fn a_row_within_its_bound_loses_less_than_a_step(row_given in prop::collection::vec(-0.5..0.5f32, 1..4)) {
        let records = enforced(std::slice::from_ref(&row_given), RecordBound::L2(1.0));
        let unit = records.clip.grid.step();
        for (given, kept) in pairs(&row_given, row(&records, 0)) {
            let lost = f64::from(*given) - f64::from(kept) * unit;
            prop_assert!(lost.abs() < unit && lost.abs() <= f64::from(given.abs()));
        }
    }

    /// Zeros that are left out change nothing.
    #[test]
    fn a_sparse_row_is_enforced_as_the_dense_one(rows in rows(), value in 1e-2..10.0f64) {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &rows {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        let csr = Csr::new(starts, columns, values, rows[0].len()).unwrap();
        for bound in [RecordBound::L2(value), RecordBound::Linf(value)] {
            let dense = enforced(&rows, bound);
            let mut sparse = Matrix::Sparse(csr.clone());
            dense.clip.rows(&mut sparse);
            for i in 0..rows.len() {
                let mut found = vec![0.0; rows[0].len()];
                sparse.for_row(i, |column, x| found[column] = x);
                prop_assert_eq!(found, row(&dense, i));
            }
        }
    }
}

fn targets(values: Vec<f64>, low: f64, high: f64, centred: bool) -> Vec<f64> {
    let rows = vec![vec![0.0]; values.len()];
    let range = Some(TargetRange { low, high });
    table(&rows, Target::Values(values))
        .enforce(RecordBound::L2(1.0), range, centred, Adjacency::ReplaceOne)
        .unwrap()
        .targets
}

#[test]
fn a_target_is_clipped_to_its_range_and_mapped() {
    let given = vec![-100.0, 10.0, 15.0, 20.0, f64::INFINITY, f64::NAN];
    let centred = targets(given.clone(), 10.0, 20.0, true);
    assert_eq!(centred, [-1.0, -1.0, 0.0, 1.0, 1.0, 0.0]);
    let divided = targets(given, 10.0, 20.0, false);
    assert_eq!(divided, [0.5, 0.5, 0.75, 1.0, 1.0, 0.0]);
    assert_eq!(targets(vec![1.0, -4.0], -4.0, 2.0, false), [0.25, -1.0]);
    // The widest range there is does not overflow.
    let widest = targets(vec![f64::MAX, 0.0], -1e100, 1e100, true);
    assert_eq!(widest, [1.0, 0.0]);
    let narrowest = targets(vec![5e-324, 0.0, 1.0], 0.0, 5e-324, true);
    assert!(narrowest.iter().all(|y| y.abs() <= 1.0));
}

#[test]
fn classes_become_zero_and_one_and_the_number_of_records_is_told_only_where_it_is_public() {
    let classes = || Target::Classes {
        class: vec![1, 0],
        names: vec!["no".into(), "yes".into()],
    };
    let rows = [vec![1.0], vec![2.0]];
    for (adjacency, count) in [
        (Adjacency::ReplaceOne, Some(2)),
        (Adjacency::AddRemove, None),
    ] {
        let records = table(&rows, classes())
            .enforce(RecordBound::Linf(1.0), None, false, adjacency)
            .unwrap();
        assert_eq!(records.targets, [1.0, 0.0]);
        assert_eq!(records.shape().count(), count);
    }
}

#[test]
fn what_cannot_be_enforced_is_refused() {
    let enforce = |target, bound, range| {
        table(&[vec![1.0]], target)
            .enforce(bound, range, true, Adjacency::ReplaceOne)
            .map(drop)
    };
    let values = || Target::Values(vec![0.0]);
    let unit = RecordBound::L2(1.0);
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101, 1e-101] {
        let refused = enforce(values(), RecordBound::Linf(value), None);
        assert!(matches!(refused, Err(EnforceError::Rows(_))));
    }
    assert_eq!(enforce(values(), unit, None), Err(EnforceError::Range));
    for (low, high) in [(1.0, 1.0), (0.0, f64::INFINITY), (f64::NAN, 1.0)] {
        let range = Some(TargetRange { low, high });
        assert_eq!(enforce(values(), unit, range), Err(EnforceError::Range));
    }
    assert_eq!(
        enforce(Target::Absent, unit, None),
        Err(EnforceError::NoTarget)
    );
    let two = Target::Classes {
        class: vec![1, 1],
        names: vec!["no".into(), "yes".into()],
    };
    assert_eq!(enforce(two, unit, None), Err(EnforceError::Shape));
    for (class, names) in [(2, 2), (0, 1), (0, 0), (0, MOST_CLASSES + 1)] {
        let target = Target::Classes {
            class: vec![class],
            names: vec![String::new(); names],
        };
        assert_eq!(enforce(target, unit, None), Err(EnforceError::Classes));
    }
}

#[test]
fn several_classes_become_their_numbers() {
    let target = Target::Classes {
        class: vec![3, 0, 1],
        names: ["a", "b", "c", "d"].map(str::to_owned).to_vec(),
    };
    let records = table(&[vec![1.0], vec![2.0], vec![3.0]], target)
        .enforce(RecordBound::L2(1.0), None, true, Adjacency::ReplaceOne)
        .unwrap();
    assert_eq!(records.targets, [3.0, 0.0, 1.0]);
    // Class c occurs nowhere, but is one of them.
    assert_eq!(records.shape().classes(), 4);
}
