//! ChaCha20, eight blocks at a time.
//!
//! The generator of `rand_chacha` gives one word after another; the noise of a long vector takes
//! thousands. Here each of the sixteen words of the state is a row of eight, one per block, and a
//! processor with wide registers computes all eight together (`pulp` chooses the instructions when
//! the program runs; they are integer operations, so that the words are the same on every machine).

/// Blocks that are computed together.
const BLOCKS: usize = 8;

/// Words of 64 bits in so many blocks.
pub(super) const WORDS: usize = 8 * BLOCKS;

/// One word of the state of each block.
type Row = [u32; BLOCKS];

/// The words of blocks number `counter` to `counter` + 7 of a stream under a key: the first two rows
/// of four words each, and so on. (Which place a word has is public and does not matter; each is
/// there once.)
pub(super) fn words(key: &[u32; 8], stream: u64, counter: u64, words: &mut [u64; WORDS]) {
    pulp::Arch::new().dispatch(Blocks {
        key,
        stream,
        counter,
        words,
    });
}

struct Blocks<'a> {
    key: &'a [u32; 8],
    stream: u64,
    counter: u64,
    words: &'a mut [u64; WORDS],
}

impl pulp::NullaryFnOnce for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let start = state(self.key, self.stream, self.counter);
        let end = rounds(start);
        for ((words, end), start) in self.words.chunks_exact_mut(4).zip(end).zip(start) {
            let sum = add(end, start);
            for (word, two) in words.iter_mut().zip(sum.chunks_exact(2)) {
                *word = u64::from(two[0]) | u64::from(two[1]) << 32;
            }
        }
    }
}

/// The constants "expand 32-byte k", the key, the 64-bit counter and the 64-bit number of the
/// stream: Bernstein's layout, which is that of `rand_chacha`.
#[inline(always)]
fn state(key: &[u32; 8], stream: u64, counter: u64) -> [Row; 16] {
    const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];
    let counters: [u64; BLOCKS] = std::array::from_fn(|block| counter + block as u64);
    std::array::from_fn(|place| match place {
        0..4 => [CONSTANTS[place]; BLOCKS],
        4..12 => [key[place - 4]; BLOCKS],
        12 => counters.map(|counter| counter as u32),
        13 => counters.map(|counter| (counter >> 32) as u32),
        14 => [stream as u32; BLOCKS],
        _ => [(stream >> 32) as u32; BLOCKS],
    })
}

/// Twenty rounds: ten times one by columns and one by diagonals.
#[inline(always)]
fn rounds(mut state: [Row; 16]) -> [Row; 16] {
    const QUARTERS: [[usize; 4]; 8] = [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, 14],
        [3, 7, 11, 15],
        [0, 5, 10, 15],
        [1, 6, 11, 12],
        [2, 7, 8, 13],
        [3, 4, 9, 14],
    ];
    for _ in 0..10 {
        for places in QUARTERS {
            let quarter = quarter_round(places.map(|place| state[place]));
            for (place, row) in places.into_iter().zip(quarter) {
                state[place] = row;
            }
        }
    }
    state
}

#[inline(always)]
fn quarter_round([mut a, mut b, mut c, mut d]: [Row; 4]) -> [Row; 4] {
    a = add(a, b);
    d = turned::<16>(d, a);
    c = add(c, d);
    b = turned::<12>(b, c);
    a = add(a, b);
    d = turned::<8>(d, a);
    c = add(c, d);
    b = turned::<7>(b, c);
    [a, b, c, d]
}

#[inline(always)]
fn add(a: Row, b: Row) -> Row {
    std::array::from_fn(|block| a[block].wrapping_add(b[block]))
}

/// The bits that differ, rotated to the left.
#[inline(always)]
fn turned<const BY: u32>(a: Row, b: Row) -> Row {
    std::array::from_fn(|block| (a[block] ^ b[block]).rotate_left(BY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha20Rng;
    use rand_core::{Rng, SeedableRng};

    /// Every word of the blocks, whatever its place, is that of another implementation.
    #[test]
    fn the_blocks_are_those_of_rand_chacha() {
        let key: [u32; 8] = std::array::from_fn(|i| 0x0123_4567_u32.rotate_left(5 * i as u32));
        let mut bytes = [0; 32];
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(key) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        for (stream, counter) in [(0, 0), (5, 16), (1 << 40, (1 << 32) - 3)] {
            let mut other = ChaCha20Rng::from_seed(bytes);
            other.set_stream(stream);
            other.set_word_pos(16 * u128::from(counter));
            let mut found = [0; WORDS];
            words(&key, stream, counter, &mut found);
            for block in 0..BLOCKS {
                for place in 0..16 {
                    let two = found[4 * place + block / 2];
                    let word = (two >> (32 * (block % 2))) as u32;
                    assert_eq!(word, other.next_u32(), "block {block}, word {place}");
                }
            }
        }
    }
}
