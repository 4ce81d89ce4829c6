//! The two-sided geometric mechanism: pure ε for an integer.

use super::error::ReleaseError;
use super::query::Count;
use crate::noise::{DiscreteLaplace, Randomness};
use crate::privacy::{Charge, Epsilon, Event, Ledger};

/// Releases a clipped count with noise P(k) ∝ exp(−ε|k|/(hi−lo)), clipped again.
///
/// # Privacy
///
/// *Adjacency*: any; the count was clipped to integers [lo, hi], so that no two tables give
/// counts more than hi − lo apart. *Theorem*: integer noise on an integer value, so the
/// probabilities of every outcome differ by at most e^ε (Ghosh–Roughgarden–Sundararajan
/// 2009); the rate ε/(hi−lo) is rounded down. Clipping the *noisy* value to public bounds is
/// post-processing, and hides where the sampler stops: hi − lo ≤ 2⁶², so noise of 2⁶³ − 1 or
/// more is clipped to hi whether it is exact or not.
pub fn geometric<R: Randomness>(
    count: &Count,
    epsilon: Epsilon,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<i64, ReleaseError> {
    // The integer may be rounded as a float; one step up covers that.
    let width = (count.hi - count.lo) as f64;
    let rate = (epsilon.get() / width.next_up()).next_down();
    let sampler = DiscreteLaplace::new(rate)?;
    ledger.charge(Charge::once(Event::Pure { epsilon }), R::SECURE)?;
    let noisy = count.value.saturating_add(sampler.sample(randomness));
    Ok(noisy.clamp(count.lo, count.hi))
}
