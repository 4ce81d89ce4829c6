//! The two-sided geometric mechanism: pure ε for an integer.

use super::RELEASE_KEY;
use super::error::ReleaseError;
#[cfg(test)]
use super::tape::Release;
use crate::noise::{DiscreteLaplace, Randomness};
use crate::population::Count;
use crate::privacy::{Charge, Epsilon, Event, Ledger};

/// Releases a count with noise P(k) ∝ exp(−ε|k|/Δ), clipped to the count's public bounds.
///
/// # Privacy
///
/// *Adjacency*: any. *Sensitivity*: the count's own Δ, an integer: 1 for a number of records,
/// hi − lo for an integer of which only the bounds are known. *Theorem*: integer noise on an
/// integer value, so the probabilities of every outcome differ by at most e^ε
/// (Ghosh–Roughgarden–Sundararajan 2009); the rate ε/Δ is rounded down. Clipping the *noisy*
/// value to public bounds is post-processing, and hides where the sampler stops: hi − lo ≤
/// 2⁶², so noise of 2⁶³ − 1 or more is clipped to hi whether it is exact or not.
pub fn geometric<R: Randomness>(
    count: &Count,
    epsilon: Epsilon,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<i64, ReleaseError> {
    randomness.refresh()?;
    let open = count.open(&RELEASE_KEY);
    // The integer may be rounded as a float; one step up covers that.
    let sensitivity = (open.sensitivity as f64).next_up();
    let rate = (epsilon.get() / sensitivity).next_down();
    let sampler = DiscreteLaplace::new(rate)?;
    ledger.charge(Charge::once(Event::Pure { epsilon }), randomness.secure())?;
    Ok(drawn!(Release::count(count, epsilon.get()), {
        let noisy = open.value.saturating_add(sampler.sample(randomness));
        noisy.clamp(open.lo, open.hi)
    }))
}
