//! Streams of random bits for the blocks of one release, to be drawn on several threads.

use super::chacha::{self, WORDS};
use super::generator::{NoEntropy, Randomness, sealed};

/// The streams of one release: block number b has ChaCha20's stream number b under a key of its own
/// release.
///
/// Which bits a block has depends on the generator and the number of the block alone, so that a
/// release is the same on any number of threads.
///
/// # Why no bit is used twice
///
/// *Within a release*: ChaCha20's state has a 256-bit key, a 64-bit stream number (the nonce) and a
/// 64-bit counter of 64-byte blocks. Streams of different numbers under one key are outputs of the
/// same pseudo-random function at different places: as good as independent. None reaches the end
/// of its counter, at 2⁷⁰ bytes. A stream hands out each of its words once: eight blocks at a time,
/// by [`next_words`](BlockStream::next_words), which moves the counter beyond them; single words come
/// from eight blocks that were taken in the same way and nobody else sees.
///
/// *Between releases*: the key is the next 256 bits of the generator, which are used for nothing
/// else, and the generator never returns them again. So keys are as good as independent uniform
/// ones, and independent of all that the generator gives before and after; that two of N releases
/// have the same key has a probability of N²/2²⁵⁷. Replacing the generator by true randomness,
/// and then each keyed stream (the usual hybrid argument), no feasible computation distinguishes the
/// bits from fair independent ones: an advantage is at most that against the generator plus one
/// against ChaCha20 for each release.
///
/// *Forks and copies*: a mechanism refreshes its generator before a release, which takes a new key
/// from the system; what is derived from it is then new as well. The value has no `Clone`, is
/// consumed by one release ([`blocks`](Self::blocks) takes it), and never leaves `mechanism`. A
/// seeded generator repeats its keys with its seed, and says that it is not private.
pub(crate) struct Streams {
    key: [u32; 8],
    secure: bool,
}

/// The bits of one block.
pub(crate) struct BlockStream {
    key: [u32; 8],
    stream: u64,
    /// The next of ChaCha20's own blocks.
    counter: u64,
    /// Words to be handed out one at a time, of which those from `next` on are left.
    single: [u64; WORDS],
    next: usize,
    secure: bool,
}

impl Streams {
    /// The streams of the next release.
    pub fn new<R: Randomness>(randomness: &mut R) -> Self {
        let mut key = [0; 8];
        for two in key.chunks_exact_mut(2) {
            let word = randomness.next_u64();
            two.copy_from_slice(&[word as u32, (word >> 32) as u32]);
        }
        Self {
            key,
            secure: randomness.secure(),
        }
    }

    /// The stream of each block, by its number. Each number must be asked for once.
    pub fn blocks(self) -> impl Fn(usize) -> BlockStream + Sync {
        move |block| BlockStream {
            key: self.key,
            stream: block as u64,
            counter: 0,
            single: [0; WORDS],
            next: WORDS,
            secure: self.secure,
        }
    }
}

impl BlockStream {
    /// The next words.
    #[inline]
    pub fn next_words(&mut self, words: &mut [u64; WORDS]) {
        chacha::words(&self.key, self.stream, self.counter, words);
        self.counter += (WORDS / 8) as u64;
    }
}

impl sealed::Sealed for BlockStream {}

impl Randomness for BlockStream {
    fn secure(&self) -> bool {
        self.secure
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        if self.next == WORDS {
            let mut words = [0; WORDS];
            self.next_words(&mut words);
            (self.single, self.next) = (words, 0);
        }
        let word = self.single[self.next];
        self.next += 1;
        word
    }

    /// It lives within one release, whose generator was refreshed.
    fn refresh(&mut self) -> Result<(), NoEntropy> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{SecureGenerator, SeededGenerator};

    /// The first words of many streams: of blocks, of releases, and of the generator itself.
    #[test]
    fn no_two_blocks_of_any_release_share_their_bits() {
        let mut generators = [1, 1].map(SeededGenerator::not_private);
        let [first, again] = generators.each_mut().map(|generator| {
            let mut words = Vec::new();
            for _ in 0..8 {
                let blocks = Streams::new(generator).blocks();
                for block in 0..64 {
                    let mut block = blocks(block);
                    words.push(block.next_u64());
                    let mut more = [0; WORDS];
                    block.next_words(&mut more);
                    words.extend(more);
                    words.push(block.next_u64());
                }
                words.push(generator.next_u64());
            }
            words
        });
        assert_eq!(first, again, "a seed repeats its streams");
        let mut sorted = first;
        sorted.sort_unstable();
        // Among 33 800 words of 64 bits: false alarm 2⁻³⁴, and the seed is fixed.
        assert!(sorted.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn streams_are_as_private_as_their_generator() {
        let mut secure = SecureGenerator::from_system().unwrap();
        assert!(Streams::new(&mut secure).blocks()(0).secure());
        let mut seeded = SeededGenerator::not_private(3);
        assert!(!Streams::new(&mut seeded).blocks()(0).secure());
    }
}
