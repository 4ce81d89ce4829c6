//! Why a fit wrote no file, and what it nevertheless costs.

use reticent::model::Model;
use reticent::table::FeaturesError;
use reticent::train::{RunCost, TrainError};

use crate::failure::Failure;
use crate::format_number::{exact, rounded_up};

/// Why there is no model.
pub fn failure(error: TrainError) -> Failure {
    match error {
        TrainError::Stopped {
            done,
            total,
            statement,
        } => Failure::Interrupted(format!(
            "interrupted after {done} of {total} steps; no model was written. What was charged \
             stays spent: count this run as {}, like a finished one",
            cost_text(RunCost::of(&statement)),
        )),
        TrainError::Features(FeaturesError::Stopped) => Failure::Interrupted(
            "interrupted while features were computed; nothing was spent, and no model was written"
                .to_owned(),
        ),
        TrainError::Spent { reason, cost } => counted(reason, cost),
        error => Failure::of(error),
    }
}

/// Why a model was fitted but not written: the person must know that what was released counts.
pub fn no_file(error: impl std::fmt::Display, model: &Model) -> Failure {
    let statement = &model.certificate().statement;
    if statement.has_guarantee() {
        counted(error, RunCost::of(statement))
    } else {
        Failure::of(error)
    }
}

fn counted(error: impl std::fmt::Display, cost: RunCost) -> Failure {
    Failure::Failed(format!(
        "{error}\n\n  No model was written, but noise was drawn: count this run as {}",
        cost_text(cost)
    ))
}

/// What a run costs, in few digits.
pub fn cost_text(cost: RunCost) -> String {
    let seeded = match cost.secure {
        true => "",
        false => "NOT PRIVATE, as its noise can be repeated, or else as ",
    };
    let rho = (cost.rho).map_or(String::new(), |rho| {
        format!("rho = {}, ", rounded_up(rho, 4))
    });
    let epsilon = rounded_up(cost.epsilon, 4);
    let delta = exact(cost.delta.get());
    format!("{seeded}{rho}epsilon = {epsilon} at delta = {delta}")
}
