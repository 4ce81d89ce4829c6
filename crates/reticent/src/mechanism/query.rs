//! Queries: values that came out of the data, with what one record can do to them.
//!
//! A query can be handed to a mechanism and to nothing else. Its fields are visible inside
//! `mechanism` only; it has no getter, no `Debug`, `Display`, `PartialEq`, `Clone` or
//! `Serialize`, and the tests in `tests/compile_fail` hold it to that. `data` makes queries,
//! with a sensitivity that follows from bounds that it enforced.
//!
//! Everything is in units of the public grid, so that sensitivities are exact integers.

use crate::noise::Grid;
use crate::privacy::Adjacency;

/// The largest magnitude in a query. There is room above it for noise: see
/// [`Released`](super::Released).
pub(super) const LIMIT: i64 = 1 << 62;

/// A vector of sums over records.
pub struct Query {
    pub(super) values: Vec<i64>,
    pub(super) grid: Grid,
    pub(super) adjacency: Adjacency,
    pub(super) sensitivity: Sensitivity,
}

/// How far one record can move a vector, in grid steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sensitivity {
    /// The largest change of a coordinate.
    pub linf: u64,
    /// The largest ℓ₂ norm of the change; at least 1.
    pub l2: f64,
}

impl Query {
    /// For `data` only: the caller proves the sensitivity beside the call.
    ///
    /// Values are clamped to ±[`LIMIT`], which is 1-Lipschitz in each coordinate and so moves
    /// no two neighbours apart.
    pub(crate) fn new(
        values: impl IntoIterator<Item = i128>,
        grid: Grid,
        adjacency: Adjacency,
        sensitivity: Sensitivity,
    ) -> Self {
        let limit = i128::from(LIMIT);
        // The clamp makes the conversion exact.
        let clamped = |value: i128| value.clamp(-limit, limit) as i64;
        Self {
            values: values.into_iter().map(clamped).collect(),
            grid,
            adjacency,
            sensitivity,
        }
    }

    /// Δ∞ and Δ₂, for the tests of those who make queries.
    #[cfg(test)]
    pub(crate) fn sensitivity_for_tests(&self) -> (u64, f64) {
        (self.sensitivity.linf, self.sensitivity.l2)
    }

    /// The number of coordinates, which is public.
    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    /// The coordinates as scores of candidates, one each.
    ///
    /// Range: each score moves by at most Δ∞, some up and some down, so that
    /// max(u−u′) − min(u−u′) ≤ 2Δ∞.
    pub fn scores(self) -> Scores {
        let range = self.score_range();
        Scores {
            values: self.values,
            adjacency: self.adjacency,
            range,
        }
    }

    /// The absolute values as scores of candidates: which coordinate is large, without its
    /// sign. Range 2Δ∞, because ||a|−|b|| ≤ |a−b|.
    pub fn magnitudes(self) -> Scores {
        let range = self.score_range();
        let values = self.values.iter().map(|value| value.abs()).collect();
        Scores {
            values,
            adjacency: self.adjacency,
            range,
        }
    }

    /// Both signs of each coordinate as candidates: with d coordinates, candidate j < d is
    /// +j and candidate d + j is −j. These are the vertices of the ℓ₁ ball; the sign is part
    /// of the choice, so that none is released bare. Range 2Δ∞.
    pub fn signed_scores(self) -> Scores {
        let range = self.score_range();
        let mut values = self.values;
        values.extend_from_within(..);
        let half = values.len() / 2;
        for value in &mut values[half..] {
            *value = -*value;
        }
        Scores {
            values,
            adjacency: self.adjacency,
            range,
        }
    }

    fn score_range(&self) -> u64 {
        self.sensitivity.linf.saturating_mul(2)
    }
}

/// Scores of candidates, to select among.
pub struct Scores {
    pub(super) values: Vec<i64>,
    pub(super) adjacency: Adjacency,
    /// The supremum over neighbours of max(u−u′) − min(u−u′), in grid steps.
    pub(super) range: u64,
}

impl Scores {
    /// The number of candidates, which is public.
    pub fn candidates(&self) -> usize {
        self.values.len()
    }
}

/// An integer that was clipped to public integers lo < hi ≤ lo + 2⁶².
///
/// Whatever the integer was and whichever tables count as neighbours, one record moves it by
/// at most hi − lo.
pub struct Count {
    pub(super) value: i64,
    pub(super) lo: i64,
    pub(super) hi: i64,
}

/// Bounds that leave a count nothing to say, or its noise no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a count needs integer bounds lo < hi at most 2^62 apart; got lo = {lo} and hi = {hi}")]
pub struct CountBoundsError {
    /// The lower bound that was given.
    pub lo: i64,
    /// The upper bound that was given.
    pub hi: i64,
}

impl Count {
    /// Clips `raw` to [lo, hi]. The bounds must be public; that they are is the caller's to
    /// see to, because a number does not show where it came from.
    pub fn clipped(raw: i64, lo: i64, hi: i64) -> Result<Self, CountBoundsError> {
        let apart = hi.checked_sub(lo);
        if !apart.is_some_and(|apart| (1..=LIMIT).contains(&apart)) {
            return Err(CountBoundsError { lo, hi });
        }
        Ok(Self {
            value: raw.clamp(lo, hi),
            lo,
            hi,
        })
    }
}
