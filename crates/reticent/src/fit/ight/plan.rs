//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::noisy_descent::{Centring, NoisyDescent, Rows, longest};
use super::super::spending::multiplier;
use super::super::{Calibration, Facts, PlanEntry, PlanError, Spending, Task, positive};
use super::defaults::{self, Stage};
use super::peel::Peeling;
use super::{Ight, IghtForm};
use crate::loss::Loss;
use crate::privacy::{Adjacency, Budget, Charge, Event, NoiseMultiplier};

/// The paper that the published noise comes from.
const PAPER: &str = "DP-IGHT (Wang and Gu 2019)";

/// What a fit will do and spend; [`run`](super::super::Planned::run) runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct IghtPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    pub(super) form: IghtForm,
    pub(super) nonzero: Option<usize>,
    pub(super) constant: f64,
    /// How the centre of the rows is found, if rows are centred.
    pub(super) centring: Option<Centring>,
    pub(super) work: Work,
    pub(super) spending: Spending,
}

/// The work of a plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Work {
    /// Descents, each with the number of columns that it leaves for the next.
    Descents(Vec<(Stage, NoisyDescent)>),
    /// Peeling.
    Peeling(Peeling),
}

impl Ight {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<IghtPlan, PlanError> {
        self.check(&facts)?;
        let loss = self
            .task
            .loss(self.huber_threshold.unwrap_or(defaults::HUBER_THRESHOLD));
        let around = defaults::around(&self);
        let constant = if self.intercept {
            defaults::constant(around, &facts)
        } else {
            0.0
        };
        let peeling = |z| Peeling::new(z, &self, &facts, loss, constant);
        let centred = defaults::centred(&self, &facts);
        let centring = |z| centred.then(|| Centring::new(z));
        let stages = defaults::stages(&self, loss, &facts, centred);
        let descents = |z: NoiseMultiplier| -> Vec<(Stage, NoisyDescent)> {
            let descent = |stage: &Stage| (*stage, stage.descent(z, self.task, loss, constant));
            stages.iter().map(descent).collect()
        };
        let peels = self.form == IghtForm::Peeling;
        let charges = |z| {
            if peels {
                peeling(z).charges()
            } else {
                let of_descents = descents(z)
                    .into_iter()
                    .flat_map(|(_, descent)| descent.charges());
                let centring = centring(z).map(|centring| centring.charge());
                centring.into_iter().chain(of_descents).collect()
            }
        };
        let (spending, centring, work) = match self.calibration {
            Calibration::Exact => {
                let (spending, z) = Spending::around(
                    (self.task, around),
                    1.0,
                    self.budget,
                    self.adjacency,
                    charges,
                )?;
                let work = if peels {
                    Work::Peeling(peeling(z))
                } else {
                    Work::Descents(descents(z))
                };
                (spending, centring(z), work)
            }
            Calibration::AsPublished if self.form == IghtForm::EachStep => {
                let descents = descents(multiplier(1.0));
                let (spending, work) = as_published(self.budget, self.adjacency, loss, descents)?;
                (spending, None, work)
            }
            Calibration::AsPublished => {
                return Err(PlanError::NotPublished(self.form.name().into()));
            }
        };
        Ok(IghtPlan {
            task: self.task,
            facts,
            loss,
            form: self.form,
            nonzero: self.nonzero,
            constant,
            centring,
            work,
            spending,
        })
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        let weights = facts.columns * self.task.outputs();
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        if self.nonzero.is_none() && self.form != IghtForm::Staged {
            // It keeps that many at each step.
            return Err(PlanError::Nonzero { given: 0, weights });
        }
        match (self.task, self.huber_threshold) {
            (Task::Multinomial { .. }, _) if self.form != IghtForm::Staged => {
                Err(PlanError::Task {
                    method: "ight that cuts at each step",
                    task: self.task.name(),
                    instead: "leave out --peeling",
                })
            }
            (Task::Logistic | Task::Multinomial { .. }, Some(_)) => {
                Err(PlanError::HuberThresholdOfLogistic)
            }
            (_, Some(threshold)) => positive("Huber threshold", threshold),
            (_, None) => Ok(()),
        }
    }
}

/// The published noise of a noisy descent that thresholds at each step, and what is proved for it. The
/// paper has no private median: records are capped at the longest they can be.
fn as_published(
    claimed: Budget,
    adjacency: Adjacency,
    loss: Loss,
    descents: Vec<(Stage, NoisyDescent)>,
) -> Result<(Spending, Work), PlanError> {
    let log = -claimed.delta().get().ln();
    let epsilon = claimed.epsilon().get();
    // σ·n/(G·√T), and the sensitivity is `differing`·G/n.
    let deviation = match loss {
        Loss::Logistic => log.sqrt() / epsilon,
        Loss::Squared { .. } => 1.0 / ((log + epsilon).sqrt() - log.sqrt()),
    };
    let published = |(stage, descent): (Stage, NoisyDescent)| {
        let steps = descent.steps.get() as f64;
        let noise = multiplier(deviation * steps.sqrt() / f64::from(adjacency.differing_records()));
        let rows = Rows::Longest;
        (
            stage,
            NoisyDescent {
                noise,
                rows,
                ..descent
            },
        )
    };
    let descents: Vec<_> = descents.into_iter().map(published).collect();
    let charge = |(_, descent): &(Stage, NoisyDescent)| {
        Charge::new(
            Event::Gaussian {
                noise: descent.noise,
            },
            descent.steps,
        )
    };
    let charges = descents.iter().map(charge).collect();
    let spending = Spending::as_published(claimed, adjacency, charges, PAPER)?;
    Ok((spending, Work::Descents(descents)))
}

impl IghtPlan {
    /// The loss that is minimised, where slopes are not clipped.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// When the threshold cuts.
    pub fn form(&self) -> IghtForm {
        self.form
    }

    /// How many weights are kept; as many as exceed the noise if `None`.
    pub fn nonzero(&self) -> Option<usize> {
        self.nonzero
    }

    /// How many gradients are released in all.
    pub fn iterations(&self) -> u64 {
        match &self.work {
            Work::Descents(descents) => descents
                .iter()
                .map(|(_, descent)| descent.steps.get())
                .sum(),
            Work::Peeling(peeling) => peeling.steps.get(),
        }
    }

    /// The largest standard deviation of the noise on a weight of the mean gradient, over the stages:
    /// records may prove shorter. For information only: a mechanism takes its noise from the query.
    pub fn gradient_noise(&self) -> f64 {
        let (records, adjacency) = (self.facts.records, self.spending.adjacency());
        match &self.work {
            Work::Descents(descents) => {
                let of_descent = |(_, descent): &(Stage, NoisyDescent)| {
                    let length = match descent.rows {
                        Rows::Unit => 1.0,
                        _ => longest(&self.facts, descent.constant),
                    };
                    descent.gradient_noise(length, records, adjacency)
                };
                descents.iter().map(of_descent).fold(0.0, f64::max)
            }
            Work::Peeling(peeling) => peeling.gradient_noise(&self.facts, adjacency),
        }
    }

    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let kept = match self.nonzero {
            Some(count) => count.to_string(),
            None => "by threshold".into(),
        };
        let steps = NonZeroU64::new(self.iterations()).unwrap_or(NonZeroU64::MIN);
        let published = self.spending.claimed().is_some();
        let mut lines = vec![
            PlanEntry::text("iterations", steps, "steps; each releases a noisy gradient"),
            PlanEntry::text("nonzero", kept, "weights that are kept"),
            PlanEntry::text("form", self.form.name(), "when the threshold cuts"),
            if self.constant > 0.0 {
                PlanEntry::text("intercept", "yes", "no threshold touches it")
            } else {
                PlanEntry::text("intercept", "no", "the function goes through 0")
            },
            PlanEntry::text(
                "noise",
                if published { "as published" } else { "exact" },
                "how it is calibrated",
            ),
            PlanEntry::number(
                "gradient noise",
                self.gradient_noise(),
                "at most, on each feature of the mean gradient",
            ),
        ];
        lines.extend(self.loss.huber_threshold().map(PlanEntry::huber_threshold));
        if self.centring.is_some() {
            lines.push(PlanEntry::text(
                "centre",
                "private",
                "rows are centred on it; the first release",
            ));
        }
        lines
    }
}
