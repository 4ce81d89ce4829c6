//! The declaration of the two-stage procedure.

use super::TwoStage;
use crate::fit::declaration::{
    Declaration, HUBER_THRESHOLD, PlanAndReason, PlanInput, Releases, TakesNonzero, built,
};
use crate::fit::{PlanError, TaskName};
use crate::privacy::Adjacency;

/// The two-stage procedure.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "two-stage",
    meaning: "Blocks of records vote for features, then objective perturbation on them",
    paper: "Kifer–Smith–Thakurta 2012",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    adjacencies: &[Adjacency::ReplaceOne],
    nonzero: TakesNonzero::Count,
    options: &[HUBER_THRESHOLD],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let request = asked.request;
    let parameters = TwoStage {
        adjacency: request.adjacency,
        nonzero: request.count(),
        intercept: request.intercept,
        huber_threshold: request.options.positive(&HUBER_THRESHOLD)?,
        ..TwoStage::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
