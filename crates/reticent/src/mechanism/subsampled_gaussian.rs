//! The Gaussian mechanism over a secret random batch of the records.

use std::num::NonZeroU32;

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
use super::gaussian::with_noise;
use super::release::Released;
#[cfg(test)]
use super::tape::{self, Release};
use crate::noise::{PoissonBatches, Randomness, RoundedGaussian, fixed_size_batch};
use crate::population::{Batch, BatchQuery};
use crate::privacy::{Adjacency, Charge, Event, Ledger, NoiseMultiplier, Sampling, SamplingRate};

/// How the batch of a release is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Batches {
    /// It is all records.
    All,
    /// Each unit is in it with this probability, independently of the others: under add-remove
    /// adjacency.
    Poisson(SamplingRate),
    /// A uniformly random set of units.
    FixedSize {
        /// How many are in it.
        size: NonZeroU32,
        /// How many there are: a public number, so only under replace-one adjacency.
        units: NonZeroU32,
    },
}

impl Batches {
    /// Batches of about so many of a public number of records, or of the number that stands for a private
    /// one. A batch of that many or more is all of them.
    pub fn of(size: u64, records: u64, adjacency: Adjacency) -> Self {
        if size >= records {
            return Self::All;
        }
        let size = size.max(1);
        let number = |n: u64| u32::try_from(n).ok().and_then(NonZeroU32::new);
        match (adjacency, number(size), number(records)) {
            (Adjacency::ReplaceOne, Some(size), Some(units)) => Self::FixedSize { size, units },
            // A table has fewer than 2³² records: with more, no fit begins.
            (Adjacency::ReplaceOne, ..) => Self::All,
            (Adjacency::AddRemove, ..) => {
                let rate = SamplingRate::new(size as f64 / records as f64);
                rate.map_or(Self::All, Self::Poisson)
            }
        }
    }

    /// What one release over such a batch charges.
    ///
    /// *Rates are rounded up*: a batch of b of n is charged as a rate of at least b/n. (A Poisson batch is
    /// drawn at no more than its rate: see `noise/batches.rs`.)
    pub fn event(self, noise: NoiseMultiplier) -> Event {
        let (rate, sampling) = match self {
            Self::All => return Event::Gaussian { noise },
            Self::Poisson(rate) => (rate, Sampling::Poisson),
            Self::FixedSize { size, units } => {
                let rate = (f64::from(size.get()) / f64::from(units.get()))
                    .next_up()
                    .min(1.0);
                let rate = SamplingRate::new(rate).expect("above 0 and at most 1");
                (rate, Sampling::WithoutReplacement)
            }
        };
        Event::SubsampledGaussian {
            noise,
            rate,
            sampling,
        }
    }

    /// Whether batches are all records.
    pub fn are_all(self) -> bool {
        self == Self::All
    }
}

/// Releases the sum over a batch that is drawn here, with Gaussian noise of standard deviation `noise` ×
/// Δ₂, Δ₂ being the sensitivity of the sum over one and the same batch.
///
/// # Privacy
///
/// *Adjacency*: the query's, which must be the ledger's, and the one that the amplification is proved for.
/// *Sensitivity*: the query's Δ₂, in grid steps; σ = `noise`·Δ₂ is rounded up.
///
/// *Poisson, add-remove.* Let Z be the larger table and u the unit that it has more. Batches of the two
/// are coupled unit by unit; given those of the others, the sum on Z is that on the smaller table plus,
/// with probability q, what u adds: a vector v with ‖v‖₂ ≤ Δ₂. So the pair of outputs is dominated by
/// N(0, σ²) and (1 − q)·N(0, σ²) + q·N(Δ₂, σ²) in both directions (Mironov, Talwar and Zhang 2019;
/// Zhu, Dong and Wang 2022), which the accountants compose.
///
/// *Without replacement, replace-one.* Given which others are drawn, the batch has the replaced unit with
/// probability b/n, and the sums then differ by at most Δ₂ = twice what a unit adds; else another unit
/// of both tables is in its place (Balle, Barthe and Gaboardi 2018, theorem 11; Wang, Balle and
/// Kasiviswanathan 2019).
///
/// *All records*: the Gaussian mechanism.
///
/// *The batch is secret.* It is drawn after the charge, exactly (`noise/batches.rs`), by this function
/// alone, over the units of the whole population, wherever these are; no part draws its own. It is used
/// for this one release and dropped. Neither who is in it nor its size is returned, kept or part of an
/// error.
///
/// *Units* are in a batch with all their rows or with none.
pub fn subsampled_gaussian<R: Randomness>(
    query: &BatchQuery<'_>,
    batches: Batches,
    noise: NoiseMultiplier,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Released, ReleaseError> {
    same_neighbours(query.adjacency(), ledger)?;
    if let Batches::FixedSize { units, .. } = batches
        && query.count() != Some(units.get() as usize)
    {
        return Err(ReleaseError::BatchOfOthers {
            planned: units.get(),
            count: query.count(),
        });
    }
    randomness.refresh()?;
    let sigma = (noise.get() * query.steps()).next_up();
    let sampler = RoundedGaussian::new(sigma)?;
    let poisson = match batches {
        Batches::Poisson(rate) => Some(PoissonBatches::new(rate.get())?),
        _ => None,
    };
    ledger.charge(Charge::once(batches.event(noise)), randomness.secure())?;
    let units = query.units(&RELEASE_KEY);
    let mut draw = || match (batches, poisson) {
        (Batches::FixedSize { size, .. }, _) => fixed_size_batch(size.get(), units, randomness),
        (Batches::Poisson(_), Some(poisson)) => poisson.sample(units, randomness),
        _ => (0..units).collect(),
    };
    #[cfg(not(test))]
    let drawn = draw();
    #[cfg(test)]
    let drawn = tape::batch(&mut draw);
    let sums = query.over(&Batch::of(drawn, &RELEASE_KEY), &RELEASE_KEY);
    Ok(drawn!(
        Release::vector("subsampled gaussian", &sums, noise.get()),
        with_noise(&sums.open(&RELEASE_KEY), &sampler, randomness)
    ))
}

#[cfg(test)]
mod tests;
