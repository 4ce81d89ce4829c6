//! The declaration of private stochastic optimisation.

use super::{Sgd, SgdOptimizer};
use crate::fit::declaration::{
    BOTH, Declaration, HUBER_THRESHOLD, MethodOption, NamedChoice, OptionType, PlanAndReason,
    PlanInput, Releases, TakesNonzero, built, choices,
};
use crate::fit::{PlanError, TaskName};

/// Private stochastic optimisation.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "sgd",
    meaning: "Noisy gradients of secret batches, and an optimiser: fast on many records; all weights",
    paper: "Abadi et al. 2016; DP-SRM, DP-LSSGD with errata",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::No,
    options: &[
        OPTIMIZER,
        SMOOTHING,
        BATCH,
        EPOCHS,
        STEP_SIZE,
        CLIP,
        SATURATING_PENALTY,
        HUBER_THRESHOLD,
    ],
    baseline: None,
    releases: Releases::Model,
    build: Some(build),
};

/// How released gradients move the weights.
const OPTIMIZER: MethodOption = MethodOption {
    name: "optimizer",
    meaning: "How noisy gradients move the weights",
    default: "momentum",
    ..MethodOption::new(OptionType::Name(choices::<SgdOptimizer>))
};

/// σ.
const SMOOTHING: MethodOption = MethodOption {
    name: "smoothing",
    placeholder: "S",
    meaning: "Laplacian smoothing of noisy gradients over neighbouring columns, as of images or series; \
              the privacy is the same",
    default: "none",
    ..MethodOption::new(OptionType::Positive)
};

/// b.
const BATCH: MethodOption = MethodOption {
    name: "batch",
    placeholder: "B",
    meaning: "About how many records (or people) a secret batch has; all of them from their number on",
    ..MethodOption::new(OptionType::Count)
};

/// How often each record is drawn.
const EPOCHS: MethodOption = MethodOption {
    name: "epochs",
    placeholder: "E",
    meaning: "How often a record is drawn on average, over all batches",
    ..MethodOption::new(OptionType::Positive)
};

/// η.
const STEP_SIZE: MethodOption = MethodOption {
    name: "step-size",
    placeholder: "H",
    meaning: "The size of a step along the mean gradient (of adam, in units of weights); rows of \
              classes are scaled to length one",
    default: "from the noise",
    ..MethodOption::new(OptionType::Positive)
};

/// C.
const CLIP: MethodOption = MethodOption {
    name: "clip",
    placeholder: "C",
    meaning: "The greatest length of a record's gradient: a longer one is shortened to it; noise grows \
              with it",
    default: "from the loss",
    ..MethodOption::new(OptionType::Positive)
};

/// λ.
const SATURATING_PENALTY: MethodOption = MethodOption {
    name: "saturating-penalty",
    placeholder: "L",
    meaning: "L times the sum of w²/(1 + w²) over the weights is added to the mean loss: a penalty that \
              spares large weights and is not convex",
    default: "none",
    tasks: &[TaskName::Logistic],
    ..MethodOption::new(OptionType::Positive)
};

impl NamedChoice for SgdOptimizer {
    const ALL: &'static [Self] = &[Self::Sgd, Self::Momentum, Self::Adam, Self::Srm];

    fn name(self) -> &'static str {
        match self {
            Self::Sgd => "sgd",
            Self::Momentum => "momentum",
            Self::Adam => "adam",
            Self::Srm => "srm",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Sgd => "Plain steps: DP-SGD",
            Self::Momentum => "Steps that remember those before",
            Self::Adam => "Steps of a size of their own for each weight: DP-Adam",
            Self::Srm => {
                "Stochastic recursive momentum: differences of gradients along the way (DP-SRM)"
            }
        }
    }
}

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    let parameters = Sgd {
        adjacency: request.adjacency,
        optimizer: options
            .choice(&OPTIMIZER)?
            .unwrap_or(SgdOptimizer::Momentum),
        smoothing: options.positive(&SMOOTHING)?,
        batch: options.count(&BATCH)?,
        epochs: options.positive(&EPOCHS)?,
        step_size: options.positive(&STEP_SIZE)?,
        clip: options.positive(&CLIP)?,
        penalty: options.positive(&SATURATING_PENALTY)?,
        intercept: request.intercept,
        huber_threshold: options.positive(&HUBER_THRESHOLD)?,
        ..Sgd::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}
