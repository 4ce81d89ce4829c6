//! Rows capped at a length, and the second moments of such rows.

use proptest::prelude::*;

use super::*;
use crate::matrix::{Csr, Dense};
use crate::population::Moments;
use crate::privacy::Adjacency;
use crate::table::RecordBound;
use crate::table::TargetRange;
use crate::table::{Layout, Table, Target};
use crate::testing::pairs;

const WIDTH: usize = 4;
const CONSTANT: f64 = 0.8;

fn records(
    rows: &[Vec<f32>],
    targets: &[f64],
    bound: RecordBound,
    sparse: bool,
) -> Records<'static> {
    let features = if sparse {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in rows {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap())
    } else {
        Matrix::Dense(Dense::new(rows.concat(), rows.len(), WIDTH).unwrap())
    };
    let table = Table {
        features,
        target: Target::Values(targets.to_vec()),
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let range = TargetRange {
        low: 0.0,
        high: 1.0,
    };
    table
        .enforce(bound, Some(range), false, Adjacency::ReplaceOne)
        .unwrap()
}

fn cap() -> RowFrame<'static> {
    RowFrame {
        slope: 0.5,
        length: Length::Within(1.1),
        centre: &[],
        scales: &[],
        constant: CONSTANT,
        offsets: &[],
    }
}

/// The sums along a path of weights, the last being the constant's.
fn run(records: &Records, loss: Loss, path: &[Vec<f64>]) -> Vec<Vec<i64>> {
    let grid = Grid::new(-8).unwrap();
    let mut gradient = Gradient::ask(&records, Slopes::Loss(loss), grid, &cap()).unwrap();
    let mut seen = vec![gradient.all().raw_values().to_vec()];
    for weights in path {
        gradient.set_weights(&weights[..WIDTH]);
        gradient.set_intercepts(&[CONSTANT * weights[WIDTH]]);
        seen.push(gradient.all().raw_values().to_vec());
    }
    seen
}

fn rows() -> impl Strategy<Value = Vec<Vec<f32>>> {
    let entry = prop_oneof![2 => Just(0.0f32), 4 => -3.0..3.0f32, 1 => Just(f32::MAX)];
    prop::collection::vec(prop::collection::vec(entry, WIDTH), 2..7)
}

fn path() -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-4.0..4.0f64, WIDTH + 1), 0..6)
}

fn bound() -> impl Strategy<Value = RecordBound> {
    prop_oneof![Just(RecordBound::L2(2.0)), Just(RecordBound::Linf(1.0))]
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![Just(Loss::Logistic), Just(Loss::Squared { threshold: 0.7 })]
}

fn moved(a: &[i64], b: &[i64]) -> (u64, f64) {
    let differences = || pairs(a, b).map(|(a, b)| a.abs_diff(*b));
    let squares: u128 = differences().map(|x| u128::from(x).pow(2)).sum();
    (differences().max().unwrap(), (squares as f64).sqrt())
}

proptest! {
    #[test]
    fn no_replaced_record_moves_a_capped_gradient_by_more_than_its_sensitivity(
        rows in rows(), bound in bound(), loss in loss(), path in path(),
        targets in prop::collection::vec(0.0..1.0f64, 7),
    ) {
        let count = rows.len() - 1;
        let before = records(&rows[1..], &targets[1..=count], bound, true);
        let mut swapped = rows[..count].to_vec();
        // The last of one is the first of the other: all else is shared.
        swapped.rotate_left(1);
        let mut others = targets[..count].to_vec();
        others.rotate_left(1);
        let after = records(&swapped, &others, bound, true);
        let grid = Grid::new(-8).unwrap();
        let sensitivity = Gradient::ask(&before, Slopes::Loss(loss), grid, &cap()).unwrap().all().raw_sensitivity();
        // 2·⌊R·C/(q·g)⌋ and 2·K·max(b, b₀), from the declared numbers alone.
        let unit = before.clip.grid.step();
        let most = 2.0 * (0.5 * 256.0 * (1.1 / unit)).floor();
        prop_assert!(sensitivity.l2 <= most);
        prop_assert!(sensitivity.linf as f64 <= most);
        for (a, b) in pairs(run(&before, loss, &path), run(&after, loss, &path)) {
            let (linf, l2) = moved(&a, &b);
            prop_assert!(linf <= sensitivity.linf);
            prop_assert!(l2 <= sensitivity.l2 * (1.0 + 1e-12));
        }
    }

    #[test]
    fn capped_sums_that_follow_the_changes_are_near_those_of_the_weighted_loss(
        rows in rows(), bound in bound(), loss in loss(), path in path(),
        targets in prop::collection::vec(0.0..1.0f64, 7),
    ) {
        let targets = &targets[..rows.len()];
        let records = records(&rows, targets, bound, false);
        let (q, g) = (Grid::new(-8).unwrap().step(), records.clip.grid.step());
        let found = run(&records, loss, &path);
        let start = vec![0.0; WIDTH + 1];
        for (found, weights) in pairs(&found, &[&[start], &path[..]].concat()) {
            let (mut sums, mut slack) = (vec![0.0; WIDTH + 1], vec![0.0; WIDTH + 1]);
            for (i, target) in records.targets.iter().enumerate() {
                let mut z = vec![0.0; WIDTH];
                records.features.for_row(i, |j, x| z[j] = f64::from(x) * g);
                z.push(CONSTANT);
                let length = z.iter().map(|x| x * x).sum::<f64>().sqrt();
                let margin: f64 = pairs(&z, weights).map(|(x, w)| x * w).sum();
                let slope = loss.slope(margin, *target).clamp(-0.5, 0.5) * (1.1 / length).min(1.0);
                for ((sum, slack), x) in sums.iter_mut().zip(&mut slack).zip(&z) {
                    *sum += slope * x;
                    // A slope lags by up to a step and may be truncated by one.
                    *slack += 2.01 * q * x.abs() + 1e-5;
                }
            }
            for ((found, exact), slack) in pairs(pairs(found, sums), slack) {
                prop_assert!((*found as f64 * q * g - exact).abs() <= slack);
            }
        }
    }

    #[test]
    fn moments_are_those_of_weighed_records_and_one_moves_them_by_no_more_than_their_sensitivity(
        rows in rows(), bound in bound(),
    ) {
        let length = 1.1f64;
        let moments = |rows: &[Vec<f32>]| {
            let records = records(rows, &vec![0.0; rows.len()], bound, false);
            (Moments { length, constant: CONSTANT }.ask(&records).unwrap(), records)
        };
        let count = rows.len() - 1;
        let (query, records) = moments(&rows[1..]);
        let (other, _) = moments(&rows[..count]);
        let (linf, l2) = moved(query.raw_values(), other.raw_values());
        let sensitivity = query.raw_sensitivity();
        prop_assert!(linf <= sensitivity.linf && l2 <= sensitivity.l2);

        let mut matrix = vec![vec![0.0; WIDTH + 1]; WIDTH + 1];
        for i in 0..count {
            let mut z = vec![0.0; WIDTH];
            records.features.for_row(i, |j, x| z[j] = f64::from(x) * records.clip.grid.step());
            z.push(CONSTANT);
            let squares: f64 = z.iter().map(|x| x * x).sum();
            let weight = (length * length / squares).min(1.0);
            for j in 0..=WIDTH {
                for k in 0..=WIDTH {
                    matrix[j][k] += weight * z[j] * z[k];
                }
            }
        }
        let grid = query.raw_grid();
        let real: Vec<f64> = query.raw_values().iter().map(|v| grid.to_real(*v)).collect();
        let found = Moments::unpack(&real, WIDTH);
        for (found, exact) in pairs(found.concat(), matrix.concat()) {
            prop_assert!((found - exact).abs() < 1e-4, "{found} {exact}");
        }
    }

    #[test]
    fn parts_of_a_query_move_no_more_than_they_say(
        rows in rows(), bound in bound(), shift in prop::collection::vec(-1e3..1e3f64, WIDTH + 1),
    ) {
        let targets = vec![0.0; rows.len()];
        let grid = Grid::new(-8).unwrap();
        let part = |rows: &[Vec<f32>]| {
            let records = records(rows, &targets[..rows.len()], bound, false);
            let mut gradient = Gradient::ask(&records, Slopes::Loss(Loss::Logistic), grid, &cap()).unwrap();
            let query = gradient.all().shifted(&shift).at(&[1, WIDTH]);
            (query.raw_values().to_vec(), query.raw_sensitivity())
        };
        let (a, sensitivity) = part(&rows[1..]);
        let (b, _) = part(&rows[..rows.len() - 1]);
        let (linf, l2) = moved(&a, &b);
        prop_assert!(linf <= sensitivity.linf && l2 <= sensitivity.l2 * (1.0 + 1e-12));
        let all = sensitivity.linf as f64 * std::f64::consts::SQRT_2;
        prop_assert!(sensitivity.l2 <= all * (1.0 + 1e-12));
    }
}

/// Two records along different axes, both longer than the cap: √2·C² apart.
#[test]
fn the_sensitivity_of_moments_is_reached() {
    let axis = |j: usize| {
        let row = (0..WIDTH).map(|k| if j == k { 2.0 } else { 0.0 }).collect();
        let records = records(&[row], &[0.0], RecordBound::L2(2.0), false);
        Moments {
            length: 1.0,
            constant: 0.0,
        }
        .ask(&records)
        .unwrap()
    };
    let (a, b) = (axis(0), axis(1));
    let (_, l2) = moved(a.raw_values(), b.raw_values());
    let most = a.raw_sensitivity().l2;
    assert!(l2 <= most && l2 > 0.9999 * most, "{l2} of {most}");
}

/// Two records as far apart as they can be, both longer than the cap.
#[test]
fn the_sensitivity_of_a_capped_gradient_is_reached() {
    // The same row, and slopes of the full size and of either sign.
    let rows = [vec![1.0; WIDTH]];
    let loss = Loss::Squared { threshold: 0.7 };
    let bound = RecordBound::Linf(1.0);
    let sums = |target: f64| {
        let records = records(&rows, &[target], bound, false);
        let path = [vec![0.5 / (WIDTH as f64 + CONSTANT * CONSTANT); WIDTH]];
        let path = [[
            &path[0][..],
            &[0.5 * CONSTANT / (WIDTH as f64 + CONSTANT * CONSTANT)],
        ]
        .concat()];
        run(&records, loss, &path).pop().unwrap()
    };
    let (_, l2) = moved(&sums(0.0), &sums(1.0));
    let records = records(&rows, &[0.0], bound, false);
    let grid = Grid::new(-8).unwrap();
    let query = Gradient::ask(&records, Slopes::Loss(loss), grid, &cap())
        .unwrap()
        .all();
    let most = query.raw_sensitivity().l2;
    // A whole number of slope steps, of which there are 0.5·1.1/(2⁻⁸·√4.64) = 65.
    assert!(
        l2 <= most && l2 > (1.0 - 1.0 / 65.0) * most,
        "{l2} of {most}"
    );
}

#[test]
fn capped_queries_have_the_same_bits_on_any_number_of_threads() {
    let pseudo_random = |k: usize| (k as f64 * 0.618_033_988_749_894_9).fract() as f32 - 0.5;
    let rows: Vec<Vec<f32>> = (0..40_000)
        .map(|i| {
            (0..WIDTH)
                .map(|j| 4.0 * pseudo_random(i * 977 + j * 31))
                .collect()
        })
        .collect();
    let targets: Vec<f64> = (0..rows.len())
        .map(|i| f64::from(pseudo_random(i * 7)) + 0.5)
        .collect();
    let path: Vec<Vec<f64>> = (0..4)
        .map(|t| {
            (0..=WIDTH)
                .map(|j| f64::from(pseudo_random(t * 5 + j)))
                .collect()
        })
        .collect();
    let on = |threads: usize, sparse: bool| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            let records = records(&rows, &targets, RecordBound::Linf(1.0), sparse);
            let mut seen = run(&records, Loss::Logistic, &path);
            let moments = Moments {
                length: 1.0,
                constant: CONSTANT,
            }
            .ask(&records)
            .unwrap();
            seen.push(moments.raw_values().to_vec());
            seen
        })
    };
    let alone = on(1, false);
    for threads in [2, 7] {
        assert!(on(threads, false) == alone, "{threads} threads");
        assert!(on(threads, true) == alone, "{threads} threads, sparse");
    }
}
