//! Prediction: margins of rows that are held to the bounds of training.

use rayon::prelude::*;

use super::{Model, Outcome};
use crate::data::{Matrix, RecordBound};

/// What a model makes of a table, a record each.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Of two classes.
    Classes {
        /// The log-odds of the second class.
        scores: Vec<f64>,
        /// The names of the classes.
        names: [String; 2],
    },
    /// Numbers, in the units of the target.
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

impl Model {
    /// Predicts each row, held to the bound of training.
    pub fn predict(&self, features: &Matrix) -> Result<Predictions, WidthError> {
        let model = self.layout.width();
        if features.width() != model {
            return Err(WidthError {
                given: features.width(),
                model,
            });
        }
        let rows = 0..features.rows();
        let margins = rows.into_par_iter().map(|i| self.margin(features, i));
        Ok(match &self.outcome {
            Outcome::Classes([first, second]) => Predictions::Classes {
                scores: margins.collect(),
                names: [first.name.clone(), second.name.clone()],
            },
            Outcome::Value(_) => Predictions::Values(margins.collect()),
        })
    }

    /// x·w + b for the enforced row x.
    fn margin(&self, features: &Matrix, i: usize) -> f64 {
        let mut sum = 0.0;
        let mut squares = 0.0;
        features.for_row(i, |column, value| {
            let mut value = f64::from(value);
            match self.certificate.rows {
                RecordBound::L2(_) => squares += value * value,
                RecordBound::Linf(bound) => value = value.clamp(-bound, bound),
            }
            let place = self
                .weights
                .binary_search_by_key(&column, |&(column, _)| column as usize);
            if let Ok(k) = place {
                sum += self.weights[k].1 * value;
            }
        });
        match self.certificate.rows {
            RecordBound::L2(bound) if squares > bound * bound => {
                sum * (bound / squares.sqrt()) + self.intercept
            }
            _ => sum + self.intercept,
        }
    }
}
