//! Default stages, steps and slopes, from public facts alone. `docs/derivations/ight.md` has the
//! measurements.

use std::num::NonZeroU64;

use super::super::noisy_descent::{
    CENTRE_SHARE, Centring, NoisyDescent, Rows, StepRule, Thresholding, length_and_step_shares,
    noise_per_step, path_length, selection,
};
use super::super::spending::rho;
use super::super::{Around, Calibration, Facts, Task};
use super::{Ight, IghtForm};
use crate::loss::Loss;
use crate::privacy::{Budget, NoiseMultiplier};
use crate::table::RecordBound;

/// Slopes of the logistic loss are clipped to half their bound: at weights 0 they are all ½ in
/// size, and noise is proportional to the clip. The clipped loss is convex.
pub(super) const LOGISTIC_SLOPE: f64 = 0.5;
/// Where noise allows paths longer than this, what the clip hides costs more than noise does, and
/// slopes are clipped less.
const LONG_PATH: f64 = 16_000.0;
const LONG_PATH_SLOPE: f64 = 0.75;
/// The Huber threshold, targets being in [−1, 1].
pub(super) const HUBER_THRESHOLD: f64 = 0.25;
/// The fewest and the most steps of a stage with momentum, and how much of its path length a step
/// may take.
const STEPS: (f64, f64) = (32.0, 128.0);
const STRIDE: f64 = 32.0;
/// Steps of a stage for linear models, whose curvature follows from the length.
const LINEAR_STEPS: u64 = 6;
/// The shares of ρ of the stages: all columns, twice the non-zeros, the non-zeros.
const SHARES: [f64; 3] = [0.35, 0.25, 0.4];
/// How many deviations of noise may accumulate in a weight: to select columns, and to fit them.
const TO_SELECT: f64 = 0.3;
const TO_FIT: f64 = 0.7;
/// With a free number of non-zeros, up to this many columns may accumulate that much each; with
/// fewer columns each may accumulate more, up to this factor.
const FREE_COLUMNS: f64 = 256.0;
const FREEST: f64 = 3.0;
/// With a free number of non-zeros, weights of which less than this is likely to be signal are zero.
pub(in crate::fit) const LEAST_SHARE: f64 = 0.2;
/// The same for numbers: a soft threshold, in deviations.
const SOFT: f64 = 0.75;
/// The same for several classes.
const TO_FIT_CLASSES: f64 = 0.35;
const FREE_COLUMNS_CLASSES: f64 = 128.0;
/// Fewer steps, since each draws noise for every class.
const STEPS_CLASSES: u64 = 48;
const SOFT_CLASSES: f64 = 0.2;
/// The same where rows are bounded in ℓ₂, of which most columns are rare.
const SOFT_RARE: f64 = 0.4;
/// For rows bounded in ℓ₂, what residuals of several classes are clipped to, as a part of their norm at
/// weights 0: noise is what limits such fits, and a smaller clip lets records count for as much once
/// they are on the right side.
const SHORT_RESIDUALS: f64 = 0.75;
/// Peeling: the selections' share of ρ.
pub(super) const PEELING_SHARE: f64 = 0.7;

/// How the length of the records of a stage is limited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Length {
    /// All are scaled to the same length.
    Unit,
    /// Those longer than the median are weighed down.
    Median,
    /// As the bound allows.
    Longest,
}

/// One stage of a fit, before its noise is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stage {
    /// Its share of ρ.
    pub share: f64,
    /// How the length of records is limited.
    pub length: Length,
    /// How many columns it leaves for the next; all if `None`.
    pub leaves: Option<usize>,
    /// Whether it starts where the previous stage ended.
    pub warm: bool,
    /// R.
    pub slope: f64,
    pub steps: NonZeroU64,
    pub step_rule: StepRule,
    pub thresholding: Thresholding,
}

impl Stage {
    /// The descent of the stage, where the whole plan costs ρ = 1/(2z²).
    pub fn descent(
        &self,
        z: NoiseMultiplier,
        task: Task,
        loss: Loss,
        constant: f64,
    ) -> NoisyDescent {
        let (median, steps) = length_and_step_shares(self.share);
        let (rows, share) = match self.length {
            Length::Unit => (Rows::Unit, self.share),
            Length::Median => (Rows::Median(selection(z, median, 1)), steps),
            Length::Longest => (Rows::Longest, self.share),
        };
        NoisyDescent {
            loss,
            outputs: task.outputs(),
            slope: self.slope,
            constant,
            rows,
            steps: self.steps,
            noise: noise_per_step(z, share, self.steps),
            step_rule: self.step_rule,
            thresholding: self.thresholding,
        }
    }
}

/// What slopes are clipped to; for several classes, the norm of a record's residuals. At weights 0
/// that is √(1 − 1/K) for all records, and noise is proportional to the clip.
pub(super) fn slope(task: Task, loss: Loss) -> f64 {
    match (task, loss) {
        (Task::Multinomial { classes }, _) => (1.0 - 1.0 / f64::from(classes)).sqrt(),
        (_, Loss::Logistic) => LOGISTIC_SLOPE,
        (_, Loss::Squared { threshold }) => threshold,
    }
}

/// The same for rows of this bound.
pub(in crate::fit) fn slope_for_rows(task: Task, loss: Loss, rows: RecordBound) -> f64 {
    match (task, rows) {
        (Task::Multinomial { .. }, RecordBound::L2(_)) => SHORT_RESIDUALS * slope(task, loss),
        _ => slope(task, loss),
    }
}

/// The same for two classes in stages: by how long a path is that a fit of all columns with this share
/// of ρ can afford.
fn staged_slope(given: &Ight, facts: &Facts, share: f64) -> f64 {
    let deviations = deviations_at_any_size(TO_FIT, given.task, facts);
    let strength = (2.0 * rho(given.budget) * share).sqrt();
    let (records, adjacency) = (facts.records, given.adjacency);
    let path = path_length(deviations, strength, LOGISTIC_SLOPE, records, adjacency);
    match path > LONG_PATH {
        true => LONG_PATH_SLOPE,
        false => LOGISTIC_SLOPE,
    }
}

/// Whether single weights may exceed their noise: n·√(2ρ)/d is about one over that noise. Where it is
/// smaller, as for text, weights say something together of which each looks like noise by itself.
pub(in crate::fit) fn told_apart(budget: Budget, facts: &Facts) -> bool {
    let strength = (2.0 * rho(budget)).sqrt();
    facts.records as f64 * strength >= facts.columns as f64
}

/// b₀: as large as an entry can be, half of that where class rates are known beforehand, and for
/// rows bounded in ℓ₂, whose entries are smaller, a tenth of the bound.
pub(in crate::fit) fn constant(around: Around, facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) if around == Around::Nothing => bound,
        RecordBound::Linf(bound) => bound / 2.0,
        RecordBound::L2(bound) => bound / 10.0,
    }
}

/// What is released around a fit: as published, and where peeling cuts at each step, nothing.
pub(super) fn around(given: &Ight) -> Around {
    match (given.form, given.calibration) {
        (IghtForm::Peeling, _) | (_, Calibration::AsPublished) => Around::Nothing,
        _ => Around::model(given.task, given.intercept),
    }
}

/// Whether rows are centred: those of classes, with an intercept that absorbs the shift, where the
/// centre is more than noise.
pub(super) fn centred(given: &Ight, facts: &Facts) -> bool {
    given.task != Task::Linear
        && given.form == IghtForm::Staged
        && given.intercept
        && Centring::pays(facts, given.adjacency, rho(given.budget))
}

/// The stages of a fit, which share what finding the centre leaves, if rows are `centred`.
pub(super) fn stages(given: &Ight, loss: Loss, facts: &Facts, centred: bool) -> Vec<Stage> {
    let (form, steps) = (given.form, given.iterations);
    let whole = if centred { 1.0 - CENTRE_SHARE } else { 1.0 };
    // A column has one weight per class: this many columns hold the non-zeros.
    let outputs = given.task.outputs();
    let nonzero = given.nonzero.map(|count| count.div_ceil(outputs));
    let (to_fit, by_noise) = match (given.task, facts.rows) {
        (Task::Multinomial { .. }, RecordBound::L2(_)) => {
            (TO_FIT_CLASSES, Thresholding::Soft(SOFT_RARE))
        }
        (Task::Multinomial { .. }, RecordBound::Linf(_)) => {
            (TO_FIT_CLASSES, Thresholding::Soft(SOFT_CLASSES))
        }
        (Task::Logistic, RecordBound::Linf(_)) if told_apart(given.budget, facts) => {
            (TO_FIT, Thresholding::Shrunk(LEAST_SHARE))
        }
        _ => (TO_FIT, Thresholding::Soft(SOFT)),
    };
    let slope = match (given.task, form) {
        (Task::Logistic, IghtForm::Staged) => staged_slope(given, facts, whole),
        (task, _) => slope_for_rows(task, loss, facts.rows),
    };
    let stage = |share: f64, leaves, deviations| Stage {
        share: whole * share,
        length: match loss {
            Loss::Logistic => Length::Unit,
            Loss::Squared { .. } => Length::Median,
        },
        leaves,
        warm: false,
        slope,
        steps: steps.unwrap_or_else(|| stage_steps(given, facts, whole * share, deviations)),
        step_rule: step_rule(loss, deviations),
        thresholding: Thresholding::All,
    };
    match (form, nonzero) {
        (IghtForm::EachStep, Some(count)) => vec![Stage {
            thresholding: Thresholding::Largest(count),
            // Full steps use the curvature that follows from the length: one that is too short, as
            // a median of few records may be, would make them far too long.
            length: Length::Longest,
            steps: steps.unwrap_or(cutting_steps()),
            step_rule: newton(loss, 1),
            ..stage(1.0, None, to_fit)
        }],
        (_, Some(count)) if count < facts.columns => {
            let [first, second, mut last] = SHARES;
            let mut stages = Vec::new();
            if 2 * count < facts.columns {
                stages.push(stage(first, Some(2 * count), TO_SELECT));
            } else {
                last += first;
            }
            stages.push(stage(second, Some(count), TO_SELECT));
            stages.push(Stage {
                warm: true,
                ..stage(last, None, to_fit)
            });
            stages
        }
        (_, asked) => vec![Stage {
            // If all weights are asked for, all are kept.
            thresholding: asked.map_or(by_noise, |_| Thresholding::All),
            ..stage(1.0, None, deviations_at_any_size(to_fit, given.task, facts))
        }],
    }
}

/// The stage on all columns that finds which of them are worth a fit: the first where few are wanted.
pub(super) fn screening(given: &Ight, loss: Loss, facts: &Facts, centred: bool) -> Stage {
    let few = Ight {
        nonzero: Some(1),
        ..given.clone()
    };
    let first = stages(&few, loss, facts, centred)[0];
    Stage {
        // A table of one or two columns needs no such stage, and has none.
        share: first.share.min(SHARES[0]),
        ..first
    }
}

/// How many deviations of noise may accumulate in a weight where all columns have one.
pub(in crate::fit) fn deviations_of_all_columns(task: Task, facts: &Facts) -> f64 {
    let deviations = match task {
        Task::Multinomial { .. } => TO_FIT_CLASSES,
        _ => TO_FIT,
    };
    deviations_at_any_size(deviations, task, facts)
}

/// For a free number of non-zeros: the fewer the columns, the more noise each can bear.
fn deviations_at_any_size(deviations: f64, task: Task, facts: &Facts) -> f64 {
    let (columns, freest) = match task {
        Task::Multinomial { .. } => (FREE_COLUMNS_CLASSES, f64::INFINITY),
        _ => (FREE_COLUMNS, FREEST),
    };
    deviations * (columns / facts.columns as f64).clamp(1.0, freest)
}

/// The step rule of a stage.
fn step_rule(loss: Loss, deviations: f64) -> StepRule {
    match loss {
        Loss::Logistic => StepRule::Momentum { deviations },
        Loss::Squared { .. } => newton(loss, 2),
    }
}

/// Newton steps, the first `full` of them in full.
pub(super) fn newton(loss: Loss, full: u64) -> StepRule {
    StepRule::Averaging {
        full,
        curvature: mean_curvature(loss),
        shrinking: loss == Loss::Logistic,
    }
}

/// Approximate mean curvature: that of the residuals within the threshold, which are about two thirds.
pub(super) fn mean_curvature(loss: Loss) -> f64 {
    match loss {
        Loss::Logistic => 0.25,
        Loss::Squared { .. } => 0.68,
    }
}

/// The steps of a stage that gets this share of ρ and accumulates so many deviations.
fn stage_steps(given: &Ight, facts: &Facts, share: f64, deviations: f64) -> NonZeroU64 {
    count(match given.task {
        Task::Logistic => {
            let strength = (2.0 * rho(given.budget) * share).sqrt();
            let path_length = path_length(
                deviations,
                strength,
                LOGISTIC_SLOPE,
                facts.records,
                given.adjacency,
            );
            (path_length / STRIDE).ceil().clamp(STEPS.0, STEPS.1) as u64
        }
        Task::Multinomial { .. } => STEPS_CLASSES,
        Task::Linear => LINEAR_STEPS,
    })
}

/// Steps if the threshold cuts at each, or by peeling: what is dropped is lost, and few good steps
/// are better than many noisy ones.
pub(super) fn cutting_steps() -> NonZeroU64 {
    count(2)
}

/// Approximate mean square of a column: entries bounded in ℓ∞ are taken as uniform, and rows
/// bounded in ℓ₂ as spread evenly over the columns.
pub(in crate::fit) fn mean_square(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound * bound / 3.0,
        RecordBound::L2(bound) => bound * bound / facts.columns as f64,
    }
}

fn count(steps: u64) -> NonZeroU64 {
    NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN)
}
