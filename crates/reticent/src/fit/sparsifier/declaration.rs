//! The declaration of Sparsifier.

use super::Sparsifier;
use crate::fit::declaration::{
    AS_PUBLISHED, BOTH, Declaration, HUBER_THRESHOLD, ITERATIONS, PlanAndReason, PlanInput, RADIUS,
    Releases, TakesNonzero, built,
};
use crate::fit::frank_wolfe::{BALL, STEP_RULE, calibration};
use crate::fit::{Ball, Calibration, PlanError, TaskName};

/// Sparsifier.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "sparsifier",
    meaning: "Frank–Wolfe in the ℓ₁ ball, cut to as many weights as a LASSO has, counted privately",
    paper: "Khanna et al. 2023, with errata",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::Count,
    options: &[
        RADIUS,
        ITERATIONS,
        STEP_RULE,
        BALL,
        HUBER_THRESHOLD,
        AS_PUBLISHED,
    ],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    let basis = match calibration(options)? {
        Calibration::Exact => Sparsifier::new(asked.task, asked.budget),
        Calibration::AsPublished => Sparsifier::as_published(asked.budget),
    };
    let parameters = Sparsifier {
        task: asked.task,
        adjacency: request.adjacency,
        nonzero: request.count(),
        radius: options.positive(&RADIUS)?.or(basis.radius),
        iterations: options.count(&ITERATIONS)?.or(basis.iterations),
        step_rule: options.choice(&STEP_RULE)?.unwrap_or(basis.step_rule),
        ball: options.choice(&BALL)?.unwrap_or(Ball::PerClass),
        intercept: basis.intercept && request.intercept,
        huber_threshold: options.positive(&HUBER_THRESHOLD)?,
        ..basis
    };
    built(parameters.plan(asked.facts)?)
}
