//! What a fit may spend, from public facts alone.

use super::Agd;
use crate::fit::noisy_descent::{clip_within, longest_gradient};
use crate::fit::spending::multiplier;
use crate::fit::{Around, Facts, PlanEntry, PlanError, Spending, Task, ight, positive};
use crate::loss::Loss;
use crate::privacy::{NoiseMultiplier, Range};

/// How many steps the budget is for.
const ITERATIONS: u64 = 64;
/// By how much ρ of the gradients grows when one is found too noisy: γ of the paper.
pub(super) const GROWTH: f64 = 0.1;
/// The most steps that a plan is made for.
const MOST_STEPS: u64 = 1_000_000;

/// What a fit may spend; [`run`](crate::fit::Planned::run) runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgdPlan {
    pub(super) facts: Facts,
    /// b₀; 0 for no intercept.
    pub(super) constant: f64,
    /// C.
    pub(super) clip: f64,
    pub(super) penalty: Option<f64>,
    /// T: how many steps the budget is for.
    pub(super) steps: u64,
    /// ρ of all steps.
    pub(super) rho: f64,
    pub(super) spending: Spending,
}

impl Agd {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<AgdPlan, PlanError> {
        facts.check()?;
        for (what, value) in [("clip", self.clip), ("penalty", self.penalty)] {
            value.map_or(Ok(()), |value| positive(what, value))?;
        }
        let steps = self.iterations.map_or(ITERATIONS, |steps| steps.get());
        if steps > MOST_STEPS {
            return Err(PlanError::Steps {
                given: steps,
                most: MOST_STEPS,
            });
        }
        let around = Around::model(Task::Logistic, self.intercept);
        let (spending, rho) =
            Spending::filter((Task::Logistic, around), self.budget, self.adjacency)?;
        let (task, loss) = (Task::Logistic, Loss::Logistic);
        let constant = match self.intercept {
            true => ight::constant(around, &facts),
            false => 0.0,
        };
        let clip = match self.clip {
            Some(clip) => clip_within(clip, longest_gradient(task, loss, &facts, constant))?,
            None => ight::slope_for_rows(task, loss, facts.rows),
        };
        Ok(AgdPlan {
            constant,
            clip,
            facts,
            penalty: self.penalty,
            steps,
            rho: rho.get(),
            spending,
        })
    }
}

impl AgdPlan {
    /// What the first gradient costs, and each selection: half of a step's.
    pub(super) fn half_step(&self) -> f64 {
        self.rho / (2.0 * self.steps as f64)
    }

    /// The largest noise multiplier of any release of a gradient: that of the first one that is released
    /// again, as later ones get no less of the budget.
    pub(super) fn largest_noise(&self) -> NoiseMultiplier {
        noise(GROWTH * self.half_step())
    }

    /// The standard deviation of the noise of the first gradient on a weight of the mean gradient.
    pub fn gradient_noise(&self) -> f64 {
        let records = f64::from(self.spending.adjacency().differing_records());
        let moved = records * self.clip / self.facts.records as f64;
        noise(self.half_step()).get() * moved
    }

    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let mut lines = vec![
            PlanEntry::text(
                "steps",
                format!("at most {}", self.steps),
                "fewer where gradients are found too noisy",
            ),
            PlanEntry::text(
                "ledger",
                "filter",
                "the whole budget is certified, however much of it the steps use",
            ),
            PlanEntry::text("nonzero", "all", "weights that are kept"),
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
                "on each feature of the first mean gradient",
            ),
        ];
        let penalty = |lambda| PlanEntry::number("penalty", lambda, "of w²/(1 + w²)");
        lines.extend(self.penalty.map(penalty));
        lines
    }
}

/// The noise of a Gaussian that costs ρ = 1/(2m²).
pub(super) fn noise(rho: f64) -> NoiseMultiplier {
    multiplier((0.5 / rho).sqrt())
}

/// The range of a selection that costs ρ = η²/8.
pub(super) fn range(rho: f64) -> Range {
    Range::new((8.0 * rho).sqrt().max(f64::MIN_POSITIVE)).expect("a finite number above 0")
}
