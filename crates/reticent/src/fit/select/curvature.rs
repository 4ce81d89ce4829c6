//! The curvature that steps are divided by, from noisy second moments.

use std::f64::consts::FRAC_PI_8;

use super::super::{Facts, Task};
use super::defaults;
use super::sparsity::Estimate;
use crate::solve::Eigen;

/// A column is seen if its second moment exceeds so many deviations of its noise: one of zeros is taken
/// for seen in 2 of 100 fits. (Where the mean of all hardly exceeds that noise, nothing is told of single
/// columns, and all count as seen.)
const SEEN: f64 = 2.0;
/// The least eigenvalue, as a part of the mean.
const LEAST_EIGENVALUE: f64 = 0.02;

/// Second moments with the noise shrunk away.
pub(super) struct Curvature {
    pub eigen: Eigen,
    /// Which columns have anything that a weight could be learnt from. The steps expect a curvature that
    /// pulls back what noise has moved; a level that nobody has, say, has none, so that noise adds up in
    /// its weight from step to step, far beyond its reckoned variance.
    pub seen: Vec<bool>,
    /// The mean of the diagonal.
    mean: f64,
    /// The moments of the constant, as they were released, its own last, and their noise.
    of_constant: Vec<f64>,
    noise: f64,
}

/// What the last step used for one function.
#[derive(Clone, Copy, Default)]
pub(super) struct Step {
    /// The noise of the gradient.
    pub sd: f64,
    pub slope: f64,
    /// The mean second derivative of the loss.
    pub curvature: f64,
    pub ridge: f64,
}

impl Step {
    /// The variance of a gradient by sampling, in a direction of this second moment. Of residuals
    /// that are normal and clipped at the median of their sizes, the mean square is 0.66 of the clip's.
    fn sampling(&self, task: Task, value: f64) -> f64 {
        match task {
            Task::Linear => 0.7 * self.slope * self.slope * value,
            _ => self.curvature * value,
        }
    }
}

impl Curvature {
    /// Shrinks the matrix towards a multiple of the identity, as far as noise of deviation `sd` on
    /// the diagonal (and sd/√2 off it) explains the difference (James–Stein); eigenvalues that may
    /// be noise are raised.
    pub fn shrunk(mut matrix: Vec<Vec<f64>>, sd: f64, least: f64) -> Self {
        let order = matrix.len() as f64;
        let of_constant = matrix.last().cloned().unwrap_or_default();
        let trace: f64 = (0..matrix.len()).map(|j| matrix[j][j]).sum();
        let mean = (trace / order).max(least);
        let told = 4.0 * SEEN * sd < mean;
        let seen = |j: usize| !told || matrix[j][j] >= SEEN * sd;
        let seen = (0..matrix.len().saturating_sub(1)).map(seen).collect();
        for (j, row) in matrix.iter_mut().enumerate() {
            row[j] -= mean;
        }
        let size: f64 = matrix.iter().flatten().map(|x| x * x).sum();
        let noise = sd * sd * (order * (order - 1.0) / 2.0 + order - 1.0);
        let kept = (1.0 - noise / size.max(f64::MIN_POSITIVE)).max(0.0);
        for (j, row) in matrix.iter_mut().enumerate() {
            row.iter_mut().for_each(|x| *x *= kept);
            row[j] += mean;
        }
        let mut eigen = Eigen::of(matrix);
        let floor = (LEAST_EIGENVALUE * mean).max(kept * sd * order.sqrt());
        eigen.values.iter_mut().for_each(|x| *x = x.max(floor));
        Self {
            eigen,
            seen,
            mean,
            of_constant,
            noise: sd * std::f64::consts::FRAC_1_SQRT_2,
        }
    }

    /// The ridge: the ratio of the variance of a gradient's noise to that of its signal, for
    /// weights that spread the margins by the usual amount. Linear: by the `spread` of the
    /// residuals, which is as much as there is to explain.
    pub fn ridge(&self, task: Task, facts: &Facts, noise: f64, curvature: f64, spread: f64) -> f64 {
        let spread = match task {
            Task::Linear => spread,
            _ => defaults::SPREAD,
        };
        let spread = facts.records as f64 * spread * spread;
        noise * facts.columns as f64 / (curvature * spread)
    }

    /// The mean second derivative of the loss in each function of these weights: the share of
    /// residuals within the threshold, or that of the logistic loss at the spread of margins that the
    /// weights give around their mean, E[σ′(m)] ≈ σ′(κ·E m)·κ with κ = 1/√(1 + π/8·var m).
    pub fn of_loss(&self, task: Task, weights: &[f64], constant: f64, count: f64) -> Vec<f64> {
        match task {
            Task::Linear => vec![defaults::WITHIN],
            Task::Logistic => {
                let (mean, variance) = self.margins(weights, constant, count);
                let remaining = 1.0 / (1.0 + FRAC_PI_8 * variance).sqrt();
                let share = 1.0 / (1.0 + (mean * remaining).exp());
                let curvature = share * (1.0 - share) * remaining;
                vec![curvature.max(defaults::LEAST_CURVATURE)]
            }
            Task::Multinomial { .. } => self.of_classes(weights, constant, count),
        }
    }

    /// The same for several classes, about p(1 − p) times a number between 1 and 2 for a class of
    /// probability p: the response of the other classes to a step makes up the rest.
    fn of_classes(&self, weights: &[f64], constant: f64, count: f64) -> Vec<f64> {
        let block = self.eigen.values.len();
        let classes = (weights.len() / block) as f64;
        // The ratio of a margin relative to the mean of the others to the margin itself.
        let relative_margin = classes / (classes - 1.0);
        let of_class = |weights: &[f64]| {
            let (mean, variance) = self.margins(weights, constant, count);
            let remaining =
                1.0 / (1.0 + FRAC_PI_8 * relative_margin * relative_margin * variance).sqrt();
            ((mean * remaining).clamp(-50.0, 50.0).exp(), remaining)
        };
        let of_classes: Vec<(f64, f64)> = weights.chunks(block).map(of_class).collect();
        let total: f64 = of_classes.iter().map(|(odds, _)| odds).sum();
        let curvature = |(odds, remaining): &(f64, f64)| {
            defaults::class_curvature(odds / total, classes, *remaining)
        };
        of_classes.iter().map(curvature).collect()
    }

    /// The mean and the variance of the margins of one function.
    fn margins(&self, weights: &[f64], constant: f64, count: f64) -> (f64, f64) {
        let centre = self.centre(constant, count);
        let mean: f64 = weights.iter().zip(&centre).map(|(w, x)| w * x).sum();
        let variance = (self.square(weights) / count - mean * mean).max(0.0);
        (mean, variance)
    }

    /// The mean record, from the moments of the constant.
    fn centre(&self, constant: f64, count: f64) -> Vec<f64> {
        let mut axis = vec![0.0; self.eigen.values.len()];
        if constant == 0.0 {
            return axis;
        }
        if let Some(last) = axis.last_mut() {
            *last = 1.0 / (count * constant);
        }
        self.eigen.apply(&axis, |i| self.eigen.values[i])
    }

    /// The sum of squared margins of one function.
    pub fn square(&self, weights: &[f64]) -> f64 {
        let spread = self.eigen.apply(weights, |i| self.eigen.values[i]);
        spread.iter().zip(weights).map(|(h, w)| h * w).sum()
    }

    /// The variance of the predictions of one function, which does not depend on its constant.
    pub fn variance(&self, weights: &[f64], constant: f64, count: f64) -> f64 {
        let last = weights.len() - 1;
        let mut features = weights.to_vec();
        features[last] = 0.0;
        let products = self.eigen.apply(&features, |i| self.eigen.values[i]);
        let square: f64 = products.iter().zip(&features).map(|(h, w)| h * w).sum();
        if constant == 0.0 {
            return square / count;
        }
        let mut axis = vec![0.0; weights.len()];
        axis[last] = 1.0;
        (square - products[last] * products[last] / self.square(&axis)) / count
    }

    /// The sum of squared margins of noise with these variances along the eigenvectors.
    pub fn weighted(&self, variances: &[f64]) -> f64 {
        let pairs = self.eigen.values.iter().zip(variances);
        pairs.map(|(value, variance)| value * variance).sum()
    }

    /// The mean of w·x, from the moments of the constant, and the variance of its noise together
    /// with that of the constant's part of predictions.
    pub fn centre_of_predictions(
        &self,
        weights: &[f64],
        noise: &[f64],
        constant: f64,
    ) -> (f64, f64) {
        let last = weights.len() - 1;
        let own = self.of_constant[last].max(self.mean.min(self.noise));
        let pairs = self.of_constant.iter().zip(weights).take(last);
        let mean = pairs.map(|(x, w)| x * w).sum::<f64>() * constant / own;
        let size: f64 = weights[..last].iter().map(|w| w * w).sum();
        let of_centre = (self.noise * constant / own).powi(2) * size;
        let parts = self.eigen.vectors.iter().zip(noise);
        let of_constant: f64 = parts
            .map(|(v, variance)| v[last] * v[last] * variance)
            .sum();
        (mean, of_centre + constant * constant * of_constant)
    }

    /// What a fit would have come to without its ridge, and the variance of that in each direction, of the
    /// noise that is known and of sampling.
    ///
    /// With curvature h and ridge λ a fit comes to the w at which h·(w* − w) = λ·(w − a), where a
    /// is what the ridge pulls to: w* = w + λ/h·(w − a).
    pub fn estimate(
        &self,
        (task, count): (Task, f64),
        step: Step,
        noise: &[f64],
        weights: &[f64],
        anchor: &[f64],
    ) -> Estimate<'_> {
        let values = &self.eigen.values;
        // Weights of classes are such that margins have the usual spread; a number's are not known.
        let prior = match task {
            Task::Linear => 0.0,
            _ => values.len() as f64 * self.mean / count / defaults::SPREAD.powi(2),
        };
        let without_ridge = |i: usize| step.ridge / (values[i] * step.curvature);
        let away: Vec<f64> = weights.iter().zip(anchor).map(|(w, a)| w - a).collect();
        let back = self.eigen.apply(&away, without_ridge);
        let of_direction = |(i, value): (usize, &f64)| {
            let curvature = value * step.curvature;
            let grown = 1.0 + without_ridge(i);
            noise[i] * grown * grown + step.sampling(task, *value) / (curvature * curvature)
        };
        Estimate {
            weights: weights.iter().zip(back).map(|(w, by)| w + by).collect(),
            eigen: &self.eigen,
            seen: match task {
                Task::Linear => &self.seen,
                // Rare levels together say much of classes.
                _ => &[],
            },
            variances: values.iter().enumerate().map(of_direction).collect(),
            prior,
        }
    }

    /// The variance of each weight: noise and sampling, direction by direction.
    pub fn variances(&self, task: Task, step: Step, averaged: f64) -> Vec<f64> {
        let of_direction = |value: &f64| {
            let curvature = value * step.curvature + step.ridge;
            let noise = step.sd * step.sd / averaged;
            (noise + step.sampling(task, *value)) / (curvature * curvature)
        };
        let by_direction: Vec<f64> = self.eigen.values.iter().map(of_direction).collect();
        let of_weight = |j: usize| {
            let parts = self.eigen.vectors.iter().zip(&by_direction);
            parts
                .map(|(vector, variance)| vector[j] * vector[j] * variance)
                .sum()
        };
        (0..by_direction.len()).map(of_weight).collect()
    }
}
