//! The gradient that a flow follows, of one function or of one a class.

use crate::mechanism::{ReleaseError, gaussian};
use crate::noise::Generator;
use crate::population::{ClassGradient, Gradient};
use crate::privacy::{Ledger, NoiseMultiplier};

/// A gradient, and how weights are laid out for it: function after function, one weight a column and
/// then the constant's.
pub(super) enum Slopes<'a> {
    /// Of one function.
    One(Gradient<'a>),
    /// Of one function a class.
    Classes(ClassGradient<'a>),
}

impl Slopes<'_> {
    /// Releases the gradient at `weights`, in the order of `weights`. A `constant` b₀ stands for the
    /// intercept, and rows are seen from a `centre` m: b = b₀·w₀ − m·w.
    pub fn release(
        &mut self,
        weights: &[f64],
        (constant, centre): (f64, &[f64]),
        noise: NoiseMultiplier,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vec<f64>, ReleaseError> {
        let intercept = |last: f64, weights: &[f64]| constant * last - product(centre, weights);
        match self {
            Self::One(gradient) => {
                if let Some((last, weights)) = weights.split_last() {
                    gradient.set_weights(weights);
                    gradient.set_intercept(intercept(*last, weights));
                }
                Ok(gaussian(&gradient.all(), noise, ledger, randomness)?.to_real())
            }
            Self::Classes(gradient) => {
                let classes = gradient.classes();
                let functions = weights.chunks(weights.len() / classes);
                let (mut points, mut intercepts) = (Vec::new(), Vec::new());
                for (last, weights) in functions.filter_map(<[f64]>::split_last) {
                    points.push((0..).zip(weights.iter().copied()).collect());
                    intercepts.push(intercept(*last, weights));
                }
                gradient.set_point(&points);
                gradient.set_intercepts(&intercepts);
                let released = gaussian(&gradient.all(), noise, ledger, randomness)?.to_real();
                // All columns of all classes come first, and then the constants'.
                let (columns, constants) = released.split_at(released.len() - classes);
                let of_class = columns.chunks(columns.len() / classes).zip(constants);
                Ok(of_class
                    .flat_map(|(all, last)| [all, &[*last]].concat())
                    .collect())
            }
        }
    }
}

/// m·w.
pub(in crate::fit) fn product(centre: &[f64], weights: &[f64]) -> f64 {
    centre.iter().zip(weights).map(|(m, w)| m * w).sum()
}
