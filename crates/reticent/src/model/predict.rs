//! Prediction: margins of rows that are held to the bounds of training.

use rayon::prelude::*;

use super::{Model, Outcome};
use crate::data::Matrix;

/// What a model makes of a table, a record each.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Of two classes.
    Classes {
        /// The log-odds of the second class: above 0, it is predicted.
        scores: Vec<f64>,
        /// The names of the classes.
        names: [String; 2],
    },
    /// Numbers, in the units of the target. They are *not* held to its range: a linear model
    /// says what its weights say, and whoever knows that no target lies beyond may clip.
    Values(Vec<f64>),
}

/// A table with another number of columns than the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the table has {given} columns, and the model was fitted on {model}")]
pub struct WidthError {
    /// How many the table has.
    pub given: usize,
    /// How many the model has.
    pub model: usize,
}

/// The probability of the second class at its log-odds, without overflow.
pub fn probability(score: f64) -> f64 {
    if score >= 0.0 {
        1.0 / (1.0 + (-score).exp())
    } else {
        let odds = score.exp();
        odds / (1.0 + odds)
    }
}

impl Model {
    /// Predicts each row, held to the bound of training; the same bits on any number of
    /// threads.
    pub fn predict(&self, features: &Matrix) -> Result<Predictions, WidthError> {
        let model = self.layout.width();
        if features.width() != model {
            return Err(WidthError {
                given: features.width(),
                model,
            });
        }
        let margins = (0..features.rows())
            .into_par_iter()
            .map_init(Row::default, |row, i| self.margin(features, i, row))
            .collect();
        Ok(match &self.outcome {
            Outcome::Classes([first, second]) => Predictions::Classes {
                scores: margins,
                names: [first.name.clone(), second.name.clone()],
            },
            Outcome::Value(_) => Predictions::Values(margins),
        })
    }

    /// x·w + b for the enforced row x.
    ///
    /// Weights are looked up by bisection: a model has few, and a table of them by column
    /// would be as large as the width that a file claims.
    fn margin(&self, features: &Matrix, i: usize, row: &mut Row) -> f64 {
        row.columns.clear();
        row.values.clear();
        features.for_row(i, |column, value| {
            row.columns.push(column);
            row.values.push(f64::from(value));
        });
        self.clip.apply(&row.values, &mut row.steps);
        let step = self.clip.grid.step();
        let mut margin = self.intercept;
        for (column, &steps) in row.columns.iter().zip(&row.steps) {
            let place = self
                .weights
                .binary_search_by_key(column, |&(column, _)| column as usize);
            if let Ok(place) = place {
                // The enforced value is exact: whole steps, and a step is a power of two.
                margin += self.weights[place].1 * (steps as f64 * step);
            }
        }
        margin
    }
}

/// A row that is being held to its bound: its stored entries, as they are and in whole steps.
#[derive(Default)]
struct Row {
    columns: Vec<usize>,
    values: Vec<f64>,
    steps: Vec<i64>,
}
