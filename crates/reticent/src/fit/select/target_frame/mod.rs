//! Where the targets of a linear model lie within their declared range, and what a fit inside that
//! is worth.
//!
//! A careful person declares a wide range. Noise is as large as the range, so the bulk of the
//! targets is found first (`search`): histograms that zoom in on it, at a cost that grows with the
//! logarithm of how much too wide the range is. Everything after works inside the *target frame*
//! that was found. How ρ is divided, and whether features can say anything at all, follows from
//! public facts (`shares`); whether they did, from released values (`verdict`).

mod bulk;
mod search;
mod shares;
mod verdict;

pub(super) use search::FrameSearch;
pub(super) use shares::Shares;
pub(super) use verdict::Evidence;
