//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::defaults;
use super::{Sgd, SgdOptimizer, SgdResult};
use crate::fit::declaration::NamedChoice;
use crate::fit::noisy_descent::{CENTRE_SHARE, Centring, clip_within, longest_gradient};
use crate::fit::{Facts, PlanEntry, PlanError, Spending, Task, positive};
use crate::loss::Loss;
use crate::mechanism::Batches;
use crate::privacy::{Charge, Event, NoiseMultiplier};

/// What a fit will do and spend; [`run`](crate::fit::Planned::run) runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct SgdPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    /// b₀; 0 for no intercept.
    pub(super) constant: f64,
    /// How the centre of the rows is found, if rows are centred.
    pub(super) centring: Option<Centring>,
    pub(super) optimizer: SgdOptimizer,
    pub(super) result: SgdResult,
    pub(super) smoothing: Option<f64>,
    pub(super) penalty: Option<f64>,
    /// C.
    pub(super) clip: f64,
    /// The noise of the first release of recursive momentum, which is over all records.
    pub(super) first: Option<NoiseMultiplier>,
    pub(super) batches: Batches,
    /// T.
    pub(super) steps: NonZeroU64,
    /// The noise multiplier of a step.
    pub(super) noise: NoiseMultiplier,
    /// η, if it is asked for.
    pub(super) step_size: Option<f64>,
    /// How many deviations of noise may accumulate in a weight.
    pub(super) deviations: f64,
    /// Whether weights that are likely to be noise become 0.
    pub(super) shrinks: bool,
    pub(super) spending: Spending,
}

/// The most steps that a plan is made for.
const MOST_STEPS: u64 = 10_000_000;

impl Sgd {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SgdPlan, PlanError> {
        self.check(&facts)?;
        let threshold = self.huber_threshold.unwrap_or(defaults::HUBER_THRESHOLD);
        let loss = self.task.loss(threshold);
        let constant = defaults::constant(&self, &facts);
        let clip = match self.clip {
            Some(clip) => {
                let longest = longest_gradient(self.task, loss, &facts, constant);
                clip_within(clip, longest)?
            }
            None => defaults::clip(&self, loss, &facts, constant),
        };
        let (batches, steps) = defaults::batches(&self, &facts, clip);
        if steps > MOST_STEPS {
            return Err(PlanError::Steps {
                given: steps,
                most: MOST_STEPS,
            });
        }
        let centred = defaults::centred(&self, &facts);
        let recursive = defaults::is_recursive(&self);
        let noises = |z: NoiseMultiplier| {
            let centring = centred.then(|| Centring::new(z));
            let left = 1.0 - if centred { CENTRE_SHARE } else { 0.0 };
            let of_first = if recursive {
                defaults::FIRST_SHARE
            } else {
                0.0
            };
            let all = (Batches::All, &facts);
            let first = recursive.then(|| defaults::noise(z, left * of_first, 1, all));
            let share = left * (1.0 - of_first);
            let step = defaults::noise(z, share, steps, (batches, &facts));
            (centring, first, step)
        };
        let count = NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN);
        let charges = |z| {
            let (centring, first, step) = noises(z);
            let centring = centring.map(|centring| centring.charge());
            let first = first.map(|noise| Charge::once(Event::Gaussian { noise }));
            let steps = Charge::new(batches.event(step), count);
            centring.into_iter().chain(first).chain([steps]).collect()
        };
        let around = defaults::around(&self);
        let (spending, z) = Spending::around(
            (self.task, around),
            1.0,
            self.budget,
            self.adjacency,
            charges,
        )?;
        let (centring, first, noise) = noises(z);
        Ok(SgdPlan {
            shrinks: defaults::shrinks(&self, &facts),
            deviations: defaults::deviations(&self, &facts),
            task: self.task,
            facts,
            loss,
            constant,
            centring,
            optimizer: self.optimizer,
            result: self.result,
            smoothing: self.smoothing,
            penalty: self.penalty,
            clip,
            first,
            batches,
            steps: count,
            noise,
            step_size: self.step_size,
            spending,
        })
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        let given = [
            ("smoothing", self.smoothing),
            ("number of epochs", self.epochs),
            ("step size", self.step_size),
            ("clip", self.clip),
            ("penalty", self.penalty),
            ("Huber threshold", self.huber_threshold),
        ];
        for (what, value) in given {
            value.map_or(Ok(()), |value| positive(what, value))?;
        }
        if self.task != Task::Linear && self.huber_threshold.is_some() {
            return Err(PlanError::HuberThresholdOfLogistic);
        }
        defaults::penalty_suits(self.penalty, self.task)
    }
}

impl SgdPlan {
    /// How batches are drawn.
    pub fn batches(&self) -> Batches {
        self.batches
    }

    /// How many batches there are.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// How many records a batch has on average.
    pub fn batch_size(&self) -> f64 {
        defaults::size(self.batches, &self.facts)
    }

    /// The largest noise multiplier of any release of a gradient.
    pub(super) fn largest_noise(&self) -> NoiseMultiplier {
        match self.first {
            Some(first) if first > self.noise => first,
            _ => self.noise,
        }
    }

    /// The standard deviation of the noise of a step on a weight of the mean gradient.
    pub fn gradient_noise(&self) -> f64 {
        let adjacency = self.spending.adjacency();
        self.noise.get() * defaults::moved(adjacency, self.clip, self.batch_size())
    }

    /// About the largest curvature of the loss of a record.
    pub(super) fn curvature(&self) -> f64 {
        defaults::curvature(self.task, self.clip, self.loss.slope_bound())
    }

    /// The longest step that is taken without being asked for, where a record counts for `mass` on average;
    /// and whether it may prove too long.
    pub(super) fn longest_step(&self, mass: f64) -> (f64, bool) {
        let usual = defaults::usual_curvature(self.task, self.clip, self.loss.slope_bound());
        match self.optimizer {
            SgdOptimizer::Srm => {
                let longest = defaults::longest_step(mass * self.curvature());
                (longest.min(defaults::longest_recursive_step(self)), false)
            }
            _ => {
                let longest = defaults::longest_step(mass * usual);
                (
                    longest,
                    self.step_size.is_none() && usual < self.curvature(),
                )
            }
        }
    }

    /// Θ: the total length of all steps, times the gradient.
    pub(super) fn path_length(&self) -> f64 {
        self.deviations * (self.steps.get() as f64).sqrt() / self.gradient_noise()
    }

    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let (drawn, how) = match self.batches {
            Batches::All => ("all records", "each step looks at all of them"),
            Batches::Poisson(_) => (
                "each record by itself",
                "a batch is drawn afresh for each step, and secret",
            ),
            Batches::FixedSize { .. } => (
                "without replacement",
                "a batch of this size is drawn afresh for each step, and secret",
            ),
        };
        let epochs = self.steps.get() as f64 * self.batch_size() / self.facts.records as f64;
        let optimizer = self.optimizer.name();
        let mut lines = vec![
            PlanEntry::text(
                "steps",
                self.steps,
                "each releases a noisy gradient of a batch",
            ),
            PlanEntry::number("batch", self.batch_size(), "records in a batch, on average"),
            PlanEntry::text("drawn", drawn, how),
            PlanEntry::number("epochs", epochs, "how often a record is drawn, on average"),
            PlanEntry::text(
                "optimizer",
                optimizer,
                "how noisy gradients move the weights",
            ),
            match self.shrinks {
                true => PlanEntry::text("nonzero", "by threshold", "weights that are kept"),
                false => PlanEntry::text("nonzero", "all", "weights that are kept"),
            },
            match self.constant > 0.0 {
                true => PlanEntry::text("intercept", "yes", "not penalised"),
                false => PlanEntry::text("intercept", "no", "the function goes through 0"),
            },
            PlanEntry::number(
                "clip",
                self.clip,
                "the greatest length of a record's gradient",
            ),
            PlanEntry::number(
                "gradient noise",
                self.gradient_noise(),
                "on each feature of the mean gradient of a batch",
            ),
        ];
        if self.result == SgdResult::Random {
            let meaning = "the model is the point at a step drawn at random";
            lines.push(PlanEntry::text("result", "random", meaning));
        }
        let smoothing = |sigma| PlanEntry::number("smoothing", sigma, "Laplacian, of gradients");
        lines.extend(self.smoothing.map(smoothing));
        // Steps are longer where class weights make records count for less, which is not known yet.
        let (_, size) = self.rule(1.0);
        let meaning = match self.longest_step(1.0) {
            (_, true) => "along the mean gradient; halved where gradients swing",
            _ => "along the mean gradient",
        };
        lines.push(PlanEntry::number("step size", size, meaning));
        let penalty = |lambda| PlanEntry::number("penalty", lambda, "of w²/(1 + w²)");
        lines.extend(self.penalty.map(penalty));
        lines.extend(self.loss.huber_threshold().map(PlanEntry::huber_threshold));
        if self.centring.is_some() {
            let meaning = "rows are centred on it; the first release";
            lines.push(PlanEntry::text("centre", "private", meaning));
        }
        lines
    }
}
