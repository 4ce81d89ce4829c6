//! The gradient of a linear model on records, as queries.

use super::query::{Query, RecordSteps, Sensitivity};
use super::records::Records;
use crate::loss::Loss;
use crate::noise::Grid;

/// The most slope steps that R may span.
const MOST_SLOPE_STEPS: f64 = (1u64 << 22) as f64;

/// A point that an iterate moves towards.
#[derive(Debug, Clone, PartialEq)]
pub enum Vertex {
    /// `value` on one axis, 0 on the others.
    Axis {
        /// Which axis.
        column: usize,
        /// How far out.
        value: f64,
    },
    /// Any point, one value a column.
    Point(Vec<f64>),
}

/// The sum of ψ(x·w + b, y)·x over the records, for a model that moves step by step.
///
/// # Privacy
///
/// Each record's slope is a whole number of slope steps of size at most K = ⌊R/step⌋, a function
/// of that record and of where the (released) model has been; times the record's features in
/// whole grid steps that is an exact integer product. One record more or less moves a
/// coordinate by at most K·⌊B/g⌋; replacing one, by at most twice that.
pub struct Gradient<'a> {
    records: &'a Records,
    loss: Loss,
    slope_grid: Grid,
    /// The grid of the sums: a slope step times a feature step.
    grid: Grid,
    /// K.
    most: i64,
    margins: Vec<f64>,
    intercept: f64,
    slopes: Vec<i64>,
    sums: Vec<i64>,
    total: [i64; 1],
}

/// Why there is no gradient: the grid is too fine or too coarse, a public matter.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "a slope of at most {bound} spans {steps} steps; choose a grid on which it spans 1 to 2^22 and the sum over the records stays below 2^62"
)]
pub struct SlopeGridError {
    /// R.
    pub bound: f64,
    /// How many steps it spans.
    pub steps: f64,
}

impl Records {
    /// The gradient at weights and intercept 0, its slopes on `slope_grid`.
    pub fn gradient(&self, loss: Loss, slope_grid: Grid) -> Result<Gradient<'_>, SlopeGridError> {
        let bound = loss.slope_bound();
        let steps = bound / slope_grid.step();
        let error = SlopeGridError { bound, steps };
        if !(1.0..=MOST_SLOPE_STEPS).contains(&steps) {
            return Err(error);
        }
        let exponent = slope_grid.exponent() + self.clip.grid.exponent();
        let grid = Grid::new(exponent).map_err(|_| error)?;
        let largest = steps * self.clip.steps as f64 * self.targets.len() as f64;
        if largest >= (1u64 << 61) as f64 {
            return Err(error);
        }
        let records = self.targets.len();
        Ok(Gradient {
            records: self,
            loss,
            slope_grid,
            grid,
            most: steps as i64,
            margins: vec![0.0; records],
            intercept: 0.0,
            slopes: vec![0; records],
            sums: vec![0; self.width()],
            total: [0],
        })
    }
}

impl Gradient<'_> {
    /// The gradient of the weights, one coordinate a column.
    pub fn columns(&mut self) -> Query<'_> {
        self.renew();
        let clip = &self.records.clip;
        let record = RecordSteps::of(clip.bound, clip.steps * self.most as u64);
        let adjacency = self.records.adjacency;
        let sensitivity = Sensitivity::of(record, self.sums.len(), adjacency);
        Query::new(&self.sums, self.grid, adjacency, sensitivity)
    }

    /// The gradient of the intercept: the sum of the slopes.
    pub fn of_intercept(&mut self) -> Query<'_> {
        self.renew();
        let record = RecordSteps::Linf(self.most as u64);
        let adjacency = self.records.adjacency;
        let sensitivity = Sensitivity::of(record, 1, adjacency);
        Query::new(&self.total, self.slope_grid, adjacency, sensitivity)
    }

    /// Moves the weights: w ← (1 − size)·w + size·vertex.
    pub fn step(&mut self, towards: &Vertex, size: f64) {
        let features = &self.records.features;
        let unit = self.records.clip.grid.step();
        for (i, margin) in self.margins.iter_mut().enumerate() {
            let mut towards_margin = 0.0;
            features.for_row(i, |column, x| match towards {
                Vertex::Axis {
                    column: axis,
                    value,
                } if column == *axis => {
                    towards_margin += f64::from(x) * unit * value;
                }
                Vertex::Axis { .. } => {}
                Vertex::Point(point) => towards_margin += f64::from(x) * unit * point[column],
            });
            *margin = (1.0 - size) * *margin + size * towards_margin;
        }
    }

    /// Sets the intercept.
    pub fn set_intercept(&mut self, intercept: f64) {
        self.intercept = intercept;
    }

    /// Renews the slopes that have moved by more than a step, and the sums with them.
    fn renew(&mut self) {
        let step = self.slope_grid.step();
        for (i, slope) in self.slopes.iter_mut().enumerate() {
            let margin = self.margins[i] + self.intercept;
            let exact = self.loss.slope(margin, self.records.targets[i]) / step;
            if (exact - *slope as f64).abs() > 1.0 {
                let renewed = (exact as i64).clamp(-self.most, self.most);
                let change = renewed - *slope;
                *slope = renewed;
                self.total[0] += change;
                self.records.features.for_row(i, |column, x| {
                    self.sums[column] += change * x as i64;
                });
            }
        }
    }
}
