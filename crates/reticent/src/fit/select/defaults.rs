//! Shares, steps and clips, from public facts alone. `docs/sparse.md` has the measurements.

use super::super::{Facts, Task};
use crate::data::RecordBound;

/// What a task takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recipe {
    /// How many rounds.
    pub rounds: u32,
    /// The choices' share of ρ.
    pub choosing: f64,
    /// The share of ρ that the median of the residuals gets in each round.
    pub scale: f64,
    /// How many times the fit of another round the last one's share is.
    pub last: f64,
    /// The fits, of the last round and of the others.
    pub fits: [FitRecipe; 2],
    /// Weights are shrunk by this many times their variance.
    pub shrinkage: f64,
}

/// What a fit on chosen columns takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FitRecipe {
    /// Steps, and how many of them in full.
    pub steps: u64,
    pub full: u64,
    /// The share of the second moments.
    pub moments: f64,
    /// The share of the medians of the residuals, one every second step.
    pub scales: f64,
}

/// The slope that the logistic loss is clipped to, at weights 0 (where it is the bound) and beyond.
pub(super) const LOGISTIC_SLOPES: (f64, f64) = (0.5, 0.75);
/// The share of the residuals within their median.
pub(super) const WITHIN: f64 = 0.5;
/// The least scale of residuals, the largest target being 1.
pub(super) const LEAST_SCALE: f64 = 1e-3;
/// The mean square of a column is taken to be at least this share of the bound's square.
pub(super) const LEAST_SQUARE: f64 = 0.02;

/// The recipe of a task; without `choosing` all columns are fitted.
pub(super) fn recipe(task: Task, choosing: bool) -> Recipe {
    let linear = |steps, full, moments| FitRecipe {
        steps,
        full,
        moments,
        scales: 0.03,
    };
    match (task, choosing) {
        (Task::Linear, true) => Recipe {
            rounds: 4,
            choosing: 0.65,
            scale: 0.01,
            last: 3.0,
            fits: [linear(8, 3, 0.2), linear(4, 1, 0.2)],
            shrinkage: 2.0,
        },
        (Task::Linear, false) => Recipe {
            rounds: 1,
            choosing: 0.0,
            scale: 0.0,
            last: 1.0,
            fits: [linear(8, 3, 0.3); 2],
            shrinkage: 0.0,
        },
        (Task::Logistic | Task::Multinomial { .. }, _) => Recipe {
            rounds: 1,
            choosing: if choosing { 0.6 } else { 0.0 },
            scale: 0.0,
            last: 1.0,
            fits: [FitRecipe {
                steps: 10,
                full: 4,
                moments: 0.1,
                scales: 0.0,
            }; 2],
            shrinkage: if choosing { 3.0 } else { 0.0 },
        },
    }
}

/// s: all columns where they are few enough to be fitted at once, else 1.5·√d.
pub(super) fn nonzero(task: Task, facts: &Facts) -> usize {
    let columns = facts.columns;
    match task {
        Task::Linear if columns <= 200 => columns,
        _ => ((1.5 * (columns as f64).sqrt()) as usize).clamp(1, columns),
    }
}

/// b₀.
pub(super) fn constant(facts: &Facts) -> f64 {
    let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
    bound
}

/// C, for records of `columns` columns and a constant, the longest of which is `longest`: most
/// entries are below 0.7 of their bound.
pub(super) fn length(facts: &Facts, columns: usize, longest: f64) -> f64 {
    let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
    longest.min(0.7 * bound * (columns as f64 + 1.0).sqrt())
}
