//! What the questions around fits of classes promise: a plain sum over the records, the same bits
//! however rows are stored and split, and no more sensitivity than was said beforehand.

use super::*;
use crate::matrix::{Csr, Dense, Matrix};
use crate::population::{Parts, Point, Population, Query};
use crate::privacy::Adjacency;
use crate::table::{Layout, RecordBound, Table, Target};
use crate::testing::pairs;

const WIDTH: usize = 5;
/// More than two blocks of a thread.
const ROWS: usize = 2500;

/// Fixed pseudo-random numbers in [−1, 1).
fn pseudo_random(k: usize) -> f64 {
    2.0 * (k as f64 * 0.618_033_988_749_894_9).fract() - 1.0
}

/// A row: multiples of 1/64 within the bound, which the grid keeps as they are, and zeros among them.
fn row(i: usize) -> [f64; WIDTH] {
    std::array::from_fn(|j| {
        let kept = !(i + j).is_multiple_of(3);
        f64::from(u8::from(kept)) * (64.0 * pseudo_random(i * 977 + j * 31)).round() / 64.0
    })
}

fn class(i: usize, classes: u32) -> u32 {
    ((i * i + i / 7) % classes as usize) as u32
}

fn records(
    rows: std::ops::Range<usize>,
    classes: u32,
    sparse: bool,
    adjacency: Adjacency,
) -> Records<'static> {
    let count = rows.len();
    let features = if sparse {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in rows.clone() {
            for (j, x) in (0u32..).zip(row(i)).filter(|(_, x)| *x != 0.0) {
                columns.push(j);
                values.push(x as f32);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap())
    } else {
        let values = rows.clone().flat_map(row).map(|x| x as f32).collect();
        Matrix::Dense(Dense::new(values, count, WIDTH).unwrap())
    };
    let table = Table {
        features,
        target: Target::Classes {
            class: rows.map(|i| class(i, classes)).collect(),
            names: (0..classes).map(|k| k.to_string()).collect(),
        },
        layout: Layout::Numbered {
            first: 1,
            width: WIDTH,
        },
        assumed: Vec::new(),
        units: None,
    };
    let bound = RecordBound::Linf(1.0);
    table.enforce(bound, None, false, adjacency).unwrap()
}

/// A model of one function, or of one per class.
struct Functions {
    weights: Vec<f64>,
    intercepts: Vec<f64>,
    origins: Vec<f64>,
}

impl Functions {
    fn new(count: usize) -> Self {
        let numbers = |from: usize, count: usize, size: f64| {
            let number = move |k| size * pseudo_random(from + 13 * k);
            (0..count).map(number).collect()
        };
        Self {
            weights: numbers(1, count * WIDTH, 2.0),
            intercepts: numbers(5, count, 0.5),
            origins: numbers(8, count, 0.7),
        }
    }

    fn released(&self) -> ReleasedFunctions<'_> {
        ReleasedFunctions {
            weights: &self.weights,
            intercepts: &self.intercepts,
            origins: &self.origins,
        }
    }

    /// x·w + b − o of a row, one per function.
    fn margins(&self, i: usize) -> Vec<f64> {
        let x = row(i);
        let of_function = |k: usize| -> f64 {
            let weights = &self.weights[k * WIDTH..(k + 1) * WIDTH];
            let product: f64 = pairs(weights, &x).map(|(w, x)| w * x).sum();
            product + self.intercepts[k] - self.origins[k]
        };
        (0..self.intercepts.len()).map(of_function).collect()
    }

    /// The margins less their mean.
    fn centred(&self, i: usize) -> Vec<f64> {
        let margins = self.margins(i);
        let mean = margins.iter().sum::<f64>() / margins.len() as f64;
        margins.iter().map(|t| t - mean).collect()
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The sum over all rows.
fn plain(terms: impl Fn(usize) -> Vec<f64>) -> Vec<f64> {
    let mut sums = terms(0);
    for i in 1..ROWS {
        for (sum, term) in pairs(&mut sums, &terms(i)) {
            *sum += term;
        }
    }
    sums
}

/// Asks of one table, dense and sparse, and of the same in 1, 2 and 7 parts: all answers are the same bits,
/// and these are the plain sums but for `steps` of the grid per record.
fn check(classes: u32, plain: &[f64], steps: f64, ask: impl Fn(&dyn Population) -> Query<'static>) {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let whole = ask(&records(0..ROWS, classes, false, adjacency));
        let step = whole.raw_grid().step();
        for (raw, plain) in pairs(whole.raw_values(), plain) {
            let off = *raw as f64 * step - plain;
            // Floats of a record are off by far less than 1e-12 of 1.
            let most = ROWS as f64 * (steps * step + 1e-12);
            assert!(off.abs() <= most, "{} is not {plain}", *raw as f64 * step);
        }
        for (count, sparse) in [(1, true), (1, false), (2, true), (7, false), (7, true)] {
            let cut = |k: usize| k * ROWS / count;
            let part = |k: usize| -> Box<dyn Population> {
                Box::new(records(cut(k)..cut(k + 1), classes, sparse, adjacency))
            };
            let parts = Parts::new((0..count).map(part).collect()).unwrap();
            let answer = ask(&parts);
            assert_eq!(answer.raw_values(), whole.raw_values());
            assert_eq!(answer.sensitivity(), whole.sensitivity());
        }
    }
}

/// A query has the sensitivity that its question says, rounded up by little.
fn near(query: &Query<'_>, moved: f64) {
    let sensitivity = query.sensitivity();
    assert!(
        (1.0 - 1e-6..1.0 + 1e-6).contains(&(sensitivity / moved)),
        "{sensitivity} is not {moved}"
    );
}

#[test]
fn class_counts_are_plain_counts() {
    for classes in [2, 3, 5] {
        let counts = plain(|i| {
            let own = class(i, classes);
            (0..classes)
                .map(|k| f64::from(u8::from(k == own)))
                .collect()
        });
        assert!(counts.iter().any(|count| *count != counts[0]));
        check(classes, &counts, 0.0, |population| {
            ClassCounts.ask(population)
        });
    }
}

#[test]
fn a_histogram_of_margins_is_a_plain_count() {
    let edges = [-1.7, -0.5, -0.1, 0.0, 0.3, 0.4, 0.55, 1.0, 2.2];
    for (classes, count) in [(2, 1), (2, 2), (3, 3)] {
        let functions = Functions::new(count);
        let margin = |i: usize| match count {
            1 => functions.margins(i)[0],
            _ => norm(&functions.centred(i)),
        };
        // No margin is so near to an edge that the order of additions could decide.
        let gap = |i: usize| {
            let gaps = edges.iter().map(|edge| (edge - margin(i)).abs());
            gaps.fold(f64::INFINITY, f64::min)
        };
        assert!((0..ROWS).all(|i| gap(i) > 1e-9));
        let counts = plain(|i| {
            let bin = edges.iter().filter(|edge| **edge <= margin(i)).count();
            let places = 0..=edges.len();
            places
                .map(|place| f64::from(u8::from(place == bin)))
                .collect()
        });
        let filled = counts.iter().filter(|count| **count > 0.0).count();
        assert!(filled > 2, "{counts:?}");
        check(classes, &counts, 0.0, |population| {
            let question = MarginHistogram {
                model: functions.released(),
                edges: &edges,
            };
            question.ask(population)
        });
    }
}

/// Four cells, and a vector of three entries for each and either class, some of them beyond ±1.
fn cell_terms() -> CellTerms {
    let entry = |k: usize| 1.3 * pseudo_random(977 * k + 2);
    CellTerms::new(vec![-0.4, 0.1, 0.3], |cell| {
        [0, 1].map(|class| (0..3).map(|k| entry(6 * cell + 3 * class + k)).collect())
    })
}

/// The vectors of [`cell_terms`], as they are added.
fn cell_vectors() -> Vec<Vec<f64>> {
    let entry = |k: usize| (1.3 * pseudo_random(977 * k + 2)).clamp(-1.0, 1.0);
    (0..8)
        .map(|vector| (0..3).map(|k| entry(3 * vector + k)).collect())
        .collect()
}

#[test]
fn sums_of_margins_are_plain_sums() {
    let functions = Functions::new(1);
    let (terms, vectors) = (cell_terms(), cell_vectors());
    let sums = plain(|i| {
        let margin = functions.margins(i)[0];
        let below = [-0.4, 0.1, 0.3].iter().filter(|edge| **edge <= margin);
        vectors[2 * below.count() + class(i, 2) as usize].clone()
    });
    check(2, &sums, 1.0, |population| {
        let question = MarginSums {
            model: functions.released(),
            terms: &terms,
        };
        question.ask(population)
    });
}

/// Of rows of length one, as floats have it: each is truncated to a step of 2⁻³⁴ of the largest change. The
/// sign of a record's changes is that of the last, so that a hair is lost where rounding says otherwise.
#[test]
fn changes_of_the_loss_are_plain_sums_however_records_are_split() {
    let functions = Functions::new(2);
    let point = |k: usize| Point {
        weights: functions.weights[k * WIDTH..][..WIDTH].to_vec(),
        intercepts: vec![functions.intercepts[k]],
    };
    let (point, direction) = (point(0), point(1));
    let sizes = [0.1, 0.7, 2.0];
    // Below the largest change of a row of these, so that some are clipped.
    for (clip, offset, constant) in [(0.4, 0.3, 0.5), (10.0, 0.0, 0.0)] {
        let question = LossChanges {
            point: &point,
            direction: &direction,
            constant,
            offset,
            sizes: &sizes,
            penalties: &[0.0, 1.5, -2.0],
            clip,
        };
        let sums = plain(|i| {
            let x = row(i);
            let product = |of: &Point| -> f64 {
                let product: f64 = pairs(&of.weights, &x).map(|(w, x)| w * x).sum();
                (product + of.intercepts[0]) / norm(&x).hypot(constant)
            };
            let sign: f64 = if class(i, 2) == 1 { -1.0 } else { 1.0 };
            let loss = |size: f64| {
                let margin = product(&point) + offset - size * product(&direction);
                (sign * margin).exp().ln_1p()
            };
            let change = |size: &f64| (loss(*size) - loss(0.0)).clamp(-clip * size, clip * size);
            sizes.iter().map(change).collect()
        });
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let whole = records(0..ROWS, 2, false, adjacency);
            let scores = question.ask(&whole).unwrap();
            let longest = 2.0 * clip;
            let most = whole.shape().most_records() as u64;
            let bits = (60 - most.ilog2() as i32).min(34);
            let step = f64::from(longest.log2().ceil() as i32 - bits).exp2();
            let moved = (longest / step) as u64;
            let expected = match adjacency {
                Adjacency::ReplaceOne => 2 * moved,
                Adjacency::AddRemove => moved,
            };
            assert_eq!(scores.raw_range(), expected);
            let values = scores.raw_values();
            assert_eq!(values[0], 0);
            for ((value, sum), penalty) in values[1..].iter().zip(&sums).zip([0.0, 1.5, -2.0]) {
                let found = *value as f64 * step;
                let truncated = ROWS as f64 * (step + 1e-12);
                assert!((found - sum - penalty).abs() <= truncated, "{found} {sum}");
            }
            let part =
                |rows| -> Box<dyn Population> { Box::new(records(rows, 2, true, adjacency)) };
            let parts = [0..700, 700..701, 701..ROWS].map(part);
            let parts = Parts::new(parts.into()).unwrap();
            assert_eq!(question.ask(&parts).unwrap().raw_values(), values);
        }
    }
}

#[test]
fn derivatives_of_a_calibration_are_plain_sums() {
    for classes in [2, 3, 5] {
        let functions = Functions::new(classes as usize);
        let (level, scale) = (1.3, 2.5);
        let offset = |k: usize| 0.4 * pseudo_random(40 + k);
        let offsets: Vec<f64> = (0..classes as usize).map(offset).collect();
        let sums = plain(|i| {
            let t = functions.centred(i);
            let odds: Vec<f64> = pairs(&t, &offsets)
                .map(|(t, offset)| (scale * t / level + offset).exp())
                .collect();
            let total: f64 = odds.iter().sum();
            let p: Vec<f64> = odds.iter().map(|odds| odds / total).collect();
            let longest = norm(&t).max(level);
            let tau: Vec<f64> = t.iter().map(|t| t / longest).collect();
            let mut residuals = p.clone();
            residuals[class(i, classes) as usize] -= 1.0;
            let product = |a: &[f64], b: &[f64]| -> f64 { pairs(a, b).map(|(a, b)| a * b).sum() };
            let squares: Vec<f64> = tau.iter().map(|tau| tau * tau).collect();
            let mut terms = residuals.clone();
            terms.push(2.0 * product(&residuals, &tau));
            terms.extend(p.iter().map(|p| p * (1.0 - p)));
            terms.push(2.0 * (product(&p, &squares) - product(&p, &tau).powi(2)));
            let longest = 1.40625;
            let factor = longest / norm(&terms).max(longest);
            terms.iter().map(|term| term * factor).collect()
        });
        check(classes, &sums, 1.0, |population| {
            let question = ClassCalibration {
                model: functions.released(),
                level,
                scale,
                offsets: &offsets,
            };
            question.ask(population)
        });
        let unpacked = ClassCalibration::unpack(&sums);
        let k = classes as usize;
        assert_eq!(unpacked.offsets, sums[..k]);
        assert_eq!(unpacked.scale, sums[k] / 2.0);
        assert_eq!(unpacked.offset_curvatures, sums[k + 1..2 * k + 1]);
        assert_eq!(unpacked.scale_curvature, sums[2 * k + 1] / 2.0);
    }
}

#[test]
fn sensitivities_are_those_that_are_said_beforehand() {
    for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
        let two = records(0..40, 2, false, adjacency);
        let three = records(0..40, 3, false, adjacency);
        near(&ClassCounts.ask(&two), ClassCounts::moved(adjacency));
        let one = Functions::new(1);
        let histogram = MarginHistogram {
            model: one.released(),
            edges: &[0.0],
        };
        near(&histogram.ask(&two), MarginHistogram::moved(adjacency));
        let sums = MarginSums {
            model: one.released(),
            terms: &cell_terms(),
        };
        let vectors = cell_vectors();
        let farthest = vectors.iter().flat_map(|v| {
            let apart =
                move |w: &Vec<f64>| norm(&pairs(v, w).map(|(a, b)| a - b).collect::<Vec<_>>());
            vectors.iter().map(apart)
        });
        let longest = vectors.iter().map(|v| norm(v)).fold(0.0, f64::max);
        let farthest = farthest.fold(0.0, f64::max);
        assert!(farthest > longest);
        let moved = match adjacency {
            Adjacency::ReplaceOne => farthest,
            Adjacency::AddRemove => longest,
        };
        near(&sums.ask(&two), moved);
        let several = Functions::new(3);
        let calibration = ClassCalibration {
            model: several.released(),
            level: 1.0,
            scale: 1.0,
            offsets: &[0.0; 3],
        };
        near(&calibration.ask(&three), ClassCalibration::moved(adjacency));
    }
}
