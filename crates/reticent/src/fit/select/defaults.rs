//! Shares, steps and clips, from public facts alone. `docs/derivations/select.md` has the measurements.

use super::super::{Facts, Task, default_nonzero};
use crate::table::RecordBound;

/// The settings of a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recipe {
    /// How many rounds.
    pub rounds: u32,
    /// The choices' share of ρ.
    pub choosing: f64,
    /// The share of ρ that the median of the residuals gets in each round.
    pub scale: f64,
    /// The last fit's share, as a multiple of the other rounds'.
    pub last: f64,
    /// The fits of the last round and of the others.
    pub fits: [FitRecipe; 2],
    /// Weights are shrunk by this many times their variance.
    pub shrinkage: f64,
}

/// The settings of a fit on chosen columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FitRecipe {
    /// Steps, and how many of them are full.
    pub steps: u64,
    pub full: u64,
    /// The share of the second moments.
    pub moments: f64,
    /// The share of the medians of the residuals, one every second step.
    pub scales: f64,
}

/// The slope that the logistic loss is clipped to, at weights 0 (where it is the bound) and after.
pub(super) const LOGISTIC_SLOPES: (f64, f64) = (0.5, 0.75);
/// The curvature of a class of probability p, over p(1 − p): between 1 (many classes, all small) and 2
/// (two classes).
const CLASS_CURVATURE: f64 = 1.5;
/// The least value that is assumed, times the number of classes: a rare class gets no longer steps,
/// and no more noise.
const LEAST_CLASS_CURVATURE: f64 = 0.3;
/// The least mean curvature of the logistic loss that is assumed: a rarer class gets no longer steps.
pub(super) const LEAST_CURVATURE: f64 = 0.01;
/// The share of ρ that the mean of a number gets before columns are chosen.
pub(super) const INTERCEPT_SHARE: f64 = 0.03;
/// By how much a step may change the margins of a class, in mean square.
pub(super) const MOST_CHANGE: f64 = 1.5;
/// The share of the residuals within their median.
pub(super) const WITHIN: f64 = 0.5;
/// The median of the sizes of normal numbers, their standard deviation being 1.
pub(super) const NORMAL_MEDIAN: f64 = 0.6745;
/// The scales of residuals among which the first of a fit is found, the largest target being 1.
pub(super) const SCALES: (f64, f64) = (0.02, 0.8);
/// The least scale of all.
pub(super) const LEAST_SCALE: f64 = 1e-3;
/// The scales among which each further one is found, relative to the one before: they shrink as
/// features are found, and fewer candidates are a clearer choice.
pub(super) const SCALE_CHANGES: (f64, f64) = (0.25, 1.5);
/// The mean square of a column is taken to be at least this share of the bound's square.
pub(super) const LEAST_SQUARE: f64 = 0.02;

/// A correction of the mean is shrunk by this many times its variance.
pub(super) const MEAN_SHRINKAGE: f64 = 2.0;

/// C relative to the greatest length of a record: just above the root mean square of an entry that
/// is uniform within its bound, 1/√3.
const LENGTH: f64 = 0.6;
/// That root mean square.
pub(super) const TYPICAL: f64 = 0.577;
/// The approximate spread of the margins of a logistic model.
pub(super) const SPREAD: f64 = 1.4;

/// The settings of a task; without `choosing` all columns are fitted.
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
            choosing: match task {
                _ if !choosing => 0.0,
                // A fit of several functions takes more.
                Task::Multinomial { .. } => 0.4,
                _ => 0.6,
            },
            shrinkage: match task {
                // Weights of correlated columns are uncertain one by one, but good together.
                Task::Multinomial { .. } => 0.0,
                _ if choosing => 3.0,
                _ => 0.0,
            },
            scale: 0.0,
            last: 1.0,
            fits: [FitRecipe {
                steps: 10,
                full: 4,
                moments: 0.05,
                scales: 0.0,
            }; 2],
        },
    }
}

/// The settings where the columns that exceed the noise are fitted, and their number is found: for
/// classes after a look at all columns with this share, for numbers after a fit of all columns. By its
/// second moments a column is told apart from others that go with it: of numbers, whose noise is
/// small, they get more.
pub(super) fn screening_recipe(task: Task, screening: f64) -> Recipe {
    let fit = |moments, scales| FitRecipe {
        steps: 8,
        full: 3,
        moments,
        scales,
    };
    match task {
        Task::Linear => Recipe {
            rounds: 2,
            choosing: 0.0,
            scale: 0.0,
            last: 1.0,
            fits: [fit(0.3, 0.03), fit(0.1, 0.03)],
            shrinkage: 0.0,
        },
        _ => Recipe {
            rounds: 1,
            choosing: screening,
            scale: 0.0,
            last: 1.0,
            fits: [fit(0.1, 0.0); 2],
            shrinkage: 0.0,
        },
    }
}

/// Steps of a fit of classes on `columns` columns, and how many of them are full, for a part of ρ.
///
/// ν is about the noise of a margin if all of ρ went into one gradient. The larger it is, the fewer
/// steps are worth their noise; where it is small, more steps come nearer to the minimum, as the
/// second moments give the curvature only at weights 0.
pub(super) fn class_steps(task: Task, facts: &Facts, columns: usize, rho: f64) -> (u64, u64) {
    let columns = columns as f64;
    let (slope, curvature) = match task {
        Task::Multinomial { classes } => (1.0, 1.0 / f64::from(classes)),
        _ => (LOGISTIC_SLOPES.1, 0.25),
    };
    let noise = 2.0 * slope * LENGTH * (columns + 1.0).sqrt() / (2.0 * rho).sqrt();
    let signal = curvature * facts.records as f64 * TYPICAL;
    let nu = noise * columns.sqrt() / signal;
    let full = (6.0 * (0.05 / nu).powf(0.6)).clamp(2.0, 10.0).round() as u64;
    (2 * full + 2, full)
}

/// The mean second derivative of the loss in a class of probability `share` among so many, where
/// the spread of the margins leaves the part `remaining` of it.
pub(super) fn class_curvature(share: f64, classes: f64, remaining: f64) -> f64 {
    (CLASS_CURVATURE * share * (1.0 - share) * remaining).max(LEAST_CLASS_CURVATURE / classes)
}

/// How many columns: all if they are few enough to be fitted at once, else 1.5·√d.
pub(super) fn columns(task: Task, facts: &Facts) -> usize {
    let columns = facts.columns;
    match task {
        Task::Linear if columns <= 200 => columns,
        _ => default_nonzero(columns),
    }
}

/// The bound of an entry.
pub(super) fn bound(facts: &Facts) -> f64 {
    let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
    bound
}

/// b₀.
pub(super) fn constant(facts: &Facts) -> f64 {
    bound(facts)
}

/// C, for records of `columns` columns and a constant, of length at most `longest`.
pub(super) fn length(facts: &Facts, columns: usize, longest: f64) -> f64 {
    let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = facts.rows;
    longest.min(LENGTH * bound * (columns as f64 + 1.0).sqrt())
}
