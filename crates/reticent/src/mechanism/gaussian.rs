//! The Gaussian mechanism on the grid.

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
use super::release::Released;
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Randomness, RoundedGaussian, Streams};
use crate::population::Query;
use crate::population::query::OpenQuery;
use crate::privacy::{Charge, Event, Ledger, NoiseMultiplier};

/// Releases a vector with Gaussian noise of standard deviation `noise` × Δ₂.
///
/// # Privacy
///
/// *Adjacency*: the query's, which must be the ledger's. *Sensitivity*: the query's Δ₂, in
/// grid steps; σ = `noise`·Δ₂ is rounded up, so that Δ₂/σ ≤ 1/`noise`.
/// *Theorem*: for an integer vector v, v + round(Z) = round(v + Z), Z ~ N(0, σ²I): a
/// function of the continuous Gaussian mechanism's output, hence (1/`noise`)-GDP and
/// everything that follows from it (Balle–Wang 2018; Dong–Roth–Su 2019). The rounded
/// Gaussian is drawn exactly.
///
/// Of more than 1024 coordinates each block of so many is drawn from a stream of its
/// own, on any thread: `noise/streams.rs` says why no bits are used twice. How many coordinates
/// there are is public.
pub fn gaussian<R: Randomness>(
    query: &Query<'_>,
    noise: NoiseMultiplier,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Released, ReleaseError> {
    same_neighbours(query.adjacency(), ledger)?;
    randomness.refresh()?;
    let open = query.open(&RELEASE_KEY);
    let sigma = (noise.get() * open.sensitivity.l2).next_up();
    let sampler = RoundedGaussian::new(sigma)?;
    ledger.charge(Charge::once(Event::Gaussian { noise }), randomness.secure())?;
    Ok(drawn!(
        Release::vector("gaussian", query, noise.get()),
        with_noise(&open, &sampler, randomness)
    ))
}

/// The values with noise, which is drawn now.
pub(super) fn with_noise<R: Randomness>(
    open: &OpenQuery<'_>,
    sampler: &RoundedGaussian,
    randomness: &mut R,
) -> Released {
    if open.values.len() <= STREAM_BLOCK {
        let draws = std::iter::repeat_with(|| sampler.sample(randomness));
        Released::noisy(open.values, draws, open.grid)
    } else {
        let stream = Streams::new(randomness).blocks();
        Released::noisy_by_blocks(open.values, STREAM_BLOCK, open.grid, |block, draws| {
            sampler.fill(&mut stream(block), draws);
        })
    }
}

/// The coordinates that share a stream. A constant, because the bits of a seeded release depend on
/// it.
const STREAM_BLOCK: usize = 1024;
