//! What is taken for radius, number of steps and reach where a person says nothing, from
//! public facts alone. `docs/frank-wolfe.md` has the reasoning and the measurements.
//!
//! Everything follows from one number, the *strength* S = n·√ρ/(R·log 2d): how far a mean
//! slope of full size stands out of the noise of one selection. The bound of the excess risk
//! is least at T ∝ (c·r·B·S)^⅔ steps, and keeps its size as S grows if r·B ∝ √S/c.

use super::super::{Facts, Task};
use crate::data::RecordBound;
use crate::loss::Loss;
use crate::privacy::Budget;

/// The reach of the squared loss: the largest target there is.
pub(super) const REACH: f64 = 1.0;
/// The intercept's share of ρ.
pub(super) const INTERCEPT_SHARE: f64 = 0.1;

/// The least and the greatest default of c·r·B.
const SPREAD: (f64, f64) = (0.5, 5.0);
/// The least and the greatest default number of steps.
const STEPS: (f64, f64) = (5.0, 1000.0);
/// A row of ℓ₂ norm B spreads it over many entries: a hundred, as words in a text, or as many
/// as there are columns. An entry is then about B over the root of their number.
const SPREAD_OF_L2_ROWS: f64 = 100.0;

/// The loss of a task.
pub(super) fn loss(task: Task, reach: Option<f64>) -> Loss {
    match task {
        Task::Logistic => Loss::Logistic,
        Task::Linear => Loss::Squared {
            reach: reach.unwrap_or(REACH),
        },
    }
}

/// S, for the `share` of ρ that selections get.
pub(super) fn strength(facts: &Facts, loss: Loss, budget: Budget, share: f64) -> f64 {
    let rho = share * rho(budget);
    let candidates = 2.0 * facts.columns as f64;
    facts.records as f64 * rho.sqrt() / (loss.slope_bound() * candidates.ln())
}

/// The ℓ₁ radius: r·B = √S/(8c), within limits.
pub(super) fn radius(facts: &Facts, loss: Loss, strength: f64) -> f64 {
    let spread = (strength.sqrt() / 8.0).clamp(SPREAD.0, SPREAD.1);
    spread / (loss.curvature() * typical_entry(facts))
}

/// The number of steps: ½(c·M·S)^⅔, where M is the largest margin on the region, B the bound
/// and the typical entry in its place where rows are bounded in ℓ₂.
pub(super) fn iterations(facts: &Facts, loss: Loss, strength: f64, l1_radius: f64) -> u64 {
    let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
    let typical = typical_entry(facts);
    // The curvature goes with the square of an entry, the noise with the bound.
    let margin = l1_radius * typical * (typical / bound);
    let steps = 0.5 * (loss.curvature() * margin * strength).powf(2.0 / 3.0);
    steps.clamp(STEPS.0, STEPS.1).round() as u64
}

fn typical_entry(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound,
        RecordBound::L2(bound) => bound / SPREAD_OF_L2_ROWS.min(facts.columns as f64).sqrt(),
    }
}

/// About the ρ that a budget is worth, from ε = ρ + 2√(ρ·log(1/δ)) (Bun–Steinke 2016); the
/// accountants decide what is spent, this only what is sensible.
fn rho(budget: Budget) -> f64 {
    let log = -budget.delta.get().ln();
    let root = (log + budget.epsilon.get()).sqrt() - log.sqrt();
    root * root
}
