//! Default batches, steps and sizes, from public facts alone. `docs/derivations/sgd.md` has the
//! measurements.

use super::{Sgd, SgdOptimizer, SgdPlan, SgdResult};
use crate::fit::ight;
use crate::fit::noisy_descent::Centring;
use crate::fit::spending::rho;
use crate::fit::{Around, Facts, PlanError, Task};
use crate::loss::Loss;
use crate::mechanism::Batches;
use crate::privacy::{Adjacency, NoiseMultiplier};
use crate::table::RecordBound;

/// How large e^{1/m²} − 1 is for the noise multiplier m of a default batch, about: sampling amplifies
/// nearly as much as it can where noise is larger than that, m = 2.
const LEAST_NOISE: f64 = 0.25;
/// The fewest epochs by default: fewer steps, or smaller batches, would add more noise of sampling than
/// there is noise for privacy ...
const LEAST_EPOCHS: f64 = 4.0;
/// ... but one is enough where all batches together have so many records per column, and so many at all
/// (of rare classes few are drawn), and noise does not limit how far steps go.
const ENOUGH: (f64, f64) = (4096.0, 1e6);
/// From so many records on, batches are a quicker way to the same model; with at most so many epochs.
const MANY_RECORDS: u64 = 1 << 19;
const FEW_EPOCHS: f64 = 2.5;
/// Batches of more than this part of the records are all of them: sampling would gain nothing.
const LARGE: f64 = 0.5;
/// The fewest and the most steps, and how much of its path length a step may take.
const STEPS: (f64, f64) = (64.0, 256.0);
const STRIDE: f64 = 32.0;
/// What residuals of several classes are clipped to, as a part of their norm at weights 0: noise is as much
/// smaller, and records that are on the wrong side do not pull the harder for being so.
const SHORT_RESIDUALS: f64 = 0.5;
/// Steps for numbers.
const LINEAR_STEPS: f64 = 64.0;
/// The Huber threshold, targets being in [−1, 1].
pub(super) const HUBER_THRESHOLD: f64 = 0.25;
/// γ of recursive momentum.
pub(super) const RECURSIVE: f64 = 0.1;
/// What the first batch of recursive momentum gets of what the steps get.
pub(super) const FIRST_SHARE: f64 = 0.1;

/// What is released around a fit.
pub(super) fn around(given: &Sgd) -> Around {
    Around::model(given.task, given.intercept)
}

/// Whether rows are centred.
pub(super) fn centred(given: &Sgd, facts: &Facts) -> bool {
    given.task != Task::Linear
        && given.intercept
        && Centring::pays(facts, given.adjacency, rho(given.budget))
}

/// b₀: the constant of the intercept; 0 for none.
pub(super) fn constant(given: &Sgd, facts: &Facts) -> f64 {
    match given.intercept {
        true => ight::constant(around(given), facts),
        false => 0.0,
    }
}

/// C: the greatest length of a record's gradient. Rows of classes have length one, so it is what slopes
/// are clipped to; for numbers, that times the length of a typical row.
pub(super) fn clip(given: &Sgd, loss: Loss, facts: &Facts, constant: f64) -> f64 {
    let slope = ight::slope_for_rows(given.task, loss, facts.rows);
    match given.task {
        Task::Multinomial { classes } => SHORT_RESIDUALS * (1.0 - 1.0 / f64::from(classes)).sqrt(),
        Task::Linear => {
            let columns = facts.columns as f64;
            let square = columns * ight::mean_square(facts);
            slope * square.sqrt().hypot(constant)
        }
        _ => slope,
    }
}

/// How batches are drawn, and how many.
pub(super) fn batches(given: &Sgd, facts: &Facts, clip: f64) -> (Batches, u64) {
    let records = facts.records as f64;
    let strength = (2.0 * rho(given.budget)).sqrt();
    let steps = match given.task {
        Task::Linear => LINEAR_STEPS,
        _ => {
            let moved = moved(given.adjacency, clip, records);
            let path = deviations(given, facts) * strength / moved;
            (path / STRIDE).clamp(STEPS.0, STEPS.1)
        }
    };
    let (size, steps) = match (given.batch, given.epochs) {
        (Some(size), epochs) => {
            let size = (size.get() as f64).min(records);
            let asked = epochs.map(|epochs| epochs * records / size);
            let usual = || {
                let epochs = default_epochs(given, facts, clip, steps);
                steps.max(epochs * records / size)
            };
            (size, asked.unwrap_or_else(usual))
        }
        (None, epochs) => {
            let epochs = epochs.unwrap_or_else(|| default_epochs(given, facts, clip, steps));
            match epochs / steps {
                rate if rate > LARGE => (records, epochs.min(steps)),
                rate => (rate * records, steps),
            }
        }
    };
    let batches = Batches::of(size.ceil() as u64, facts.records, given.adjacency);
    // The cast saturates; a plan refuses more steps than it can account for.
    (batches, steps.round().max(1.0) as u64)
}

/// As many epochs as sampling amplifies well at: q²·T·(e^{1/m²} − 1) is about the square of what the steps
/// are worth. Half of that, and so on, where the noise of that would still allow the longest steps.
fn default_epochs(given: &Sgd, facts: &Facts, clip: f64, steps: f64) -> f64 {
    let strength = (2.0 * rho(given.budget)).sqrt();
    let mut epochs = (strength * (steps / LEAST_NOISE).sqrt()).max(LEAST_EPOCHS);
    if given.task == Task::Linear {
        return epochs;
    }
    let records = facts.records as f64;
    let enough = (ENOUGH.0 * facts.columns as f64).max(ENOUGH.1);
    let least = (enough / records).clamp(1.0, LEAST_EPOCHS);
    let longest = steps * longest_step(usual_curvature(given.task, clip, 1.0)) / (1.0 - MOMENTUM.1);
    let is_long = |epochs: f64| {
        let rate = epochs / steps;
        let square = strength * strength / steps;
        let noise = 1.0 / (square / (rate * rate)).ln_1p().sqrt();
        let moved = noise * moved(given.adjacency, clip, rate * records);
        deviations(given, facts) * steps.sqrt() / moved >= longest
    };
    while epochs >= 2.0 * least && is_long(epochs / 2.0) {
        epochs /= 2.0;
    }
    epochs
}

/// Whether a fit of two classes by batches is as good as one by gradients of all records, and quicker.
pub(in crate::fit) fn is_quicker(given: &Sgd, facts: &Facts) -> bool {
    if given.task != Task::Logistic || facts.records < MANY_RECORDS {
        return false;
    }
    let constant = constant(given, facts);
    let (batches, steps) = batches(given, facts, clip(given, Loss::Logistic, facts, constant));
    steps as f64 * size(batches, facts) <= FEW_EPOCHS * facts.records as f64
}

/// From so many records on, batches suit several classes.
const RECORDS_OF_CLASSES: u64 = 1 << 14;

/// Whether a fit of several classes by batches is as good as one by gradients of all records, or better:
/// where single weights may exceed their noise, so that there is nothing to gain from cutting many.
pub(in crate::fit) fn suits_several_classes(given: &Sgd, facts: &Facts) -> bool {
    facts.records >= RECORDS_OF_CLASSES && ight::told_apart(given.budget, facts)
}

/// The largest step, times the largest possible curvature of rows of length one.
const LARGEST_STEP: f64 = 2.0;
/// The least and the greatest momentum.
pub(super) const MOMENTUM: (f64, f64) = (0.5, 0.95);

/// The longest step where gradients change by at most so much per length.
pub(super) fn longest_step(curvature: f64) -> f64 {
    LARGEST_STEP / curvature
}

/// About the largest curvature of the loss of a record whose gradient is at most as long as C: rows of
/// classes have length one, and those of numbers about the length that the clip suits.
pub(super) fn curvature(task: Task, clip: f64, slope_bound: f64) -> f64 {
    match task {
        Task::Logistic => Loss::Logistic.curvature(),
        // Of p − e_y in the margins: at most ½.
        Task::Multinomial { .. } => 0.5,
        Task::Linear => (clip / slope_bound).powi(2),
    }
}

/// About the largest curvature of the mean loss along the way, which steps are made for: as above, but for
/// several classes. There it is ½ where all records waver between the same two classes, but 1/K at the
/// start, and lower where rows do not all lie along one direction. Where a table has more, gradients
/// swing, and steps are halved.
pub(super) fn usual_curvature(task: Task, clip: f64, slope_bound: f64) -> f64 {
    let most = curvature(task, clip, slope_bound);
    match task {
        Task::Multinomial { classes } => most.min(1.0 / f64::from(classes)),
        Task::Logistic | Task::Linear => most,
    }
}

/// The longest step of recursive momentum, whose noise grows with the steps: an estimate v has noise of
/// about σ = m·M·(1 − γ)·C₂/√(2γ) in each of its d coordinates, where C₂ is the curvature times the
/// length η·‖v‖ ≥ η·σ·√d of a step, and one record moves a mean by M times its clip. If that feeds
/// itself, nothing is left but noise; here it does not by a factor of 2.
pub(super) fn longest_recursive_step(plan: &SgdPlan) -> f64 {
    let one = moved(plan.spending.adjacency(), 1.0, plan.batch_size());
    let noise = plan.noise.get() * one * (1.0 - RECURSIVE) / (2.0 * RECURSIVE).sqrt();
    let coordinates = (plan.task.outputs() * (plan.facts.columns + 1)) as f64;
    0.5 / (noise * plan.curvature() * coordinates.sqrt())
}

/// The noise multiplier of each of `steps` releases over batches that together are worth a `share` of a
/// plan of ρ = 1/(2z²): that of μ² = q²·T·(e^{1/m²} − 1) (Bu et al. 2020), which is T/m² for all records.
/// Accountants decide what is spent.
pub(super) fn noise(
    z: NoiseMultiplier,
    share: f64,
    steps: u64,
    (batches, facts): (Batches, &Facts),
) -> NoiseMultiplier {
    let square = share / (z.get() * z.get() * steps as f64);
    let rate = size(batches, facts) / facts.records as f64;
    let inverse = match batches.are_all() {
        true => square,
        false => (square / (rate * rate)).ln_1p(),
    };
    crate::fit::spending::multiplier(1.0 / inverse.sqrt())
}

/// How many records a batch has on average, which is public.
pub(super) fn size(batches: Batches, facts: &Facts) -> f64 {
    match batches {
        Batches::All => facts.records as f64,
        Batches::Poisson(rate) => rate.get() * facts.records as f64,
        Batches::FixedSize { size, .. } => f64::from(size.get()),
    }
}

/// How many deviations of noise may accumulate in a weight.
pub(super) fn deviations(given: &Sgd, facts: &Facts) -> f64 {
    ight::deviations_of_all_columns(given.task, facts)
}

/// Whether weights that are likely to be noise become 0 in the end, as DP-IGHT's do: where how much noise
/// they hold is known, and single weights may exceed it. (A point at a random step is taken as it is.)
pub(super) fn shrinks(given: &Sgd, facts: &Facts) -> bool {
    let known = matches!(given.optimizer, SgdOptimizer::Sgd | SgdOptimizer::Momentum)
        && given.smoothing.is_none()
        && given.result == SgdResult::Last;
    let alike = given.task == Task::Logistic && matches!(facts.rows, RecordBound::Linf(_));
    known && alike && ight::told_apart(given.budget, facts)
}

/// C₂ of recursive momentum: how much the gradient of a record can change over so long a step, where no
/// gradient is longer than C. Of rows of length one none changes more; others are clipped.
pub(super) fn difference(plan: &SgdPlan, step: f64) -> f64 {
    plan.curvature() * step.max(f64::MIN_POSITIVE)
}

/// Whether gradients of points along the way are estimated together.
pub(super) fn is_recursive(given: &Sgd) -> bool {
    given.optimizer == SgdOptimizer::Srm
}

/// The penalty is one of the weights of one function of two classes.
pub(super) fn penalty_suits(penalty: Option<f64>, task: Task) -> Result<(), PlanError> {
    match task {
        Task::Logistic => Ok(()),
        _ if penalty.is_none() => Ok(()),
        task => Err(PlanError::Task {
            method: "sgd with a saturating penalty",
            task: task.name(),
            instead: "leave out --saturating-penalty",
        }),
    }
}

/// How far one record moves a mean gradient over so many records, if it is clipped to C.
pub(super) fn moved(adjacency: Adjacency, clip: f64, records: f64) -> f64 {
    f64::from(adjacency.differing_records()) * clip / records
}
