//! What is taken for the strength of a ridge and the number of weights where a person says
//! nothing, from public facts alone: for the estimators that release a minimiser.

use super::spending::rho;
use super::{Facts, Task, default_nonzero};
use crate::loss::Loss;
use crate::privacy::Budget;
use crate::table::RecordBound;

/// The entries that carry most of the length of a row bounded in ℓ₂.
const CARRYING_ENTRIES: f64 = 10.0;
/// How far a selected feature must stand out of the noise of its selection.
const CLEAR: f64 = 8.0;

/// The loss of a task.
pub(super) fn loss(task: Task, reach: Option<f64>) -> Loss {
    match task {
        Task::Logistic | Task::Multinomial { .. } => Loss::Logistic,
        // A target lies in [−1, 1].
        Task::Linear => Loss::Squared {
            reach: reach.unwrap_or(1.0),
        },
    }
}

/// The ℓ₂ bound of a row of so many columns, with a one behind them if there is an intercept.
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

/// How large the margins of a good model are about: a few units of log-odds, or a part of the
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

/// The number of weights: ⌊1.5·√d⌋, fewer where so many could not be told from noise. A mean
/// slope of size R stands n·√ρ/(R·√s·log d) times out of the noise of s selections.
pub(super) fn nonzero(facts: &Facts, budget: Budget) -> usize {
    let columns = facts.columns as f64;
    let wanted = default_nonzero(facts.columns) as f64;
    let strength = facts.records as f64 * rho(budget).sqrt() / (columns.max(2.0)).ln();
    let clear = (strength / CLEAR).powi(2).clamp(1.0, columns);
    wanted.min(clear).floor() as usize
}
