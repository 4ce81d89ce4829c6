//! The sum over a batch is what its definition says, bit for bit: a plain double loop in whole numbers, on
//! any number of threads and in any number of parts.

mod plain;

use std::num::NonZeroU32;

use super::*;
use crate::loss::Loss;
use crate::matrix::{Csr, Dense};
use crate::noise::{Randomness, RoundedGaussian, SeededGenerator};
use crate::population::Parts;
use crate::population::batch::Members;
use crate::table::{Layout, ProtectedUnit, RecordBound, Table, Target, TargetRange, Units};
use plain::plain;

const WIDTH: usize = 16;
const ROWS: usize = 4_200;
/// Rows of a unit.
const EACH: usize = 3;

/// What is summed, and of which records.
#[derive(Debug, Clone, Copy)]
struct Case {
    /// 0 for numbers.
    classes: u32,
    sparse: bool,
    in_units: bool,
    recursive: bool,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        (0..24).map(|number| Self {
            classes: [0, 2, 3][number % 3],
            sparse: number / 3 % 2 == 1,
            in_units: number / 6 % 2 == 1,
            recursive: number / 12 == 1,
        })
    }

    /// Rows from one unit's first to another's, of 256 levels; one in eight is 0, and one far too long.
    fn records(self, rows: std::ops::Range<usize>) -> Records<'static> {
        let value = |i: usize, j: usize| -> f32 {
            let bits = (i * WIDTH + j).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            match i % 8 {
                0 => 0.0,
                1 => 1e30,
                _ if bits & 256 == 0 => 0.0,
                _ => (bits & 255) as f32 / 128.0 - 1.0,
            }
        };
        let (count, mut starts, mut columns) = (rows.len(), vec![0], Vec::new());
        let mut values = Vec::new();
        for i in rows.clone() {
            for j in 0..WIDTH {
                if !self.sparse || value(i, j) != 0.0 {
                    columns.push(j as u32);
                    values.push(value(i, j));
                }
            }
            starts.push(columns.len());
        }
        let features = match self.sparse {
            true => Matrix::Sparse(Csr::new(starts, columns, values, WIDTH).unwrap()),
            false => Matrix::Dense(Dense::new(values, count, WIDTH).unwrap()),
        };
        let target = |i: usize| i.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        let table = Table {
            features,
            target: match self.classes {
                0 => Target::Values(rows.clone().map(|i| (target(i) % 64) as f64).collect()),
                classes => Target::Classes {
                    class: rows.clone().map(|i| target(i) as u32 % classes).collect(),
                    names: (0..classes).map(|class| class.to_string()).collect(),
                },
            },
            layout: Layout::Numbered {
                first: 1,
                width: WIDTH,
            },
            assumed: Vec::new(),
            units: self.in_units.then(|| {
                let rows_that_count = NonZeroU32::new(2).unwrap();
                let declared = ProtectedUnit {
                    column: None,
                    rows: rows_that_count,
                };
                Units::new(rows.map(|i| i / EACH), declared)
            }),
        };
        let range = TargetRange {
            low: 0.0,
            high: 64.0,
        };
        let bound = match self.classes {
            2 => RecordBound::L2(2.0),
            _ => RecordBound::Linf(1.0),
        };
        let range = (self.classes == 0).then_some(range);
        table
            .enforce(bound, range, true, Adjacency::ReplaceOne)
            .unwrap()
    }

    /// Parts of the whole table, which begin with units.
    fn parts(self, count: usize) -> Vec<Records<'static>> {
        let cut = |part: usize| part * part * (ROWS / EACH) / (count * count) * EACH;
        (0..count)
            .map(|part| self.records(cut(part)..cut(part + 1)))
            .collect()
    }

    fn units(self) -> u32 {
        match self.in_units {
            true => (ROWS / EACH) as u32,
            false => ROWS as u32,
        }
    }

    /// Rows of length one, centred or scaled, for classes; as they are, for numbers.
    fn question(self, shape: Shape) -> BatchGradient {
        self.question_for(shape, 1.0)
    }

    /// The same with room for this noise.
    fn question_for(self, shape: Shape, noise: f64) -> BatchGradient {
        let centre: Vec<f64> = (0..WIDTH).map(|j| j as f64 / 32.0).collect();
        let scales: Vec<f64> = (1..=WIDTH).map(|j| j as f64 / WIDTH as f64).collect();
        let (slopes, length) = match self.classes {
            0 => (
                Slopes::Loss(Loss::Squared { threshold: 0.25 }),
                Length::Free,
            ),
            2 => (Slopes::Loss(Loss::Logistic), Length::One),
            _ => (Slopes::Classes, Length::One),
        };
        let frame = RowFrame {
            length,
            centre: if self.classes == 2 { &centre } else { &[] },
            scales: if self.classes == 3 { &scales } else { &[] },
            constant: 0.5,
            offsets: if self.classes == 3 {
                &[0.5, 0.0, -1.0]
            } else {
                &[]
            },
            ..RowFrame::plain()
        };
        // Below the length of some gradients, and above that of others.
        let clip = match self.recursive {
            false => RecordClip::Gradient { length: 0.6 },
            true => RecordClip::Recursive {
                length: 0.6,
                difference: 0.05,
                momentum: 0.25,
            },
        };
        BatchGradient::new(shape, slopes, &frame, clip, noise).unwrap()
    }

    /// The question at points of weights that are multiples of 2⁻¹⁰, times `factor`.
    fn sum(self, shape: Shape, factor: f64) -> SumAt {
        let question = self.question(shape);
        let functions = question.outputs();
        let point = |seed: usize| Point {
            weights: (0..WIDTH * functions)
                .map(|j| factor * ((j * 37 + seed) % 101) as f64 / 1024.0)
                .collect(),
            intercepts: (0..functions).map(|l| l as f64 / 4.0 - 0.25).collect(),
        };
        let points = if self.recursive { 2 } else { 1 };
        SumAt {
            question,
            points: (0..points).map(point).collect(),
        }
    }
}

fn on_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(run)
}

/// The finished sum over units of a population.
fn over(population: &dyn Population, sum: &SumAt, units: &[u32]) -> Vec<i64> {
    sum.finished(population.sum_of_batch(sum, &Members(units)))
}

/// Two in three of the units, all, one and none.
fn batches(case: Case) -> [Vec<u32>; 4] {
    let mut rng = SeededGenerator::not_private(7);
    let all: Vec<u32> = (0..case.units()).collect();
    let some = all
        .iter()
        .copied()
        .filter(|_| !rng.next_u64().is_multiple_of(3));
    [
        some.collect(),
        all.clone(),
        vec![all[all.len() / 2]],
        Vec::new(),
    ]
}

#[test]
fn the_sum_over_a_batch_is_the_plain_one_on_any_threads_and_in_any_parts() {
    for case in Case::all() {
        let whole = case.parts(1);
        let sum = case.sum(whole[0].shape(), 1.0);
        for (number, batch) in batches(case).iter().enumerate() {
            let expected = plain(&whole[0], &sum, batch);
            let moves = expected.iter().any(|sum| *sum != 0);
            assert!(moves || number > 1, "{case:?} adds nothing");
            for threads in [1, 2, 7] {
                let found = on_threads(threads, || over(&whole[0], &sum, batch));
                assert!(found == expected, "{case:?}, {number}, {threads} threads");
            }
            for count in [2, 7] {
                let parts = case.parts(count).into_iter();
                let parts = parts.map(|part| Box::new(part) as Box<dyn Population>);
                let parts = Parts::new(parts.collect()).unwrap();
                let question = case.sum(parts.shape(), 1.0);
                let found = over(&parts, &question, batch);
                assert!(found == expected, "{case:?}, {number}, {count} parts");
            }
        }
    }
}

#[test]
fn points_far_out_leave_the_sum_plain_and_a_gradient_that_is_no_number_adds_nothing() {
    for case in Case::all() {
        let records = case.records(0..60);
        let units: Vec<u32> = (0..records.tables()[0].units as u32).collect();
        for factor in [2f64.powi(900), f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let sum = case.sum(records.shape(), factor);
            let expected = plain(&records, &sum, &units);
            assert!(
                over(&records, &sum, &units) == expected,
                "{case:?}, {factor}"
            );
        }
        // No row of this unit is 0.
        let found = over(&records, &case.sum(records.shape(), f64::NAN), &[1]);
        assert!(found.iter().all(|sum| *sum == 0), "{case:?}");
    }
}

/// More records than are added in 64 bits, on one thread; all alike, so that the sum is a product.
#[test]
fn so_many_records_that_64_bits_would_not_be_proved_to_hold_them_are_added() {
    let count = IN_64_BITS + 3 * BLOCK + 5;
    let table = Table {
        features: Matrix::Dense(Dense::new(vec![1.0; count], count, 1).unwrap()),
        target: Target::Values(vec![-1.0; count]),
        layout: Layout::Numbered { first: 1, width: 1 },
        assumed: Vec::new(),
        units: None,
    };
    let range = Some(TargetRange {
        low: -1.0,
        high: 1.0,
    });
    let bound = RecordBound::Linf(1.0);
    let records = table
        .enforce(bound, range, true, Adjacency::AddRemove)
        .unwrap();
    let slopes = Slopes::Loss(Loss::Squared { threshold: 2.0 });
    let clip = RecordClip::Gradient { length: 1.0 };
    let rows = RowFrame::plain();
    let question = BatchGradient::new(records.shape(), slopes, &rows, clip, 1.0).unwrap();
    let sum = SumAt {
        question,
        points: vec![Point {
            weights: vec![0.0],
            intercepts: vec![0.0],
        }],
    };
    let one = over(&records, &sum, &[0])[0];
    assert!(one > 1 << 30);
    let all: Vec<u32> = (0..count as u32).collect();
    for batch in [&all, &all[..count - 1]] {
        let found = on_threads(1, || over(&records, &sum, batch));
        assert_eq!(found[0], one * batch.len() as i64);
    }
}

#[test]
fn sums_beyond_what_a_query_holds_are_clamped_and_no_two_come_farther_apart() {
    let case = Case::all().next().unwrap();
    let sum = case.sum(case.records(0..EACH).shape(), 1.0);
    let finished = |first: i128| {
        let mut wide = vec![0; WIDTH + 1];
        wide[0] = first;
        sum.finished(WideSums(wide))[0]
    };
    let limit = i128::from(LIMIT);
    for (total, expected) in [
        (i128::MAX / 4, LIMIT),
        (limit + 1, LIMIT),
        (limit - 1, LIMIT - 1),
        (-limit - 1, -LIMIT),
        (i128::MIN / 4, -LIMIT),
    ] {
        assert_eq!(finished(total), expected);
    }
}

/// From public numbers alone: the shape, the clip and the multiplier.
#[test]
fn noise_of_any_size_has_room_and_ordinary_noise_changes_no_grid() {
    for case in Case::all() {
        let records = case.records(0..60);
        let grid = |noise: f64| case.question_for(records.shape(), noise).grid();
        assert_eq!(grid(1e2), grid(1e-6), "{case:?}");
        assert!(grid(1e8).step() > grid(1.0).step(), "{case:?}");
        for noise in [1.0, 1e5, 1e8, 1e12] {
            let question = case.question_for(records.shape(), noise);
            let functions = question.outputs();
            let point = Point {
                weights: vec![0.0; WIDTH * functions],
                intercepts: vec![0.0; functions],
            };
            let before = case.recursive.then_some(&point);
            let steps = question.ask(&records, &point, before).steps();
            let sampler = RoundedGaussian::new((noise * steps).next_up());
            assert!(sampler.is_ok(), "{case:?}, {noise}: {steps} steps");
        }
    }
}
