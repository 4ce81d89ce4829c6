//! Coupled replay, for tests alone: what a fit released on one table is replayed to the same fit on a
//! neighbouring one, so that both take the same path, and the actual movement is compared with what
//! was charged.
//!
//! A proof says: along one and the same path of releases, no query moves by more than its
//! sensitivity between neighbours, and noise, grid, kind and order of releases are the same. The
//! tape checks exactly that, release by release.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};

use super::RELEASE_KEY;
use crate::noise::Candidates;
use crate::population::{Count, GroupScores, Query, Scores};

/// What is about to be drawn: its source, and the noise that hides it.
pub(crate) struct Release {
    question: &'static str,
    kind: &'static str,
    values: Values,
    /// The noise relative to the sensitivity.
    noise: f64,
    /// The exponent of the grid.
    grid: i32,
}

/// What is hidden, and how far one record may move it.
enum Values {
    /// In ℓ₂.
    Vector(Vec<i64>, f64),
    /// The scores of all candidates against each other.
    Scores(Vec<i64>, u64),
    /// Σ range² over groups of this many candidates.
    Groups(Vec<i64>, usize, u128),
    /// In size.
    Count(i64, i64),
    /// In ℓ₂, of numbers on no grid.
    Reals(Vec<f64>, f64),
}

impl Release {
    /// Of a vector.
    pub fn vector(kind: &'static str, query: &Query<'_>, noise: f64) -> Self {
        let open = query.open(&RELEASE_KEY);
        Self {
            question: query.question(),
            kind,
            values: Values::Vector(open.values.to_vec(), open.sensitivity.l2),
            noise,
            grid: open.grid.exponent(),
        }
    }

    /// How far its values are from those of another, relative to the sensitivity; above 1 only if that
    /// holds in whole numbers. `None` if sizes or sensitivities differ.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        ratio(&self.values, &other.values)
    }

    /// Of a candidate, or some.
    pub fn scores(kind: &'static str, scores: &Scores<'_>, noise: f64) -> Self {
        let open = scores.open(&RELEASE_KEY);
        let candidates: &Candidates = &open.candidates;
        let all = (0..candidates.len()).map(|i| candidates.score(i)).collect();
        Self {
            question: scores.question(),
            kind,
            values: Values::Scores(all, open.range),
            noise,
            grid: 0,
        }
    }

    /// Of a candidate of each group.
    pub fn groups(scores: &GroupScores<'_>, noise: f64) -> Self {
        let open = scores.open(&RELEASE_KEY);
        Self {
            question: scores.question(),
            kind: "exponential each",
            values: Values::Groups(open.values.to_vec(), open.width, open.squares),
            noise,
            grid: 0,
        }
    }

    /// Of an integer.
    pub fn count(count: &Count, noise: f64) -> Self {
        let open = count.open(&RELEASE_KEY);
        Self {
            question: "count",
            kind: "geometric",
            values: Values::Count(open.value, open.sensitivity),
            noise,
            grid: 0,
        }
    }

    /// Of a part of a density: it is not drawn, and the proof bounds it by `most`.
    pub fn reals(question: &'static str, values: Vec<f64>, most: f64, noise: f64) -> Self {
        Self {
            question,
            kind: "objective",
            values: Values::Reals(values, most),
            noise,
            grid: 0,
        }
    }
}

/// Which unit two neighbours differ in.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Difference {
    /// One unit is another, in the same place; or nobody says.
    #[default]
    Replaced,
    /// The second table lacks the unit with this number in the first.
    Removed(u32),
    /// The second table has one more, with this number in it.
    Added(u32),
}

impl Difference {
    /// The batch of the second table that goes with one of the first: of the units that both have, the
    /// same; one that is added comes in if `joins`.
    fn of_second(self, batch: &[u32], joins: bool) -> Vec<u32> {
        match self {
            Self::Replaced => batch.to_vec(),
            Self::Removed(place) => {
                let kept = batch.iter().filter(|unit| **unit != place);
                kept.map(|unit| unit - u32::from(*unit > place)).collect()
            }
            Self::Added(place) => {
                let moved = batch.iter().map(|unit| unit + u32::from(*unit >= place));
                let mut units: Vec<u32> = moved.chain(joins.then_some(place)).collect();
                units.sort_unstable();
                units
            }
        }
    }
}

/// The result of a replay.
#[derive(Debug, Default, Clone)]
pub(crate) struct Findings {
    /// For each question and kind of release: how many were compared, and the largest move over what
    /// was charged.
    pub worst: BTreeMap<(&'static str, &'static str), (u64, f64)>,
    /// Violations.
    pub faults: Vec<String>,
}

#[derive(Default)]
struct Tape {
    replaying: bool,
    at: usize,
    releases: Vec<(Release, Box<dyn Any>)>,
    /// The batches on the first table, and which unit the second has more or less.
    batches: VecDeque<Vec<u32>>,
    difference: Difference,
    /// Numbers that are drawn from public randomness, the same on both tables.
    public: VecDeque<u64>,
    /// The minimisers of the objectives, on both tables.
    points: VecDeque<Vec<f64>>,
    /// Where the next objective is to be minimal, if a try asks for that.
    least: Option<Vec<f64>>,
    /// The direction, of length 1, in which the next search is to err as far as it may.
    error: Option<Vec<f64>>,
    findings: Findings,
}

thread_local! {
    static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

/// Runs a fit on a table, then on its neighbour along the same path.
pub(crate) fn coupled<T>(
    difference: Difference,
    first: impl FnOnce() -> T,
    second: impl FnOnce() -> T,
) -> (T, T, Findings) {
    TAPE.set(Some(Tape {
        difference,
        ..Tape::default()
    }));
    let one = first();
    TAPE.with_borrow_mut(|tape| {
        let tape = tape.as_mut().expect("it was put there");
        tape.replaying = true;
    });
    let two = second();
    let mut tape = TAPE.take().expect("it was put there");
    if tape.at != tape.releases.len() {
        let (at, all) = (tape.at, tape.releases.len());
        let fault = format!("{all} releases on one table, {at} on its neighbour");
        tape.findings.faults.push(fault);
    }
    (one, two, tape.findings)
}

/// What was released in place of this, if a tape is replayed.
pub(super) fn replayed<T: Clone + 'static>(release: impl FnOnce() -> Release) -> Option<T> {
    if !TAPE.with_borrow(|tape| tape.as_ref().is_some_and(|tape| tape.replaying)) {
        return None;
    }
    let release = release();
    TAPE.with_borrow_mut(|tape| tape.as_mut()?.next(&release))
}

/// Remembers what was released, if a tape is recorded.
pub(super) fn recorded<T: Clone + 'static>(release: impl FnOnce() -> Release, released: &T) {
    if TAPE.with_borrow(Option::is_none) {
        return;
    }
    let release = release();
    TAPE.with_borrow_mut(|tape| {
        if let Some(tape) = tape {
            tape.releases.push((release, Box::new(released.clone())));
        }
    });
}

/// The batch of a release: drawn on the first table, and on the second the one that goes with it. A unit
/// that was added comes into every other batch.
pub(super) fn batch(draw: &mut dyn FnMut() -> Vec<u32>) -> Vec<u32> {
    let coupled = TAPE.with_borrow_mut(|tape| {
        let tape = tape.as_mut().filter(|tape| tape.replaying)?;
        let of_first = tape.batches.pop_front()?;
        let joins = tape.batches.len() % 2 == 0;
        Some(tape.difference.of_second(&of_first, joins))
    });
    coupled.unwrap_or_else(|| {
        let drawn = draw();
        TAPE.with_borrow_mut(|tape| {
            if let Some(tape) = tape {
                tape.batches.push_back(drawn.clone());
            }
        });
        drawn
    })
}

/// A number that is drawn from public randomness: the one of the first table on the second, too.
pub(crate) fn public(drawn: u64) -> u64 {
    TAPE.with_borrow_mut(|tape| match tape {
        None => drawn,
        Some(tape) if tape.replaying => tape.public.pop_front().unwrap_or(drawn),
        Some(tape) => {
            tape.public.push_back(drawn);
            drawn
        }
    })
}

/// Compares what is not drawn by itself.
pub(crate) fn compared(release: Release) {
    TAPE.with_borrow_mut(|tape| match tape {
        Some(tape) if tape.replaying => drop(tape.next::<()>(&release)),
        Some(tape) => tape.releases.push((release, Box::new(()))),
        None => {}
    });
}

/// Asks for the next objective to be minimal at a point.
pub(crate) fn least_at(point: Vec<f64>) {
    TAPE.with_borrow_mut(|tape| {
        if let Some(tape) = tape {
            tape.least = Some(point);
        }
    });
}

/// Asks for the next search for a minimiser to err in a direction on the first table, and in the
/// opposite one on the second.
pub(crate) fn err_towards(direction: Vec<f64>) {
    TAPE.with_borrow_mut(|tape| {
        if let Some(tape) = tape {
            tape.error = Some(direction);
        }
    });
}

/// The direction in which a search is to err.
pub(crate) fn erring() -> Option<Vec<f64>> {
    TAPE.with_borrow_mut(|tape| {
        let tape = tape.as_mut()?;
        let side = if tape.replaying { -1.0 } else { 1.0 };
        let direction = tape.error.take()?;
        Some(direction.iter().map(|u| side * u).collect())
    })
}

/// The point at which an objective is to be minimal on both tables: what was asked for, shortened
/// to `most`, or where it was found on the first.
pub(crate) fn common_point(found: impl FnOnce() -> Vec<f64>, most: f64) -> Option<Vec<f64>> {
    TAPE.with_borrow_mut(|tape| {
        let tape = tape.as_mut()?;
        let asked = tape.least.take();
        if tape.replaying {
            return tape.points.pop_front();
        }
        let point = asked.map_or_else(found, |point| shortened(&point, most));
        tape.points.push_back(point.clone());
        Some(point)
    })
}

fn shortened(vector: &[f64], most: f64) -> Vec<f64> {
    let length = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    let share = if length > most { most / length } else { 1.0 };
    vector.iter().map(|x| share * x).collect()
}

impl Tape {
    fn next<T: Clone + 'static>(&mut self, now: &Release) -> Option<T> {
        let Some((then, released)) = self.releases.get(self.at) else {
            let fault = format!("one release more: {} by {}", now.question, now.kind);
            self.findings.faults.push(fault);
            return None;
        };
        self.at += 1;
        let name = (now.question, now.kind);
        let described = |release: &Release| {
            (
                (release.question, release.kind),
                (release.noise.to_bits(), release.grid),
            )
        };
        if described(then) != described(now) {
            let fault = format!("{:?} became {:?}", described(then), described(now));
            self.findings.faults.push(fault);
        }
        match ratio(&then.values, &now.values) {
            Some(ratio) => {
                let worst = self.findings.worst.entry(name).or_default();
                *worst = (worst.0 + 1, worst.1.max(ratio));
                if ratio > 1.0 {
                    let fault = format!("{name:?} moved by {ratio} of its sensitivity");
                    self.findings.faults.push(fault);
                }
            }
            None => {
                let fault = format!("{name:?} has another size or sensitivity");
                self.findings.faults.push(fault);
            }
        }
        released.downcast_ref().cloned()
    }
}

/// How far values moved, relative to the limit; above 1 only if that holds in whole numbers; `None`
/// if the limits differ.
fn ratio(a: &Values, b: &Values) -> Option<f64> {
    match (a, b) {
        (Values::Vector(a, most), Values::Vector(b, other)) if most == other => {
            let square = |d: i128| d.unsigned_abs().saturating_pow(2);
            let squares = differences(a, b)?.map(square).fold(0, u128::saturating_add);
            Some(exactly(
                (squares as f64).sqrt() / most,
                squares > square_of(*most),
            ))
        }
        (Values::Scores(a, most), Values::Scores(b, other)) if most == other => {
            let range = range(a, b)?;
            let exceeds = range > i128::from(*most);
            Some(exactly(range as f64 / *most as f64, exceeds))
        }
        (Values::Groups(a, width, most), Values::Groups(b, _, other)) if most == other => {
            // Both signs of each value are candidates.
            let each = a.chunks(*width).zip(b.chunks(*width)).map(|(a, b)| {
                let largest = differences(a, b)?.map(i128::unsigned_abs).max()?;
                Some((2 * largest).saturating_pow(2))
            });
            let squares: Option<Vec<u128>> = each.collect();
            let squares = squares?.into_iter().fold(0, u128::saturating_add);
            let ratio = (squares as f64 / *most as f64).sqrt();
            (a.len() == b.len()).then(|| exactly(ratio, squares > *most))
        }
        (Values::Count(a, most), Values::Count(b, other)) if most == other => {
            let moved = (a - b).abs();
            Some(exactly(moved as f64 / *most as f64, moved > *most))
        }
        (Values::Reals(a, most), Values::Reals(b, other)) if most == other => {
            let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
            // A small allowance for the rounding of two sums.
            let moved = squares.sum::<f64>().sqrt() * (1.0 - 1e-9);
            (a.len() == b.len()).then(|| moved / most)
        }
        _ => None,
    }
}

/// A ratio that floats may have rounded, kept on its exact side of 1.
fn exactly(ratio: f64, exceeds: bool) -> f64 {
    match exceeds {
        true => ratio.max(1.0f64.next_up()),
        false => ratio.min(1.0),
    }
}

/// ⌊x²⌋ of a positive float, exactly: a whole number exceeds x² if and only if it exceeds that.
fn square_of(x: f64) -> u128 {
    // x = m·2ᵉ with a whole m below 2⁵³.
    let (bits, exponent) = (x.to_bits(), (x.to_bits() >> 52) as i32 - 1075);
    let mantissa = u128::from((bits & ((1 << 52) - 1)) | (1 << 52));
    let square = mantissa * mantissa;
    match 2 * exponent {
        up @ 0.. => square
            .checked_shl(up as u32)
            .filter(|s| s >> up == square)
            .unwrap_or(u128::MAX),
        down => square.checked_shr(down.unsigned_abs()).unwrap_or(0),
    }
}

fn differences<'a>(a: &'a [i64], b: &'a [i64]) -> Option<impl Iterator<Item = i128> + 'a> {
    let pairs = a.iter().zip(b);
    (a.len() == b.len()).then(|| pairs.map(|(a, b)| i128::from(*a) - i128::from(*b)))
}

fn range(a: &[i64], b: &[i64]) -> Option<i128> {
    let most = differences(a, b)?.max()?;
    Some(most - differences(a, b)?.min()?)
}

#[cfg(test)]
mod tests {
    use super::square_of;

    #[test]
    fn squares_of_floats_are_rounded_down_to_whole_numbers() {
        for (x, square) in [
            (1.0, 1),
            (1.5, 2),
            (3.0, 9),
            (0.5, 0),
            (1e9, 10u128.pow(18)),
        ] {
            assert_eq!(square_of(x), square);
        }
        assert_eq!(square_of(3.0f64.sqrt()), 2);
        assert_eq!(square_of(3.0f64.sqrt().next_up()), 3);
        assert_eq!(square_of((1u64 << 60) as f64), 1 << 120);
    }
}
