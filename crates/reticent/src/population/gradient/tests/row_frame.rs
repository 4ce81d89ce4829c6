//! Rows that are centred and scaled to length one: how far one record moves every query, by brute
//! force; and that the queries have the documented values.

mod hostile;

use super::*;
use crate::population::Directions;
use crate::testing::pairs;

const WIDTH: usize = 3;
const SLOPE: f64 = 0.75;
/// Scales in place of a centre: usual ones, the same for all, and some beyond what there is.
const SCALES: [&[f64]; 3] = [&[1.0, 0.25, 0.0625], &[0.5; WIDTH], &[f64::NAN, 7.0, -1.0]];
/// Centres and constants: none, usual ones, one beyond the bound, and one without a constant.
const FROM: [(&[f64], f64); 6] = [
    (&[], 0.7),
    (&[], 0.0),
    (&[0.3, -0.2, 0.9], 0.7),
    (&[1.0, 1.0, 0.0], 0.001),
    (&[5.0, -5.0, 1e-8], 1.0),
    (&[0.4, 0.0, -0.4], 0.0),
];

/// Every frame of the enumeration.
fn frames() -> impl Iterator<Item = RowFrame<'static>> {
    let scaled = |scales| {
        [0.7, 0.0].map(|constant| RowFrame {
            scales,
            ..about((&[], constant))
        })
    };
    FROM.into_iter()
        .map(about)
        .chain(SCALES.into_iter().flat_map(scaled))
}

fn about((centre, intercept): (&[f64], f64)) -> RowFrame<'_> {
    RowFrame {
        length: Length::One,
        slope: SLOPE,
        centre,
        scales: &[],
        constant: intercept,
        offsets: &[],
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Stored {
    Dense,
    Sparse,
}

type Record = ([f32; WIDTH], u32);

fn records(
    table: &[Record],
    bound: RecordBound,
    classes: u32,
    adjacency: Adjacency,
    stored: Stored,
) -> Records<'static> {
    let features = if stored == Stored::Dense {
        let values = table.iter().flat_map(|(row, _)| *row).collect();
        Matrix::Dense(Dense::new(values, table.len(), WIDTH).unwrap())
    } else {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (row, _) in table {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap())
    };
    let target = Target::Classes {
        class: table.iter().map(|(_, class)| *class).collect(),
        names: (0..classes).map(|k| k.to_string()).collect(),
    };
    let table = Table {
        features,
        target,
        layout: Layout::Numbered {
            first: 0,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    table.enforce(bound, None, true, adjacency).unwrap()
}

/// The queries along a path: values, ℓ∞ and ℓ₂ sensitivity.
type Answer = (Vec<i64>, u64, f64);

fn answer(query: &Query<'_>) -> Answer {
    let s = query.raw_sensitivity();
    (query.raw_values().to_vec(), s.linf, s.l2)
}

fn points(outputs: usize) -> Vec<Vec<f64>> {
    let mut state = 88172645463325252u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    };
    let scale = [0.0, 0.3, 3.0, 30.0, 1e6, 1.0];
    scale
        .iter()
        .map(|s| (0..outputs * (WIDTH + 1)).map(|_| s * next()).collect())
        .collect()
}

fn binary(
    table: &[Record],
    bound: RecordBound,
    adjacency: Adjacency,
    stored: Stored,
) -> Vec<Answer> {
    let records = records(table, bound, 2, adjacency, stored);
    let mut all = Vec::new();
    for frame in frames() {
        let grid = Grid::new(-7).unwrap();
        let gradient = Gradient::ask(&records, Slopes::Loss(Loss::Logistic), grid, &frame);
        let mut gradient = gradient.unwrap();
        all.push(answer(&gradient.all()));
        for point in points(1) {
            gradient.set_weights(&point[..WIDTH]);
            gradient.set_intercepts(&[point[WIDTH]]);
            all.push(answer(&gradient.all()));
            all.push(answer(&gradient.columns()));
            all.push(answer(&gradient.intercepts()));
        }
    }
    for constant in [0.0, 0.7, 50.0] {
        all.push(answer(&Directions { constant }.ask(&records).unwrap()));
    }
    all
}

fn several(
    table: &[Record],
    bound: RecordBound,
    adjacency: Adjacency,
    stored: Stored,
) -> Vec<Answer> {
    let records = records(table, bound, 3, adjacency, stored);
    let mut all = Vec::new();
    for frame in frames() {
        let grid = Grid::new(-7).unwrap();
        let mut gradient = Gradient::ask(&records, Slopes::Classes, grid, &frame).unwrap();
        for point in points(3) {
            let lists: Vec<Vec<(u32, f64)>> = point
                .chunks(WIDTH + 1)
                .map(|p| (0..).zip(p[..WIDTH].iter().copied()).collect())
                .collect();
            gradient.set_weights(&flat(&lists, WIDTH));
            gradient.set_intercepts(&[point[0], point[1], point[2]]);
            all.push(answer(&gradient.columns()));
            all.push(answer(&gradient.intercepts()));
            all.push(answer(&gradient.all()));
        }
    }
    all
}

/// Enumerated records: rows on a coarse grid with extremes, and every class.
fn every(classes: u32) -> Vec<Record> {
    let values = [0.0f32, 1e-7, -0.4, 1.0, -3e38];
    let mut all = Vec::new();
    for a in values {
        for b in values {
            for c in values {
                for class in 0..classes {
                    all.push(([a, b, c], class));
                }
            }
        }
    }
    all
}

fn check(
    run: fn(&[Record], RecordBound, Adjacency, Stored) -> Vec<Answer>,
    classes: u32,
) -> (usize, f64, f64) {
    let (mut pairs, mut worst_linf, mut worst_l2) = (0, 0.0f64, 0.0f64);
    for bound in [RecordBound::Linf(1.0), RecordBound::L2(0.9)] {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let all: Vec<Vec<Answer>> = every(classes)
                .into_iter()
                .map(|record| {
                    let sparse = run(&[record], bound, adjacency, Stored::Sparse);
                    assert_eq!(sparse, run(&[record], bound, adjacency, Stored::Dense));
                    sparse
                })
                .collect();
            for (k, (_, linf, l2)) in all[0].iter().enumerate() {
                let mut consider = |a: &[i64], b: Option<&[i64]>| {
                    let moves = (0..a.len()).map(|j| a[j] - b.map_or(0, |b| b[j]));
                    let most = moves.clone().map(i64::unsigned_abs).max().unwrap_or(0);
                    let squares: i128 = moves.map(|m| i128::from(m) * i128::from(m)).sum();
                    let (inf, two) = (most as f64 / *linf as f64, (squares as f64).sqrt() / l2);
                    assert!(most <= *linf, "query {k}: {most} > {linf}");
                    assert!(two <= 1.0 + 1e-12, "query {k}: {two}");
                    (worst_linf, worst_l2) = (worst_linf.max(inf), worst_l2.max(two));
                    pairs += 1;
                };
                for (i, a) in all.iter().enumerate() {
                    if adjacency == Adjacency::AddRemove {
                        consider(&a[k].0, None);
                        continue;
                    }
                    for b in &all[..i] {
                        consider(&a[k].0, Some(&b[k].0));
                    }
                }
            }
        }
    }
    (pairs, worst_linf, worst_l2)
}

#[test]
fn no_centred_record_moves_a_query_of_two_classes_by_more_than_it_states() {
    let (pairs, linf, l2) = check(binary, 2);
    // And the sensitivities are reached.
    assert!(pairs > 1_000_000 && linf > 0.99 && l2 > 0.99, "{linf} {l2}");
}

#[test]
fn no_centred_record_moves_a_query_of_several_classes_by_more_than_it_states() {
    let (pairs, linf, l2) = check(several, 3);
    // (Residuals of three classes that are 0.75 long have none that is.)
    assert!(pairs > 1_000_000 && linf > 0.8 && l2 > 0.99, "{linf} {l2}");
}

/// Other records stay as they are whatever one of them is, and sums are sums.
#[test]
fn centred_records_add_up_whatever_the_others_are() {
    let set = every(3);
    for i in (0..set.len()).step_by(7) {
        for j in (0..set.len()).step_by(11) {
            let bound = RecordBound::L2(0.9);
            let together = several(
                &[set[i], set[j]],
                bound,
                Adjacency::ReplaceOne,
                Stored::Sparse,
            );
            let one = several(&[set[i]], bound, Adjacency::ReplaceOne, Stored::Sparse);
            let two = several(&[set[j]], bound, Adjacency::ReplaceOne, Stored::Sparse);
            for ((t, a), b) in pairs(pairs(&together, one), two) {
                let sum: Vec<i64> = pairs(&a.0, &b.0).map(|(a, b)| a + b).collect();
                assert_eq!(t.0, sum);
            }
        }
    }
}

/// The range of column norms, on tables of some others.
#[test]
fn no_record_moves_column_norms_by_more_than_their_range() {
    let set = every(3);
    let mut worst = 0.0f64;
    let scores = |table: &[Record], adjacency| -> Vec<(Vec<i64>, u64)> {
        let records = records(table, RecordBound::Linf(1.0), 3, adjacency, Stored::Sparse);
        let grid = Grid::new(-7).unwrap();
        let gradients = [
            Gradient::ask(&records, Slopes::Classes, grid, &RowFrame::clipped(0.8)),
            Gradient::ask(&records, Slopes::Classes, grid, &about(FROM[2])),
        ];
        let mut all = Vec::new();
        for gradient in gradients {
            let columns: Vec<usize> = (0..records.shape().width()).collect();
            let mut gradient = gradient.unwrap();
            for b in [[0.0; 3], [1.0, -2.0, 0.5], [9.0, -9.0, 0.0]] {
                gradient.set_intercepts(&b);
                let s = gradient.column_norms(&columns);
                all.push((s.raw_values().to_vec(), s.raw_range()));
            }
        }
        all
    };
    for base in [
        vec![],
        vec![set[5]],
        vec![set[17], set[200]],
        vec![set[371]; 3],
    ] {
        for i in (0..set.len()).step_by(2) {
            let with = |record: Option<Record>| -> Vec<Record> {
                base.iter().copied().chain(record).collect()
            };
            let mut compare = |a: &[(Vec<i64>, u64)], b: &[(Vec<i64>, u64)]| {
                for ((a, range), (b, other)) in pairs(a, b) {
                    assert_eq!(range, other);
                    let moves = pairs(a, b).map(|(a, b)| a - b);
                    let spread = moves.clone().max().unwrap() - moves.min().unwrap();
                    assert!(spread as u64 <= *range, "{spread} > {range}");
                    worst = worst.max(spread as f64 / *range as f64);
                }
            };
            let a = scores(&with(Some(set[i])), Adjacency::ReplaceOne);
            for j in (0..i).step_by(13) {
                compare(&a, &scores(&with(Some(set[j])), Adjacency::ReplaceOne));
            }
            if !base.is_empty() {
                let a = scores(&with(Some(set[i])), Adjacency::AddRemove);
                compare(&a, &scores(&with(None), Adjacency::AddRemove));
            }
        }
    }
    assert!(worst > 0.99, "{worst}");
}

/// A centred and scaled row in real numbers.
fn seen(records: &Records, i: usize, (centre, constant): (&[f64], f64)) -> Vec<f64> {
    let mut row = vec![0.0; WIDTH];
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = records.shape().bound();
    let unit = records.clip.grid.step();
    records
        .features
        .for_row(i, |j, x| row[j] = f64::from(x) * unit);
    for (x, m) in row.iter_mut().zip(centre) {
        *x -= m.clamp(-bound, bound);
    }
    row.push(constant.min(bound));
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    row.iter().map(|x| x / length).collect()
}

/// The gradient in real numbers, of one function or of one per class.
fn in_floats(records: &Records, from: (&[f64], f64), weights: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut sums = vec![vec![0.0; WIDTH + 1]; weights.len()];
    for (i, target) in records.targets.iter().enumerate() {
        let row = seen(records, i, from);
        let margin = |weights: &Vec<f64>| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        let mut slopes: Vec<f64> = weights.iter().map(margin).collect();
        if let [slope] = &mut slopes[..] {
            *slope = Loss::Logistic.slope(*slope, *target).clamp(-SLOPE, SLOPE);
        } else {
            crate::loss::residuals(&mut slopes, *target as usize);
            let norm = slopes.iter().map(|x| x * x).sum::<f64>().sqrt();
            let factor = (SLOPE / norm).min(1.0);
            slopes.iter_mut().for_each(|slope| *slope *= factor);
        }
        for (sums, slope) in sums.iter_mut().zip(slopes) {
            for (sum, x) in sums.iter_mut().zip(&row) {
                *sum += slope * x;
            }
        }
    }
    sums
}

#[test]
fn the_gradient_is_that_of_rows_of_length_one() {
    let pseudo_random =
        |k: usize| ((k as f64 * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0) as f32;
    let grid = Grid::new(-12).unwrap();
    for classes in [2, 3] {
        let record = |i: usize| {
            (
                [
                    pseudo_random(7 * i),
                    pseudo_random(i),
                    pseudo_random(3 * i + 1),
                ],
                (i % 5) as u32 % classes,
            )
        };
        let table: Vec<Record> = (0..200).map(record).collect();
        let outputs = if classes == 2 { 1 } else { 3 };
        for bound in [RecordBound::Linf(1.0), RecordBound::L2(0.9)] {
            let records = records(&table, bound, classes, Adjacency::ReplaceOne, Stored::Dense);
            for from @ (centre, constant) in [FROM[0], FROM[2], FROM[4]] {
                for point in points(outputs).iter().take(4) {
                    let weights: Vec<Vec<f64>> =
                        point.chunks(WIDTH + 1).map(<[f64]>::to_vec).collect();
                    let (RecordBound::L2(most) | RecordBound::Linf(most)) = bound;
                    // b = b₀·w₀ − m·w.
                    let intercept = |w: &Vec<f64>| {
                        let of_centre = centre.iter().zip(w).map(|(m, w)| m.clamp(-most, most) * w);
                        constant.min(most) * w[WIDTH] - of_centre.sum::<f64>()
                    };
                    let found = if classes == 2 {
                        let gradient = Gradient::ask(
                            &records,
                            Slopes::Loss(Loss::Logistic),
                            grid,
                            &about(from),
                        );
                        let mut gradient = gradient.unwrap();
                        gradient.set_weights(&weights[0][..WIDTH]);
                        gradient.set_intercepts(&[intercept(&weights[0])]);
                        real(&gradient.all())
                    } else {
                        let mut gradient =
                            Gradient::ask(&records, Slopes::Classes, grid, &about(from)).unwrap();
                        let list = |w: &Vec<f64>| (0..).zip(w[..WIDTH].iter().copied()).collect();
                        gradient.set_weights(&flat(
                            &weights.iter().map(list).collect::<Vec<_>>(),
                            WIDTH,
                        ));
                        gradient.set_intercepts(&weights.iter().map(intercept).collect::<Vec<_>>());
                        real(&gradient.all())
                    };
                    let exact = in_floats(&records, from, &weights);
                    let columns = exact.iter().flat_map(|sums| &sums[..WIDTH]);
                    let constants = exact.iter().map(|sums| &sums[WIDTH]);
                    // A slope lags by up to a step and may be truncated by one.
                    let slack = 200.0 * 2.1 * grid.step();
                    let exact: Vec<&f64> = columns.chain(constants).collect();
                    for (found, exact) in pairs(&found, exact) {
                        assert!((found - exact).abs() < slack, "{found} {exact}");
                    }
                }
            }
        }
    }
}

#[test]
fn directions_are_those_of_the_rows() {
    let table: Vec<Record> = every(2).into_iter().step_by(3).collect();
    for bound in [RecordBound::Linf(1.0), RecordBound::L2(0.9)] {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let records = records(&table, bound, 2, adjacency, Stored::Sparse);
            let found = real(&Directions { constant: 0.7 }.ask(&records).unwrap());
            let mut exact = vec![0.0; WIDTH + 1];
            for i in 0..table.len() {
                let row = seen(&records, i, (&[], 0.7));
                exact.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
            }
            for (found, exact) in pairs(&found, exact) {
                // The largest number of records leaves 9 bits for a row.
                assert!(
                    (found - exact).abs() < table.len() as f64 / 400.0,
                    "{found} {exact}"
                );
            }
        }
    }
}

fn real(query: &Query<'_>) -> Vec<f64> {
    let grid = query.raw_grid();
    query
        .raw_values()
        .iter()
        .map(|v| grid.to_real(*v))
        .collect()
}

/// Columns that are scaled are those of a table whose entries were: the same gradient, where scales are
/// powers of two.
#[test]
fn scaled_columns_are_those_of_a_scaled_table() {
    let scales = [1.0, 0.25, 0.5];
    let grid = Grid::new(-14).unwrap();
    let table: Vec<Record> = (0..40)
        .map(|i| {
            let x = |k: u32| ((i * 7 + k * 5) % 11) as f32 / 16.0 - 0.3;
            ([x(0), x(1), x(2)], i % 3)
        })
        .collect();
    let times = |(row, class): &Record| {
        let mut scaled = *row;
        for (x, s) in scaled.iter_mut().zip(scales) {
            *x *= s as f32;
        }
        (scaled, *class)
    };
    let of = |table: &[Record], scales: &[f64], weights: &[f64]| {
        let bound = RecordBound::L2(2.0);
        let records = records(table, bound, 3, Adjacency::ReplaceOne, Stored::Sparse);
        let frame = RowFrame {
            scales,
            ..about((&[], 0.7))
        };
        let mut gradient = Gradient::ask(&records, Slopes::Classes, grid, &frame).unwrap();
        gradient.set_weights(weights);
        gradient.set_intercepts(&[0.1, -0.2, 0.0]);
        real(&gradient.all())
    };
    let weights: Vec<f64> = (0..9).map(|k| f64::from(k) * 0.3 - 1.0).collect();
    let of_columns: Vec<f64> = weights
        .iter()
        .enumerate()
        .map(|(k, w)| w * scales[k % WIDTH])
        .collect();
    let scaled: Vec<Record> = table.iter().map(times).collect();
    let slack = 40.0 * 4.2 * grid.step();
    for (a, b) in pairs(of(&table, &scales, &of_columns), of(&scaled, &[], &weights)) {
        assert!((a - b).abs() < slack, "{a} {b}");
    }
}
