//! What a fit will do and spend, from public facts alone.

use super::super::frank_wolfe::{Ball, MulticlassFrankWolfe, MulticlassFrankWolfePlan};
use super::super::frank_wolfe::{Calibration, FrankWolfe, FrankWolfePlan};
use super::super::spending::Before;
use super::super::{Facts, PlanEntry, PlanError, Planned, Spending, Task, positive};
use super::Sparsifier;
use crate::loss::Loss;
use crate::population::LassoCount;
use crate::privacy::{Budget, Charge, Epsilon, Event};
use crate::solve::Region;

/// The paper that the published noise comes from.
const PAPER: &str = "sparse private LASSO logistic regression (Khanna, Lu, Raff and Testa 2023)";

/// What a fit will do and spend; [`run`](super::super::Planned::run) runs it.
pub struct SparsifierPlan {
    pub(super) steps: Steps,
    pub(super) size: Size,
    pub(super) precision: f64,
}

/// The steps that make the weights. Their spending is that of the whole plan.
pub(super) enum Steps {
    /// One linear function.
    One(FrankWolfePlan),
    /// One per class.
    Multiclass(MulticlassFrankWolfePlan),
}

/// How many weights are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Size {
    /// A public number.
    Public(usize),
    /// What the LASSO without privacy needs, within bounds, privately.
    Counted {
        lo: usize,
        hi: usize,
        epsilon: Epsilon,
    },
}

impl Sparsifier {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SparsifierPlan, PlanError> {
        facts.check()?;
        positive("precision", self.precision)?;
        let size = self.size(facts.columns * self.task.outputs())?;
        let charges = match size {
            Size::Public(_) => Vec::new(),
            Size::Counted { epsilon, .. } => vec![Charge::once(Event::Pure { epsilon })],
        };
        let claim = Some((PAPER, self.budget));
        let (precision, before) = (self.precision, Before { charges, claim });
        let steps = match self.task {
            Task::Multinomial { .. } => self.multiclass(facts, &before)?,
            Task::Logistic | Task::Linear => self.one(facts, size, &before)?,
        };
        Ok(SparsifierPlan {
            steps,
            size,
            precision,
        })
    }

    fn size(&self, weights: usize) -> Result<Size, PlanError> {
        if let Some(given) = self.nonzero {
            return if (1..=weights).contains(&given) {
                Ok(Size::Public(given))
            } else {
                Err(PlanError::Nonzero { given, weights })
            };
        }
        let root = (weights as f64).sqrt();
        let (least, most) = (root.ceil() as usize, (2.0 * root) as usize);
        let (lo, hi) = self
            .bounds
            .unwrap_or((least.min(weights), most.min(weights)));
        if !(1 <= lo && lo <= hi && hi <= weights) {
            return Err(PlanError::CountBounds { lo, hi, weights });
        }
        if !(self.count_share > 0.0 && self.count_share < 1.0) {
            return Err(PlanError::Share {
                what: "count",
                given: self.count_share,
            });
        }
        if lo == hi {
            // There is nothing to count.
            return Ok(Size::Public(lo));
        }
        let epsilon = match self.budget.rho() {
            // An ε-DP count costs ρ = ε²/2.
            Some(rho) => (2.0 * self.count_share * rho.get()).sqrt(),
            None => self.count_share * self.budget.epsilon().get(),
        };
        let epsilon = Epsilon::new(epsilon)?;
        Ok(Size::Counted { lo, hi, epsilon })
    }

    fn one(self, facts: Facts, size: Size, before: &Before) -> Result<Steps, PlanError> {
        // The paper gives the steps what the count leaves of ε. The exact calibration counts both
        // together.
        let budget = match (self.calibration, size) {
            // A budget without ε to share out is refused with the steps.
            (Calibration::AsPublished, Size::Counted { epsilon, .. })
                if self.budget.rho().is_none() =>
            {
                let left = Epsilon::new(self.budget.epsilon().get() - epsilon.get())?;
                Budget::new(left, self.budget.delta())
            }
            _ => self.budget,
        };
        let frank_wolfe = FrankWolfe {
            task: self.task,
            budget,
            adjacency: self.adjacency,
            region: self.radius.map(|radius| Region::L1 { radius }),
            iterations: self.iterations,
            step_rule: self.step_rule,
            intercept: self.intercept,
            intercept_share: self.intercept_share,
            huber_threshold: self.huber_threshold,
            calibration: self.calibration,
        };
        Ok(Steps::One(frank_wolfe.plan_after(facts, before)?))
    }

    fn multiclass(self, facts: Facts, before: &Before) -> Result<Steps, PlanError> {
        if self.calibration == Calibration::AsPublished {
            return Err(PlanError::Task {
                method: "Sparsifier as published",
                task: self.task.name(),
                instead: "use the exact calibration",
            });
        }
        if self.huber_threshold.is_some() {
            return Err(PlanError::HuberThresholdOfLogistic);
        }
        let multinomial = MulticlassFrankWolfe {
            task: self.task,
            budget: self.budget,
            adjacency: self.adjacency,
            ball: self.ball,
            radius: self.radius,
            iterations: self.iterations,
            step_rule: self.step_rule,
            intercept: self.intercept,
            intercept_share: self.intercept_share,
        };
        Ok(Steps::Multiclass(multinomial.plan_after(facts, before)?))
    }
}

impl SparsifierPlan {
    /// How many weights will be kept, if that is public.
    pub fn nonzero(&self) -> Option<usize> {
        match self.size {
            Size::Public(size) => Some(size),
            Size::Counted { .. } => None,
        }
    }

    /// The least and the greatest number of weights that may be kept.
    pub fn sizes(&self) -> (usize, usize) {
        match self.size {
            Size::Public(size) => (size, size),
            Size::Counted { lo, hi, .. } => (self.precise(lo as i64), self.precise(hi as i64)),
        }
    }

    /// How many weights a released count stands for.
    pub(super) fn precise(&self, count: i64) -> usize {
        let weights = self.facts().columns * self.task().outputs();
        // The cast saturates.
        ((self.precision * count as f64).round() as usize).clamp(1, weights)
    }

    /// The LASSO without privacy whose weights are counted: on the ball of the steps. With several
    /// classes, each is fitted against the rest; that is one function in place of a difference of
    /// two, so its ball has twice the radius of a class's, or of a class's part of the whole.
    pub(super) fn lasso(&self, lo: usize, hi: usize) -> LassoCount {
        let (loss, radius, intercept) = match &self.steps {
            Steps::One(plan) => {
                let radius = plan.region().l1_radius(plan.facts().columns);
                (plan.loss(), radius, plan.has_intercept())
            }
            Steps::Multiclass(plan) => {
                let radius = match plan.ball() {
                    Ball::PerClass => 2.0 * plan.radius(),
                    Ball::Whole => 2.0 * plan.radius() / f64::from(plan.classes()),
                };
                (Loss::Logistic, radius, plan.has_intercept())
            }
        };
        // A table has fewer than 2⁶² weights.
        let (lo, hi) = (lo as i64, hi as i64);
        LassoCount {
            loss,
            radius,
            intercept,
            lo,
            hi,
        }
    }

    /// What the steps, and so the plan, will spend.
    pub(super) fn whole_spending(&self) -> &Spending {
        match &self.steps {
            Steps::One(plan) => &plan.spending,
            Steps::Multiclass(plan) => &plan.spending,
        }
    }

    /// Its public parameters.
    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let size = match self.size {
            Size::Public(size) => PlanEntry::text("nonzero", size, "weights are kept; public"),
            Size::Counted { lo, hi, .. } => PlanEntry::text(
                "nonzero",
                format!("{lo} to {hi}, counted privately"),
                "weights are kept, times the precision",
            ),
        };
        let precision =
            PlanEntry::number("precision", self.precision, "the count is multiplied by it");
        let steps = match &self.steps {
            Steps::One(plan) => plan.entries(),
            Steps::Multiclass(plan) => plan.entries(),
        };
        [size, precision].into_iter().chain(steps).collect()
    }
}
