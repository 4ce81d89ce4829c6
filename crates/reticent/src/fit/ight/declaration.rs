//! The declaration of DP-IGHT.

use super::{Ight, IghtForm};
use crate::fit::declaration::{
    AS_PUBLISHED, BOTH, Declaration, HUBER_THRESHOLD, ITERATIONS, MethodOption, OptionType,
    PlanAndReason, PlanInput, Releases, TakesNonzero, built,
};
use crate::fit::frank_wolfe::calibration;
use crate::fit::{Calibration, PlanError, TaskName, baseline};

/// DP-IGHT.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "ight",
    meaning: "Noisy gradient steps on all features, of which the largest weights are kept",
    paper: "Wang–Gu 2019, with errata; peeling: Cai–Wang–Zhang 2021",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::Count,
    options: &[
        ITERATIONS,
        PEELING,
        HUBER_THRESHOLD,
        MethodOption {
            needs: &["nonzero"],
            ..AS_PUBLISHED
        },
    ],
    baseline: Some(baseline::ight),
    releases: Releases::Model,
    build: Some(build),
};

/// Private hard thresholding.
const PEELING: MethodOption = MethodOption {
    name: "peeling",
    meaning: "Select the weights privately in each step, and add noise to those alone",
    default: "",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    needs: &["nonzero"],
    excludes: &["as-published"],
    ..MethodOption::new(OptionType::Flag)
};

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    let calibration = calibration(options)?;
    let parameters = Ight {
        adjacency: request.adjacency,
        nonzero: request.count(),
        form: match (options.flag(&PEELING)?, calibration) {
            (true, _) => IghtForm::Peeling,
            (false, Calibration::AsPublished) => IghtForm::EachStep,
            (false, Calibration::Exact) => IghtForm::Staged,
        },
        iterations: options.count(&ITERATIONS)?,
        intercept: request.intercept,
        huber_threshold: options.positive(&HUBER_THRESHOLD)?,
        calibration,
        ..Ight::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
