//! The flags that only some methods take.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reticent::fit::{Ball, Fitting, Steps, Teacher};
use reticent::train;

use crate::flags::positive;
use crate::number;

/// What only some methods are told.
#[derive(Debug, Args)]
pub struct Details {
    /// The weights lie in the ℓ₁ ball of this radius (frank-wolfe, sparsifier, lasso)
    /// [default: from public facts]
    #[arg(long, value_name = "RADIUS", allow_hyphen_values = true, help_heading = METHOD, value_parser = l1)]
    pub l1: Option<f64>,

    /// How many steps (frank-wolfe, sparsifier) [default: from public facts]
    #[arg(long, value_name = "T", help_heading = METHOD, value_parser = number::option_count)]
    pub iterations: Option<NonZeroU64>,

    /// How large the steps are (frank-wolfe, sparsifier) [default: average]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub steps: Option<StepsName>,

    /// Several classes in one ℓ₁ ball, or a ball each (frank-wolfe, sparsifier) [default:
    /// per-class]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub ball: Option<BallName>,

    /// Choose the weights privately in each step, and pay for those alone (ight)
    #[arg(long, help_heading = METHOD)]
    pub peeling: bool,

    /// How the chosen columns are fitted, for --task linear (select) [default: gradients]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub fitting: Option<FittingName>,

    /// Where the teacher is fitted (transfer) [default: support]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub teacher: Option<TeacherName>,

    /// Public rows that the teacher answers on (transfer) [default: made up]
    #[arg(long, value_name = "FILE", help_heading = METHOD)]
    pub public: Option<PathBuf>,

    /// Fit no intercept
    #[arg(long, help_heading = METHOD)]
    pub no_intercept: bool,

    /// The noise that the method's paper prints, certified at what is proved for it, if
    /// anything is; for comparison only (frank-wolfe, sparsifier, ight, transfer)
    #[arg(long, help_heading = METHOD)]
    pub as_published: bool,
}

const METHOD: &str = "Method";

impl Details {
    /// As the engine is told.
    pub fn told(&self) -> train::Details {
        train::Details {
            l1: self.l1,
            iterations: self.iterations,
            steps: self.steps.map(Steps::from),
            ball: self.ball.map(Ball::from),
            peeling: self.peeling,
            fitting: self.fitting.map(Fitting::from),
            teacher: self.teacher.map(Teacher::from),
            as_published: self.as_published,
        }
    }
}

/// The step sizes by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StepsName {
    /// 2/(t + 2)
    Standard,
    /// 1/(t + 1): the model is the plain average of the vertices chosen
    Average,
}

impl From<StepsName> for Steps {
    fn from(name: StepsName) -> Self {
        match name {
            StepsName::Standard => Self::Standard,
            StepsName::Average => Self::Average,
        }
    }
}

/// The balls by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BallName {
    /// One over the weights of all classes: one private selection a step
    Whole,
    /// One for each class: a selection a class and step, at the cost of two
    PerClass,
}

impl From<BallName> for Ball {
    fn from(name: BallName) -> Self {
        match name {
            BallName::Whole => Self::Whole,
            BallName::PerClass => Self::PerClass,
        }
    }
}

/// The fits by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FittingName {
    /// Noisy gradients, clipped at the scale of the residuals: the least absolute error;
    /// skewed targets are predicted low
    Gradients,
    /// Sufficient statistics with an adaptive ridge (AdaSSP): means also of skewed targets,
    /// for a larger budget
    Statistics,
}

impl From<FittingName> for Fitting {
    fn from(name: FittingName) -> Self {
        match name {
            FittingName::Gradients => Self::Gradients,
            FittingName::Statistics => Self::Statistics,
        }
    }
}

/// The teachers by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TeacherName {
    /// On all features
    Dense,
    /// On features that were chosen privately first
    Support,
}

impl From<TeacherName> for Teacher {
    fn from(name: TeacherName) -> Self {
        match name {
            TeacherName::Dense => Self::Dense,
            TeacherName::Support => Self::Support,
        }
    }
}

fn l1(text: &str) -> Result<f64, String> {
    number::quantity(text, |value| positive("the radius", value))
}
