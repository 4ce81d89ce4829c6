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

    /// To be called before each release: makes sure that no other process has the same bits.
    fn refresh(&mut self) -> Result<(), NoEntropy>;
}

pub(super) mod sealed {
    pub trait Sealed {}
}

/// ChaCha20 with a key from the operating system.
///
/// It can be neither cloned nor printed nor stored: a repeated stream would repeat noise,
/// and the difference of two releases would then be the data itself. A process that forks
/// nevertheless copies the generator; so every mechanism calls [`Randomness::refresh`] first, which
/// takes a new key when the process is not the one that made the last. Two resumptions of a
/// snapshot of a running virtual machine cannot be distinguished from inside: make a new generator
/// after resuming.
pub struct SecureGenerator {
    stream: ChaCha20Rng,
    /// The process that the key belongs to.
    process: u32,
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
            process: std::process::id(),
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
        if self.process != std::process::id() {
            *self = Self::from_system()?;
        }
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
    fn a_forked_process_takes_a_new_key_and_the_same_process_keeps_its_own() {
        let mut generator = SecureGenerator::from_system().unwrap();
        let copy = |generator: &SecureGenerator, process| SecureGenerator {
            stream: generator.stream.clone(),
            process,
        };
        let mut kept = copy(&generator, generator.process);
        let mut forked = copy(&generator, generator.process.wrapping_add(1));
        kept.refresh().unwrap();
        forked.refresh().unwrap();
        let word = generator.next_u64();
        assert_eq!(kept.next_u64(), word);
        assert_ne!(forked.next_u64(), word, "false alarm 2^-64");
        assert_eq!(forked.process, std::process::id());
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
