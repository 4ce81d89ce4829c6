//! What is taken for stages, steps and slopes where a person says nothing, from public facts alone.
//! `docs/sparse.md` has the measurements.

use std::num::NonZeroU64;

use super::super::flow::{
    CENTRE_SHARE, Centring, Flow, Keep, Pace, Rows, each, selection, split, way,
};
use super::super::spending::rho;
use super::super::{Facts, Task};
use super::{Form, Ight};
use crate::loss::Loss;
use crate::privacy::NoiseMultiplier;
use crate::table::RecordBound;

/// Slopes of the logistic loss are clipped to half their bound: at weights 0 they are all ½ in
/// size, and noise is proportional to the clip. The clipped loss is convex.
pub(super) const LOGISTIC_SLOPE: f64 = 0.5;
/// The reach of residuals, targets being in [−1, 1].
const REACH: f64 = 0.25;
/// The fewest and the most steps of a stage with momentum, and how much of its way a step may take.
const STEPS: (f64, f64) = (32.0, 128.0);
const STRIDE: f64 = 32.0;
/// Steps of a stage for linear models, whose curvature the length tells.
const LINEAR_STEPS: u64 = 6;
/// The shares of ρ of the stages: all columns, twice the non-zeros, the non-zeros.
const SHARES: [f64; 3] = [0.35, 0.25, 0.4];
/// How many deviations of noise may gather in a weight: to select columns, and to fit them.
const TO_SELECT: f64 = 0.3;
const TO_FIT: f64 = 0.7;
/// In a model of any number of non-zeros, so many columns together may gather that much each; but no
/// column more than so many times that.
const FREE_COLUMNS: f64 = 256.0;
const FREEST: f64 = 3.0;
/// The soft threshold of a model of any number of non-zeros, in deviations.
const SOFT: f64 = 0.75;
/// The same for several classes, and up to ε = 2.
const TO_FIT_CLASSES: f64 = 0.35;
const FREE_COLUMNS_CLASSES: f64 = 128.0;
/// Fewer steps, each of which draws noise for every class.
const STEPS_CLASSES: u64 = 48;
const SOFT_CLASSES: f64 = 0.5;
/// Peeling: the selections' share of ρ.
pub(super) const PEELING_SHARE: f64 = 0.7;

/// How the records of a stage are held to a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Length {
    /// They are made as long as each other.
    Unit,
    /// Those above the median are weighed.
    Median,
    /// As the bound says.
    Longest,
}

/// One stage of a fit, before its noise is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stage {
    /// Its share of ρ.
    pub share: f64,
    /// How records are held to a length.
    pub length: Length,
    /// How many columns it leaves to the next; all if `None`.
    pub leaves: Option<usize>,
    /// Whether it starts where the stage before it ended.
    pub warm: bool,
    pub steps: NonZeroU64,
    pub pace: Pace,
    pub keep: Keep,
}

impl Stage {
    /// The flow of the stage, where the whole plan costs ρ = 1/(2z²).
    pub fn flow(&self, z: NoiseMultiplier, task: Task, loss: Loss, constant: f64) -> Flow {
        let (median, steps) = split(self.share);
        let (rows, share) = match self.length {
            Length::Unit => (Rows::Unit, self.share),
            Length::Median => (Rows::Median(selection(z, median, 1)), steps),
            Length::Longest => (Rows::Longest, self.share),
        };
        Flow {
            loss,
            outputs: task.outputs(),
            slope: slope(task, loss),
            constant,
            rows,
            steps: self.steps,
            noise: each(z, share, self.steps),
            pace: self.pace,
            keep: self.keep,
        }
    }
}

/// The loss of a task.
pub(super) fn loss(task: Task, reach: Option<f64>) -> Loss {
    match task {
        Task::Logistic | Task::Multinomial { .. } => Loss::Logistic,
        Task::Linear => Loss::Squared {
            reach: reach.unwrap_or(REACH),
        },
    }
}

/// What slopes are clipped to; for several classes, the norm of a record's residuals. At weights 0
/// that is √(1 − 1/K) for all records, and noise is proportional to the clip.
pub(super) fn slope(task: Task, loss: Loss) -> f64 {
    match (task, loss) {
        (Task::Multinomial { classes }, _) => (1.0 - 1.0 / f64::from(classes)).sqrt(),
        (_, Loss::Logistic) => LOGISTIC_SLOPE,
        (_, Loss::Squared { reach }) => reach,
    }
}

/// b₀: as large as an entry can be, and for rows bounded in ℓ₂, whose entries are smaller, a
/// quarter of the bound.
pub(super) fn constant(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound,
        RecordBound::L2(bound) => bound / 4.0,
    }
}

/// Whether rows are seen from their middle: those of classes, with an intercept that makes up for it,
/// where the middle is more than noise.
pub(super) fn centred(given: &Ight, facts: &Facts) -> bool {
    given.task != Task::Linear
        && given.form == Form::Staged
        && given.intercept
        && Centring::pays(facts, given.adjacency, rho(given.budget))
}

/// The stages of a fit, which share what finding the middle leaves, if it is `centred`.
pub(super) fn stages(given: &Ight, loss: Loss, facts: &Facts, centred: bool) -> Vec<Stage> {
    let (form, steps) = (given.form, given.iterations);
    let whole = if centred { 1.0 - CENTRE_SHARE } else { 1.0 };
    // A column has a weight for each class: so many columns hold the non-zeros.
    let outputs = given.task.outputs();
    let nonzero = given.nonzero.map(|count| count.div_ceil(outputs));
    let (to_fit, soft) = match given.task {
        Task::Multinomial { .. } => (TO_FIT_CLASSES, SOFT_CLASSES),
        _ => (TO_FIT, SOFT),
    };
    let stage = |share: f64, leaves, deviations| Stage {
        share: whole * share,
        length: match loss {
            Loss::Logistic => Length::Unit,
            Loss::Squared { .. } => Length::Median,
        },
        leaves,
        warm: false,
        steps: steps.unwrap_or_else(|| stage_steps(given, facts, whole * share, deviations)),
        pace: pace(loss, deviations),
        keep: Keep::All,
    };
    match (form, nonzero) {
        (Form::EachStep, Some(count)) => vec![Stage {
            keep: Keep::Largest(count),
            // Full steps go with the curvature that the length tells: one that is too short, as a
            // median of few records may be, would make them far too long.
            length: Length::Longest,
            steps: steps.unwrap_or(cutting_steps()),
            pace: newton(loss, 1),
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
            // Whoever asks for all weights gets all.
            keep: asked.map_or(Keep::Soft(soft), |_| Keep::All),
            ..stage(1.0, None, freely(to_fit, given.task, facts))
        }],
    }
}

/// A model of any number of non-zeros: few columns can bear more noise each.
fn freely(deviations: f64, task: Task, facts: &Facts) -> f64 {
    let (columns, freest) = match task {
        Task::Multinomial { .. } => (FREE_COLUMNS_CLASSES, f64::INFINITY),
        _ => (FREE_COLUMNS, FREEST),
    };
    deviations * (columns / facts.columns as f64).clamp(1.0, freest)
}

/// The pace of a stage.
fn pace(loss: Loss, deviations: f64) -> Pace {
    match loss {
        Loss::Logistic => Pace::Momentum { deviations },
        Loss::Squared { .. } => newton(loss, 2),
    }
}

/// Newton steps, the first `full` of them in full.
pub(super) fn newton(loss: Loss, full: u64) -> Pace {
    Pace::Averaging {
        full,
        curvature: mean_curvature(loss),
        sinking: loss == Loss::Logistic,
    }
}

/// The mean curvature, about: that of the residuals within reach, of which there are two thirds.
pub(super) fn mean_curvature(loss: Loss) -> f64 {
    match loss {
        Loss::Logistic => 0.25,
        Loss::Squared { .. } => 0.68,
    }
}

/// The steps of a stage that gets this share of ρ and gathers so many deviations.
fn stage_steps(given: &Ight, facts: &Facts, share: f64, deviations: f64) -> NonZeroU64 {
    count(match given.task {
        Task::Logistic => {
            let strength = (2.0 * rho(given.budget) * share).sqrt();
            let way = way(
                deviations,
                strength,
                LOGISTIC_SLOPE,
                facts.records,
                given.adjacency,
            );
            (way / STRIDE).ceil().clamp(STEPS.0, STEPS.1) as u64
        }
        Task::Multinomial { .. } => STEPS_CLASSES,
        Task::Linear => LINEAR_STEPS,
    })
}

/// Steps where the threshold cuts at each, also by peeling: it loses what it drops, and few good
/// steps are better than many noisy ones.
pub(super) fn cutting_steps() -> NonZeroU64 {
    count(2)
}

/// The mean square of a column, about: entries bounded in ℓ∞ are taken as uniform, and rows bounded
/// in ℓ₂ as shared out evenly.
pub(super) fn mean_square(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound * bound / 3.0,
        RecordBound::L2(bound) => bound * bound / facts.columns as f64,
    }
}

fn count(steps: u64) -> NonZeroU64 {
    NonZeroU64::new(steps).unwrap_or(NonZeroU64::MIN)
}
