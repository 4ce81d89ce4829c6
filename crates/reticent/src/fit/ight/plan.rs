//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::flow::{Centring, Flow, Rows, longest};
use super::super::spending::multiplier;
use super::super::{Calibration, Facts, Line, PlanError, Spending, Task, positive};
use super::defaults::{self, Stage};
use super::peel::Peeling;
use super::{Form, Ight};
use crate::loss::Loss;
use crate::privacy::{Adjacency, Budget, Charge, Event, NoiseMultiplier};

/// The paper whose noise it may be.
const PAPER: &str = "DP-IGHT (Wang and Gu 2019)";

/// What a fit will do and spend; [`run`](super::super::Planned::run) does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    pub(super) form: Form,
    pub(super) nonzero: Option<usize>,
    pub(super) constant: f64,
    /// How the middle is found that rows are seen from, if it is.
    pub(super) centring: Option<Centring>,
    pub(super) work: Work,
    pub(super) spending: Spending,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Work {
    /// Flows, each with what it leaves to the next.
    Flows(Vec<(Stage, Flow)>),
    /// Peeling.
    Peeling(Peeling),
}

impl Ight {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<Plan, PlanError> {
        self.check(&facts)?;
        let loss = defaults::loss(self.task, self.reach);
        let constant = if self.intercept {
            defaults::constant(&facts)
        } else {
            0.0
        };
        let peeling = |z| Peeling::new(z, &self, &facts, loss, constant);
        let centred = defaults::centred(&self, &facts);
        let centring = |z| centred.then(|| Centring::new(z));
        let stages = defaults::stages(&self, loss, &facts, centred);
        let flows = |z: NoiseMultiplier| -> Vec<(Stage, Flow)> {
            let flow = |stage: &Stage| (*stage, stage.flow(z, self.task, loss, constant));
            stages.iter().map(flow).collect()
        };
        let peels = self.form == Form::Peeling;
        let charges = |z| {
            if peels {
                peeling(z).charges()
            } else {
                let of_flows = flows(z).into_iter().flat_map(|(_, flow)| flow.charges());
                let centring = centring(z).map(|centring| centring.charge());
                centring.into_iter().chain(of_flows).collect()
            }
        };
        let (spending, centring, work) = match self.calibration {
            Calibration::Exact => {
                let (spending, z) = Spending::within(self.budget, self.adjacency, charges)?;
                let work = if peels {
                    Work::Peeling(peeling(z))
                } else {
                    Work::Flows(flows(z))
                };
                (spending, centring(z), work)
            }
            Calibration::AsPublished if self.form == Form::EachStep => {
                let flows = flows(multiplier(1.0));
                let (spending, work) = as_published(self.budget, self.adjacency, loss, flows)?;
                (spending, None, work)
            }
            Calibration::AsPublished => {
                return Err(PlanError::NotPublished(self.form.name().into()));
            }
        };
        Ok(Plan {
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
        if self.nonzero.is_none() && self.form != Form::Staged {
            // It keeps that many at each step.
            return Err(PlanError::Nonzero { given: 0, weights });
        }
        match (self.task, self.reach) {
            (Task::Multinomial { .. }, _) if self.form != Form::Staged => Err(PlanError::Task {
                method: "ight that cuts at each step",
                task: self.task.name(),
                instead: "leave out --peeling",
            }),
            (Task::Logistic | Task::Multinomial { .. }, Some(_)) => Err(PlanError::ReachOfLogistic),
            (_, Some(reach)) => positive("reach", reach),
            (_, None) => Ok(()),
        }
    }
}

/// The published noise of a flow that thresholds at each step, and what is proved for it. The
/// paper has no private median: records are capped at the longest they can be.
fn as_published(
    claimed: Budget,
    adjacency: Adjacency,
    loss: Loss,
    flows: Vec<(Stage, Flow)>,
) -> Result<(Spending, Work), PlanError> {
    let log = -claimed.delta().get().ln();
    let epsilon = claimed.epsilon().get();
    // σ·n/(G·√T), and the sensitivity is `apart`·G/n.
    let deviation = match loss {
        Loss::Logistic => log.sqrt() / epsilon,
        Loss::Squared { .. } => 1.0 / ((log + epsilon).sqrt() - log.sqrt()),
    };
    let published = |(stage, flow): (Stage, Flow)| {
        let steps = flow.steps.get() as f64;
        let noise = multiplier(deviation * steps.sqrt() / f64::from(adjacency.apart()));
        let rows = Rows::Longest;
        (
            stage,
            Flow {
                noise,
                rows,
                ..flow
            },
        )
    };
    let flows: Vec<_> = flows.into_iter().map(published).collect();
    let charge =
        |(_, flow): &(Stage, Flow)| Charge::new(Event::Gaussian { noise: flow.noise }, flow.steps);
    let charges = flows.iter().map(charge).collect();
    let spending = Spending::as_published(claimed, adjacency, charges, PAPER)?;
    Ok((spending, Work::Flows(flows)))
}

impl Plan {
    /// The loss that is minimised, where slopes are not clipped.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// When the threshold cuts.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How many weights are kept; as many as stand out of the noise if `None`.
    pub fn nonzero(&self) -> Option<usize> {
        self.nonzero
    }

    /// How many gradients are looked at in all.
    pub fn iterations(&self) -> u64 {
        match &self.work {
            Work::Flows(flows) => flows.iter().map(|(_, flow)| flow.steps.get()).sum(),
            Work::Peeling(peeling) => peeling.steps.get(),
        }
    }

    /// The largest standard deviation of the noise on a weight of the mean gradient, over the stages:
    /// records may turn out to be shorter. For information: a mechanism takes its noise from the
    /// query.
    pub fn gradient_noise(&self) -> f64 {
        let (records, adjacency) = (self.facts.records, self.spending.adjacency());
        match &self.work {
            Work::Flows(flows) => {
                let of_flow = |(_, flow): &(Stage, Flow)| {
                    let length = match flow.rows {
                        Rows::Unit => 1.0,
                        _ => longest(&self.facts, flow.constant),
                    };
                    flow.gradient_noise(length, records, adjacency)
                };
                flows.iter().map(of_flow).fold(0.0, f64::max)
            }
            Work::Peeling(peeling) => peeling.gradient_noise(&self.facts, adjacency),
        }
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let kept = match self.nonzero {
            Some(count) => count.to_string(),
            None => "by threshold".into(),
        };
        let steps = NonZeroU64::new(self.iterations()).unwrap_or(NonZeroU64::MIN);
        let published = self.spending.claimed().is_some();
        let mut lines = vec![
            Line::text("iterations", steps, "steps; each releases a noisy gradient"),
            Line::text("non-zeros", kept, "weights that are kept"),
            Line::text("form", self.form.name(), "when the threshold cuts"),
            if self.constant > 0.0 {
                Line::text("intercept", "yes", "no threshold touches it")
            } else {
                Line::text("intercept", "no", "the function goes through 0")
            },
            Line::text(
                "noise",
                if published { "as published" } else { "exact" },
                "how it is calibrated",
            ),
            Line::number(
                "gradient noise",
                self.gradient_noise(),
                "at most, on each feature of the mean gradient",
            ),
        ];
        if self.centring.is_some() {
            lines.push(Line::text(
                "middle",
                "private",
                "rows are seen from it; the first release",
            ));
        }
        if self.task != Task::Linear && self.form == Form::Staged {
            lines.push(Line::text(
                "scores",
                "for ranking",
                "probabilities are not calibrated",
            ));
        }
        lines
    }
}
