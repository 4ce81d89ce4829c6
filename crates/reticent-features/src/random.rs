//! Random numbers that follow from a public seed, the same on every platform.

use core::f64::consts::TAU;

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// What follows the seed in the key. Another way to draw would have another label.
const LABEL: &[u8; 24] = b"reticent-features draw 1";

/// The numbers that belong to a seed: ChaCha20 whose key is the seed, as 8 bytes in little-endian
/// order, and a label of 24 bytes.
///
/// The numbers are public, and nothing rests on the key being secret. They are not written to
/// files: the seed is.
pub(crate) struct Draws {
    stream: ChaCha20Rng,
    /// The second of a pair of Gaussians, if it has not been taken.
    spare: Option<f64>,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(LABEL);
        Self {
            stream: ChaCha20Rng::from_seed(key),
            spare: None,
        }
    }

    /// Uniform on the multiples of 2⁻⁵³ in [0, 1): the upper 53 bits of a word.
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.stream.next_u64() >> 11) as f64 * (0.5f64).powi(53)
    }

    /// A standard Gaussian, by the method of Box and Muller (1958): of uniform `u` and `v`, the pair
    /// √(−2 ln(1 − u))·cos 2πv and √(−2 ln(1 − u))·sin 2πv, in this order.
    pub(crate) fn gaussian(&mut self) -> f64 {
        if let Some(second) = self.spare.take() {
            return second;
        }
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        let angle = TAU * self.uniform();
        self.spare = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of 40 000 draws: the mean has standard error 1/200, the variance √2/200, the fourth
    /// moment √96/200. Bounds of five standard errors; the false-alarm rate is below 10⁻⁵.
    #[test]
    fn gaussians_have_the_moments_of_gaussians() {
        let mut draws = Draws::new(1);
        let values: Vec<f64> = (0..40_000).map(|_| draws.gaussian()).collect();
        let moment =
            |power| values.iter().map(|value| value.powi(power)).sum::<f64>() / values.len() as f64;
        assert!(moment(1).abs() < 5.0 / 200.0);
        assert!((moment(2) - 1.0).abs() < 5.0 * 2f64.sqrt() / 200.0);
        assert!((moment(4) - 3.0).abs() < 5.0 * 96f64.sqrt() / 200.0);
    }

    /// Model files name a seed; these bits may never change.
    #[test]
    fn a_seed_gives_the_same_bits_for_ever() {
        let mut draws = Draws::new(7);
        let bits: Vec<u64> = (0..3).map(|_| draws.gaussian().to_bits()).collect();
        assert_eq!(bits, GAUSSIANS_OF_SEED_7);
    }

    const GAUSSIANS_OF_SEED_7: [u64; 3] = [
        4606158142330941722,
        13829217456047587299,
        4608328939833080350,
    ];
}
