//! What of the point that a descent has reached becomes the model.

use super::point::Point;
use super::shrinkage::{LAST_ROUNDS, ROUNDS, Shrinkage};
use crate::solve;

/// What is set to zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::fit) enum Thresholding {
    /// Nothing.
    All,
    /// All but this many weights, after each step: iterative hard thresholding.
    Largest(usize),
    /// The gradient moves a hidden point, and the model is its soft threshold at this many standard
    /// deviations of the noise accumulated in it: as steps average the noise out, the threshold
    /// falls relative to what has been learnt.
    Soft(f64),
    /// Likewise, but of each weight the share that is likely to be signal is kept, and nothing where
    /// that is less than this.
    Shrunk(f64),
}

/// A threshold along a descent.
pub(super) struct Threshold {
    thresholding: Thresholding,
    shrinkage: Shrinkage,
}

impl Threshold {
    pub fn new(thresholding: Thresholding) -> Self {
        Self {
            thresholding,
            shrinkage: Shrinkage::new(),
        }
    }

    /// How much is taken off each weight of a point that holds noise of deviation `spread`.
    pub fn soft(&self, spread: f64) -> f64 {
        match self.thresholding {
            Thresholding::Soft(deviations) => deviations * spread,
            _ => 0.0,
        }
    }

    /// What a soft threshold does not do to a point whose weights hold noise of deviation `spread`.
    pub fn apply(&mut self, point: &mut Point, spread: f64) {
        self.after(ROUNDS, point, spread);
    }

    /// The same at the end of a descent.
    pub fn apply_last(&mut self, point: &mut Point, spread: f64) {
        self.after(LAST_ROUNDS, point, spread);
    }

    fn after(&mut self, rounds: usize, point: &mut Point, spread: f64) {
        match self.thresholding {
            Thresholding::All | Thresholding::Soft(_) => (),
            Thresholding::Largest(count) => point.keep_largest(count),
            Thresholding::Shrunk(least) => {
                point.shrink(&mut self.shrinkage, spread, rounds, least);
            }
        }
    }
}

/// Sets to zero all but the `count` largest weights; the last of each `block` is kept and not
/// counted.
pub(in crate::fit) fn keep_largest(weights: &mut [f64], count: usize, block: usize) {
    let constants: Vec<f64> = weights
        .iter()
        .skip(block - 1)
        .step_by(block)
        .copied()
        .collect();
    let set_constants = |weights: &mut [f64], values: &[f64]| {
        let places = weights.iter_mut().skip(block - 1).step_by(block);
        places
            .zip(values)
            .for_each(|(weight, value)| *weight = *value);
    };
    set_constants(weights, &vec![0.0; constants.len()]);
    solve::keep_largest(weights, count);
    set_constants(weights, &constants);
}
