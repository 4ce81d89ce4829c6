//! The rounds of a plan: which columns each of them takes, and how it fits them.

use std::num::NonZeroU64;

use super::super::Task;
use super::super::ight::Screening;
use super::super::noisy_descent::{noise_per_step, selection};
use super::super::spending::multiplier;
use super::Fitting;
use super::column_choice::ColumnChoice;
use super::defaults::{FitRecipe, Recipe};
use super::fit::Fit;
use super::statistics::Statistics;
use crate::privacy::{Charge, NoiseMultiplier};

/// One round: it takes some columns, and fits them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Round {
    pub columns: RoundColumns,
    pub fit: RoundFit,
}

/// The columns of a round.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RoundColumns {
    /// All.
    All,
    /// Those chosen so far, and some more.
    Chosen(ColumnChoice),
    /// At most so many that noisy steps on all columns find.
    Screened { screening: Screening, most: usize },
    /// At most so many whose weights exceeded their noise in the round before.
    Exceeding { most: usize },
}

impl RoundColumns {
    fn charges(&self) -> Vec<Charge> {
        match self {
            Self::All | Self::Exceeding { .. } => Vec::new(),
            Self::Chosen(choice) => choice.charges().collect(),
            Self::Screened { screening, .. } => screening.charges(),
        }
    }

    fn steps(&self) -> u64 {
        match self {
            Self::Screened { screening, .. } => screening.steps(),
            _ => 0,
        }
    }
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

    /// All of its weights are kept.
    pub fn keep_all(&mut self) {
        if let Self::Gradients(fit) = self {
            fit.discoveries_among = None;
        }
    }
}

impl Round {
    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        [self.columns.charges(), self.fit.charges()].concat()
    }

    /// How many gradients it releases.
    pub fn steps(&self) -> u64 {
        self.columns.steps() + self.fit.steps()
    }

    /// Of its weights those are kept that exceed their noise, among so many columns.
    pub fn find_number(&mut self, columns: usize) {
        if let RoundFit::Gradients(fit) = &mut self.fit {
            fit.discoveries_among = Some(columns);
        }
    }
}

/// What rounds have in common: the task, how columns are finally fitted, and the constant b₀.
pub(super) type Kind = (Task, Fitting, f64);

/// The rounds that choose so many columns, where the whole plan costs ρ = 1/(2z²).
pub(super) fn rounds(
    z: NoiseMultiplier,
    recipe: &Recipe,
    columns: usize,
    kind: Kind,
) -> Vec<Round> {
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
            columns: choice.map_or(RoundColumns::All, |k| {
                RoundColumns::Chosen(ColumnChoice {
                    task: kind.0,
                    constant: kind.2,
                    scale: (recipe.scale > 0.0).then(|| selection(z, recipe.scale, 1)),
                    count: k,
                    range: selection(z, share, count),
                })
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
        discoveries_among: None,
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
