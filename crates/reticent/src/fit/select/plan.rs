//! What a fit will do and spend, from public facts alone.

use crate::fit::Around;
use crate::fit::NamedChoice;
use std::num::NonZeroU64;

use super::super::noisy_descent::{noise_per_step, selection};
use super::super::spending::{multiplier, rho};
use super::super::{Facts, PlanEntry, PlanError, Spending, Task};
use super::column_choice::ColumnChoice;
use super::defaults::{self, FitRecipe, Recipe};
use super::fit::Fit;
use super::intercept_first::InterceptFirst;
use super::statistics::Statistics;
use super::target_frame::{FrameSearch, Shares};
use super::{Fitting, Select};
use crate::privacy::{Charge, NoiseMultiplier};

/// What a fit will do and spend; [`run`](super::super::Planned::run) runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectPlan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) nonzero: usize,
    pub(super) fitting: Fitting,
    pub(super) constant: f64,
    pub(super) shares: Shares,
    pub(super) frame_search: Option<FrameSearch>,
    pub(super) intercept_first: Option<InterceptFirst>,
    pub(super) rounds: Vec<Round>,
    pub(super) shrinkage: f64,
    pub(super) spending: Spending,
}

/// One round: some columns are chosen, and all so far are fitted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Round {
    /// `None` if all columns are used.
    pub choice: Option<ColumnChoice>,
    pub fit: RoundFit,
}

/// How the columns of a round are fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RoundFit {
    /// By preconditioned gradients.
    Gradients(Fit),
    /// By sufficient statistics.
    Statistics(Statistics),
}

impl RoundFit {
    fn charges(&self) -> Vec<Charge> {
        match self {
            Self::Gradients(fit) => fit.charges(),
            Self::Statistics(fit) => fit.charges(),
        }
    }

    fn steps(&self) -> u64 {
        match self {
            Self::Gradients(fit) => fit.steps.get(),
            Self::Statistics(_) => 1,
        }
    }
}

impl Round {
    fn charges(&self) -> Vec<Charge> {
        let choice = self.choice.iter().flat_map(ColumnChoice::charges);
        choice.chain(self.fit.charges()).collect()
    }
}

impl Select {
    /// The plan for a table with these public `facts`.
    pub fn plan(self, facts: Facts) -> Result<SelectPlan, PlanError> {
        facts.check()?;
        let outputs = self.task.outputs();
        let weights = facts.columns.saturating_mul(outputs);
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
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
        let columns = match self.nonzero {
            Some(count) => count.div_ceil(outputs),
            None => defaults::columns(self.task, &facts),
        };
        let choosing = columns < facts.columns;
        let mut recipe = defaults::recipe(self.task, choosing);
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
        let intercept_first = |z| (shares.mean > 0.0).then(|| InterceptFirst::new(z, shares.mean));
        let rounds = |z: NoiseMultiplier| match shares.features {
            0.0 => Vec::new(),
            // What is left of ρ = 1/(2z²).
            left => rounds(multiplier(z.get() / left.sqrt()), &recipe, columns, kind),
        };
        let around = Around::model(self.task, self.intercept);
        let charges = |z| -> Vec<Charge> {
            let frame_search = frame_search(z).map(|search| search.charge());
            let intercept_first =
                intercept_first(z).map(|intercept_first| intercept_first.charge());
            let rounds = rounds(z);
            let of_rounds = rounds.iter().flat_map(Round::charges);
            let before = frame_search.into_iter().chain(intercept_first);
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
            nonzero: self.nonzero.unwrap_or(columns * outputs),
            fitting: self.fitting,
            constant,
            shares,
            frame_search: frame_search(z),
            intercept_first: intercept_first(z),
            rounds: rounds(z),
            shrinkage: recipe.shrinkage,
            spending,
        })
    }
}

impl Select {
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
            mean: 0.0,
            features: 1.0,
            noise: 0.0,
        }
    }
}

/// What rounds have in common: the task, how columns are finally fitted, and the constant b₀.
type Kind = (Task, Fitting, f64);

/// The rounds that choose so many columns, where the whole plan costs ρ = 1/(2z²).
fn rounds(z: NoiseMultiplier, recipe: &Recipe, columns: usize, kind: Kind) -> Vec<Round> {
    let total = recipe.rounds;
    let rest = 1.0 - recipe.scale * f64::from(total);
    let weights = f64::from(total - 1) + recipe.last;
    let up_to = |round: u32| columns * round as usize / total as usize;
    let round = |r: u32| {
        let last = r + 1 == total;
        let count = up_to(r + 1) - up_to(r);
        let share = recipe.choosing * rest * count as f64 / columns as f64;
        let choice = NonZeroU64::new(count as u64).filter(|_| share > 0.0);
        let weight = if last { recipe.last } else { 1.0 };
        let fits = (1.0 - recipe.choosing) * rest * weight / weights;
        Round {
            choice: choice.map(|k| ColumnChoice {
                task: kind.0,
                constant: kind.2,
                scale: (recipe.scale > 0.0).then(|| selection(z, recipe.scale, 1)),
                count: k,
                range: selection(z, share, count),
            }),
            fit: match kind {
                (_, Fitting::Statistics, constant) if last => {
                    RoundFit::Statistics(statistics(z, fits, constant))
                }
                (task, _, constant) => {
                    let recipe = &recipe.fits[usize::from(!last)];
                    RoundFit::Gradients(fit(z, fits, recipe, (task, constant)))
                }
            },
        }
    };
    (0..total).map(round).collect()
}

/// A fit that costs a share of ρ = 1/(2z²).
fn fit(z: NoiseMultiplier, share: f64, recipe: &FitRecipe, (task, constant): (Task, f64)) -> Fit {
    let steps = NonZeroU64::new(recipe.steps).unwrap_or(NonZeroU64::MIN);
    let left = share * (1.0 - recipe.moments - recipe.scales);
    let scales = recipe.steps.div_ceil(2) as usize;
    Fit {
        task,
        constant,
        steps,
        full: recipe.full,
        moments: multiplier(z.get() / (share * recipe.moments).sqrt()),
        scale: (recipe.scales > 0.0).then(|| selection(z, share * recipe.scales, scales)),
        noise: noise_per_step(z, left, steps),
    }
}

/// A fit by statistics that costs a share of ρ = 1/(2z²), half for each statistic.
fn statistics(z: NoiseMultiplier, share: f64, constant: f64) -> Statistics {
    let noise = multiplier(z.get() / (share / 2.0).sqrt());
    Statistics {
        constant,
        moments: noise,
        products: noise,
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
        self.rounds.iter().map(|round| round.fit.steps()).sum()
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
            Some(_) => PlanEntry::text("frame", "found", "where in the range the targets lie"),
            None => PlanEntry::text(
                "frame",
                "the range",
                "noise would hide where in it the targets lie",
            ),
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
                "of predictions, the spread of the targets being 1",
            ));
        }
        lines.push(PlanEntry::number(
            "worst noise",
            self.shares.of_range(self.mean_noise()),
            "of predictions, the declared range being 1",
        ));
        lines
    }

    pub(super) fn entries(&self) -> Vec<PlanEntry> {
        let (columns, how) = match self.rounds.first().and_then(|round| round.choice) {
            Some(_) => {
                let count = self.nonzero.div_ceil(self.task.outputs());
                (count.to_string(), "chosen privately, then fitted")
            }
            None if self.rounds.is_empty() => ("none".into(), "the mean is all that is fitted"),
            None => ("all".into(), "fitted; none is chosen"),
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
        if self.task == Task::Linear {
            lines.extend(self.entries_of_numbers());
        }
        lines
    }
}
