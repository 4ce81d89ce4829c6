//! Knowledge transfer as the paper prints it: **no guarantee**.

use super::super::{Facts, Fitted, Output, Task, ridge};
use super::run::{standard_normal, student};
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::mechanism::ReleaseError;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Budget, Statement};
use crate::solve::keep_largest;
use crate::table::{Held, RecordBound};

/// Steps of the teacher.
const STEPS: usize = 300;
/// Power iterations for its step size.
const POWERS: usize = 20;

/// Parameters of the published algorithm (Wang and Gu 2020, algorithm 1 and theorem 4.3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// The loss.
    pub loss: Loss,
    /// λ.
    pub lambda: f64,
    /// s: non-zero weights of teacher and student.
    pub nonzero: usize,
    /// m: generated rows, of standard Gaussian entries.
    pub rows: usize,
    /// K: the largest entry of a row. The paper's γ, the largest entry of a record's gradient, is
    /// R·K.
    pub bound: f64,
    /// What the paper claims.
    pub claimed: Budget,
}

impl Published {
    /// For a table of which `facts` are known: λ = √(s·log d·log(1/δ))/(nε) (theorem 4.5, its
    /// constant taken as 1), and 4s·log d generated rows.
    pub fn new(task: Task, claimed: Budget, facts: &Facts, nonzero: usize) -> Self {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        let n = facts.records as f64;
        let log_columns = (facts.columns as f64).ln().max(1.0);
        let logs = log_columns * -claimed.delta().get().ln();
        Self {
            loss: ridge::loss(task, None),
            lambda: (nonzero as f64 * logs).sqrt() / (n * claimed.epsilon().get()),
            nonzero,
            rows: (4.0 * nonzero as f64 * log_columns).ceil() as usize,
            bound,
            claimed,
        }
    }

    /// σ of the answers, as printed: σ² = 8m·s·γ²·log(2.5/δ)/(nελ)² (rows of unit covariance).
    pub fn sigma(&self, records: usize) -> f64 {
        let gamma = self.loss.slope_bound() * self.bound;
        let log = (2.5 / self.claimed.delta().get()).ln();
        let over = records as f64 * self.claimed.epsilon().get() * self.lambda;
        gamma * (8.0 * self.rows as f64 * self.nonzero as f64 * log).sqrt() / over
    }
}

/// Runs the published algorithm on open data: its teacher is hard-thresholded.
///
/// # Privacy
///
/// **None.** ‖w‖₀ ≤ s is not convex: with half the records on one column and half on another, one
/// record decides which of them the teacher keeps, and moves it by O(1); for a claimed ε of 1 the
/// real one is 90 at n = 801. So it takes no sealed records, no query has its sensitivity and no
/// ledger knows of it: it is for comparing methods on data that need no protection, and its
/// statement says that nothing is proved.
pub fn as_published(
    held: &Held,
    published: &Published,
    adjacency: Adjacency,
    randomness: &mut Generator,
) -> Result<Fitted, ReleaseError> {
    let (features, targets) = (held.real(), held.targets());
    let width = features.width();
    let teacher = teacher(&features, targets, published);
    let entries = standard_normal(published.rows, width, randomness, 1.0)?;
    let generated = Dense::new(entries, published.rows, width);
    let generated = Matrix::Dense(generated.expect("whole rows of finite numbers"));
    let sigma = published.sigma(targets.len());
    let noise = standard_normal(published.rows, 1, randomness, sigma)?;
    let mut answers = margins(&generated, &teacher);
    for (answer, noise) in answers.iter_mut().zip(noise) {
        *answer += f64::from(noise);
    }
    let student = student((&generated).into(), &answers, published.nonzero, false);
    let output = Output {
        weights: student.weights,
        intercept: 0.0,
    };
    Ok(Fitted {
        outputs: vec![output],
        statement: Statement::without_guarantee(adjacency, published.claimed.delta()),
    })
}

/// The paper's teacher (algorithm 2): a step along the gradient of the mean loss and
/// (λ/2)‖w‖², then all but the s largest weights are set to 0.
fn teacher(features: &Matrix, targets: &[f64], published: &Published) -> Vec<f64> {
    let Published { loss, lambda, .. } = *published;
    let count = targets.len().max(1) as f64;
    let step = 1.0 / (loss.curvature() * largest_curvature(features) + lambda);
    let mut weights = vec![0.0; features.width()];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|w| lambda * w).collect();
        let margins = margins(features, &weights);
        for (i, (margin, target)) in margins.into_iter().zip(targets).enumerate() {
            let slope = loss.slope(margin, *target) / count;
            features.for_row(i, |j, x| gradient[j] += f64::from(x) * slope);
        }
        for (w, g) in weights.iter_mut().zip(gradient) {
            *w -= step * g;
        }
        keep_largest(&mut weights, published.nonzero);
    }
    weights
}

/// About the largest eigenvalue of XᵀX/n, a little above it: nothing here is private, so that
/// power iterations are good enough.
fn largest_curvature(features: &Matrix) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut along = vec![1.0; features.width()];
    let mut length = norm(&along);
    for _ in 0..POWERS {
        along
            .iter_mut()
            .for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        let margins = margins(features, &along);
        along.fill(0.0);
        for (i, margin) in margins.into_iter().enumerate() {
            features.for_row(i, |j, x| along[j] += f64::from(x) * margin);
        }
        length = norm(&along);
    }
    1.2 * length / features.rows().max(1) as f64
}

/// X·w.
fn margins(features: &Matrix, weights: &[f64]) -> Vec<f64> {
    let margin = |i| {
        let mut sum = 0.0;
        features.for_row(i, |j, x| sum += f64::from(x) * weights[j]);
        sum
    };
    (0..features.rows()).map(margin).collect()
}
