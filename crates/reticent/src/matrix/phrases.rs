//! Rows of tokens, two neighbours taken together as long as few different pairs of them occur.
//!
//! One-hot rows say the same things next to each other again and again. A *phrase* stands for two
//! neighbouring tokens, or for two neighbouring phrases: a sum over rows adds to one number per
//! phrase, and each phrase passes its sum on to its two parts at the end. That is the same integer
//! in another order; sums of floats would be rounded in another way, and are taken over tokens.

use super::tokens::{Dictionary, GROUP};

/// The largest number of phrases: their sums stay in the second-level cache.
const MOST_PHRASES: usize = 1 << 13;
/// Fewer places per phrase than this are not worth passing its sum on.
const PLACES_PER_PHRASE: usize = 16;
/// Sums that lie beyond each other by a multiple of a page would wait for each other.
const APART: usize = 16;

/// Rows of phrases, in the same groups as their tokens.
pub(crate) struct Phrases {
    starts: Vec<usize>,
    /// The phrases, where some were made.
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
    pub fn new(starts: &[usize], tokens: &[[u16; GROUP]]) -> Self {
        let mut all = Self {
            starts: starts.to_vec(),
            phrases: Vec::new(),
            parts: Vec::new(),
        };
        let mut next = together(starts, tokens);
        while let Some((starts, phrases, parts)) = next {
            next = together(&starts, &phrases);
            all.parts.push(parts);
            (all.starts, all.phrases) = (starts, phrases);
        }
        if all.parts.is_empty() {
            all.phrases = tokens.to_vec();
        }
        all
    }

    /// The phrases of a group of rows.
    #[inline]
    pub fn group(&self, group: usize) -> &[[u16; GROUP]] {
        &self.phrases[self.starts[group]..self.starts[group + 1]]
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
