//! What private ADMM can be told.

use super::{Admm, Penalty};
use crate::fit::declaration::{
    AS_PUBLISHED, Declaration, ITERATIONS, MethodOption, NamedChoice, OptionType, PlanAndReason,
    PlanInput, Releases, TakesNonzero, built, choices,
};
use crate::fit::frank_wolfe::calibration;
use crate::fit::{PlanError, TaskName};
use crate::privacy::Adjacency;

/// Private ADMM.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "admm",
    meaning: "Objective perturbation on all features alternating with a threshold",
    paper: "Puyu Wang–Zhang 2020, with errata",
    tasks: &[TaskName::Logistic],
    adjacencies: &[Adjacency::ReplaceOne],
    nonzero: TakesNonzero::Count,
    options: &[
        ITERATIONS,
        PENALTY,
        PENALTY_WEIGHT,
        AUGMENTATION,
        AS_PUBLISHED,
    ],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

/// What a weight costs.
const PENALTY: MethodOption = MethodOption {
    name: "penalty",
    meaning: "Sparsity penalty",
    default: "l1",
    tasks: &[TaskName::Logistic],
    ..MethodOption::new(OptionType::Name(choices::<Penalty>))
};

/// λ.
const PENALTY_WEIGHT: MethodOption = MethodOption {
    name: "penalty-weight",
    placeholder: "L",
    meaning: "How much the penalty counts: the larger, the fewer weights",
    default: "from the noise",
    tasks: &[TaskName::Logistic],
    ..MethodOption::new(OptionType::Positive)
};

/// c.
pub(super) const AUGMENTATION: MethodOption = MethodOption {
    name: "augmentation",
    placeholder: "C",
    meaning: "The parameter of the augmented Lagrangian: the larger, the shorter the steps and the less \
              noise",
    default: "from the noise",
    tasks: &[TaskName::Logistic],
    ..MethodOption::new(OptionType::Positive)
};

impl NamedChoice for Penalty {
    const ALL: &'static [Self] = &[Self::L1, Self::L1Half];

    fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::L1Half => "l1/2",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::L1 => "The size of each weight, as in the LASSO",
            Self::L1Half => "The root of its size: large weights are shrunk less",
        }
    }
}

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    let parameters = Admm {
        adjacency: request.adjacency,
        penalty: options.choice(&PENALTY)?.unwrap_or(Penalty::L1),
        iterations: options.count(&ITERATIONS)?,
        lambda: options.positive(&PENALTY_WEIGHT)?,
        augmentation: options.positive(&AUGMENTATION)?,
        nonzero: request.count(),
        intercept: request.intercept,
        calibration: calibration(options)?,
        ..Admm::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
