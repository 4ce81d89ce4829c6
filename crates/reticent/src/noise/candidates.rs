//! The scores of candidates, as a selection sees them.

/// Scores to choose among.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Candidates<'a> {
    /// Candidate i has score i.
    Plain(&'a [i64]),
    /// With d values candidate j < d has value j as its score, and candidate d + j minus that.
    /// No value is `i64::MIN`. Nothing is copied.
    Signed(&'a [i64]),
}

impl Candidates<'_> {
    /// How many there are.
    pub fn len(self) -> usize {
        match self {
            Self::Plain(values) => values.len(),
            Self::Signed(values) => 2 * values.len(),
        }
    }

    /// The score of candidate `i`.
    #[inline]
    pub fn score(self, i: usize) -> i64 {
        match self {
            Self::Plain(values) => values[i],
            Self::Signed(values) if i < values.len() => values[i],
            Self::Signed(values) => -values[i - values.len()],
        }
    }

    /// All scores, in the order of the candidates.
    pub fn scores(self) -> Vec<i64> {
        match self {
            Self::Plain(values) => values.to_vec(),
            Self::Signed(values) => {
                let negated = values.iter().map(|value| -value);
                values.iter().copied().chain(negated).collect()
            }
        }
    }

    /// The greatest score ^ `flip`, which is 0, or −1 if low scores are good: one pass over
    /// the values.
    pub fn best(self, flip: i64) -> i64 {
        match self {
            Self::Plain(values) => values.iter().fold(i64::MIN, |best, s| best.max(s ^ flip)),
            Self::Signed(values) => {
                let largest = values
                    .iter()
                    .fold(0, |most: i64, value| most.max(value.abs()));
                // The least score is minus the largest, and −x ^ −1 = x − 1.
                largest + flip
            }
        }
    }
}
