//! Models without privacy: baselines for private ones, and models of public data.
//!
//! A baseline gets the same rows, clipped to the same bounds, and does the same without noise. Its
//! statement says that nothing is proved.

use super::declaration::{BOTH, Declaration, RADIUS, Releases, TakesNonzero};
use super::{
    Facts, FitError, FitInput, Fitted, Guarantee, LinearFunction, MethodRequest, PlanEntry,
    PlanError, Planned, ProgressObserver, Task, TaskName, default_nonzero, open, positive,
};
use crate::loss::Loss;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Delta, Statement};
use crate::solve::{
    Design, LassoPoint, LinearProblem, MultinomialProblem, MultinomialSolution, Path, Problem,
    Region, Stop, frank_wolfe, hard_threshold, lasso_in_ball, lasso_of_size, lasso_path,
    multinomial_hard_threshold, multinomial_lasso,
};
use crate::table::{ClippedTable, RecordBound};

/// When the solvers stop: at a gap too small to show in any figure of a model.
const STOP: Stop = Stop {
    gap: 1e-5,
    steps: 2000,
};
/// For several classes, where a step takes that many times longer.
const STOP_SEVERAL: Stop = Stop {
    gap: 1e-5,
    steps: 200,
};
/// The default ℓ₁ radius of Frank–Wolfe, times the bound of an entry: wide enough that it hardly
/// binds.
const WIDE: f64 = 50.0;

/// The LASSO.
pub(super) static DECLARATION: Declaration = Declaration {
    name: "lasso",
    meaning: "The LASSO without privacy, for an infinite epsilon",
    paper: "Tibshirani 1996",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::Count,
    options: &[RADIUS],
    baseline: Some(lasso),
    releases: Releases::Model,
    build: None,
};

/// The LASSO for a request without a budget.
pub(super) fn lasso(
    request: &MethodRequest,
    task: Task,
    facts: Facts,
) -> Result<Box<dyn Planned>, PlanError> {
    BaselineMethod::Lasso.plan(request, task, facts)
}

/// Iterative gradient hard thresholding for a request without a budget.
pub(super) fn ight(
    request: &MethodRequest,
    task: Task,
    facts: Facts,
) -> Result<Box<dyn Planned>, PlanError> {
    BaselineMethod::Ight.plan(request, task, facts)
}

/// Frank–Wolfe for a request without a budget.
pub(super) fn frank_wolfe_in_ball(
    request: &MethodRequest,
    task: Task,
    facts: Facts,
) -> Result<Box<dyn Planned>, PlanError> {
    BaselineMethod::FrankWolfe.plan(request, task, facts)
}

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineMethod {
    /// The LASSO, by coordinate descent along a path.
    Lasso,
    /// Iterative gradient hard thresholding.
    Ight,
    /// Frank–Wolfe in the ℓ₁ ball.
    FrankWolfe,
}

impl BaselineMethod {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lasso => "lasso",
            Self::Ight => "ight",
            Self::FrankWolfe => "frank-wolfe",
        }
    }

    /// The plan of a request.
    fn plan(
        self,
        request: &MethodRequest,
        task: Task,
        facts: Facts,
    ) -> Result<Box<dyn Planned>, PlanError> {
        let baseline = Baseline {
            adjacency: request.adjacency,
            nonzero: request.count(),
            radius: request.options.positive(&RADIUS)?,
            intercept: request.intercept,
            method: self,
            ..Baseline::new(task)
        };
        Ok(Box::new(baseline.plan(facts)?))
    }
}

/// Parameters of a model without privacy.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `method` | LASSO | which solver | |
/// | `nonzero` | LASSO: the least AIC along the path, or a penalty of 1/n for several classes; IGHT: ⌊1.5√d⌋ | non-zero weights | ≥ 1 |
/// | `radius` | LASSO: none; Frank–Wolfe: 50 over the bound of an entry | of the ℓ₁ ball | > 0 |
/// | `intercept` | true | whether there is one | |
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// What kind of model.
    pub task: Task,
    /// Which solver.
    pub method: BaselineMethod,
    /// How many weights are not zero.
    pub nonzero: Option<usize>,
    /// The ℓ₁ radius.
    pub radius: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Which tables count as neighbours: stated, though nothing depends on it.
    pub adjacency: Adjacency,
}

impl Baseline {
    /// The defaults for a task.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            method: BaselineMethod::Lasso,
            nonzero: None,
            radius: None,
            intercept: true,
            adjacency: Adjacency::ReplaceOne,
        }
    }

    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<BaselinePlan, PlanError> {
        facts.check()?;
        if let Some(radius) = self.radius {
            positive("l1 radius", radius)?;
        }
        match (self.task, self.method) {
            (Task::Multinomial { .. }, BaselineMethod::FrankWolfe) => Err(PlanError::Task {
                method: "frank-wolfe without privacy",
                task: self.task.name(),
                instead: "use lasso or ight",
            }),
            _ => Ok(BaselinePlan {
                baseline: self,
                facts,
            }),
        }
    }

    fn one(&self, facts: &Facts, held: &ClippedTable, loss: Loss) -> LinearFunction {
        let problem = LinearProblem {
            design: design(held),
            targets: held.targets(),
            loss,
            intercept: self.intercept,
        };
        match (self.method, self.nonzero, self.radius) {
            (BaselineMethod::Lasso, Some(size), _) => of_point(lasso_of_size(problem, size, STOP)),
            (BaselineMethod::Lasso, None, Some(radius)) => {
                of_point(lasso_in_ball(problem, radius, STOP))
            }
            (BaselineMethod::Lasso, None, None) => {
                let path = lasso_path(problem, Path::default(), STOP);
                least_aic(path, held.targets().len(), loss)
            }
            (BaselineMethod::Ight, ..) => {
                let found = hard_threshold(problem, self.size(facts), true, STOP);
                LinearFunction {
                    weights: found.weights,
                    intercept: found.intercept,
                }
            }
            (BaselineMethod::FrankWolfe, ..) => self.frank_wolfe(facts, problem),
        }
    }

    fn frank_wolfe(&self, facts: &Facts, problem: LinearProblem<'_>) -> LinearFunction {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        let unit = problem.design.unit;
        // Entries are in units of a grid step: weights are smaller by the factor by which entries
        // are larger.
        let region = Region::L1 {
            radius: self.radius.unwrap_or(WIDE / bound) * unit,
        };
        let problem = Problem {
            features: problem.design.features,
            targets: problem.targets,
            loss: problem.loss,
            region: &region,
            intercept: self.intercept,
        };
        let found = frank_wolfe(problem, STOP);
        let weights: Vec<f64> = found.weights.iter().map(|weight| weight / unit).collect();
        LinearFunction::of(&weights, found.intercept)
    }

    fn several(&self, facts: &Facts, held: &ClippedTable, count: usize) -> Vec<LinearFunction> {
        // Classes were mapped to whole numbers below their count.
        let classes: Vec<u32> = held.targets().iter().map(|&class| class as u32).collect();
        let problem = MultinomialProblem {
            design: design(held),
            classes: &classes,
            count,
            intercept: self.intercept,
        };
        let found = match (self.method, self.nonzero) {
            (BaselineMethod::Ight, _) => {
                multinomial_hard_threshold(problem, self.size(facts) * count, STOP_SEVERAL)
            }
            (_, Some(size)) => multinomial_hard_threshold(problem, size, STOP_SEVERAL),
            // Frank–Wolfe of several classes is not planned.
            (_, None) => {
                multinomial_lasso(problem, 1.0 / classes.len().max(1) as f64, STOP_SEVERAL)
            }
        };
        of_classes(&found, count)
    }

    fn size(&self, facts: &Facts) -> usize {
        let by_default = default_nonzero(facts.columns);
        self.nonzero.unwrap_or(by_default).clamp(1, facts.columns)
    }
}

/// A model without privacy that will be solved to convergence.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselinePlan {
    baseline: Baseline,
    facts: Facts,
}

impl Planned for BaselinePlan {
    fn name(&self) -> &'static str {
        self.baseline.method.name()
    }

    fn task(&self) -> Task {
        self.baseline.task
    }

    fn facts(&self) -> Facts {
        self.facts
    }

    fn guarantee(&self) -> Guarantee<'_> {
        Guarantee::Nothing {
            reason: "it was fitted without noise (epsilon = inf)",
            claimed: None,
        }
    }

    fn summary(&self) -> Vec<PlanEntry> {
        let by_default = match (self.baseline.method, self.baseline.task) {
            (BaselineMethod::Lasso, Task::Multinomial { .. }) => "at penalty 1/n",
            (BaselineMethod::Lasso, _) => "by AIC",
            (BaselineMethod::Ight, _) => "1.5·√d",
            (BaselineMethod::FrankWolfe, _) => "free",
        };
        let size = self
            .baseline
            .nonzero
            .map_or(by_default.to_owned(), |s| s.to_string());
        let mut lines = vec![PlanEntry::text(
            "nonzero",
            size,
            "weights that are not zero",
        )];
        if let Some(radius) = self.baseline.radius {
            lines.push(PlanEntry::number(
                "radius",
                radius,
                "of the ℓ₁ ball of the weights",
            ));
        }
        lines
    }

    fn is_central(&self) -> bool {
        true
    }

    fn run(
        &self,
        subject: FitInput<'_>,
        _: &mut Generator,
        _: &mut dyn ProgressObserver,
    ) -> Result<Fitted, FitError> {
        let held = open(self, subject)?;
        let (baseline, facts) = (&self.baseline, &self.facts);
        let outputs = match baseline.task {
            Task::Multinomial { classes } => baseline.several(facts, held, classes as usize),
            task @ (Task::Logistic | Task::Linear) => {
                vec![baseline.one(facts, held, task.loss(f64::INFINITY))]
            }
        };
        // A certificate has a δ; without a guarantee nothing depends on it.
        let delta = Delta::new(0.5).map_err(PlanError::from)?;
        let statement = Statement::without_guarantee(baseline.adjacency, delta);
        Ok(Fitted::linear(outputs, statement))
    }
}

/// The rows, for a solver.
fn design<'a>(held: &'a ClippedTable) -> Design<'a> {
    Design {
        features: held.features(),
        unit: held.unit(),
    }
}

fn of_point(point: LassoPoint) -> LinearFunction {
    LinearFunction {
        weights: point.weights,
        intercept: point.intercept,
    }
}

/// The point of a path with the least AIC: 2·(log-likelihood lost) + 2·(weights), where the
/// likelihood of a number is a Gaussian's.
fn least_aic(path: Vec<LassoPoint>, records: usize, loss: Loss) -> LinearFunction {
    let aic = |point: &LassoPoint| {
        loss.log_likelihood_lost(point.loss, records) + point.weights.len() as f64
    };
    let best = path.into_iter().min_by(|a, b| aic(a).total_cmp(&aic(b)));
    best.map(of_point).unwrap_or_default()
}

fn of_classes(found: &MultinomialSolution, count: usize) -> Vec<LinearFunction> {
    (0..count)
        .map(|class| LinearFunction {
            weights: found
                .weights
                .iter()
                .filter(|(of, ..)| *of as usize == class)
                .map(|&(_, column, weight)| (column, weight))
                .collect(),
            intercept: found.intercepts[class],
        })
        .collect()
}
