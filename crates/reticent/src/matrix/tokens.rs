//! A matrix whose entries are few different pairs of column and value: rows of numbers of pairs.
//!
//! One-hot columns have one value each, counts and rates some hundreds. An entry is then a `u16` in
//! place of a `u32` and an `f32`, and a product with weights a look-up, as the product of each pair
//! is computed once: a quarter of the memory traffic, and no multiplication. Two neighbours or more
//! that often occur together become one number ([`Phrases`]).

use super::Matrix;
use super::phrases::{GROUP, Phrases};

/// The largest number of pairs: what a `u16` counts.
const MOST_PAIRS: usize = 1 << 16;

/// Fewer entries per pair than this are not worth their table.
const ENTRIES_PER_PAIR: usize = 4;

/// Rows of numbers of pairs. Token 0, in which shorter rows of a group end, is a pair of value 0.
/// Stored zeros are left out.
pub(crate) struct Tokens {
    /// The column and the value of each token.
    pairs: Vec<(u32, f32)>,
    /// The rows.
    pub phrases: Phrases,
}

impl Tokens {
    /// The tokens of a matrix, if it has few enough pairs and rows of similar length. One pass over
    /// the entries; most matrices that have too many pairs are left after a fraction of it.
    pub fn new(matrix: &Matrix) -> Option<Self> {
        let entries = matrix.entries();
        let mut dictionary = Dictionary::new(entries / ENTRIES_PER_PAIR);
        // The value that a column had last, and its token: without a look-up where it has but one.
        let mut latest = vec![(0, 0); matrix.width().min(MOST_PAIRS)];
        // What shorter rows of a group end in.
        let mut pairs = vec![(0, 0.0)];
        let groups = matrix.rows().div_ceil(GROUP);
        let mut starts = Vec::with_capacity(groups + 1);
        let mut tokens: Vec<[u16; GROUP]> = Vec::with_capacity(entries / GROUP + groups);
        // A copy takes no more memory than the matrix.
        let most = entries.saturating_mul(size_of::<u32>() + size_of::<f32>());
        starts.push(0);
        for group in 0..groups {
            let first = tokens.len();
            for lane in 0..GROUP.min(matrix.rows() - GROUP * group) {
                let mut place = first;
                let mut few = true;
                matrix.for_row(GROUP * group + lane, |column, value| {
                    if value != 0.0 && few {
                        if place == tokens.len() {
                            tokens.push([0; GROUP]);
                        }
                        let bits = value.to_bits();
                        match latest.get(column) {
                            Some((known, token)) if *known == bits => tokens[place][lane] = *token,
                            _ => match dictionary.number((column as u64) << 32 | u64::from(bits)) {
                                Some((token, new)) => {
                                    tokens[place][lane] = token;
                                    if new {
                                        pairs.push((column as u32, value));
                                    }
                                    if let Some(latest) = latest.get_mut(column) {
                                        *latest = (bits, token);
                                    }
                                }
                                None => few = false,
                            },
                        }
                        place += 1;
                    }
                });
                if !few {
                    return None;
                }
            }
            starts.push(tokens.len());
            if size_of::<[u16; GROUP]>() * tokens.len() > most {
                return None;
            }
        }
        Some(Self {
            phrases: Phrases::new(starts, tokens),
            pairs,
        })
    }

    /// The column and the value of each token.
    pub fn pairs(&self) -> &[(u32, f32)] {
        &self.pairs
    }
}

/// Numbers keys in the order in which they come, from 1: open addressing, half empty at least.
pub(super) struct Dictionary {
    /// Keys and their numbers; the key 0 is none.
    slots: Vec<(u64, u16)>,
    /// The number of keys, and one.
    pub next: usize,
    most: usize,
}

impl Dictionary {
    const BITS: u32 = 17;

    /// Of fewer than `most` keys.
    pub fn new(most: usize) -> Self {
        Self {
            slots: vec![(0, 0); 1 << Self::BITS],
            next: 1,
            most: most.min(MOST_PAIRS),
        }
    }

    /// The number of a key, and whether it is new; `None` if there are too many.
    #[inline]
    pub fn number(&mut self, key: u64) -> Option<(u16, bool)> {
        // Fibonacci hashing: the high bits of a product with 2⁶⁴/φ.
        let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize;
        loop {
            match self.slots[place] {
                (found, number) if found == key => return Some((number, false)),
                (0, _) => break,
                _ => place = (place + 1) % (1 << Self::BITS),
            }
        }
        if self.next >= self.most {
            return None;
        }
        let number = self.next as u16;
        self.next += 1;
        self.slots[place] = (key, number);
        Some((number, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Csr, Dense};

    /// Rows of 9 columns, a stored zero among them, with `values` different values.
    fn matrix(rows: usize, values: usize) -> Matrix<'static> {
        let columns = [0, 1, 4, 8].repeat(rows);
        let value = |place: usize| ((place * 7) % values) as f32 - 1.0;
        let values = (0..4 * rows).map(value).collect();
        let starts = (0..=rows).map(|i| 4 * i).collect();
        Matrix::Sparse(Csr::new(starts, columns, values, 9).unwrap())
    }

    #[test]
    fn tokens_are_the_entries_in_their_order_without_zeros() {
        let dense = Dense::new([0.0, 2.0, 2.0, 0.0, -1.0, 2.0].repeat(11), 22, 3);
        for matrix in [
            matrix(50, 3),
            matrix(100, 20),
            Matrix::Dense(dense.unwrap()),
        ] {
            let tokens = Tokens::new(&matrix).unwrap();
            for i in 0..matrix.rows() {
                let mut expected = Vec::new();
                matrix.for_row(i, |column, x| {
                    if x != 0.0 {
                        expected.push((column as u32, x));
                    }
                });
                let pair = |token: &u16| tokens.pairs()[usize::from(*token)];
                let found: Vec<_> = tokens.phrases.row(i).iter().map(pair).collect();
                let (entries, padding) = found.split_at(expected.len());
                assert_eq!(entries, expected);
                assert!(padding.iter().all(|pair| pair.1 == 0.0));
            }
        }
    }

    #[test]
    fn too_many_pairs_are_refused() {
        assert!(Tokens::new(&matrix(50, 200)).is_none());
        assert!(Tokens::new(&matrix(20_000, 80_000)).is_none());
    }
}
