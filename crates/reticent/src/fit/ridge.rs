//! Default ridge strength and number of weights of the estimators that release a minimiser, from
//! public facts alone.

use super::spending::rho;
use super::{Facts, default_nonzero};
use crate::loss::Loss;
use crate::privacy::Budget;
use crate::table::RecordBound;

/// The entries that carry most of the length of a row bounded in ℓ₂.
const CARRYING_ENTRIES: f64 = 10.0;
/// The Huber threshold: a target lies in [−1, 1].
pub(super) const HUBER_THRESHOLD: f64 = 1.0;
/// By what factor a selected feature must exceed the noise of its selection.
const CLEAR: f64 = 8.0;

/// The ℓ₂ bound of a row of so many columns, followed by a 1 if there is an intercept.
pub(super) fn length(facts: &Facts, columns: usize, intercept: bool) -> f64 {
    let squared = match facts.rows {
        RecordBound::L2(bound) => bound * bound,
        RecordBound::Linf(bound) => bound * bound * columns as f64,
    };
    (squared + if intercept { 1.0 } else { 0.0 }).sqrt()
}

/// How large the entries of a row are where they count.
pub(super) fn entry(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound,
        RecordBound::L2(bound) => bound / CARRYING_ENTRIES.min(facts.columns as f64).sqrt(),
    }
}

/// About how large the margins of a good model are: a few units of log-odds, or a part of the
/// target's range.
pub(super) fn margin(loss: Loss) -> f64 {
    match loss {
        Loss::Logistic => 3.0,
        Loss::Squared { .. } => 0.5,
    }
}

/// λ for a minimiser released with noise of norm `noise`/λ.
///
/// The noise falls with λ and the shrinkage grows: weights of norm m/e (margins m, entries e) lose
/// about λ/h of it, h = c·e² being the curvature along a column. The sum noise/λ + λ·m/(h·e) is
/// least at λ = √(noise·h·e/m).
pub(super) fn lambda(facts: &Facts, loss: Loss, noise: f64) -> f64 {
    let entry = entry(facts);
    let curvature = loss.curvature() * entry * entry;
    (noise * curvature * entry / margin(loss)).sqrt()
}

/// The number of weights: ⌊1.5·√d⌋, or fewer if so many could not be distinguished from noise. A
/// mean slope of size R is n·√ρ/(R·√s·log d) times the noise of s selections.
pub(super) fn nonzero(facts: &Facts, budget: Budget) -> usize {
    let columns = facts.columns as f64;
    let wanted = default_nonzero(facts.columns) as f64;
    let strength = facts.records as f64 * rho(budget).sqrt() / (columns.max(2.0)).ln();
    let clear = (strength / CLEAR).powi(2).clamp(1.0, columns);
    wanted.min(clear).floor() as usize
}
