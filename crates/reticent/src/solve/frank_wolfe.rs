//! Frank–Wolfe without noise, on data that need no protection.

use super::region::Region;
use crate::data::Matrix;
use crate::loss::Loss;

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Once the duality gap is at most this.
    pub gap: f64,
    /// After this many steps at the latest.
    pub steps: u64,
}

/// Where it stopped.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// The weights, one a column.
    pub weights: Vec<f64>,
    /// The intercept.
    pub intercept: f64,
    /// The duality gap: the mean loss is within it of the least on the region.
    pub gap: f64,
    /// Steps taken.
    pub steps: u64,
}

/// Minimises the mean loss over a region.
pub fn frank_wolfe(
    features: &Matrix,
    targets: &[f64],
    loss: Loss,
    region: &Region,
    intercept: bool,
    stop: Stop,
) -> Solution {
    let _ = (features, targets, loss, region, intercept, stop);
    todo!()
}
