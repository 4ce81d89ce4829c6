//! Where random bits come from.
//!
//! The samplers of this module are exact given independent fair bits. [`SecureGenerator`]
//! supplies bits that no feasible computation distinguishes from fair ones: ChaCha20 under a key
//! from the operating system. [`SeededGenerator`] supplies bits that anyone can repeat; what is
//! released with it is *not private*, and its type says so to every ledger.

use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// A source of random bits. Sealed: nothing could be guaranteed for an outside generator.
pub trait Randomness: sealed::Sealed {
    /// Whether a release made with these bits may be called private.
    fn secure(&self) -> bool;

    /// Sixty-four random bits.
    fn next_u64(&mut self) -> u64;

    /// To be called before each release: makes sure that no copy of this generator has the same bits.
    fn refresh(&mut self) -> Result<(), NoEntropy>;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// ChaCha20 with a key from the operating system, a new one for each release.
///
/// It can be neither cloned nor printed nor stored: a repeated stream would repeat noise,
/// and the difference of two releases would then be the data itself. A process that forks, or a
/// virtual machine that is resumed twice from a snapshot, copies the generator nevertheless; so every
/// mechanism calls [`Randomness::refresh`] first, which takes a new key from the system (about a
/// microsecond), whatever happened since the last. What is left to the system is that its own
/// randomness differs in the copies, and that none is made between the new key and the release.
pub struct SecureGenerator {
    stream: ChaCha20Rng,
}

/// The operating system gave no randomness.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the operating system gave no randomness ({0}); no private release can be made without it")]
pub struct NoEntropy(#[source] getrandom::Error);

impl SecureGenerator {
    /// A new generator under a fresh 256-bit key.
    pub fn from_system() -> Result<Self, NoEntropy> {
        let mut key = [0u8; 32];
        getrandom::fill(&mut key).map_err(NoEntropy)?;
        Ok(Self {
            stream: ChaCha20Rng::from_seed(key),
        })
    }
}

impl sealed::Sealed for SecureGenerator {}

impl Randomness for SecureGenerator {
    fn secure(&self) -> bool {
        true
    }

    fn next_u64(&mut self) -> u64 {
        self.stream.next_u64()
    }

    fn refresh(&mut self) -> Result<(), NoEntropy> {
        *self = Self::from_system()?;
        Ok(())
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
    fn secure(&self) -> bool {
        false
    }

    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn refresh(&mut self) -> Result<(), NoEntropy> {
        Ok(())
    }
}

/// Either of them: the generator of a fit, so that a plan need not know which it is.
pub enum Generator {
    /// Secret bits.
    Secure(SecureGenerator),
    /// The same bits each time. **Not private.**
    Seeded(SeededGenerator),
}

impl Generator {
    /// Secret bits, under a fresh key from the operating system.
    pub fn from_system() -> Result<Self, NoEntropy> {
        SecureGenerator::from_system().map(Self::Secure)
    }

    /// The stream that belongs to `seed`. **Not private.**
    pub fn not_private(seed: u64) -> Self {
        Self::Seeded(SeededGenerator::not_private(seed))
    }
}

impl sealed::Sealed for Generator {}

impl Randomness for Generator {
    fn secure(&self) -> bool {
        match self {
            Self::Secure(generator) => generator.secure(),
            Self::Seeded(generator) => generator.secure(),
        }
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        match self {
            Self::Secure(generator) => generator.next_u64(),
            Self::Seeded(generator) => generator.next_u64(),
        }
    }

    fn refresh(&mut self) -> Result<(), NoEntropy> {
        match self {
            Self::Secure(generator) => generator.refresh(),
            Self::Seeded(generator) => generator.refresh(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_generator_part_at_the_next_release_and_a_seeded_one_goes_on() {
        let mut generator = SecureGenerator::from_system().unwrap();
        // What a fork or a snapshot does.
        let stream = generator.stream.clone();
        let mut copy = SecureGenerator { stream };
        assert_eq!(copy.next_u64(), generator.next_u64());
        for _ in 0..2 {
            copy.refresh().unwrap();
            generator.refresh().unwrap();
            assert_ne!(copy.next_u64(), generator.next_u64(), "false alarm 2^-64");
        }
        let mut seeded = SeededGenerator::not_private(1);
        let mut kept = seeded.clone();
        kept.refresh().unwrap();
        assert_eq!(kept.next_u64(), seeded.next_u64());
    }

    #[test]
    fn a_seed_repeats_its_stream_and_two_keys_do_not() {
        let mut seeded = [1, 1, 2].map(SeededGenerator::not_private);
        let [first, again, other] = seeded.each_mut().map(|generator| generator.next_u64());
        assert!(first == again && first != other);
        let mut secure = [(); 2].map(|()| SecureGenerator::from_system().unwrap());
        let [one, two] = secure.each_mut().map(|generator| generator.next_u64());
        assert_ne!(one, two, "false alarm 2^-64");
    }
}
