//! Random Fourier features (Rahimi and Recht 2007): a Gaussian kernel, as a linear model sees it.

use core::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::error::{FeatureMapError, MOST_OUTPUTS, MOST_WEIGHTS, within};
use crate::random::Draws;

/// √(1/D)·cos(ω·x + b) for D random pairs of ω ~ N(0, I/σ²) and b uniform in [0, 2π).
///
/// Twice the inner product of the features of x and y is an unbiased estimate of the Gaussian
/// kernel exp(−‖x − y‖²/2σ²). (The paper has √(2/D) in place of √(1/D); with ours the norm is at
/// most 1 whatever the row, and a linear model does not notice the factor.)
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomFourier {
    /// Columns of a row.
    pub inputs: u32,
    /// D, the features.
    pub outputs: u32,
    /// σ, the distance at which two rows cease to be alike.
    pub scale: f64,
    /// The public seed that ω and b follow from.
    pub seed: u64,
}

impl RandomFourier {
    /// With σ = √inputs / 2: rows of independent columns in [−1, 1] are about √inputs·0.8 apart,
    /// so that the kernel tells near rows from far ones. Columns should have about this range; a
    /// smaller σ bends more, a larger one is nearer to a linear model.
    pub fn new(inputs: u32, outputs: u32, seed: u64) -> Self {
        Self {
            inputs,
            outputs,
            scale: f64::from(inputs).sqrt() / 2.0,
            seed,
        }
    }

    pub(crate) fn check(&self) -> Result<(), FeatureMapError> {
        within("inputs", self.inputs.into(), 1, MOST_OUTPUTS)?;
        within("outputs", self.outputs.into(), 1, MOST_OUTPUTS)?;
        let weights = u64::from(self.inputs) * u64::from(self.outputs);
        within("weights (inputs times outputs)", weights, 1, MOST_WEIGHTS)?;
        if !(1e-6..=1e6).contains(&self.scale) {
            return Err(FeatureMapError::Number {
                what: "scale",
                given: self.scale,
                allowed: "from 0.000001 to 1000000",
            });
        }
        Ok(())
    }
}

/// A [`RandomFourier`] whose weights are drawn.
#[derive(Debug, Clone)]
pub struct PreparedFourier {
    inputs: usize,
    weights: Vec<f32>,
    phases: Vec<f32>,
    factor: f32,
}

impl PreparedFourier {
    /// Draws b and ω of the first feature, then those of the next.
    pub(crate) fn new(map: &RandomFourier) -> Self {
        let (inputs, outputs) = (map.inputs as usize, map.outputs as usize);
        let mut draws = Draws::new(map.seed);
        let mut weights = vec![0.0; inputs * outputs];
        let mut phases = vec![0.0; outputs];
        for j in 0..outputs {
            phases[j] = (TAU * draws.uniform()) as f32;
            for i in 0..inputs {
                weights[i * outputs + j] = (draws.gaussian() / map.scale) as f32;
            }
        }
        Self {
            inputs,
            weights,
            phases,
            factor: (1.0 / f64::from(map.outputs).sqrt()) as f32,
        }
    }

    /// ω as a matrix of one row per input and one column per feature, row after row.
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// b, one per feature.
    pub fn phases(&self) -> &[f32] {
        &self.phases
    }

    /// √(1/D), which the cosines are multiplied by.
    pub fn factor(&self) -> f32 {
        self.factor
    }

    pub(crate) fn outputs(&self) -> usize {
        self.phases.len()
    }

    /// One pass over the weights, without those of the zeros of the row.
    pub(crate) fn apply(&self, row: &[f32], out: &mut [f32]) {
        assert_eq!(row.len(), self.inputs, "one number per input");
        if !row.iter().all(|value| value.is_finite()) {
            out.fill(0.0);
            return;
        }
        out.copy_from_slice(&self.phases);
        for (&x, weights) in row.iter().zip(self.weights.chunks_exact(out.len())) {
            if x != 0.0 {
                for (angle, &weight) in out.iter_mut().zip(weights) {
                    *angle += x * weight;
                }
            }
        }
        for value in out {
            // Numbers near the largest `f32` may overflow on the way; such a feature says nothing.
            *value = if value.is_finite() {
                self.factor * libm::cosf(*value)
            } else {
                0.0
            };
        }
    }
}
