//! What is taken where a person says nothing: from public facts and the noise that the budget asks for.
//!
//! The constants were chosen on the two tables of docs/results/sparse.md (figures 1 to 5), so what is
//! shown there is no independent test of them.

use std::num::NonZeroU64;

use super::super::{Facts, ridge};
use super::plan::{LOSS, Size};

/// Steps. Noise grows with their number, for they share one budget, and each adds its own to z: on both
/// tables one step is best, or as good as two, up to ε = 64.
pub(super) const ITERATIONS: NonZeroU64 = NonZeroU64::MIN;

/// The share of a step's ε that the change of volume may cost, at most.
const VOLUME_SHARE: f64 = 0.25;
/// The norm of the weights that noise alone makes, as a share of a good model's.
const NOISE_SHARE: f64 = 0.5;
/// How many deviations of the noise a mean slope must exceed for its weight to leave 0.
const CLEAR: f64 = 2.0;

/// c: the noise of a step makes weights of norm ‖b‖/(nc) at most, ‖b‖ being about k/β, and these shall be
/// a share of m/e (margins m, entries e).
pub(super) fn augmentation(facts: &Facts, size: Size, epsilon: f64) -> f64 {
    let noise = size.weights * size.moved / ((1.0 - VOLUME_SHARE) * epsilon * size.records);
    let longest = ridge::margin(LOSS) / ridge::entry(facts);
    (noise / (NOISE_SHARE * longest)).max(size.augmentation_of(VOLUME_SHARE * epsilon))
}

/// The mean slope below which a weight stays 0, given what noise deviates by in a coordinate.
pub(super) fn cut(deviation: f64) -> f64 {
    CLEAR * deviation
}
