//! Rows of length one, their border apart: what one record can do to every query, by brute force.

use super::*;

const WIDTH: usize = 3;
const CONSTANT: f64 = 0.7;

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
    };
    table.enforce(bound, None, true, adjacency).unwrap()
}

/// The queries along a path: values, ℓ∞ and ℓ₂ sensitivity.
type Told = (Vec<i64>, u64, f64);

fn told(query: &Query<'_>) -> Told {
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

fn binary(table: &[Record], bound: RecordBound, adjacency: Adjacency, stored: Stored) -> Vec<Told> {
    let records = records(table, bound, 2, adjacency, stored);
    let unit = records.unit(&[0, 1, 2], CONSTANT);
    assert_eq!(
        matches!(unit.features, Matrix::Bordered(_)),
        stored == Stored::Sparse
    );
    let mut all = Vec::new();
    let mut gradient = unit
        .gradient_clipped(Loss::Logistic, Grid::new(-7).unwrap(), 0.75)
        .unwrap();
    all.push(told(&gradient.columns()));
    for (k, point) in points(1).iter().enumerate() {
        gradient.set_weights(point);
        gradient.set_intercept(point[0] / 2.0);
        all.push(told(&gradient.columns()));
        all.push(told(&gradient.of_intercept()));
        // The border is a column that a vertex may lie on.
        let column = k % (WIDTH + 1);
        gradient.step(&Vertex::Axis { column, value: 5.0 }, 0.3);
        gradient.step(
            &Vertex::Axis {
                column: WIDTH,
                value: -9.0,
            },
            0.2,
        );
        all.push(told(&gradient.columns()));
    }
    let cap = Cap {
        slope: 0.75,
        length: 0.6,
        intercept: 0.4,
    };
    let mut gradient = unit
        .gradient_within(Loss::Logistic, Grid::new(-7).unwrap(), cap)
        .unwrap();
    for point in points(1) {
        gradient.set_weights(&point);
        all.push(told(&gradient.all()));
    }
    for length in [0.3, 1.0, 5.0] {
        all.push(told(&unit.moments(length, 0.5).unwrap()));
    }
    all
}

fn several(
    table: &[Record],
    bound: RecordBound,
    adjacency: Adjacency,
    stored: Stored,
) -> Vec<Told> {
    let records = records(table, bound, 3, adjacency, stored);
    let unit = records.unit(&[0, 1, 2], CONSTANT);
    let cap = Cap {
        slope: 0.8,
        length: 0.6,
        intercept: 0.4,
    };
    let grid = Grid::new(-7).unwrap();
    let mut all = Vec::new();
    let gradients = [
        unit.class_gradient(grid).unwrap(),
        unit.class_gradient_clipped(grid, 0.8).unwrap(),
        unit.class_gradient_within(grid, cap).unwrap(),
    ];
    for mut gradient in gradients {
        all.push(told(&gradient.of_intercepts()));
        for point in points(3) {
            let lists: Vec<Vec<(u32, f64)>> = point
                .chunks(WIDTH + 1)
                .map(|p| (0..).zip(p.iter().copied()).collect())
                .collect();
            gradient.set_point(&lists);
            gradient.set_intercepts(&[point[0], point[1], point[2]]);
            all.push(told(&gradient.columns()));
            all.push(told(&gradient.of_intercepts()));
            all.push(told(&gradient.all()));
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
    run: fn(&[Record], RecordBound, Adjacency, Stored) -> Vec<Told>,
    classes: u32,
) -> (usize, f64, f64) {
    let (mut pairs, mut worst_linf, mut worst_l2) = (0, 0.0f64, 0.0f64);
    for bound in [RecordBound::Linf(1.0), RecordBound::L2(0.9)] {
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let all: Vec<Vec<Told>> = every(classes)
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
fn no_unit_record_moves_a_query_of_two_classes_by_more_than_it_states() {
    let (pairs, linf, l2) = check(binary, 2);
    // And the sensitivities are reached.
    assert!(pairs > 1_000_000 && linf > 0.99 && l2 > 0.99, "{linf} {l2}");
}

#[test]
fn no_unit_record_moves_a_query_of_several_classes_by_more_than_it_states() {
    let (pairs, linf, l2) = check(several, 3);
    assert!(pairs > 1_000_000 && linf > 0.99 && l2 > 0.99, "{linf} {l2}");
}

/// Other records stay as they are whatever one of them is, and sums are sums.
#[test]
fn unit_records_add_up_whatever_the_others_are() {
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
            for ((t, a), b) in together.iter().zip(one).zip(two) {
                let sum: Vec<i64> = a.0.iter().zip(&b.0).map(|(a, b)| a + b).collect();
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
        let unit = records.unit(&[0, 1, 2], CONSTANT);
        let mut all = Vec::new();
        for records in [&records, &unit] {
            let columns: Vec<usize> = (0..records.width()).collect();
            let mut gradient = records
                .class_gradient_clipped(Grid::new(-7).unwrap(), 0.8)
                .unwrap();
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
                for ((a, range), (b, _)) in a.iter().zip(b) {
                    let moves = a.iter().zip(b).map(|(a, b)| a - b);
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
