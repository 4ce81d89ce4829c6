//! Predictors. Everything that depends on the kind of predictor is in this folder: its scores, its
//! checks, its part of the file ([`json`]) and of the graph ([`onnx`]). Another kind is one more
//! variant here; the rest of the code uses a [`Predictor`].

pub(super) mod json;
mod onnx;

use super::ModelError;
use crate::fit::{CalibrationMap, ColumnRange, LinearFunction, Released};
use crate::table::Layout;

/// What gives each record its scores: a value, the log-odds of the second of two classes, or a score
/// for each of several classes.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictor {
    /// A linear function for each score; weights by column, increasing, none zero.
    Linear(Vec<LinearFunction>),
    /// A linear function, and an increasing map from it to log-odds.
    Calibrated {
        /// The function.
        function: LinearFunction,
        /// The map.
        map: CalibrationMap,
    },
    /// A linear function of columns of which some are clipped to a range first, as they were when it was
    /// fitted.
    WithinRanges {
        /// The function.
        function: LinearFunction,
        /// The ranges, at least one, by column, increasing; each has a weight.
        ranges: Vec<ColumnRange>,
    },
}

impl Predictor {
    /// The predictor of what a plan released, its scores multiplied by `scale` and shifted by
    /// `middle`.
    pub(super) fn of(released: &Released, scale: f64, middle: f64) -> Result<Self, ModelError> {
        if let Released::Columns(_) = released {
            return Err(ModelError::NoPredictor);
        }
        let outputs = released.outputs();
        let scaled = |&(column, weight): &(u32, f64)| (column, weight * scale);
        let output = |output: &LinearFunction| LinearFunction {
            weights: (output.weights.iter())
                .map(scaled)
                .filter(|&(_, weight)| weight != 0.0)
                .collect(),
            intercept: output.intercept * scale + middle,
        };
        let mut functions: Vec<LinearFunction> = outputs.iter().map(output).collect();
        match (released.map(), released.ranges(), functions.pop()) {
            (Some(map), _, Some(function)) => Ok(Self::Calibrated {
                function,
                map: map.clone(),
            }),
            (None, ranges @ [_, ..], Some(function)) => Ok(Self::WithinRanges {
                function,
                ranges: ranges.to_vec(),
            }),
            (_, _, last) => Ok(Self::Linear(functions.into_iter().chain(last).collect())),
        }
    }

    /// The linear functions, one per score.
    pub fn functions(&self) -> &[LinearFunction] {
        match self {
            Self::Linear(functions) => functions,
            Self::Calibrated { function, .. } | Self::WithinRanges { function, .. } => {
                std::slice::from_ref(function)
            }
        }
    }

    /// The map from the linear function to the score, if it is another one.
    pub fn map(&self) -> Option<&CalibrationMap> {
        match self {
            Self::Linear(_) | Self::WithinRanges { .. } => None,
            Self::Calibrated { map, .. } => Some(map),
        }
    }

    /// The ranges that columns are clipped to before they are weighed, beyond the bound of rows.
    pub fn ranges(&self) -> &[ColumnRange] {
        match self {
            Self::Linear(_) | Self::Calibrated { .. } => &[],
            Self::WithinRanges { ranges, .. } => ranges,
        }
    }

    /// The range of a column, if it has one.
    fn range(&self, column: u32) -> Option<&ColumnRange> {
        let ranges = self.ranges();
        let place = ranges.binary_search_by_key(&column, |range| range.column);
        place.ok().map(|place| &ranges[place])
    }

    /// How many scores a record gets.
    pub fn scores(&self) -> usize {
        self.functions().len()
    }

    /// How many of its weights are not zero.
    pub fn nonzero(&self) -> usize {
        let outputs = self.functions().iter();
        outputs.map(|output| output.weights.len()).sum()
    }

    /// How many weights it could have on so many columns.
    pub fn size(&self, columns: u64) -> u64 {
        columns.saturating_mul(self.scores() as u64)
    }

    /// The weights of the features in the linear function of a score: those that are not zero, by
    /// column, in increasing order.
    pub fn weights(&self, score: usize) -> &[(u32, f64)] {
        &self.functions()[score].weights
    }

    /// The value of the linear function of a score at a row of zeros, if these are within all
    /// [ranges](Self::ranges).
    pub fn intercept(&self, score: usize) -> f64 {
        self.functions()[score].intercept
    }

    /// The scores of a row that is clipped to its bound, by the columns that have a value.
    ///
    /// Weights are looked up by bisection: a model has few, and a table of them by column
    /// would be as large as the width that a file claims.
    pub(super) fn score(&self, columns: &[usize], values: &[f64], scores: &mut [f64]) {
        for (output, score) in self.functions().iter().zip(scores) {
            *score = output.intercept;
            // What the zeros of a column count as, stored or not.
            for range in self.ranges() {
                *score += output.weight(range.column) * range.clip(0.0);
            }
            let mut left = &output.weights[..];
            for (column, value) in columns.iter().zip(values) {
                let before = |&(other, _): &(u32, f64)| (other as usize) < *column;
                // Often the next one, of features that all have a weight.
                if left.first().is_some_and(before) {
                    left = &left[left.partition_point(before)..];
                }
                if let [(found, weight), rest @ ..] = left
                    && *found as usize == *column
                {
                    left = rest;
                    let (column, weight) = (*found, *weight);
                    *score += match self.range(column) {
                        Some(range) => weight * (range.clip(*value) - range.clip(0.0)),
                        None => weight * value,
                    };
                }
            }
            if let Some(map) = self.map() {
                *score = map.log_odds(*score);
            }
        }
    }

    /// Checks that numbers are finite and columns exist.
    pub(super) fn check(&self, layout: &Layout) -> Result<(), ModelError> {
        let mut outputs = self.functions().iter();
        outputs.try_for_each(|output| check_output(output, layout))?;
        self.check_ranges(layout)
    }

    /// Checks that ranges are finite and not empty, and in the order of columns that have a weight.
    fn check_ranges(&self, layout: &Layout) -> Result<(), ModelError> {
        let mut least = 0;
        for &ColumnRange { column, low, high } in self.ranges() {
            let weighed = self.functions().iter().all(|f| f.weight(column) != 0.0);
            let sound = low.is_finite() && high.is_finite() && low < high;
            if !weighed || !sound || u64::from(column) < least {
                return Err(ModelError::ColumnRange(layout.name(column as usize)));
            }
            least = u64::from(column) + 1;
        }
        Ok(())
    }
}

/// Checks that weights are finite and not zero, and in the order of existing columns.
fn check_output(output: &LinearFunction, layout: &Layout) -> Result<(), ModelError> {
    if !output.intercept.is_finite() {
        return Err(ModelError::NotFinite("the intercept".to_owned()));
    }
    let width = layout.width();
    let mut least = 0;
    for &(column, weight) in &output.weights {
        if column as usize >= width {
            return Err(ModelError::Beyond { column, width });
        }
        let name = || format!("the weight of '{}'", layout.name(column as usize));
        if u64::from(column) < least {
            return Err(ModelError::Order(name()));
        }
        if !weight.is_finite() {
            return Err(ModelError::NotFinite(name()));
        }
        if weight == 0.0 {
            return Err(ModelError::Zero(name()));
        }
        least = u64::from(column) + 1;
    }
    Ok(())
}
