//! Queries: values computed from the data, with how far one record can move them.

#[cfg(test)]
pub(crate) mod mutant;

use std::borrow::Cow;

use crate::mechanism::ReleaseKey;
use crate::noise::{Candidates, Grid};
use crate::privacy::Adjacency;
use crate::table::RecordBound;

/// The largest magnitude in a query. There is room above it for noise: see
/// [`Released`](crate::mechanism::Released).
pub(crate) const LIMIT: i64 = 1 << 62;

/// A vector of sums over records, with how far one record can move it.
///
/// It can be passed to a mechanism and to nothing else. Only `population` can make one, with a
/// sensitivity that follows from bounds that it enforced: the constructors are visible nowhere
/// else. Only `mechanism` can open one: that takes a key that nothing else can make. There is no
/// getter, no `Debug`, `Display`, `PartialEq`, `Clone` or `Serialize`, which the tests in
/// `tests/compile_fail` check.
///
/// Everything is in units of the public grid, so that sensitivities are exact.
pub struct Query<'a> {
    question: &'static str,
    values: Cow<'a, [i64]>,
    grid: Grid,
    adjacency: Adjacency,
    sensitivity: Sensitivity,
}

/// What a mechanism sees of a query.
pub(crate) struct OpenQuery<'a> {
    pub values: &'a [i64],
    pub grid: Grid,
    pub sensitivity: Sensitivity,
}

/// The norm of what one record adds to a vector, in grid steps: at most this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordSteps {
    /// In ℓ₂.
    L2(u64),
    /// In ℓ∞.
    Linf(u64),
    /// In both.
    Both {
        /// In ℓ₂.
        l2: u64,
        /// In ℓ∞.
        linf: u64,
    },
}

impl RecordSteps {
    /// `steps` in the norm of `bound`.
    pub fn of(bound: RecordBound, steps: u64) -> Self {
        match bound {
            RecordBound::L2(_) => Self::L2(steps),
            RecordBound::Linf(_) => Self::Linf(steps),
        }
    }
}

/// How far one record can move a vector, in grid steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sensitivity {
    /// What one record adds.
    pub(super) record: RecordSteps,
    /// By how many records two neighbours differ.
    pub(super) differing_records: u64,
    /// The largest change of a coordinate.
    pub linf: u64,
    /// The largest ℓ₂ norm of the change; at least 1.
    pub l2: f64,
}

impl Sensitivity {
    /// Of a sum over records in `dimension` coordinates to which each adds at most `record`,
    /// between 1 and 2⁶⁰.
    ///
    /// Adding or removing a record moves the sum by what it adds; replacing one, by at most twice
    /// that (triangle inequality). ‖x‖∞ ≤ ‖x‖₂ ≤ √d·‖x‖∞ gives the other norm. Every rounding is
    /// upwards.
    pub(super) fn of(record: RecordSteps, dimension: usize, adjacency: Adjacency) -> Self {
        let differing_records = u64::from(adjacency.differing_records());
        let spread =
            |linf: u64| (sqrt_up(dimension) * to_float_up(differing_records * linf)).next_up();
        let (linf, l2) = match record {
            RecordSteps::L2(l2) => (l2, to_float_up(differing_records * l2)),
            RecordSteps::Linf(linf) => (linf, spread(linf)),
            RecordSteps::Both { l2, linf } => (
                linf.min(l2),
                to_float_up(differing_records * l2).min(spread(linf)),
            ),
        };
        let linf = differing_records * linf;
        Self {
            record,
            differing_records,
            linf,
            l2,
        }
    }
}

impl Sensitivity {
    /// Of a vector that is not a sum over records: those of two neighbours differ by at most
    /// `steps` in ℓ₂, between 1 and 2⁶⁰.
    pub(super) fn whole(steps: u64) -> Self {
        Self {
            record: RecordSteps::L2(steps),
            differing_records: 1,
            linf: steps,
            l2: to_float_up(steps),
        }
    }
}

/// An upper bound of √d. IEEE 754 rounds square roots correctly; d itself may be rounded.
fn sqrt_up(dimension: usize) -> f64 {
    (dimension as f64).next_up().sqrt().next_up()
}

/// A float that is at least `steps`, and equal to it up to 2⁵³.
fn to_float_up(steps: u64) -> f64 {
    let float = steps as f64;
    if steps <= 1 << f64::MANTISSA_DIGITS {
        float
    } else {
        float.next_up()
    }
}

impl<'a> Query<'a> {
    /// The caller proves the sensitivity at the call, and that no value exceeds ±[`LIMIT`].
    pub(super) fn new(
        question: &'static str,
        values: impl Into<Cow<'a, [i64]>>,
        grid: Grid,
        adjacency: Adjacency,
        sensitivity: Sensitivity,
    ) -> Self {
        #[cfg(test)]
        let sensitivity = mutant::shrunk(question, sensitivity);
        Self {
            question,
            values: values.into(),
            grid,
            adjacency,
            sensitivity,
        }
    }

    /// As [`new`](Self::new), for values of any size.
    ///
    /// They are clamped to ±[`LIMIT`], which is 1-Lipschitz in each coordinate and so moves no two
    /// neighbours farther apart.
    pub(super) fn clamped(
        question: &'static str,
        values: impl IntoIterator<Item = i128>,
        grid: Grid,
        adjacency: Adjacency,
        sensitivity: Sensitivity,
    ) -> Self {
        let limit = i128::from(LIMIT);
        // The clamp makes the conversion exact.
        let clamp = |value: i128| value.clamp(-limit, limit) as i64;
        let values: Vec<i64> = values.into_iter().map(clamp).collect();
        Self::new(question, values, grid, adjacency, sensitivity)
    }

    /// The value and its sensitivity, for a mechanism.
    pub(crate) fn open(&self, _: &ReleaseKey) -> OpenQuery<'_> {
        OpenQuery {
            values: &self.values,
            grid: self.grid,
            sensitivity: self.sensitivity,
        }
    }

    /// The value, for making queries from queries.
    pub(super) fn raw_values(&self) -> &[i64] {
        &self.values
    }

    /// How far one record can move it, for making queries from queries.
    pub(super) fn raw_sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// The grid, for the tests of the questions that make queries.
    #[cfg(test)]
    pub(super) fn raw_grid(&self) -> Grid {
        self.grid
    }

    /// What was asked, in a few words.
    pub fn question(&self) -> &'static str {
        self.question
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// Δ₂: how far one record can move it in ℓ₂, in real units. It follows from bounds, and is public.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity.l2 * self.grid.step()
    }

    /// The number of coordinates, which is public.
    pub fn dimension(&self) -> usize {
        self.values.len()
    }

    /// The same plus public constants, one per coordinate, rounded to the grid.
    ///
    /// Neighbours get the same constants, and clamping to what a query holds is 1-Lipschitz:
    /// the sensitivity stays. (A constant that is not a number counts as 0.)
    ///
    /// # Panics
    ///
    /// If there is another number of constants than of coordinates.
    pub fn shifted(self, constants: &[f64]) -> Query<'static> {
        assert_eq!(constants.len(), self.dimension(), "one constant per value");
        let step = self.grid.step();
        // The cast saturates at 64 bits, and the sum has 128.
        let steps = |constant: &f64| i128::from((constant / step).round() as i64);
        let add = |(value, constant): (&i64, _)| i128::from(*value) + steps(constant);
        let values = self.values.iter().zip(constants).map(add);
        Query::clamped(
            self.question,
            values,
            self.grid,
            self.adjacency,
            self.sensitivity,
        )
    }

    /// Some of the coordinates.
    ///
    /// What a record adds to them is part of what it adds to all: at most as long in either
    /// norm, and ‖x‖₂ ≤ √s·‖x‖∞ for s coordinates.
    ///
    /// # Panics
    ///
    /// If the places do not increase, or one lies beyond the last coordinate. (One that is given
    /// twice would count twice in the norm.)
    pub fn at(self, places: &[usize]) -> Query<'static> {
        assert!(places.is_sorted_by(|a, b| a < b), "places must increase");
        let values: Vec<i64> = places.iter().map(|&place| self.values[place]).collect();
        let record = self.sensitivity.record;
        let sensitivity = Sensitivity::of(record, values.len(), self.adjacency);
        Query::new(
            self.question,
            values,
            self.grid,
            self.adjacency,
            sensitivity,
        )
    }

    /// The coordinates as scores of candidates, one each.
    ///
    /// Range: each score moves by at most Δ∞, some up and some down, so that
    /// max(u−u′) − min(u−u′) ≤ 2Δ∞.
    pub fn scores(self) -> Scores<'a> {
        self.into_scores(Signs::One)
    }

    /// The absolute values as scores of candidates: which coordinate is large, without its
    /// sign. Range 2Δ∞, because ||a|−|b|| ≤ |a−b|.
    pub fn magnitudes(mut self) -> Scores<'a> {
        let sizes: Vec<i64> = self.values.iter().map(|value| value.abs()).collect();
        self.values = sizes.into();
        self.into_scores(Signs::One)
    }

    /// Both signs of each coordinate as candidates: with d coordinates, candidate j < d is
    /// +j and candidate d + j is −j. These are the vertices of the ℓ₁ ball; the sign is part
    /// of the choice, so that none is released by itself. Range 2Δ∞.
    pub fn signed_scores(self) -> Scores<'a> {
        self.into_scores(Signs::Both)
    }

    fn into_scores(self, signs: Signs) -> Scores<'a> {
        Scores {
            question: self.question,
            values: self.values,
            signs,
            adjacency: self.adjacency,
            range: self.sensitivity.linf.saturating_mul(2),
        }
    }
}

/// Scores of candidates, to select among.
pub struct Scores<'a> {
    question: &'static str,
    values: Cow<'a, [i64]>,
    signs: Signs,
    adjacency: Adjacency,
    range: u64,
}

/// Which candidates each value stands for.
enum Signs {
    /// The one with that score.
    One,
    /// That, and one with minus that score.
    Both,
}

/// What a mechanism sees of scores.
pub(crate) struct OpenScores<'a> {
    pub candidates: Candidates<'a>,
    /// The supremum over neighbours of max(u−u′) − min(u−u′), in grid steps.
    pub range: u64,
}

impl<'a> Scores<'a> {
    /// The caller proves the range at the call, and that no value exceeds ±[`LIMIT`].
    pub(super) fn new(
        question: &'static str,
        values: impl Into<Cow<'a, [i64]>>,
        adjacency: Adjacency,
        range: u64,
    ) -> Self {
        #[cfg(test)]
        let range = mutant::less(question, range);
        Self {
            question,
            values: values.into(),
            signs: Signs::One,
            adjacency,
            range,
        }
    }

    /// The values, for the tests of the questions that make scores.
    #[cfg(test)]
    pub(super) fn raw_values(&self) -> &[i64] {
        &self.values
    }

    /// The range, for the tests of the questions that make scores.
    #[cfg(test)]
    pub(super) fn raw_range(&self) -> u64 {
        self.range
    }

    /// The scores and their range, for a mechanism.
    pub(crate) fn open(&self, _: &ReleaseKey) -> OpenScores<'_> {
        OpenScores {
            candidates: self.layout(),
            range: self.range,
        }
    }

    fn layout(&self) -> Candidates<'_> {
        match self.signs {
            Signs::One => Candidates::Plain(&self.values),
            Signs::Both => Candidates::Signed(&self.values),
        }
    }

    /// What was asked, in a few words.
    pub fn question(&self) -> &'static str {
        self.question
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The number of candidates, which is public.
    pub fn candidates(&self) -> usize {
        self.layout().len()
    }
}

/// An integer, with how far one record can move it, whichever tables count as neighbours.
pub struct Count {
    value: i64,
    sensitivity: i64,
    lo: i64,
    hi: i64,
}

/// What a mechanism sees of a count: lo ≤ value ≤ hi, and hi − lo ≤ 2⁶².
pub(crate) struct OpenCount {
    pub value: i64,
    pub sensitivity: i64,
    pub lo: i64,
    pub hi: i64,
}

/// Bounds between which there is nothing to count, or too far apart for the noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a count needs integer bounds lo < hi at most 2^62 apart; got lo = {lo} and hi = {hi}")]
pub struct CountBoundsError {
    /// The lower bound that was given.
    pub lo: i64,
    /// The upper bound that was given.
    pub hi: i64,
}

impl Count {
    /// The number of records for which the answer is yes: one answer per record.
    ///
    /// Adding, removing or replacing one record moves it by at most 1.
    pub fn of(answers: impl IntoIterator<Item = bool>) -> Self {
        let yes = answers.into_iter().filter(|yes| *yes).count();
        Self {
            value: i64::try_from(yes).map_or(LIMIT, |yes| yes.min(LIMIT)),
            sensitivity: 1,
            lo: 0,
            hi: LIMIT,
        }
    }

    /// Any integer that depends on the data, clipped to public bounds lo < hi ≤ lo + 2⁶².
    ///
    /// **Not for counting records**: nothing is known about the integer but its bounds, so one
    /// record is assumed to move it by the whole of hi − lo, and the noise has that scale. It is
    /// for numbers like the size of a support. The caller must ensure that the bounds are public,
    /// because a number does not show where it came from.
    pub fn clipped(raw: i64, lo: i64, hi: i64) -> Result<Self, CountBoundsError> {
        match hi.checked_sub(lo) {
            Some(sensitivity @ 1..=LIMIT) => Ok(Self {
                value: raw.clamp(lo, hi),
                #[cfg(test)]
                sensitivity: mutant::less("count", sensitivity as u64) as i64,
                #[cfg(not(test))]
                sensitivity,
                lo,
                hi,
            }),
            _ => Err(CountBoundsError { lo, hi }),
        }
    }

    /// The count and its bounds, for a mechanism.
    pub(crate) fn open(&self, _: &ReleaseKey) -> OpenCount {
        OpenCount {
            value: self.value,
            sensitivity: self.sensitivity,
            lo: self.lo,
            hi: self.hi,
        }
    }
}
