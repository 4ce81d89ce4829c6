//! What a record's gradient is clipped to, where a length was asked for.

use std::f64::consts::SQRT_2;

use crate::fit::declaration::CLIP;
use crate::fit::{Facts, PlanError, Task};
use crate::loss::Loss;
use crate::table::RecordBound;

/// The least length, as a part of the longest gradient: ten times as long as what spans one step of the
/// finest grid, since recursive momentum takes a tenth of it.
const LEAST: f64 = 1e-5;

/// The length that was asked for, and no more than any gradient has: a longer one only adds noise. One of
/// which no grid step would be left is refused.
pub(in crate::fit) fn clip_within(asked: f64, longest: f64) -> Result<f64, PlanError> {
    let least = LEAST * longest;
    match asked >= least {
        true => Ok(asked.min(longest)),
        false => Err(PlanError::Option {
            option: CLIP.name,
            allowed: format!(
                "at least {least:.3e}: no gradient is longer than {longest:.3}, and of a smaller part of it \
                 the grid keeps too little"
            ),
        }),
    }
}

/// No gradient of a record is longer, the constant of the intercept included: rows of classes have length
/// one, and residuals of several classes one of at most √2.
pub(in crate::fit) fn longest_gradient(
    task: Task,
    loss: Loss,
    facts: &Facts,
    constant: f64,
) -> f64 {
    let row = match facts.rows {
        RecordBound::L2(bound) => bound,
        RecordBound::Linf(bound) => bound * (facts.columns as f64).sqrt(),
    };
    match task {
        Task::Logistic => loss.slope_bound(),
        Task::Multinomial { .. } => SQRT_2,
        Task::Linear => loss.slope_bound() * row.hypot(constant),
    }
}
