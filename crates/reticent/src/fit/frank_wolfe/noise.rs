//! The noise of a step, what it costs, and the grid that suits it.

use std::num::NonZeroU64;

use super::super::spending::{Before, multiplier};
use super::super::{Facts, PlanError, Spending};
use crate::fit::{Around, Task};
use crate::loss::Loss;
use crate::noise::{Grid, GridError};
use crate::population::{Gradient, slope_grid};
use crate::privacy::{Adjacency, Budget, Charge, Epsilon, Event, NoiseMultiplier, Range};
use crate::table::RecordBound;

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

/// The paper whose noise [`as_published`] is.
const PAPER: &str = "nearly-optimal private LASSO (Talwar, Thakurta and Zhang 2015)";

/// Noise, and what will be spent on it.
pub(super) type Costed = (Noise, Spending);

/// The least noise that fits the budget.
pub(super) fn exact(
    around: (Task, Around),
    budget: Budget,
    adjacency: Adjacency,
    iterations: NonZeroU64,
    corners: bool,
    share: Option<f64>,
    before: &Before,
) -> Result<Costed, PlanError> {
    let plan = |z| before.then(noise_at(z, corners, share).charges(iterations));
    let (spending, found) =
        Spending::around(around, iterations.get() as f64, budget, adjacency, plan)?;
    Ok((noise_at(found, corners, share), spending))
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

/// The valid range nearest to `value`.
pub(in crate::fit) fn range(value: f64) -> Range {
    // Between 1e-12·√left and 2e6, as z is a multiplier and left is above 0.
    Range::new(value.max(f64::MIN_POSITIVE)).expect("a finite number above 0")
}

/// The published noise, and what is proved for it.
///
/// With Laplace scale b = L₁‖C‖₁√(8T·log(1/δ))/(nε), L₁ = R·B, and scores of range
/// 2·a·L₁‖C‖₁/n (a = 2 records apart under replace-one, 1 under add-remove), a selection is
/// (range/b)-DP: 2aε/√(8T·log(1/δ)). The paper has no intercept; ours gets its share of ρ in
/// addition to the selections'.
pub(super) fn as_published(
    claimed: Budget,
    adjacency: Adjacency,
    iterations: NonZeroU64,
    share: Option<f64>,
    before: &Before,
) -> Result<Costed, PlanError> {
    let differing = f64::from(adjacency.differing_records());
    let log = -claimed.delta().get().ln();
    let epsilon_per_step =
        2.0 * differing * claimed.epsilon().get() / (8.0 * iterations.get() as f64 * log).sqrt();
    let noise = Noise {
        vertex: VertexNoise::NoisyMax(Epsilon::new(epsilon_per_step)?),
        intercept: share.map(|share| multiplier(((1.0 - share) / share).sqrt() / epsilon_per_step)),
    };
    let charges = before.then(noise.charges(iterations));
    let (paper, claimed) = before.claim.unwrap_or((PAPER, claimed));
    let spending = Spending::as_published(claimed, adjacency, charges, paper)?;
    Ok((noise, spending))
}

/// How far one record can move the mean slope.
pub(super) fn slope_moved(facts: &Facts, adjacency: Adjacency, loss: Loss) -> f64 {
    Gradient::moved(adjacency, loss.slope_bound(), 1.0) / facts.records as f64
}

/// The grid of slopes that suits the noise.
pub(super) fn fitting_slope_grid(
    facts: &Facts,
    adjacency: Adjacency,
    loss: Loss,
    noise: &Noise,
) -> Result<Grid, GridError> {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    let moved = slope_moved(facts, adjacency, loss);
    let of_gradient = noise.of_gradient(facts, moved) / bound;
    let of_intercept = noise.of_intercept(moved).unwrap_or(f64::INFINITY);
    let least = of_gradient.min(of_intercept);
    slope_grid(facts.records, adjacency, loss.slope_bound(), least)
}

impl Noise {
    /// The scale of the noise on a coordinate of the mean gradient, if one record moves a mean
    /// slope by `moved`.
    pub(super) fn of_gradient(&self, facts: &Facts, moved: f64) -> f64 {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        match self.vertex {
            VertexNoise::Exponential(range) => 2.0 * moved * bound / range.get(),
            VertexNoise::NoisyMax(epsilon) => 2.0 * moved * bound / epsilon.get(),
            VertexNoise::Gaussian(noise) => {
                let l2 = match facts.rows {
                    RecordBound::L2(bound) => bound,
                    RecordBound::Linf(bound) => bound * (facts.columns as f64).sqrt(),
                };
                moved * l2 * noise.get()
            }
        }
    }

    /// The standard deviation of the noise on the mean slope, if the intercept has any.
    pub(super) fn of_intercept(&self, moved: f64) -> Option<f64> {
        self.intercept.map(|noise| moved * noise.get())
    }

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
