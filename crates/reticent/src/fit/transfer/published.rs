//! Knowledge transfer as the paper prints it: **no guarantee**.

use super::super::{
    Facts, FitError, FitInput, Fitted, Guarantee, LinearFunction, PlanEntry, PlanError, Planned,
    ProgressObserver, Task, default_nonzero, open, ridge,
};
use super::run::{standard_normal, student};
use crate::loss::Loss;
use crate::matrix::{Dense, Matrix};
use crate::noise::Generator;
use crate::privacy::{Adjacency, Budget, Statement};
use crate::solve::keep_largest;
use crate::table::RecordBound;

/// Steps of the teacher.
const STEPS: usize = 300;
/// Power iterations for its step size.
const POWERS: usize = 20;

/// Which paper, and where in it.
const PAPER: &str = "knowledge transfer (Wang and Gu 2020), theorem 4.3";

/// Parameters of the published algorithm (Wang and Gu 2020, algorithm 1 and theorem 4.3).
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic or linear | |
/// | `claimed` | – | the (ε, δ) that the paper claims | |
/// | `adjacency` | replace-one | stated, though nothing depends on it | |
/// | `nonzero` | ⌊1.5√d⌋ | weights of teacher and student, s | ≥ 1 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// What kind of model.
    pub task: Task,
    /// What the paper claims.
    pub claimed: Budget,
    /// Which tables count as neighbours: stated, though nothing depends on it.
    pub adjacency: Adjacency,
    /// Non-zero weights of teacher and student.
    pub nonzero: Option<usize>,
}

impl Published {
    /// The defaults for a task and a claim.
    pub fn new(task: Task, claimed: Budget) -> Self {
        Self {
            task,
            claimed,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
        }
    }

    /// The plan for a table with these public `facts`: λ = √(s·log d·log(1/δ))/(nε) (theorem 4.5,
    /// its constant taken as 1), and 4s·log d generated rows.
    pub fn plan(self, facts: Facts) -> Result<PublishedPlan, PlanError> {
        facts.check()?;
        if let Task::Multinomial { .. } = self.task {
            return Err(PlanError::Task {
                method: "transfer",
                task: self.task.name(),
                instead: "use ight, select, frank-wolfe or sparsifier",
            });
        }
        if self.claimed.rho().is_some() {
            return Err(PlanError::PublishedInRho(PAPER));
        }
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        let wanted = self.nonzero.unwrap_or(default_nonzero(facts.columns));
        let nonzero = wanted.min(facts.columns);
        let n = facts.records as f64;
        let log_columns = (facts.columns as f64).ln().max(1.0);
        let logs = log_columns * -self.claimed.delta().get().ln();
        Ok(PublishedPlan {
            task: self.task,
            facts,
            adjacency: self.adjacency,
            loss: self.task.loss(ridge::HUBER_THRESHOLD),
            lambda: (nonzero as f64 * logs).sqrt() / (n * self.claimed.epsilon().get()),
            nonzero,
            rows: (4.0 * nonzero as f64 * log_columns).ceil() as usize,
            bound,
            claimed: self.claimed,
        })
    }
}

/// What the published algorithm will do, on open data: its teacher is hard-thresholded.
///
/// # Privacy
///
/// **None.** ‖w‖₀ ≤ s is not convex: with half the records on one column and half on another, one
/// record decides which of them the teacher keeps, and moves it by O(1); for a claimed ε of 1 the
/// real one is 90 at n = 801. So it takes no sealed records, no query has its sensitivity and no
/// ledger covers it: it is for comparing methods on data that need no protection, and its statement
/// says that nothing is proved.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) adjacency: Adjacency,
    pub(super) loss: Loss,
    /// λ.
    pub(super) lambda: f64,
    /// s: non-zero weights of teacher and student.
    pub(super) nonzero: usize,
    /// m: generated rows, of standard Gaussian entries.
    pub(super) rows: usize,
    /// K: the largest entry of a row. The paper's γ, the largest entry of a record's gradient, is
    /// R·K.
    pub(super) bound: f64,
    pub(super) claimed: Budget,
}

impl PublishedPlan {
    /// σ of the answers, as printed: σ² = 8m·s·γ²·log(2.5/δ)/(nελ)² (rows of unit covariance).
    pub(super) fn sigma(&self, records: usize) -> f64 {
        let gamma = self.loss.slope_bound() * self.bound;
        let log = (2.5 / self.claimed.delta().get()).ln();
        let over = records as f64 * self.claimed.epsilon().get() * self.lambda;
        gamma * (8.0 * self.rows as f64 * self.nonzero as f64 * log).sqrt() / over
    }
}

impl Planned for PublishedPlan {
    fn name(&self) -> &'static str {
        "transfer"
    }

    fn task(&self) -> Task {
        self.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Nothing {
            reason: "the published teacher is thresholded, one record can decide what it keeps, \
                     and nothing is proved for its noise",
            claimed: Some((PAPER, self.claimed)),
        }
    }

    fn summary(&self) -> Vec<PlanEntry> {
        vec![
            PlanEntry::text("nonzero", self.nonzero, "of teacher and student"),
            PlanEntry::text(
                "public rows",
                self.rows,
                "generated, which the teacher answers on",
            ),
            PlanEntry::number("lambda", self.lambda, "the strength of its ridge"),
            PlanEntry::text("noise", "as published", "how it is calibrated"),
        ]
    }

    fn is_central(&self) -> bool {
        true
    }

    fn run(
        &self,
        subject: FitInput<'_>,
        randomness: &mut Generator,
        _: &mut dyn ProgressObserver,
    ) -> Result<Fitted, FitError> {
        let held = open(self, subject)?;
        let (features, targets) = (held.real(), held.targets());
        let width = features.width();
        let teacher = teacher(&features, targets, self);
        let entries = standard_normal(self.rows, width, randomness, 1.0)?;
        let generated = Dense::new(entries, self.rows, width);
        let generated = Matrix::Dense(generated.expect("whole rows of finite numbers"));
        let sigma = self.sigma(targets.len());
        let noise = standard_normal(self.rows, 1, randomness, sigma)?;
        let mut answers = margins(&generated, &teacher);
        for (answer, noise) in answers.iter_mut().zip(noise) {
            *answer += f64::from(noise);
        }
        let student = student((&generated).into(), &answers, self.nonzero, false);
        let output = LinearFunction {
            weights: student.weights,
            intercept: 0.0,
        };
        let statement = Statement::without_guarantee(self.adjacency, self.claimed.delta());
        Ok(Fitted::linear(vec![output], statement))
    }
}

/// The paper's teacher (algorithm 2): a step along the gradient of the mean loss and
/// (λ/2)‖w‖², then all but the s largest weights are set to 0.
fn teacher(features: &Matrix, targets: &[f64], published: &PublishedPlan) -> Vec<f64> {
    let PublishedPlan { loss, lambda, .. } = *published;
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

/// About the largest eigenvalue of XᵀX/n, a little above it: nothing here is private, so power
/// iterations are good enough.
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
