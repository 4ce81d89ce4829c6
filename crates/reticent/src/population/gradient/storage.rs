//! The copy of the features that serves a gradient at dense weights, and which one.
//!
//! Every copy gives the same integers: which one is made affects time and memory alone, neither of
//! which is protected.

use crate::matrix::csc::Csc;
use crate::matrix::ranked::{MOST_COLUMNS, Ranked};
use crate::matrix::tiles::{TILE_COLUMNS, Tiles};
use crate::matrix::tokens::Tokens;
use crate::matrix::{Csr, Matrix};
use crate::parallel::SINGLE_THREAD_WORK;

/// How features are stored for products with dense weights: as they are, or a copy that is no larger.
pub(super) enum Storage {
    /// Sparse rows as they are: small tables, and those whose columns fit a cache.
    Rows,
    /// Dense rows, as they are: all dense ones that are not copied.
    Dense,
    /// Few different pairs of column and value.
    Tokens(Tokens),
    /// More columns than fit a cache.
    Tiles(Tiles),
    /// More columns than fit the nearest cache, some of which are frequent; for one function.
    Ranked(Ranked),
    /// The same for several: as they are for products, and by column for sums, as those of all
    /// functions do not fit any near cache, and slopes do.
    Columns(Csc),
}

impl Storage {
    /// The storage that is fastest. (news20, made-up: docs/benchmarks.md has the figures.)
    pub fn of(features: &Matrix, functions: usize) -> Self {
        if features.entries() < SINGLE_THREAD_WORK {
            return Self::of_rows(features);
        }
        if let Some(tokens) = Tokens::new(features) {
            return Self::Tokens(tokens);
        }
        match features {
            Matrix::Sparse(csr) if tiles_pay(csr) => Self::Tiles(Tiles::new(csr)),
            Matrix::Sparse(csr) if !has_many_columns(csr) => Self::Rows,
            Matrix::Sparse(csr) if functions == 1 && ranks_fit(csr) => {
                Self::Ranked(Ranked::new(csr))
            }
            Matrix::Sparse(csr) if functions > 1 && slopes_fit(csr) => Self::Columns(Csc::new(csr)),
            _ => Self::of_rows(features),
        }
    }

    /// No copy.
    pub fn of_rows(features: &Matrix) -> Self {
        match features {
            Matrix::Sparse(_) => Self::Rows,
            Matrix::Dense(_) => Self::Dense,
        }
    }
}

/// Whether numbers of all columns fill a first-level cache.
fn has_many_columns(csr: &Csr) -> bool {
    csr.width() >= 1 << 12
}

/// Whether columns can be ranked, in no more memory than the matrix takes.
fn ranks_fit(csr: &Csr) -> bool {
    csr.width() <= MOST_COLUMNS && csr.entries() >= 2 * csr.width()
}

/// Whether the slopes of all records stay in a near cache.
fn slopes_fit(csr: &Csr) -> bool {
    csr.rows() <= 1 << 17
}

/// Whether there are more columns than fit a cache, and in each block of columns an entry for every
/// cache line of margins.
fn tiles_pay(csr: &Csr) -> bool {
    const NUMBERS_PER_LINE: usize = 8;
    let blocks = csr.width().div_ceil(TILE_COLUMNS);
    blocks > 2 && NUMBERS_PER_LINE * csr.entries() >= blocks.saturating_mul(csr.rows())
}
