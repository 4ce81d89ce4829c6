//! Noise for a whole vector with a bounded ℓ₂ sensitivity and pure ε.

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;

use super::exponential::exponential;
use super::generator::Randomness;
use super::lazy::{Lazy, WORD};
use super::normal::{LazyNormal, normal, table};
use super::parameter::{Dyadic, ParameterError};

/// The noise of the ℓ₂ vector mechanism, rounded: round(z) with z of density
/// ∝ exp(−rate·‖z‖₂) on ℝᵈ (Chaudhuri–Monteleoni–Sarwate 2011).
///
/// Added to a vector of integers it is the continuous mechanism followed by rounding every
/// coordinate, so post-processing: ε-DP for rate = ε/Δ₂ per grid step.
///
/// Exact: in polar coordinates the density of ‖z‖ is ∝ r^(d−1)·exp(−rate·r), that of G/rate
/// with G ~ Gamma(d), the sum of d independent Exp(1); the direction is uniform and
/// independent, as is that of a standard normal vector N. So z = (G/rate)·N/‖N‖. All 2d
/// reals are lazy; bits are drawn until every coordinate's rounding is decided by certified
/// integer bounds. Ties have probability zero.
///
/// A coordinate of magnitude 2⁶³ or more is returned as ±`i64::MAX`. The caller must clamp the
/// noisy sum so that this cannot be seen, as `mechanism` does.
#[derive(Clone, Copy, Debug)]
pub struct VectorLaplace {
    dimension: usize,
    rate: Dyadic,
}

/// The vector mechanism cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VectorError {
    /// The dimension is 0.
    #[error("a vector of dimension 0 has nothing to add noise to")]
    NoCoordinates,
    /// The rate is out of range.
    #[error(transparent)]
    Rate(#[from] ParameterError),
}

impl VectorLaplace {
    /// The sampler for `dimension` ≥ 1 and a `rate` between 2⁻⁵² and 2²⁰, the float taken as
    /// an exact number.
    pub fn new(dimension: usize, rate: f64) -> Result<Self, VectorError> {
        if dimension == 0 {
            return Err(VectorError::NoCoordinates);
        }
        Ok(Self {
            dimension,
            rate: Dyadic::within("rate", rate, -52, 20)?,
        })
    }

    /// One vector.
    pub fn sample<R: Randomness>(&self, rng: &mut R) -> Vec<i64> {
        self.sample_at::<WORD, R>(FIRST_BITS, rng)
    }

    /// [`Self::sample`] drawing `STEP` bits at a time and rounding from `p` bits at first.
    pub(super) fn sample_at<const STEP: u32, R: Randomness>(
        &self,
        mut p: usize,
        rng: &mut R,
    ) -> Vec<i64> {
        let table = table();
        let mut radius: Vec<Lazy> = (0..self.dimension)
            .map(|_| exponential::<STEP, R>(rng))
            .collect();
        let mut direction: Vec<LazyNormal> = (0..self.dimension)
            .map(|_| normal::<STEP, R>(table, rng))
            .collect();
        loop {
            let exponentials = radius
                .iter_mut()
                .map(|e| e.floor_at::<STEP, R>(rng, p))
                .sum();
            let magnitudes: Vec<UBig> = direction
                .iter_mut()
                .map(|n| n.magnitude.floor_at::<STEP, R>(rng, p))
                .collect();
            if let Some(rounded) = self.round(&exponentials, &magnitudes, p) {
                let signs = direction.iter().map(|n| n.negative);
                return signs
                    .zip(rounded)
                    .map(|(minus, k)| if minus { -k } else { k })
                    .collect();
            }
            p += STEP as usize;
        }
    }

    /// Every |zᵢ| to the nearest integer, if p bits decide them all.
    ///
    /// The reals are in units of 2⁻ᵖ and each is less than one unit above what is given:
    /// G is in \[g, g+d\] and |Nᵢ| in \[nᵢ, nᵢ+1\], so ‖N‖² is in \[Σnᵢ², Σnᵢ² + 2Σnᵢ + d\].
    /// With rate = m·2ᵃ the length of z over that of N, G/(rate·‖N‖), then has the bounds
    /// below, rounded outwards, and so has each product.
    fn round(&self, g: &UBig, n: &[UBig], p: usize) -> Option<Vec<i64>> {
        let squares: UBig = n.iter().map(UBig::sqr).sum();
        let norm_low = squares.sqrt();
        let norm_high = (squares + n.iter().sum::<UBig>() * 2u8 + self.dimension).sqrt() + 1u8;
        if norm_low.is_zero() {
            return None;
        }
        // In units of 2⁻ᵖ: G·2^(p−a)/(m·‖N‖).
        let shift = p as isize - self.rate.exponent as isize;
        let (up, down) = (shift.max(0).unsigned_abs(), (-shift).max(0).unsigned_abs());
        let ratio = |g: UBig, norm: UBig| (g << up) / ((norm * self.rate.mantissa) << down);
        let scale_low = ratio(g.clone(), norm_high);
        let scale_high = ratio(g + self.dimension, norm_low) + 1u8;

        let half = UBig::ONE << (2 * p - 1);
        n.iter()
            .map(|n| {
                let low = n * &scale_low;
                // (n+1)·high = n·low + n·(high−low) + high, the width being a short number.
                let high = &low + n * (&scale_high - &scale_low) + &scale_high;
                let k = (low + &half) >> (2 * p);
                (k == (high + &half) >> (2 * p)).then(|| i64::try_from(k).unwrap_or(i64::MAX))
            })
            .collect()
    }
}

/// The 55 bits of a normal and one more word: nearly always enough.
const FIRST_BITS: usize = 119;
