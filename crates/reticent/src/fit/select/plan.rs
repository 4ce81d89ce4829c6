//! What a fit will do and spend, from public facts alone.

use std::num::NonZeroU64;

use super::super::flow::{each, selection};
use super::super::spending::multiplier;
use super::super::{Facts, Line, PlanError, Spending, Task};
use super::Select;
use super::defaults::{self, FitRecipe, Recipe};
use super::fit::Fit;
use crate::privacy::{Charge, Event, NoiseMultiplier, Range};

/// What a fit will do and spend; [`run`](super::super::Planned::run) does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub(super) task: Task,
    pub(super) facts: Facts,
    pub(super) nonzero: usize,
    pub(super) constant: f64,
    pub(super) rounds: Vec<Round>,
    pub(super) shrinkage: f64,
    pub(super) spending: Spending,
}

/// One round: some columns are chosen, and all so far are fitted.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Round {
    /// Finds the scale of the residuals before the choice, for linear models.
    pub scale: Option<Range>,
    /// How many columns are chosen, and the range of each choice; none if all are taken.
    pub choice: Option<(NonZeroU64, Range)>,
    pub fit: Fit,
}

impl Round {
    fn charges(&self) -> Vec<Charge> {
        let scale = self.scale.map(|range| Event::Exponential { range });
        let choice = self
            .choice
            .map(|(count, range)| Charge::new(Event::Exponential { range }, count));
        let before = scale.map(Charge::once).into_iter().chain(choice);
        before.chain(self.fit.charges()).collect()
    }
}

impl Select {
    /// The plan for a table of which `facts` are known.
    pub fn plan(self, facts: Facts) -> Result<Plan, PlanError> {
        facts.check()?;
        let weights = facts.columns;
        if let Some(given) = self.nonzero.filter(|s| !(1..=weights).contains(s)) {
            return Err(PlanError::Nonzero { given, weights });
        }
        if let Task::Multinomial { .. } = self.task {
            return Err(PlanError::Task {
                method: "select",
                task: self.task.name(),
                instead: "use ight, frank-wolfe or sparsifier",
            });
        }
        let nonzero = self.nonzero.unwrap_or(defaults::nonzero(self.task, &facts));
        let choosing = nonzero < facts.columns;
        let mut recipe = defaults::recipe(self.task, choosing);
        if let (Some(rounds), true) = (self.rounds, choosing) {
            recipe.rounds = rounds.get();
        }
        // No round without a column to choose.
        recipe.rounds = recipe.rounds.min(nonzero as u32).max(1);
        let constant = if self.intercept {
            defaults::constant(&facts)
        } else {
            0.0
        };
        let rounds = |z| rounds(z, &recipe, nonzero, (self.task, constant));
        let charges = |z| -> Vec<Charge> { rounds(z).iter().flat_map(Round::charges).collect() };
        let (spending, z) = Spending::within(self.budget, self.adjacency, charges)?;
        Ok(Plan {
            task: self.task,
            facts,
            nonzero,
            constant,
            rounds: rounds(z),
            shrinkage: recipe.shrinkage,
            spending,
        })
    }
}

/// The rounds where the whole plan costs ρ = 1/(2z²), for a task and a constant b₀.
fn rounds(
    z: NoiseMultiplier,
    recipe: &Recipe,
    nonzero: usize,
    (task, constant): (Task, f64),
) -> Vec<Round> {
    let total = recipe.rounds;
    let rest = 1.0 - recipe.scale * f64::from(total);
    let weights = f64::from(total - 1) + recipe.last;
    let up_to = |round: u32| nonzero * round as usize / total as usize;
    let round = |r: u32| {
        let last = r + 1 == total;
        let count = up_to(r + 1) - up_to(r);
        let share = recipe.choosing * rest * count as f64 / nonzero as f64;
        let choice = NonZeroU64::new(count as u64).filter(|_| share > 0.0);
        let weight = if last { recipe.last } else { 1.0 };
        let fits = (1.0 - recipe.choosing) * rest * weight / weights;
        Round {
            scale: (recipe.scale > 0.0).then(|| selection(z, recipe.scale, 1)),
            choice: choice.map(|k| (k, selection(z, share, count))),
            fit: fit(z, fits, &recipe.fits[usize::from(!last)], (task, constant)),
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
        noise: each(z, left, steps),
    }
}

impl Plan {
    /// How many columns are chosen.
    pub fn nonzero(&self) -> usize {
        self.nonzero
    }

    /// How many rounds of choosing and fitting.
    pub fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// Gradients that are looked at in all.
    pub(super) fn steps(&self) -> u64 {
        self.rounds.iter().map(|round| round.fit.steps.get()).sum()
    }

    pub(super) fn lines(&self) -> Vec<Line> {
        let chosen = match self.rounds.first().and_then(|round| round.choice) {
            Some(_) => self.nonzero.to_string(),
            None => "all".into(),
        };
        vec![
            Line::text("columns", chosen, "chosen privately, then fitted"),
            Line::text("rounds", self.rounds.len(), "of choosing and fitting"),
            Line::text("iterations", self.steps(), "noisy gradients in all"),
            Line::text(
                "intercept",
                if self.constant > 0.0 { "yes" } else { "no" },
                "takes part in every fit",
            ),
        ]
    }
}
