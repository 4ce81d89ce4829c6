//! The gradient of a linear model on records, as queries.

use super::query::Query;
use super::records::Records;
use crate::loss::Loss;
use crate::noise::Grid;

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
/// Each record's slope is a whole number of slope steps of size at most ⌊R/step⌋, a function
/// of that record and of where the (released) model has been; times the record's features in
/// whole grid steps that is an exact integer product. One record more or less moves a
/// coordinate by at most ⌊R/step⌋·⌊B/g⌋; replacing one, by at most twice that.
pub struct Gradient<'a> {
    records: &'a Records,
    loss: Loss,
    slope_grid: Grid,
    margins: Vec<f64>,
    intercept: f64,
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
        Ok(Gradient {
            records: self,
            loss,
            slope_grid,
            margins: vec![0.0; self.len()],
            intercept: 0.0,
        })
    }
}

impl Gradient<'_> {
    /// The gradient of the weights, one coordinate a column.
    pub fn columns(&mut self) -> Query {
        let _ = (self.records, self.loss, self.slope_grid);
        todo!()
    }

    /// The gradient of the intercept: the sum of the slopes.
    pub fn of_intercept(&mut self) -> Query {
        todo!()
    }

    /// Moves the weights: w ← (1 − size)·w + size·vertex.
    pub fn step(&mut self, towards: &Vertex, size: f64) {
        let _ = (towards, size, &mut self.margins);
        todo!()
    }

    /// Sets the intercept.
    pub fn set_intercept(&mut self, intercept: f64) {
        self.intercept = intercept;
    }
}
