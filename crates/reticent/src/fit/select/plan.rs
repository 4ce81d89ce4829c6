//! What a fit will do and spend, from public facts alone.

use super::super::ight::Screening;
use super::super::spending::{multiplier, rho};
use super::super::{
    Around, Facts, Ight, NamedChoice, Nonzero, PlanEntry, PlanError, Spending, Task,
};
use super::column_frames::ColumnSearch;
use super::defaults::{self, FitRecipe, Recipe};
use super::intercept_first::InterceptFirst;
use super::rounds::{Round, RoundColumns, rounds};
use super::target_frame::{FrameSearch, Shares};
use super::{Fitting, Select, sparsity};
use crate::privacy::{Charge, NoiseMultiplier};

/// What a fit will do and spend; [`run`](super::super::Planned::run) runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    /// The largest number of weights, and whether their number is found.
    pub(super) nonzero: usize,
    pub(super) finds_number: bool,
    pub(super) fitting: Fitting,
    pub(super) constant: f64,
    pub(super) shares: Shares,
    pub(super) frame_search: Option<FrameSearch>,
    pub(super) column_search: Option<ColumnSearch>,
    pub(super) intercept_first: Option<InterceptFirst>,
    pub(super) rounds: Vec<Round>,
    pub(super) shrinkage: f64,
    pub(super) spending: Spending,
}

impl Select {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SelectPlan, PlanError> {
        facts.check()?;
        let outputs = self.task.outputs();
        let weights = facts.columns.saturating_mul(outputs);
        let asked = self.nonzero.and_then(Nonzero::count);
        if let Some(given) = asked.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        let finds_number = self.nonzero == Some(Nonzero::Auto);
        if finds_number && self.fitting == Fitting::Statistics {
            return Err(PlanError::NonzeroAuto("a fit by statistics"));
        }
        match self.task {
            Task::Multinomial { classes } if classes < 2 => {
                return Err(PlanError::Classes(classes));
            }
            Task::Logistic | Task::Multinomial { .. } if self.fitting == Fitting::Statistics => {
                return Err(PlanError::Task {
                    method: "a fit by statistics",
                    task: self.task.name(),
                    instead: "only numbers have such statistics: use gradients",
                });
            }
            _ => {}
        }
        // A column has one weight per class: this many columns hold the non-zeros.
        let by_default = defaults::columns(self.task, &facts);
        // Where all columns can be looked at together, those that exceed the noise are fitted.
        let screens = finds_number && (self.task != Task::Linear || by_default == facts.columns);
        let columns = match asked {
            Some(count) => count.div_ceil(outputs),
            None if screens => sparsity::most_columns(&facts),
            None => by_default,
        };
        let choosing = columns < facts.columns && !screens;
        let mut recipe = match screens {
            true => defaults::screening_recipe(self.task, self.screening_share(&facts)),
            false => defaults::recipe(self.task, choosing),
        };
        if finds_number {
            // What is left is not noise.
            recipe.shrinkage = 0.0;
        }
        if let (Some(rounds), true) = (self.rounds, choosing) {
            recipe.rounds = rounds.get();
        }
        // Every round has a column to choose.
        recipe.rounds = recipe.rounds.min(columns as u32).max(1);
        if self.task != Task::Linear {
            let part = (1.0 - recipe.choosing) * rho(self.budget);
            let (steps, full) = defaults::class_steps(self.task, &facts, columns, part);
            recipe.fits = recipe.fits.map(|fit| FitRecipe { steps, full, ..fit });
        }
        let constant = match self.task {
            _ if !self.intercept => 0.0,
            _ => defaults::constant(&facts),
        };
        let kind = (self.task, self.fitting, constant);
        let shares = self.shares(&facts, &recipe, columns);
        let frame_search = |z| (shares.frame > 0.0).then(|| FrameSearch::new(z, shares.frame));
        let column_search =
            |z| (shares.columns > 0.0).then(|| ColumnSearch::new(z, shares.columns));
        let intercept_first = |z| (shares.mean > 0.0).then(|| InterceptFirst::new(z, shares.mean));
        let rounds = |z: NoiseMultiplier| match shares.features {
            0.0 => Vec::new(),
            // What is left of ρ = 1/(2z²).
            left => {
                let z = multiplier(z.get() / left.sqrt());
                let mut all = rounds(z, &recipe, columns, kind);
                if screens {
                    self.screen(z, &facts, columns, &mut all);
                }
                if let Some(last) = all.last_mut().filter(|_| finds_number) {
                    last.find_number(facts.columns);
                }
                all
            }
        };
        let around = Around::model(self.task, self.intercept);
        let charges = |z| -> Vec<Charge> {
            let frame_search = frame_search(z).map(|search| search.charge());
            let intercept_first =
                intercept_first(z).map(|intercept_first| intercept_first.charge());
            let rounds = rounds(z);
            let of_rounds = rounds.iter().flat_map(Round::charges);
            let column_search = column_search(z).map(|search| search.charge());
            let frames = frame_search.into_iter().chain(column_search);
            let before = frames.chain(intercept_first);
            before.chain(of_rounds).collect()
        };
        let (spending, z) = Spending::around(
            (self.task, around),
            1.0,
            self.budget,
            self.adjacency,
            charges,
        )?;
        Ok(SelectPlan {
            task: self.task,
            facts,
            nonzero: asked.unwrap_or(if screens { weights } else { columns * outputs }),
            finds_number,
            fitting: self.fitting,
            constant,
            shares,
            frame_search: frame_search(z),
            column_search: column_search(z),
            intercept_first: intercept_first(z),
            rounds: rounds(z),
            shrinkage: recipe.shrinkage,
            spending,
        })
    }
}

impl Select {
    /// The fit of classes on all columns whose first stage finds those to fit.
    fn path(&self) -> Ight {
        Ight {
            adjacency: self.adjacency,
            intercept: self.intercept,
            ..Ight::new(self.task, self.budget)
        }
    }

    /// The share of ρ of a look at all columns of classes; numbers are fitted on all columns first.
    fn screening_share(&self, facts: &Facts) -> f64 {
        match self.task {
            Task::Linear => 0.0,
            _ => Screening::new(multiplier(1.0), &self.path(), facts).1,
        }
    }

    /// The last round gets the columns that exceed the noise, at most so many of them.
    fn screen(&self, z: NoiseMultiplier, facts: &Facts, most: usize, rounds: &mut [Round]) {
        let Some(last) = rounds.last_mut() else {
            return;
        };
        last.columns = match self.task {
            Task::Linear => RoundColumns::Exceeding { most },
            _ => {
                let (screening, _) = Screening::new(z, &self.path(), facts);
                RoundColumns::Screened { screening, most }
            }
        };
    }

    /// How ρ is divided.
    fn shares(&self, facts: &Facts, recipe: &Recipe, columns: usize) -> Shares {
        if self.task == Task::Linear {
            // What the last fit gets of what features get.
            let others = f64::from(recipe.rounds - 1);
            let fitting = (1.0 - recipe.choosing) * recipe.last / (others + recipe.last);
            let fit = (columns, fitting);
            let rho = rho(self.budget);
            return Shares::new(facts, self.adjacency, rho, fit, self.intercept);
        }
        Shares {
            frame: 0.0,
            columns: 0.0,
            mean: 0.0,
            features: 1.0,
            noise: 0.0,
        }
    }
}

impl SelectPlan {
    /// The largest number of non-zero weights.
    pub fn nonzero(&self) -> usize {
        self.nonzero
    }

    /// How many rounds of choosing and fitting.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// The number of gradients released in all.
    pub(super) fn steps(&self) -> u64 {
        self.rounds.iter().map(Round::steps).sum()
    }

    /// The noise of the mean, relative to half the target frame.
    pub(super) fn mean_noise(&self) -> f64 {
        let adjacency = self.spending.adjacency();
        let first = self.intercept_first.as_ref();
        first.map_or(0.0, |first| first.deviation(&self.facts, adjacency))
    }

    /// About the largest noise of predictions, as a share of the declared range.
    pub(super) fn noise_of_range(&self) -> Option<f64> {
        (self.task == Task::Linear).then(|| self.shares.of_range(self.mean_noise()))
    }

    /// What a linear model will know of its targets.
    fn entries_of_numbers(&self) -> Vec<PlanEntry> {
        let mut lines = vec![PlanEntry::text(
            "predicts",
            "the mean",
            "of skewed targets too",
        )];
        lines.push(match self.frame_search {
            Some(_) => PlanEntry::text("frame", "searched for", FrameSearch::MEANING),
            None => PlanEntry::text(
                "frame",
                "the range",
                "noise would hide where in it the targets lie",
            ),
        });
        lines.push(match self.column_search {
            Some(_) => PlanEntry::text("column frames", "searched for", ColumnSearch::MEANING),
            None => PlanEntry::text("column frames", "the bounds", ColumnSearch::WITHOUT),
        });
        if self.rounds.is_empty() {
            lines.push(PlanEntry::text(
                "features",
                "not asked",
                "they will tell you nothing: noise exceeds what they can say",
            ));
        }
        if self.frame_search.is_some() {
            lines.push(PlanEntry::number(
                "noise",
                self.shares.of_spread(self.mean_noise()),
                "× the standard deviation of the targets, in predictions",
            ));
        }
        lines.push(PlanEntry::number(
            "worst noise",
            self.shares.of_range(self.mean_noise()),
            "× the declared range, in predictions, if the targets fill it",
        ));
        lines
    }

    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let (columns, how) = match self.rounds.last().map(|round| &round.columns) {
            Some(RoundColumns::Chosen(_)) => {
                let count = self.nonzero.div_ceil(self.task.outputs());
                (count.to_string(), "chosen privately, then fitted")
            }
            Some(RoundColumns::Screened { .. } | RoundColumns::Exceeding { .. }) => (
                "by noise".into(),
                "those whose signal exceeds it are fitted; all, if too many do",
            ),
            Some(RoundColumns::All) => ("all".into(), "fitted; none is chosen"),
            None => ("none".into(), "the mean is all that is fitted"),
        };
        let mut lines = vec![
            PlanEntry::text("columns", columns, how),
            PlanEntry::text("rounds", self.rounds.len(), "of choosing and fitting"),
            PlanEntry::text("iterations", self.steps(), "passes over all records"),
            PlanEntry::text("fit", self.fitting.name(), "how the final fit is made"),
            PlanEntry::text(
                "intercept",
                if self.constant > 0.0 { "yes" } else { "no" },
                "takes part in every fit",
            ),
        ];
        if self.finds_number {
            lines.push(PlanEntry::text(
                "nonzero",
                Nonzero::Auto,
                "weights that exceed their noise are kept: on average at most 1 in 10 of them by chance",
            ));
        }
        if self.task == Task::Linear {
            lines.extend(self.entries_of_numbers());
        }
        lines
    }
}
