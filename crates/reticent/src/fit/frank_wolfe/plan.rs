//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::{Facts, Task};
use super::{Calibration, FrankWolfe, Steps, defaults};
use crate::data::RecordBound;
use crate::loss::Loss;
use crate::noise::Grid;
use crate::privacy::{
    Account, AccountError, Adjacency, Budget, CalibrateError, Charge, Epsilon, Event,
    NoiseMultiplier, OutOfRange, Range, account, calibrate,
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

/// The noise of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    pub vertex: VertexNoise,
    pub intercept: Option<NoiseMultiplier>,
}

/// The noise of the choice of a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum VertexNoise {
    /// A corner, by the exponential mechanism.
    Exponential(Range),
    /// A corner, by report-noisy-max.
    NoisyMax(Epsilon),
    /// The linear minimiser of a noisy gradient.
    Gaussian(NoiseMultiplier),
}

/// Why parameters make no plan. All of it is about declared, public numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// No records or no columns.
    #[error("a fit needs at least one record and one column; {records} and {columns} were declared")]
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
        let strength = defaults::strength(&facts, loss, self.budget, left);
        let region = self.region.unwrap_or_else(|| Region::L1 {
            radius: defaults::radius(&facts, loss, strength),
        });
        region.check(facts.columns)?;
        let iterations = self.iterations.unwrap_or_else(|| {
            let l1_radius = region.l1_radius(facts.columns);
            let steps = defaults::iterations(&facts, loss, strength, l1_radius);
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
        let mut plan = Plan {
            facts,
            adjacency: self.adjacency,
            loss,
            region,
            iterations,
            steps: self.steps,
            noise,
            // Replaced below: it follows from the noise.
            slope_grid: GRID,
            asked: self.budget,
            charges,
            account,
        };
        plan.slope_grid = plan.fitting_slope_grid();
        Ok(plan)
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

/// Any grid, until the noise is known.
const GRID: Grid = match Grid::new(0) {
    Ok(grid) => grid,
    Err(_) => unreachable!(),
};

fn positive(what: &'static str, given: f64) -> Result<(), PlanError> {
    if given > 0.0 && given.is_finite() {
        Ok(())
    } else {
        Err(PlanError::NotPositive { what, given })
    }
}

type Costed = (Noise, Vec<Charge>, Account);

/// The least noise that fits the budget.
fn exact(
    budget: Budget,
    adjacency: Adjacency,
    iterations: NonZeroU64,
    corners: bool,
    share: Option<f64>,
) -> Result<Costed, PlanError> {
    let plan = |z| noise_at(z, corners, share).charges(iterations);
    let found = calibrate(plan, adjacency, budget.epsilon, budget.delta)?;
    let noise = noise_at(found.noise, corners, share);
    Ok((noise, found.charges, found.account))
}

/// The noise of a step as a function of one multiplier z: a step costs ρ = 1/(2z²) in all, of
/// which the intercept has its share.
fn noise_at(z: NoiseMultiplier, corners: bool, share: Option<f64>) -> Noise {
    let z = z.get();
    let left = 1.0 - share.unwrap_or(0.0);
    let vertex = if corners {
        // ρ = η²/8.
        VertexNoise::Exponential(range(2.0 * left.sqrt() / z))
    } else {
        VertexNoise::Gaussian(multiplier(z / left.sqrt()))
    };
    Noise {
        vertex,
        intercept: share.map(|share| multiplier(z / share.sqrt())),
    }
}

/// The largest multiplier stands for any beyond it: a calibration may ask, and never takes it.
fn multiplier(value: f64) -> NoiseMultiplier {
    // The clamp keeps to the range that `new` accepts.
    NoiseMultiplier::new(value.clamp(1e-6, 1e12)).expect("between 1e-6 and 1e12")
}

fn range(value: f64) -> Range {
    // Between 1e-12·√left and 2e6, as z is a multiplier and left is above 0.
    Range::new(value.max(f64::MIN_POSITIVE)).expect("a finite number above 0")
}

/// The published noise, and what is proved for it.
///
/// With Laplace scale b = L₁‖C‖₁√(8T·log(1/δ))/(nε), L₁ = R·B, and scores of range
/// 2·a·L₁‖C‖₁/n (a = 2 records apart under replace-one, 1 under add-remove), a selection is
/// (range/b)-DP: 2aε/√(8T·log(1/δ)). The paper has no intercept; ours gets the ρ that its share asks for
/// beside the selections'.
fn as_published(
    claimed: Budget,
    adjacency: Adjacency,
    iterations: NonZeroU64,
    share: Option<f64>,
) -> Result<Costed, PlanError> {
    let apart = records_apart(adjacency);
    let log = -claimed.delta.get().ln();
    let each = 2.0 * apart * claimed.epsilon.get() / (8.0 * iterations.get() as f64 * log).sqrt();
    let noise = Noise {
        vertex: VertexNoise::NoisyMax(Epsilon::new(each)?),
        intercept: share.map(|share| multiplier(((1.0 - share) / share).sqrt() / each)),
    };
    let charges = noise.charges(iterations);
    let account = account(&charges, adjacency, claimed.delta)?;
    Ok((noise, charges, account))
}

fn records_apart(adjacency: Adjacency) -> f64 {
    match adjacency {
        Adjacency::ReplaceOne => 2.0,
        Adjacency::AddRemove => 1.0,
    }
}

impl Noise {
    fn charges(&self, iterations: NonZeroU64) -> Vec<Charge> {
        let vertex = match self.vertex {
            VertexNoise::Exponential(range) => Event::Exponential { range },
            VertexNoise::NoisyMax(epsilon) => Event::Pure { epsilon },
            VertexNoise::Gaussian(noise) => Event::Gaussian { noise },
        };
        let intercept = self.intercept.map(|noise| Event::Gaussian { noise });
        let events = std::iter::once(vertex).chain(intercept);
        events.map(|event| Charge::new(event, iterations)).collect()
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
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = self.facts.rows;
        let moved = self.slope_moved();
        match self.noise.vertex {
            VertexNoise::Exponential(range) => 2.0 * moved * bound / range.get(),
            VertexNoise::NoisyMax(epsilon) => 2.0 * moved * bound / epsilon.get(),
            VertexNoise::Gaussian(noise) => {
                let l2 = match self.facts.rows {
                    RecordBound::L2(bound) => bound,
                    RecordBound::Linf(bound) => bound * (self.facts.columns as f64).sqrt(),
                };
                moved * l2 * noise.get()
            }
        }
    }

    /// The standard deviation of the noise on the mean slope, which the intercept follows.
    pub fn intercept_noise(&self) -> Option<f64> {
        let noise = self.noise.intercept?;
        Some(self.slope_moved() * noise.get())
    }

    /// The public grid that slopes are truncated to.
    pub fn slope_grid(&self) -> Grid {
        self.slope_grid
    }

    /// How far one record can move the mean slope.
    fn slope_moved(&self) -> f64 {
        records_apart(self.adjacency) * self.loss.slope_bound() / self.facts.records as f64
    }

    /// An upper bound of |x·w| over rows and region.
    fn largest_margin(&self) -> f64 {
        match self.facts.rows {
            RecordBound::Linf(bound) => bound * self.region.l1_radius(self.facts.columns),
            RecordBound::L2(bound) => bound * self.region.l2_radius(),
        }
    }

    /// The greatest power of two that is at most an eighth of the noise, as seen by a slope:
    /// a coordinate is then off by at most an eighth of its noise. Within what a gradient
    /// takes: R spans 2⁶ to 2²⁰ steps, fewer where so many records would overflow.
    fn fitting_slope_grid(&self) -> Grid {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = self.facts.rows;
        let noise = self.gradient_noise() / bound;
        let noise = self.intercept_noise().map_or(noise, |other| other.min(noise));
        let slope = self.loss.slope_bound();
        let finest = (20.0f64).min(40.0 - (self.facts.records as f64).log2().ceil());
        let coarsest = finest.min(6.0);
        let spanned = (slope / (noise / 8.0)).log2().clamp(coarsest, finest);
        // Rounded towards the coarser within the finest, as R is no power of two.
        let exponent = (slope.log2() - spanned).floor().max((slope.log2() - finest).ceil());
        Grid::new((exponent as i32).clamp(-500, 500)).unwrap_or(GRID)
    }

    /// A bound of the expected excess risk: of the mean loss at the weights released over the
    /// least on the region, both on the enforced records.
    ///
    /// E\[excess\] ≤ optimisation + selection, `docs/frank-wolfe.md`. *Optimisation*: Γ = c(2M)²
    /// with M = max|x·w|, through the step rule. *Selection*: what a step loses by not taking
    /// the best vertex, at most b·log(corners) for Gumbel noise of scale b on the scores, and
    /// 2σ·‖C‖₂·√d for a Gaussian gradient; and 2·g·M for slopes on a grid of step g.
    ///
    /// `None` with an intercept, for a polytope (whose corners a query rounds) and for the
    /// published noise, of which it is not proved.
    pub fn excess_risk_bound(&self) -> Option<f64> {
        let columns = self.facts.columns;
        let margin = self.largest_margin();
        let selection = match (&self.region, self.noise.vertex) {
            _ if self.has_intercept() => return None,
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
        writeln!(f, "{} steps of size {rule} in {}", self.iterations, self.region)?;
        writeln!(f, "noise of the mean gradient: {:.3e}", self.gradient_noise())?;
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
