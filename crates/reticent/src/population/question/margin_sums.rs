//! The sums from which the slope and the offset of two classes' probabilities are fitted.

use super::margins::ReleasedFunctions;
use super::{LocalSum, Sums};
use crate::noise::Grid;
use crate::population::Population;
use crate::population::query::{Query, Sensitivity};
use crate::population::records::Records;

/// The largest number of bits of the number 1: fine beside any noise, with bits left for it.
const MOST_BITS: u32 = 34;
/// 1/√3 from below, in units of 2⁻²⁰.
const INVERSE_ROOT_THREE: i64 = 605_395;
const INVERSE_ROOT_THREE_BITS: u32 = 20;

/// What a record counts for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MarginWeight {
    /// 1 if it belongs to the second class, else 0; if `first`, to the first.
    Class {
        /// Whether the first class is counted.
        first: bool,
    },
    /// The probability 1/(1 + exp(−slope·τ′ − offset)), or `most` if that is less. τ′ is the margin on
    /// the same scale as τ, but clipped to ±[`REACH`](MarginSums::REACH).
    Probability {
        /// Its slope.
        slope: f64,
        /// Its offset.
        offset: f64,
        /// The largest that is expected.
        most: f64,
    },
}

/// (Σ g, Σ (2/√3)·g·τ) over the records, for weights 0 ≤ g ≤ G of a model of two classes, where
/// τ = (t − centre)/width is a record's margin on a scale, clipped to [−½, ½].
///
/// # Privacy
///
/// A record's terms are a point (g, h) with |h| ≤ g/√3 and 0 ≤ g ≤ G (G = 1 for a class): they lie in the
/// triangle with the corners (0, 0) and G·(1, ±1/√3), whose sides all have the length (2/√3)·G. No
/// two of its points are farther apart, and none is longer. So replacing, adding or removing a record moves
/// the sums by at most (2/√3)·G. In integers: g is truncated to whole steps and clamped to those of G,
/// and h to ⌊g·605395/2²⁰⌋, which is below g/√3.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginSums<'a> {
    /// The model: one function.
    pub model: ReleasedFunctions<'a>,
    /// The margin that becomes 0.
    pub centre: f64,
    /// The margins, from end to end, that are not clipped; negative to turn the scale round.
    pub width: f64,
    /// g.
    pub weight: MarginWeight,
}

/// The factor of the second sum: 2/√3.
pub const SECOND: f64 = 1.154_700_538_379_251_5;

/// The same with its grid.
struct Whole<'a> {
    question: &'a MarginSums<'a>,
    /// Steps in 1.
    steps: f64,
    /// G in steps.
    most: i64,
}

impl MarginWeight {
    /// G.
    fn most(self) -> f64 {
        match self {
            Self::Class { .. } => 1.0,
            Self::Probability { most, .. } => most.clamp(1e-6, 1.0),
        }
    }
}

impl MarginSums<'_> {
    /// The factor of the second sum.
    pub const SECOND: f64 = SECOND;
    /// How far margins reach in a probability, on the scale of τ: a little beyond ±½.
    pub const REACH: f64 = 0.6;

    /// How far one record can move the sums.
    pub fn moved(weight: MarginWeight) -> f64 {
        SECOND * weight.most()
    }

    /// The two sums of a population.
    ///
    /// # Panics
    ///
    /// If the model is not one function of two classes.
    pub fn ask(&self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        self.model.check(&shape);
        assert_eq!(self.model.count(), 1, "one function");
        let records = shape.most_records().max(1) as u64;
        let bits = (60 - records.ilog2()).min(MOST_BITS);
        let grid = Grid::new(-(bits as i32)).expect("a small exponent");
        let steps = (1u64 << bits) as f64;
        let most = (self.weight.most() * steps) as i64;
        let whole = Whole {
            question: self,
            steps,
            most,
        };
        let sums = population.sum(&whole).0;
        // 2/√3 is 1.154700538…: rounded up.
        let side = (most as u128 * 1_154_700_539) / 1_000_000_000 + 1;
        let sensitivity = Sensitivity::whole(side as u64);
        Query::new("margin sums", sums, grid, shape.adjacency, sensitivity)
    }
}

impl LocalSum for Whole<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let MarginSums {
            model,
            centre,
            width,
            weight,
        } = *self.question;
        model.sums(records, 2, |margins, class, terms| {
            let scaled = (margins[0] - centre) / width;
            let g = match weight {
                MarginWeight::Class { first } => f64::from(u8::from((class == 0) == first)),
                MarginWeight::Probability { slope, offset, .. } => {
                    1.0 / (1.0
                        + (-slope * scaled.clamp(-MarginSums::REACH, MarginSums::REACH) - offset)
                            .exp())
                }
            };
            // The casts truncate, and turn what is not a number into 0.
            let first = ((g * self.steps) as i64).clamp(0, self.most);
            let most =
                (i128::from(first) * i128::from(INVERSE_ROOT_THREE)) >> INVERSE_ROOT_THREE_BITS;
            let most = most as i64;
            let second = (SECOND * first as f64 * scaled.clamp(-0.5, 0.5)) as i64;
            terms[0] = first;
            terms[1] = second.clamp(-most, most);
        })
    }
}
