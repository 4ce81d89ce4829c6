//! The declaration of private Frank–Wolfe.

use super::{Ball, Calibration, FrankWolfe, MulticlassFrankWolfe, StepRule, defaults};
use crate::fit::declaration::{
    AS_PUBLISHED, BOTH, Declaration, HUBER_THRESHOLD, ITERATIONS, MethodOption, MethodOptions,
    NamedChoice, OptionType, OptionValue, PlanAndReason, PlanInput, RADIUS, Releases, TakesNonzero,
    built, choices,
};
use crate::fit::{PlanError, TaskName, baseline};
use crate::solve::{Region, Vertices};

/// Private Frank–Wolfe, for one linear function and for several classes.
pub(in crate::fit) static DECLARATION: Declaration = Declaration {
    name: "frank-wolfe",
    meaning: "Private Frank–Wolfe: one private selection per step, within a region",
    paper: "Talwar–Thakurta–Zhang 2015; several classes: Khanna et al. 2023",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::No,
    options: &[
        RADIUS,
        REGION,
        ITERATIONS,
        STEP_RULE,
        BALL,
        HUBER_THRESHOLD,
        AS_PUBLISHED,
    ],
    baseline: Some(baseline::frank_wolfe_in_ball),
    releases: Releases::Model,
    build: Some(build),
};

/// Where the weights lie.
const REGION: MethodOption = MethodOption {
    name: "region",
    placeholder: "l1|simplex|l2|FILE",
    meaning: "Where the weights lie, the target's range being [−1, 1]: in a ball, on the simplex \
              (weights that are shares), or in the convex hull of vertices that you list",
    default: "l1",
    tasks: &[TaskName::Logistic, TaskName::Linear],
    ..MethodOption::new(OptionType::NameOrVertices(choices::<RegionName>))
};

/// How large steps are.
pub(in crate::fit) const STEP_RULE: MethodOption = MethodOption {
    name: "step-rule",
    meaning: "How large the steps are",
    default: "average",
    ..MethodOption::new(OptionType::Name(choices::<StepRule>))
};

/// One ball or several.
pub(in crate::fit) const BALL: MethodOption = MethodOption {
    name: "ball",
    meaning: "One ℓ₁ ball for the weights of all classes, or one for each class",
    default: "per-class",
    tasks: &[TaskName::Multinomial],
    ..MethodOption::new(OptionType::Name(choices::<Ball>))
};

/// The regions that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RegionName {
    L1,
    Simplex,
    L2,
}

impl NamedChoice for RegionName {
    const ALL: &'static [Self] = &[Self::L1, Self::Simplex, Self::L2];

    fn name(self) -> &'static str {
        match self {
            Self::L1 => "l1",
            Self::Simplex => "simplex",
            Self::L2 => "l2",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::L1 => "Σ|w| ≤ R: few weights; selections among the vertices",
            Self::Simplex => "w ≥ 0 and Σw = R [R: 1]: shares; selections among the vertices",
            Self::L2 => "‖w‖₂ ≤ R: many weights; Gaussian noise on the whole gradient",
        }
    }
}

impl NamedChoice for StepRule {
    const ALL: &'static [Self] = &[Self::Standard, Self::Average];

    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Average => "average",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Standard => "2/(t + 2)",
            Self::Average => "1/(t + 1): the model is the plain average of the vertices chosen",
        }
    }
}

impl NamedChoice for Ball {
    const ALL: &'static [Self] = &[Self::Whole, Self::PerClass];

    fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::PerClass => "per-class",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Whole => "One over the weights of all classes: one private selection per step",
            Self::PerClass => {
                "One for each class: a selection per class and step, at the cost of two"
            }
        }
    }
}

/// The noise that options ask for.
pub(in crate::fit) fn calibration(options: &MethodOptions) -> Result<Calibration, PlanError> {
    Ok(match options.flag(&AS_PUBLISHED)? {
        true => Calibration::AsPublished,
        false => Calibration::Exact,
    })
}

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let (request, options) = (asked.request, &asked.request.options);
    let iterations = options.count(&ITERATIONS)?;
    let step_rule = options.choice(&STEP_RULE)?.unwrap_or(StepRule::Average);
    if request.task == TaskName::Multinomial {
        let parameters = MulticlassFrankWolfe {
            adjacency: request.adjacency,
            ball: options.choice(&BALL)?.unwrap_or(Ball::PerClass),
            radius: options.positive(&RADIUS)?,
            iterations,
            step_rule,
            intercept: request.intercept,
            ..MulticlassFrankWolfe::new(asked.task, asked.budget)
        };
        return built(parameters.plan(asked.facts)?);
    }
    let parameters = FrankWolfe {
        adjacency: request.adjacency,
        region: region(&asked)?,
        iterations,
        step_rule,
        intercept: request.intercept,
        huber_threshold: options.positive(&HUBER_THRESHOLD)?,
        calibration: calibration(options)?,
        ..FrankWolfe::new(asked.task, asked.budget)
    };
    built(parameters.plan(asked.facts)?)
}

/// The region asked for; the ℓ₁ ball of the default radius if `None`.
fn region(asked: &PlanInput<'_>) -> Result<Option<Region>, PlanError> {
    let options = &asked.request.options;
    let radius = options.positive(&RADIUS)?;
    if let Some(OptionValue::Vertices(points)) = options.value(&REGION)? {
        let points = points.clone();
        return match radius {
            Some(_) => Err(PlanError::RadiusOfPolytope),
            None => Ok(Some(Region::Polytope(Vertices { points }))),
        };
    }
    Ok(match options.choice(&REGION)? {
        None | Some(RegionName::L1) => radius.map(|radius| Region::L1 { radius }),
        Some(RegionName::Simplex) => Some(Region::Simplex {
            radius: radius.unwrap_or(1.0),
        }),
        Some(RegionName::L2) => {
            let loss = asked.task.loss(
                options
                    .positive(&HUBER_THRESHOLD)?
                    .unwrap_or(defaults::HUBER_THRESHOLD),
            );
            let intercept = asked.request.intercept;
            let by_default = || defaults::l2_radius(&asked.facts, loss, asked.budget, intercept);
            let radius = radius.unwrap_or_else(by_default);
            Some(Region::L2 { radius })
        }
    })
}
