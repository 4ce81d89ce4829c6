//! What a fit will do and spend, from public facts alone.

use crate::fit::Around;
use crate::fit::NamedChoice;
use std::num::NonZeroU64;

use super::noise::Noise;
use super::{Ball, MulticlassFrankWolfe, entry_bound};
use crate::fit::frank_wolfe::{StepRule, defaults};
use crate::fit::spending::Before;
use crate::fit::{Facts, PlanEntry, PlanError, Spending, Task, positive};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::slope_grid;
use crate::solve::Region;

/// What a fit will do and spend; [`run`](crate::fit::Planned::run) does it.
pub struct MulticlassFrankWolfePlan {
    pub(super) facts: Facts,
    pub(super) classes: u32,
    pub(super) ball: Ball,
    pub(super) radius: f64,
    pub(super) iterations: NonZeroU64,
    pub(super) step_rule: StepRule,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    pub(in crate::fit) spending: Spending,
}

impl MulticlassFrankWolfe {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<MulticlassFrankWolfePlan, PlanError> {
        self.plan_after(facts, &Before::default())
    }

    /// The plan of a method that releases something before, and then does this.
    pub(in crate::fit) fn plan_after(
        self,
        facts: Facts,
        before: &Before,
    ) -> Result<MulticlassFrankWolfePlan, PlanError> {
        let classes = self.check(&facts)?;
        let share = self.intercept.then_some(self.intercept_share);
        let defaults = self.defaults(&facts, classes, 1.0 - share.unwrap_or(0.0));
        let radius = self.radius.unwrap_or(defaults.radius);
        let iterations = self.iterations.unwrap_or_else(|| {
            let steps = defaults.iterations(&facts, radius);
            NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN)
        });
        let noise = |z| Noise::at(z, self.ball, share);
        let around = Around::within(self.radius.is_some(), self.task, self.intercept);
        let charges = |z| before.then(noise(z).charges(iterations));
        let (spending, found) = Spending::around(
            (self.task, around),
            iterations.get() as f64,
            self.budget,
            self.adjacency,
            charges,
        )?;
        let noise = noise(found);
        let of_gradient = noise.of_gradient(&facts, self.adjacency) / entry_bound(&facts);
        let of_intercepts = noise.of_intercepts(&facts, self.adjacency);
        let least = of_gradient.min(of_intercepts.unwrap_or(f64::INFINITY));
        Ok(MulticlassFrankWolfePlan {
            slope_grid: slope_grid(facts.records, self.adjacency, 1.0, least)?,
            facts,
            classes,
            ball: self.ball,
            radius,
            iterations,
            step_rule: self.step_rule,
            noise,
            spending,
        })
    }

    /// The number of classes, unless the parameters make no plan.
    fn check(&self, facts: &Facts) -> Result<u32, PlanError> {
        facts.check()?;
        let Task::Multinomial { classes } = self.task else {
            return Err(PlanError::Task {
                method: "the multinomial LASSO",
                task: self.task.name(),
                instead: "use FrankWolfe",
            });
        };
        if classes < 2 {
            return Err(PlanError::Classes(classes));
        }
        if self.intercept && !(self.intercept_share > 0.0 && self.intercept_share < 1.0) {
            return Err(PlanError::Share {
                what: "intercept",
                given: self.intercept_share,
            });
        }
        if let Some(radius) = self.radius {
            Region::L1 { radius }.check(facts.columns)?;
            positive("radius", radius)?;
        }
        Ok(classes)
    }

    /// Radius and steps as those of two classes (see Frank–Wolfe's defaults), in terms of the
    /// margin between classes, which is what the loss depends on.
    ///
    /// A ball of radius r for each of two classes is one of radius 2r for their difference: so r is
    /// half of that of two classes, at a strength less by √2. The whole ball holds K functions, and
    /// the noise grows with its radius: √(K/2) times that of two classes is a compromise between a
    /// radius for each and the radius that one needs.
    fn defaults(&self, facts: &Facts, classes: u32, left: f64) -> Defaults {
        let two = Loss::Logistic;
        match self.ball {
            Ball::PerClass => {
                let strength = defaults::strength(facts, two, self.budget, left, None);
                let strength = strength / 2f64.sqrt();
                Defaults {
                    strength,
                    radius: 0.5 * defaults::radius(facts, two, strength),
                    between: 2.0,
                }
            }
            Ball::Whole => {
                let all = Facts {
                    columns: facts.columns * classes as usize,
                    ..*facts
                };
                let strength = defaults::strength(&all, two, self.budget, left, None);
                let several = (f64::from(classes) / 2.0).sqrt();
                Defaults {
                    strength,
                    radius: several * defaults::radius(facts, two, strength),
                    between: 1.0,
                }
            }
        }
    }
}

/// The defaults.
struct Defaults {
    strength: f64,
    radius: f64,
    /// By how many radii the weights of two classes can differ.
    between: f64,
}

impl Defaults {
    fn iterations(&self, facts: &Facts, radius: f64) -> u64 {
        let region = Region::L1 {
            radius: self.between * radius,
        };
        defaults::iterations(facts, Loss::Logistic, self.strength, &region)
    }
}

impl MulticlassFrankWolfePlan {
    /// One ball, or one per class.
    pub fn ball(&self) -> Ball {
        self.ball
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// T.
    pub fn iterations(&self) -> NonZeroU64 {
        self.iterations
    }

    /// The number of classes.
    pub fn classes(&self) -> u32 {
        self.classes
    }

    /// Whether there are intercepts.
    pub fn has_intercept(&self) -> bool {
        self.noise.intercepts.is_some()
    }

    /// The scale of the noise on a coordinate of the mean gradient. For information: a mechanism
    /// takes its noise from the query.
    pub fn gradient_noise(&self) -> f64 {
        self.noise
            .of_gradient(&self.facts, self.spending.adjacency())
    }

    /// Its public parameters.
    pub(in crate::fit) fn entries(&self) -> Vec<PlanEntry> {
        let radius_meaning = match self.ball {
            Ball::Whole => "of the ℓ₁ ball that holds the weights of all classes",
            Ball::PerClass => "of the ℓ₁ ball that holds the weights of each class",
        };
        let step_meaning = match self.ball {
            Ball::Whole => "steps; each chooses one weight privately",
            Ball::PerClass => "steps; each chooses one feature per class privately",
        };
        let intercepts = if self.has_intercept() { "yes" } else { "no" };
        vec![
            PlanEntry::text("classes", self.classes, "each has a linear function"),
            PlanEntry::text("iterations", self.iterations, step_meaning),
            PlanEntry::text("ball", self.ball.name(), "one for all classes, or one each"),
            PlanEntry::number("radius", self.radius, radius_meaning),
            PlanEntry::text("step-rule", self.step_rule.name(), "how large steps are"),
            PlanEntry::text("intercept", intercepts, "no ball holds it"),
            PlanEntry::number(
                "gradient noise",
                self.gradient_noise(),
                "its scale, on each weight of the mean gradient",
            ),
        ]
    }
}
