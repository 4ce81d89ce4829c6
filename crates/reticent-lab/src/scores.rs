//! What fitted functions say about records.

use reticent::fit::LinearFunction;
use reticent::matrix::Matrix;

/// The value of every linear function, record after record.
pub fn scores(outputs: &[LinearFunction], features: &Matrix) -> Vec<f64> {
    let mut row = vec![0.0; features.width()];
    let mut scores = Vec::with_capacity(features.rows() * outputs.len());
    for i in 0..features.rows() {
        row.fill(0.0);
        features.for_row(i, |column, x| row[column] = f64::from(x));
        scores.extend(outputs.iter().map(|output| {
            let terms = output.weights.iter().map(|&(j, w)| w * row[j as usize]);
            terms.sum::<f64>() + output.intercept
        }));
    }
    scores
}
