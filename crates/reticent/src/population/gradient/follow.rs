//! A gradient that follows a path of released steps, kept where the records are.

use std::sync::Arc;

use rayon::prelude::*;

use super::frame::{Frame, Slopes};
use super::margins::Margins;
use super::rows::RowNumbers;
use super::scatter::{self, Change};
use super::{multiclass, single_output};
use crate::matrix::csc::Csc;
use crate::population::records::Records;
use crate::solve::Vertex;

/// Records whose slopes are renewed together.
pub(super) const BLOCK: usize = 1024;

/// Less work than this, in records or entries, is done by one thread: waking another takes longer.
/// This is about a tenth of a millisecond.
pub(super) const SINGLE_THREAD_WORK: usize = 1 << 15;

/// One step of a model's path: public, or made from what was released.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Move<'a> {
    /// The weights of every function: w ← (1 − size)·w, and those listed towards their vertex,
    /// w ← (1 − size)·w + size·vertex.
    Step {
        /// Functions by their number, and the vertex that each moves towards.
        towards: &'a [(usize, Vertex)],
        /// The step size.
        size: f64,
    },
    /// Sets the weights: function after function, one per column.
    Weights(&'a [f64]),
    /// Sets the intercepts, one per function.
    Intercepts(&'a [f64]),
}

/// The sealed sums of a gradient over records.
pub struct SumsOfGradient<'a> {
    /// Σ k·x, function after function.
    pub(in crate::population) columns: &'a [i64],
    /// Σ k, one per function.
    pub(in crate::population) totals: &'a [i64],
}

/// A gradient that follows a model.
///
/// Its sums are a function of the records, of public numbers and of the *path*: the moves, and the
/// points between them at which sums were computed, as slopes lag until then. A lost state can be
/// restored from the records, with the same bits, by replaying the same moves and sums.
pub trait Follow {
    /// Moves the model.
    fn advance(&mut self, step: &Move<'_>);

    /// The sums at the current model.
    fn sums(&mut self) -> SumsOfGradient<'_>;
}

/// A state that is held elsewhere.
#[cfg(test)]
impl<F: Follow> Follow for &mut F {
    fn advance(&mut self, step: &Move<'_>) {
        (**self).advance(step);
    }

    fn sums(&mut self) -> SumsOfGradient<'_> {
        (**self).sums()
    }
}

/// The state of a gradient on records in memory.
pub(in crate::population) struct Following<'a> {
    records: &'a Records<'a>,
    frame: Arc<Frame>,
    pub(super) rows: RowNumbers,
    /// One per function.
    pub(super) margins: Vec<Margins>,
    /// Sparse features by column, once a column was needed.
    by_column: Option<Csc>,
    /// The k of each record, record after record.
    pub(super) slopes: Vec<i32>,
    /// Σ k·x, function after function.
    sums: Vec<i64>,
    /// Σ k, one per function.
    totals: Vec<i64>,
    /// Whether the margins have moved since the slopes were renewed.
    moved: bool,
}

impl<'a> Following<'a> {
    /// At weights and intercepts 0.
    pub fn new(records: &'a Records<'a>, frame: &Arc<Frame>) -> Self {
        let (count, outputs) = (records.targets.len(), frame.outputs());
        Self {
            records,
            frame: Arc::clone(frame),
            rows: RowNumbers::new(frame, &records.features),
            margins: (0..outputs).map(|_| Margins::zero(count)).collect(),
            by_column: None,
            slopes: vec![0; count * outputs],
            sums: vec![0; outputs * records.features.width()],
            totals: vec![0; outputs],
            moved: true,
        }
    }
}

impl Follow for Following<'_> {
    /// Cost: the entries of one column for an axis, all entries for a point.
    ///
    /// # Panics
    ///
    /// If there is no such function, or a vertex does not have the columns of the records.
    fn advance(&mut self, step: &Move<'_>) {
        self.moved = true;
        let unit = self.records.clip.grid.step();
        let features = &self.records.features;
        match step {
            Move::Intercepts(intercepts) => {
                assert_eq!(intercepts.len(), self.margins.len(), "one per function");
                for (margins, intercept) in self.margins.iter_mut().zip(*intercepts) {
                    margins.intercept = *intercept;
                }
            }
            Move::Weights(weights) => {
                let width = features.width();
                assert_eq!(weights.len(), width * self.margins.len(), "one per column");
                for (k, margins) in self.margins.iter_mut().enumerate() {
                    margins.shrink(0.0);
                    let weights = &weights[k * width..(k + 1) * width];
                    if weights.iter().any(|weight| *weight != 0.0) {
                        margins.add_point(features, weights, unit);
                    }
                }
            }
            Move::Step { towards, size } => {
                for margins in &mut self.margins {
                    margins.shrink(1.0 - size);
                }
                for (function, vertex) in *towards {
                    let margins = &mut self.margins[*function];
                    match vertex {
                        Vertex::Axis { column, value } => {
                            let by_column = &mut self.by_column;
                            margins.add_column(features, by_column, *column, size * value * unit);
                        }
                        Vertex::Point(point) => margins.add_point(features, point, size * unit),
                    }
                }
            }
        }
    }

    fn sums(&mut self) -> SumsOfGradient<'_> {
        if self.moved {
            self.moved = false;
            let changes = self.renew();
            self.add(&changes);
        }
        SumsOfGradient {
            columns: &self.sums,
            totals: &self.totals,
        }
    }
}

impl Following<'_> {
    /// Renews the slopes that have moved by more than a step, and returns what has changed in each
    /// function: one pass over the records.
    fn renew(&mut self) -> Vec<Vec<Change>> {
        let Self {
            records,
            frame,
            rows,
            margins,
            slopes,
            ..
        } = self;
        let targets = &records.targets;
        // Exact, as the step is a power of two between 2⁻⁵⁰⁰ and 2⁵⁰⁰.
        let per_step = 1.0 / frame.slope_grid.step();
        let most = frame.most;
        match frame.slopes {
            Slopes::Loss(loss) => {
                let renewal = single_output::Renewal {
                    records,
                    margins: &margins[0],
                    rows,
                    loss,
                    offset: frame.offsets.first().copied().unwrap_or(0.0),
                    bound: frame.bound,
                    most,
                    per_step,
                };
                let renew = |first, kept: &mut [i32], targets: &[f64]| {
                    renewal.of_block(first, kept, targets)
                };
                vec![by_blocks(slopes, targets, 1, renew).concat()]
            }
            Slopes::Classes => {
                let renewal = multiclass::Renewal {
                    records,
                    margins,
                    offsets: &frame.offsets,
                    rows,
                    norm: frame.norm,
                    most,
                    per_step,
                };
                let renew = |first, kept: &mut [i32], targets: &[f64]| {
                    renewal.of_block(first, kept, targets)
                };
                let mut all = vec![Vec::new(); margins.len()];
                for block in by_blocks(slopes, targets, margins.len(), renew) {
                    for (all, mut changes) in all.iter_mut().zip(block) {
                        all.append(&mut changes);
                    }
                }
                all
            }
        }
    }

    /// Adds changes to the sums of their functions.
    fn add(&mut self, changes: &[Vec<Change>]) {
        let records = self.records;
        // A chunk size of at least one, even for an empty slice.
        let width = records.features.width().max(1);
        let add = |sums: &mut [i64], total: &mut i64, changes: &[Change]| {
            *total += changes.iter().map(|c| i64::from(c.by)).sum::<i64>();
            scatter::add_rows(&records.features, changes, sums);
        };
        match (changes, &mut self.totals[..]) {
            // One function is not worth another thread: its rows are divided among threads instead.
            ([changes], [total]) => add(&mut self.sums, total, changes),
            (changes, totals) => {
                let sums = self.sums.par_chunks_mut(width).zip(totals);
                let pairs = sums.zip(changes);
                pairs.for_each(|((sums, total), changes)| add(sums, total, changes));
            }
        }
    }
}

/// Applies a function to the slopes of each block of records, `per_record` per record.
fn by_blocks<T: Send>(
    slopes: &mut [i32],
    targets: &[f64],
    per_record: usize,
    renew: impl Fn(usize, &mut [i32], &[f64]) -> T + Sync,
) -> Vec<T> {
    let block = |(number, (kept, targets)): (usize, (&mut [i32], &[f64]))| {
        renew(number * BLOCK, kept, targets)
    };
    if slopes.len() < SINGLE_THREAD_WORK {
        let blocks = slopes
            .chunks_mut(BLOCK * per_record)
            .zip(targets.chunks(BLOCK));
        blocks.enumerate().map(block).collect()
    } else {
        let slopes = slopes.par_chunks_mut(BLOCK * per_record);
        let blocks = slopes.zip(targets.par_chunks(BLOCK));
        blocks.enumerate().map(block).collect()
    }
}
