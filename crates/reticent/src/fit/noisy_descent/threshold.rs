//! What of the point that a descent has reached becomes the model.

use super::shrinkage::Shrinkage;
use crate::solve;

/// How many rounds towards the likeliest shares of signals a step takes, and the end of a descent.
const ROUNDS: usize = 2;
const LAST_ROUNDS: usize = 50;

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

/// A threshold along a descent, for functions of `block` weights, the last of which is the constant's
/// and kept as it is.
pub(super) struct Threshold {
    thresholding: Thresholding,
    block: usize,
    shrinkage: Shrinkage,
}

impl Threshold {
    pub fn new(thresholding: Thresholding, block: usize) -> Self {
        let shrinkage = Shrinkage::new();
        Self {
            thresholding,
            block,
            shrinkage,
        }
    }

    /// The model of a hidden point whose weights hold noise of deviation `spread`; hard thresholding
    /// thresholds the point too.
    pub fn of(&mut self, hidden: &mut [f64], spread: f64) -> Vec<f64> {
        self.after(ROUNDS, hidden, spread)
    }

    /// The same at the end of a descent.
    pub fn last(&mut self, hidden: &mut [f64], spread: f64) -> Vec<f64> {
        self.after(LAST_ROUNDS, hidden, spread)
    }

    fn after(&mut self, rounds: usize, hidden: &mut [f64], spread: f64) -> Vec<f64> {
        match self.thresholding {
            Thresholding::All => hidden.to_vec(),
            Thresholding::Largest(count) => {
                keep_largest(hidden, count, self.block);
                hidden.to_vec()
            }
            Thresholding::Soft(deviations) => {
                let threshold = deviations * spread;
                self.map(hidden, |x| x.signum() * (x.abs() - threshold).max(0.0))
            }
            Thresholding::Shrunk(least) => {
                let columns = hidden.chunks(self.block).filter_map(<[f64]>::split_last);
                let weights = columns.flat_map(|(_, weights)| weights).copied();
                self.shrinkage.learn(weights, spread, rounds);
                let shares = self.shrinkage.shares();
                self.map(hidden, |x| match shares.of(x / spread) {
                    share if share < least => 0.0,
                    share => share * x,
                })
            }
        }
    }

    /// What `function` makes of the columns' weights.
    fn map(&self, hidden: &[f64], function: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut weights: Vec<f64> = hidden.iter().map(|x| function(*x)).collect();
        let constants = hidden.iter().skip(self.block - 1).step_by(self.block);
        let places = weights.iter_mut().skip(self.block - 1);
        let places = places.step_by(self.block);
        places.zip(constants).for_each(|(to, from)| *to = *from);
        weights
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
