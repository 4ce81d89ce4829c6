//! How ρ is divided between frame, mean and features, from public facts alone.

use super::super::super::Facts;
use super::super::super::noisy_descent::longest;
use super::super::column_frames::ColumnSearch;
use super::super::defaults;
use super::search::FrameSearch;
use crate::fit::spending::multiplier;
use crate::population::Gradient;
use crate::privacy::Adjacency;
use crate::table::RecordBound;

/// The frame's share of ρ.
const FRAME: f64 = 0.12;
/// The half-width of a frame, in standard deviations of the targets.
const HALF_WIDTH: f64 = 3.5;
/// The slope of residuals clipped at their median over the share of those within it, in standard
/// deviations of a normal target.
const CLIPPED: f64 = 0.67 / defaults::WITHIN;
/// What several steps lose against one, in variance.
const STEPS: f64 = 1.5;
/// The least share of the mean, the largest one beside features, and the variance that is aimed
/// at for it, that of the targets being 1.
const LEAST_MEAN: f64 = 0.03;
const MOST_MEAN: f64 = 0.5;
const MEAN_VARIANCE: f64 = 0.04;
/// Features whose noise adds more than this to predictions, the variance of the targets being 1,
/// are not asked.
const MOST_NOISE: f64 = 0.6;

/// The shares of ρ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Shares {
    /// Of the target frame; 0 if noise would hide any.
    pub frame: f64,
    /// Of the column frames; 0 where they are not worth it.
    pub columns: f64,
    /// Of the mean; 0 without an intercept.
    pub mean: f64,
    /// Of the features; 0 if they can say nothing.
    pub features: f64,
    /// What noise adds to the predictions with features, in variance, that of the targets being 1,
    /// if the frame is found and features explain little.
    pub noise: f64,
}

impl Shares {
    /// The standard deviation of the noise of predictions, relative to the spread of the targets
    /// if their frame is found; `mean` is the mean's, relative to half the frame.
    pub fn of_spread(&self, mean: f64) -> f64 {
        let features = if self.features > 0.0 { self.noise } else { 0.0 };
        features.sqrt().hypot(mean * HALF_WIDTH)
    }

    /// The same relative to the declared range, if targets fill it or no frame is found.
    pub fn of_range(&self, mean: f64) -> f64 {
        self.of_spread(mean) / (2.0 * HALF_WIDTH)
    }

    /// The frame's share of about `rho`: 0 if noise would hide any bulk.
    pub fn of_frame(facts: &Facts, adjacency: Adjacency, rho: f64) -> f64 {
        let z = multiplier(1.0 / (2.0 * rho).sqrt());
        match FrameSearch::new(z, FRAME).pays(facts, adjacency) {
            true => FRAME,
            false => 0.0,
        }
    }

    /// For `columns` columns fitted with the part `fitting` of what features get.
    pub fn new(
        facts: &Facts,
        adjacency: Adjacency,
        rho: f64,
        (columns, fitting): (usize, f64),
        intercept: bool,
    ) -> Self {
        let z = multiplier(1.0 / (2.0 * rho).sqrt());
        let frame = Self::of_frame(facts, adjacency, rho);
        let framed = frame > 0.0;
        let column_frames = ColumnSearch::share(facts, adjacency, rho);
        let left = 1.0 - frame - column_frames;
        let mean_noise = mean_noise(facts, adjacency, z.get());
        let feature_noise = expected_noise(facts, adjacency, z.get(), columns) / fitting;
        let noise = feature_noise / left;
        if !intercept {
            return Self {
                frame,
                columns: column_frames,
                mean: 0.0,
                features: left,
                noise,
            };
        }
        if !framed || noise > MOST_NOISE {
            return Self {
                frame,
                columns: 0.0,
                mean: 1.0 - frame,
                features: 0.0,
                noise,
            };
        }
        // The sum of both noises is least where shares are as their roots.
        let roots = (mean_noise.sqrt(), feature_noise.sqrt());
        let least = (roots.0 / (roots.0 + roots.1)).max(LEAST_MEAN);
        let mean = left * (mean_noise / MEAN_VARIANCE).clamp(least, MOST_MEAN.max(least));
        Self {
            frame,
            columns: column_frames,
            mean,
            features: left - mean,
            noise: feature_noise / (left - mean),
        }
    }
}

/// The variance of the noise of a mean that has all of ρ = 1/(2z²).
fn mean_noise(facts: &Facts, adjacency: Adjacency, z: f64) -> f64 {
    let moved = Gradient::moved(adjacency, HALF_WIDTH, 1.0);
    (moved * z / facts.records as f64).powi(2)
}

/// What the noise of a fit of so many columns, with all of ρ = 1/(2z²), adds to its predictions,
/// in variance, that of the targets being 1.
fn expected_noise(facts: &Facts, adjacency: Adjacency, z: f64, columns: usize) -> f64 {
    let chosen = Facts { columns, ..*facts };
    let constant = defaults::constant(facts);
    let length = defaults::length(facts, columns, longest(&chosen, constant));
    let square = match facts.rows {
        RecordBound::Linf(bound) => bound * bound * defaults::TYPICAL * defaults::TYPICAL,
        RecordBound::L2(bound) => bound * bound / columns as f64,
    };
    let moved = Gradient::moved(adjacency, CLIPPED, length);
    let of_weight = (moved * z / facts.records as f64).powi(2) / square;
    STEPS * columns as f64 * of_weight
}
