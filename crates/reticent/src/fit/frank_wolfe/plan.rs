//! What a fit will do and spend, from public facts alone.

use crate::fit::Around;
use crate::fit::NamedChoice;
use std::num::NonZeroU64;

use super::super::spending::Before;
use super::super::{Facts, PlanEntry, PlanError, Spending, Task, positive};
use super::noise::{Noise, VertexNoise, as_published, exact, fitting_slope_grid, slope_moved};
use super::{Calibration, FrankWolfe, StepRule, defaults};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::privacy::{Account, Adjacency};
use crate::solve::{Region, Vertices};
use crate::table::RecordBound;

/// What a fit will do and spend. It implements `Display`; [`run`](super::super::Planned::run) runs
/// it.
pub struct FrankWolfePlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    pub(super) region: Region,
    pub(super) iterations: NonZeroU64,
    pub(super) step_rule: StepRule,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    pub(in crate::fit) spending: Spending,
}

impl FrankWolfe {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<FrankWolfePlan, PlanError> {
        self.plan_after(facts, &Before::default())
    }

    /// The plan of a method that releases something before these steps.
    pub(in crate::fit) fn plan_after(
        self,
        facts: Facts,
        before: &Before,
    ) -> Result<FrankWolfePlan, PlanError> {
        self.check(&facts)?;
        let loss = self
            .task
            .loss(self.huber_threshold.unwrap_or(defaults::HUBER_THRESHOLD));
        let share = self.intercept.then_some(self.intercept_share);
        let left = 1.0 - share.unwrap_or(0.0);
        let asked = self.region.is_some();
        let given = self.region.as_ref();
        let strength = defaults::strength(&facts, loss, self.budget, left, given);
        let region = self.region.unwrap_or_else(|| Region::L1 {
            radius: defaults::radius(&facts, loss, strength),
        });
        region.check(facts.columns)?;
        let iterations = self.iterations.unwrap_or_else(|| {
            let steps = defaults::iterations(&facts, loss, strength, &region);
            NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN)
        });
        let corners = region.candidates(facts.columns).is_some();
        let around = Around::within(asked, self.task, self.intercept);
        let (noise, spending) = match self.calibration {
            Calibration::Exact => exact(
                (self.task, around),
                self.budget,
                self.adjacency,
                iterations,
                corners,
                share,
                before,
            )?,
            Calibration::AsPublished if corners => {
                as_published(self.budget, self.adjacency, iterations, share, before)?
            }
            Calibration::AsPublished => return Err(PlanError::NotPublished(region.to_string())),
        };
        Ok(FrankWolfePlan {
            slope_grid: fitting_slope_grid(&facts, self.adjacency, loss, &noise)?,
            task: self.task,
            facts,
            loss,
            region,
            iterations,
            step_rule: self.step_rule,
            noise,
            spending,
        })
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        if self.intercept && !(self.intercept_share > 0.0 && self.intercept_share < 1.0) {
            return Err(PlanError::Share {
                what: "intercept",
                given: self.intercept_share,
            });
        }
        match (self.task, self.huber_threshold) {
            (Task::Multinomial { .. }, _) => Err(PlanError::Task {
                method: "frank-wolfe for one linear function",
                task: self.task.name(),
                instead: "use MulticlassFrankWolfe",
            }),
            (Task::Logistic, Some(_)) => Err(PlanError::HuberThresholdOfLogistic),
            (_, Some(threshold)) => positive("Huber threshold", threshold),
            (_, None) => Ok(()),
        }
    }
}

impl FrankWolfePlan {
    /// The loss that is minimised.
    pub fn loss(&self) -> Loss {
        self.loss
    }

    /// Where the weights will lie.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// T.
    pub fn iterations(&self) -> NonZeroU64 {
        self.iterations
    }

    /// The step rule.
    pub fn step_rule(&self) -> StepRule {
        self.step_rule
    }

    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.noise.intercept.is_some()
    }

    /// The intercept is clipped to ± this: as far as the largest default radius can move a margin,
    /// or as far as this region can.
    pub fn intercept_bound(&self) -> f64 {
        (5.0 / self.loss.curvature()).max(self.largest_margin())
    }

    /// The scale of the noise on a coordinate of the mean gradient: Gumbel's for a selection,
    /// Laplace's for the published one, the standard deviation of a Gaussian. A feature whose
    /// mean slope is well below it will not be found. For information: a mechanism takes its
    /// noise from the query.
    pub fn gradient_noise(&self) -> f64 {
        self.noise.of_gradient(&self.facts, self.slope_moved())
    }

    /// The standard deviation of the noise on the mean slope, which the intercept follows.
    pub fn intercept_noise(&self) -> Option<f64> {
        self.noise.of_intercept(self.slope_moved())
    }

    /// The public grid that slopes are truncated to.
    pub fn slope_grid(&self) -> Grid {
        self.slope_grid
    }

    fn adjacency(&self) -> Adjacency {
        self.spending.adjacency()
    }

    /// How far one record can move the mean slope.
    fn slope_moved(&self) -> f64 {
        slope_moved(&self.facts, self.adjacency(), self.loss)
    }

    /// An upper bound of |x·w| over rows and region.
    fn largest_margin(&self) -> f64 {
        match self.facts.rows {
            RecordBound::Linf(bound) => bound * self.region.l1_radius(self.facts.columns),
            RecordBound::L2(bound) => bound * self.region.l2_radius(),
        }
    }

    /// A bound of the expected excess risk: the mean loss at the released weights minus the least
    /// on the region, both on the enforced records.
    ///
    /// E\[excess\] ≤ optimisation + selection, `docs/derivations/frank-wolfe.md`. *Optimisation*: Γ = c(2M)²
    /// with M = max|x·w|, through the step rule. *Selection*: what a step loses by not taking
    /// the best vertex, at most b·log(corners) for Gumbel noise of scale b on the scores, and
    /// 2σ·‖C‖₂·√d for a Gaussian gradient; and 2·g·M for slopes on a grid of step g. The vertices of a
    /// polytope are scored on a grid of their own, which adds what `rounded` says.
    ///
    /// `None` with an intercept, under add-remove adjacency (where noise is relative to a declared
    /// number of records and the loss to the real one) and for the published noise, for which it is
    /// not proved.
    pub fn excess_risk_bound(&self) -> Option<f64> {
        let columns = self.facts.columns;
        let margin = self.largest_margin();
        let selection = match (&self.region, self.noise.vertex) {
            _ if self.has_intercept() || self.adjacency() == Adjacency::AddRemove => return None,
            (_, VertexNoise::NoisyMax(_)) => return None,
            (Region::Polytope(vertices), _) => self.rounded(vertices),
            (region, VertexNoise::Exponential(_)) => {
                let corners = region.candidates(columns)? as f64;
                region.l1_radius(columns) * self.gradient_noise() * corners.ln()
            }
            (region, VertexNoise::Gaussian(_)) => {
                2.0 * self.gradient_noise() * region.l2_radius() * (columns as f64).sqrt()
            }
        };
        let gamma = self.loss.curvature() * (2.0 * margin) * (2.0 * margin);
        let optimisation = self
            .step_rule
            .optimisation_error(self.iterations.get(), gamma);
        Some(optimisation + selection + 2.0 * self.slope_grid.step() * margin)
    }

    /// What a step loses among the vertices of a polytope, which a query scores on a grid
    /// ([`at_vertices`](crate::population::Query::at_vertices)).
    ///
    /// The scores have range 2a·R·B·‖C‖, in ℓ₁ for rows bounded in ℓ∞ and in ℓ₂ for rows bounded in ℓ₂:
    /// noise of scale b·‖C‖, hence b·‖C‖·log(vertices). On a grid of step s ≤ 2⁻¹⁹·max|v| each
    /// vertex is off by at most s/2 in a coordinate, which moves a score by at most (s/2)·R·‖x‖₁,
    /// twice. That increases ‖C‖ by at most d·s/2, and rounding the range up to a whole step by
    /// 2⁻¹⁹ of it. Scores are rounded down to whole units of at most 2‖C‖₁ steps of the sum's grid.
    fn rounded(&self, vertices: &Vertices) -> f64 {
        const STEP: f64 = 1.0 / (1 << 19) as f64;
        let columns = self.facts.columns as f64;
        let l1 = self.region.l1_radius(self.facts.columns);
        let (size, bound, longest) = match self.facts.rows {
            RecordBound::Linf(bound) => (l1, bound, bound * columns),
            RecordBound::L2(bound) => (self.region.l2_radius(), bound, bound * columns.sqrt()),
        };
        let largest = vertices.points.iter().flatten();
        let largest = largest.fold(0.0f64, |most, value| most.max(value.abs()));
        let grid = STEP * largest;
        let scale = self.gradient_noise() * (size + columns * grid) * (1.0 + 2.0 * STEP);
        let units = 4.0 * l1 * STEP * bound * self.slope_grid.step() / self.facts.records as f64;
        scale * (vertices.points.len() as f64).ln()
            + grid * self.loss.slope_bound() * longest
            + units
    }
}

impl FrankWolfePlan {
    /// Its public parameters.
    pub(in crate::fit) fn entries(&self) -> Vec<PlanEntry> {
        let published = self.spending.claimed().is_some();
        let (step, scale) = match &self.region {
            Region::L1 { .. } => (
                "each privately selects a feature and its sign",
                "its scale, on each feature of the mean gradient",
            ),
            Region::Simplex { .. } => (
                "steps; each privately selects a feature",
                "its scale, on each feature of the mean gradient",
            ),
            Region::Polytope(_) => (
                "steps; each privately selects a vertex",
                "its scale, on the mean gradient along a vertex of length 1",
            ),
            Region::L2 { .. } | Region::Oracle(_) => (
                "steps; each releases a noisy gradient",
                "its standard deviation, on each feature of the mean gradient",
            ),
        };
        let linear = self.task == Task::Linear;
        let huber = self.loss.huber_threshold().map(PlanEntry::huber_threshold);
        let mut entries = vec![
            PlanEntry::text("iterations", self.iterations, step),
            match &self.region {
                Region::L1 { radius } => PlanEntry::number(
                    "radius",
                    *radius,
                    match linear {
                        true => "of the ℓ₁ ball; the target scaled to [−1, 1]",
                        false => "of the ℓ₁ ball of the weights",
                    },
                ),
                region => PlanEntry::text(
                    "region",
                    region,
                    match linear {
                        true => "holds the weights, the target scaled to [−1, 1]",
                        false => "holds the weights",
                    },
                ),
            },
            PlanEntry::text("step-rule", self.step_rule.name(), "how large steps are"),
            PlanEntry::text(
                "intercept",
                if self.has_intercept() { "yes" } else { "no" },
                "not restricted by the region",
            ),
            PlanEntry::text(
                "noise",
                if published { "as published" } else { "exact" },
                "how it is calibrated",
            ),
            PlanEntry::number("gradient noise", self.gradient_noise(), scale),
        ];
        entries.extend(huber);
        entries
    }
}

impl std::fmt::Display for FrankWolfePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rule = match self.step_rule {
            StepRule::Standard => "2/(t+2)",
            StepRule::Average => "1/(t+1)",
        };
        writeln!(
            f,
            "{} steps of size {rule} in {}",
            self.iterations, self.region
        )?;
        writeln!(
            f,
            "noise of the mean gradient: {:.3e}",
            self.gradient_noise()
        )?;
        if let Some(noise) = self.intercept_noise() {
            writeln!(f, "noise of the intercept's mean slope: {noise:.3e}")?;
        }
        writeln!(f, "slopes on the grid 2^{}", self.slope_grid.exponent())?;
        for (charge, share) in self
            .spending
            .charges()
            .iter()
            .zip(&self.spending.account().shares)
        {
            let percent = 100.0 * share;
            writeln!(f, "{} × {}: {percent:.1} %", charge.count, charge.event)?;
        }
        if let Some((_, claimed)) = self.spending.claimed() {
            writeln!(f, "claimed: epsilon = {}", claimed.epsilon())?;
        }
        let Account {
            epsilon,
            delta,
            accountant,
            ..
        } = self.spending.account();
        write!(
            f,
            "epsilon = {epsilon:.6} at delta = {delta} ({} adjacency, by {})",
            self.adjacency(),
            accountant.name()
        )
    }
}
