//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::spending::Before;
use super::super::{Facts, Line, PlanError, Spending, Task, positive};
use super::noise::{Noise, VertexNoise, as_published, exact, fitting_slope_grid, slope_moved};
use super::{Calibration, FrankWolfe, Steps, defaults};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::privacy::{Account, Adjacency};
use crate::solve::Region;
use crate::table::RecordBound;

/// What a fit will do and spend. It prints itself;
/// [`run`](super::super::Planned::run) does it.
pub struct Plan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    pub(super) region: Region,
    pub(super) iterations: NonZeroU64,
    pub(super) steps: Steps,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    pub(in crate::fit) spending: Spending,
}

impl FrankWolfe {
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
        self.check(&facts)?;
        let loss = defaults::loss(self.task, self.reach);
        let share = self.intercept.then_some(self.intercept_share);
        let left = 1.0 - share.unwrap_or(0.0);
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
        let (noise, spending) = match self.calibration {
            Calibration::Exact => exact(
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
        Ok(Plan {
            slope_grid: fitting_slope_grid(&facts, self.adjacency, loss, &noise)?,
            task: self.task,
            facts,
            loss,
            region,
            iterations,
            steps: self.steps,
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
        match (self.task, self.reach) {
            (Task::Multinomial { .. }, _) => Err(PlanError::Task {
                method: "frank-wolfe for one linear function",
                task: self.task.name(),
                instead: "use Multinomial",
            }),
            (Task::Logistic, Some(_)) => Err(PlanError::ReachOfLogistic),
            (_, Some(reach)) => positive("reach", reach),
            (_, None) => Ok(()),
        }
    }
}

impl Plan {
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
    pub fn steps(&self) -> Steps {
        self.steps
    }

    /// Whether there is an intercept.
    pub fn has_intercept(&self) -> bool {
        self.noise.intercept.is_some()
    }

    /// The intercept is held to ± this: as far as the largest default radius can move a margin,
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

    /// A bound of the expected excess risk: of the mean loss at the weights released over the
    /// least on the region, both on the enforced records.
    ///
    /// E\[excess\] ≤ optimisation + selection, `docs/frank-wolfe.md`. *Optimisation*: Γ = c(2M)²
    /// with M = max|x·w|, through the step rule. *Selection*: what a step loses by not taking
    /// the best vertex, at most b·log(corners) for Gumbel noise of scale b on the scores, and
    /// 2σ·‖C‖₂·√d for a Gaussian gradient; and 2·g·M for slopes on a grid of step g.
    ///
    /// `None` with an intercept, under add-remove adjacency (where noise is relative to a declared
    /// number of records and the loss to the real one), for a polytope (whose corners a query rounds) and for the
    /// published noise, of which it is not proved.
    pub fn excess_risk_bound(&self) -> Option<f64> {
        let columns = self.facts.columns;
        let margin = self.largest_margin();
        let selection = match (&self.region, self.noise.vertex) {
            _ if self.has_intercept() || self.adjacency() == Adjacency::AddRemove => return None,
            (Region::Polytope(_), _) | (_, VertexNoise::NoisyMax(_)) => return None,
            (region, VertexNoise::Exponential(_)) => {
                let corners = region.candidates(columns)? as f64;
                region.l1_radius(columns) * self.gradient_noise() * corners.ln()
            }
            (region, VertexNoise::Gaussian(_)) => {
                2.0 * self.gradient_noise() * region.l2_radius() * (columns as f64).sqrt()
            }
        };
        let gamma = self.loss.curvature() * (2.0 * margin) * (2.0 * margin);
        let optimisation = self.steps.optimisation_error(self.iterations.get(), gamma);
        Some(optimisation + selection + 2.0 * self.slope_grid.step() * margin)
    }
}

impl Plan {
    /// Its public parameters.
    pub(in crate::fit) fn lines(&self) -> Vec<Line> {
        let radius = self.region.l1_radius(self.facts.columns);
        let published = self.spending.claimed().is_some();
        vec![
            Line::text(
                "iterations",
                self.iterations,
                "steps; each chooses one feature privately",
            ),
            Line::number("l1 radius", radius, "of the ℓ₁ ball that holds the weights"),
            Line::text("steps", self.steps.name(), "how large they are"),
            Line::text(
                "intercept",
                if self.has_intercept() { "yes" } else { "no" },
                "no ball holds it",
            ),
            Line::text(
                "noise",
                if published { "as published" } else { "exact" },
                "how it is calibrated",
            ),
            Line::number(
                "gradient noise",
                self.gradient_noise(),
                "its scale, on each feature of the mean gradient",
            ),
        ]
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rule = match self.steps {
            Steps::Standard => "2/(t+2)",
            Steps::Average => "1/(t+1)",
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
