//! The declaration of knowledge transfer.

use super::{Published, Teacher, Transfer};
use crate::fit::declaration::{
    AS_PUBLISHED, BOTH, Declaration, HUBER_THRESHOLD, MethodOption, NamedChoice, OptionType,
    PlanAndReason, PlanInput, Releases, TakesNonzero, built, choices,
};
use crate::fit::{PlanError, TaskName};

/// Knowledge transfer.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "transfer",
    meaning: "A teacher answers noisily on public rows, from which a sparse student learns",
    paper: "Wang–Gu 2020, repaired",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    adjacencies: BOTH,
    nonzero: TakesNonzero::Count,
    options: &[
        TEACHER,
        PUBLIC,
        HUBER_THRESHOLD,
        MethodOption {
            excludes: &["rho", "teacher", "public"],
            ..AS_PUBLISHED
        },
    ],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

/// Where the teacher has weights.
const TEACHER: MethodOption = MethodOption {
    name: "teacher",
    meaning: "Where the teacher is fitted",
    default: "support",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    ..MethodOption::new(OptionType::Name(choices::<Teacher>))
};

/// What the teacher answers on.
const PUBLIC: MethodOption = MethodOption {
    name: "public",
    placeholder: "FILE",
    meaning: "Public rows that the teacher answers on",
    default: "synthetic rows",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    ..MethodOption::new(OptionType::PublicRows)
};

impl NamedChoice for Teacher {
    const ALL: &'static [Self] = &[Self::Dense, Self::Support];

    fn name(self) -> &'static str {
        match self {
            Self::Dense => "dense",
            Self::Support => "support",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Dense => "On all features",
            Self::Support => "On features that were chosen privately first",
        }
    }
}

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    if options.flag(&AS_PUBLISHED)? {
        let parameters = Published {
            adjacency: request.adjacency,
            nonzero: request.count(),
            ..Published::new(asked.task, asked.budget)
        };
        return built(parameters.plan(asked.facts)?);
    }
    let basis = Transfer::new(asked.task, asked.budget);
    let parameters = Transfer {
        adjacency: request.adjacency,
        nonzero: request.count(),
        teacher: options.choice(&TEACHER)?.unwrap_or(Teacher::Support),
        auxiliary: asked.rows.unwrap_or(basis.auxiliary),
        intercept: request.intercept,
        huber_threshold: options.positive(&HUBER_THRESHOLD)?,
        ..basis
    };
    built(parameters.plan(asked.facts)?)
}
