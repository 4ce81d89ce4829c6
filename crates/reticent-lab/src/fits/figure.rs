//! The figures of a fit.

use reticent::fit::{LinearFunction, Task};
use reticent::metric;
use reticent::table::ClippedTable;

use crate::panel;
use crate::scores::scores;
use crate::summary::Summary;

/// A figure of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// ‖θ̂ − θ*‖/‖θ*‖.
    Error,
    Accuracy,
    Auc,
    R2,
}

/// Errors above this, and R² below its negative, count as this: the fit is of no use.
const MOST: f64 = 3.0;

/// What fits of a sample are judged on.
pub struct Judge {
    pub task: Task,
    /// The records to measure on, clipped to the bounds.
    pub test: ClippedTable<'static>,
    /// What a linear target was divided by.
    pub scale: f64,
    pub truth: Option<Vec<Vec<f64>>>,
}

impl Figure {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "relative error",
            Self::Accuracy => "accuracy",
            Self::Auc => "AUC",
            Self::R2 => "R²",
        }
    }

    /// Whether `one` is better than `other`, seed by seed, by more than two standard errors of the
    /// mean difference: both saw the same records.
    pub fn clearly_better(self, one: &[f64], other: &[f64]) -> bool {
        let pairs = one.iter().zip(other);
        let gains: Vec<f64> = pairs
            .map(|(one, other)| match self {
                Self::Error => other - one,
                _ => one - other,
            })
            .collect();
        let gain = Summary::of(&gains);
        gain.mean > 2.0 * gain.deviation / gain.count.sqrt()
    }

    /// Whether a mean is better than another.
    pub fn better(self, one: f64, other: f64) -> bool {
        match self {
            Self::Error => one < other,
            _ => one > other,
        }
    }

    /// The figure of a fit.
    pub fn of(self, outputs: &[LinearFunction], judge: &Judge) -> f64 {
        let features = judge.test.real();
        let targets = judge.test.targets();
        let classes = || -> Vec<u32> { targets.iter().map(|&class| class as u32).collect() };
        match (self, judge.task) {
            (Self::Error, _) => {
                let truth = judge.truth.as_ref().expect("a design knows its truth");
                panel::error(&outputs[0], judge.scale, &truth[0]).min(MOST)
            }
            (Self::R2, _) => {
                let metrics = metric::values(&scores(outputs, &features), targets);
                let r2 = metrics.and_then(|metrics| metrics.r2);
                r2.expect("targets vary").max(-MOST)
            }
            (Self::Accuracy, Task::Multinomial { .. }) => {
                let scores = scores(outputs, &features);
                let metrics = metric::multiclass(&scores, &classes(), outputs.len());
                metrics.expect("there are records").accuracy
            }
            (Self::Accuracy | Self::Auc, _) => {
                let metrics = metric::classes(&scores(outputs, &features), &classes());
                let metrics = metrics.expect("there are records");
                match self {
                    Self::Auc => metrics.auc.expect("both classes occur"),
                    _ => metrics.accuracy,
                }
            }
        }
    }
}
