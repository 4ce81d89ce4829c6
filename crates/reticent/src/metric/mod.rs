//! How good predictions are. Metrics of private data are releases that no certificate covers.

use serde::Serialize;

/// How well probabilities fit two classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassMetrics {
    /// The share of records whose class was predicted.
    pub accuracy: f64,
    /// The probability that a record of the second class scores above one of the first, ties
    /// counting half; none if a class is absent.
    pub auc: Option<f64>,
    /// The mean negative log-likelihood.
    pub log_loss: f64,
    /// Counts: rows are the true class, columns the predicted.
    pub confusion: [[u64; 2]; 2],
}

/// How well numbers fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueMetrics {
    /// Mean squared error.
    pub mse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// The share of the variance that is explained; none if the target does not vary.
    pub r2: Option<f64>,
}

/// Metrics of scores (log-odds of the second class) against classes.
pub fn classes(scores: &[f64], second: &[bool]) -> ClassMetrics {
    let _ = (scores, second);
    todo!()
}

/// Metrics of predicted against true values.
pub fn values(predicted: &[f64], target: &[f64]) -> ValueMetrics {
    let _ = (predicted, target);
    todo!()
}
