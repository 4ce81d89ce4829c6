//! The ℓ₂ vector mechanism: pure ε for a vector.

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
use super::release::Released;
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Randomness, VectorLaplace};
use crate::population::Query;
use crate::privacy::{Charge, Epsilon, Event, Ledger};

/// Releases a vector with noise of density ∝ exp(−ε‖z‖₂/Δ₂), rounded to the grid.
///
/// # Privacy
///
/// *Adjacency*: the query's, which must be the ledger's. *Sensitivity*: the query's Δ₂; the
/// rate ε/Δ₂ is rounded down. *Theorem*: the densities at a point for two neighbours differ
/// by at most the factor exp(ε·|‖z‖₂ − ‖z+v−v′‖₂|/Δ₂) ≤ e^ε (Chaudhuri et al. 2011), and
/// v + round(z) = round(v + z) for an integer vector v: rounding is post-processing. The
/// rounded vector is drawn exactly.
pub fn vector<R: Randomness>(
    query: &Query<'_>,
    epsilon: Epsilon,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Released, ReleaseError> {
    same_neighbours(query.adjacency(), ledger)?;
    randomness.refresh()?;
    let open = query.open(&RELEASE_KEY);
    let rate = (epsilon.get() / open.sensitivity.l2).next_down();
    let sampler = VectorLaplace::new(open.values.len(), rate)?;
    ledger.charge(Charge::once(Event::Pure { epsilon }), randomness.secure())?;
    Ok(drawn!(Release::vector("vector", query, epsilon.get()), {
        let draws = sampler.sample(randomness);
        Released::noisy(open.values, draws, open.grid)
    }))
}
