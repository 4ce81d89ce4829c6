//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::frank_wolfe::{Steps, defaults};
use super::super::spending::Before;
use super::super::{Facts, Line, PlanError, Spending, Task, positive};
use super::noise::Noise;
use super::{Ball, Multinomial, entry_bound};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::slope_grid;
use crate::solve::Region;

/// What a fit will do and spend; [`run`](super::super::Planned::run) does it.
pub struct Plan {
    pub(super) facts: Facts,
    pub(super) classes: u32,
    pub(super) ball: Ball,
    pub(super) radius: f64,
    pub(super) iterations: NonZeroU64,
    pub(super) steps: Steps,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    pub(in crate::fit) spending: Spending,
}

impl Multinomial {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<Plan, PlanError> {
        self.plan_after(facts, &Before::default())
    }

    /// The plan of a method that releases something before, and then does this.
    pub(in crate::fit) fn plan_after(
        self,
        facts: Facts,
        before: &Before,
    ) -> Result<Plan, PlanError> {
        let classes = self.check(&facts)?;
        let share = self.intercept.then_some(self.intercept_share);
        let defaults = self.defaults(&facts, classes, 1.0 - share.unwrap_or(0.0));
        let radius = self.radius.unwrap_or(defaults.radius);
        let iterations = self.iterations.unwrap_or_else(|| {
            let steps = defaults.iterations(&facts, radius);
            NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN)
        });
        let noise = |z| Noise::at(z, self.ball, share);
        let charges = |z| before.then(noise(z).charges(iterations));
        let (spending, found) = Spending::within(self.budget, self.adjacency, charges)?;
        let noise = noise(found);
        let of_gradient = noise.of_gradient(&facts, self.adjacency) / entry_bound(&facts);
        let of_intercepts = noise.of_intercepts(&facts, self.adjacency);
        let least = of_gradient.min(of_intercepts.unwrap_or(f64::INFINITY));
        Ok(Plan {
            slope_grid: slope_grid(facts.records, self.adjacency, 1.0, least)?,
            facts,
            classes,
            ball: self.ball,
            radius,
            iterations,
            steps: self.steps,
            noise,
            spending,
        })
    }

    /// Refuses parameters that make no plan; else the number of classes.
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
    /// A ball of radius r for each of two classes is one of radius 2r for their difference: so r
    /// is half of that of two classes, at a strength less by √2. The whole ball has K functions
    /// to hold, and the noise grows with its radius: √(K/2) times that of two classes is between
    /// giving each its own and giving it no more than one needs.
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

/// What is taken where a person says nothing.
struct Defaults {
    strength: f64,
    radius: f64,
    /// How many radii two classes' weights can be apart.
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

impl Plan {
    /// One ball, or one a class.
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
    pub(in crate::fit) fn lines(&self) -> Vec<Line> {
        let each = match self.ball {
            Ball::Whole => "of the ℓ₁ ball that holds the weights of all classes",
            Ball::PerClass => "of the ℓ₁ ball that holds the weights of each class",
        };
        let chooses = match self.ball {
            Ball::Whole => "steps; each chooses one weight privately",
            Ball::PerClass => "steps; each chooses one feature a class privately",
        };
        let intercepts = if self.has_intercept() { "yes" } else { "no" };
        vec![
            Line::text("classes", self.classes, "each has a linear function"),
            Line::text("iterations", self.iterations, chooses),
            Line::text("ball", self.ball.name(), "one for all classes, or one each"),
            Line::number("l1 radius", self.radius, each),
            Line::text("steps", self.steps.name(), "how large they are"),
            Line::text("intercept", intercepts, "no ball holds it"),
            Line::number(
                "gradient noise",
                self.gradient_noise(),
                "its scale, on each weight of the mean gradient",
            ),
        ]
    }
}
