//! The same models without privacy: gradients of small batches without noise, of rows as they are.

use super::{SgdOptimizer, defaults};
use crate::fit::declaration::NamedChoice;
use crate::fit::{
    Facts, FitError, FitInput, Fitted, Guarantee, LinearFunction, PlanEntry, PlanError, Planned,
    ProgressObserver, Task, open, positive,
};
use crate::loss::Loss;
use crate::noise::{Generator, fixed_size_batch};
use crate::privacy::{Adjacency, Delta, Statement};
use crate::solve::{
    BatchedLoss, Design, Optimizer, Schedule, Storm, Targets, UpdateRule, saturating_penalty_slope,
};

/// How often each record is drawn on average.
const EPOCHS: f64 = 20.0;
/// Records in a batch: at least so many, and no more batches in an epoch than that.
const LEAST_BATCH: u64 = 32;
const BATCHES_OF_AN_EPOCH: u64 = 1000;
/// The decay of momentum.
const DECAY: f64 = 0.9;
/// The first step of Adam, in weights of rows of about length one.
const ADAM: f64 = 0.02;

/// Parameters of stochastic optimisation without privacy: STORM (Cutkosky and Orabona 2019) where
/// [`Sgd`](super::Sgd) is DP-SRM, and else the same optimiser, whose steps become shorter in a line.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `optimizer` | momentum | how gradients move the weights | |
/// | `batch` | 32, or n/1000 if that is more | records in a batch | ≥ 1 |
/// | `epochs` | 20 | how often each record is drawn on average | > 0 |
/// | `step_size` | from the rows | the size of the first step, the longest row having about length one | > 0 |
/// | `penalty` | none | λ of λΣθ²/(1 + θ²), for two classes | > 0 |
/// | `intercept` | true | whether there is one | |
#[derive(Debug, Clone, PartialEq)]
pub struct SgdBaseline {
    /// What kind of model.
    pub task: Task,
    /// How gradients move the weights.
    pub optimizer: SgdOptimizer,
    /// How many records a batch has.
    pub batch: Option<u64>,
    /// How many records all batches have together, in numbers of records.
    pub epochs: Option<f64>,
    /// The size of the first step.
    pub step_size: Option<f64>,
    /// λ of the penalty that is not convex.
    pub penalty: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Which tables count as neighbours: stated, though nothing depends on it.
    pub adjacency: Adjacency,
}

impl SgdBaseline {
    /// The defaults for a task.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            optimizer: SgdOptimizer::Momentum,
            batch: None,
            epochs: None,
            step_size: None,
            penalty: None,
            intercept: true,
            adjacency: Adjacency::ReplaceOne,
        }
    }

    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SgdBaselinePlan, PlanError> {
        facts.check()?;
        for (what, value) in [
            ("number of epochs", self.epochs),
            ("step size", self.step_size),
            ("penalty", self.penalty),
        ] {
            value.map_or(Ok(()), |value| positive(what, value))?;
        }
        defaults::penalty_suits(self.penalty, self.task)?;
        Ok(SgdBaselinePlan {
            parameters: self,
            facts,
        })
    }
}

/// A model without privacy that batches without noise will find.
#[derive(Debug, Clone, PartialEq)]
pub struct SgdBaselinePlan {
    parameters: SgdBaseline,
    facts: Facts,
}

impl SgdBaselinePlan {
    /// How many records a batch of a table has, and how many batches there are.
    fn batches(&self, records: u64) -> (u64, u64) {
        let by_default = (records / BATCHES_OF_AN_EPOCH).max(LEAST_BATCH);
        let size = self
            .parameters
            .batch
            .unwrap_or(by_default)
            .clamp(1, records.max(1));
        let epochs = self.parameters.epochs.unwrap_or(EPOCHS);
        // The cast saturates.
        let steps = (epochs * records as f64 / size as f64).round() as u64;
        (size, steps.max(1))
    }

    /// The point that the optimiser reaches, of so many gradients over the batches that are drawn.
    fn point(&self, loss: &BatchedLoss<'_>, randomness: &mut Generator) -> Vec<f64> {
        let parameters = &self.parameters;
        let width = loss.design.width();
        let records = loss.targets.len();
        let (size, steps) = self.batches(records as u64);
        let lambda = parameters.penalty.unwrap_or(0.0);
        let gradient = |rows: &[u32], point: &[f64]| {
            let mut gradient = loss.gradient(rows, point);
            for (gradient, point) in gradient.chunks_mut(width + 1).zip(point.chunks(width + 1)) {
                // Of the weights of rows as they come.
                for (slope, weight) in gradient[..width].iter_mut().zip(point) {
                    let weight = weight / loss.length;
                    *slope += saturating_penalty_slope(weight, lambda) / loss.length;
                }
            }
            gradient
        };
        // Of rows of length one and a constant of one, with the penalty.
        let (longest, curvature) = match parameters.task {
            Task::Logistic => (1.0, 0.25),
            Task::Multinomial { .. } => (std::f64::consts::SQRT_2, 0.5),
            // Of targets within ±1.
            Task::Linear => (2.0, 1.0),
        };
        let longest = longest * std::f64::consts::SQRT_2;
        let smoothness = 2.0 * curvature + 2.0 * lambda / (loss.length * loss.length);
        let start = vec![0.0; loss.functions() * (width + 1)];
        let records = records as u32;
        let mut draw = || fixed_size_batch(size as u32, records, randomness);
        let rule = match parameters.optimizer {
            SgdOptimizer::Srm => {
                let mut storm = Storm::new(longest, smoothness, parameters.step_size, start);
                for _ in 0..steps {
                    let rows = draw();
                    storm.step(|point| gradient(&rows, point));
                }
                return storm.point().to_vec();
            }
            SgdOptimizer::Sgd => UpdateRule::Plain,
            SgdOptimizer::Momentum => UpdateRule::Momentum {
                decay: DECAY,
                lead: DECAY,
            },
            SgdOptimizer::Adam => UpdateRule::ADAM,
        };
        let first = parameters.step_size.unwrap_or(match rule {
            UpdateRule::Plain => 1.0 / smoothness,
            UpdateRule::Momentum { decay, .. } => (1.0 - decay) / smoothness,
            UpdateRule::Adam { .. } => ADAM,
        });
        let mut optimizer = Optimizer::new(rule, first, Schedule::Linear { steps }, start);
        for _ in 0..steps {
            let rows = draw();
            let gradient = gradient(&rows, optimizer.point());
            optimizer.step(&gradient);
        }
        optimizer.result()
    }
}

impl Planned for SgdBaselinePlan {
    fn name(&self) -> &'static str {
        "sgd"
    }

    fn task(&self) -> Task {
        self.parameters.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Nothing {
            reason: "it was fitted without noise (epsilon = inf)",
            claimed: None,
        }
    }

    fn summary(&self) -> Vec<PlanEntry> {
        let (size, steps) = self.batches(self.facts.records);
        let optimizer = match self.parameters.optimizer {
            SgdOptimizer::Srm => "storm",
            other => other.name(),
        };
        let mut lines = vec![
            PlanEntry::text("steps", steps, "each along the gradient of a batch"),
            PlanEntry::text("batch", size, "records in a batch"),
            PlanEntry::text("optimizer", optimizer, "how gradients move the weights"),
        ];
        let penalty = |lambda| PlanEntry::number("penalty", lambda, "of w²/(1 + w²)");
        lines.extend(self.parameters.penalty.map(penalty));
        lines
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
        let task = self.parameters.task;
        let design = Design {
            features: held.features(),
            unit: held.unit(),
        };
        let loss = BatchedLoss {
            design,
            targets: held.targets(),
            kind: match task {
                Task::Multinomial { classes } => Targets::Classes(classes as usize),
                Task::Logistic => Targets::Of(Loss::Logistic),
                Task::Linear => Targets::Of(task.loss(f64::INFINITY)),
            },
            length: match design.longest() {
                0.0 => 1.0,
                length => length,
            },
            intercept: self.parameters.intercept,
        };
        let point = self.point(&loss, randomness);
        let function = |weights: &[f64]| {
            let (intercept, columns) = weights.split_last().unwrap_or((&0.0, &[]));
            let columns: Vec<f64> = columns.iter().map(|weight| weight / loss.length).collect();
            LinearFunction::of(&columns, *intercept)
        };
        let functions = point.chunks(design.width() + 1).map(function).collect();
        // A certificate has a δ; without a guarantee nothing depends on it.
        let delta = Delta::new(0.5).map_err(PlanError::from)?;
        let statement = Statement::without_guarantee(self.parameters.adjacency, delta);
        Ok(Fitted::linear(functions, statement))
    }
}
