//! Selection: the exponential mechanism, once or for the best k.

use std::num::NonZeroU64;

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Aim, Candidates, ExponentialSelector, Randomness, SelectionError};
use crate::population::Scores;
use crate::privacy::{Charge, Event, Ledger, Range};

/// Releases the index of a candidate of large (or small) score.
///
/// # Privacy
///
/// *Adjacency*: the scores', which must be the ledger's. *Sensitivity*: the scores' range
/// sup (max(u−u′) − min(u−u′)); weights are exp(±rate·u) with rate = η/range rounded down.
/// *Theorem*: the log-odds between any two candidates then move by at most η between
/// neighbours: η-bounded range, hence η-DP (McSherry–Talwar 2007) and η²/8-zCDP
/// (Cesar–Rogers 2021). The selection is drawn exactly; no score is released.
pub fn exponential<R: Randomness>(
    scores: &Scores<'_>,
    aim: Aim,
    range: Range,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<usize, ReleaseError> {
    let (selector, candidates) = charged(scores, NonZeroU64::MIN, aim, range, ledger, randomness)?;
    Ok(drawn!(
        Release::scores("exponential", scores, range.get()),
        selector.choose_one(candidates, randomness)?
    ))
}

/// Releases the indices of k candidates of large (or small) score, best first.
///
/// # Privacy
///
/// As [`exponential`], k times: adding Gumbel noise once and reading off the k best in order
/// is exactly k successive selections without replacement (Durfee–Rogers 2019),
/// each over the candidates that the earlier ones left, of range η each. Charged as k
/// events of range η.
pub fn top_k<R: Randomness>(
    scores: &Scores<'_>,
    k: usize,
    aim: Aim,
    range: Range,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Vec<usize>, ReleaseError> {
    let Some(count) = NonZeroU64::new(k as u64) else {
        return Ok(Vec::new());
    };
    let (selector, candidates) = charged(scores, count, aim, range, ledger, randomness)?;
    Ok(drawn!(
        Release::scores("top-k", scores, range.get()),
        selector.choose_several(candidates, k, randomness)?
    ))
}

/// The checks and then the charge, before `count` selections are drawn.
fn charged<'a, R: Randomness>(
    scores: &'a Scores<'_>,
    count: NonZeroU64,
    aim: Aim,
    range: Range,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<(ExponentialSelector, Candidates<'a>), ReleaseError> {
    same_neighbours(scores.adjacency(), ledger)?;
    randomness.refresh()?;
    let scores = scores.open(&RELEASE_KEY);
    let selector = ExponentialSelector::new(rate(range, scores.range), aim)?;
    if count.get() > scores.candidates.len() as u64 {
        return Err(SelectionError::TooFewCandidates.into());
    }
    ledger.charge(
        Charge::new(Event::Exponential { range }, count),
        randomness.secure(),
    )?;
    Ok((selector, scores.candidates))
}

/// η over the range of the scores, rounded down.
fn rate(range: Range, score_range: u64) -> f64 {
    // The integer may be rounded as a float; one step up covers that.
    let score_range = (score_range as f64).next_up();
    (range.get() / score_range).next_down()
}
