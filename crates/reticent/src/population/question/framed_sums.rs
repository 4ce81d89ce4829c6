//! Sums of targets and features inside frames: what means are made of.

use rayon::prelude::*;

use super::{LocalSum, Sums};
use crate::noise::Grid;
use crate::population::Population;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::population::shape::Shape;
use crate::privacy::Adjacency;

/// Bits of the half-width of a frame, unless records are too many.
const BITS: u32 = 24;
/// Records that one thread sums at a time.
const BLOCK: usize = 1 << 14;

/// A value of a record, and the frame that it is clipped to: both ends public or released before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FramedValue {
    /// Which feature; the target if `None`.
    pub column: Option<u32>,
    /// The lower end.
    pub low: f64,
    /// The upper end, above the lower.
    pub high: f64,
}

/// Σ (v − m)/h over the records for several values v, each clipped to its frame m ± h.
///
/// # Privacy
///
/// For each of its values, a record adds a number in [−1, 1], truncated towards zero to whole steps of 2⁻ᵉ:
/// a function of that record and of released frames, at most 2ᵉ steps. So with k values a record
/// adds at most √k in ℓ₂; one record replaced moves the sums by 2√k, one added or removed by √k. e
/// follows from the number of records, or from the largest possible one if it is private: sums stay
/// below 2⁶².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FramedSums<'a> {
    /// The values.
    pub of: &'a [FramedValue],
}

/// The same in whole numbers.
struct Whole<'a> {
    of: &'a [FramedValue],
    one: f64,
}

impl FramedSums<'_> {
    /// How far one record can move so many sums, in half-widths.
    pub fn moved(values: usize, adjacency: Adjacency) -> f64 {
        f64::from(adjacency.differing_records()) * (values as f64).sqrt()
    }

    /// The sums of a population, one per value.
    ///
    /// # Panics
    ///
    /// If a feature does not exist or is asked for twice, or if a frame is empty.
    pub fn ask(&self, population: &dyn Population) -> Query<'static> {
        let shape = population.shape();
        let frames = self.of.iter();
        assert!(
            frames.clone().all(|value| value.low < value.high),
            "a frame has a width"
        );
        places(self.of, shape.width);
        let bits = bits(&shape);
        let one = (1u64 << bits) as f64;
        let sums = population.sum(&Whole { of: self.of, one }).0;
        let grid = Grid::new(-(bits as i32)).expect("a small exponent");
        let record = RecordSteps::Linf(1 << bits);
        let sensitivity = Sensitivity::of(record, self.of.len(), shape.adjacency);
        Query::new("framed sums", sums, grid, shape.adjacency, sensitivity)
    }
}

fn bits(shape: &Shape) -> u32 {
    let records = shape.most_records().max(1) as u64;
    (60 - records.ilog2()).min(BITS)
}

/// The value that each feature is.
fn places(of: &[FramedValue], width: usize) -> Vec<Option<u32>> {
    let mut places = vec![None; width];
    for (at, value) in (0u32..).zip(of) {
        if let Some(column) = value.column {
            let place = &mut places[column as usize];
            assert!(place.is_none(), "a feature is summed once");
            *place = Some(at);
        }
    }
    places
}

impl Whole<'_> {
    /// What a value adds.
    fn steps(&self, at: usize, value: f64) -> i64 {
        let FramedValue { low, high, .. } = self.of[at];
        let (middle, half) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
        let framed = ((value - middle) / half).clamp(-1.0, 1.0);
        // Towards zero; 0/0, where halves vanish, is 0.
        (framed * self.one) as i64
    }
}

impl LocalSum for Whole<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let places = places(self.of, records.features.width());
        let unit = records.clip.grid.step();
        let empty: Vec<i64> = (0..self.of.len()).map(|at| self.steps(at, 0.0)).collect();
        let rows = records.targets.len();
        let block = |block: usize| {
            let mut sums = vec![0i64; self.of.len()];
            let mut steps = empty.clone();
            for row in block * BLOCK..rows.min((block + 1) * BLOCK) {
                steps.copy_from_slice(&empty);
                for (at, value) in self.of.iter().enumerate() {
                    if value.column.is_none() {
                        steps[at] = self.steps(at, records.targets[row]);
                    }
                }
                records.features.for_row(row, |column, x| {
                    if let Some(at) = places[column] {
                        steps[at as usize] = self.steps(at as usize, f64::from(x) * unit);
                    }
                });
                let share = records.share(row);
                for (sum, steps) in sums.iter_mut().zip(&steps) {
                    *sum += share.part(*steps);
                }
            }
            Sums(sums)
        };
        let blocks = (0..rows.div_ceil(BLOCK)).into_par_iter();
        blocks
            .map(block)
            .reduce(|| Sums(vec![0; self.of.len()]), Sums::merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Dense, Matrix};
    use crate::population::Parts;
    use crate::table::{Layout, RecordBound, Table, Target, TargetRange};
    use crate::testing::pairs;
    use proptest::prelude::*;

    const OF: [FramedValue; 3] = [
        FramedValue {
            column: Some(1),
            low: -0.25,
            high: 0.5,
        },
        FramedValue {
            column: None,
            low: -0.75,
            high: -0.5,
        },
        FramedValue {
            column: Some(0),
            low: -1.0,
            high: 1.0,
        },
    ];

    /// Multiples of 1/64, which the grid keeps as they are.
    fn value() -> impl Strategy<Value = f64> {
        (-64..=64i32).prop_map(|k| f64::from(k) / 64.0)
    }

    fn records(people: &[[f64; 3]], adjacency: Adjacency) -> Records<'static> {
        let cells = people.iter().flat_map(|[a, b, _]| [*a as f32, *b as f32]);
        let table = Table {
            features: Matrix::Dense(Dense::new(cells.collect(), people.len(), 2).unwrap()),
            target: Target::Values(people.iter().map(|person| person[2]).collect()),
            layout: Layout::Numbered { first: 1, width: 2 },
            assumed: Vec::new(),
            units: None,
        };
        let (low, high) = (-1.0, 1.0);
        let range = Some(TargetRange { low, high });
        let bound = RecordBound::Linf(1.0);
        table.enforce(bound, range, true, adjacency).unwrap()
    }

    proptest! {
        #[test]
        fn they_are_plain_sums_also_in_parts(
            people in prop::collection::vec([value(), value(), value()], 2..40),
            cut in 1..20usize,
        ) {
            let framed = |frame: &FramedValue, person: &[f64; 3]| {
                let value = frame.column.map_or(person[2], |column| person[column as usize]);
                let (middle, half) = ((frame.low + frame.high) / 2.0, (frame.high - frame.low) / 2.0);
                ((value - middle) / half).clamp(-1.0, 1.0)
            };
            let whole = records(&people, Adjacency::ReplaceOne);
            let query = FramedSums { of: &OF }.ask(&whole);
            for (frame, sum) in pairs(&OF, query.raw_values()) {
                let plain: f64 = people.iter().map(|person| framed(frame, person)).sum();
                let sum = query.raw_grid().to_real(*sum);
                // Each record is truncated by less than a step of 2⁻²⁴.
                prop_assert!((plain - sum).abs() < 40.0 * 6e-8, "{} is not {}", sum, plain);
            }
            let (left, right) = people.split_at(cut.min(people.len() - 1));
            let part = |people| -> Box<dyn Population> {
                Box::new(records(people, Adjacency::ReplaceOne))
            };
            let parts = Parts::new(vec![part(left), part(right)]).unwrap();
            let in_parts = FramedSums { of: &OF }.ask(&parts);
            prop_assert_eq!(in_parts.raw_values(), query.raw_values());
        }

        #[test]
        fn one_record_moves_them_by_no_more_than_their_sensitivity(
            people in prop::collection::vec([value(), value(), value()], 2..9),
            other in [value(), value(), value()],
            values in 1..4usize,
        ) {
            let moved = |a: &[[f64; 3]], b: &[[f64; 3]], adjacency| {
                let (a, b) = (records(a, adjacency), records(b, adjacency));
                let ask = |records| FramedSums { of: &OF[..values] }.ask(records);
                let (a, b) = (ask(&a), ask(&b));
                let moves = pairs(a.raw_values(), b.raw_values()).map(|(a, b)| (a - b) as f64);
                let said = FramedSums::moved(values, adjacency) / a.raw_grid().step();
                let most = a.raw_sensitivity().l2;
                (moves.map(|x| x * x).sum::<f64>().sqrt(), most, said)
            };
            let mut replaced = people.clone();
            replaced[0] = other;
            let neighbours = [
                moved(&people, &replaced, Adjacency::ReplaceOne),
                moved(&people, &people[1..], Adjacency::AddRemove),
            ];
            for (by, most, said) in neighbours {
                prop_assert!(by <= most);
                prop_assert!((most - said).abs() < 1.0, "{} was said, {} is charged", said, most);
            }
        }
    }
}
