//! The declaration of private stochastic optimisation.

use std::num::NonZeroU64;

use super::{Sgd, SgdBaseline, SgdOptimizer, SgdResult};
use crate::fit::declaration::{
    BOTH, CLIP, Declaration, HUBER_THRESHOLD, MethodOption, NamedChoice, OptionType, PlanAndReason,
    PlanInput, Releases, SATURATING_PENALTY, TakesNonzero, built, choices,
};
use crate::fit::{Facts, MethodRequest, PlanError, Planned, Task, TaskName};

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
        RESULT,
        SMOOTHING,
        BATCH,
        EPOCHS,
        STEP_SIZE,
        CLIP,
        SATURATING_PENALTY,
        HUBER_THRESHOLD,
    ],
    baseline: Some(without_privacy),
    releases: Releases::Model,
    build: Some(build),
};

/// How released gradients move the weights.
const OPTIMIZER: MethodOption = MethodOption {
    name: "optimizer",
    meaning: "How noisy gradients move the weights",
    default: "momentum",
    without_privacy: true,
    ..MethodOption::new(OptionType::Name(choices::<SgdOptimizer>))
};

/// Which point is the model.
const RESULT: MethodOption = MethodOption {
    name: "result",
    meaning: "Which of the points along the way is the model",
    default: "last",
    ..MethodOption::new(OptionType::Name(choices::<SgdResult>))
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
    without_privacy: true,
    ..MethodOption::new(OptionType::Count)
};

/// How often each record is drawn.
const EPOCHS: MethodOption = MethodOption {
    name: "epochs",
    placeholder: "E",
    meaning: "How often a record is drawn on average, over all batches",
    without_privacy: true,
    ..MethodOption::new(OptionType::Positive)
};

/// η.
const STEP_SIZE: MethodOption = MethodOption {
    name: "step-size",
    placeholder: "H",
    meaning: "The size of a step along the mean gradient (of adam, in units of weights); rows of \
              classes are scaled to length one",
    default: "from the noise",
    without_privacy: true,
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

impl NamedChoice for SgdResult {
    const ALL: &'static [Self] = &[Self::Last, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Random => "random",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Last => "The last one",
            Self::Random => "The one at a random step: with optimizer sgd and a batch of 1, RRPSGD",
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
        result: options.choice(&RESULT)?.unwrap_or(SgdResult::Last),
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

/// The same without a budget.
fn without_privacy(
    request: &MethodRequest,
    task: Task,
    facts: Facts,
) -> Result<Box<dyn Planned>, PlanError> {
    let options = &request.options;
    let baseline = SgdBaseline {
        adjacency: request.adjacency,
        optimizer: options
            .choice(&OPTIMIZER)?
            .unwrap_or(SgdOptimizer::Momentum),
        batch: options.count(&BATCH)?.map(NonZeroU64::get),
        epochs: options.positive(&EPOCHS)?,
        step_size: options.positive(&STEP_SIZE)?,
        penalty: options.positive(&SATURATING_PENALTY)?,
        intercept: request.intercept,
        ..SgdBaseline::new(task)
    };
    Ok(Box::new(baseline.plan(facts)?))
}
