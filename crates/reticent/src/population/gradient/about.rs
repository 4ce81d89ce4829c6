//! The gradient on rows that are seen from a centre and made of length 1.

use std::iter;

use super::cap::{Caps, squared_norms};
use super::scatter::{self, Change};
use super::{Gradient, MOST_SLOPE_STEPS, SlopeGridError};
use crate::loss::Loss;
use crate::noise::Grid;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::table::MOST_RECORDS;
use crate::table::RecordBound;

/// The most bits of the length 1 in a sum of directions: rows as long as 1000 entries still have
/// a thousand steps, and there is room for noise.
const DIRECTION_BITS: u32 = 34;
/// The most bits of the length 1 in a gradient: L, times 2 for slopes and 2 for neighbours, fits.
const MOST_BITS: f64 = 58.0;

/// Where rows are seen from, and how slopes are held: public numbers, or released ones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct About<'a> {
    /// R: slopes are clipped to this, so that the loss goes on as a straight line from there.
    pub slope: f64,
    /// m: the point that rows are seen from, one value a column; none for 0.
    pub centre: &'a [f64],
    /// b₀: the constant that stands for the intercept; its column comes last. 0 for none.
    pub intercept: f64,
}

impl Records<'_> {
    /// The gradient on the rows z = (x − m, b₀)/‖(x − m, b₀)‖₂ at weights 0, which are as long as each
    /// other. The model that it is of has the margin (x·w + b)/‖(x − m, b₀)‖₂: set b = b₀·w₀ − m·w.
    ///
    /// Seen from their middle, rows point in more directions than seen from 0. With the same bound on
    /// what one record adds, more of that tells records apart.
    ///
    /// # Privacy
    ///
    /// In whole numbers: m is truncated to grid steps within the bound of an entry, and so is b₀. Let Nᵢ
    /// be the length of (xᵢ − m, b₀) in grid steps, and 2⁻ᵉ the grid of the sums. Record i's slope ψ
    /// becomes the whole number kᵢ nearest to ψ·2ᵉ/Nᵢ that has |kᵢ|·Nᵢ ≤ L = ⌊R·2ᵉ⌋, by a cap found in
    /// integers, and |kᵢ| ≤ K, a public number. It adds kᵢ·(xᵢ − m, b₀), exactly, to the d + 1 sums: a
    /// vector of ℓ₂ norm at most L. The cap and the slope are functions of the record, of m, b₀ and
    /// the path of released models alone: what [`Gradient`] says of neighbours holds.
    ///
    /// It is summed up as Σ kᵢxᵢ and Σ kᵢ, and m comes off when [`Gradient::all`] makes the query:
    /// Σ kᵢ(xᵢ − m) = Σ kᵢxᵢ − m·Σ kᵢ, in integers the same number. K is such that n·K·b < 2⁶².
    ///
    /// *e* comes from public numbers: as the slope grid asks for if rows are as long as they can be,
    /// and no larger than K allows for a row of length b₀.
    ///
    /// # Panics
    ///
    /// If the centre has values, and another number of them than there are columns.
    pub fn gradient_about(
        &self,
        loss: Loss,
        slope_grid: Grid,
        about: About<'_>,
    ) -> Result<Gradient<'_>, SlopeGridError> {
        let slope = about.slope.min(loss.slope_bound());
        let mut gradient = self.gradient_clipped(loss, slope_grid, slope)?;
        let frame = Frame::new(self, slope_grid, About { slope, ..about })?;
        gradient.slope_grid = Grid::new(0).map_err(|_| SlopeGridError::Product)?;
        gradient.grid = frame.grid;
        gradient.most = frame.most;
        gradient.caps = Some(Caps {
            length: frame.length,
            constant: frame.constant,
            shortening: frame.shortening(),
            weights: frame.weights(),
            most: frame.most_with(frame.length),
            centre: frame.centre,
        });
        Ok(gradient)
    }

    /// Σ (x, c)/‖(x, c)‖₂ over the records: where rows point, one coordinate a column and the
    /// constant's last.
    ///
    /// # Privacy
    ///
    /// In whole numbers: with N the length of (x, c) in grid steps, a record adds k·(x, c) for
    /// k = ⌊2ᵉ/N⌋, or a smaller k, in steps of 2⁻ᵉ: an exact product, of length at most 2ᵉ steps.
    /// It is a function of the record alone; e comes from the number of records where that is public,
    /// and from the most there can be where it is not: sums stay below 2⁶².
    pub fn directions(&self, constant: f64) -> Result<Query<'static>, SlopeGridError> {
        let most = self.clip.steps as f64;
        let constant = (constant / self.clip.grid.step()).clamp(0.0, most * most) as u64;
        let records = self.count().unwrap_or(MOST_RECORDS).max(1) as u64;
        let bits = (60 - records.ilog2()).min(DIRECTION_BITS);
        let grid = Grid::new(-(bits as i32)).map_err(|_| SlopeGridError::Product)?;
        let times = |squared: &u128| {
            // ⌊√⌊2²ᵉ/N²⌋⌋ = ⌊2ᵉ/N⌋.
            let squares = (1u128 << (2 * bits)) / squared.max(&1);
            squares.isqrt().min(MOST_SLOPE_STEPS as u128) as i32
        };
        let norms = squared_norms(&self.features, &[], constant);
        let rows = (0..).zip(norms.iter().map(times));
        let rows: Vec<Change> = rows.map(|(row, by)| Change { row, by }).collect();
        let mut sums = vec![0; self.width()];
        scatter::add_rows(&self.features, &rows, &mut sums);
        let total: i64 = rows.iter().map(|row| i64::from(row.by)).sum();
        let last = i128::from(total) * i128::from(constant);
        let values = sums.into_iter().map(i128::from).chain([last]);
        let sensitivity =
            Sensitivity::of(RecordSteps::L2(1 << bits), self.width() + 1, self.adjacency);
        Ok(Query::clamped(values, grid, self.adjacency, sensitivity))
    }
}

/// Rows as they are seen from a centre: how long each is, and how many steps a slope becomes.
pub(super) struct Frame {
    /// L.
    pub length: u64,
    /// b₀ in grid steps.
    pub constant: u64,
    /// m in grid steps.
    pub centre: Vec<i32>,
    /// K.
    pub most: i32,
    /// Of the sums: 2⁻ᵉ.
    pub grid: Grid,
    /// Nᵢ².
    norms: Vec<u128>,
    /// A step of the rows.
    unit: f64,
}

impl Frame {
    /// For slopes, or residuals together, of at most `about.slope`.
    pub fn new(
        records: &Records,
        slope_grid: Grid,
        about: About<'_>,
    ) -> Result<Self, SlopeGridError> {
        let values = about.centre.len();
        assert!(
            values == 0 || values == records.width(),
            "one value a column"
        );
        let clip = &records.clip;
        let bound = clip.steps as f64;
        let whole = |x: &f64| (x / clip.grid.step()).clamp(-bound, bound);
        let centre: Vec<i32> = about.centre.iter().map(|x| whole(x) as i32).collect();
        let constant = whole(&about.intercept).max(0.0).trunc();
        // n·K·b stays below 2⁶². K ≥ 1, as there are fewer than 2³² records and b is at most 2²⁰.
        let count = records.count().unwrap_or(MOST_RECORDS).max(1) as u64;
        let most = ((1 << 61) / (count * clip.steps)).min(MOST_SLOPE_STEPS as u64);
        let longest = longest(records, &centre, constant);
        let wanted = longest.log2().ceil() - f64::from(slope_grid.exponent());
        let allowed = if constant > 0.0 {
            (most as f64 * constant / about.slope).log2().floor()
        } else {
            wanted
        };
        let exponent = wanted.min(allowed).min(MOST_BITS);
        let grid = Grid::new(-exponent as i32).map_err(|_| SlopeGridError::Product)?;
        Ok(Self {
            length: (about.slope / grid.step()) as u64,
            constant: constant as u64,
            most: most as i32,
            grid,
            norms: squared_norms(&records.features, &centre, constant as u64),
            centre,
            unit: clip.grid.step(),
        })
    }

    /// 1/‖(xᵢ − m, b₀)‖₂ of each record.
    pub fn shortening(&self) -> Vec<f64> {
        self.over_norms(1.0 / self.unit)
    }

    /// 2ᵉ/Nᵢ: how many steps a slope of 1 is.
    pub fn weights(&self) -> Vec<f64> {
        self.over_norms(1.0 / self.grid.step())
    }

    /// A number over each Nᵢ. A row of length 0 adds nothing, whatever its slope.
    fn over_norms(&self, number: f64) -> Vec<f64> {
        let over = |squared: &u128| match squared {
            0 => 0.0,
            squared => number / (*squared as f64).sqrt(),
        };
        self.norms.iter().map(over).collect()
    }

    /// The most steps, up to K, that each record's row may be taken to be no longer than `length`.
    pub fn most_with(&self, length: u64) -> Vec<i32> {
        let most = |squared: &u128| {
            // ⌊√⌊L²/N²⌋⌋ = ⌊L/N⌋, and L is below 2⁶⁰.
            let squares = u128::from(length).pow(2) / squared.max(&1);
            squares.isqrt().min(self.most as u128) as i32
        };
        self.norms.iter().map(most).collect()
    }
}

/// Σ k·(x − m) from Σ k·x, one a column, and Σ k; a centre of no values is 0.
pub(super) fn less_centre<'a>(
    sums: &'a [i64],
    total: i64,
    centre: &'a [i32],
) -> impl Iterator<Item = i128> + 'a {
    let steps = centre.iter().copied().chain(iter::repeat(0));
    let less = move |(sum, m): (&i64, i32)| i128::from(*sum) - i128::from(total) * i128::from(m);
    sums.iter().zip(steps).map(less)
}

/// About the longest that (x − m, b₀) can be, in grid steps.
fn longest(records: &Records, centre: &[i32], constant: f64) -> f64 {
    let bound = records.clip.steps as f64;
    let sizes = centre.iter().map(|m| f64::from(m.abs()));
    let sizes = sizes.chain(iter::repeat(0.0)).take(records.width());
    let rows = match records.clip.bound {
        RecordBound::L2(_) => bound + sizes.map(|m| m * m).sum::<f64>().sqrt(),
        RecordBound::Linf(_) => sizes.map(|m| (bound + m).powi(2)).sum::<f64>().sqrt(),
    };
    rows.hypot(constant).max(1.0)
}
