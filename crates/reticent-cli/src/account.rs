//! `reticent account`: computes the answer, before it is formatted.

use clap::error::ErrorKind;
use reticent::privacy::{
    Account, Accountant, Adjacency, Budget, Charge, NoiseMultiplier, Sampling, account, account_by,
    calibrate,
};

use crate::account_args::AccountArgs;
use crate::event_spec::EventSpec;
use crate::refusal::{self, Refusal};

/// What the events cost.
pub struct Answer {
    /// The events, with the noise that was found.
    pub charges: Vec<Charge>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// Why this adjacency.
    pub because: AdjacencyReason,
    /// Their total.
    pub account: Account,
    /// The multiplier, if it was solved for.
    pub noise: Option<NoiseMultiplier>,
}

/// Where the adjacency comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdjacencyReason {
    /// The person.
    PlanInput,
    /// The default.
    Default,
    /// The sampling, which allows no other.
    Sampling(Sampling),
}

/// Accounts for the events, or solves for their noise.
pub fn answer(request: &AccountArgs) -> Result<Answer, Refusal> {
    let (adjacency, because) = adjacency(request)?;
    if let (Some(epsilon), None) = (request.epsilon, request.solve) {
        return Err(refusal::unsolicited(epsilon));
    }
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
            let budget = Budget::new(epsilon, request.delta);
            let plan = |noise| {
                request
                    .events
                    .iter()
                    .map(|event| event.with(noise))
                    .collect()
            };
            let found = calibrate(plan, adjacency, budget).map_err(refusal::unsolved)?;
            Ok(Answer {
                account: found.account,
                charges: found.charges,
                adjacency,
                because,
                noise: Some(found.noise),
            })
        }
        (None, None) => Err(refusal::noiseless(&request.events)),
        (Some(_), Some(epsilon)) => Err(refusal::nothing_to_find(epsilon)),
    }
}

/// The requested adjacency, or the one that the events allow.
fn adjacency(request: &AccountArgs) -> Result<(Adjacency, AdjacencyReason), Refusal> {
    let uses = |sampling| {
        request
            .events
            .iter()
            .any(|event| event.sampling() == Some(sampling))
    };
    let poisson = uses(Sampling::Poisson);
    let fixed_size = uses(Sampling::WithoutReplacement);
    let conflict = |message: String| Err(Refusal::new(ErrorKind::ArgumentConflict, message));
    if poisson && fixed_size {
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
        Some(given @ Adjacency::AddRemove) if fixed_size => conflict(format!(
            "--adjacency {given} was given, but sampling=without-replacement is accounted for \
             under replace-one only\n\n  \
             tip: use --adjacency replace-one (noise is then σ over the replace-one \
             sensitivity), or sampling=poisson if that is how batches are drawn"
        )),
        Some(given) => Ok((given, AdjacencyReason::PlanInput)),
        None if poisson => Ok((
            Adjacency::AddRemove,
            AdjacencyReason::Sampling(Sampling::Poisson),
        )),
        None if fixed_size => Ok((
            Adjacency::ReplaceOne,
            AdjacencyReason::Sampling(Sampling::WithoutReplacement),
        )),
        None => Ok((Adjacency::ReplaceOne, AdjacencyReason::Default)),
    }
}

/// The total by the requested accountant, or by the tightest.
fn total(
    request: &AccountArgs,
    charges: &[Charge],
    adjacency: Adjacency,
) -> Result<Account, Refusal> {
    let total = match request.accountant.map(Accountant::from) {
        None => account(charges, adjacency, request.delta),
        Some(accountant) => match account_by(accountant, charges, adjacency, request.delta) {
            Ok(None) => {
                let delta = request.delta;
                return Err(refusal::uncovered(accountant, charges, adjacency, delta));
            }
            Ok(Some(account)) => Ok(account),
            Err(error) => Err(error),
        },
    };
    total.map_err(refusal::unaccounted)
}
