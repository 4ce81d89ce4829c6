//! One fit of a case, and its figures on records that it was not fitted on.

use reticent::fit::{
    Auto, Baseline, Facts, FitInput, Fitted, Method, Nonzero, PlanEntry, Planned, Sparsifier, Task,
};
use reticent::metric;
use reticent::model::{Certificate, Model, Outcome, Predictions};
use reticent::noise::Generator;
use reticent::table::RecordBound;
use reticent::table::{ClassPattern, Table, Target};

use super::SEEDS;
use super::case::{Case, classes};
use crate::budget::budget;
use crate::memo::Memo;
use crate::summary::Summary;

/// Private Sparsifier's ℓ₁ radius in its paper, for entries within ±1.
pub const PUBLISHED_RADIUS: f64 = 10.0;

/// What is fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trial {
    /// `--method auto`, at δ = 1/n².
    Auto {
        epsilon: f64,
        nonzero: Option<usize>,
    },
    /// The same where the number of weights is found: `--nonzero auto`.
    Found { epsilon: f64 },
    /// Sparsifier as it was printed, claiming ε = 1 at δ = 1/n.
    Published,
    /// A LASSO without privacy, of a number of weights or the best by AIC.
    Baseline { nonzero: Option<usize> },
}

/// The name in progress and memory.
impl std::fmt::Display for Trial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let nonzero = match self {
            Self::Auto { epsilon, nonzero } => {
                write!(f, "auto at {epsilon}")?;
                nonzero
            }
            Self::Found { epsilon } => {
                return write!(f, "auto at {epsilon} of a number that is found");
            }
            Self::Published => return write!(f, "as published"),
            Self::Baseline { nonzero } => {
                write!(f, "lasso")?;
                nonzero
            }
        };
        nonzero.map_or(Ok(()), |count| write!(f, " of {count}"))
    }
}

/// The result of a fit. A figure that does not exist is NaN.
#[derive(Debug, Clone, Copy)]
pub struct Figures {
    /// The ε of the certificate.
    pub epsilon: f64,
    pub nonzero: f64,
    pub auc: f64,
    pub accuracy: f64,
    /// F₁ of the support.
    pub support: f64,
    /// Weights that are zero, and are so in truth.
    pub correct_zeros: f64,
    /// Weights that are zero, and are not so in truth.
    pub incorrect_zeros: f64,
}

impl Figures {
    pub fn list(self) -> Vec<f64> {
        vec![
            self.epsilon,
            self.nonzero,
            self.auc,
            self.accuracy,
            self.support,
            self.correct_zeros,
            self.incorrect_zeros,
        ]
    }

    pub fn of(list: &[f64]) -> Self {
        Self {
            epsilon: list[0],
            nonzero: list[1],
            auc: list[2],
            accuracy: list[3],
            support: list[4],
            correct_zeros: list[5],
            incorrect_zeros: list[6],
        }
    }
}

/// The figures of trials of a case: by trial, then by seed. A model without noise has as many
/// seeds as draw other records.
pub fn figures(part: &str, case: &Case, trials: &[Trial], memo: &Memo) -> Vec<Vec<Figures>> {
    let found = |trial: &Trial| {
        let seeds = match trial {
            Trial::Baseline { .. } => case.baselines,
            _ => SEEDS,
        };
        let names: Vec<String> = (0..seeds)
            .map(|seed| format!("{}, {trial}, seed {seed}", case.name))
            .collect();
        let lists = memo.all(part, &names, |seed| one(case, *trial, seed as u64).list());
        lists.iter().map(|list| Figures::of(list)).collect()
    };
    trials.iter().map(found).collect()
}

fn one(case: &Case, trial: Trial, seed: u64) -> Figures {
    let (plan, _) = plan(case.task, case.facts(), trial);
    fit(case, &*plan, seed)
}

/// One fit of a case by a plan, and its figures.
pub fn fit(case: &Case, plan: &dyn Planned, seed: u64) -> Figures {
    let (train, test) = case.tables(seed);
    let (layout, target) = (train.layout.clone(), train.target.clone());
    let facts = plan.facts();
    let held = train
        .clip(facts.rows, None, false)
        .expect("the bounds can be enforced");
    let mut randomness = Generator::not_private(seed);
    let fitted = match plan.spending() {
        Some(spending) => {
            let records = held.seal(spending.adjacency());
            plan.run(FitInput::Sealed(&records), &mut randomness, &mut ())
        }
        None => plan.run(FitInput::Open(&held), &mut randomness, &mut ()),
    };
    let fitted = fitted.expect("the plan can be run");
    let done = (fitted, plan.name(), plan.summary());
    measured(&model(&done, &target, layout, facts), &test, case)
}

/// A fit, by which method, with which parameters.
type Done = (Fitted, &'static str, Vec<PlanEntry>);

/// The plan of a trial, and why it was chosen.
pub fn plan(task: Task, facts: Facts, trial: Trial) -> (Box<dyn Planned>, String) {
    let records = facts.records as f64;
    match trial {
        Trial::Auto { epsilon, nonzero } => {
            let auto = Auto {
                nonzero: nonzero.map(Nonzero::Count),
                ..Auto::new(task, budget(epsilon, records.powi(-2)))
            };
            auto.plan(facts).expect("the defaults make a plan")
        }
        Trial::Found { epsilon } => {
            let auto = Auto {
                nonzero: Some(Nonzero::Auto),
                ..Auto::new(task, budget(epsilon, records.powi(-2)))
            };
            auto.plan(facts).expect("the defaults make a plan")
        }
        Trial::Published => {
            let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = facts.rows;
            let published = Sparsifier {
                radius: Some(PUBLISHED_RADIUS / bound),
                ..Sparsifier::as_published(budget(1.0, 1.0 / records))
            };
            let plan = published
                .plan(facts)
                .expect("the paper's setting makes a plan");
            (Box::new(plan), String::new())
        }
        Trial::Baseline { nonzero } => {
            let baseline = Baseline {
                nonzero,
                ..Baseline::new(task)
            };
            let plan = baseline.plan(facts).expect("the defaults make a plan");
            (Box::new(plan), String::new())
        }
    }
}

fn model(
    (fitted, name, outline): &Done,
    target: &Target,
    layout: reticent::table::Layout,
    facts: Facts,
) -> Model {
    let Target::Classes { names, .. } = target else {
        unreachable!("tables of cases have classes");
    };
    // Which labels of a file make a class does not matter here.
    let patterns: Vec<String> = (0..names.len()).map(|k| format!("class {k}={k}")).collect();
    let patterns = ClassPattern::list(&patterns).expect("each has a name of its own");
    let certificate = Certificate::new(fitted.statement.clone(), facts, Method::new(name, outline));
    Model::new(
        fitted,
        Outcome::Classes(patterns),
        false,
        layout,
        certificate,
    )
    .expect("a fit makes a model")
}

/// A model's figures on a table, whose rows it clips to the bounds of training.
fn measured(model: &Model, test: &Table, case: &Case) -> Figures {
    let (auc, accuracy) = match model.predict(&test.features).expect("the same columns") {
        Predictions::Classes { scores, .. } => {
            let metrics = metric::classes(&scores, classes(test)).expect("there are records");
            (metrics.auc.unwrap_or(f64::NAN), metrics.accuracy)
        }
        Predictions::Multiclass { scores, names } => {
            let metrics = metric::multiclass(&scores, classes(test), names.len());
            (f64::NAN, metrics.expect("there are records").accuracy)
        }
        Predictions::Values(_) => unreachable!("cases have classes"),
    };
    let weights = model.predictor().weights(0).iter();
    let found: Vec<u32> = weights.map(|pair| pair.0).collect();
    let truth = case.truth();
    let support = truth
        .clone()
        .and_then(|truth| metric::support(&found, &truth.collect::<Vec<_>>()).f1);
    let zeros = |of_truth: bool| {
        let columns = 0..case.facts().columns as u32;
        let zero = |j: &u32| !found.contains(j);
        truth.as_ref().map_or(f64::NAN, |truth| {
            let these = columns.filter(|j| truth.contains(j) == of_truth);
            these.filter(zero).count() as f64
        })
    };
    Figures {
        epsilon: model.certificate().statement.epsilon,
        nonzero: model.nonzero() as f64,
        auc,
        accuracy,
        support: support.unwrap_or(f64::NAN),
        correct_zeros: zeros(false),
        incorrect_zeros: zeros(true),
    }
}

/// A figure over seeds.
pub fn over(figures: &[Figures], figure: impl Fn(&Figures) -> f64) -> Summary {
    Summary::of(&figures.iter().map(figure).collect::<Vec<_>>())
}
