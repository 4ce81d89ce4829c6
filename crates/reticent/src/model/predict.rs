//! Prediction: scores of rows that are clipped to the bounds of training.

use rayon::prelude::*;

use super::{Model, Outcome};
use crate::matrix::Matrix;
use crate::table::{Clip, RowBuffer, RowMap};

/// What a model predicts for a table, one entry per record.
#[derive(Debug, Clone, PartialEq)]
pub enum Predictions {
    /// Of two classes, by one linear function.
    Classes {
        /// The log-odds of the second class: above 0, it is predicted.
        scores: Vec<f64>,
        /// The names of the classes.
        names: [String; 2],
    },
    /// Of several classes, by one linear function per class.
    Multiclass {
        /// The score of each class, record after record. A record's [`probabilities`] follow from
        /// its scores, and the [`likeliest`] class is predicted.
        scores: Vec<f64>,
        /// The names of the classes.
        names: Vec<String>,
    },
    /// Numbers, in the units of the target. They are *not* clipped to its range: they are the
    /// values of the linear function, and a caller who knows that no target lies beyond the range
    /// may clip them.
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

/// The probabilities of several classes from their scores, by softmax, without overflow.
pub fn probabilities(scores: &[f64]) -> Vec<f64> {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds = |score: &f64| match *score == top {
        // For an infinite maximum too, whose difference is NaN.
        true => 1.0,
        false => (score - top).exp(),
    };
    let mut odds: Vec<f64> = scores.iter().map(odds).collect();
    let total: f64 = odds.iter().sum();
    odds.iter_mut().for_each(|odd| *odd /= total);
    odds
}

/// The class with the largest score, the first of several.
pub fn likeliest(scores: &[f64]) -> usize {
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best
}

impl Model {
    /// Predicts each row, clipped to the bound of training; the same bits on any number of
    /// threads.
    ///
    /// ```
    /// use reticent::matrix::{Dense, Matrix};
    /// use reticent::model::{Predictions, probability};
    /// # use reticent::{table::*, train::*};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let checked = FitRequest {
    /// #     task: Some(TaskName::Logistic),
    /// #     epsilon: Some(f64::INFINITY),
    /// #     rows: Some(RecordBound::Linf(1.0)),
    /// #     ..FitRequest::default()
    /// # }
    /// # .check(ParameterStyle::Arguments)?;
    /// # let class = vec![1, 1, 0, 0];
    /// # let names = vec!["no".to_owned(), "yes".to_owned()];
    /// # let table = Table {
    /// #     features: Matrix::Dense(Dense::new(vec![1.0, 0.5, -0.5, -1.0], 4, 1)?),
    /// #     target: Target::Classes { class, names },
    /// #     layout: Layout::Numbered { first: 0, width: 1 },
    /// #     assumed: Vec::new(),
    /// #     units: None,
    /// # };
    /// # let model = checked.train(table, None, None, &mut ())?.model;
    /// // Two rows of a model's one feature.
    /// let rows = Matrix::Dense(Dense::new(vec![0.9, -0.9], 2, 1)?);
    /// let Predictions::Classes { scores, names } = model.predict(&rows)? else { unreachable!() };
    /// for score in scores {
    ///     println!("{} with probability {:.2}", names[1], probability(score));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn predict(&self, features: &Matrix) -> Result<Predictions, WidthError> {
        let model = self.layout.width();
        if features.width() != model {
            return Err(WidthError {
                given: features.width(),
                model,
            });
        }
        let map = self.features().map(|map| self.map.get(map));
        let each = self.predictor.scores();
        let mut scores = vec![0.0; features.rows() * each];
        scores.par_chunks_mut(each).enumerate().for_each_init(
            || Row::new(map),
            |row, (i, scores)| {
                row.read(features, i);
                row.clip(&self.clip);
                self.predictor.score(&row.columns, &row.values, scores);
            },
        );
        Ok(match &self.outcome {
            Outcome::Value(_) => Predictions::Values(scores),
            Outcome::Classes(classes) => match (&classes[..], each) {
                ([first, second], 1) => Predictions::Classes {
                    scores,
                    names: [first.name.clone(), second.name.clone()],
                },
                _ => Predictions::Multiclass {
                    scores,
                    names: classes.iter().map(|class| class.name.clone()).collect(),
                },
            },
        })
    }
}

/// A row that is being clipped to its bound: its stored entries or all its features, as they are and
/// in whole steps.
struct Row<'a> {
    map: Option<(&'a RowMap, RowBuffer, Vec<f32>)>,
    columns: Vec<usize>,
    values: Vec<f64>,
    steps: Vec<i64>,
}

impl<'a> Row<'a> {
    fn new(map: Option<&'a RowMap>) -> Self {
        Self {
            map: map.map(|map| (map, map.buffer(), vec![0.0; map.outputs()])),
            columns: Vec::new(),
            values: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Row `i` of a table.
    fn read(&mut self, rows: &Matrix, i: usize) {
        self.columns.clear();
        self.values.clear();
        let Some((map, buffer, features)) = &mut self.map else {
            return rows.for_row(i, |column, value| {
                self.columns.push(column);
                self.values.push(f64::from(value));
            });
        };
        map.apply(rows, i, buffer, features);
        self.columns.extend(0..features.len());
        self.values.extend(features.iter().copied().map(f64::from));
    }

    /// Clips it to the bound of training.
    fn clip(&mut self, clip: &Clip) {
        clip.apply(&self.values, &mut self.steps);
        let step = clip.grid.step();
        for (value, &steps) in self.values.iter_mut().zip(&self.steps) {
            // Exact: whole steps, and a step is a power of two.
            *value = steps as f64 * step;
        }
    }
}
