//! Which method suits a table, from public facts alone.
//!
//! Measured in `docs/results/sparse.md`; the reasons in `docs/sparse.md`:
//!
//! | task | facts | method |
//! |---|---|---|
//! | classes | no sparsity asked for | DP-IGHT, of which the weights that stand out of the noise stay |
//! | classes | s wanted, rows bounded in ℓ₂ or d ≤ 32·s | DP-IGHT in stages |
//! | classes | s wanted, rows bounded in ℓ∞, d > 32·s, and A ≥ 8 | select, then fit |
//! | several classes | the same, and A < 8 | DP-IGHT in stages |
//! | two classes | the same, and 2 ≤ A < 8 | DP-IGHT in stages |
//! | two classes | the same, and A < 2 | Frank–Wolfe, cut to s weights |
//! | a number | any | select, then fit |
//!
//! With K classes s is the number of columns, each of which has K weights. A = n·√(ρ/s)/log d is how
//! far the mean slope of a good feature stands out of the noise of one of s selections.
//!
//! Noisy gradients pay for every column: their noise grows with the length of a record. A
//! selection pays for the largest entry only, however many columns there are, but once for each
//! column that it chooses.

use super::spending::rho;
use super::{Facts, Ight, PlanError, Planned, Select, Sparsifier, Task};
use crate::privacy::{Adjacency, Budget};
use crate::table::RecordBound;

/// More columns than this for each non-zero, and features are selected first.
const CROWDED: usize = 32;
/// Selections that stand out less than this are worse than noisy steps on all columns.
const CLEAR: f64 = 8.0;
/// Below this only a method that goes back to a column again and again finds any.
const FAINT: f64 = 2.0;

/// What will be used.
enum Choice {
    Ight,
    Select,
    Sparsifier,
}

/// What is wanted, and nothing of how.
///
/// | parameter | default | meaning | range |
/// |---|---|---|---|
/// | `task` | – | logistic, multinomial or linear | |
/// | `budget` | – | the (ε, δ) or ρ that may be spent | |
/// | `adjacency` | replace-one | which tables are neighbours | |
/// | `nonzero` | the method's | non-zero weights, a public number | 1 to the weights |
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
    pub nonzero: Option<usize>,
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

    /// The plan of the method that suits the facts, and why it does, in one line.
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
            Choice::Select => Box::new(self.select().plan(facts)?),
            Choice::Sparsifier => Box::new(self.sparsifier().plan(facts)?),
        };
        Ok((plan, why))
    }

    fn choose(&self, facts: &Facts) -> (Choice, String) {
        let columns = facts.columns;
        let outputs = self.task.outputs();
        let several = outputs > 1;
        let wanted = match (self.task, self.nonzero, facts.rows) {
            (Task::Linear, ..) => {
                let why = "residuals shrink as features are found, and the noise with them";
                return (Choice::Select, why.to_owned());
            }
            (_, None, _) if several => {
                let why = "one noisy gradient serves all classes at once";
                return (Choice::Ight, why.to_owned());
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
            // With several classes a column has a weight for each.
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
        let clear = self.clear(facts, wanted);
        if clear >= CLEAR {
            let why = format!("{crowd}, and there are records enough to select them privately");
            (Choice::Select, why)
        } else if clear >= FAINT || several {
            let why = format!("{crowd}, and records too few to select them one by one");
            (Choice::Ight, why)
        } else {
            let why = format!("{crowd}, and records so few that only small steps find any");
            (Choice::Sparsifier, why)
        }
    }

    /// A.
    fn clear(&self, facts: &Facts, wanted: usize) -> f64 {
        let each = (rho(self.budget) / wanted as f64).sqrt();
        facts.records as f64 * each / (facts.columns as f64).ln().max(1.0)
    }

    fn sparsifier(&self) -> Sparsifier {
        Sparsifier {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: self.intercept,
            ..Sparsifier::new(self.task, self.budget)
        }
    }

    fn ight(&self) -> Ight {
        Ight {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: self.intercept,
            ..Ight::new(self.task, self.budget)
        }
    }

    fn select(&self) -> Select {
        Select {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: self.intercept,
            ..Select::new(self.task, self.budget)
        }
    }
}
