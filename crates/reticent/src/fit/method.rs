//! Tasks and methods by their names, and what only some methods are told.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::{Ball, Fitting, Steps, Task, Teacher};

/// The tasks by their names, before anyone has counted the classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskName {
    /// Two classes, by logistic regression.
    Logistic,
    /// Several classes, by multinomial logistic regression.
    Multinomial,
    /// A number, by linear regression.
    Linear,
}

impl TaskName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Logistic, Self::Multinomial, Self::Linear];

    /// The name for a person to type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Multinomial => "multinomial",
            Self::Linear => "linear",
        }
    }

    /// What it is, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Logistic => "Two classes, by logistic regression",
            Self::Multinomial => "Several classes, by multinomial logistic regression",
            Self::Linear => "A number, by linear regression",
        }
    }

    /// The task with so many classes.
    pub fn of(self, classes: u32) -> Task {
        match self {
            Self::Logistic => Task::Logistic,
            Self::Linear => Task::Linear,
            Self::Multinomial => Task::Multinomial { classes },
        }
    }
}

/// The methods by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodName {
    /// Whichever suits the public facts.
    Auto,
    /// Private Frank–Wolfe.
    FrankWolfe,
    /// Frank–Wolfe, cut to a private count of weights.
    Sparsifier,
    /// DP-IGHT.
    Ight,
    /// Select, then fit.
    Select,
    /// The two-stage procedure.
    TwoStage,
    /// Knowledge transfer.
    Transfer,
    /// The LASSO, without privacy.
    Lasso,
    /// Columns alone, and no model of them.
    Choose,
}

impl MethodName {
    /// Those that fit a model, for a person to choose from.
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::FrankWolfe,
        Self::Sparsifier,
        Self::Ight,
        Self::Select,
        Self::TwoStage,
        Self::Transfer,
        Self::Lasso,
    ];

    /// The name for a person to type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::FrankWolfe => "frank-wolfe",
            Self::Sparsifier => "sparsifier",
            Self::Ight => "ight",
            Self::Select => "select",
            Self::TwoStage => "two-stage",
            Self::Transfer => "transfer",
            Self::Lasso => "lasso",
            Self::Choose => "choose",
        }
    }

    /// What it does, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Auto => "Whichever suits the public facts",
            Self::FrankWolfe => "Private Frank–Wolfe over the ℓ₁ ball: a private selection a step",
            Self::Sparsifier => {
                "Frank–Wolfe, of which as many weights are kept as a LASSO would, counted privately"
            }
            Self::Ight => "Noisy gradient steps, of which only the largest weights are kept",
            Self::Select => "Private selection of features, then a private fit on them",
            Self::TwoStage => {
                "Blocks of records vote for features, then objective perturbation on them"
            }
            Self::Transfer => {
                "A teacher answers noisily on public rows, from which a sparse student learns"
            }
            Self::Lasso => "The LASSO, without privacy: for epsilon = inf",
            Self::Choose => "Private selection of features, and no model of them",
        }
    }
}

/// What only some methods are told; the rest of it follows from public facts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Details {
    /// The radius of the ℓ₁ ball that holds the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1: Option<f64>,
    /// How many steps of Frank–Wolfe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<NonZeroU64>,
    /// How large they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Steps>,
    /// Several classes in one ball, or in a ball each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<Ball>,
    /// DP-IGHT that chooses the weights privately in each step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub peeling: bool,
    /// How selected columns are fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitting: Option<Fitting>,
    /// Where a teacher is fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<Teacher>,
    /// Noise as the method's paper prints it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_published: bool,
}
