//! The gradient over a secret batch, each record's clipped as one vector.

use std::sync::{Arc, Mutex};

use super::frame::{Frame, RowFrame, SlopeGridError, Slopes, slope_grid};
use super::multiclass::{clip_steps, shorten};
use super::pass::Block;
use super::products::Weights;
use super::rows::{longest, squared_norms, whole_quotient};
use super::storage::Storage;
use super::{Length, whole_gradient};
use crate::loss::residuals;
use crate::matrix::{Matrix, pick_rows};
use crate::noise::Grid;
use crate::parallel;
use crate::population::batch::{BatchQuery, BatchSum, Rows};
use crate::population::query::{RecordSteps, Sensitivity};
use crate::population::question::Sums;
use crate::population::records::Records;
use crate::population::{Population, Shape, parts};

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
/// number for each function: k₁ from the gradient, and k₂ from the difference, if there is one. Whatever the floats are
/// that they come from (rounded in any way, infinite or no numbers, which become 0), integers decide
/// that ‖kₚ‖₂·N ≤ Lₚ, where Lₚ is the length of that vector in grid steps, rounded down: kₚ is
/// truncated towards zero, and shortened until ‖kₚ‖₂² ≤ cₚ², cₚ being the largest whole number with cₚ²·N² ≤
/// Lₚ². So a record adds a vector of ℓ₂ norm at most L₁ + L₂ (triangle inequality), whatever its row,
/// its target and the path of released points; under add-remove that is the sensitivity, under
/// replace-one twice that.
///
/// *Units*: a row has the share of its unit in Lₚ, rounded down: what the rows of a unit add is at most
/// as long together (triangle inequality), and they are in a batch together or not at all.
///
/// *In parts*: sums are integers, added over parts; the batch is drawn once over all of them.
///
/// *Sums stay below 2⁶²*: |k| ≤ K for each function, where n·K·b·S < 2⁶² for all n records that there
/// can be (of two vectors each is held to K/2), and so does the centre times Σk: see
/// [`Gradient`](super::Gradient).
///
/// What the batch is divided by is public, and the caller's: never how many were drawn.
#[derive(Clone)]
pub struct BatchGradient {
    frame: Arc<Frame>,
    clip: RecordClip,
    /// Of the gradient and of the difference.
    limits: (u64, Option<u64>),
}

impl BatchGradient {
    /// The question for records of this shape. The row frame's length is [`Length::One`], or
    /// [`Length::Free`] for rows as they are; its slope is not used, as gradients are clipped.
    ///
    /// # Panics
    ///
    /// If slopes of classes are asked for and targets are numbers, or if a length is not positive.
    pub fn new(
        shape: Shape,
        slopes: Slopes,
        rows: &RowFrame<'_>,
        clip: RecordClip,
    ) -> Result<Self, SlopeGridError> {
        let unit = rows.length == Length::One;
        assert!(
            unit || rows.length == Length::Free,
            "rows are clipped by their gradients"
        );
        assert!(clip.length() > 0.0, "a gradient has a length");
        let bound = match slopes {
            Slopes::Loss(loss) => loss.slope_bound(),
            Slopes::Classes => 1.0,
        };
        let whole = longest(&shape.clip, shape.width, 0) as f64 * shape.clip.grid.step();
        let framed = RowFrame {
            slope: if unit { clip.length() } else { f64::INFINITY },
            // No row is longer.
            length: match rows.length {
                Length::One => Length::One,
                _ => Length::Within(whole.hypot(rows.constant)),
            },
            ..*rows
        };
        let count = shape.most_records() as u64;
        // Nothing is saved by a coarser grid: slopes are computed afresh for each batch.
        let grid =
            slope_grid(count, shape.adjacency, bound, 0.0).map_err(|_| SlopeGridError::Product)?;
        let frame = Frame::new(shape, slopes, grid, &framed)?;
        let steps = |length: f64| (length / frame.grid.step()) as u64;
        let (gradient, difference) = clip.lengths();
        let limits = (steps(gradient), difference.map(steps));
        Ok(Self {
            frame: Arc::new(frame),
            clip,
            limits,
        })
    }

    /// The sum at a point, for a batch of these records; recursive momentum compares it with the point
    /// `before`.
    ///
    /// # Panics
    ///
    /// If the records have another shape, a point has another number of weights, or the point before is
    /// missing where it is needed.
    pub fn ask<'a>(
        &self,
        population: &'a dyn Population,
        point: Point,
        before: Option<Point>,
    ) -> BatchQuery<'a> {
        let shape = population.shape();
        assert!(shape == self.frame.shape, "records of another shape");
        let functions = self.frame.outputs();
        let points: Vec<Point> = match self.limits.1 {
            None => vec![point],
            Some(_) => vec![point, before.expect("the point before")],
        };
        for point in &points {
            assert_eq!(
                point.weights.len(),
                functions * shape.width,
                "one per column"
            );
            assert_eq!(point.intercepts.len(), functions, "one per function");
        }
        let dimension = functions * (shape.width + 1);
        let most = self.limits.0 + self.limits.1.unwrap_or(0);
        // What adds nothing at all has a sensitivity of 1 step.
        let record = RecordSteps::L2(most.max(1));
        let sensitivity = Sensitivity::of(record, dimension, shape.adjacency);
        let grid = self.grid();
        let sum = Box::new(SumAt {
            question: self.clone(),
            points,
        });
        BatchQuery::new("batch gradient", population, sum, grid, sensitivity)
    }

    fn grid(&self) -> Grid {
        self.frame.grid
    }
}

/// The question at released points.
struct SumAt {
    question: BatchGradient,
    /// One, or the point and the one before.
    points: Vec<Point>,
}

impl BatchSum for SumAt {
    /// Σ k·x, function after function, and Σ k.
    fn over(&self, records: &Records<'_>, rows: &Rows) -> Sums {
        let frame = &*self.question.frame;
        let functions = frame.outputs();
        let picked;
        let (features, number): (&Matrix<'_>, &(dyn Fn(usize) -> usize + Sync)) = match rows {
            Rows::All => (&records.features, &|row| row),
            Rows::Some(rows) => {
                picked = pick_rows(&records.features, rows);
                (&picked, &|place| rows[place] as usize)
            }
        };
        let norms = squared_norms(features, frame.centre(), frame.scales(), frame.constant);
        let weights: Vec<Weights> = self
            .points
            .iter()
            .map(|point| self.laid_out(point))
            .collect();
        let dimension = functions * (frame.shape.width + 1);
        let threads = match features.entries() / SUMS_PER_THREAD < dimension {
            true => 1,
            false => parallel::threads(features.entries()),
        };
        let blocks = (0..norms.len()).step_by(BLOCK);
        let blocks = Mutex::new(blocks);
        let next = || blocks.lock().ok().and_then(|mut blocks| blocks.next());
        let mut workers = vec![vec![0i64; dimension]; threads];
        parallel::share(workers.iter_mut(), threads, |sums| {
            let mut margins = vec![vec![0.0; functions * BLOCK]; self.points.len()];
            let mut steps = vec![0i32; functions * BLOCK];
            while let Some(first) = next() {
                let count = BLOCK.min(norms.len() - first);
                for (margins, weights) in margins.iter_mut().zip(&weights) {
                    let scaled = margins.chunks_mut(BLOCK).map(|m| &mut m[..count]).collect();
                    let mut block = Block {
                        first,
                        kept: &mut [],
                        scaled,
                        targets: &[],
                    };
                    let unit = records.clip.grid.step();
                    weights.products(&Storage::Rows, features, &mut block, unit);
                }
                for place in 0..count {
                    let row = Row {
                        square: norms[first + place],
                        target: records.targets[number(first + place)],
                        share: records.share(number(first + place)),
                    };
                    let steps = &mut steps[place * functions..][..functions];
                    self.slopes_of(&row, &margins, place, steps);
                }
                let (columns, totals) = sums.split_at_mut(functions * frame.shape.width);
                let steps = &steps[..count * functions];
                super::scatter::add_block(features, first, steps, columns);
                for steps in steps.chunks(functions) {
                    for (total, step) in totals.iter_mut().zip(steps) {
                        *total += i64::from(*step);
                    }
                }
            }
        });
        let mut workers = workers.into_iter();
        let mut all = workers.next().unwrap_or_default();
        workers.for_each(|sums| parts::add(&mut all, &sums));
        Sums(all)
    }

    fn finished(&self, mut total: Vec<i64>) -> Vec<i64> {
        // No part had a member.
        total.resize(self.dimension(), 0);
        let frame = &*self.question.frame;
        let (columns, totals) = total.split_at(frame.outputs() * frame.shape.width);
        whole_gradient(frame, columns, totals)
    }

    fn dimension(&self) -> usize {
        let frame = &*self.question.frame;
        frame.outputs() * (frame.shape.width + 1)
    }
}

/// Records whose slopes are computed together.
const BLOCK: usize = super::follow::BLOCK;
/// A second thread needs sums of its own, which are cleared and added at the end: worthwhile from this
/// many entries for each of them.
const SUMS_PER_THREAD: usize = 3;

/// What the slopes of a record depend on besides its margins.
struct Row {
    /// N².
    square: u128,
    target: f64,
    share: crate::population::shares::Share,
}

impl SumAt {
    /// The weights of a point as products of rows take them.
    fn laid_out(&self, point: &Point) -> Weights {
        let frame = &*self.question.frame;
        let mut weights = Weights::default();
        let functions = frame.outputs();
        if frame.shape.width > 0 {
            weights.set(&Storage::Rows, &frame.shape.clip, &point.weights, functions);
        }
        weights
    }

    /// k: the steps of a record of a block, for each function, from its products with the points.
    fn slopes_of(&self, row: &Row, products: &[Vec<f64>], place: usize, steps: &mut [i32]) {
        let frame = &*self.question.frame;
        // Of a slope of 1, and of what rows are scaled by.
        let (per_slope, of_margin) = match frame.unit_of_length() {
            None => (1.0 / frame.slope_grid.step(), 1.0),
            Some(unit) if row.square > 0 => {
                let length = (row.square as f64).sqrt();
                (1.0 / (frame.grid.step() * length), unit / length)
            }
            // A row of length 0 adds nothing, whatever its slope.
            Some(_) => (0.0, 0.0),
        };
        let slopes = |at: usize, into: &mut Vec<f64>| {
            into.clear();
            let margins = products[at].chunks(BLOCK).zip(&self.points[at].intercepts);
            into.extend(margins.map(|(products, b)| (products[place] + b) * of_margin));
            for (margin, offset) in into.iter_mut().zip(&frame.offsets) {
                *margin += offset;
            }
            match frame.slopes {
                Slopes::Loss(loss) => into[0] = loss.slope(into[0], row.target),
                // Classes are whole numbers from 0 below their number.
                Slopes::Classes => residuals(into, row.target as usize),
            }
        };
        let factor = per_slope * row.share.factor();
        let cap = |limit: u64, most: i32| {
            whole_quotient(row.share.bound(limit), row.square, row.share.cap(most))
        };
        let mut now = Vec::new();
        slopes(0, &mut now);
        let (limit, other) = self.question.limits;
        match (self.question.clip, other) {
            (RecordClip::Recursive { momentum, .. }, Some(of_difference)) => {
                let mut before = Vec::new();
                slopes(1, &mut before);
                for (before, now) in before.iter_mut().zip(&now) {
                    *before = (1.0 - momentum) * (now - *before) * factor;
                }
                now.iter_mut().for_each(|slope| *slope *= momentum * factor);
                let mut second = vec![0; steps.len()];
                truncate(&mut now, cap(limit, frame.most / 2), steps);
                truncate(&mut before, cap(of_difference, frame.most / 2), &mut second);
                steps
                    .iter_mut()
                    .zip(second)
                    .for_each(|(k, second)| *k += second);
            }
            _ => {
                now.iter_mut().for_each(|slope| *slope *= factor);
                truncate(&mut now, cap(limit, frame.most), steps);
            }
        }
    }
}

/// A vector shortened to a length of at most `cap`, in whole steps towards zero: floats shorten it, and
/// integers decide. What is not finite is 0.
fn truncate(exact: &mut [f64], cap: i32, steps: &mut [i32]) {
    if exact.iter().any(|x| !x.is_finite()) {
        exact.fill(0.0);
    }
    shorten(exact, f64::from(cap));
    for (step, exact) in steps.iter_mut().zip(exact) {
        // The cast truncates.
        *step = (*exact as i32).clamp(-cap, cap);
    }
    clip_steps(steps, cap);
}
