//! The fit itself: with privacy, where from here on the budget is being spent, or without.

use reticent::data::{Held, Records};
use reticent::fit::{Facts, FitError, Fitted, Line, Plan, Planned, Twin, TwinMethod, transfer};
use reticent::model::Published;
use reticent::noise::{SecureGenerator, SeededGenerator};
use reticent::privacy::{Budget, Delta};

use super::Job;
use crate::decimal::{exact, rounded_up};
use crate::failure::Failure;
use crate::interrupt::{self, Phase};
use crate::methods::{MethodName, Wanted};
use crate::progress::Progress;
use crate::refusal;

/// What came of a fit, and what is to be said of how.
pub struct Spent {
    pub fitted: Fitted,
    /// The name of the method.
    pub method: &'static str,
    /// Why this method, if it was chosen.
    pub why: Option<String>,
    /// Its public parameters.
    pub outline: Vec<Line>,
    /// What a paper claims for its noise.
    pub published: Option<Published>,
    /// Why nobody is protected.
    pub reasons: Vec<&'static str>,
}

impl Spent {
    /// A failure after the fit: the person must know that what was released counts.
    pub fn failed(&self, error: impl std::fmt::Display) -> Failure {
        let statement = &self.fitted.statement;
        if statement.has_guarantee() {
            counted(
                error,
                &cost(statement.epsilon, statement.delta, statement.rho),
            )
        } else {
            Failure::of(error)
        }
    }
}

/// A private fit.
pub fn fit(
    wanted: Wanted<'_>,
    facts: Facts,
    held: Held,
    seed: Option<u64>,
) -> Result<Spent, Failure> {
    let adjacency = wanted.adjacency;
    let (plan, why) = wanted.plan(facts).map_err(refusal::unplanned)?;
    let fitted = run(&plan, &held.shut(adjacency), seed)?;
    let claimed = plan.spending().claimed();
    Ok(Spent {
        fitted,
        method: plan.name(),
        why,
        outline: plan.outline(),
        published: claimed.map(|(paper, claimed)| Published {
            source: paper.to_owned(),
            epsilon: claimed.epsilon().get(),
            delta: claimed.delta().get(),
        }),
        reasons: Vec::new(),
    })
}

fn run(plan: &Plan, records: &Records, seed: Option<u64>) -> Result<Fitted, Failure> {
    let mut progress = Progress::fitting();
    interrupt::enter(Phase::Fitting);
    let fitted = match seed {
        Some(seed) => plan.run(
            records,
            &mut SeededGenerator::not_private(seed),
            &mut progress,
        ),
        None => {
            let mut randomness = SecureGenerator::from_system().map_err(Failure::of)?;
            plan.run(records, &mut randomness, &mut progress)
        }
    };
    fitted.map_err(|error| stopped(error, plan))
}

/// A fit of which nothing is private.
pub fn without_privacy(
    job: &Job<'_>,
    classes: usize,
    facts: Facts,
    held: &Held,
) -> Result<Spent, Failure> {
    let flags = &job.fit.flags;
    let twin = Twin {
        adjacency: job.settled.adjacency,
        nonzero: flags.nonzero(),
        radius: flags.details.l1,
        intercept: !flags.details.no_intercept,
        method: match flags.method {
            MethodName::FrankWolfe => TwinMethod::FrankWolfe,
            MethodName::Ight => TwinMethod::Ight,
            _ => TwinMethod::Lasso,
        },
        ..Twin::new(job.settled.task.of(classes))
    };
    let fitted = twin.fit(facts, held).map_err(refusal::unplanned)?;
    Ok(Spent {
        fitted,
        method: twin.method.name(),
        why: None,
        outline: twin.outline(),
        published: None,
        reasons: vec!["it was fitted without noise (--epsilon inf)"],
    })
}

/// Knowledge transfer as published, of which nothing is proved.
pub fn published_transfer(
    job: &Job<'_>,
    budget: Budget,
    facts: Facts,
    held: &Held,
) -> Result<Spent, Failure> {
    let by_default = (1.5 * (facts.columns as f64).sqrt()) as usize;
    let nonzero = job.fit.flags.nonzero().unwrap_or(by_default.max(1));
    // Refused for several classes, before anything was read.
    let task = job.settled.task.of(2);
    let published = transfer::Published::new(task, budget, &facts, nonzero.min(facts.columns));
    let adjacency = job.settled.adjacency;
    let fitted = match job.fit.seed {
        Some(seed) => {
            let mut randomness = SeededGenerator::not_private(seed);
            transfer::as_published(held, &published, adjacency, &mut randomness)
        }
        None => {
            let mut randomness = SecureGenerator::from_system().map_err(Failure::of)?;
            transfer::as_published(held, &published, adjacency, &mut randomness)
        }
    };
    Ok(Spent {
        fitted: fitted.map_err(Failure::of)?,
        method: "transfer",
        why: None,
        outline: vec![
            Line::text("non-zeros", published.nonzero, "of teacher and student"),
            Line::text(
                "rows",
                published.rows,
                "generated, that the teacher answers on",
            ),
            Line::number("lambda", published.lambda, "the strength of its ridge"),
            Line::text("noise", "as published", "how it is calibrated"),
        ],
        published: Some(Published {
            source: "knowledge transfer (Wang and Gu 2020), theorem 4.3".to_owned(),
            epsilon: budget.epsilon().get(),
            delta: budget.delta().get(),
        }),
        reasons: vec![
            "the published teacher is thresholded, one record can decide what it keeps, and \
             nothing is proved for its noise",
        ],
    })
}

/// Why a fit did not finish.
fn stopped(error: FitError, plan: &Plan) -> Failure {
    let account = plan.spending().account();
    match error {
        FitError::Stopped {
            done,
            total,
            statement,
        } => Failure::Interrupted(format!(
            "interrupted after {done} of {total} steps; no model was written. What was charged \
             stays spent: count this run as {}, like a finished one",
            cost(statement.epsilon, statement.delta, statement.rho),
        )),
        // Found out before the first release.
        error @ FitError::Facts { .. } => Failure::of(error),
        // Any other may come after one, and then depend on what it released.
        error => counted(
            error,
            &cost(account.epsilon, account.delta, plan.spending().rho()),
        ),
    }
}

fn counted(error: impl std::fmt::Display, cost: &str) -> Failure {
    Failure::Failed(format!(
        "{error}\n\n  No model was written, but noise was drawn: count this run as {cost}"
    ))
}

/// What a run is to be counted as.
fn cost(epsilon: f64, delta: Delta, rho: Option<f64>) -> String {
    let rho = rho.map_or(String::new(), |rho| {
        format!("rho = {}, ", rounded_up(rho, 4))
    });
    let epsilon = rounded_up(epsilon, 4);
    format!("{rho}epsilon = {epsilon} at delta = {}", exact(delta.get()))
}
