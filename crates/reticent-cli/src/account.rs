//! `reticent account`: from the question to the answer, before either has a form.

use clap::error::ErrorKind;
use reticent::privacy::{
    Account, AccountError, Accountant, Adjacency, CalibrateError, Charge, NoiseMultiplier,
    Sampling, account, account_by, calibrate,
};

use crate::args::Request;
use crate::number;
use crate::spec::EventSpec;

/// What the events cost.
pub struct Answer {
    /// The events, with the noise that was found.
    pub charges: Vec<Charge>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// Why this adjacency.
    pub because: Because,
    /// Their total.
    pub account: Account,
    /// The multiplier, where it was sought.
    pub noise: Option<NoiseMultiplier>,
}

/// Who chose the adjacency.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The person.
    Asked,
    /// Nobody: it is the default.
    Default,
    /// Poisson sampling, which allows no other.
    Poisson,
}

/// Why there is no answer.
pub struct Refusal {
    /// The class of clap's errors that it belongs to.
    pub kind: ErrorKind,
    /// What was given, what is allowed, what to do.
    pub message: String,
}

impl Refusal {
    fn new(kind: ErrorKind, message: impl ToString) -> Self {
        Self {
            kind,
            message: message.to_string(),
        }
    }
}

/// Accounts for the events, or solves for their noise.
pub fn answer(request: &Request) -> Result<Answer, Refusal> {
    let (adjacency, because) = adjacency(request)?;
    let whole: Option<Vec<Charge>> = request.events.iter().map(EventSpec::whole).collect();
    match (whole, request.epsilon) {
        (Some(charges), None) => Ok(Answer {
            account: total(request, &charges, adjacency)?,
            charges,
            adjacency,
            because,
            noise: None,
        }),
        (None, Some(epsilon)) => {
            let plan = |noise| {
                request
                    .events
                    .iter()
                    .map(|event| event.with(noise))
                    .collect()
            };
            let found = calibrate(plan, adjacency, epsilon, request.delta).map_err(unsolved)?;
            Ok(Answer {
                account: found.account,
                charges: found.charges,
                adjacency,
                because,
                noise: Some(found.noise),
            })
        }
        (None, None) => Err(Refusal::new(
            ErrorKind::MissingRequiredArgument,
            "an --event has no noise\n\n  \
             tip: add noise=... to it, or find it with --solve noise --epsilon E",
        )),
        (Some(_), Some(epsilon)) => Err(Refusal::new(
            ErrorKind::ArgumentConflict,
            format!(
                "--solve noise --epsilon {epsilon} has nothing to find: no --event leaves its \
                 noise out\n\n  \
                 tip: leave noise= out of a gaussian or subsampled-gaussian, or drop --solve"
            ),
        )),
    }
}

/// The adjacency that was asked for, or the one that the events allow.
fn adjacency(request: &Request) -> Result<(Adjacency, Because), Refusal> {
    let uses = |sampling| {
        request
            .events
            .iter()
            .any(|event| event.sampling() == Some(sampling))
    };
    let poisson = uses(Sampling::Poisson);
    let conflict = |message: String| Err(Refusal::new(ErrorKind::ArgumentConflict, message));
    if poisson && uses(Sampling::WithoutReplacement) {
        return conflict(
            "the events use both sampling=poisson, which is accounted for under add-remove \
             adjacency only, and sampling=without-replacement, under replace-one only\n\n  \
             tip: use one kind of sampling in one account"
                .to_owned(),
        );
    }
    match request.adjacency.map(Adjacency::from) {
        Some(given @ Adjacency::ReplaceOne) if poisson => conflict(format!(
            "--adjacency {given} was given, but sampling=poisson is accounted for under \
             add-remove only\n\n  \
             tip: use --adjacency add-remove (noise is then σ over the add-remove sensitivity), \
             or sampling=without-replacement if that is how batches are drawn"
        )),
        Some(given @ Adjacency::AddRemove) if uses(Sampling::WithoutReplacement) => {
            conflict(format!(
                "--adjacency {given} was given, but sampling=without-replacement is accounted \
                 for under replace-one only\n\n  \
                 tip: use --adjacency replace-one (noise is then σ over the replace-one \
                 sensitivity), or sampling=poisson if that is how batches are drawn"
            ))
        }
        Some(given) => Ok((given, Because::Asked)),
        None if poisson => Ok((Adjacency::AddRemove, Because::Poisson)),
        None => Ok((Adjacency::ReplaceOne, Because::Default)),
    }
}

/// The total by the accountant that was asked for, or by the tightest.
fn total(request: &Request, charges: &[Charge], adjacency: Adjacency) -> Result<Account, Refusal> {
    let total = match request.accountant.map(Accountant::from) {
        None => account(charges, adjacency, request.delta),
        Some(accountant) => match account_by(accountant, charges, adjacency, request.delta) {
            Ok(Some(account)) => Ok(account),
            Err(error) => Err(error),
            Ok(None) => {
                return Err(Refusal::new(
                    ErrorKind::ArgumentConflict,
                    format!(
                        "--accountant {} was given, but it does not cover every event here\n\n  \
                         tip: leave it out to use the tightest one that does",
                        accountant.name()
                    ),
                ));
            }
        },
    };
    // An infinite ε promises nothing: say so rather than print it.
    let total = total.and_then(|total| {
        if total.epsilon.is_finite() {
            Ok(total)
        } else {
            Err(AccountError::Unbounded {
                delta: request.delta,
            })
        }
    });
    total.map_err(|error| Refusal::new(ErrorKind::ValueValidation, error))
}

fn unsolved(error: CalibrateError) -> Refusal {
    let message = match error {
        CalibrateError::Account(error) => error.to_string(),
        CalibrateError::TooDear { fixed, budget } => format!(
            "no noise is enough for --epsilon {budget}: the events whose noise is fixed already \
             cost ε = {}\n\n  tip: raise the budget, or release less",
            number::rounded_up(fixed, 4)
        ),
    };
    Refusal::new(ErrorKind::ValueValidation, message)
}
