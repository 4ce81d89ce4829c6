//! Private ADMM as its paper prints it: one noise vector for all steps.

use std::num::NonZeroU64;

use super::super::{FitError, PlanError};
use super::plan::{AdmmPlan, LOSS, Size};
use super::run::Split;
use super::{Admm, augmentation_above};
use crate::mechanism::ReleaseError;
use crate::noise::{Generator, VectorLaplace};
use crate::privacy::{Adjacency, Budget, Epsilon};
use crate::solve::{Design, RidgeProblem, ridge};
use crate::table::ClippedTable;

/// Which paper.
pub(super) const PAPER: &str = "private ADMM (Puyu Wang and Hai Zhang 2020)";

/// Why there is no guarantee.
pub(super) const REASON: &str = "the published steps share one noise vector: any two of their \
                                 points give away sums over the records without noise, the last \
                                 alone can show which columns are empty, and nothing is proved";

/// Steps where a person says nothing.
pub(super) const ITERATIONS: NonZeroU64 = NonZeroU64::new(10).expect("not 0");

/// γ·(bound of a row): the rate of the noise vector, which the paper leaves open.
const RATE: f64 = 1.0;
/// What the paper allows the change of volume to cost in a step: 2.8·c₁/(nc) for rows of length 1, where
/// c₁ bounds the curvature.
const VOLUME: f64 = 2.8;
/// Steps of the grid that noise is drawn on, per 1/γ.
const GRID_STEPS: f64 = (1u64 << 30) as f64;
/// The gradient at which a step is as good as exact, in units of what one record does to it.
const TOLERANCE: f64 = 1e-4;

/// The published noise: b of density ∝ exp(−γ‖b‖), drawn once, and c·⟨b, w⟩ added to the objective of
/// every step. T·(2Bγ + 2.8·c₁B²)/(nc) is claimed for T steps (B = 1 in the paper), so that a claim and T
/// give c for a γ, or γ for a c. (The formula is that of a public implementation; of the paper itself we
/// had the abstract, which names the same quantities.)
///
/// # Privacy
///
/// Let g(w) = Σψ(w)x over the records. With exact steps,
///
/// ```text
/// g(w₁)/(nc) + w₁ − a₀ + b = 0,   g(w₂)/(nc) + w₂ − a₁ + b = 0,   …
/// ```
///
/// *One step* is an ordinary objective perturbation with a public centre a₀: b moves by at most
/// 2B/(nc) between neighbours, and ε = 2Bγ/(nc) + log(1 + c₁B²/(nc)) is proved, which
/// is below the claim. It is released as [`objective`](crate::mechanism::objective()) does,
/// with a further Gaussian for the inexactness of the search, and both are charged.
///
/// *Of two steps or more, nothing.* The claim adds up ε over steps, as if the second were ε-DP given w₁.
/// But w₁ and the records determine b, and so w₂: given w₁ there is no noise left.
///
/// - *If all points are seen*, the difference of two lines above is free of b: it tells g(w₁) − g(w₂)
///   exactly. A replaced row changes that by ψx − ψ′x′ at w₁ less the same at w₂, which is not 0 but on
///   a set of measure 0. One look tells neighbours apart: δ = 1, whatever ε. (A label alone is hidden: ψ is
///   σ − y, so that with x′ = ±x the difference is the same for both, w₂ and all that follow are one
///   function of w₁, and the ε of one step holds.)
/// - *If only the last w is seen*, T = 2: from z = u = 0, a₁ = 2·S(w₁) − w₁ with S the threshold, hence
///   w₂ + g(w₂)/(nc) = 2·S(w₁) + g(w₁)/(nc). In a column that is 0 in every record this is w₂ = 2·S(−b),
///   and w₂ is *exactly* 0 with probability p = P(|b| ≤ cut). If one record of a neighbour is not 0 there,
///   and in no other column, then w₂ = 0 for a single value of b: with probability 0. So δ ≥ p, whatever ε.
///   The test `a_column_without_entries_shows_in_the_last_point` does it.
/// - *If only the last z is seen*, the map from b to z need not be one to one: for T = 2 its derivative has
///   the sign of det(I + P + N₁ + N₂(I − P)), N = Σℓ″xxᵀ/(nc) at w₁ and w₂, P the columns that step 1 left
///   in z. N₂(I − P) is not symmetric, and the determinant changes sign (the test
///   `the_last_split_folds_over` has records for it). On the surface where it is 0 the density of z is
///   unbounded on one side and not on the other; a neighbour's surface is elsewhere. So no ratio of
///   densities is bounded, which the claim of a pure ε is; no bound of δ is known to us.
///
/// So it takes no sealed records and no ledger knows of it. What leaves here is z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Published {
    pub claimed: Budget,
    pub adjacency: Adjacency,
    /// γ.
    pub rate: f64,
    /// c.
    pub augmentation: f64,
}

impl Published {
    /// The noise for a claim in ε.
    pub fn new(admm: &Admm, size: Size, iterations: NonZeroU64) -> Result<Self, PlanError> {
        if admm.budget.rho().is_some() {
            return Err(PlanError::PublishedInRho(PAPER));
        }
        let Size {
            length, records, ..
        } = size;
        let volume = VOLUME * LOSS.curvature() * length * length;
        // What the claim leaves for a step, per 1/(nc).
        let each = admm.budget.epsilon().get() / iterations.get() as f64 * records;
        let (rate, augmentation) = match admm.augmentation {
            // With rows of length 1 it is RATE; the unit of w is 1/B.
            None => {
                let rate = RATE * length;
                (rate, (2.0 * length * rate + volume) / each)
            }
            Some(given) if given * each > volume => {
                ((given * each - volume) / (2.0 * length), given)
            }
            Some(_) => return Err(augmentation_above(volume / each)),
        };
        Ok(Self {
            claimed: admm.budget,
            adjacency: admm.adjacency,
            rate,
            augmentation,
        })
    }

    /// What a coordinate of c·b deviates by: ‖b‖ is about k/γ.
    pub fn deviation(&self, size: Size) -> f64 {
        self.augmentation * size.weights.sqrt() / self.rate
    }

    /// The ε that is proved of one step.
    pub fn proved_of_one_step(&self, size: Size) -> Result<Epsilon, PlanError> {
        let moved = size.moved / (size.records * self.augmentation);
        let epsilon = self.rate * moved + size.volume(self.augmentation);
        Ok(Epsilon::new(epsilon)?)
    }
}

impl AdmmPlan {
    /// Steps that share one noise vector, on open data.
    pub(super) fn published_steps(
        &self,
        table: &ClippedTable<'_>,
        published: &Published,
        randomness: &mut Generator,
    ) -> Result<Split, FitError> {
        let noise =
            VectorLaplace::new(self.weights(), 1.0 / GRID_STEPS).map_err(ReleaseError::from)?;
        let b: Vec<f64> = noise
            .sample(randomness)
            .into_iter()
            .map(|steps| steps as f64 / GRID_STEPS / published.rate)
            .collect();
        let mut split = Split::new(self.weights());
        for _ in 0..self.iterations.get() {
            let point = self.exact_point(table, &split.centre(), &b, TOLERANCE);
            split.advance(&point, self);
        }
        Ok(split)
    }

    /// The least point of (1/n)·Σℓ + (c/2)‖w − a‖² + c⟨b, w⟩, to a gradient of `tolerance`/n.
    pub(super) fn exact_point(
        &self,
        table: &ClippedTable<'_>,
        centre: &[f64],
        b: &[f64],
        tolerance: f64,
    ) -> Vec<f64> {
        let c = self.augmentation;
        let linear: Vec<f64> = b.iter().zip(centre).map(|(b, a)| c * (b - a)).collect();
        let problem = RidgeProblem {
            design: Design {
                features: table.features(),
                unit: table.unit(),
            },
            targets: table.targets(),
            loss: LOSS,
            record_weights: None,
            ones: self.intercept.then_some(1.0),
            lambda: c,
            linear: Some(&linear),
        };
        ridge(problem, tolerance / self.facts.records as f64).weights
    }
}
