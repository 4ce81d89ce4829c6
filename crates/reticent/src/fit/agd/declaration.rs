//! The declaration of DP-AGD.

use super::Agd;
use crate::fit::declaration::{
    BOTH, CLIP, Declaration, ITERATIONS, PlanAndReason, PlanInput, Releases, SATURATING_PENALTY,
    TakesNonzero, built,
};
use crate::fit::{PlanError, Task, TaskName};

/// DP-AGD.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "agd",
    meaning: "Noisy gradients of all records and selected step sizes, paid for as they come; all weights",
    paper: "DP-AGD: Lee–Kifer 2018",
    tasks: &[TaskName::Logistic],
    adjacencies: BOTH,
    nonzero: TakesNonzero::No,
    options: &[ITERATIONS, CLIP, SATURATING_PENALTY],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    if asked.task != Task::Logistic {
        return Err(PlanError::Task {
            method: DECLARATION.name,
            task: request.task.name(),
            instead: "sgd does",
        });
    }
    let parameters = Agd {
        adjacency: request.adjacency,
        iterations: options.count(&ITERATIONS)?,
        clip: options.positive(&CLIP)?,
        penalty: options.positive(&SATURATING_PENALTY)?,
        intercept: request.intercept,
        ..Agd::new(asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
