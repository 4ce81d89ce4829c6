//! The declarations of select-then-fit and of the choice of columns alone.

use super::{Fitting, Select, SelectOnly};
use crate::fit::declaration::{
    BOTH, Declaration, MethodOption, NamedChoice, OptionType, PlanAndReason, PlanInput, Releases,
    TakesNonzero, built, choices,
};
use crate::fit::{PlanError, TaskName};

/// Select, then fit.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "select",
    meaning: "Private selection of features, then a private fit on them",
    paper: "this project; Pati et al. 1993; statistics: Wang 2018",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::CountOrAuto,
    options: &[FITTING],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

/// Columns alone.
pub(in crate::fit) static CHOOSE: Declaration = Declaration {
    name: "choose",
    meaning: "Private selection of features, without a model",
    paper: "Durfee–Rogers 2019",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::Count,
    options: &[],
    baseline: None,
    releases: Releases::Columns,
    build: Some(build_choice),
};

/// How the chosen columns are fitted.
const FITTING: MethodOption = MethodOption {
    name: "fitting",
    meaning: "How the chosen columns are fitted",
    default: "gradients",
    tasks: &[TaskName::Linear],
    ..MethodOption::new(OptionType::Name(choices::<Fitting>))
};

impl NamedChoice for Fitting {
    const ALL: &'static [Self] = &[Self::Gradients, Self::Statistics];

    fn name(self) -> &'static str {
        match self {
            Self::Gradients => "gradients",
            Self::Statistics => "statistics",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Gradients => {
                "Noisy gradients, clipped at the scale of the residuals: the least noise; the \
                 effects of features on skewed targets come out small"
            }
            Self::Statistics => {
                "Sufficient statistics with an adaptive ridge (AdaSSP): no residual is clipped, \
                 for a larger budget"
            }
        }
    }
}

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let request = asked.request;
    let parameters = Select {
        adjacency: request.adjacency,
        nonzero: request.nonzero,
        fitting: request
            .options
            .choice(&FITTING)?
            .unwrap_or(Fitting::Gradients),
        intercept: request.intercept,
        ..Select::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}

fn build_choice(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let parameters = SelectOnly {
        adjacency: asked.request.adjacency,
        columns: asked.request.count(),
        intercept: asked.request.intercept,
        ..SelectOnly::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
