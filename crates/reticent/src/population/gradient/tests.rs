mod classes;
mod row_frame;
mod storage;
mod within;

use proptest::prelude::*;

use super::*;
use crate::loss::Loss;
use crate::matrix::{Csr, Dense, Matrix};
use crate::population::records::Records;
use crate::privacy::Adjacency;
use crate::solve::Vertex;
use crate::table::RecordBound;
use crate::table::TargetRange;
use crate::table::{Layout, Table, Target};
use crate::testing::pairs;

/// What happens to the model between two gradients.
#[derive(Debug, Clone)]
enum Move {
    Step(Vertex, f64),
    Intercept(f64),
}

/// A whole fit: rows and targets, and the path that the releases took.
#[derive(Debug, Clone)]
struct Case {
    rows: Vec<Vec<f32>>,
    targets: Vec<f64>,
    bound: RecordBound,
    loss: Loss,
    slope_grid: Grid,
    path: Vec<Move>,
}

impl Case {
    fn width(&self) -> usize {
        self.rows[0].len()
    }

    fn dense(&self) -> Matrix<'static> {
        Matrix::Dense(Dense::new(self.rows.concat(), self.rows.len(), self.width()).unwrap())
    }

    fn sparse(&self) -> Matrix<'static> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, self.width()).unwrap())
    }

    fn records(&self, features: Matrix<'static>) -> Records<'static> {
        let table = Table {
            features,
            target: Target::Values(self.targets.clone()),
            layout: Layout::Numbered {
                first: 1,
                width: self.width(),
            },
            assumed: Vec::new(),
            units: None,
        };
        // Divided by 1: as it is.
        let range = Some(TargetRange {
            low: 0.0,
            high: 1.0,
        });
        table
            .enforce(self.bound, range, false, Adjacency::ReplaceOne)
            .unwrap()
    }

    /// The queries at the start and after each move: the columns, then the intercept.
    fn run(&self, features: Matrix<'static>) -> Vec<Vec<i64>> {
        let records = self.records(features);
        let mut gradient = Gradient::ask(
            &records,
            Slopes::Loss(self.loss),
            self.slope_grid,
            &RowFrame::plain(),
        )
        .unwrap();
        let mut queries = vec![look(&mut gradient)];
        for step in &self.path {
            match step {
                Move::Step(vertex, size) => gradient.step(&[(0, vertex.clone())], *size),
                Move::Intercept(value) => gradient.set_intercepts(&[*value]),
            }
            queries.push(look(&mut gradient));
        }
        queries
    }

    /// The same by the definition, from scratch at each step.
    fn reference(&self) -> Vec<Vec<i64>> {
        let records = self.records(self.dense());
        let unit = records.clip.grid.step();
        let q = self.slope_grid.step();
        let most = (self.loss.slope_bound() / q).floor();
        let mut slopes = vec![0.0f64; self.rows.len()];
        let (mut scaled, mut scale) = (vec![0.0f64; self.rows.len()], 1.0f64);
        let mut intercept = 0.0;
        let rows: Vec<Vec<f64>> = (0..self.rows.len())
            .map(|i| {
                let mut row = vec![0.0; self.width()];
                records.features.for_row(i, |j, x| row[j] = f64::from(x));
                row
            })
            .collect();
        let mut queries = Vec::new();
        for step in std::iter::once(None).chain(self.path.iter().map(Some)) {
            match step {
                None => {}
                Some(Move::Intercept(value)) => intercept = *value,
                Some(Move::Step(vertex, size)) => {
                    scale *= 1.0 - size;
                    if scale == 0.0 {
                        (scaled, scale) = (vec![0.0; self.rows.len()], 1.0);
                    }
                    for (scaled, row) in scaled.iter_mut().zip(&rows) {
                        *scaled += match vertex {
                            Vertex::Axis { column, value } => {
                                size * value * unit / scale * row[*column]
                            }
                            Vertex::Point(point) => {
                                let products = row.iter().zip(point).map(|(x, p)| x * p);
                                size * unit / scale * products.fold(0.0, |sum, x| sum + x)
                            }
                        };
                    }
                }
            }
            let mut sums = vec![0i128; self.width() + 1];
            for (i, slope) in slopes.iter_mut().enumerate() {
                let mut exact = [scale * scaled[i] + intercept];
                self.loss.slopes(&mut exact, &records.targets[i..=i]);
                if (exact[0] / q - *slope).abs() > 1.0 {
                    *slope = (exact[0] / q).round().clamp(-most, most);
                }
                for (sum, x) in sums.iter_mut().zip(rows[i].iter().chain(&[1.0])) {
                    *sum += (*slope as i128) * (*x as i128);
                }
            }
            queries.push(sums.iter().map(|sum| *sum as i64).collect());
        }
        queries
    }
}

/// Weights of several functions by their lists, function after function.
fn flat(lists: &[Vec<(u32, f64)>], width: usize) -> Vec<f64> {
    let mut weights = vec![0.0; lists.len() * width];
    for (k, list) in lists.iter().enumerate() {
        for (column, weight) in list {
            weights[k * width + *column as usize] = *weight;
        }
    }
    weights
}

fn look(gradient: &mut Gradient<'_>) -> Vec<i64> {
    let mut values = gradient.columns().raw_values().to_vec();
    values.extend(gradient.intercepts().raw_values());
    values
}

fn entry() -> impl Strategy<Value = f32> {
    prop_oneof![
        4 => Just(0.0f32),
        4 => -2.0..2.0f32,
        1 => prop::sample::select(vec![1e-45, f32::MAX, f32::MIN, -1e-30, 1.0]),
    ]
}

fn vertex(width: usize) -> impl Strategy<Value = Vertex> {
    prop_oneof![
        3 => (0..width, -20.0..20.0f64).prop_map(|(column, value)| Vertex::Axis { column, value }),
        1 => prop::collection::vec(-5.0..5.0f64, width).prop_map(Vertex::Point),
    ]
}

fn moves(width: usize) -> impl Strategy<Value = Move> {
    let size = prop_oneof![4 => 0.0..0.3f64, 1 => Just(1.0), 1 => Just(0.0)];
    prop_oneof![
        4 => (vertex(width), size).prop_map(|(vertex, size)| Move::Step(vertex, size)),
        1 => (-3.0..3.0f64).prop_map(Move::Intercept),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    let bound = prop_oneof![
        (0.1..5.0f64).prop_map(RecordBound::L2),
        (0.1..5.0f64).prop_map(RecordBound::Linf),
    ];
    let loss = prop_oneof![
        Just(Loss::Logistic),
        (0.5..3.0f64).prop_map(|threshold| Loss::Squared { threshold }),
    ];
    (1..5usize, 1..8usize).prop_flat_map(move |(width, count)| {
        let rows = prop::collection::vec(prop::collection::vec(entry(), width), count);
        let targets = prop::collection::vec(0.0..1.0f64, count);
        let path = prop::collection::vec(moves(width), 0..20);
        let rest = (bound.clone(), loss.clone(), -9..-1i32);
        (rows, targets, path, rest).prop_map(|(rows, targets, path, (bound, loss, exponent))| {
            Case {
                rows,
                targets,
                bound,
                loss,
                slope_grid: Grid::new(exponent).unwrap(),
                path,
            }
        })
    })
}

proptest! {
    #[test]
    fn sums_that_follow_the_changes_are_those_from_scratch(case in case()) {
        let reference = case.reference();
        prop_assert_eq!(&case.run(case.dense()), &reference);
        prop_assert_eq!(&case.run(case.sparse()), &reference);
    }

    /// The path is the same, since what was released is the same; one record is replaced.
    #[test]
    fn no_replaced_record_moves_a_gradient_by_more_than_its_sensitivity(
        case in case(),
        row in prop::collection::vec(entry(), 5),
        target in 0.0..1.0f64,
    ) {
        let mut neighbour = case.clone();
        neighbour.rows[0] = row[..case.width()].to_vec();
        neighbour.targets[0] = target;
        let records = case.records(case.dense());
        let mut gradient = Gradient::ask(&records, Slopes::Loss(case.loss), case.slope_grid, &RowFrame::plain()).unwrap();
        let columns = gradient.columns().raw_sensitivity();
        let intercept = gradient.intercepts().raw_sensitivity();
        // 2·K·b and 2·K, from the declared numbers alone.
        let most = (case.loss.slope_bound() / case.slope_grid.step()).floor() as u64;
        prop_assert_eq!(columns.linf, 2 * most * records.clip.steps);
        prop_assert_eq!(intercept.linf, 2 * most);
        let runs = pairs(case.run(case.sparse()), neighbour.run(neighbour.sparse()));
        for (a, b) in runs {
            let moved: Vec<u64> = pairs(&a, &b).map(|(a, b)| a.abs_diff(*b)).collect();
            let (of_intercept, of_columns) = moved.split_last().unwrap();
            prop_assert!(*of_intercept <= intercept.linf);
            prop_assert!(of_columns.iter().all(|moved| *moved <= columns.linf));
            let squares: u128 = of_columns.iter().map(|m| u128::from(*m).pow(2)).sum();
            prop_assert!(squares as f64 <= columns.l2 * columns.l2 * (1.0 + 1e-12));
        }
    }
}

/// A table large enough that blocks of slopes and scattered rows are shared among threads.
fn large() -> Case {
    let (count, width) = (40_000usize, 24usize);
    // Fixed pseudo-random numbers: the fractional parts of multiples of an irrational number.
    let pseudo_random = |k: usize| (k as f64 * 0.618_033_988_749_894_9).fract();
    let rows = (0..count)
        .map(|i| {
            let x = |j: usize| pseudo_random(i * 977 + j * 31) as f32 - 0.5;
            let kept = |j: usize| pseudo_random(i * 13 + j * 7919) < 0.3;
            (0..width)
                .map(|j| if kept(j) { x(j) } else { 0.0 })
                .collect()
        })
        .collect();
    let path = (0..30)
        .map(|t| match t % 10 {
            4 => Move::Intercept(pseudo_random(t) - 0.5),
            7 => Move::Step(
                Vertex::Point((0..width).map(|j| pseudo_random(t + j) - 0.5).collect()),
                0.1,
            ),
            _ => Move::Step(
                Vertex::Axis {
                    column: t * 37 % width,
                    value: 30.0 * (pseudo_random(t * 5) - 0.5),
                },
                2.0 / (t as f64 + 2.0),
            ),
        })
        .collect();
    Case {
        rows,
        targets: (0..count).map(|i| pseudo_random(i * 3).round()).collect(),
        bound: RecordBound::L2(2.0),
        loss: Loss::Logistic,
        slope_grid: Grid::new(-9).unwrap(),
        path,
    }
}

#[test]
fn queries_have_the_same_bits_on_any_number_of_threads() {
    let case = large();
    let on = |threads: usize, features: Matrix<'static>| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| case.run(features))
    };
    let alone = on(1, case.sparse());
    assert_eq!(alone, case.reference());
    for threads in [1, 2, 7] {
        assert!(on(threads, case.sparse()) == alone, "{threads} threads");
        assert!(
            on(threads, case.dense()) == alone,
            "{threads} threads, dense"
        );
    }
}

/// Two records that are as far apart as they can be: the sensitivity is reached, not only kept.
#[test]
fn the_sensitivity_is_reached() {
    let case = |x: f32| Case {
        rows: vec![vec![x]],
        targets: vec![0.0],
        bound: RecordBound::Linf(1.0),
        loss: Loss::Squared { threshold: 0.5 },
        slope_grid: Grid::new(-4).unwrap(),
        path: vec![Move::Intercept(9.0)],
    };
    let [up, down] = [1e30, -1e30].map(|x| case(x).run(case(x).dense())[1][0]);
    assert_eq!(up - down, 2 * 8 * (1 << 20));
}

#[test]
fn margins_beyond_all_bounds_leave_the_slopes_within_theirs() {
    let mut case = large();
    case.rows.truncate(50);
    case.targets.truncate(50);
    let far = |value| Move::Step(Vertex::Axis { column: 3, value }, 0.5);
    case.path = [1e300, f64::MAX, -f64::MAX, f64::INFINITY, f64::NAN, 1.0]
        .map(far)
        .to_vec();
    case.path.push(Move::Intercept(f64::INFINITY));
    let most = 50 * 512;
    for features in [case.dense(), case.sparse()] {
        for query in case.run(features) {
            let (intercept, columns) = query.split_last().unwrap();
            assert!(intercept.abs() <= most);
            assert!(columns.iter().all(|sum| sum.abs() <= most << 20));
        }
    }
}

/// A thousand halvings: the scale of the margins would vanish if it were never multiplied in.
#[test]
fn margins_survive_any_number_of_steps() {
    let mut case = large();
    case.rows.truncate(20);
    case.targets.truncate(20);
    let towards = |value| Move::Step(Vertex::Axis { column: 0, value }, 0.5);
    case.path = vec![towards(3.0); 2_000];
    let long = case.run(case.sparse()).pop();
    case.path = vec![Move::Step(
        Vertex::Axis {
            column: 0,
            value: 3.0,
        },
        1.0,
    )];
    let short = case.run(case.sparse()).pop();
    // Halving towards a vertex ends up there, within one slope step per record.
    for (long, short) in pairs(long.unwrap(), short.unwrap()) {
        assert!(long.abs_diff(short) <= 20 << 20);
    }
}

#[test]
fn a_grid_that_does_not_fit_is_refused_before_anything_is_summed() {
    let case = large();
    let records = case.records(case.sparse());
    let refusal = |loss, exponent| {
        let grid = Grid::new(exponent).unwrap();
        Gradient::ask(&records, Slopes::Loss(loss), grid, &RowFrame::plain())
            .map(drop)
            .unwrap_err()
    };
    for exponent in [1, -23] {
        let error = refusal(Loss::Logistic, exponent);
        assert!(matches!(error, SlopeGridError::Steps { .. }), "{error}");
    }
    let tiny = Loss::Squared { threshold: 1e-149 };
    assert_eq!(refusal(tiny, -495), SlopeGridError::Product);
    // 2²²·2²⁰ steps per record: 2²⁰ records are too many.
    let rows = 1 << 20;
    let many = Table {
        features: Matrix::Sparse(Csr::new(vec![0; rows + 1], vec![], vec![], 1).unwrap()),
        target: Target::Classes {
            class: vec![1; rows],
            names: vec!["no".into(), "yes".into()],
        },
        layout: Layout::Numbered { first: 1, width: 1 },
        assumed: Vec::new(),
        units: None,
    };
    let many = many.enforce(RecordBound::L2(1.0), None, false, Adjacency::ReplaceOne);
    let finest = Grid::new(-22).unwrap();
    let refused = Gradient::ask(
        &many.unwrap(),
        Slopes::Loss(Loss::Logistic),
        finest,
        &RowFrame::plain(),
    )
    .map(drop);
    assert_eq!(refused, Err(SlopeGridError::Records));
}
