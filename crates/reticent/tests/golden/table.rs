//! Made-up tables: the same numbers each time, stored as dense or sparse rows.

use std::ops::Range;

use reticent::fit::TaskName;
use reticent::matrix::{Csr, Dense, Matrix};
use reticent::table::{Layout, Table, Target};

/// A table of made-up records.
#[derive(Clone, Copy)]
pub struct Shape {
    pub rows: usize,
    pub width: usize,
}

/// Weyl's sequence, mixed: fixed pseudo-random numbers in [0, 1).
fn pseudo_random(k: u64) -> f64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// The entry of row `i` and column `j`: two in five are zero, some are beyond a bound of 1.
fn entry(i: usize, j: usize) -> f32 {
    let k = (i * 1009 + j) as u64;
    if pseudo_random(2 * k) < 0.4 {
        return 0.0;
    }
    (2.4 * pseudo_random(2 * k + 1) - 1.0) as f32
}

impl Shape {
    fn values(self, rows: Range<usize>) -> Vec<f32> {
        let row = |i| (0..self.width).map(move |j| entry(i, j));
        rows.flat_map(row).collect()
    }

    fn features(self, rows: Range<usize>, sparse: bool) -> Matrix<'static> {
        let values = self.values(rows.clone());
        if !sparse {
            return Matrix::Dense(Dense::new(values, rows.len(), self.width).unwrap());
        }
        let (mut starts, mut columns, mut kept) = (vec![0], Vec::new(), Vec::new());
        for row in values.chunks(self.width) {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                kept.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, kept, self.width).unwrap())
    }

    /// The table for a task: three columns determine most of the target.
    pub fn table(self, task: TaskName, sparse: bool) -> Table<'static> {
        self.part(0..self.rows, task, sparse)
    }

    /// Some rows of that table.
    pub fn part(self, rows: Range<usize>, task: TaskName, sparse: bool) -> Table<'static> {
        let values = self.values(rows.clone());
        let score = |(i, row): (usize, &[f32])| {
            let score = 2.0 * row[0] - 1.5 * row[1] + row[2];
            f64::from(score) + 2.0 * pseudo_random(7_000_000 + i as u64) - 1.0
        };
        let scores = || rows.clone().zip(values.chunks(self.width)).map(score);
        let target = match task {
            TaskName::Linear => Target::Values(scores().map(|s| 50.0 + 20.0 * s).collect()),
            TaskName::Logistic => Target::Classes {
                class: scores().map(|s| u32::from(s > 0.3)).collect(),
                names: vec!["no".into(), "yes".into()],
            },
            TaskName::Multinomial => Target::Classes {
                class: scores()
                    .map(|s| u32::from(s > -0.5) + u32::from(s > 0.7))
                    .collect(),
                names: vec!["a".into(), "b".into(), "c".into()],
            },
        };
        Table {
            features: self.features(rows.clone(), sparse),
            target,
            layout: Layout::Numbered {
                first: 1,
                width: self.width,
            },
            assumed: Vec::new(),
            units: None,
        }
    }
}
