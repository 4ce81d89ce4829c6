//! The row frame: the public numbers by which rows and slopes enter a gradient.

use std::f64::consts::SQRT_2;
use std::iter;

use super::rows::longest;
use crate::loss::Loss;
use crate::noise::{Grid, GridError};
use crate::population::Shape;
use crate::privacy::Adjacency;
use crate::table::RecordBound;

/// The largest number of slope steps that R may span.
const MOST_SLOPE_STEPS: f64 = (1u64 << 22) as f64;
/// The largest number of steps that a length or a constant may span: squares fit in 128 bits.
const MOST_LENGTH: f64 = (1u64 << 36) as f64;
/// The largest number of bits of the length 1: L, times 2 for slopes and 2 for neighbours, fits.
const MOST_BITS: f64 = 58.0;
/// The steps that a scale of 1 spans: few, as the sums need room for as many more.
pub const SCALE_STEPS: u32 = 16;

/// Which slopes are summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Slopes {
    /// Those of one linear function: the derivative of a loss in its margin.
    Loss(Loss),
    /// Those of one linear function per class: the residuals p − e_y of the multinomial loss.
    Classes,
}

/// How a row enters a gradient: its length, its centre and its constant. Its columns are those of
/// the population, [restricted](crate::population::Population::restricted_to) or not.
///
/// All of it is public or was released.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowFrame<'a> {
    /// R: slopes are clipped to this, so that the loss continues as a straight line from there; the
    /// residuals of several classes together are shortened to this norm. Infinite for no clip
    /// beyond the loss's own bound.
    pub slope: f64,
    /// Which length of a row counts.
    pub length: Length,
    /// m: the centre that rows are shifted by, one value per column; empty for 0. Used where rows
    /// are scaled to length one.
    pub centre: &'a [f64],
    /// s: what columns are multiplied by, one value in (0, 1] per column, rounded to
    /// steps of 1/[`SCALE_STEPS`]; empty for 1. Used where rows are scaled to length one, and not centred.
    pub scales: &'a [f64],
    /// b₀: the constant that stands for the intercept, its column last; 0 for none.
    pub constant: f64,
    /// What is added to the margins of each function after rows are scaled: what is known of the classes
    /// whatever the row; empty for 0. It changes which slopes there are, and no bound of them.
    pub offsets: &'a [f64],
}

/// Which length of a row counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// Its own, within the bound.
    Free,
    /// C: a record longer than this, its constant included, counts for less, by
    /// vᵢ = min(1, C/‖(xᵢ, b₀)‖₂).
    Within(f64),
    /// Each row is scaled to length one: (x − m, b₀)/‖(x − m, b₀)‖₂, or with scales
    /// (s∘x, b₀)/‖(s∘x, b₀)‖₂.
    One,
}

impl RowFrame<'_> {
    /// Unchanged rows and slopes.
    pub fn plain() -> Self {
        Self {
            slope: f64::INFINITY,
            length: Length::Free,
            centre: &[],
            scales: &[],
            constant: 0.0,
            offsets: &[],
        }
    }

    /// The same with slopes of at most R.
    pub fn clipped(slope: f64) -> Self {
        Self {
            slope,
            ..Self::plain()
        }
    }
}

/// Why there is no gradient: the slope grid is too fine or too coarse.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SlopeGridError {
    /// The bound of the slopes spans too few or too many steps.
    #[error(
        "a slope of at most {bound} spans {steps} steps; choose a grid on which it spans 1 to 2^22"
    )]
    Steps {
        /// R.
        bound: f64,
        /// How many steps it spans.
        steps: f64,
    },
    /// The sums could reach 2⁶². Under add-remove adjacency the number of records is private, and
    /// an error that depends on it would reveal it: there the largest possible number is assumed.
    #[error("sums over so many records may reach 2^62 steps; choose a coarser grid for the slopes")]
    Records,
    /// The step of the sums would be below 2⁻⁵⁰⁰ or above 2⁵⁰⁰.
    #[error("a slope step times a step of the rows is too small or too large; scale the rows")]
    Product,
    /// The length that rows are capped at, or their constant, spans too few or too many steps.
    #[error(
        "a length of {length} must span 1 to 2^36 steps of the grid of the rows, and a constant \
         of {constant} at most 2^36; choose others or scale the rows"
    )]
    Length {
        /// The length.
        length: f64,
        /// The constant that stands for the intercept.
        constant: f64,
    },
}

/// The greatest power of two that is at most an eighth of `noise`, the noise of the sums as a mean
/// slope of at most `slope` sees it: a coordinate is then off by at most an eighth of its noise.
/// Within what a gradient takes: R spans 2⁶ to 2²⁰ steps, fewer where the sum over so many
/// records would overflow. With a noise of 0, the finest grid.
pub fn slope_grid(
    records: u64,
    adjacency: Adjacency,
    slope: f64,
    noise: f64,
) -> Result<Grid, GridError> {
    let log_records = match adjacency {
        Adjacency::ReplaceOne => (records as f64).log2().ceil(),
        // The number is private, so the grid must suit any.
        Adjacency::AddRemove => 32.0,
    };
    let finest = (41.0 - log_records).min(20.0);
    let (fine, coarse) = (slope / finest.exp2(), slope / finest.min(6.0).exp2());
    let wanted = (noise / 8.0).clamp(fine, coarse).log2().floor();
    Grid::new(wanted.max(fine.log2().ceil()) as i32)
}

/// The public numbers of a gradient, in whole steps: the same for every part of a population.
pub struct Frame {
    pub(super) slopes: Slopes,
    pub(super) shape: Shape,
    /// R, which the slopes of one function are clipped to.
    pub(super) bound: f64,
    /// The grid of Σ k.
    pub(super) slope_grid: Grid,
    /// The grid of Σ k·x.
    pub(super) grid: Grid,
    /// K, or M of several classes: the largest number of slope steps.
    pub(super) most: i32,
    /// N: the largest norm in slope steps of the residuals of several classes together, if they are
    /// clipped.
    pub(super) norm: Option<i32>,
    /// b₀ in grid steps (in parts of one where columns are scaled); one step where rows are free, so
    /// that the sum of the slopes comes in that grid.
    pub(super) constant: u64,
    /// One per function; empty for 0.
    pub(super) offsets: Vec<f64>,
    /// How many records are added in 64 bits.
    records: usize,
    pub(super) rule: Rule,
}

/// How many records are added in 64 bits: the sums of so many must stay below 2⁶².
#[derive(Clone, Copy, PartialEq)]
pub(super) enum AddedIn64 {
    /// All that there can be.
    All,
    /// One: sums of several have 128 bits, and are clamped.
    One,
}

/// Which length of a row counts, in whole numbers.
pub(super) enum Rule {
    Free,
    Within {
        /// C in grid steps.
        length: f64,
        /// ℓ: the same rounded down, or the longest possible row.
        steps: u64,
        /// L: the largest ℓ₂ norm that a record adds.
        limit: u64,
    },
    One {
        /// m in grid steps; empty for 0.
        centre: Vec<i32>,
        /// a: the scales in their steps; empty for 1.
        scales: Vec<u32>,
        /// L: the largest ℓ₂ norm that a record adds.
        limit: u64,
    },
}

impl Frame {
    /// The numbers of a gradient on records of a shape, its slopes on a public grid.
    ///
    /// Where units may have r rows, each of them is rounded, and has a share of the slope: the grid is
    /// r times as fine, or as fine as sums allow.
    pub fn new(
        shape: Shape,
        slopes: Slopes,
        slope_grid: Grid,
        rows: &RowFrame<'_>,
    ) -> Result<Self, SlopeGridError> {
        Self::adding(AddedIn64::All, shape, slopes, slope_grid, rows)
    }

    /// The same for sums of which so many records are added in 64 bits.
    pub(super) fn adding(
        added: AddedIn64,
        shape: Shape,
        slopes: Slopes,
        slope_grid: Grid,
        rows: &RowFrame<'_>,
    ) -> Result<Self, SlopeGridError> {
        let bits = shape.unit_rows.next_power_of_two().ilog2() as i32;
        let finer = |bits: i32| Grid::new(slope_grid.exponent() - bits).ok();
        let on = |grid: Grid| Self::on_grid(added, shape, slopes, grid, rows);
        let finest = (1..=bits).rev().filter_map(finer);
        finest
            .map(on)
            .find(Result::is_ok)
            .unwrap_or_else(|| on(slope_grid))
    }

    fn on_grid(
        added: AddedIn64,
        shape: Shape,
        slopes: Slopes,
        slope_grid: Grid,
        rows: &RowFrame<'_>,
    ) -> Result<Self, SlopeGridError> {
        // The bound of one slope, and R for the slopes of a record together.
        let (single, slope) = match slopes {
            Slopes::Loss(loss) => {
                let slope = rows.slope.min(loss.slope_bound());
                (slope, slope)
            }
            Slopes::Classes => {
                assert!(shape.classes > 1, "the targets are not classes");
                (1.0, rows.slope)
            }
        };
        let functions = match slopes {
            Slopes::Loss(_) => 1,
            Slopes::Classes => shape.classes as usize,
        };
        assert!(
            [0, functions].contains(&rows.offsets.len()),
            "one offset per function"
        );
        let most = steps_of(single, slope_grid, MOST_SLOPE_STEPS)?;
        let norm = match slopes {
            Slopes::Classes if slope.is_finite() => {
                Some(steps_of(slope, slope_grid, 2.0 * MOST_SLOPE_STEPS)?)
            }
            _ => None,
        };
        let mut frame = Self {
            slopes,
            shape,
            bound: single,
            slope_grid,
            grid: slope_grid,
            most,
            norm,
            constant: 1,
            offsets: rows.offsets.to_vec(),
            records: match added {
                AddedIn64::All => shape.most_records(),
                AddedIn64::One => 1,
            },
            rule: Rule::Free,
        };
        match rows.length {
            Length::Free => frame.check_sums(shape.clip.steps)?,
            Length::Within(length) => frame.cap_length(length, slope, rows.constant)?,
            Length::One => {
                frame.make_unit(slope, rows)?;
                return Ok(frame);
            }
        }
        let exponent = slope_grid.exponent() + shape.clip.grid.exponent();
        frame.grid = Grid::new(exponent).map_err(|_| SlopeGridError::Product)?;
        Ok(frame)
    }

    /// How many functions the model has.
    pub(super) fn outputs(&self) -> usize {
        match self.slopes {
            Slopes::Loss(_) => 1,
            Slopes::Classes => self.shape.classes as usize,
        }
    }

    /// m in grid steps; empty for 0.
    pub(super) fn centre(&self) -> &[i32] {
        match &self.rule {
            Rule::One { centre, .. } => centre,
            _ => &[],
        }
    }

    /// a: the scales in their steps; empty for 1.
    pub(super) fn scales(&self) -> &[u32] {
        match &self.rule {
            Rule::One { scales, .. } => scales,
            _ => &[],
        }
    }

    /// What a row of length one in grid steps (in parts of one where columns are scaled) is in real
    /// units; `None` where rows are not scaled to length one.
    pub(super) fn unit_of_length(&self) -> Option<f64> {
        match self.rule {
            Rule::One { .. } => Some(self.parts_of_a_step() as f64 / self.shape.clip.grid.step()),
            Rule::Free | Rule::Within { .. } => None,
        }
    }

    /// S: into how many parts a grid step of the rows is divided.
    pub(super) fn parts_of_a_step(&self) -> u64 {
        parts_of_a_step(self.scales())
    }

    fn cap_length(&mut self, length: f64, slope: f64, constant: f64) -> Result<(), SlopeGridError> {
        let clip = self.shape.clip;
        let unit = clip.grid.step();
        let (in_steps, constant_steps) = (length / unit, constant / unit);
        let fits = |steps: f64, least: f64| (least..=MOST_LENGTH).contains(&steps);
        if !(fits(in_steps, 1.0) && fits(constant_steps, 0.0)) {
            return Err(SlopeGridError::Length { length, constant });
        }
        self.constant = constant_steps as u64;
        // A length beyond the longest possible row bounds nothing.
        let most = longest(&clip, self.shape.width, self.constant);
        self.rule = Rule::Within {
            length: in_steps,
            steps: (in_steps as u64).min(most),
            limit: (slope / self.slope_grid.step() * in_steps) as u64,
        };
        self.check_sums(clip.steps)?;
        self.check_sums(self.constant)
    }

    /// Rows of length one. *e*, the bits of the length 1, comes from public numbers: as many as the
    /// slope grid asks for if rows are as long as possible, and no more than K allows for a row of
    /// length b₀.
    fn make_unit(&mut self, slope: f64, rows: &RowFrame<'_>) -> Result<(), SlopeGridError> {
        let values = rows.centre.len();
        let width = self.shape.width;
        assert!(values == 0 || values == width, "one value per column");
        let clip = self.shape.clip;
        let slope = slope.min(SQRT_2);
        let bound = clip.steps as f64;
        let whole = |x: &f64| (x / clip.grid.step()).clamp(-bound, bound);
        let centre: Vec<i32> = rows.centre.iter().map(|x| whole(x) as i32).collect();
        let scales = rows.scales;
        assert!(
            scales.is_empty() || (scales.len() == width && values == 0),
            "one scale per column, and no centre"
        );
        let of_one = f64::from(SCALE_STEPS);
        let scales: Vec<u32> = scales
            .iter()
            .map(|s| (s * of_one).round().clamp(1.0, of_one) as u32)
            .collect();
        let parts = parts_of_a_step(&scales);
        let constant = whole(&rows.constant).max(0.0).trunc();
        // n·K·b·S stays below 2⁶² for the n records that are added in 64 bits. K ≥ 1, as there are fewer than 2³², b is at most 2²⁰ and S
        // at most 2⁴.
        let count = self.records.max(1) as u64;
        let most = ((1 << 61) / (count * clip.steps * parts)).min(MOST_SLOPE_STEPS as u64);
        let longest = parts as f64 * about_longest(&self.shape, &centre, constant);
        let constant = parts as f64 * constant;
        let wanted = longest.log2().ceil() - f64::from(self.slope_grid.exponent());
        let allowed = if constant > 0.0 {
            (most as f64 * constant / slope).log2().floor()
        } else {
            wanted
        };
        let exponent = wanted.min(allowed).min(MOST_BITS);
        self.grid = Grid::new(-exponent as i32).map_err(|_| SlopeGridError::Product)?;
        self.slope_grid = Grid::new(0).map_err(|_| SlopeGridError::Product)?;
        self.most = most as i32;
        self.norm = None;
        self.constant = constant as u64;
        self.rule = Rule::One {
            limit: (slope / self.grid.step()) as u64,
            centre,
            scales,
        };
        Ok(())
    }

    /// Refuses sums of the most slope steps times `entry` grid steps per record that may reach 2⁶².
    fn check_sums(&self, entry: u64) -> Result<(), SlopeGridError> {
        // At most 2²²·2³⁶·2³²: no overflow in u128.
        let most = self.most as u128 * u128::from(entry);
        if most * self.records as u128 >= 1 << 62 {
            return Err(SlopeGridError::Records);
        }
        Ok(())
    }
}

/// S: 1 without scales.
fn parts_of_a_step(scales: &[u32]) -> u64 {
    match scales {
        [] => 1,
        _ => u64::from(SCALE_STEPS),
    }
}

/// ⌊bound/step⌋, if that lies between 1 and `most`, which is at most 2²³.
fn steps_of(bound: f64, grid: Grid, most: f64) -> Result<i32, SlopeGridError> {
    let steps = bound / grid.step();
    if (1.0..=most).contains(&steps) {
        Ok(steps as i32)
    } else {
        Err(SlopeGridError::Steps { bound, steps })
    }
}

/// About the greatest length of (x − m, b₀), in grid steps.
fn about_longest(shape: &Shape, centre: &[i32], constant: f64) -> f64 {
    let bound = shape.clip.steps as f64;
    let sizes = centre.iter().map(|m| f64::from(m.abs()));
    let sizes = sizes.chain(iter::repeat(0.0)).take(shape.width);
    let rows = match shape.clip.bound {
        RecordBound::L2(_) => bound + sizes.map(|m| m * m).sum::<f64>().sqrt(),
        RecordBound::Linf(_) => sizes.map(|m| (bound + m).powi(2)).sum::<f64>().sqrt(),
    };
    rows.hypot(constant).max(1.0)
}
