//! The fit on chosen columns by sufficient statistics with an adaptive ridge (AdaSSP, Wang 2018).
//!
//! *What it does.* Releases Σzzᵀ and Σz·y once each, z being a record on the columns chosen with its
//! constant, and solves (Σzzᵀ + λI)·w = Σz·y. λ raises the least eigenvalue of the noisy matrix to
//! the size of its noise, and is 0 where it exceeds that already: Wang releases the least
//! eigenvalue separately to find λ; here it is computed from the released matrix, at no cost.
//!
//! *Privacy.* Two Gaussian releases, with the queries' own sensitivities: of the second moments, and of
//! the gradient at weights 0, which is −Σz·y. λ and the weights are functions of what was released and
//! of the noise, which is public.
//!
//! *When.* Targets are clipped only to their frame, so that weights are those of means even where
//! targets are skewed; in return, its noise is the size of the frame, not that of the residuals.

use super::super::noisy_descent::{DescentInput, Progress, longest, slope_grid};
use super::super::{Facts, FitError};
use super::fit::{RoundWeights, facts_of_chosen};
use super::target_frame::Evidence;
use crate::loss::Loss;
use crate::mechanism::gaussian;
use crate::noise::Generator;
use crate::population::{Gradient, Length, Moments, Population, RowFrame, Slopes};
use crate::privacy::{Charge, Event, Ledger, NoiseMultiplier};
use crate::solve::Eigen;

/// The largest target.
const LARGEST: f64 = 1.0;

/// A fit by sufficient statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Statistics {
    /// b₀.
    pub constant: f64,
    /// The noise of Σzzᵀ.
    pub moments: NoiseMultiplier,
    /// The noise of Σz·y.
    pub products: NoiseMultiplier,
}

impl Statistics {
    /// What it will charge.
    pub fn charges(&self) -> Vec<Charge> {
        let gaussian = |noise| Charge::once(Event::Gaussian { noise });
        vec![gaussian(self.moments), gaussian(self.products)]
    }

    /// Fits: one weight per column and the constant's.
    pub fn run(
        &self,
        input: &DescentInput<'_>,
        ledger: &mut Ledger,
        randomness: &mut Generator,
        progress: &mut Progress<'_>,
    ) -> Result<RoundWeights, FitError> {
        progress.step(ledger)?;
        let population = &*input.population.restricted_to(input.columns);
        let facts = facts_of_chosen(input);
        // No record is longer: every record counts in full, in both statistics.
        let length = longest(&facts, self.constant);
        let moments = Moments {
            length,
            constant: self.constant,
        };
        let query = moments.ask(population)?;
        let released = gaussian(&query, self.moments, ledger, randomness)?;
        let eigen = Eigen::of(Moments::unpack(&released.to_real(), facts.columns));
        let products = self.products(population, &facts, length, ledger, randomness)?;
        // On the diagonal; off it, 1/√2 of that.
        let noise = moments.moved(ledger.adjacency()) * self.moments.get();
        let order = eigen.values.len() as f64;
        // The norm of a symmetric Gaussian matrix, √2·noise·√k, plus two deviations of it.
        let level = std::f64::consts::SQRT_2 * noise * (order.sqrt() + 2.0);
        let least = eigen.values.iter().copied().fold(f64::INFINITY, f64::min);
        let ridge = (level - least).max(0.0);
        let mut weights = eigen.apply(&products, |i| 1.0 / (eigen.values[i] + ridge));
        if self.constant == 0.0 {
            weights[facts.columns] = 0.0;
        }
        let size: f64 = weights.iter().map(|w| w * w).sum();
        let of_products =
            Gradient::moved(ledger.adjacency(), LARGEST, length) * self.products.get();
        let variance = of_products * of_products + noise * noise / 2.0 * size;
        let of_weight = |j: usize| {
            let parts = eigen.vectors.iter().zip(&eigen.values);
            let part = |(vector, value): (&Vec<f64>, &f64)| (vector[j] / (value + ridge)).powi(2);
            variance * parts.map(part).sum::<f64>()
        };
        Ok(RoundWeights {
            variances: (0..weights.len()).map(of_weight).collect(),
            evidence: Some(self.evidence(&eigen, &weights, (variance, ridge), &facts)),
            weights,
            centre: None,
        })
    }

    /// The variance of the predictions, which does not depend on the constant's weight, and what
    /// noise of a variance in the products makes of it.
    fn evidence(
        &self,
        eigen: &Eigen,
        weights: &[f64],
        (variance, ridge): (f64, f64),
        facts: &Facts,
    ) -> Evidence {
        let count = facts.records as f64;
        let mut features = weights.to_vec();
        features[facts.columns] = 0.0;
        let products = eigen.apply(&features, |i| eigen.values[i]);
        let square: f64 = products.iter().zip(&features).map(|(h, w)| h * w).sum();
        let mean = match self.constant {
            0.0 => 0.0,
            constant => products[facts.columns] / constant / count,
        };
        let of_direction = |value: &f64| variance * value.max(0.0) / (value + ridge).powi(2);
        Evidence {
            explained: square / count - mean * mean,
            noise: eigen.values.iter().map(of_direction).sum::<f64>() / count,
            columns: facts.columns,
        }
    }

    /// Σz·y: minus the gradient of the squared loss at weights 0.
    fn products(
        &self,
        population: &dyn Population,
        facts: &Facts,
        length: f64,
        ledger: &mut Ledger,
        randomness: &mut Generator,
    ) -> Result<Vec<f64>, FitError> {
        let sd = Gradient::moved(ledger.adjacency(), LARGEST, length) * self.products.get();
        let mean = sd / facts.records as f64;
        let grid = slope_grid(facts, ledger.adjacency(), LARGEST, mean)?;
        let frame = RowFrame {
            slope: LARGEST,
            length: Length::Within(length),
            centre: &[],
            scales: &[],
            constant: self.constant,
            offsets: &[],
        };
        let slopes = Slopes::Loss(Loss::Squared { threshold: LARGEST });
        let mut gradient = Gradient::ask(population, slopes, grid, &frame)?;
        let released = gaussian(&gradient.all(), self.products, ledger, randomness)?;
        Ok(released.to_real().iter().map(|sum| -sum).collect())
    }
}
