//! Where random bits come from.
//!
//! The samplers of this module are exact given independent fair bits. [`SecureGenerator`]
//! supplies bits that no feasible computation tells from fair ones: ChaCha20 under a key
//! from the operating system. [`SeededGenerator`] supplies bits that anyone can repeat;
//! what is released with it is *not private*, and its type says so to every ledger.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// A source of random bits. Sealed: an outside generator could not be vouched for.
pub trait Randomness: sealed::Sealed {
    /// Whether a release made with these bits may be called private.
    const SECURE: bool;

    /// Sixty-four random bits.
    fn next_u64(&mut self) -> u64;
}

mod sealed {
    pub trait Sealed {}
}

/// ChaCha20 with a key from the operating system.
///
/// It can be neither cloned nor printed nor stored: a repeated stream would repeat noise,
/// and the difference of two releases would then be bare data.
pub struct SecureGenerator(ChaCha20Rng);

/// The operating system gave no randomness.
#[derive(Debug, thiserror::Error)]
#[error("the operating system gave no randomness ({0}); no private release can be made without it")]
pub struct NoEntropy(#[source] getrandom::Error);

impl SecureGenerator {
    /// A new generator under a fresh 256-bit key.
    pub fn from_system() -> Result<Self, NoEntropy> {
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(NoEntropy)?;
        Ok(Self(ChaCha20Rng::from_seed(key)))
    }
}

impl sealed::Sealed for SecureGenerator {}

impl Randomness for SecureGenerator {
    const SECURE: bool = true;

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// The same bits each time, for tests and for comparing methods. **Not private.**
#[derive(Clone)]
pub struct SeededGenerator(ChaCha20Rng);

impl SeededGenerator {
    /// The stream that belongs to `seed`.
    pub fn not_private(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl sealed::Sealed for SeededGenerator {}

impl Randomness for SeededGenerator {
    const SECURE: bool = false;

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
}
