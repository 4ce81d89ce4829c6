//! Metrics of predictions. Metrics of private data are releases that no certificate covers.

mod multiclass;

use serde::Serialize;

use crate::loss::Loss;
pub use multiclass::{ClassCount, MulticlassMetrics, multiclass};

/// How well log-odds fit two classes.
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

/// How well the features with a weight are those that matter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SupportMetrics {
    /// The share of the found features that matter; none if none was found.
    pub precision: Option<f64>,
    /// The share of the features that matter that were found; none if none matters.
    pub recall: Option<f64>,
    /// The harmonic mean of the two; none if no feature matters and none was found.
    pub f1: Option<f64>,
}

/// Metrics of scores (finite log-odds of the second class, which is predicted above 0) against
/// classes, 0 or 1; none if there are no records.
///
/// # Panics
///
/// If there are not as many scores as classes, or a class is neither 0 nor 1.
pub fn classes(scores: &[f64], class: &[u32]) -> Option<ClassMetrics> {
    assert_eq!(scores.len(), class.len(), "one score per record");
    if scores.is_empty() {
        return None;
    }
    let n = scores.len() as f64;
    let mut confusion = [[0; 2]; 2];
    let mut loss = 0.0;
    for (&score, &class) in scores.iter().zip(class) {
        confusion[class as usize][usize::from(score > 0.0)] += 1;
        loss += Loss::Logistic.value(score, f64::from(class));
    }
    Some(ClassMetrics {
        accuracy: (confusion[0][0] + confusion[1][1]) as f64 / n,
        auc: auc(scores, |i| class[i] == 1),
        log_loss: loss / n,
        confusion,
    })
}

/// The Mann–Whitney statistic over the number of pairs, by ranks: O(n log n).
///
/// Twice the rank of a record, ties sharing the mean of their ranks, is a whole number, so
/// that the sum of ranks is exact.
fn auc(scores: &[f64], second: impl Fn(usize) -> bool) -> Option<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let mut seconds: u128 = 0;
    let mut twice_ranks: u128 = 0;
    let mut below: u128 = 0;
    // −0 and 0 are neighbours in the sorted order, and tie.
    for tied in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let count = tied.iter().filter(|&&i| second(i)).count() as u128;
        let size = tied.len() as u128;
        // The ranks below + 1, …, below + size have twice the mean 2·below + size + 1.
        twice_ranks += count * (2 * below + size + 1);
        seconds += count;
        below += size;
    }
    let firsts = below - seconds;
    let twice_pairs = 2 * firsts * seconds;
    let twice_wins = twice_ranks - seconds * (seconds + 1);
    (twice_pairs > 0).then(|| twice_wins as f64 / twice_pairs as f64)
}

/// Metrics of predicted against true values, all of them finite; none if there are no records.
///
/// # Panics
///
/// If there are not as many predictions as values.
pub fn values(predicted: &[f64], target: &[f64]) -> Option<ValueMetrics> {
    assert_eq!(predicted.len(), target.len(), "one prediction per record");
    if target.is_empty() {
        return None;
    }
    let n = target.len() as f64;
    let errors = || predicted.iter().zip(target).map(|(p, y)| p - y);
    let squares: f64 = errors().map(|e| e * e).sum();
    let mean = target.iter().sum::<f64>() / n;
    let varies = target.iter().any(|y| *y != target[0]);
    let variation: f64 = target.iter().map(|y| (y - mean) * (y - mean)).sum();
    Some(ValueMetrics {
        mse: squares / n,
        mae: errors().map(f64::abs).sum::<f64>() / n,
        r2: (varies && variation > 0.0).then(|| 1.0 - squares / variation),
    })
}

/// Metrics of the features that were found against those that matter, both as columns in any
/// order.
pub fn support(found: &[u32], true_columns: &[u32]) -> SupportMetrics {
    let set = |columns: &[u32]| {
        columns
            .iter()
            .copied()
            .collect::<std::collections::HashSet<_>>()
    };
    let (found, matter) = (set(found), set(true_columns));
    let both = found.intersection(&matter).count();
    let share = |of: usize| (of > 0).then(|| both as f64 / of as f64);
    let sizes = found.len() + matter.len();
    SupportMetrics {
        precision: share(found.len()),
        recall: share(matter.len()),
        f1: (sizes > 0).then(|| 2.0 * both as f64 / sizes as f64),
    }
}

#[cfg(test)]
mod tests;
