//! A matrix whose entries are few different pairs of column and value: rows of numbers of pairs.
//!
//! One-hot columns have one value each, counts and rates some hundreds. An entry is then a `u16` in
//! place of a `u32` and an `f32`, and a product with weights a look-up, as the product of each pair
//! is computed once: a quarter of the memory traffic, and no multiplication.

use super::Matrix;

/// The largest number of pairs: what a `u16` counts, so that a table of all needs no bounds check.
pub(crate) const MOST_PAIRS: usize = 1 << 16;

/// Fewer entries per pair than this are not worth their table.
const ENTRIES_PER_PAIR: usize = 4;

/// One number per pair. Where there are fewer pairs the end is never touched.
pub(crate) type ByPair<T> = Box<[T; MOST_PAIRS]>;

/// Rows of numbers of pairs. Stored zeros are left out.
pub(crate) struct Tokens {
    /// Row i has the tokens from `starts[i]` to `starts[i + 1]`, in the order of its columns.
    starts: Vec<usize>,
    tokens: Vec<u16>,
    /// The column and the value of each token.
    pairs: Vec<(u32, f32)>,
}

impl Tokens {
    /// The tokens of a matrix, if it has few enough pairs. One pass over the entries; most matrices
    /// that have too many are left after a fraction of it.
    pub fn new(matrix: &Matrix) -> Option<Self> {
        let most = MOST_PAIRS.min(matrix.entries() / ENTRIES_PER_PAIR);
        let mut dictionary = Dictionary::new(most);
        let mut starts = Vec::with_capacity(matrix.rows() + 1);
        let mut tokens = Vec::with_capacity(matrix.entries());
        starts.push(0);
        for i in 0..matrix.rows() {
            let mut few = true;
            matrix.for_row(i, |column, value| {
                if value != 0.0 && few {
                    match dictionary.token(column as u32, value) {
                        Some(token) => tokens.push(token),
                        None => few = false,
                    }
                }
            });
            if !few {
                return None;
            }
            starts.push(tokens.len());
        }
        Some(Self {
            starts,
            tokens,
            pairs: dictionary.pairs,
        })
    }

    /// The column and the value of each token.
    pub fn pairs(&self) -> &[(u32, f32)] {
        &self.pairs
    }

    /// The tokens of row `i`.
    #[inline]
    pub fn row(&self, i: usize) -> &[u16] {
        &self.tokens[self.starts[i]..self.starts[i + 1]]
    }
}

/// A table of zeros, on the heap from the start.
pub(crate) fn by_pair<T: Copy + Default>() -> ByPair<T> {
    let zeros = vec![T::default(); MOST_PAIRS].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("as many as pairs"))
}

/// Finds the tokens of pairs: open addressing, half empty at least.
struct Dictionary {
    /// Keys and tokens; the key 0 is no pair, as values are not 0.
    slots: Vec<(u64, u16)>,
    pairs: Vec<(u32, f32)>,
    most: usize,
}

impl Dictionary {
    const BITS: u32 = 17;

    fn new(most: usize) -> Self {
        Self {
            slots: vec![(0, 0); 1 << Self::BITS],
            pairs: Vec::new(),
            most,
        }
    }

    /// The token of a pair, a new one if it has none; `None` if there are too many.
    #[inline]
    fn token(&mut self, column: u32, value: f32) -> Option<u16> {
        let key = u64::from(column) << 32 | u64::from(value.to_bits());
        // Fibonacci hashing: the high bits of a product with 2⁶⁴/φ.
        let mut place = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize;
        loop {
            match self.slots[place] {
                (found, token) if found == key => return Some(token),
                (0, _) => break,
                _ => place = (place + 1) % (1 << Self::BITS),
            }
        }
        if self.pairs.len() == self.most {
            return None;
        }
        let token = self.pairs.len() as u16;
        self.pairs.push((column, value));
        self.slots[place] = (key, token);
        Some(token)
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
        let dense = Dense::new([0.0, 2.0, 2.0, 0.0, -1.0, 2.0].repeat(8), 16, 3);
        for matrix in [matrix(50, 3), matrix(100, 20), Matrix::Dense(dense.unwrap())] {
            let tokens = Tokens::new(&matrix).unwrap();
            for i in 0..matrix.rows() {
                let mut expected = Vec::new();
                matrix.for_row(i, |column, x| {
                    if x != 0.0 {
                        expected.push((column as u32, x));
                    }
                });
                let pair = |token: &u16| tokens.pairs()[usize::from(*token)];
                let found: Vec<_> = tokens.row(i).iter().map(pair).collect();
                assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn too_many_pairs_are_refused() {
        assert!(Tokens::new(&matrix(50, 200)).is_none());
        assert!(Tokens::new(&matrix(20_000, 80_000)).is_none());
    }
}
