//! How well the scores of several classes fit.

use rayon::prelude::*;
use serde::Serialize;

use super::auc;
use crate::model::likeliest;

/// Beyond so many classes there is no confusion table: it grows with their square.
const MOST_CONFUSED: usize = 1000;

/// How many of the likeliest classes `top5` considers.
const TOP: usize = 5;

/// How well scores fit several classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MulticlassMetrics {
    /// The share of records whose class was predicted.
    pub accuracy: f64,
    /// The share of records whose class is one of the five likeliest; none if there are no more
    /// than five.
    pub top5: Option<f64>,
    /// The mean F1 of the classes that occur or were predicted.
    pub macro_f1: f64,
    /// The mean one-against-the-rest AUC of the class probabilities, over the classes that occur;
    /// none if fewer than two do.
    pub auc: Option<f64>,
    /// The mean negative log-likelihood.
    pub log_loss: f64,
    /// Counts of each class.
    pub classes: Vec<ClassCount>,
    /// Counts: rows are the true class, columns the predicted; none beyond a thousand classes.
    pub confusion: Option<Vec<Vec<u64>>>,
}

/// Counts of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ClassCount {
    /// The records that are of the class.
    pub records: u64,
    /// Those for which it was predicted.
    pub predicted: u64,
    /// Those for which both hold.
    pub both: u64,
}

impl ClassCount {
    /// The share of its records for which it was predicted; none if it does not occur.
    pub fn recall(&self) -> Option<f64> {
        (self.records > 0).then(|| self.both as f64 / self.records as f64)
    }

    /// The harmonic mean of recall and precision; none if it neither occurs nor was predicted.
    fn f1(&self) -> Option<f64> {
        let sum = self.records + self.predicted;
        (sum > 0).then(|| 2.0 * self.both as f64 / sum as f64)
    }
}

/// Metrics of finite scores, one for each of `classes` classes, record after record, against the
/// true classes from 0; none if there are no records.
///
/// # Panics
///
/// If there are not as many scores as records times classes, or a class lies beyond them.
pub fn multiclass(scores: &[f64], class: &[u32], classes: usize) -> Option<MulticlassMetrics> {
    assert_eq!(scores.len(), class.len() * classes, "one score per class");
    if class.is_empty() {
        return None;
    }
    let rows = || scores.chunks_exact(classes).zip(class);
    let mut counts = vec![ClassCount::default(); classes];
    let mut confusion = (classes <= MOST_CONFUSED).then(|| vec![vec![0; classes]; classes]);
    let mut within = 0u64;
    let mut loss = 0.0;
    for (row, &class) in rows() {
        let (class, predicted) = (class as usize, likeliest(row));
        counts[class].records += 1;
        counts[predicted].predicted += 1;
        counts[class].both += u64::from(class == predicted);
        if let Some(table) = &mut confusion {
            table[class][predicted] += 1;
        }
        within += u64::from(rank(row, class) < TOP);
        loss += log_total(row) - row[class];
    }
    let n = class.len() as f64;
    let correct: u64 = counts.iter().map(|count| count.both).sum();
    Some(MulticlassMetrics {
        accuracy: correct as f64 / n,
        top5: (classes > TOP).then(|| within as f64 / n),
        macro_f1: mean(counts.iter().filter_map(ClassCount::f1)).unwrap_or_default(),
        auc: macro_auc(scores, class, classes),
        log_loss: loss / n,
        classes: counts,
        confusion,
    })
}

/// How many classes come before this one: those of larger scores, and the earlier of equal ones.
fn rank(row: &[f64], class: usize) -> usize {
    let before = |(other, score): (usize, &f64)| {
        *score > row[class] || (*score == row[class] && other < class)
    };
    row.iter()
        .enumerate()
        .filter(|&entry| before(entry))
        .count()
}

/// log Σ exp(score), without overflow.
fn log_total(row: &[f64]) -> f64 {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let rest: f64 = row.iter().map(|score| (score - top).exp()).sum();
    top + rest.ln()
}

/// The mean over classes of the AUC of each against all others: O(n log n) per class. Logarithms of
/// probabilities have the same order, and small ones do not vanish.
fn macro_auc(scores: &[f64], class: &[u32], classes: usize) -> Option<f64> {
    let totals: Vec<f64> = scores.chunks_exact(classes).map(log_total).collect();
    let each: Vec<Option<f64>> = (0..classes)
        .into_par_iter()
        .map(|one| {
            let log = |(row, total): (&[f64], &f64)| row[one] - total;
            let logs: Vec<f64> = scores.chunks_exact(classes).zip(&totals).map(log).collect();
            auc(&logs, |i| class[i] as usize == one)
        })
        .collect();
    mean(each.into_iter().flatten())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}
