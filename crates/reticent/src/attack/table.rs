//! Hostile tables and their neighbours.

use std::num::NonZeroU32;
use std::ops::ControlFlow;

use super::chance::Chance;
use crate::features::{FeatureMap, RandomFourier};
use crate::matrix::{Csr, Dense, Matrix};
use crate::mechanism::tape::Difference;
use crate::population::{Parts, Population};
use crate::privacy::Adjacency;
use crate::table::{
    ClassWeight, Layout, ProtectedUnit, RecordBound, Table, Target, TargetRange, Units,
};

/// The range of every numeric target.
pub const RANGE: TargetRange = TargetRange {
    low: -2.0,
    high: 3.0,
};

/// A record: its row, its class or number, and whose it is.
#[derive(Debug, Clone)]
pub struct Record {
    pub row: Vec<f32>,
    pub target: f64,
    pub unit: u64,
}

/// A table and its neighbour, and what is public about both.
#[derive(Debug, Clone)]
pub struct Pair {
    pub first: Vec<Record>,
    pub second: Vec<Record>,
    /// Which unit they differ in.
    pub difference: Difference,
    pub width: usize,
    /// How many classes; 0 for numbers.
    pub classes: u32,
    pub bound: RecordBound,
    pub adjacency: Adjacency,
    /// How many rows of a unit count; `None` if each record is one.
    pub unit_rows: Option<NonZeroU32>,
    /// How much records count for by their class, if they do not count alike.
    pub class_weight: Option<ClassWeight>,
    /// What rows are mapped to before they are clipped: as many features as there are columns.
    pub features: Option<FeatureMap>,
}

/// What rows are made of.
#[derive(Clone, Copy)]
enum Kind {
    /// Every entry at its bound, up or down.
    Corners,
    /// One entry at the bound.
    Axes,
    /// Like corners except for one small entry: records that point almost the same way, on either
    /// side of a plane.
    Wedge,
    /// Anything: zeros, denormals, far beyond the bound, ties.
    Wild,
}

impl Pair {
    pub fn new(chance: &mut Chance, classes: u32, adjacency: Adjacency) -> Self {
        let (rows, width) = match chance.below(600) {
            0 => (50_000, 2),
            1..40 => (1 + chance.below(50), 9 + chance.below(40)),
            _ => (1 + chance.below(12), 1 + chance.below(6)),
        };
        let size = match chance.below(3) {
            0 => 10f64.powf(60.0 * chance.unit() - 30.0),
            _ => 1.0,
        };
        let bound = match chance.below(2) {
            0 => RecordBound::L2(size),
            _ => RecordBound::Linf(size),
        };
        let kind = chance.pick(&[Kind::Corners, Kind::Axes, Kind::Wedge, Kind::Wild]);
        let one_class = chance.maybe(4, |chance| chance.below(classes.max(1) as usize) as u32);
        // Few different records: ties, and sums that point one way.
        let different = 1 + chance.below(4);
        let pool: Vec<Record> = (0..different)
            .map(|_| record(chance, kind, width, size, classes, one_class))
            .collect();
        let unit_rows = chance.maybe(3, |chance| {
            NonZeroU32::new(chance.pick(&[1, 2, 3, 7, 50])).unwrap_or(NonZeroU32::MIN)
        });
        let class_weight = match classes {
            0 => None,
            classes => chance.maybe(4, |chance| class_weight(chance, classes)),
        };
        let features = chance.maybe(8, |chance| {
            let (width, seed) = (width as u32, chance.below(1000) as u64);
            FeatureMap::Fourier(RandomFourier::new(width, width, seed))
        });
        let units: Vec<Vec<Record>> = (0..rows as u64)
            .map(|unit| {
                let own = rows_of_unit(chance, unit_rows);
                // People who are alike within, or of all kinds.
                let alike = chance.maybe(2, |chance| chance.below(different));
                let mut one = || pool[alike.unwrap_or_else(|| chance.below(different))].clone();
                (0..own).map(|_| Record { unit, ..one() }).collect()
            })
            .collect();
        let mut others = units.clone();
        let place = chance.below(rows);
        let mut difference = Difference::Replaced;
        match adjacency {
            Adjacency::AddRemove => {
                drop(others.remove(place));
                difference = Difference::Removed(place as u32);
            }
            Adjacency::ReplaceOne => {
                let old = &units[place];
                let own = rows_of_unit(chance, unit_rows);
                let other =
                    |row| neighbour(chance, &old[row % old.len()], kind, width, size, classes);
                others[place] = (0..own).map(other).collect();
            }
        }
        let (mut first, mut second) = (units.concat(), others.concat());
        if chance.once_in(2) {
            // An empty table is refused before any plan.
            if second.is_empty() {
                return Self::new(chance, classes, adjacency);
            }
            (first, second) = (second, first);
            if let Difference::Removed(place) = difference {
                difference = Difference::Added(place);
            }
        }
        Self {
            first,
            second,
            difference,
            width,
            classes,
            bound,
            adjacency,
            unit_rows,
            class_weight,
            features,
        }
    }

    /// How many units the first table has.
    pub fn protected(&self) -> usize {
        count(&self.first)
    }
}

/// How many units there are; the records of one are side by side.
fn count(records: &[Record]) -> usize {
    records.chunk_by(|a, b| a.unit == b.unit).count()
}

/// How many rows a unit has: one if each record is a unit, perhaps more than count.
fn rows_of_unit(chance: &mut Chance, most: Option<NonZeroU32>) -> usize {
    match (most, chance.below(20)) {
        (None, _) => 1,
        (Some(_), 0) => 1 + chance.below(50),
        (Some(most), 1..7) => most.get() as usize,
        (Some(_), _) => 1 + chance.below(4),
    }
}

fn class_weight(chance: &mut Chance, classes: u32) -> ClassWeight {
    match chance.once_in(2) {
        true => ClassWeight::Balanced,
        false => {
            let mut weight = |_| chance.pick(&[1.0, 0.5, 0.03, 1e-9]);
            ClassWeight::Numbers((0..classes).map(&mut weight).collect())
        }
    }
}

fn entry(chance: &mut Chance, size: f64) -> f32 {
    let wild = [
        0.0,
        -0.0,
        size,
        -size,
        size * 0.999_999_9,
        -size * 1.000_001,
        1e-45,
        size * 1e-7,
        f64::from(f32::MAX),
        -f64::from(f32::MAX),
        size / 3.0,
    ];
    match chance.below(3) {
        0 => (size * (2.0 * chance.unit() - 1.0)) as f32,
        _ => chance.pick(&wild) as f32,
    }
}

fn row(chance: &mut Chance, kind: Kind, width: usize, size: f64) -> Vec<f32> {
    let up = |chance: &mut Chance| if chance.once_in(2) { size } else { -size } as f32;
    match kind {
        _ if chance.once_in(12) => vec![0.0; width],
        Kind::Corners => (0..width).map(|_| up(chance)).collect(),
        Kind::Axes => {
            let mut row = vec![0.0; width];
            row[chance.below(width)] = up(chance);
            row
        }
        Kind::Wedge => {
            let mut row: Vec<f32> = (0..width).map(|_| up(chance)).collect();
            row[0] /= 16.0;
            row
        }
        Kind::Wild => (0..width).map(|_| entry(chance, size)).collect(),
    }
}

fn target(chance: &mut Chance, classes: u32) -> f64 {
    match classes {
        0 => chance.pick(&[-2.0, 3.0, 0.5, 1e300, -1e300, f64::NAN, 2.9999, 0.0]),
        classes => chance.below(classes as usize) as f64,
    }
}

fn record(
    chance: &mut Chance,
    kind: Kind,
    width: usize,
    size: f64,
    classes: u32,
    one_class: Option<u32>,
) -> Record {
    let target = match one_class {
        Some(class) if classes > 0 => f64::from(class),
        _ => target(chance, classes),
    };
    Record {
        row: row(chance, kind, width, size),
        target,
        unit: 0,
    }
}

/// What replaces a record: its opposite, another target, nothing, or anything.
fn neighbour(
    chance: &mut Chance,
    old: &Record,
    kind: Kind,
    width: usize,
    size: f64,
    classes: u32,
) -> Record {
    let opposite: Vec<f32> = old.row.iter().map(|x| -x).collect();
    let row = match chance.below(4) {
        // Slopes of opposite signs, and rows that are nearly the same: the gradient moves by nearly 2RB.
        0 | 1 if matches!(kind, Kind::Wedge) => {
            let mut mirrored = old.row.clone();
            mirrored[0] *= -1.0;
            mirrored
        }
        0 | 1 => opposite,
        2 => old.row.clone(),
        _ => row(chance, kind, width, size),
    };
    let target = match chance.below(2) {
        0 => old.target,
        _ => target(chance, classes),
    };
    let unit = old.unit;
    Record { row, target, unit }
}

/// The records of a table, as dense or sparse rows.
pub fn table(records: &[Record], pair: &Pair, sparse: bool) -> Table<'static> {
    let width = pair.width;
    let features = if sparse {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for record in records {
            for (j, x) in record.row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                columns.push(j as u32);
                values.push(*x);
            }
            starts.push(columns.len());
        }
        Matrix::Sparse(Csr::new(starts, columns, values, width).unwrap())
    } else {
        let values = records.iter().flat_map(|record| record.row.clone());
        Matrix::Dense(Dense::new(values.collect(), records.len(), width).unwrap())
    };
    let targets = records.iter().map(|record| record.target);
    Table {
        features,
        target: match pair.classes {
            0 => Target::Values(targets.collect()),
            classes => Target::Classes {
                class: targets.map(|class| class as u32).collect(),
                names: (0..classes).map(|k| k.to_string()).collect(),
            },
        },
        layout: Layout::Numbered { first: 1, width },
        assumed: Vec::new(),
        units: pair.unit_rows.map(|rows| {
            let declared = ProtectedUnit { column: None, rows };
            Units::new(records.iter().map(|record| record.unit), declared)
        }),
    }
}

/// How a table is stored, and in how many parts.
#[derive(Debug, Clone, Copy)]
pub struct Storage {
    pub sparse: bool,
    pub parts: usize,
}

impl Storage {
    pub fn new(chance: &mut Chance, parts: usize) -> Self {
        Self {
            sparse: chance.once_in(2),
            parts,
        }
    }

    /// Seals the records of a table, in parts.
    pub fn sealed(
        self,
        records: &[Record],
        pair: &Pair,
        centred: bool,
    ) -> Box<dyn Population + 'static> {
        let range = (pair.classes == 0).then_some(RANGE);
        let seal = |records: &[Record]| -> Box<dyn Population> {
            let table = table(records, pair, self.sparse);
            let table = match &pair.features {
                Some(map) => table
                    .map_features(map, &mut |_| ControlFlow::Continue(()))
                    .unwrap(),
                None => table,
            };
            let held = table.clip(pair.bound, range, centred).unwrap();
            let held = match &pair.class_weight {
                Some(class_weight) => held.weighted(class_weight.clone()).unwrap(),
                None => held,
            };
            Box::new(held.seal(pair.adjacency))
        };
        if self.parts == 1 {
            return seal(records);
        }
        // The first parts have a unit each, the last one all others.
        let units: Vec<&[Record]> = records.chunk_by(|a, b| a.unit == b.unit).collect();
        let cut = |part: usize| match part == self.parts {
            true => units.len(),
            false => part.min(units.len()),
        };
        let parts = (0..self.parts).map(|part| seal(&units[cut(part)..cut(part + 1)].concat()));
        Box::new(Parts::new(parts.collect()).unwrap())
    }
}
