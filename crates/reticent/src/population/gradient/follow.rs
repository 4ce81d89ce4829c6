//! A gradient that follows a path of released steps, kept where the records are.

use std::sync::Arc;

use super::frame::{Frame, Slopes};
use super::margins::{Line, Margins};
use super::pass::{self, Block, Sink, Worker};
use super::products::{self, Weights};
use super::rows::RowNumbers;
use super::scatter::{self, Change};
use super::storage::Storage;
use super::{dense, multiclass, single_output};
use crate::matrix::csc::Csc;
use crate::matrix::tiles::TILE_ROWS;
use crate::parallel;
use crate::population::records::Records;
use crate::solve::Vertex;

/// Records whose slopes are renewed together.
pub(super) const BLOCK: usize = 1024;

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
    /// Features for dense weights, once weights were set.
    storage: Option<Storage>,
    /// The weights that were set last, and whether margins do not know them yet: their products are
    /// computed in the pass that needs them.
    weights: Option<Weights>,
    pending: bool,
    /// One per thread.
    workers: Vec<Worker>,
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
            rows: RowNumbers::new(frame, records),
            margins: (0..outputs).map(|_| Margins::zero(count)).collect(),
            by_column: None,
            storage: None,
            weights: None,
            pending: false,
            workers: Vec::new(),
            slopes: vec![0; count * outputs],
            sums: vec![0; outputs * records.features.width()],
            totals: vec![0; outputs],
            moved: true,
        }
    }

    /// The same with features stored for dense weights in a given way.
    #[cfg(test)]
    pub(super) fn stored(records: &'a Records<'a>, frame: &Arc<Frame>, storage: Storage) -> Self {
        Self {
            storage: Some(storage),
            ..Self::new(records, frame)
        }
    }
}

impl Follow for Following<'_> {
    /// Cost: the entries of one column for an axis, all entries for a point or weights.
    ///
    /// # Panics
    ///
    /// If there is no such function, or a vertex does not have the columns of the records.
    fn advance(&mut self, step: &Move<'_>) {
        self.moved = true;
        match step {
            Move::Intercepts(intercepts) => {
                assert_eq!(intercepts.len(), self.margins.len(), "one per function");
                for (margins, intercept) in self.margins.iter_mut().zip(*intercepts) {
                    margins.intercept = *intercept;
                }
            }
            Move::Weights(weights) => self.set_weights(weights),
            Move::Step { towards, size } => {
                self.multiply_out();
                self.step(towards, *size);
            }
        }
    }

    fn sums(&mut self) -> SumsOfGradient<'_> {
        if self.moved {
            self.moved = false;
            self.renew();
        }
        SumsOfGradient {
            columns: &self.sums,
            totals: &self.totals,
        }
    }
}

impl Following<'_> {
    fn step(&mut self, towards: &[(usize, Vertex)], size: f64) {
        let unit = self.records.clip.grid.step();
        let features = &self.records.features;
        for margins in &mut self.margins {
            margins.shrink(1.0 - size);
        }
        for (function, vertex) in towards {
            let margins = &mut self.margins[*function];
            match vertex {
                Vertex::Axis { column, value } => {
                    // One copy of the features at a time.
                    self.storage = None;
                    let by_column = &mut self.by_column;
                    margins.add_column(features, by_column, *column, size * value * unit);
                }
                Vertex::Point(point) => margins.add_point(features, point, size * unit),
            }
        }
    }

    /// Sets the weights. Their products with the rows are left to the pass that renews slopes; in
    /// tiles, whose order is another, they are computed now.
    fn set_weights(&mut self, weights: &[f64]) {
        let (features, functions) = (&self.records.features, self.margins.len());
        let width = features.width();
        assert_eq!(weights.len(), width * functions, "one per column");
        // One copy of the features at a time.
        let storage = self.storage.get_or_insert_with(|| match self.by_column {
            None => Storage::of(features, functions),
            Some(_) => Storage::of_rows(features),
        });
        self.margins.iter_mut().for_each(Margins::renew);
        let all = self.weights.get_or_insert_default();
        all.set(storage, &self.records.clip, weights, functions);
        match storage {
            Storage::Tiles(tiles) if all.are_whole() => {
                let step = self.records.clip.grid.step();
                for (margins, (whole, unit)) in self.margins.iter_mut().zip(all.by_function()) {
                    let bands = margins.scaled.chunks_mut(TILE_ROWS).enumerate();
                    let threads = parallel::threads(features.entries());
                    parallel::share(bands, threads, |(band, scaled)| {
                        products::of_band(tiles, band, whole, scaled);
                        in_units(scaled, unit, step);
                    });
                }
                self.pending = false;
            }
            _ => self.pending = true,
        }
    }

    /// Computes the products that were left to a pass.
    fn multiply_out(&mut self) {
        if !std::mem::take(&mut self.pending) {
            return;
        }
        let unit = self.records.clip.grid.step();
        let targets = &self.records.targets;
        let (Some(weights), Some(storage)) = (&self.weights, &self.storage) else {
            return;
        };
        for mut block in pass::blocks(&mut self.slopes, &mut self.margins, targets, BLOCK) {
            let margins = &mut block.scaled;
            weights.products(storage, &self.records.features, block.first, margins, unit);
        }
    }

    /// Renews the slopes that have moved by more than a step, and adds what has changed: one pass
    /// over the records, and over their entries if weights were set.
    fn renew(&mut self) {
        let Self {
            records,
            frame,
            rows,
            margins,
            storage,
            weights,
            workers,
            slopes,
            sums,
            totals,
            ..
        } = self;
        let features = &records.features;
        let functions = margins.len();
        let storage = storage.as_ref();
        let set = match (std::mem::take(&mut self.pending), storage, weights) {
            (true, Some(storage), Some(weights)) => Some((storage, &*weights)),
            _ => None,
        };
        let work = slopes.len() + set.map_or(0, |_| features.entries());
        let threads = parallel::threads(work);
        let sink = set.map_or(Sink::Later, |(storage, _)| {
            Sink::of(storage, features, functions, threads)
        });
        workers.resize_with(threads, Worker::default);
        let lines: Vec<Line> = margins.iter().map(Margins::line).collect();
        // Exact, as the step is a power of two between 2⁻⁵⁰⁰ and 2⁵⁰⁰.
        let per_step = 1.0 / frame.slope_grid.step();
        let unit = records.clip.grid.step();
        let renewal = Renewal::new(frame, rows, &lines, per_step);
        let size = match storage {
            Some(Storage::Dense) => dense::block(features.width()),
            _ => BLOCK,
        };
        let blocks = pass::blocks(slopes, margins, &records.targets, size);
        pass::run(blocks, workers, sink, (sums, totals), |block, moves| {
            if let Some((storage, weights)) = set {
                weights.products(storage, features, block.first, &mut block.scaled, unit);
            }
            renewal.of_block(block, moves);
        });
        if let Sink::Later = sink {
            self.add_changes();
        }
    }

    /// Adds the changes that a pass has left to be added, and forgets them. If so many records have
    /// changed that it is faster, all are summed afresh.
    fn add_changes(&mut self) {
        let functions = self.totals.len();
        let lists = || self.workers.iter().flat_map(|worker| &worker.changes);
        let moved: usize = lists().map(Vec::len).sum();
        let many = |factor| factor * moved > functions * self.records.targets.len();
        match &self.storage {
            Some(Storage::Tiles(tiles)) if functions == 1 && many(scatter::SCATTER_TO_TILES) => {
                let entries = self.records.features.entries();
                scatter::sum_tiles(entries, tiles, &self.slopes, &mut self.sums);
            }
            Some(Storage::Columns(columns)) if many(scatter::SCATTER_TO_COLUMNS) => {
                let sums = &mut self.sums;
                let width = self.records.features.width();
                scatter::sum_columns(width, columns, &self.slopes, functions, sums);
            }
            _ => self.add_rows(),
        }
        let lists = self
            .workers
            .iter_mut()
            .flat_map(|worker| &mut worker.changes);
        lists.for_each(Vec::clear);
    }

    /// Adds the changed records, row after row.
    fn add_rows(&mut self) {
        let features = &self.records.features;
        // A chunk size of at least one, even for an empty slice.
        let width = features.width().max(1);
        let of_function = |l: usize| {
            let of_workers = self.workers.iter().map(|worker| &worker.changes[l][..]);
            of_workers.collect::<Vec<_>>().concat()
        };
        let changes: Vec<Vec<Change>> = (0..self.totals.len()).map(of_function).collect();
        match &changes[..] {
            // One function is not worth another thread: its rows are divided among threads instead.
            [changes] => scatter::add_rows(features, changes, &mut self.sums),
            changes => {
                let sums = self.sums.chunks_mut(width).zip(changes);
                let threads = rayon::current_num_threads();
                parallel::share(sums, threads, |(sums, changes)| {
                    scatter::add_rows(features, changes, sums);
                });
            }
        }
    }
}

/// Margins from products of weights in units and rows in steps.
pub(super) fn in_units(products: &mut [f64], unit: f64, step: f64) {
    // The sum makes a positive zero of a negative one.
    products
        .iter_mut()
        .for_each(|product| *product = 0.0 + step * (unit * *product));
}

/// How slopes are renewed.
enum Renewal<'a> {
    One(single_output::Renewal<'a>),
    Several(multiclass::Renewal<'a>),
}

impl<'a> Renewal<'a> {
    fn new(frame: &'a Frame, rows: &'a RowNumbers, lines: &'a [Line], per_step: f64) -> Self {
        match frame.slopes {
            Slopes::Loss(loss) => Self::One(single_output::Renewal {
                lines,
                rows,
                loss,
                offset: frame.offsets.first().copied().unwrap_or(0.0),
                bound: frame.bound,
                most: frame.most,
                per_step,
            }),
            Slopes::Classes => Self::Several(multiclass::Renewal {
                lines,
                offsets: &frame.offsets,
                rows,
                norm: frame.norm,
                most: frame.most,
                per_step,
            }),
        }
    }

    fn of_block(&self, block: &mut Block<'_>, moves: &mut [Vec<i32>]) {
        match self {
            Self::One(one) => one.of_block(block, &mut moves[0]),
            Self::Several(several) => several.of_block(block, moves),
        }
    }
}
