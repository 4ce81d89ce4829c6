//! The tables.

use reticent::table::{Table, Target};

use crate::split::part;
use crate::synthetic::{Source, dense};

/// Tables of one kind, and the ranges that are declared for their targets.
pub struct Case {
    pub title: &'static str,
    pub ranges: &'static [(f64, f64)],
    /// What a seed draws.
    pub sample: fn(u64) -> Sample,
}

/// Records to learn from and to measure on.
pub struct Sample {
    pub train: Table<'static>,
    pub test: Table<'static>,
}

impl Sample {
    /// The targets that are measured on.
    pub fn targets(&self) -> &[f64] {
        match &self.test.target {
            Target::Values(values) => values,
            _ => &[],
        }
    }
}

/// About 1, 10 and 200 times as wide as the targets lie.
const WIDE: &[(f64, f64)] = &[(250.0, 750.0), (0.0, 5000.0), (0.0, 100_000.0)];
/// Records to measure on.
const FRESH: usize = 5000;

pub const LINEAR: Case = Case {
    title: "n = 20 000, d = 30, 5 matter",
    ranges: WIDE,
    sample: |seed| linear(20_000, 30, 1.0, seed),
};

pub const LOGNORMAL: Case = Case {
    title: "Lognormal costs, n = 20 000, d = 30",
    ranges: &[(0.0, 20_000.0), (0.0, 100_000.0)],
    sample: |seed| lognormal(20_000, 30, seed),
};

pub const SMALL: [Case; 4] = [
    Case {
        title: "n = 300, d = 10",
        ranges: WIDE,
        sample: |seed| linear(300, 10, 1.0, seed),
    },
    Case {
        title: "n = 1000, d = 10, little to learn",
        ranges: WIDE,
        sample: |seed| linear(1000, 10, 0.3, seed),
    },
    Case {
        title: "n = 1000, d = 30",
        ranges: WIDE,
        sample: |seed| linear(1000, 30, 1.0, seed),
    },
    Case {
        title: "n = 3000, d = 5, little to learn",
        ranges: WIDE,
        sample: |seed| linear(3000, 5, 0.3, seed),
    },
];

pub const DIABETES: Case = Case {
    title: "diabetes, 442 × 10",
    ranges: &[(25.0, 346.0), (0.0, 1000.0), (0.0, 10_000.0)],
    sample: |_| diabetes(),
};

/// Five weights in the units of the target.
const WEIGHTS: [f64; 5] = [60.0, -50.0, 40.0, 30.0, -20.0];
/// The standard deviation of what they explain, on uniform columns.
const EXPLAINED: f64 = 54.8;

/// Targets around 500, of which `share` of the explained deviation is left, with a total spread of
/// about 56.
fn linear(rows: usize, width: usize, share: f64, seed: u64) -> Sample {
    let total = EXPLAINED * EXPLAINED / 0.975;
    let noise = (total - (share * EXPLAINED).powi(2)).sqrt();
    drawn(rows, width, seed, |row, source| {
        500.0 + share * signal(row) + noise * source.normal()
    })
}

/// Costs with a mean of about 1300: exp of a linear function and noise.
fn lognormal(rows: usize, width: usize, seed: u64) -> Sample {
    drawn(rows, width, seed, |row, source| {
        (1000f64.ln() + signal(row) / 100.0 + 0.5 * source.normal()).exp()
    })
}

fn signal(row: &[f32]) -> f64 {
    let terms = WEIGHTS.iter().zip(row);
    terms.map(|(w, x)| w * f64::from(*x)).sum()
}

/// Uniform columns in [−1, 1].
fn drawn(
    rows: usize,
    width: usize,
    seed: u64,
    target: impl Fn(&[f32], &mut Source) -> f64,
) -> Sample {
    let mut source = Source::new(seed);
    let mut table = |rows: usize| {
        let (mut values, mut targets) = (Vec::with_capacity(rows * width), Vec::new());
        for _ in 0..rows {
            let row: Vec<f32> = (0..width)
                .map(|_| (2.0 * source.uniform() - 1.0) as f32)
                .collect();
            targets.push(target(&row, &mut source));
            values.extend(row);
        }
        dense(values, rows, width, Target::Values(targets))
    };
    Sample {
        train: table(rows),
        test: table(FRESH),
    }
}

/// The same records with each column elsewhere in its bounds: x becomes location + x/factor.
pub fn placed(sample: &Sample, place: impl Fn(usize) -> (f64, f64)) -> Sample {
    let table = |table: &Table<'static>| {
        let (rows, width) = (table.features.rows(), table.features.width());
        let mut values = Vec::with_capacity(rows * width);
        for i in 0..rows {
            table.features.for_row(i, |j, x| {
                let (factor, location) = place(j);
                values.push((location + f64::from(x) / factor) as f32);
            });
        }
        dense(values, rows, width, table.target.clone())
    };
    Sample {
        train: table(&sample.train),
        test: table(&sample.test),
    }
}

/// The table of Efron et al. 2004 as scikit-learn distributes it, its columns scaled to [−1, 1] by
/// their own ends. The records that are learnt from are measured on: there are few.
fn diabetes() -> Sample {
    let path = std::env::var("RETICENT_DIABETES");
    let path = path.expect("RETICENT_DIABETES, which `cargo xtask reproduce trust` sets");
    let text = std::fs::read_to_string(path).expect("scikit-learn's table, as CSV");
    let number = |field: &str| -> f64 { field.parse().expect("a table of numbers") };
    let rows: Vec<Vec<f64>> = text
        .lines()
        .map(|line| line.split(',').map(number).collect())
        .collect();
    let width = rows[0].len() - 1;
    let ends = |j: usize| {
        let column = || rows.iter().map(|row| row[j]);
        (
            column().fold(f64::INFINITY, f64::min),
            column().fold(f64::NEG_INFINITY, f64::max),
        )
    };
    let ends: Vec<(f64, f64)> = (0..width).map(ends).collect();
    let scaled = |row: &Vec<f64>| -> Vec<f32> {
        let pairs = row.iter().zip(&ends);
        pairs
            .map(|(x, (low, high))| (2.0 * (x - low) / (high - low) - 1.0) as f32)
            .collect()
    };
    let values = rows.iter().flat_map(scaled).collect();
    let targets = rows.iter().map(|row| row[width]).collect();
    let train = dense(values, rows.len(), width, Target::Values(targets));
    let all: Vec<usize> = (0..rows.len()).collect();
    Sample {
        test: part(&train, &all),
        train,
    }
}
