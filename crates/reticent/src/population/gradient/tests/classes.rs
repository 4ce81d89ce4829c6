//! What the gradient of several classes promises: the sensitivities that its queries state, sums
//! that are the sums, and the same bits on any threads.

mod threads;

use proptest::prelude::*;

use super::super::rows::RowNumbers;
use super::*;
use crate::loss::{Loss, residuals};
use crate::matrix::{Csr, Dense, Matrix};
use crate::population::Gradient;
use crate::table::RecordBound;
use crate::table::TargetRange;
use crate::table::{Layout, Table, Target};
use crate::testing::pairs;

const WIDTH: usize = 3;
const CLASSES: u32 = 4;

#[derive(Debug, Clone)]
struct Record {
    row: Vec<f32>,
    class: u32,
}

/// What happens to the functions between two gradients.
#[derive(Debug, Clone)]
enum Move {
    /// One class, towards an axis.
    Whole(usize, usize, f64, f64),
    /// Every class, towards an axis each.
    Each(Vec<(usize, f64)>, f64),
    Point(Vec<Vec<(u32, f64)>>),
    Intercepts(Vec<f64>),
}

fn dense(records: &[Record]) -> Matrix<'static> {
    let values = records.iter().flat_map(|r| r.row.clone()).collect();
    let width = records[0].row.len();
    Matrix::Dense(Dense::new(values, records.len(), width).unwrap())
}

fn sparse(records: &[Record]) -> Matrix<'static> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for record in records {
        for (j, x) in record.row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            columns.push(j as u32);
            values.push(*x);
        }
        starts.push(columns.len());
    }
    Matrix::Sparse(Csr::new(starts, columns, values, records[0].row.len()).unwrap())
}

fn enforced(
    features: Matrix<'static>,
    classes: &[u32],
    count: u32,
    bound: RecordBound,
    adjacency: Adjacency,
) -> Records<'static> {
    let width = features.width();
    let table = Table {
        target: Target::Values(vec![0.0; features.rows()]),
        features,
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: None,
    };
    let range = Some(TargetRange {
        low: 0.0,
        high: 1.0,
    });
    let records = table.enforce(bound, range, false, adjacency).unwrap();
    records.of_classes(classes, count)
}

fn of(records: &[Record], bound: RecordBound, adjacency: Adjacency) -> Records<'static> {
    let classes: Vec<u32> = records.iter().map(|r| r.class).collect();
    enforced(dense(records), &classes, CLASSES, bound, adjacency)
}

fn go(gradient: &mut Gradient<'_>, step: &Move) {
    let axis = |column: usize, value: f64| Vertex::Axis { column, value };
    match step {
        Move::Whole(class, column, value, size) => {
            gradient.step(&[(*class, axis(*column, *value))], *size);
        }
        Move::Each(vertices, size) => {
            let each = vertices.iter().map(|(column, value)| axis(*column, *value));
            gradient.step(&each.enumerate().collect::<Vec<_>>(), *size);
        }
        Move::Point(weights) => gradient.set_weights(&flat(weights, WIDTH)),
        Move::Intercepts(intercepts) => gradient.set_intercepts(intercepts),
    }
}

fn record() -> impl Strategy<Value = Record> {
    let row = prop::collection::vec(prop_oneof![3 => -2.0..2.0f32, 1 => Just(0.0)], WIDTH);
    (row, 0..CLASSES).prop_map(|(row, class)| Record { row, class })
}

fn path() -> impl Strategy<Value = Vec<Move>> {
    let k = CLASSES as usize;
    let step = prop_oneof![
        (0..k, 0..WIDTH, -20.0..20.0f64, 0.0..1.0f64)
            .prop_map(|(class, column, value, size)| Move::Whole(class, column, value, size)),
        (
            prop::collection::vec((0..WIDTH, -20.0..20.0f64), k),
            0.0..1.0f64
        )
            .prop_map(|(vertices, size)| Move::Each(vertices, size)),
        prop::collection::vec(
            prop::collection::vec(-3.0..3.0f64, WIDTH).prop_map(|w| w
                .into_iter()
                .enumerate()
                .map(|(j, w)| (j as u32, w))
                .collect()),
            k
        )
        .prop_map(Move::Point),
        prop::collection::vec(-5.0..5.0f64, k).prop_map(Move::Intercepts),
    ];
    prop::collection::vec(step, 0..6)
}

fn bound() -> impl Strategy<Value = RecordBound> {
    prop_oneof![Just(RecordBound::L2(0.7)), Just(RecordBound::Linf(0.7))]
}

/// What a record may add; a norm of 2 is none.
fn cap(slope: f64, length: f64, constant: f64) -> RowFrame<'static> {
    RowFrame {
        slope,
        length: Length::Within(length),
        centre: &[],
        scales: &[],
        constant,
        offsets: &[],
    }
}

/// A norm, a length and a constant, or none.
fn length() -> impl Strategy<Value = Option<RowFrame<'static>>> {
    let norms = prop::sample::select(vec![0.3, 0.8, 2.0]);
    let lengths = prop::sample::select(vec![0.4, 1.1, 9.0]);
    let constants = prop::sample::select(vec![0.0, 0.3, 1.0]);
    let caps = (norms, lengths, constants);
    prop::option::of(caps.prop_map(|(slope, length, intercept)| cap(slope, length, intercept)))
}

fn gradient<'a>(records: &'a Records, cap: Option<RowFrame<'static>>) -> Gradient<'a> {
    let frame = cap.unwrap_or(RowFrame::plain());
    Gradient::ask(records, Slopes::Classes, grid(), &frame).unwrap()
}

/// How far the scores move against each other, and how far they may.
fn moved(a: &Scores<'_>, b: &Scores<'_>) -> (u64, u64) {
    assert_eq!(a.raw_range(), b.raw_range());
    let values = pairs(a.raw_values(), b.raw_values());
    let moves: Vec<i64> = values.map(|(a, b)| a - b).collect();
    let spread = moves.iter().max().unwrap() - moves.iter().min().unwrap();
    (spread as u64, a.raw_range())
}

/// A query's values and what it states, for a test.
fn answer(query: &Query<'_>) -> (Vec<i64>, Sensitivity) {
    (query.raw_values().to_vec(), query.raw_sensitivity())
}

/// Values of neighbours are no farther apart than both state.
fn within(a: &(Vec<i64>, Sensitivity), b: &(Vec<i64>, Sensitivity)) -> Result<(), TestCaseError> {
    prop_assert_eq!(a.1, b.1);
    let moves = pairs(&a.0, &b.0).map(|(a, b)| i128::from(a - b));
    let largest = moves.clone().map(|m| m.unsigned_abs()).max().unwrap();
    prop_assert!(largest <= u128::from(a.1.linf));
    let square: i128 = moves.map(|m| m * m).sum();
    prop_assert!((square as f64).sqrt() <= a.1.l2 * (1.0 + 1e-15));
    Ok(())
}

/// Σ over groups of (max(u−u′) − min(u−u′))², each value standing for both signs.
fn squared_ranges(a: &[i64], b: &[i64], width: usize) -> u128 {
    let groups = pairs(a.chunks(width), b.chunks(width));
    let range = |(a, b): (&[i64], &[i64])| {
        let moves = pairs(a, b).map(|(a, b)| (a - b).unsigned_abs());
        2 * u128::from(moves.max().unwrap())
    };
    groups.map(|group| range(group).pow(2)).sum()
}

fn grid() -> Grid {
    Grid::new(-7).unwrap()
}

proptest! {
    /// One path, and two tables that differ in one record: every query keeps to what it states.
    #[test]
    fn replacing_a_record_moves_queries_by_no_more_than_they_state(
        shared in prop::collection::vec(record(), 0..4),
        (left, right) in (record(), record()),
        path in path(), bound in bound(), length in length(),
    ) {
        let with = |last: &Record| {
            let all: Vec<Record> = shared.iter().chain([last]).cloned().collect();
            of(&all, bound, Adjacency::ReplaceOne)
        };
        let (left, right) = (with(&left), with(&right));
        let mut a = gradient(&left, length);
        let mut b = gradient(&right, length);
        for step in std::iter::once(None).chain(path.iter().map(Some)) {
            if let Some(step) = step {
                go(&mut a, step);
                go(&mut b, step);
            }
            within(&answer(&a.columns()), &answer(&b.columns()))?;
            within(&answer(&a.intercepts()), &answer(&b.intercepts()))?;
            within(&answer(&a.all()), &answer(&b.all()))?;
            let (by, range) = moved(&a.column_norms(&[0, 2]), &b.column_norms(&[0, 2]));
            prop_assert!(by <= range);
            let (a, b) = (a.by_class(), b.by_class());
            prop_assert_eq!(a.raw_squares(), b.raw_squares());
            let squares = squared_ranges(a.raw_values(), b.raw_values(), WIDTH);
            prop_assert!(squares <= a.raw_squares());
        }
    }

    /// The sums are those of the residuals that the records keep; those are within their cap and
    /// their set, and within a step of the exact ones, however they lag.
    #[test]
    fn sums_are_fresh_and_residuals_near_exact_and_in_their_set(
        all in prop::collection::vec(record(), 1..6),
        path in path(), bound in bound(), length in length(),
    ) {
        let records = of(&all, bound, Adjacency::ReplaceOne);
        let rows = length.unwrap_or(RowFrame::plain());
        let frame = Frame::new(records.shape(), Slopes::Classes, grid(), &rows).unwrap();
        let frame = Arc::new(frame);
        let mut gradient = Gradient {
            frame: Arc::clone(&frame),
            state: records.follow(&frame),
        };
        let mut state = Following::new(&records, &frame);
        let k = CLASSES as usize;
        for step in &path {
            go(&mut gradient, step);
            let answer = gradient.columns().raw_values().to_vec();
            let mut gradient = Gradient {
                frame: Arc::clone(&frame),
                state: Box::new(&mut state),
            };
            go(&mut gradient, step);
            let seen = gradient.columns().raw_values().to_vec();
            prop_assert_eq!(seen, answer);
            drop(gradient);
            let mut sums = vec![0i64; k * WIDTH];
            let mut totals = vec![0i64; k];
            for (i, record) in all.iter().enumerate() {
                let kept = &state.slopes[i * k..][..k];
                let own = record.class as usize;
                let cap = state.rows.caps.get(i).copied().unwrap_or(frame.most);
                let others: i32 = (0..k).filter(|l| *l != own).map(|l| kept[l]).sum();
                prop_assert!((-cap..=0).contains(&kept[own]) && others <= cap);
                prop_assert!((0..k).all(|l| l == own || kept[l] >= 0));
                let mut exact: Vec<f64> = vec![0.0; k];
                for (exact, margins) in exact.iter_mut().zip(&state.margins) {
                    let scaled = &margins.scaled[i..=i];
                    margins.line().at(scaled, std::slice::from_mut(exact));
                }
                residuals(&mut exact, own);
                let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
                let norm = state.rows.norms.get(i).copied().unwrap_or(i32::MAX);
                let long = size(&exact) * f64::from(cap) / f64::from(norm);
                let steps: Vec<f64> = kept.iter().map(|k| f64::from(*k)).collect();
                prop_assert!(size(&steps) <= f64::from(norm));
                for (l, kept) in kept.iter().enumerate() {
                    let exact = exact[l] * f64::from(cap) / long.max(1.0);
                    prop_assert!((exact - f64::from(*kept)).abs() <= 1.0 + 1e-6, "{exact} {kept}");
                    totals[l] += i64::from(*kept);
                    records.features.for_row(i, |j, x| {
                        sums[l * WIDTH + j] += i64::from(*kept) * x as i64;
                    });
                }
            }
            let found = state.sums();
            prop_assert_eq!(found.columns, &sums);
            prop_assert_eq!(found.totals, &totals);
        }
    }

    /// What one record adds to everything is at most √2·M·ℓ long, in integers; and a row that is
    /// short enough keeps its whole weight.
    #[test]
    fn no_record_adds_more_than_its_length(record in record(), length in 0.3..3.0f64) {
        let records = of(&[record], RecordBound::Linf(1.0), Adjacency::AddRemove);
        let mut gradient = Gradient::ask(&records, Slopes::Classes, grid(), &cap(2.0, length, 1.0)).unwrap();
        gradient.set_intercepts(&[9.0, 7.0, -3.0, 1.0]);
        let (values, sensitivity) = answer(&gradient.all());
        let square: u128 = values.iter().map(|v| u128::from(v.unsigned_abs()).pow(2)).sum();
        let frame = Arc::clone(&gradient.frame);
        let most = frame.most as u128 * u128::from(frame.row_limit());
        prop_assert!(square <= 2 * most * most);
        prop_assert!(sensitivity.l2 >= (2.0f64).sqrt() * most as f64);
        let unit = records.clip.grid.step();
        let mut norm = 1.0f64;
        records.features.for_row(0, |_, x| norm += (f64::from(x) * unit).powi(2));
        let cap = RowNumbers::new(&frame, &records).caps[0];
        let weight = (length / norm.sqrt()).min(1.0) * f64::from(frame.most);
        prop_assert!((weight - f64::from(cap)).abs() <= 1.0 + 1e-3, "{weight} {cap}");
    }

    /// The margins between two classes are those of one function, and so is the gradient, to within
    /// two steps per record: one of lag, one of rounding.
    #[test]
    fn two_classes_have_the_logistic_gradient(
        rows in prop::collection::vec(prop::collection::vec(-1.0..1.0f32, WIDTH), 1..6),
        weights in prop::collection::vec((-3.0..3.0f64, -3.0..3.0f64), WIDTH),
        (b0, b1) in (-1.0..1.0f64, -1.0..1.0f64),
        seed in any::<u32>(),
    ) {
        let classes: Vec<u32> = (0..rows.len()).map(|i| seed >> i & 1).collect();
        let all: Vec<Record> = rows.into_iter().map(|row| Record { row, class: 0 }).collect();
        let bound = RecordBound::Linf(1.0);
        let records = enforced(dense(&all), &classes, 2, bound, Adjacency::ReplaceOne);
        let fine = Grid::new(-18).unwrap();
        let mut two = Gradient::ask(&records, Slopes::Classes, fine, &RowFrame::plain()).unwrap();
        let list = |pick: fn(&(f64, f64)) -> f64| {
            let all = weights.iter().enumerate();
            all.map(|(j, w)| (j as u32, pick(w))).collect::<Vec<_>>()
        };
        two.set_weights(&flat(&[list(|w| w.0), list(|w| w.1)], weights.len()));
        two.set_intercepts(&[b0, b1]);
        let mut one: Gradient<'_> = Gradient::ask(&records, Slopes::Loss(Loss::Logistic), fine, &RowFrame::plain()).unwrap();
        let difference = weights.iter().map(|(a, b)| b - a).collect();
        one.step(&[(0, Vertex::Point(difference))], 1.0);
        one.set_intercepts(&[b1 - b0]);
        let slack = 2.5 * all.len() as f64 * records.clip.steps as f64;
        let one = one.columns().raw_values().to_vec();
        let two = two.columns().raw_values().to_vec();
        for j in 0..WIDTH {
            prop_assert!((two[WIDTH + j] - one[j]).abs() as f64 <= slack);
            prop_assert!((two[j] + one[j]).abs() as f64 <= slack);
        }
    }
}

/// All records are taken for class 1; one of class 0 with a row of full size has residuals
/// (−M, M), and replacing it by its opposite moves everything as far as is stated.
#[test]
fn the_sensitivities_are_reached() {
    let intercepts = [-300.0, 300.0, -300.0, -300.0];
    for (bound, row) in [
        (RecordBound::Linf(1.0), vec![1.0f32, 1.0, 1.0]),
        (RecordBound::L2(1.0), vec![0.0, 1.0, 0.0]),
        (RecordBound::L2(1.0), vec![0.6, 0.8, 0.0]),
    ] {
        let look = |row: Vec<f32>| {
            let records = of(&[Record { row, class: 0 }], bound, Adjacency::ReplaceOne);
            let mut gradient =
                Gradient::ask(&records, Slopes::Classes, grid(), &RowFrame::plain()).unwrap();
            gradient.set_intercepts(&intercepts);
            let columns = answer(&gradient.columns());
            let scores = gradient.by_class();
            (columns, scores.raw_values().to_vec(), scores.raw_squares())
        };
        let opposite = row.iter().map(|x| -x).collect();
        let single = row.iter().any(|x| x.abs() == 1.0);
        let ((a, sensitivity), u, squares) = look(row);
        let ((b, _), v, _) = look(opposite);
        let moves = pairs(&a, &b).map(|(a, b)| (a - b) as f64);
        let l2 = moves.clone().map(|m| m * m).sum::<f64>().sqrt();
        assert!(l2 > 0.99999 * sensitivity.l2, "{l2} {sensitivity:?}");
        if single {
            let largest = moves.fold(0.0f64, |most, m| most.max(m.abs()));
            assert_eq!(largest, sensitivity.linf as f64);
            assert_eq!(squared_ranges(&u, &v, WIDTH), squares);
        }
    }
}

/// Both records are far on the wrong side, and rows of full size: a column's norm goes from 0 to all
/// that two records can add, and another's comes back.
#[test]
fn the_range_of_column_norms_is_reached() {
    let look = |rows: [[f32; 3]; 2]| {
        let record = |row: [f32; 3]| Record {
            row: row.to_vec(),
            class: 0,
        };
        let records = of(
            &rows.map(record),
            RecordBound::Linf(1.0),
            Adjacency::ReplaceOne,
        );
        let mut gradient =
            Gradient::ask(&records, Slopes::Classes, grid(), &RowFrame::clipped(1.0)).unwrap();
        gradient.set_intercepts(&[-300.0, 300.0, -300.0, -300.0]);
        let norms = gradient.column_norms(&[0, 1]);
        (norms.raw_values().to_vec(), norms.raw_range())
    };
    let (before, range) = look([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]);
    let (after, _) = look([[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]]);
    let moves: Vec<i64> = pairs(&before, &after).map(|(a, b)| a - b).collect();
    let spread = moves.iter().max().unwrap() - moves.iter().min().unwrap();
    assert!(spread as f64 > 0.98 * range as f64, "{spread} {range}");
}

#[test]
fn grids_and_lengths_that_do_not_fit_are_refused() {
    let one = Record {
        row: vec![1.0, 0.0, 0.0],
        class: 1,
    };
    let records = of(&[one], RecordBound::Linf(1.0), Adjacency::AddRemove);
    let refused = |exponent: i32| {
        let grid = Grid::new(exponent).unwrap();
        Gradient::ask(&records, Slopes::Classes, grid, &RowFrame::plain())
            .map(drop)
            .unwrap_err()
    };
    assert!(matches!(refused(1), SlopeGridError::Steps { .. }));
    assert!(matches!(refused(-23), SlopeGridError::Steps { .. }));
    // Under add-remove the largest possible number of records is assumed: 2¹¹·2²⁰·2³² is too many.
    assert_eq!(refused(-11), SlopeGridError::Records);
    let within = |length: f64, intercept: f64| {
        let gradient = Gradient::ask(
            &records,
            Slopes::Classes,
            grid(),
            &cap(2.0, length, intercept),
        );
        gradient.map(drop)
    };
    assert_eq!(within(1.0, 1.0), Ok(()));
    for (length, intercept) in [
        (0.0, 1.0),
        (-1.0, 1.0),
        (1e9, 1.0),
        (f64::NAN, 1.0),
        (1.0, -1.0),
        (1.0, 1e9),
        (1.0, f64::NAN),
    ] {
        let refused = within(length, intercept);
        assert!(
            matches!(refused, Err(SlopeGridError::Length { .. })),
            "{length} {intercept}"
        );
    }
    // A constant of 2²⁷ steps over the largest possible number of records.
    assert_eq!(within(1.0, 128.0), Err(SlopeGridError::Records));
}
