//! The gradient that a flow follows, of one function or of one a class.

use crate::data::{ClassGradient, Gradient};
use crate::mechanism::{ReleaseError, gaussian};
use crate::noise::Randomness;
use crate::privacy::{Ledger, NoiseMultiplier};

/// A gradient, and how weights are laid out for it: function after function, one weight a column and
/// then the constant's.
pub(super) enum Slopes<'a> {
    /// Of one function; the constant is a column of the records.
    Unit(Gradient<'a>),
    /// Of one function a class; the constant is a column of the records.
    Classes(ClassGradient<'a>, usize),
    /// Of one function; the constant b₀ stands for the intercept.
    Capped(Gradient<'a>, f64),
}

impl Slopes<'_> {
    /// Releases the gradient at `weights`.
    pub fn release<R: Randomness>(
        &mut self,
        weights: &[f64],
        noise: NoiseMultiplier,
        ledger: &mut Ledger,
        randomness: &mut R,
    ) -> Result<Vec<f64>, ReleaseError> {
        let released = match self {
            Self::Unit(gradient) => {
                gradient.set_weights(weights);
                gaussian(&gradient.columns(), noise, ledger, randomness)
            }
            Self::Classes(gradient, classes) => {
                let list = |weights: &[f64]| (0..).zip(weights.iter().copied()).collect();
                let lists: Vec<Vec<(u32, f64)>> =
                    weights.chunks(weights.len() / *classes).map(list).collect();
                gradient.set_point(&lists);
                gaussian(&gradient.columns(), noise, ledger, randomness)
            }
            Self::Capped(gradient, constant) => {
                if let Some((last, weights)) = weights.split_last() {
                    gradient.set_weights(weights);
                    gradient.set_intercept(*constant * last);
                }
                gaussian(&gradient.all(), noise, ledger, randomness)
            }
        };
        Ok(released?.to_real())
    }
}
