//! Second moments of the records, as a query: Σ vᵢ·zᵢzᵢᵀ.

use rayon::prelude::*;

use super::{LocalSum, Sums};
use crate::noise::Grid;
use crate::population::query::{Query, RecordSteps, Sensitivity};
use crate::population::records::Records;
use crate::population::{Population, Shape};
use crate::privacy::Adjacency;

/// Bits of a weight: vᵢ is a whole number of 2⁻²⁰.
const WEIGHT_BITS: u32 = 20;
/// √2 from below, in units of 2⁻¹⁵: entries off the diagonal count twice in the norm of a
/// symmetric matrix.
const ROOT_TWO: u128 = 46_340;
const ROOT_TWO_BITS: u32 = 15;
/// The largest number of grid steps that the bound C² spans.
const MOST_STEPS_BITS: i32 = 36;

/// Why there are no moments. Every message is about declared, public numbers.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// The length is not a number that the grid can span.
    #[error("the length of a record must be a number between 1e-50 and 1e50; got {0}")]
    Length(f64),
    /// The moments would need a grid beyond the limits.
    #[error("the square of the length {0} is beyond every grid; scale the rows")]
    Grid(f64),
}

/// The upper triangle of Σ vᵢ·zᵢzᵢᵀ, row by row, z being the record and a constant;
/// [`unpack`](Self::unpack) arranges what was released as a matrix.
///
/// vᵢ = min(1, C²/‖zᵢ‖²): a function of the record alone.
///
/// # Privacy
///
/// In whole numbers: vᵢ is rounded down to aᵢ·2⁻²⁰ such that aᵢ·‖zᵢ‖² ≤ 2²⁰·⌊C/g⌋², the norm in
/// grid steps and in integers. Entries are vᵢ·zⱼ·zₖ, those off the diagonal times a number just
/// below √2, all truncated towards zero to the public grid G. Before they are truncated what a
/// record adds is no longer than the matrix vᵢ·zᵢzᵢᵀ, whose (Frobenius) norm is vᵢ‖zᵢ‖² ≤ C²;
/// truncated, no longer than that. So adding or removing a record moves the sums by at most M, C²
/// in grid steps rounded up. (A row has each column once: its entries are added up, and every
/// constructor of a sparse matrix refuses columns that do not increase.)
///
/// One record z replaced by z′: ‖v·zzᵀ − v′·z′z′ᵀ‖² = (v‖z‖²)² + (v′‖z′‖²)² − 2vv′(z·z′)² ≤ 2C⁴,
/// and truncation moves each of the m entries of the difference by less than 2 steps: at most
/// √2·M + 2√m.
///
/// *Units* with up to r rows: aᵢ is the share of what it would be, rounded down, so that the norms
/// before truncation add up to at most C². Sums of vᵢ·zᵢzᵢᵀ have no negative inner product either,
/// as they are positive semidefinite (nor with entries off the diagonal times a number below √2: that is
/// a part of the inner product, and a part of that of the diagonals, which have no negative entries).
/// So √2·M holds again; truncation moves an entry by less than r steps for each of two units: at
/// most √2·M + 2r√m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// C: a record longer than this, its constant included, counts for less.
    pub length: f64,
    /// The constant that stands for the intercept.
    pub constant: f64,
}

impl Moments {
    /// About how far one record can move the moments, if grid steps are small by comparison.
    pub fn moved(&self, adjacency: Adjacency) -> f64 {
        let factor = match adjacency {
            Adjacency::ReplaceOne => std::f64::consts::SQRT_2,
            Adjacency::AddRemove => 1.0,
        };
        factor * self.length * self.length
    }

    /// The second moments of a population.
    pub fn ask(&self, population: &dyn Population) -> Result<Query<'static>, MomentsError> {
        let shape = population.shape();
        let scale = Scale::new(&shape, *self)?;
        let sums = population.sum(&scale).0;
        let l2 = match shape.adjacency {
            Adjacency::AddRemove => scale.most,
            Adjacency::ReplaceOne => {
                // 46341/2¹⁵ is just above √2, and the root is below its floor plus 1.
                let rooted = (u128::from(scale.most) * (ROOT_TWO + 1)) >> ROOT_TWO_BITS;
                let truncated = 2 * u64::from(shape.unit_rows) * (sums.len().isqrt() as u64 + 1);
                rooted as u64 + 1 + truncated
            }
        };
        // The difference of two records counts as one part, so that it is not doubled again.
        let record = RecordSteps::L2(l2);
        let sensitivity = Sensitivity::of(record, sums.len(), Adjacency::AddRemove);
        let (grid, adjacency) = (scale.grid, shape.adjacency);
        Ok(Query::new("moments", sums, grid, adjacency, sensitivity))
    }

    /// The symmetric matrix, row by row, from what was released for `columns` columns; the
    /// constant's comes last.
    pub fn unpack(released: &[f64], columns: usize) -> Vec<Vec<f64>> {
        let count = columns + 1;
        let mut matrix = vec![vec![0.0; count]; count];
        let root = ROOT_TWO as f64 / f64::from(1 << ROOT_TWO_BITS);
        let places = (0..count).flat_map(|j| (j..count).map(move |k| (j, k)));
        for ((j, k), value) in places.zip(released) {
            let value = if j == k { *value } else { value / root };
            matrix[j][k] = value;
            matrix[k][j] = value;
        }
        matrix
    }
}

/// How records are turned into entries of the moments.
struct Scale {
    /// ⌊C/g⌋.
    length: u64,
    /// b₀ in grid steps.
    constant: i64,
    /// By how many bits an entry vᵢ·zⱼ·zₖ, vᵢ in 2⁻²⁰, is shifted down to the grid.
    shift: u32,
    /// The bound of a record's norm, in steps of `grid`.
    most: u64,
    grid: Grid,
}

impl Scale {
    fn new(shape: &Shape, asked: Moments) -> Result<Self, MomentsError> {
        let Moments { length, constant } = asked;
        let unit = shape.clip.grid.step();
        if !(1e-50..=1e50).contains(&length) {
            return Err(MomentsError::Length(length));
        }
        let steps = (length / unit).clamp(1.0, f64::from(1 << 30)) as u64;
        // Bits of C² in squared grid steps, and bits that sums over all records leave.
        let bits = 2 * (steps.ilog2() as i32 + 1);
        let count = shape.most_records() as u64;
        let room = (60 - count.max(1).ilog2() as i32).min(MOST_STEPS_BITS);
        let down = (bits - room).max(0);
        let exponent = 2 * shape.clip.grid.exponent() + down;
        let grid = Grid::new(exponent).map_err(|_| MomentsError::Grid(length))?;
        Ok(Self {
            length: steps,
            constant: (constant / unit).clamp(0.0, f64::from(1 << 20)) as i64,
            shift: WEIGHT_BITS + down as u32,
            // C² ≤ 2⁶⁰ in squared steps.
            most: ((steps * steps) >> down) + 1,
            grid,
        })
    }

    /// Adds record `i` to the sums; `entries` is a buffer for its entries that are not 0, in the order
    /// of columns, of which the constant is the last.
    fn add(&self, records: &Records, i: usize, entries: &mut Vec<(usize, i64)>, sums: &mut [i64]) {
        entries.clear();
        records
            .features
            .for_row(i, |column, x| entries.push((column, x as i64)));
        let width = records.features.width();
        entries.push((width, self.constant));
        entries.retain(|(_, z)| *z != 0);
        let squared: u128 = entries.iter().map(|(_, z)| (z * z) as u128).sum();
        if squared == 0 {
            return;
        }
        let longest = u128::from(self.length).pow(2) << WEIGHT_BITS;
        let weight = (longest / squared).min(1 << WEIGHT_BITS) as i64;
        let weight = records.share(i).part(weight);
        for (at, &(j, first)) in entries.iter().enumerate() {
            // Where the row of column j of the triangle would begin if it had all columns.
            let row = j * width - j * j.saturating_sub(1) / 2;
            // Three numbers of at most 2²⁰ each.
            let first = weight * first;
            for &(k, second) in &entries[at..] {
                sums[row + k] += self.truncated(first * second, j == k);
            }
        }
    }

    /// A product in steps of the grid, truncated towards zero; off the diagonal, times √2 from below.
    fn truncated(&self, product: i64, diagonal: bool) -> i64 {
        let size = product.unsigned_abs();
        let size = match diagonal {
            true => size >> self.shift,
            false => ((u128::from(size) * ROOT_TWO) >> (self.shift + ROOT_TWO_BITS)) as u64,
        };
        size as i64 * product.signum()
    }
}

impl LocalSum for Scale {
    fn over(&self, records: &Records<'_>) -> Sums {
        let count = records.features.width() + 1;
        let dimension = count * (count + 1) / 2;
        let zero = || (vec![0i64; dimension], Vec::with_capacity(count));
        let add = |(mut sums, mut entries): (Vec<i64>, Vec<(usize, i64)>), i| {
            self.add(records, i, &mut entries, &mut sums);
            (sums, entries)
        };
        let rows = (0..records.targets.len()).into_par_iter();
        let sums = rows.fold(zero, add).map(|(sums, _)| sums);
        let merge = |mut sums: Vec<i64>, others: Vec<i64>| {
            crate::population::parts::add(&mut sums, &others);
            sums
        };
        Sums(sums.reduce(|| vec![0; dimension], merge))
    }
}
