//! Rows of tokens, two neighbours taken together as long as few different pairs of them occur.
//!
//! One-hot rows say the same things next to each other again and again. A *phrase* stands for two
//! neighbouring tokens, or for two neighbouring phrases. A sum over rows adds to one number per
//! phrase, and each phrase passes its sum on to its two parts at the end; a sum along a row adds the
//! value of each phrase, which is that of its two parts together. Both are sums of whole numbers, so
//! that another order gives the same number.

use super::tokens::Dictionary;
use crate::parallel;

/// The largest number of phrases: their sums stay in the second-level cache.
const MOST_PHRASES: usize = 1 << 13;
/// Fewer places per phrase than this are not worth passing its sum on.
const PLACES_PER_PHRASE: usize = 16;
/// Sums that lie beyond each other by a multiple of a page would wait for each other.
const APART: usize = 16;

/// Phrases whose values are computed together, and how many are worth another thread.
const PHRASES: usize = 1 << 10;
const SINGLE_THREAD_PHRASES: usize = 1 << 12;

/// Rows that lie side by side.
pub(crate) const GROUP: usize = 4;

/// One number per phrase: as many as a `u16` counts, so that a look-up needs no bounds check. The end
/// is never touched where there are fewer.
pub(crate) type ByPhrase = Box<[f64; 1 << 16]>;

/// Numbers of 0, on the heap from the start.
pub(crate) fn by_phrase() -> ByPhrase {
    let zeros = vec![0.0; 1 << 16].into_boxed_slice();
    zeros
        .try_into()
        .unwrap_or_else(|_| unreachable!("as many as a u16 counts"))
}

/// Rows of phrases, in groups of four that are processed together: the first phrases of all four, then
/// the second. Shorter rows of a group end in phrase 0, which has no tokens.
pub(crate) struct Phrases {
    /// Group i has the phrases from `starts[i]` to `starts[i + 1]`, in the order of columns.
    starts: Vec<usize>,
    /// The phrases; tokens, where no phrases were made.
    phrases: Vec<[u16; GROUP]>,
    /// The two parts of each phrase, of the shortest phrases first. Phrase 0 has no tokens.
    parts: Vec<Vec<[u16; 2]>>,
}

/// Room for the sums of one row of a group.
pub(crate) const LANE: usize = (1 << 16) + APART;

/// Sums by phrase, [`LANE`] for each row of a group, so that an addition seldom waits for the one
/// before. Memory that starts as 0 and is never touched is not used: that is all but the phrases and
/// tokens that occur.
pub(crate) type PhraseSums = Vec<i64>;

/// Sums of 0.
pub(crate) fn phrase_sums() -> PhraseSums {
    vec![0; GROUP * LANE]
}

impl Phrases {
    /// Puts tokens together as often as that leaves few phrases. Each time is one pass.
    pub fn new(starts: Vec<usize>, tokens: Vec<[u16; GROUP]>) -> Self {
        let mut all = Self {
            starts,
            phrases: tokens,
            parts: Vec::new(),
        };
        while let Some((starts, phrases, parts)) = together(&all.starts, &all.phrases) {
            all.parts.push(parts);
            (all.starts, all.phrases) = (starts, phrases);
        }
        all
    }

    /// The phrases of a group of rows.
    #[inline]
    pub fn group(&self, group: usize) -> &[[u16; GROUP]] {
        &self.phrases[self.starts[group]..self.starts[group + 1]]
    }

    /// The value of each phrase, from those of the tokens, which stand in the first places: the sum of
    /// its tokens' values. `spare` is overwritten.
    pub fn values(&self, values: &mut ByPhrase, spare: &mut ByPhrase) {
        for parts in &self.parts {
            let shorter = &**values;
            let chunks = spare.chunks_mut(PHRASES).zip(parts.chunks(PHRASES));
            parallel::share(chunks, threads_for(parts.len()), |(longer, parts)| {
                for (longer, &[a, b]) in longer.iter_mut().zip(parts) {
                    *longer = shorter[usize::from(a)] + shorter[usize::from(b)];
                }
            });
            std::mem::swap(values, spare);
        }
    }

    /// The tokens of a row.
    #[cfg(test)]
    pub fn row(&self, i: usize) -> Vec<u16> {
        let row = self.group(i / GROUP).iter().map(|four| four[i % GROUP]);
        let halved = |phrases: Vec<u16>, parts: &Vec<[u16; 2]>| {
            let parts = phrases.iter().map(|phrase| parts[usize::from(*phrase)]);
            parts.flatten().collect()
        };
        self.parts.iter().rev().fold(row.collect(), halved)
    }

    /// Passes the sums of phrases on to their parts, down to the `tokens` first tokens, and leaves 0.
    pub fn pass_on(&self, sums: &mut [i64], tokens: usize) -> Vec<i64> {
        let longest = self.parts.last().map_or(tokens, Vec::len);
        let mut take = |place: usize| {
            let lanes = sums.chunks_exact_mut(LANE);
            lanes.map(|lane| std::mem::take(&mut lane[place])).sum()
        };
        let mut whole: Vec<i64> = (0..longest).map(&mut take).collect();
        for (level, parts) in self.parts.iter().enumerate().rev() {
            let shorter = match level {
                0 => tokens,
                _ => self.parts[level - 1].len(),
            };
            let mut of_parts = vec![0; shorter];
            for (sum, parts) in whole.iter().zip(parts) {
                parts
                    .iter()
                    .for_each(|part| of_parts[usize::from(*part)] += sum);
            }
            whole = of_parts;
        }
        whole
    }
}

/// How many threads so many values of tokens or phrases are worth.
pub(crate) fn threads_for(values: usize) -> usize {
    match values < SINGLE_THREAD_PHRASES {
        true => 1,
        false => rayon::current_num_threads(),
    }
}

type Together = (Vec<usize>, Vec<[u16; GROUP]>, Vec<[u16; 2]>);

/// Each two neighbours as one, if few different ones occur. The last of an odd number is alone, with
/// a 0.
fn together(starts: &[usize], tokens: &[[u16; GROUP]]) -> Option<Together> {
    let most = MOST_PHRASES.min(tokens.len() * GROUP / PLACES_PER_PHRASE);
    let mut dictionary = Dictionary::new(most);
    let mut parts = vec![[0; 2]];
    let mut phrases = Vec::with_capacity(tokens.len() / 2 + starts.len());
    let mut new_starts = Vec::with_capacity(starts.len());
    new_starts.push(0);
    let mut longest = 0;
    for group in starts.windows(2) {
        let tokens = &tokens[group[0]..group[1]];
        longest = longest.max(tokens.len());
        for two in tokens.chunks(2) {
            let mut four = [0; GROUP];
            for (lane, phrase) in four.iter_mut().enumerate() {
                let both = [two[0][lane], two.get(1).map_or(0, |second| second[lane])];
                let key = u64::from(both[0]) << 16 | u64::from(both[1]);
                if key != 0 {
                    let (number, new) = dictionary.number(key)?;
                    if new {
                        parts.push(both);
                    }
                    *phrase = number;
                }
            }
            phrases.push(four);
        }
        new_starts.push(phrases.len());
    }
    (longest > 1).then_some((new_starts, phrases, parts))
}
