//! Default radius, number of steps and Huber threshold, from public facts alone.
//! `docs/derivations/frank-wolfe.md` has the reasoning and the measurements.
//!
//! Everything follows from one number, the *strength* S = n·√ρ/(R·log 2d): the ratio of a mean
//! slope of full size to the noise of a selection. (2√d takes the place of log 2d where the whole
//! gradient is released.) The bound of the excess risk is least at T ∝ (c·r·B·S)^⅔ steps, and keeps
//! its size as S grows if r·B ∝ √S/c.

use super::super::Facts;
use super::super::spending::rho;
use crate::loss::Loss;
use crate::privacy::Budget;
use crate::solve::Region;
use crate::table::RecordBound;

/// The Huber threshold: the largest possible target.
pub(super) const HUBER_THRESHOLD: f64 = 1.0;
/// The intercept's share of ρ.
pub(in crate::fit) const INTERCEPT_SHARE: f64 = 0.1;

/// The least and the greatest default of c·r·B.
const SPREAD: (f64, f64) = (0.5, 5.0);
/// The least and the greatest default number of steps.
const STEPS: (f64, f64) = (5.0, 1000.0);
/// The entries that carry most of the length of a row bounded in ℓ₂.
const CARRYING_ENTRIES: f64 = 10.0;

/// S, for the `share` of ρ that selections get. `region` is the ℓ₁ ball if `None`.
pub(in crate::fit) fn strength(
    facts: &Facts,
    loss: Loss,
    budget: Budget,
    share: f64,
    region: Option<&Region>,
) -> f64 {
    let rho = share * rho(budget);
    let columns = facts.columns as f64;
    let corners = region.map_or(Some(2 * facts.columns), |r| r.candidates(facts.columns));
    let width = match corners {
        Some(corners) => (corners.max(2) as f64).ln(),
        None => 2.0 * columns.sqrt(),
    };
    facts.records as f64 * rho.sqrt() / (loss.slope_bound() * width)
}

/// The ℓ₁ radius: r·B = √S/(8c), within limits.
pub(in crate::fit) fn radius(facts: &Facts, loss: Loss, strength: f64) -> f64 {
    let spread = (strength.sqrt() / 8.0).clamp(SPREAD.0, SPREAD.1);
    spread / (loss.curvature() * typical_entry(facts))
}

/// The radius of the ℓ₂ ball: r·B₂ = √S/(8c), within the same limits, B₂ being the length of a row.
pub(super) fn l2_radius(facts: &Facts, loss: Loss, budget: Budget, intercept: bool) -> f64 {
    let share = if intercept {
        1.0 - INTERCEPT_SHARE
    } else {
        1.0
    };
    let ball = Region::L2 { radius: 1.0 };
    let strength = strength(facts, loss, budget, share, Some(&ball));
    let length = match facts.rows {
        RecordBound::L2(bound) => bound,
        RecordBound::Linf(bound) => bound * (facts.columns as f64).sqrt(),
    };
    let spread = (strength.sqrt() / 8.0).clamp(SPREAD.0, SPREAD.1);
    spread / (loss.curvature() * length)
}

/// The number of steps: ½(c·M·S)^⅔, where M is the largest margin on the region. With
/// corners, and rows bounded in ℓ₂, the curvature goes with the mean square of a column's
/// entries and the noise with the bound: B²/d is that of an average column, B² the most, and
/// B²/√d is taken.
pub(in crate::fit) fn iterations(facts: &Facts, loss: Loss, strength: f64, region: &Region) -> u64 {
    let columns = facts.columns;
    let root = (columns as f64).sqrt();
    let margin = match (region.candidates(columns), facts.rows) {
        (Some(_), RecordBound::Linf(bound)) => region.l1_radius(columns) * bound,
        (Some(_), RecordBound::L2(bound)) => region.l1_radius(columns) * bound / root,
        (None, RecordBound::Linf(bound)) => region.l2_radius() * bound * root,
        (None, RecordBound::L2(bound)) => region.l2_radius() * bound,
    };
    let steps = 0.5 * (loss.curvature() * margin * strength).powf(2.0 / 3.0);
    steps.clamp(STEPS.0, STEPS.1).round() as u64
}

fn typical_entry(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound,
        RecordBound::L2(bound) => bound / CARRYING_ENTRIES.min(facts.columns as f64).sqrt(),
    }
}
