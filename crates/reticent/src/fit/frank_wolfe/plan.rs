//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::{Facts, Task};
use super::noise::{Noise, VertexNoise, as_published, exact, fitting_slope_grid, slope_moved};
use super::{Calibration, FrankWolfe, Steps, defaults};
use crate::data::RecordBound;
use crate::loss::Loss;
use crate::noise::{Grid, GridError};
use crate::privacy::{
    Account, AccountError, Adjacency, Budget, CalibrateError, Charge, Epsilon, OutOfRange,
};
use crate::solve::{Region, RegionError};

/// What a fit will do and spend. It prints itself; [`run`](Plan::run) does it.
pub struct Plan {
    pub(super) facts: Facts,
    pub(super) adjacency: Adjacency,
    pub(super) loss: Loss,
    pub(super) region: Region,
    pub(super) iterations: NonZeroU64,
    pub(super) steps: Steps,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    asked: Budget,
    charges: Vec<Charge>,
    account: Account,
}

/// Why parameters make no plan. All of it is about declared, public numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No records or no columns.
    #[error(
        "a fit needs at least one record and one column; {records} and {columns} were declared"
    )]
    Empty {
        /// The records.
        records: u64,
        /// The columns.
        columns: usize,
    },
    /// A number that must be positive and finite.
    #[error("the {what} must be a finite number above 0; got {given}")]
    NotPositive {
        /// Its name.
        what: &'static str,
        /// What was given.
        given: f64,
    },
    /// A share of the budget that leaves nothing to one side.
    #[error("the intercept's share of the budget must lie between 0 and 1; got {0}")]
    Share(f64),
    /// A reach for a logistic model.
    #[error("a reach is for linear models; the slope of the logistic loss is bounded as it is")]
    ReachOfLogistic,
    /// The weights can not be held to the region.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// A region without corners has no published Laplace noise.
    #[error(
        "the published Laplace noise is for regions with corners (l1 ball, simplex, polytope); use the exact calibration for {0}"
    )]
    NotPublished(String),
    /// No noise fits the budget.
    #[error(transparent)]
    Calibrate(#[from] CalibrateError),
    /// The releases can not be accounted for.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The bounds are beyond every grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The noise is beyond what can be stated.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

impl FrankWolfe {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<Plan, PlanError> {
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
        let (noise, charges, account) = match self.calibration {
            Calibration::Exact => exact(self.budget, self.adjacency, iterations, corners, share)?,
            Calibration::AsPublished if corners => {
                as_published(self.budget, self.adjacency, iterations, share)?
            }
            Calibration::AsPublished => return Err(PlanError::NotPublished(region.to_string())),
        };
        Ok(Plan {
            slope_grid: fitting_slope_grid(&facts, self.adjacency, loss, &noise)?,
            facts,
            adjacency: self.adjacency,
            loss,
            region,
            iterations,
            steps: self.steps,
            noise,
            asked: self.budget,
            charges,
            account,
        })
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        let Facts {
            records, columns, ..
        } = *facts;
        if records == 0 || columns == 0 {
            return Err(PlanError::Empty { records, columns });
        }
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        positive("bound of the rows", bound)?;
        if self.intercept && !(self.intercept_share > 0.0 && self.intercept_share < 1.0) {
            return Err(PlanError::Share(self.intercept_share));
        }
        match (self.task, self.reach) {
            (Task::Logistic, Some(_)) => Err(PlanError::ReachOfLogistic),
            (_, Some(reach)) => positive("reach", reach),
            (_, None) => Ok(()),
        }
    }
}

fn positive(what: &'static str, given: f64) -> Result<(), PlanError> {
    if given > 0.0 && given.is_finite() {
        Ok(())
    } else {
        Err(PlanError::NotPositive { what, given })
    }
}

impl Plan {
    /// Everything that will be charged.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// What it costs: ε, δ, the accountant that proved it and each charge's share.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// What the ledger is opened with: the budget, or, for the published noise, what is
    /// proved for it.
    pub fn budget(&self) -> Budget {
        // At least a hair: the account may be 0 where δ alone covers the releases.
        let proved = Epsilon::new(self.account.epsilon.max(f64::MIN_POSITIVE));
        match (self.claimed(), proved) {
            (Some(claimed), Ok(epsilon)) => Budget { epsilon, ..claimed },
            _ => self.asked,
        }
    }

    /// What the paper claims for its noise, if that is the noise; the account is what is proved.
    pub fn claimed(&self) -> Option<Budget> {
        let published = matches!(self.noise.vertex, VertexNoise::NoisyMax(_));
        published.then_some(self.asked)
    }

    /// The facts that it was made from.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

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

    /// How far one record can move the mean slope.
    fn slope_moved(&self) -> f64 {
        slope_moved(&self.facts, self.adjacency, self.loss)
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
            _ if self.has_intercept() || self.adjacency == Adjacency::AddRemove => return None,
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
        for (charge, share) in self.charges.iter().zip(&self.account.shares) {
            let percent = 100.0 * share;
            writeln!(f, "{} × {}: {percent:.1} %", charge.count, charge.event)?;
        }
        if let Some(claimed) = self.claimed() {
            writeln!(f, "claimed: epsilon = {}", claimed.epsilon)?;
        }
        let Account {
            epsilon,
            delta,
            accountant,
            ..
        } = &self.account;
        write!(
            f,
            "epsilon = {epsilon:.6} at delta = {delta} ({} adjacency, by {})",
            self.adjacency,
            accountant.name()
        )
    }
}
