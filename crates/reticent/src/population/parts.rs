//! A list of populations that answers as one table, of which each has some of the records.

use std::sync::Arc;

use super::batch::{BatchSum, Members, WideSums};
use super::gradient::{Follow, Frame, Move, SumsOfGradient};
use super::question::{LocalSum, Sums};
use super::{CentralRecords, ColumnFrame, NotCentral, Population, Shape, TargetFrame};
use crate::table::{ClassWeight, MOST_RECORDS};

/// A list of populations, each with some of the records of a table.
///
/// # Privacy
///
/// What is released is made from the sum over all parts, with the sensitivity that follows from the
/// bounds: a record is in one part, whose sum it moves as it would move the whole. How records are
/// split must be public, or a function of each record alone (a unit lies in one part). A sealed
/// table that is given twice would count twice, and is refused.
pub struct Parts<'a> {
    parts: Vec<Box<dyn Population + 'a>>,
    shape: Shape,
}

/// An opaque handle of a sealed table: which it is, and how many rows and units it has, which may be
/// private.
pub struct SealedTable {
    pub(super) number: u64,
    pub(super) rows: usize,
    pub(super) units: usize,
}

/// Why parts do not belong to one table. Every message is about declared, public numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// There are no parts.
    #[error("a table in parts needs at least one part")]
    None,
    /// Columns, classes, bound, adjacency, unit or weights of classes differ.
    #[error(
        "part {0} has other columns, classes, another bound, adjacency, unit or weights of classes \
         than the first; read all parts with one schema and the same bounds"
    )]
    Different(usize),
    /// One sealed table in two places.
    #[error("a sealed table was given twice; each record may be in one part only")]
    Twice,
    /// More rows than a `u32` can count: refused as for one table.
    #[error("a table may have at most 4294967295 rows, all parts together")]
    TooManyRows,
}

impl<'a> Parts<'a> {
    /// The table that has all of their records.
    pub fn new(parts: Vec<Box<dyn Population + 'a>>) -> Result<Self, PartsError> {
        let first = parts.first().ok_or(PartsError::None)?.shape();
        let without_count = |shape: Shape| Shape {
            count: first.count,
            ..shape
        };
        let mut total = first.count.map(|_| 0usize);
        for (number, part) in parts.iter().enumerate() {
            let shape = part.shape();
            let differs = part.class_weight() != parts[0].class_weight();
            if differs
                || without_count(shape) != first
                || shape.count.is_some() != first.count.is_some()
            {
                return Err(PartsError::Different(number));
            }
            if let (Some(total), Some(count)) = (&mut total, shape.count) {
                *total = total.saturating_add(count);
            }
        }
        let mut tables: Vec<SealedTable> = parts.iter().flat_map(|part| part.tables()).collect();
        tables.sort_by_key(|table| table.number);
        if !tables.is_sorted_by(|a, b| a.number < b.number) {
            return Err(PartsError::Twice);
        }
        let rows = tables.iter().map(|table| table.rows);
        if rows.fold(0, usize::saturating_add) > MOST_RECORDS {
            return Err(PartsError::TooManyRows);
        }
        Ok(Self {
            shape: Shape {
                count: total,
                ..first
            },
            parts,
        })
    }
}

impl Population for Parts<'_> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn sum(&self, question: &dyn LocalSum) -> Sums {
        let sums = self.parts.iter().map(|part| part.sum(question));
        sums.reduce(Sums::merged).unwrap_or_default()
    }

    fn sum_of_batch(&self, question: &dyn BatchSum, members: &Members<'_>) -> WideSums {
        let parts = self.parts.iter().map(|part| part.tables());
        let units = parts.map(|tables| tables.iter().map(|table| table.units).sum());
        let own = members.split(units);
        let sums = self.parts.iter().zip(own);
        let sums = sums.map(|(part, own)| part.sum_of_batch(question, &Members(&own)));
        sums.reduce(WideSums::merged).unwrap_or_default()
    }

    fn follow(&self, frame: &Arc<Frame>) -> Box<dyn Follow + '_> {
        Box::new(Merged {
            parts: self.parts.iter().map(|part| part.follow(frame)).collect(),
            columns: Vec::new(),
            totals: Vec::new(),
        })
    }

    fn restricted_to(&self, columns: &[u32]) -> Box<dyn Population + '_> {
        let shape = Shape {
            width: columns.len(),
            ..self.shape
        };
        let parts = self
            .parts
            .iter()
            .map(|part| part.restricted_to(columns))
            .collect();
        Box::new(Parts { parts, shape })
    }

    fn framed(&self, frame: TargetFrame) -> Box<dyn Population + '_> {
        let parts = self.parts.iter().map(|part| part.framed(frame)).collect();
        Box::new(Parts {
            parts,
            shape: self.shape,
        })
    }

    fn columns_framed(&self, frames: &[Option<ColumnFrame>]) -> Box<dyn Population + '_> {
        let parts = self.parts.iter();
        let parts = parts.map(|part| part.columns_framed(frames)).collect();
        Box::new(Parts {
            parts,
            shape: self.shape,
        })
    }

    fn class_weight(&self) -> Option<&ClassWeight> {
        self.parts.first().and_then(|part| part.class_weight())
    }

    fn weighted(&self, weights: &[f64]) -> Box<dyn Population + '_> {
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|part| part.weighted(weights))
            .collect();
        let whole = parts.iter().all(|part| part.shape().whole);
        Box::new(Parts {
            parts,
            shape: Shape {
                whole,
                ..self.shape
            },
        })
    }

    fn tables(&self) -> Vec<SealedTable> {
        self.parts.iter().flat_map(|part| part.tables()).collect()
    }

    fn central(&self) -> Result<CentralRecords<'_>, NotCentral> {
        match &self.parts[..] {
            [part] => part.central(),
            parts => Err(NotCentral::InParts { parts: parts.len() }),
        }
    }
}

/// The gradient of every part, and their sum.
struct Merged<'a> {
    parts: Vec<Box<dyn Follow + 'a>>,
    columns: Vec<i64>,
    totals: Vec<i64>,
}

impl Follow for Merged<'_> {
    fn advance(&mut self, step: &Move<'_>) {
        self.parts.iter_mut().for_each(|part| part.advance(step));
    }

    fn sums(&mut self) -> SumsOfGradient<'_> {
        self.columns.clear();
        self.totals.clear();
        for part in &mut self.parts {
            let sums = part.sums();
            add(&mut self.columns, sums.columns);
            add(&mut self.totals, sums.totals);
        }
        SumsOfGradient {
            columns: &self.columns,
            totals: &self.totals,
        }
    }
}

/// Adds integers to a list that is empty or has the same length. Sums over all records stay below
/// 2⁶², which each question ensures.
pub(super) fn add(sums: &mut Vec<i64>, others: &[i64]) {
    sums.resize(others.len(), 0);
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}
