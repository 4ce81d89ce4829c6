//! The copy of the features that serves a gradient at dense weights, and which one.
//!
//! Every copy gives the same integers: which one is made affects time and memory alone, neither of
//! which is protected.

use super::follow::SINGLE_THREAD_WORK;
use crate::matrix::csc::Csc;
use crate::matrix::tiles::{TILE_COLUMNS, Tiles};
use crate::matrix::tokens::Tokens;
use crate::matrix::{Csr, Matrix};

/// How features are stored for products with dense weights: as they are, or a copy that is no larger.
pub(super) enum Storage {
    /// As they are: small tables, and those whose columns fit a cache.
    Rows,
    /// Few different pairs of column and value.
    Tokens(Tokens),
    /// More columns than fit a cache.
    Tiles(Tiles),
    /// As they are for products; for sums by column, where slopes fit a cache and sums do not.
    Columns(Csc),
}

impl Storage {
    /// The storage that is fastest. (news20, made-up: docs/benchmarks.md has the figures.)
    pub fn of(features: &Matrix) -> Self {
        if features.entries() < SINGLE_THREAD_WORK {
            return Self::Rows;
        }
        if let Some(tokens) = Tokens::new(features) {
            return Self::Tokens(tokens);
        }
        match features {
            Matrix::Sparse(csr) if tiles_pay(csr) => Self::Tiles(Tiles::new(csr)),
            Matrix::Sparse(csr) if columns_pay(csr) => Self::Columns(Csc::new(csr)),
            _ => Self::Rows,
        }
    }
}

/// Whether the sums of all columns fill a first-level cache, and the slopes of all records fit a
/// second-level one.
fn columns_pay(csr: &Csr) -> bool {
    csr.width() >= 1 << 12 && csr.rows() <= 1 << 17
}

/// Whether there are more columns than fit a cache, and in each block of columns an entry for every
/// cache line of margins.
fn tiles_pay(csr: &Csr) -> bool {
    const NUMBERS_PER_LINE: usize = 8;
    let blocks = csr.width().div_ceil(TILE_COLUMNS);
    blocks > 2 && NUMBERS_PER_LINE * csr.entries() >= blocks.saturating_mul(csr.rows())
}
