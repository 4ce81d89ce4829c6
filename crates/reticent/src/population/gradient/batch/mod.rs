//! The gradient over a secret batch, each record's clipped as one vector.

mod record;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};

use super::Length;
use super::dense::{self, BlockRows, Sums};
use super::frame::{AddedIn64, Frame, RowFrame, SlopeGridError, Slopes, slope_grid};
use super::products::Weights;
use super::rows::{SquaredNorm, longest};
use super::scatter::add_sparse;
use super::storage::Storage;
use crate::matrix::{Matrix, pick_rows};
use crate::noise::Grid;
use crate::parallel::{self, COORDINATES};
use crate::population::batch::{BatchQuery, BatchSum, Rows, WideSums};
use crate::population::query::{LIMIT, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::population::{Population, Shape};
use crate::privacy::Adjacency;
use record::{Buffers, RecordRule, Row};

/// The largest standard deviation of noise in grid steps: half of what samplers reach, so that it may be
/// rounded.
const MOST_DEVIATION: f64 = (1u64 << 55) as f64;

/// What a record adds to the gradient over a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RecordClip {
    /// Its gradient, clipped to a length of C.
    Gradient {
        /// C.
        length: f64,
    },
    /// Of stochastic recursive momentum (thesis, algorithm 4): (1 − γ)·clip(∇fᵢ(θ) − ∇fᵢ(θ₋₁), C₂) +
    /// γ·clip(∇fᵢ(θ), C₁), θ₋₁ being the point before θ. The *difference* is clipped as one vector: two
    /// gradients that are clipped apart can differ by 2·C₁ however near their points are.
    Recursive {
        /// C₁.
        length: f64,
        /// C₂.
        difference: f64,
        /// γ, between 0 and 1.
        momentum: f64,
    },
}

impl RecordClip {
    /// The length of each of the vectors that a record adds: of the gradient, and of the difference.
    fn lengths(self) -> (f64, Option<f64>) {
        match self {
            Self::Gradient { length } => (length, None),
            Self::Recursive {
                length,
                difference,
                momentum,
            } => (momentum * length, Some((1.0 - momentum) * difference)),
        }
    }

    /// The same, where no gradient is longer than this.
    fn at_most(self, longest: f64) -> Self {
        match self {
            Self::Gradient { length } => Self::Gradient {
                length: length.min(longest),
            },
            Self::Recursive {
                length,
                difference,
                momentum,
            } => Self::Recursive {
                length: length.min(longest),
                difference: difference.min(2.0 * longest),
                momentum,
            },
        }
    }

    /// The greatest length of what a record adds.
    pub fn length(self) -> f64 {
        let (gradient, difference) = self.lengths();
        gradient + difference.unwrap_or(0.0)
    }
}

/// A model: released or public.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Point {
    /// Function after function, one per column.
    pub weights: Vec<f64>,
    /// One per function: what is added to margins of rows as they are bounded, before they are scaled.
    pub intercepts: Vec<f64>,
}

/// Σ over a batch of what each record adds: ∇fᵢ = r ⊗ (xᵢ − m, b₀), r being ψ(margin) or the residuals
/// of several classes, and the row scaled to length one if the frame does so; or the estimate of
/// recursive momentum.
///
/// # Privacy
///
/// Let N be the length of (x − m, b₀) of a record, in grid steps, or of (s∘x, b₀) in their parts: N² is
/// a whole number, computed from the record and public numbers. A record adds k ⊗ (x − m, b₀) in
/// steps of a public grid, an exact product of whole numbers, where k = k₁ + k₂ are lists of one whole
/// number for each function: k₁ from the gradient, and k₂ from the difference, if there is one.
/// Whatever the floats are that they come from (rounded in any way, infinite or no numbers, which
/// become 0), integers decide that ‖kₚ‖₂·N ≤ Lₚ, where Lₚ is the length of that vector in grid steps,
/// rounded down: kₚ is truncated towards zero, and shortened until ‖kₚ‖₂ ≤ cₚ, cₚ being the largest
/// whole number with cₚ·N ≤ Lₚ. So a record adds a vector of ℓ₂ norm at most L₁ + L₂ (triangle
/// inequality), whatever its row, its target and the path of released points; under add-remove that is
/// the sensitivity, under replace-one twice that.
///
/// *Units*: a row has the share of its unit in Lₚ, rounded down: what the rows of a unit add is at most
/// as long together (triangle inequality), and they are in a batch together or not at all.
///
/// *In parts*: sums are integers, added over parts; the batch is drawn once over all of them.
///
/// *Sums of any number of records*: |k| ≤ 2²² and entries of at most 2²⁰ steps are added in 64 bits for
/// up to 2¹⁹ records, and beyond that in 128. What exceeds ±2⁶² in the end is clamped there, which moves
/// no two neighbours farther apart. So the grid need not be coarser where the number of records is
/// private.
///
/// *Room for the noise*: samplers reach deviations of 2⁵⁶ steps. Where the largest noise would exceed
/// that on the finest grid, the grid is coarser; and where a step of it would then exceed a long row, Lₚ is
/// less than the clip, which shortens more. Both follow from the noise multiplier, which the plan fixes,
/// and from public numbers, and L₁ + L₂ is the sensitivity as above.
///
/// What the batch is divided by is public, and the caller's: never how many were drawn.
#[derive(Clone)]
pub struct BatchGradient {
    frame: Arc<Frame>,
    clip: RecordClip,
    /// L of the gradient and of the difference.
    limits: (u64, Option<u64>),
}

impl BatchGradient {
    /// The question for records of this shape. The row frame's length is [`Length::One`], or
    /// [`Length::Free`] for rows as they are; its slope is not used, as gradients are clipped. `noise` is
    /// the largest multiplier that the sum is released with.
    ///
    /// # Panics
    ///
    /// If slopes of classes are asked for and targets are numbers, if the row frame caps lengths, or if
    /// the clip is 0.
    pub fn new(
        shape: Shape,
        slopes: Slopes,
        rows: &RowFrame<'_>,
        clip: RecordClip,
        noise: f64,
    ) -> Result<Self, SlopeGridError> {
        let unit = rows.length == Length::One;
        assert!(unit || rows.length == Length::Free, "rows are not capped");
        assert!(clip.length() > 0.0, "a gradient has a length");
        // No slope is larger, and no list of residuals longer than √2.
        let bound = match slopes {
            Slopes::Loss(loss) => loss.slope_bound(),
            Slopes::Classes => 1.0,
        };
        let whole = match unit {
            true => 1.0,
            false => {
                let row = longest(&shape.clip, shape.width, 0) as f64 * shape.clip.grid.step();
                row.hypot(rows.constant)
            }
        };
        let clip = clip.at_most(std::f64::consts::SQRT_2 * bound * whole);
        let framed = RowFrame {
            slope: if unit { clip.length() } else { f64::INFINITY },
            length: match unit {
                true => Length::One,
                // No row is longer, so that none is capped.
                false => Length::Within(whole),
            },
            ..*rows
        };
        // As fine as it may be for one record: slopes are computed afresh for each batch, so that a
        // coarser grid saves nothing.
        let grid = slope_grid(1, Adjacency::ReplaceOne, bound, 0.0);
        let mut grid = grid.map_err(|_| SlopeGridError::Product)?;
        let on = |grid: Grid| Frame::adding(AddedIn64::One, shape, slopes, grid, &framed);
        let mut frame = on(grid)?;
        // Two neighbours differ by twice as much.
        let most_steps = MOST_DEVIATION / (2.0 * noise);
        while clip.length() / frame.grid.step() > most_steps {
            let coarser = Grid::new(grid.exponent() + 1).map_err(|_| SlopeGridError::Product)?;
            match on(coarser) {
                Ok(on_coarser) => (grid, frame) = (coarser, on_coarser),
                // The clip is one step.
                Err(_) => break,
            }
        }
        let (gradient, difference) = clip.lengths();
        let shortened = (most_steps / (clip.length() / frame.grid.step())).min(1.0);
        let steps = |length: f64| (shortened * length / frame.grid.step()) as u64;
        let limits = (steps(gradient), difference.map(steps));
        Ok(Self {
            frame: Arc::new(frame),
            clip,
            limits,
        })
    }

    /// How many functions the model has.
    pub fn outputs(&self) -> usize {
        self.frame.outputs()
    }

    /// The sum at a point, for a batch of these records; recursive momentum compares it with the point
    /// `before`.
    ///
    /// # Panics
    ///
    /// If the records have another shape, a point has another number of weights, or there is a point
    /// before where none is needed, or none where it is.
    pub fn ask<'a>(
        &self,
        population: &'a dyn Population,
        point: &Point,
        before: Option<&Point>,
    ) -> BatchQuery<'a> {
        let frame = &self.frame;
        assert!(
            population.shape() == frame.shape,
            "records of another shape"
        );
        let recursive = self.limits.1.is_some();
        assert_eq!(before.is_some(), recursive, "the point before");
        let functions = frame.outputs();
        let points: Vec<Point> = [Some(point), before]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        for point in &points {
            let weights = functions * frame.shape.width;
            assert_eq!(point.weights.len(), weights, "one per column and function");
            assert_eq!(point.intercepts.len(), functions, "one per function");
        }
        // What adds nothing at all has a sensitivity of 1 step.
        let steps = (self.limits.0 + self.limits.1.unwrap_or(0)).max(1);
        let dimension = functions * (frame.shape.width + 1);
        let record = RecordSteps::L2(steps);
        let sensitivity = Sensitivity::of(record, dimension, frame.shape.adjacency);
        let sum = Box::new(SumAt {
            question: self.clone(),
            points,
        });
        BatchQuery::new("batch gradient", population, sum, frame.grid, sensitivity)
    }

    /// The grid that sums are on.
    pub fn grid(&self) -> Grid {
        self.frame.grid
    }
}

/// The question at released points.
struct SumAt {
    question: BatchGradient,
    /// One, or the point and the one before.
    points: Vec<Point>,
}

/// Records whose slopes are computed together.
const BLOCK: usize = super::follow::BLOCK;
/// Records that are added in 64 bits: a multiple of a block, and 2²²·2²⁰ times that is below 2⁶².
const IN_64_BITS: usize = 1 << 19;
/// A second thread needs sums of its own, which are cleared and added at the end: worthwhile from this
/// many entries for each of them.
const ENTRIES_PER_SUM: usize = 3;

/// The sums of one thread.
struct Adding {
    /// Σ k·x, function after function, then Σ k.
    sums: Vec<i64>,
    /// How many records they are of.
    records: usize,
    /// What was added before; empty for nothing.
    wide: WideSums,
}

impl Adding {
    fn new(dimension: usize) -> Self {
        Self {
            sums: vec![0; dimension],
            records: 0,
            wide: WideSums::default(),
        }
    }

    /// Room for so many more records in 64 bits.
    fn make_room(&mut self, records: usize) {
        if self.records + records > IN_64_BITS {
            let full = std::mem::replace(self, Self::new(self.sums.len()));
            self.wide = full.into_wide();
        }
        self.records += records;
    }

    fn into_wide(self) -> WideSums {
        let sums = self.sums.into_iter().map(i128::from).collect();
        self.wide.merged(WideSums(sums))
    }
}

impl BatchSum for SumAt {
    fn over(&self, records: &Records<'_>, rows: &Rows) -> WideSums {
        let frame = &*self.question.frame;
        let features = &records.features;
        let storage = Storage::of_rows(features);
        let size = match storage {
            Storage::Dense => dense::block(features.width()),
            _ => BLOCK,
        };
        let count = match rows {
            Rows::All => features.rows(),
            Rows::Some(rows) => rows.len(),
        };
        let weights: Vec<Weights> = self
            .points
            .iter()
            .map(|point| self.laid_out(point, &storage))
            .collect();
        let pass = Pass {
            sum: self,
            records,
            norm: SquaredNorm::new(frame.centre(), frame.scales(), frame.constant),
            weights: &weights,
        };
        let dimension = self.dimension();
        let entries = features.entries() / features.rows().max(1) * count;
        let threads = match entries / ENTRIES_PER_SUM < dimension {
            true => 1,
            false => parallel::threads(entries),
        };
        let blocks = Mutex::new((0..count).step_by(size));
        let next = || blocks.lock().ok().and_then(|mut blocks| blocks.next());
        let mut workers: Vec<_> = (0..threads).map(|_| Adding::new(dimension)).collect();
        parallel::share(workers.iter_mut(), threads, |adding| {
            let mut buffers = BlockBuffers::new(self.points.len(), frame.outputs(), count);
            while let Some(first) = next() {
                let count = size.min(count - first);
                let numbers = match rows {
                    Rows::All => BlockRows::From { first, count },
                    Rows::Some(rows) => BlockRows::Some(&rows[first..][..count]),
                };
                pass.add(numbers, &mut buffers, adding);
            }
        });
        let sums = workers.into_iter().map(Adding::into_wide);
        sums.reduce(WideSums::merged).unwrap_or_default()
    }

    /// Σ k·(x − m), or Σ k·(s∘x), and b₀·Σ k.
    fn finished(&self, total: WideSums) -> Vec<i64> {
        let frame = &*self.question.frame;
        let (width, functions) = (frame.shape.width, frame.outputs());
        let mut values = vec![0; self.dimension()];
        if total.0.is_empty() {
            return values;
        }
        let limit = i128::from(LIMIT);
        // The clamp makes the conversion exact.
        let clamped = |sum: i128| sum.clamp(-limit, limit) as i64;
        let (columns, totals) = total.0.split_at(functions * width);
        let (of_columns, of_totals) = values.split_at_mut(functions * width);
        for (l, total) in totals.iter().enumerate() {
            of_totals[l] = clamped(total * i128::from(frame.constant));
            let sums = columns[l * width..][..width].chunks(COORDINATES);
            let values = of_columns[l * width..][..width].chunks_mut(COORDINATES);
            let chunks = sums.zip(values).enumerate();
            parallel::share(
                chunks,
                parallel::threads(width),
                |(chunk, (sums, values))| {
                    let first = chunk * COORDINATES;
                    let centre = frame.centre().get(first..).unwrap_or_default();
                    let scales = frame.scales().get(first..).unwrap_or_default();
                    for (j, (value, sum)) in values.iter_mut().zip(sums).enumerate() {
                        let m = centre.get(j).map_or(0, |m| i128::from(*m));
                        let scale = scales.get(j).map_or(1, |scale| i128::from(*scale));
                        *value = clamped((sum - m * total) * scale);
                    }
                },
            );
        }
        values
    }

    fn dimension(&self) -> usize {
        let frame = &*self.question.frame;
        frame.outputs() * (frame.shape.width + 1)
    }
}

impl SumAt {
    /// The weights of a point as products of rows take them.
    fn laid_out(&self, point: &Point, storage: &Storage) -> Weights {
        let frame = &*self.question.frame;
        let mut weights = Weights::default();
        if frame.shape.width > 0 {
            let functions = frame.outputs();
            weights.set(storage, &frame.shape.clip, &point.weights, functions);
        }
        weights
    }
}

/// One pass over the rows of a batch.
struct Pass<'a> {
    sum: &'a SumAt,
    records: &'a Records<'a>,
    norm: SquaredNorm<'a>,
    /// For each point.
    weights: &'a [Weights],
}

/// Room for the records of a block, used again.
struct BlockBuffers {
    /// For each point and each function.
    products: Vec<Vec<f64>>,
    /// k, record after record.
    steps: Vec<i32>,
    /// The same, function after function.
    by_function: Vec<f64>,
    record: Buffers,
}

impl BlockBuffers {
    /// For so many records in all: as many as a block has, or fewer.
    fn new(points: usize, functions: usize, records: usize) -> Self {
        let block = BLOCK.min(records);
        Self {
            products: vec![vec![0.0; block]; points * functions],
            steps: vec![0; functions * block],
            by_function: Vec::new(),
            record: Buffers::default(),
        }
    }
}

impl Pass<'_> {
    /// Adds what the records of a block add.
    fn add(&self, numbers: BlockRows<'_>, buffers: &mut BlockBuffers, adding: &mut Adding) {
        let frame = &*self.sum.question.frame;
        let functions = frame.outputs();
        let count = numbers.len();
        let features: &Matrix = &self.records.features;
        // A copy of so few sparse rows stays in the cache for all that is done with them.
        let picked = match (features, numbers) {
            (Matrix::Sparse(_), BlockRows::Some(rows)) => Some(pick_rows(features, rows)),
            _ => None,
        };
        let (features, rows) = match &picked {
            Some(picked) => (picked, BlockRows::From { first: 0, count }),
            None => (features, numbers),
        };
        let BlockBuffers {
            products,
            steps,
            by_function,
            record,
        } = buffers;
        let unit = self.records.clip.grid.step();
        for (products, weights) in products.chunks_mut(functions).zip(self.weights) {
            let mut products: Vec<_> = products.iter_mut().map(|p| &mut p[..count]).collect();
            match rows {
                BlockRows::From { first, .. } => {
                    let storage = Storage::of_rows(features);
                    weights.products(&storage, features, first, &mut products, unit);
                }
                rows => weights.products_of_rows(features, rows, &mut products, unit),
            }
        }
        let (now, before) = products.split_at(functions);
        let points = &self.sum.points;
        let rule = RecordRule {
            frame,
            clip: self.sum.question.clip,
            limits: self.sum.question.limits,
            intercepts: [0, 1].map(|at: usize| points.get(at).map_or(&[][..], |p| &p.intercepts)),
        };
        let steps = &mut steps[..count * functions];
        for (place, steps) in steps.chunks_mut(functions).enumerate() {
            let number = numbers.number(place);
            let row = Row {
                square: self.norm.of(features, rows.number(place)),
                target: self.records.targets[number],
                share: self.records.share(number),
            };
            let of_row = [now, before].map(|products| products.iter().map(move |p| p[place]));
            rule.steps_of(&row, of_row, record, steps);
        }
        adding.make_room(count);
        let (columns, totals) = adding.sums.split_at_mut(functions * frame.shape.width);
        match features {
            Matrix::Sparse(csr) => add_sparse(csr, rows.number(0), steps, columns),
            Matrix::Dense(dense) => {
                let of_function = |l: usize| steps.iter().skip(l).step_by(functions);
                by_function.clear();
                by_function.extend((0..functions).flat_map(of_function).map(|k| f64::from(*k)));
                pulp::Arch::new().dispatch(Sums {
                    dense,
                    rows,
                    steps: by_function,
                    sums: columns,
                });
            }
        }
        for steps in steps.chunks(functions) {
            for (total, step) in totals.iter_mut().zip(steps) {
                *total += i64::from(*step);
            }
        }
    }
}
