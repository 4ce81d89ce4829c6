//! The sums from which the probabilities of two classes are fitted to a margin.

use super::margins::ReleasedFunctions;
use super::{LocalSum, Sums};
use crate::noise::Grid;
use crate::population::Population;
use crate::population::query::{Query, Sensitivity};
use crate::population::records::Records;
use crate::privacy::Adjacency;

/// The largest number of bits of the number 1: fine beside any noise, with bits left for it.
const MOST_BITS: u32 = 34;

/// What a record adds: a vector for each cell that its margin may be in, and each of two classes.
/// It is made from public and released numbers alone.
#[derive(Debug, Clone, PartialEq)]
pub struct CellTerms {
    /// The lower ends of all cells but the first, in increasing order.
    edges: Vec<f64>,
    /// Of the first class and the second, cell after cell; every entry within ±1.
    vectors: Vec<[Vec<f64>; 2]>,
}

impl CellTerms {
    /// The vectors of a cell, by its number, for the first class and the second. There is one cell
    /// more than edges, which increase. Entries beyond ±1 are clipped.
    ///
    /// # Panics
    ///
    /// If vectors differ in length.
    pub fn new(edges: Vec<f64>, vectors: impl Fn(usize) -> [Vec<f64>; 2]) -> Self {
        let vectors: Vec<[Vec<f64>; 2]> = (0..=edges.len()).map(vectors).collect();
        let length = vectors[0][0].len();
        let same = |vector: &Vec<f64>| vector.len() == length;
        assert!(vectors.iter().flatten().all(same), "one length");
        Self { edges, vectors }
    }

    fn length(&self) -> usize {
        self.vectors[0][0].len()
    }

    /// In whole steps, truncated; what is not a number becomes 0.
    fn whole(&self, steps: f64) -> Vec<[Vec<i64>; 2]> {
        let whole = |x: &f64| (x.clamp(-1.0, 1.0) * steps) as i64;
        let of_cell = |[first, second]: &[Vec<f64>; 2]| {
            [first, second].map(|vector| vector.iter().map(whole).collect())
        };
        self.vectors.iter().map(of_cell).collect()
    }
}

/// The sum of the vectors of all records, each by the cell of its margin and by its class: of a model of
/// two classes with one function.
///
/// # Privacy
///
/// A record adds one of finitely many integer vectors v₁, …, v_N, all of which are public. Replacing it by
/// another moves the sum by v_i − v_j, so that Δ₂ = max ‖v_i − v_j‖₂; adding or removing it moves
/// the sum by one of them, so that Δ₂ = max ‖v_i‖₂. Both are found by looking at every pair: their squares
/// are whole numbers, and the root is rounded up.
///
/// *Units* with up to r rows (one, if records only count by their class) add Σ sᵢ·v_{c(i)} over shares
/// sᵢ that add up to at most 1: a point of
/// the convex hull of 0 and v₁, …, v_N, no two of which are farther apart than two of these are (0 is
/// among them under replace-one, for records as well). Each row is truncated towards zero: so it
/// adds no more than without, and lies less than one step per coordinate from it, so that one unit
/// replaced moves m coordinates by at most 2r·√m steps more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MarginSums<'a> {
    /// The model: one function.
    pub model: ReleasedFunctions<'a>,
    /// What records add.
    pub terms: &'a CellTerms,
}

/// The same in whole steps.
struct Whole<'a> {
    model: ReleasedFunctions<'a>,
    edges: &'a [f64],
    vectors: Vec<[Vec<i64>; 2]>,
    length: usize,
}

impl MarginSums<'_> {
    /// The sum over a population.
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
        let whole = Whole {
            model: self.model,
            edges: &self.terms.edges,
            vectors: self.terms.whole((1u64 << bits) as f64),
            length: self.terms.length(),
        };
        let truncated = match shape.adjacency {
            Adjacency::ReplaceOne if !shape.whole => {
                2 * u64::from(shape.unit_rows) * (whole.length.isqrt() as u64 + 1)
            }
            _ => 0,
        };
        let sensitivity = Sensitivity::whole(whole.moved(shape.adjacency) + truncated);
        let sums = population.sum(&whole).0;
        Query::new("margin sums", sums, grid, shape.adjacency, sensitivity)
    }
}

impl Whole<'_> {
    /// How far one record can move the sum, in steps, rounded up; at least one.
    fn moved(&self, adjacency: Adjacency) -> u64 {
        let square = |difference: i64| u128::from(difference.unsigned_abs()).pow(2);
        let length = |v: &[i64]| -> u128 { v.iter().map(|x| square(*x)).sum() };
        let apart =
            |v: &[i64], w: &[i64]| -> u128 { v.iter().zip(w).map(|(x, y)| square(x - y)).sum() };
        let all: Vec<&[i64]> = self.vectors.iter().flatten().map(Vec::as_slice).collect();
        let longest = all.iter().map(|v| length(v)).max().unwrap_or(0);
        let farthest = match adjacency {
            Adjacency::AddRemove => longest,
            Adjacency::ReplaceOne => {
                let from = |v: &&[i64]| all.iter().map(|w| apart(v, w)).fold(0, u128::max);
                all.iter().map(from).fold(longest, u128::max)
            }
        };
        let root = farthest.isqrt();
        // Steps and lengths are such that it is far below 2⁶³.
        (root + u128::from(root * root < farthest)).max(1) as u64
    }
}

impl LocalSum for Whole<'_> {
    fn over(&self, records: &Records<'_>) -> Sums {
        let Self { model, length, .. } = self;
        model.sums(records, *length, |margins, class, terms| {
            let cell = self.edges.partition_point(|edge| *edge <= margins[0]);
            terms.copy_from_slice(&self.vectors[cell][class]);
        })
    }
}
