//! Objective perturbation: the minimiser of a loss with a random linear term, pure ε.

use super::RELEASE_KEY;
use super::error::{ReleaseError, same_neighbours};
use super::release::Released;
#[cfg(test)]
use super::tape::Release;
use crate::noise::{Randomness, RoundedGaussian, VectorLaplace};
use crate::population::Objective;
use crate::privacy::{Charge, Epsilon, Event, Ledger, NoiseMultiplier};

/// Releases a minimiser of (1/n)·Σ ℓ(x·w, y) + (λ/2)·‖w − v‖₂² + ⟨b, w⟩/n with b of density
/// ∝ exp(−β‖b‖₂), through Gaussian noise of standard deviation `noise` × what its search may be
/// off by: the weights of the support in its order, then the intercept if there is one.
///
/// # Privacy
///
/// *Adjacency*: the objective's, which must be the ledger's. a is 2 for replace-one and 1 for
/// add-remove, where n is the declared number of records.
///
/// *The exact minimiser ŵ is ε-DP* (Chaudhuri–Monteleoni–Sarwate 2011; Kifer–Smith–Thakurta 2012).
/// ŵ determines b = −Σψx − nλ(ŵ − v), a smooth bijection for a loss that is C² and convex. So the
/// density of ŵ is that of b times |det(Σℓ″xxᵀ + nλI)|. Between neighbours b moves by at most
/// a·R·B, its density by at most exp(a·R·B·β). For the determinants let M be the matrix of the
/// records that both have: det(M + ℓ″xxᵀ) = det M·(1 + ℓ″·xᵀM⁻¹x) with M ⪰ nλI, so the ratio
/// of the two is between 1/(1 + cB²/(nλ)) and 1 + cB²/(nλ). Hence
/// ε = a·R·B·β + log(1 + cB²/(nλ)); β is rounded down, and an ε that the second term exceeds is refused.
/// The centre v is public, or follows from earlier releases: the same for neighbours along one path of
/// releases, it changes neither how far b moves nor a determinant.
///
/// *The point that is found* is not ŵ (Iyengar et al. 2019). b is drawn as an exactly rounded
/// real vector on a grid of step g: the rounding moves the gradient by at most √k·g/(2n). The
/// search ends with a gradient of norm at most τ, for the rounded b. So the point is within
/// τ̄/λ of ŵ, τ̄ = τ + √k·g/(2n). It is a function of the records and b, hence of the records
/// and ŵ: given ŵ, two neighbours' points are at most 2τ̄/λ apart. Rounded to a grid and released
/// with Gaussian noise for that sensitivity it is a second release, adaptive in the first (which
/// is never shown). Both are charged before anything is drawn.
///
/// The float errors that τ allows for are proved for ‖b‖ ≤ (4k + 4096)/β. A larger one has probability
/// P(Gamma(k) > 4k + 4096) ≤ 2ᵏ·exp(−2k − 2048) < e⁻²⁰⁴⁸, 10⁵⁰⁰ times less than the rounding up
/// of any δ that a float can state.
pub fn objective<R: Randomness>(
    objective: &Objective<'_>,
    epsilon: Epsilon,
    noise: NoiseMultiplier,
    ledger: &mut Ledger,
    randomness: &mut R,
) -> Result<Released, ReleaseError> {
    same_neighbours(objective.adjacency(), ledger)?;
    randomness.refresh()?;
    let perturbation = objective.perturbation(epsilon.get(), &RELEASE_KEY)?;
    let linear = VectorLaplace::new(perturbation.coordinates, perturbation.rate)?;
    let sigma = (noise.get() * perturbation.sensitivity.l2).next_up();
    let sampler = RoundedGaussian::new(sigma)?;
    ledger.charge(Charge::once(Event::Pure { epsilon }), randomness.secure())?;
    ledger.charge(Charge::once(Event::Gaussian { noise }), randomness.secure())?;
    let b = linear.sample(randomness);
    #[cfg(test)]
    let b = objective.coupled(&perturbation, epsilon.get(), b);
    let point = objective.perturbed(&perturbation, &b, &RELEASE_KEY)?;
    let open = point.open(&RELEASE_KEY);
    debug_assert_eq!(open.sensitivity, perturbation.sensitivity);
    Ok(drawn!(Release::vector("objective", &point, noise.get()), {
        let draws = std::iter::repeat_with(|| sampler.sample(randomness));
        Released::noisy(open.values, draws, open.grid)
    }))
}

#[cfg(test)]
mod tests;
