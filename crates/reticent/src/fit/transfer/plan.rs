//! What a transfer will do and spend, from public facts alone.

use crate::fit::Around;
use crate::fit::NamedChoice;
use std::num::NonZeroU64;

use super::super::spending::multiplier;
use super::super::{Facts, PlanEntry, PlanError, Spending, Task, positive, ridge};
use super::{Auxiliary, Teacher, Transfer};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::{Gradient, slope_grid};
use crate::privacy::{Charge, Event, NoiseMultiplier, Range};
use crate::table::RecordBound;

/// Generated rows per weight of the teacher, on a support: the design is then nearly orthogonal.
const ROWS_EACH: usize = 32;
/// Never fewer generated rows.
const LEAST_ROWS: usize = 64;

/// What a transfer will do and spend.
pub struct TransferPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) loss: Loss,
    pub(super) teacher: Teacher,
    pub(super) auxiliary: Auxiliary,
    pub(super) rows: usize,
    pub(super) nonzero: usize,
    pub(super) lambda: f64,
    pub(super) intercept: bool,
    pub(super) noise: Noise,
    pub(super) slope_grid: Grid,
    pub(super) spending: Spending,
}

/// The noise of both releases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Noise {
    /// Of the support, if one is released.
    pub range: Option<Range>,
    /// Of the answers.
    pub answers: NoiseMultiplier,
}

impl Noise {
    /// The noise as a function of one multiplier z: both releases cost ρ = 1/(2z²) together, of
    /// which s selections of η²/8 have their share.
    fn at(z: NoiseMultiplier, share: Option<(f64, NonZeroU64)>) -> Self {
        let z = z.get();
        let left = 1.0 - share.map_or(0.0, |(share, _)| share);
        let range = share.map(|(share, nonzero)| {
            let range = 2.0 * (share / nonzero.get() as f64).sqrt() / z;
            Range::new(range).expect("finite and above 0")
        });
        Self {
            range,
            answers: multiplier(z / left.sqrt()),
        }
    }

    fn charges(&self, nonzero: NonZeroU64) -> Vec<Charge> {
        let selection = self.range.map(|range| Event::Exponential { range });
        let selections = selection.map(|event| Charge::new(event, nonzero));
        let noise = self.answers;
        let answers = Charge::once(Event::Gaussian { noise });
        selections.into_iter().chain([answers]).collect()
    }
}

impl Transfer {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<TransferPlan, PlanError> {
        self.check(&facts)?;
        let loss = self
            .task
            .loss(self.huber_threshold.unwrap_or(ridge::HUBER_THRESHOLD));
        let nonzero = self
            .nonzero
            .unwrap_or_else(|| ridge::nonzero(&facts, self.budget));
        let rows = self.rows(&facts, nonzero)?;
        // Between 1 and the number of columns.
        let count = NonZeroU64::new(nonzero as u64).unwrap_or(NonZeroU64::MIN);
        let share = match self.teacher {
            Teacher::Dense => None,
            Teacher::Support => Some((self.share, count)),
        };
        let charges = |z| Noise::at(z, share).charges(count);
        let around = (self.task, Around::model(self.task, self.intercept));
        let (spending, found) =
            Spending::around(around, 1.0, self.budget, self.adjacency, charges)?;
        let noise = Noise::at(found, share);
        let lambda = self
            .lambda
            .unwrap_or_else(|| self.default_lambda(&facts, loss, nonzero, noise));
        Ok(TransferPlan {
            // The finest grid: the support is selected once.
            slope_grid: slope_grid(facts.records, self.adjacency, loss.slope_bound(), 0.0)?,
            task: self.task,
            facts,
            loss,
            teacher: self.teacher,
            auxiliary: self.auxiliary,
            rows,
            nonzero,
            lambda,
            intercept: self.intercept,
            noise,
            spending,
        })
    }

    /// The teacher's weights without its intercept.
    fn columns(&self, facts: &Facts, nonzero: usize) -> usize {
        match self.teacher {
            Teacher::Dense => facts.columns,
            Teacher::Support => nonzero,
        }
    }

    fn default_lambda(&self, facts: &Facts, loss: Loss, nonzero: usize, noise: Noise) -> f64 {
        let columns = self.columns(facts, nonzero);
        let length = ridge::length(facts, columns, self.intercept);
        let moved = Gradient::moved(self.adjacency, loss.slope_bound(), length);
        let moved = moved / facts.records as f64;
        // The student has the noise of the weights that it keeps.
        let kept = (nonzero + usize::from(self.intercept)) as f64;
        ridge::lambda(facts, loss, noise.answers.get() * kept.sqrt() * moved)
    }

    /// How many public rows there are. A student on a support needs more rows than weights; one
    /// on all columns a few times s·log d (Wang and Gu 2020, theorem 4.3).
    fn rows(&self, facts: &Facts, nonzero: usize) -> Result<usize, PlanError> {
        let least = nonzero + usize::from(self.intercept);
        let enough = match self.teacher {
            Teacher::Support => ROWS_EACH * least,
            Teacher::Dense => {
                let per_weight = 4.0 * (facts.columns.max(2) as f64).ln();
                (per_weight.ceil() as usize) * least
            }
        };
        let (given, width) = match &self.auxiliary {
            Auxiliary::Uniform { rows } | Auxiliary::Gaussian { rows } => {
                (rows.unwrap_or(enough.max(LEAST_ROWS)), facts.columns)
            }
            Auxiliary::Public(matrix) => (matrix.rows(), matrix.width()),
            Auxiliary::Elsewhere { rows } => (*rows, facts.columns),
        };
        if given < least || width != facts.columns {
            return Err(PlanError::Auxiliary {
                columns: facts.columns,
                least,
                width,
                rows: given,
            });
        }
        Ok(given)
    }

    fn check(&self, facts: &Facts) -> Result<(), PlanError> {
        facts.check()?;
        if self.teacher == Teacher::Support && !(self.share > 0.0 && self.share < 1.0) {
            let (what, given) = ("support", self.share);
            return Err(PlanError::Share { what, given });
        }
        let weights = facts.columns;
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        if let Some(lambda) = self.lambda {
            positive("lambda", lambda)?;
        }
        match (self.task, self.huber_threshold) {
            (Task::Multinomial { .. }, _) => Err(PlanError::Task {
                method: "transfer",
                task: self.task.name(),
                instead: "use ight, select, frank-wolfe or sparsifier",
            }),
            (Task::Logistic, Some(_)) => Err(PlanError::HuberThresholdOfLogistic),
            (_, Some(threshold)) => positive("Huber threshold", threshold),
            (_, None) => Ok(()),
        }
    }
}

impl TransferPlan {
    /// Its public parameters.
    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let bound = match self.facts.rows {
            RecordBound::L2(_) => "l2",
            RecordBound::Linf(_) => "linf",
        };
        let mut entries = vec![
            PlanEntry::text("nonzero", self.nonzero, "weights that the student keeps"),
            PlanEntry::text(
                "teacher",
                self.teacher.name(),
                "where the teacher has weights",
            ),
            PlanEntry::number("lambda", self.lambda, "strength of the teacher's ridge"),
            PlanEntry::text(
                "auxiliary",
                format!("{}, {bound} bounded", self.auxiliary.name()),
                "the public rows that the teacher answers on",
            ),
            PlanEntry::text("public rows", self.rows, "how many of them"),
            PlanEntry::number(
                "answer noise",
                self.noise.answers.get(),
                "in units of how far one record can move the answers",
            ),
            PlanEntry::text(
                "intercept",
                if self.intercept { "yes" } else { "no" },
                "in the ridge like any weight",
            ),
        ];
        entries.extend(self.loss.huber_threshold().map(PlanEntry::huber_threshold));
        entries
    }
}
