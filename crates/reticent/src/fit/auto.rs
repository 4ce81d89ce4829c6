//! Which method suits a table, from public facts alone.
//!
//! Measured in `docs/results/sparse.md`; the reasons in `docs/derivations/auto.md`:
//!
//! | task | facts | method |
//! |---|---|---|
//! | classes | no sparsity asked for | DP-IGHT; weights that exceed the noise are kept |
//! | several classes | the same, 16 384 records or more, and n·√(2ρ) ≥ d | noisy gradients of batches |
//! | two classes | the same, half a million records or more, little noise, and a budget in ε | noisy gradients of batches |
//! | classes | s wanted, rows bounded in ℓ₂ or d ≤ 32·s | DP-IGHT in stages |
//! | classes | s wanted, rows bounded in ℓ∞, d > 32·s, and A ≥ 8 | select, then fit |
//! | several classes | the same, and A < 8 | DP-IGHT in stages |
//! | two classes | the same, and 2 ≤ A < 8 | DP-IGHT in stages |
//! | two classes | the same, and A < 2 | Frank–Wolfe, cut to s weights |
//! | a number | any | select, then fit |
//! | a number, d ≤ 200 | no sparsity asked for, and W ≥ 40 | the same, and the number of weights is found |
//! | any | the number of weights is to be found | select, then fit |
//!
//! With K classes s is the number of columns, each of which has K weights. A = n·√(ρ/s)/log d is
//! the ratio of the mean slope of a good feature to the noise of one of s selections. W = n·√(2ρ)/d (twice
//! that under add-remove) is about one over the noise of a weight: where it is small, true weights do not
//! exceed their noise one by one, and all of them together predict better than those that do.
//!
//! Noisy gradients pay for every column: their noise grows with the length of a record. A selection
//! pays only for the largest entry, however many columns there are, but once for each column that
//! it chooses.

use super::declaration::{BOTH, Declaration, PlanAndReason, PlanInput, Releases, TakesNonzero};
use super::spending::rho;
use super::{
    Facts, Ight, MethodName, MethodOptions, MethodRequest, Nonzero, PlanError, Planned, Select,
    Sgd, Sparsifier, Task, TaskName, baseline, default_nonzero, sgd,
};
use crate::privacy::{Adjacency, Budget};
use crate::table::RecordBound;

/// With more columns than this per non-zero, features are selected first.
const CROWDED: usize = 32;
/// Where A is below this, selections do worse than noisy steps on all columns.
const CLEAR: f64 = 8.0;
/// Up to so many columns of a linear model, its number of weights is found.
const FEW_COLUMNS: usize = 200;
/// The same where W is at least this: below, a fit of all weights was better on tables of
/// `docs/results/trust.md`.
const QUIET: f64 = 40.0;
/// Where A is below this, only a method that returns to a column many times finds any.
const FAINT: f64 = 2.0;

/// The method that is used.
enum Choice {
    Ight,
    Sgd,
    Select,
    Sparsifier,
}

/// Whichever method suits the public facts.
pub(super) static DECLARATION: Declaration = Declaration {
    name: "auto",
    meaning: "Whichever of these suits the number of records and columns, the bounds and the budget",
    paper: "",
    tasks: &TaskName::ALL,
    adjacencies: BOTH,
    nonzero: TakesNonzero::CountOrAuto,
    options: &[],
    baseline: Some(baseline::lasso),
    releases: Releases::Model,
    build: Some(build),
};

fn build(asked: PlanInput<'_>) -> Result<PlanAndReason, PlanError> {
    let request = asked.request;
    let auto = Auto {
        adjacency: request.adjacency,
        nonzero: request.nonzero,
        intercept: request.intercept,
        ..Auto::new(asked.task, asked.budget)
    };
    let (plan, why) = auto.plan(asked.facts)?;
    Ok((plan, Some(why)))
}

impl MethodRequest {
    /// The request whose result has the columns that this request asks for.
    ///
    /// Here `select` means a selection alone, which spends the whole budget on the columns. Rows
    /// bounded in ℓ₂ are short, so that noisy steps on all columns cost little and take
    /// correlations into account: for classes the columns are then those of an `ight` model. Any
    /// other method is fitted, and the columns are those of its weights; with several classes a
    /// column has one weight per class.
    pub fn for_columns(mut self, facts: Facts) -> Self {
        if self.nonzero == Some(Nonzero::Auto) && self.method == MethodName::AUTO {
            self.method = MethodName::SELECT;
        }
        if self.nonzero == Some(Nonzero::Auto) {
            // How many there are is found by a fit.
            return self;
        }
        let short = matches!(facts.rows, RecordBound::L2(_)) && self.task != TaskName::Linear;
        if self.method == MethodName::AUTO {
            self.method = if short {
                MethodName::IGHT
            } else {
                MethodName::SELECT
            };
        }
        if self.method == MethodName::SELECT {
            self.method = MethodName::CHOOSE;
            self.options = MethodOptions::default();
            return self;
        }
        if self.method == MethodName::IGHT && self.nonzero.is_none() {
            let most = facts.columns.saturating_sub(1).max(1);
            self.nonzero = Some(Nonzero::Count(default_nonzero(facts.columns).min(most)));
        }
        let outputs = self.task.of(self.classes.unwrap_or(0)).outputs();
        self.nonzero = self
            .count()
            .map(|columns| Nonzero::Count(columns.saturating_mul(outputs.max(1))));
        self
    }
}

/// What to fit, and no choice of how.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | the method's | non-zero weights, a public number, or that it is found | 1 to the weights, or auto |
/// | `intercept` | true | whether there is one | |
#[derive(Debug, Clone, PartialEq)]
pub struct Auto {
    /// What kind of model.
    pub task: Task,
    /// What may be spent.
    pub budget: Budget,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights are not zero; the method's own default if `None`.
    pub nonzero: Option<Nonzero>,
    /// Whether there is an intercept.
    pub intercept: bool,
}

impl Auto {
    /// The defaults for a task and a budget.
    pub fn new(task: Task, budget: Budget) -> Self {
        Self {
            task,
            budget,
            adjacency: Adjacency::ReplaceOne,
            nonzero: None,
            intercept: true,
        }
    }

    /// The plan of the method that suits the facts, and the reason in one line.
    pub fn plan(&self, facts: Facts) -> Result<(Box<dyn Planned>, String), PlanError> {
        facts.check()?;
        if let Task::Multinomial {
            classes: classes @ ..2,
        } = self.task
        {
            return Err(PlanError::Classes(classes));
        }
        let (choice, why) = self.choose(&facts);
        let plan: Box<dyn Planned> = match choice {
            Choice::Ight => Box::new(self.ight().plan(facts)?),
            Choice::Sgd => Box::new(self.sgd().plan(facts)?),
            Choice::Select => Box::new(self.select(&facts).plan(facts)?),
            Choice::Sparsifier => Box::new(self.sparsifier().plan(facts)?),
        };
        Ok((plan, why))
    }

    fn choose(&self, facts: &Facts) -> (Choice, String) {
        let columns = facts.columns;
        let outputs = self.task.outputs();
        let several = outputs > 1;
        if self.number(facts) == Some(Nonzero::Auto) {
            let why = "it knows the noise of each weight, and keeps the weights that exceed theirs";
            return (Choice::Select, why.to_owned());
        }
        let wanted = match (self.task, self.count(), facts.rows) {
            (Task::Linear, ..) => {
                let why = "residuals shrink as features are found, and the noise with them";
                return (Choice::Select, why.to_owned());
            }
            // Batches of some of the records have no cost in ρ.
            (_, None, _)
                if several
                    && self.budget.rho().is_none()
                    && sgd::suits_several_classes(&self.sgd(), facts) =>
            {
                let why = "noisy gradients of batches serve all classes at once, and go as far as the \
                           noise of each weight allows";
                return (Choice::Sgd, why.to_owned());
            }
            (_, None, _) if several => {
                let why = "one noisy gradient serves all classes at once, and the smallest weights are cut";
                return (Choice::Ight, why.to_owned());
            }
            (_, None, _) if self.budget.rho().is_none() && sgd::is_quicker(&self.sgd(), facts) => {
                let why = "with so many records, batches of them lead to the same model in a fraction \
                           of the time";
                return (Choice::Sgd, why.to_owned());
            }
            (_, None, _) => {
                let why = "no number of weights was asked for: all features move, and the smallest \
                           weights are cut";
                return (Choice::Ight, why.to_owned());
            }
            (_, Some(_), RecordBound::L2(_)) => {
                let why = "rows bounded in l2 are short: noisy steps on all features cost little";
                return (Choice::Ight, why.to_owned());
            }
            // With several classes a column has one weight per class.
            (_, Some(wanted), RecordBound::Linf(_)) => wanted.div_ceil(outputs),
        };
        if columns / CROWDED <= wanted {
            let why = format!(
                "with {columns} columns to keep {wanted} of, noisy steps on all of them see \
                 correlated features together"
            );
            return (Choice::Ight, why);
        }
        let crowd = format!("{columns} columns are many to keep {wanted} of");
        let signal_to_noise = self.signal_to_noise(facts, wanted);
        if signal_to_noise >= CLEAR {
            let why = format!("{crowd}, and there are records enough to select them privately");
            (Choice::Select, why)
        } else if signal_to_noise >= FAINT || several {
            let why = format!("{crowd}, and records too few to select them one by one");
            (Choice::Ight, why)
        } else {
            let why = format!("{crowd}, and records so few that only small steps find any");
            (Choice::Sparsifier, why)
        }
    }

    /// A.
    fn signal_to_noise(&self, facts: &Facts, wanted: usize) -> f64 {
        let per_selection = (rho(self.budget) / wanted as f64).sqrt();
        facts.records as f64 * per_selection / (facts.columns as f64).ln().max(1.0)
    }

    /// How many weights: unless that is asked for, it is found for numbers of few columns with little
    /// noise. Fewer weights that are true have less noise than all of them.
    fn number(&self, facts: &Facts) -> Option<Nonzero> {
        let few = self.task == Task::Linear && facts.columns <= FEW_COLUMNS;
        let finds = few && self.over_noise_of_weights(facts) >= QUIET;
        self.nonzero.or(finds.then_some(Nonzero::Auto))
    }

    /// W.
    fn over_noise_of_weights(&self, facts: &Facts) -> f64 {
        let strength = (2.0 * rho(self.budget)).sqrt();
        let moved = f64::from(self.adjacency.differing_records()) / 2.0;
        facts.records as f64 * strength / (moved * facts.columns as f64)
    }

    /// The number of weights, if one is asked for.
    fn count(&self) -> Option<usize> {
        self.nonzero.and_then(Nonzero::count)
    }

    fn sparsifier(&self) -> Sparsifier {
        Sparsifier {
            adjacency: self.adjacency,
            nonzero: self.count(),
            intercept: self.intercept,
            ..Sparsifier::new(self.task, self.budget)
        }
    }

    fn ight(&self) -> Ight {
        Ight {
            adjacency: self.adjacency,
            nonzero: self.count(),
            intercept: self.intercept,
            ..Ight::new(self.task, self.budget)
        }
    }

    fn sgd(&self) -> Sgd {
        Sgd {
            adjacency: self.adjacency,
            intercept: self.intercept,
            ..Sgd::new(self.task, self.budget)
        }
    }

    fn select(&self, facts: &Facts) -> Select {
        Select {
            adjacency: self.adjacency,
            nonzero: self.number(facts),
            intercept: self.intercept,
            ..Select::new(self.task, self.budget)
        }
    }
}
