//! What the steps will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::spending::multiplier;
use super::super::{
    Calibration, Facts, NamedChoice, PlanEntry, PlanError, Planned, Spending, Task, positive, ridge,
};
use super::declaration::AUGMENTATION;
use super::defaults;
use super::published::{self, Published};
use super::{Admm, Penalty, augmentation_above};
use crate::fit::Around;
use crate::loss::Loss;
use crate::privacy::{Adjacency, Charge, Epsilon, Event, NoiseMultiplier};

/// The share of ρ that the inexactness of a search costs. Its tolerance is so far below what b does
/// that noise some hundred times as large is still not felt.
const LOOSE_SHARE: f64 = 1e-5;

/// How far one record may move the weights: their grid, 2⁻²⁷ of it, has a step of 2⁻⁵⁰⁰ to 2⁵⁰⁰.
const LEAST_MOVE: f64 = 1e-140;
const MOST_MOVE: f64 = 1e140;

/// The loss: two classes.
pub(super) const LOSS: Loss = Loss::Logistic;

/// What private ADMM will do and spend; [`run`](super::super::Planned::run) does it.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmmPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) penalty: Penalty,
    pub(super) iterations: NonZeroU64,
    pub(super) lambda: f64,
    pub(super) augmentation: f64,
    pub(super) nonzero: Option<usize>,
    pub(super) intercept: bool,
    pub(super) promise: Promise,
}

/// What is proved of a plan.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Promise {
    /// Each step is released with this noise.
    Spends(StepNoise, Spending),
    /// Nothing: one noise vector serves all steps.
    Nothing(Published),
}

/// The noise of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StepNoise {
    /// What the perturbed objective costs.
    pub epsilon: Epsilon,
    /// The noise that hides how exactly it was minimised.
    pub search: NoiseMultiplier,
}

impl StepNoise {
    /// The noise as a function of one multiplier: a step costs ρ = 1/(2z²).
    fn at(z: NoiseMultiplier) -> Self {
        let z = z.get();
        // ρ = ε²/2.
        let epsilon = (1.0 - LOOSE_SHARE).sqrt() / z;
        Self::of(Epsilon::new(epsilon).expect("finite and above 0"))
    }

    /// The noise of a step whose objective is perturbed at ε.
    pub(super) fn of(epsilon: Epsilon) -> Self {
        let search = multiplier(((1.0 - LOOSE_SHARE) / LOOSE_SHARE).sqrt() / epsilon.get());
        Self { epsilon, search }
    }

    pub(super) fn charges(self, iterations: NonZeroU64) -> Vec<Charge> {
        let (epsilon, noise) = (self.epsilon, self.search);
        vec![
            Charge::new(Event::Pure { epsilon }, iterations),
            Charge::new(Event::Gaussian { noise }, iterations),
        ]
    }
}

/// How far one record moves things, and how many weights there are: public.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// k, the intercept among them.
    pub weights: f64,
    /// B.
    pub length: f64,
    /// n.
    pub records: f64,
    /// a·R·B: what one record does to a sum of slopes.
    pub moved: f64,
}

impl Size {
    fn of(facts: &Facts, adjacency: Adjacency, intercept: bool) -> Self {
        let length = ridge::length(facts, facts.columns, intercept);
        Self {
            weights: (facts.columns + usize::from(intercept)) as f64,
            length,
            records: facts.records as f64,
            moved: f64::from(adjacency.differing_records()) * LOSS.slope_bound() * length,
        }
    }

    /// log(1 + (curvature bound)·B²/(nc)): what the change of volume costs at c.
    pub(super) fn volume(&self, augmentation: f64) -> f64 {
        let curvature = LOSS.curvature() * self.length * self.length;
        (curvature / (self.records * augmentation)).ln_1p()
    }

    /// Refuses a c at which one record would move the weights by less, or more, than any grid holds.
    fn check_grid(&self, augmentation: f64) -> Result<(), PlanError> {
        let largest = self.moved / (self.records * LEAST_MOVE);
        let least = self.moved / (self.records * MOST_MOVE);
        match (least..=largest).contains(&augmentation) {
            true => Ok(()),
            false => Err(PlanError::Option {
                option: AUGMENTATION.name,
                allowed: format!(
                    "between {least:.0e} and {largest:.0e}: beyond, no grid holds the weights"
                ),
            }),
        }
    }

    /// The c at which it costs so much.
    pub(super) fn augmentation_of(&self, volume: f64) -> f64 {
        LOSS.curvature() * self.length * self.length / (self.records * volume.exp_m1())
    }
}

impl Admm {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<AdmmPlan, PlanError> {
        self.check(&facts)?;
        let size = Size::of(&facts, self.adjacency, self.intercept);
        match self.calibration {
            Calibration::Exact => self.exact(facts, size),
            Calibration::AsPublished => self.as_published(facts, size),
        }
    }

    fn exact(self, facts: Facts, size: Size) -> Result<AdmmPlan, PlanError> {
        let iterations = self.iterations.unwrap_or(defaults::ITERATIONS);
        // A model that was asked for by its penalty stays what it is: a calibration would rescale it.
        let around = match self.lambda {
            Some(_) => Around::Nothing,
            None => Around::model(self.task, self.intercept),
        };
        let around = (self.task, around);
        let charges = |z| StepNoise::at(z).charges(iterations);
        let (spending, z) = Spending::around(
            around,
            iterations.get() as f64,
            self.budget,
            self.adjacency,
            charges,
        )?;
        let noise = StepNoise::at(z);
        let epsilon = noise.epsilon.get();
        let augmentation = self
            .augmentation
            .unwrap_or_else(|| defaults::augmentation(&facts, size, epsilon));
        size.check_grid(augmentation)?;
        let volume = size.volume(augmentation);
        if volume >= epsilon {
            return Err(augmentation_above(size.augmentation_of(epsilon)));
        }
        // One coordinate of b/n: ‖b‖ is about k/β.
        let deviation = size.weights.sqrt() * size.moved / ((epsilon - volume) * size.records);
        let promise = Promise::Spends(noise, spending);
        Ok(self.planned(facts, iterations, augmentation, deviation, promise))
    }

    fn as_published(self, facts: Facts, size: Size) -> Result<AdmmPlan, PlanError> {
        let iterations = self.iterations.unwrap_or(published::ITERATIONS);
        let published = Published::new(&self, size, iterations)?;
        let augmentation = published.augmentation;
        size.check_grid(augmentation)?;
        let deviation = published.deviation(size);
        let promise = match iterations.get() {
            1 => {
                let noise = StepNoise::of(published.proved_of_one_step(size)?);
                let charges = noise.charges(iterations);
                let spending =
                    Spending::as_published(self.budget, self.adjacency, charges, published::PAPER)?;
                Promise::Spends(noise, spending)
            }
            _ => Promise::Nothing(published),
        };
        Ok(self.planned(facts, iterations, augmentation, deviation, promise))
    }

    /// The rest of a plan, given what a coordinate of the random linear term deviates by.
    fn planned(
        self,
        facts: Facts,
        iterations: NonZeroU64,
        augmentation: f64,
        deviation: f64,
        promise: Promise,
    ) -> AdmmPlan {
        let lambda = self.lambda.unwrap_or_else(|| {
            let cut = defaults::cut(deviation) / augmentation;
            augmentation * self.penalty.weight(cut)
        });
        AdmmPlan {
            task: self.task,
            facts,
            penalty: self.penalty,
            iterations,
            lambda,
            augmentation,
            nonzero: self.nonzero,
            intercept: self.intercept,
            promise,
        }
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        if self.adjacency != Adjacency::ReplaceOne {
            return Err(PlanError::ReplaceOneOnly("admm"));
        }
        if self.task != Task::Logistic {
            return Err(PlanError::Task {
                method: "admm",
                task: self.task.name(),
                instead: "objective perturbation is proved for the logistic loss of two classes; use \
                          ight, select or frank-wolfe",
            });
        }
        let weights = facts.columns;
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        if let Some(lambda) = self.lambda {
            positive("lambda", lambda)?;
        }
        self.augmentation
            .map_or(Ok(()), |c| positive("augmentation", c))
    }
}

impl AdmmPlan {
    /// How many steps.
    pub fn iterations(&self) -> u64 {
        self.iterations.get()
    }

    /// The weight of the penalty, λ.
    pub fn lambda(&self) -> f64 {
        self.lambda
    }

    /// The parameter of the augmented Lagrangian, c.
    pub fn augmentation(&self) -> f64 {
        self.augmentation
    }

    /// How many weights there are, the intercept among them.
    pub(super) fn weights(&self) -> usize {
        self.facts.columns + usize::from(self.intercept)
    }

    /// Its public parameters.
    pub(super) fn lines(&self) -> Vec<PlanEntry> {
        let noise = match (&self.promise, self.guarantee().claimed()) {
            (Promise::Spends(..), None) => "fresh in each step",
            (Promise::Spends(..), Some(_)) => "as published, one step",
            (Promise::Nothing(_), _) => "as published, one vector for all steps",
        };
        let kept = match self.nonzero {
            Some(nonzero) => PlanEntry::text("nonzero", nonzero, "weights are kept, at most"),
            None => PlanEntry::text("nonzero", "all", "that the penalty leaves"),
        };
        vec![
            PlanEntry::text("penalty", self.penalty.name(), "the sparsity penalty"),
            PlanEntry::text("iterations", self.iterations, "steps"),
            PlanEntry::number(
                "penalty-weight",
                self.lambda,
                "the larger, the fewer weights",
            ),
            PlanEntry::number(
                "augmentation",
                self.augmentation,
                "parameter of the augmented Lagrangian",
            ),
            kept,
            PlanEntry::text("noise", noise, "the random linear term"),
            PlanEntry::text(
                "intercept",
                if self.intercept { "yes" } else { "no" },
                "not penalised",
            ),
        ]
    }
}
