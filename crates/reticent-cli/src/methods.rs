//! The methods by their names, the flags that only some of them take, and the plan that follows.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reticent::data::Matrix;
use reticent::fit::{
    Auto, Auxiliary, Ball, Calibration, Facts, Fitting, Form, FrankWolfe, Ight, Multinomial, Plan,
    PlanError, Select, Sparsifier, Steps, Task, Teacher, Transfer, TwoStage,
};
use reticent::privacy::{Adjacency, Budget};
use reticent::solve::Region;

use crate::flags::{TaskName, positive};
use crate::number;
use crate::refusal::{Refusal, conflict, listed};

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

/// The methods by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Whichever suits the public facts
    Auto,
    /// Private Frank–Wolfe over the ℓ₁ ball: a private selection a step
    FrankWolfe,
    /// Frank–Wolfe, of which as many weights are kept as a LASSO would, counted privately
    Sparsifier,
    /// Noisy gradient steps, of which only the largest weights are kept
    Ight,
    /// Private selection of features, then a private fit on them
    Select,
    /// Blocks of records vote for features, then objective perturbation on them
    TwoStage,
    /// A teacher answers noisily on public rows, from which a sparse student learns
    Transfer,
    /// The LASSO, without privacy: for --epsilon inf
    Lasso,
}

impl MethodName {
    /// As on the command line.
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
        }
    }
}

impl Details {
    /// Refuses what the method, the task or a fit without privacy has no use for.
    pub fn fit_for(
        &self,
        method: MethodName,
        task: TaskName,
        nonzero: bool,
        open: bool,
    ) -> Result<(), Refusal> {
        use MethodName::{FrankWolfe, Ight, Lasso, Select, Sparsifier, Transfer};
        let all = MethodName::value_variants();
        let sparse: Vec<MethodName> = all.iter().copied().filter(|m| *m != FrankWolfe).collect();
        let of = [
            (nonzero, "--nonzero", &sparse[..]),
            (self.l1.is_some(), "--l1", &[FrankWolfe, Sparsifier, Lasso]),
            (
                self.iterations.is_some(),
                "--iterations",
                &[FrankWolfe, Sparsifier],
            ),
            (self.steps.is_some(), "--steps", &[FrankWolfe, Sparsifier]),
            (self.ball.is_some(), "--ball", &[FrankWolfe, Sparsifier]),
            (self.peeling, "--peeling", &[Ight]),
            (self.fitting.is_some(), "--fitting", &[Select]),
            (self.teacher.is_some(), "--teacher", &[Transfer]),
            (self.public.is_some(), "--public", &[Transfer]),
            (
                self.as_published,
                "--as-published",
                &[FrankWolfe, Sparsifier, Ight, Transfer],
            ),
        ];
        for (given, flag, methods) in of {
            if given && !methods.contains(&method) {
                let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
                return Err(conflict(format!(
                    "{flag} was given, but --method {} has no use for it\n\n  tip: leave it out, or \
                     use --method {}",
                    method.name(),
                    names.join(", ")
                )));
            }
        }
        if self.ball.is_some() && task != TaskName::Multinomial {
            return Err(conflict(
                "--ball was given, but there is one ball unless there are several classes\n\n  \
                 tip: leave it out, or use --task multinomial",
            ));
        }
        if self.fitting == Some(FittingName::Statistics) && task != TaskName::Linear {
            return Err(conflict(
                "--fitting statistics was given, but classes have no such statistics\n\n  \
                 tip: leave it out, or use --task linear",
            ));
        }
        if self.as_published && task == TaskName::Multinomial {
            return Err(conflict(
                "--as-published was given, but the papers' noise is for two classes or a number\n\n  \
                 tip: leave it out, or use --task logistic",
            ));
        }
        let cuts_each_step = self.peeling || (self.as_published && method == Ight);
        if cuts_each_step && !nonzero {
            return Err(conflict(
                "--peeling and --as-published keep a stated number of weights in each step\n\n  \
                 tip: add --nonzero S",
            ));
        }
        if self.peeling && self.as_published {
            return Err(conflict(
                "--peeling and --as-published are two forms of ight\n\n  tip: leave one out",
            ));
        }
        if self.as_published && (self.public.is_some() || self.teacher.is_some()) {
            return Err(conflict(
                "the published transfer has its own teacher, and generates its rows\n\n  \
                 tip: leave --public and --teacher out, or --as-published",
            ));
        }
        let of_steps = self.iterations.is_some() || self.steps.is_some() || self.ball.is_some();
        if open && (of_steps || self.peeling || self.as_published) {
            return Err(conflict(
                "--epsilon inf solves to the end, without noise: --iterations, --steps, --ball, \
                 --peeling and --as-published have no use there\n\n  tip: leave them out",
            ));
        }
        let twins = [MethodName::Auto, FrankWolfe, Ight, Lasso];
        match (open, twins.contains(&method)) {
            (true, false) => Err(conflict(format!(
                "--method {} is private by design; there is nothing to fit without privacy\n\n  \
                 tip: --epsilon inf goes with --method {}",
                method.name(),
                listed(&["lasso", "ight", "frank-wolfe"])
            ))),
            (false, _) if method == Lasso => Err(conflict(
                "--method lasso has no privacy\n\n  tip: use --epsilon inf if the data are \
                 public, or another method",
            )),
            _ => Ok(()),
        }
    }
}

/// A plan that is wanted.
pub struct Wanted<'a> {
    pub method: MethodName,
    pub details: &'a Details,
    pub nonzero: Option<usize>,
    pub task: Task,
    pub budget: Budget,
    pub adjacency: Adjacency,
    /// The rows of --public, once they are read.
    pub public: Option<Matrix>,
}

impl Wanted<'_> {
    /// The plan for a table of which `facts` are known, and why this method, if it was chosen.
    pub fn plan(self, facts: Facts) -> Result<(Plan, Option<String>), PlanError> {
        let plan = match self.method {
            MethodName::Auto => {
                let (plan, why) = self.auto().plan(facts)?;
                return Ok((plan, Some(why)));
            }
            MethodName::FrankWolfe if matches!(self.task, Task::Multinomial { .. }) => {
                Plan::Multinomial(self.multinomial().plan(facts)?)
            }
            MethodName::FrankWolfe => Plan::FrankWolfe(self.frank_wolfe().plan(facts)?),
            MethodName::Sparsifier => Plan::Sparsifier(self.sparsifier().plan(facts)?),
            MethodName::Ight => Plan::Ight(self.ight().plan(facts)?),
            MethodName::Select => Plan::Select(self.select().plan(facts)?),
            MethodName::TwoStage => Plan::TwoStage(self.two_stage().plan(facts)?),
            MethodName::Transfer => Plan::Transfer(self.transfer().plan(facts)?),
            MethodName::Lasso => unreachable!("refused when the flags were settled"),
        };
        Ok((plan, None))
    }

    fn calibration(&self) -> Calibration {
        if self.details.as_published {
            Calibration::AsPublished
        } else {
            Calibration::Exact
        }
    }

    fn steps(&self) -> Steps {
        self.details.steps.map_or(Steps::Average, Steps::from)
    }

    fn ball(&self) -> Ball {
        self.details.ball.map_or(Ball::PerClass, Ball::from)
    }

    fn auto(&self) -> Auto {
        Auto {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: !self.details.no_intercept,
            ..Auto::new(self.task, self.budget)
        }
    }

    fn frank_wolfe(&self) -> FrankWolfe {
        FrankWolfe {
            adjacency: self.adjacency,
            region: self.details.l1.map(|radius| Region::L1 { radius }),
            iterations: self.details.iterations,
            steps: self.steps(),
            intercept: !self.details.no_intercept,
            calibration: self.calibration(),
            ..FrankWolfe::new(self.task, self.budget)
        }
    }

    fn multinomial(&self) -> Multinomial {
        Multinomial {
            adjacency: self.adjacency,
            ball: self.ball(),
            radius: self.details.l1,
            iterations: self.details.iterations,
            steps: self.steps(),
            intercept: !self.details.no_intercept,
            ..Multinomial::new(self.task, self.budget)
        }
    }

    fn sparsifier(&self) -> Sparsifier {
        let basis = match self.calibration() {
            Calibration::Exact => Sparsifier::new(self.task, self.budget),
            Calibration::AsPublished => Sparsifier::as_published(self.budget),
        };
        Sparsifier {
            task: self.task,
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            radius: self.details.l1.or(basis.radius),
            iterations: self.details.iterations.or(basis.iterations),
            steps: self.details.steps.map_or(basis.steps, Steps::from),
            ball: self.ball(),
            intercept: basis.intercept && !self.details.no_intercept,
            ..basis
        }
    }

    fn ight(&self) -> Ight {
        Ight {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            form: match (self.details.peeling, self.details.as_published) {
                (true, _) => Form::Peeling,
                (false, true) => Form::EachStep,
                (false, false) => Form::Staged,
            },
            intercept: !self.details.no_intercept,
            calibration: self.calibration(),
            ..Ight::new(self.task, self.budget)
        }
    }

    fn select(&self) -> Select {
        Select {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            fitting: self
                .details
                .fitting
                .map_or(Fitting::Gradients, Fitting::from),
            intercept: !self.details.no_intercept,
            ..Select::new(self.task, self.budget)
        }
    }

    fn two_stage(&self) -> TwoStage {
        TwoStage {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: !self.details.no_intercept,
            ..TwoStage::new(self.task, self.budget)
        }
    }

    fn transfer(self) -> Transfer {
        let parameters = Transfer::new(self.task, self.budget);
        Transfer {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            teacher: self.details.teacher.map_or(Teacher::Support, Teacher::from),
            auxiliary: self.public.map_or(parameters.auxiliary, Auxiliary::Public),
            intercept: !self.details.no_intercept,
            ..parameters
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
