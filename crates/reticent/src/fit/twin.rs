//! Models without privacy, as private ones are judged by and for data that are public.
//!
//! A twin sees the same rows, held to the same bounds, and does the same thing without noise. Its
//! statement says that nothing is proved.

use super::{
    Facts, FitError, Fitted, Guarantee, Line, Output, PlanError, Planned, Subject, Task, Watch,
    default_nonzero, open, positive,
};
use crate::loss::Loss;
use crate::noise::Generator;
use crate::privacy::{Adjacency, Delta, Statement};
use crate::solve::{
    Design, LassoPoint, LinearProblem, MultinomialProblem, MultinomialSolution, Path, Problem,
    Region, Stop, frank_wolfe, hard_threshold, lasso_in_ball, lasso_of_size, lasso_path,
    multinomial_hard_threshold, multinomial_lasso,
};
use crate::table::{Held, RecordBound};

/// When the solvers stop: a gap that no figure of a model shows.
const STOP: Stop = Stop {
    gap: 1e-5,
    steps: 2000,
};
/// For several classes, where a step is that many times as long.
const STOP_SEVERAL: Stop = Stop {
    gap: 1e-5,
    steps: 200,
};
/// The ℓ₁ radius of Frank–Wolfe, times the bound of an entry, where none is given: wide enough
/// that it hardly binds.
const RADIUS: f64 = 50.0;

/// Which solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TwinMethod {
    /// The LASSO, by coordinate descent along a path.
    Lasso,
    /// Iterative gradient hard thresholding.
    Ight,
    /// Frank–Wolfe in the ℓ₁ ball.
    FrankWolfe,
}

impl TwinMethod {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lasso => "lasso",
            Self::Ight => "ight",
            Self::FrankWolfe => "frank-wolfe",
        }
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
pub struct Twin {
    /// What kind of model.
    pub task: Task,
    /// Which solver.
    pub method: TwinMethod,
    /// How many weights are not zero.
    pub nonzero: Option<usize>,
    /// The ℓ₁ radius.
    pub radius: Option<f64>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Which tables count as neighbours: of no consequence, and stated all the same.
    pub adjacency: Adjacency,
}

impl Twin {
    /// The defaults for a task.
    pub fn new(task: Task) -> Self {
        Self {
            task,
            method: TwinMethod::Lasso,
            nonzero: None,
            radius: None,
            intercept: true,
            adjacency: Adjacency::ReplaceOne,
        }
    }

    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<TwinPlan, PlanError> {
        facts.check()?;
        if let Some(radius) = self.radius {
            positive("l1 radius", radius)?;
        }
        match (self.task, self.method) {
            (Task::Multinomial { .. }, TwinMethod::FrankWolfe) => Err(PlanError::Task {
                method: "frank-wolfe without privacy",
                task: self.task.name(),
                instead: "use lasso or ight",
            }),
            _ => Ok(TwinPlan { twin: self, facts }),
        }
    }

    fn one(&self, facts: &Facts, held: &Held, loss: Loss) -> Output {
        let problem = LinearProblem {
            design: design(held),
            targets: held.targets(),
            loss,
            intercept: self.intercept,
        };
        match (self.method, self.nonzero, self.radius) {
            (TwinMethod::Lasso, Some(size), _) => of_point(lasso_of_size(problem, size, STOP)),
            (TwinMethod::Lasso, None, Some(radius)) => {
                of_point(lasso_in_ball(problem, radius, STOP))
            }
            (TwinMethod::Lasso, None, None) => {
                let path = lasso_path(problem, Path::default(), STOP);
                least_aic(path, held.targets().len(), loss)
            }
            (TwinMethod::Ight, ..) => {
                let found = hard_threshold(problem, self.size(facts), true, STOP);
                Output {
                    weights: found.weights,
                    intercept: found.intercept,
                }
            }
            (TwinMethod::FrankWolfe, ..) => self.frank_wolfe(facts, problem),
        }
    }

    fn frank_wolfe(&self, facts: &Facts, problem: LinearProblem<'_>) -> Output {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
        let unit = problem.design.unit;
        // In units of a grid step: a weight is then as many times smaller as an entry is larger.
        let region = Region::L1 {
            radius: self.radius.unwrap_or(RADIUS / bound) * unit,
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
        Output::of(&weights, found.intercept)
    }

    fn several(&self, facts: &Facts, held: &Held, count: usize) -> Vec<Output> {
        // Classes were mapped to whole numbers below their count.
        let classes: Vec<u32> = held.targets().iter().map(|&class| class as u32).collect();
        let problem = MultinomialProblem {
            design: design(held),
            classes: &classes,
            count,
            intercept: self.intercept,
        };
        let found = match (self.method, self.nonzero) {
            (TwinMethod::Ight, _) => {
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

/// A model without privacy that will be solved to the end.
#[derive(Debug, Clone, PartialEq)]
pub struct TwinPlan {
    twin: Twin,
    facts: Facts,
}

impl Planned for TwinPlan {
    fn name(&self) -> &'static str {
        self.twin.method.name()
    }

    fn task(&self) -> Task {
        self.twin.task
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

    fn outline(&self) -> Vec<Line> {
        let by_default = match (self.twin.method, self.twin.task) {
            (TwinMethod::Lasso, Task::Multinomial { .. }) => "at penalty 1/n",
            (TwinMethod::Lasso, _) => "by AIC",
            (TwinMethod::Ight, _) => "1.5·√d",
            (TwinMethod::FrankWolfe, _) => "free",
        };
        let size = self
            .twin
            .nonzero
            .map_or(by_default.to_owned(), |s| s.to_string());
        let mut lines = vec![Line::text("non-zeros", size, "weights that are not zero")];
        if let Some(radius) = self.twin.radius {
            lines.push(Line::number(
                "l1 radius",
                radius,
                "of the ℓ₁ ball that holds the weights",
            ));
        }
        lines
    }

    fn run(
        &self,
        subject: Subject<'_>,
        _: &mut Generator,
        _: &mut dyn Watch,
    ) -> Result<Fitted, FitError> {
        let held = open(self, subject)?;
        let (twin, facts) = (&self.twin, &self.facts);
        let outputs = match twin.task {
            Task::Multinomial { classes } => twin.several(facts, held, classes as usize),
            Task::Logistic => vec![twin.one(facts, held, Loss::Logistic)],
            Task::Linear => {
                let reach = f64::INFINITY;
                vec![twin.one(facts, held, Loss::Squared { reach })]
            }
        };
        // Of no consequence without a guarantee, and a certificate has one.
        let delta = Delta::new(0.5).map_err(PlanError::from)?;
        let statement = Statement::without_guarantee(twin.adjacency, delta);
        Ok(Fitted::linear(outputs, statement))
    }
}

/// The rows, for a solver.
fn design<'a>(held: &'a Held) -> Design<'a> {
    Design {
        features: held.features(),
        unit: held.unit(),
    }
}

fn of_point(point: LassoPoint) -> Output {
    Output {
        weights: point.weights,
        intercept: point.intercept,
    }
}

/// The point of a path with the least AIC: 2·(log-likelihood lost) + 2·(weights), where the
/// likelihood of a number is a Gaussian's.
fn least_aic(path: Vec<LassoPoint>, records: usize, loss: Loss) -> Output {
    let n = records as f64;
    let aic = |point: &LassoPoint| {
        let lost = match loss {
            Loss::Squared { .. } => 0.5 * n * point.loss.max(f64::MIN_POSITIVE).ln(),
            _ => n * point.loss,
        };
        lost + point.weights.len() as f64
    };
    let best = path.into_iter().min_by(|a, b| aic(a).total_cmp(&aic(b)));
    best.map(of_point).unwrap_or_default()
}

fn of_classes(found: &MultinomialSolution, count: usize) -> Vec<Output> {
    (0..count)
        .map(|class| Output {
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
