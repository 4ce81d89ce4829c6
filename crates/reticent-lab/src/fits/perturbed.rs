//! Objective perturbation by the engine's own mechanism, as `two-stage` does it, without a vote.
//!
//! Several classes: each against the rest, on a table of its own. Each record is in all of these,
//! so the K releases share the budget.

use std::num::NonZeroU64;

use reticent::fit::{LinearFunction, Task};
use reticent::loss::Loss;
use reticent::mechanism::objective;
use reticent::noise::Generator;
use reticent::population::{Population, RegularisedLoss};
use reticent::privacy::{
    Adjacency, Budget, Charge, Epsilon, Event, Ledger, NoiseMultiplier, calibrate,
};
use reticent::table::{RecordBound, Table, Target};

use super::rivals::{Fit, Problem};

/// The share of ρ that the minimiser's inexactness costs, and the most of ε that the change of
/// volume may: `two-stage`'s.
const LOOSE_SHARE: f64 = 0.01;
const VOLUME_SHARE: f64 = 0.25;
/// About the size of the margins of a good model.
const MARGIN: f64 = 3.0;

/// The noise of one release at a multiplier z, of ρ = 1/(2z²).
fn noise(z: NoiseMultiplier) -> (Epsilon, NoiseMultiplier) {
    let z = z.get();
    let epsilon = (1.0 - LOOSE_SHARE).sqrt() / z;
    let loose = (z / LOOSE_SHARE.sqrt()).clamp(1e-6, 1e12);
    (
        Epsilon::new(epsilon).expect("finite and above 0"),
        NoiseMultiplier::new(loose).expect("between 1e-6 and 1e12"),
    )
}

/// Fits at the least noise that a budget allows.
pub fn perturbed(problem: &Problem, budget: Budget, seed: u64) -> Fit {
    let outputs = problem.task.outputs();
    let count = NonZeroU64::new(outputs as u64).expect("a task has an output");
    let charges = |z| {
        let (epsilon, noise) = noise(z);
        let pure = Charge::new(Event::Pure { epsilon }, count);
        vec![pure, Charge::new(Event::Gaussian { noise }, count)]
    };
    let adjacency = Adjacency::ReplaceOne;
    let found = calibrate(charges, adjacency, budget);
    let found = found.expect("the releases can be calibrated");
    let (epsilon, noise) = noise(found.noise);
    let what = RegularisedLoss {
        loss: Loss::Logistic,
        lambda: lambda(problem, epsilon),
        support: None,
        intercept: problem.intercept,
        centre: None,
        records: problem.facts.records,
    };
    let ledger = Ledger::planned(budget, adjacency, found.charges);
    let mut ledger = ledger.expect("the charges fit the budget");
    let mut randomness = Generator::not_private(seed);
    let outputs = (0..outputs as u32).map(|class| {
        let records = one_against_the_rest(problem, class)
            .enforce(problem.facts.rows, None, false, adjacency)
            .expect("the bounds can be enforced");
        let sealed = records.central().expect("records in memory");
        let query = sealed.objective(&what).expect("a regularised loss");
        let released = objective(&query, epsilon, noise, &mut ledger, &mut randomness);
        let weights = released.expect("planned").to_real();
        match problem.intercept {
            true => LinearFunction::of(&weights[..weights.len() - 1], weights[weights.len() - 1]),
            false => LinearFunction::of(&weights, 0.0),
        }
    });
    Fit {
        outputs: outputs.collect(),
        epsilon: ledger.statement().epsilon,
    }
}

/// λ as in `two-stage`: the noise through the inverse of λ is as long as the weights of a good
/// model at most, and the change of volume takes a quarter of ε at most.
fn lambda(problem: &Problem, epsilon: Epsilon) -> f64 {
    let columns = problem.facts.columns as f64;
    let (squared, entry) = match problem.facts.rows {
        RecordBound::Linf(bound) => (bound * bound * columns, bound),
        RecordBound::L2(bound) => (bound * bound, bound / columns.min(10.0).sqrt()),
    };
    let constant = f64::from(u8::from(problem.intercept));
    let squared = squared + constant;
    let records = problem.facts.records as f64;
    let noise = (columns + constant) * 2.0 * squared.sqrt()
        / (records * (1.0 - VOLUME_SHARE) * epsilon.get());
    let volume = (VOLUME_SHARE * epsilon.get()).exp_m1();
    let least = Loss::Logistic.curvature() * squared / (records * volume);
    (noise * entry / MARGIN).max(least)
}

/// The table with two classes, of which the second is `class`; two classes stay as they are.
fn one_against_the_rest(problem: &Problem, class: u32) -> Table<'static> {
    let mut table = problem.table.clone();
    if let (Task::Multinomial { .. }, Target::Classes { class: all, names }) =
        (problem.task, &mut table.target)
    {
        all.iter_mut().for_each(|c| *c = u32::from(*c == class));
        *names = vec!["rest".to_owned(), "class".to_owned()];
    }
    table
}
