//! DP-Newton, in plain floats: the engine has only the best methods, and nothing in a laboratory is
//! private.
//!
//! Each of k steps releases the gradient Σ vᵢ·rᵢ⊗zᵢ and the curvature Σ vᵢ·Bᵢ⊗zᵢzᵢᵀ with Gaussian
//! noise and takes a Newton step: r are the residuals of the logistic or multinomial loss, B their
//! derivative in the margins, z the record and a constant. vᵢ = min(1, C²/‖zᵢ‖²) for a public
//! length C, so that both are of one weighed loss.
//!
//! *Sensitivity*, replace-one. Residuals are clipped to norm R: ‖vrz‖ ≤ RC, and the gradient moves
//! by at most 2RC. The curvature of a record has Frobenius norm v‖z‖²‖B‖ ≤ C²c: c = ¼ for two
//! classes, where B = σ′; for several B = diag p − ppᵀ and ‖B‖² = Σp² − 2Σp³ + (Σp²)² ≤
//! S − S² ≤ ¼ with S = Σp², as Σp³ ≥ S² (Jensen): c = ½. Two positive semidefinite matrices have
//! an inner product ≥ 0, so that their difference has norm √2·cC² at most.

use std::num::NonZeroU64;

use reticent::fit::{Facts, LinearFunction, Task};
use reticent::privacy::{Adjacency, Budget, Charge, Event, NoiseMultiplier, calibrate};
use reticent::solve::Eigen;
use reticent::table::RecordBound;

use super::rivals::{Fit, Problem};
use crate::synthetic::Source;

/// C relative to the greatest length, as in `select`: most entries are below 0.7 of their bound.
const LENGTH: f64 = 0.7;

/// Steps to maximum likelihood, and how often one is halved.
const MOST_STEPS: usize = 25;
const MOST_HALVINGS: i32 = 20;

/// A private Newton method.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    /// k.
    pub steps: u64,
    /// The curvatures' share of ρ.
    pub share: f64,
}

/// What residuals are clipped to, and the deviations of the noise.
#[derive(Debug, Clone, Copy)]
struct Setting {
    /// At weights 0, where all residuals have this norm, and beyond.
    slopes: [f64; 2],
    /// In sensitivities.
    gradient: f64,
    curvature: f64,
}

impl Newton {
    /// The noise of one gradient and one curvature relative to their sensitivities, where k of each
    /// cost ρ = 1/(2z²) together.
    fn noise(&self, z: NoiseMultiplier) -> [NoiseMultiplier; 2] {
        [1.0 - self.share, self.share].map(|share| {
            let each = z.get() * (self.steps as f64 / share).sqrt();
            NoiseMultiplier::new(each.clamp(1e-6, 1e12)).expect("between 1e-6 and 1e12")
        })
    }

    /// Fits at the least noise that a budget allows.
    pub fn fit(&self, problem: &Problem, budget: Budget, seed: u64) -> Fit {
        let steps = NonZeroU64::new(self.steps).expect("at least one step");
        let charges = |z| {
            let charge = |noise| Charge::new(Event::Gaussian { noise }, steps);
            self.noise(z).map(charge).to_vec()
        };
        let found =
            calibrate(charges, Adjacency::ReplaceOne, budget).expect("Gaussians can be calibrated");
        let [gradient, curvature] = self.noise(found.noise).map(NoiseMultiplier::get);
        let setting = Setting {
            slopes: slopes(problem.task),
            gradient,
            curvature,
        };
        let rows = Rows::of(problem, LENGTH * longest(&problem.facts));
        let weights = self.run(&rows, &setting, &mut Source::new(seed));
        Fit {
            outputs: rows.outputs(&weights, problem.intercept),
            epsilon: found.account.epsilon,
        }
    }

    fn run(&self, rows: &Rows, setting: &Setting, source: &mut Source) -> Vec<f64> {
        // Full steps, and then shorter ones so that their noise averages out.
        let full = self.steps / 2 + 1;
        let mut weights = vec![0.0; rows.weights()];
        for t in 0..self.steps {
            let slope = setting.slopes[usize::from(t > 0)];
            let (mut gradient, mut curvature) = rows.derivatives(&weights, slope);
            let sd = setting.gradient * 2.0 * slope * rows.length;
            gradient.iter_mut().for_each(|g| *g += sd * source.normal());
            let sd = setting.curvature * rows.curvature_sensitivity();
            add_noise(&mut curvature, sd, source);
            let damping = match t.checked_sub(full) {
                None => 1.0,
                Some(beyond) => 1.0 / (beyond as f64 + 2.0),
            };
            let moves = rows.step(gradient, curvature, sd);
            // Where most residuals are small already a step may be far too long: after the first,
            // none is longer than the weights that it starts from.
            let room = match t {
                0 => 1.0,
                _ => (inner(&weights, &weights) / inner(&moves, &moves))
                    .sqrt()
                    .min(1.0),
            };
            add(&mut weights, -damping * room, &moves);
        }
        weights
    }
}

/// What residuals are clipped to: their norm at weights 0, and half as much again beyond as the
/// engine does for two classes. Several classes: 1, of at most √2.
fn slopes(task: Task) -> [f64; 2] {
    match task {
        Task::Multinomial { classes } => [(1.0 - 1.0 / f64::from(classes)).sqrt(), 1.0],
        _ => [0.5, 0.75],
    }
}

/// The length that no record with its constant exceeds.
fn longest(facts: &Facts) -> f64 {
    match facts.rows {
        RecordBound::Linf(bound) => bound * (facts.columns as f64 + 1.0).sqrt(),
        RecordBound::L2(bound) => bound * std::f64::consts::SQRT_2,
    }
}

/// Maximum likelihood: Newton's method without noise, and without a clip or a cap that binds.
pub fn likeliest(problem: &Problem) -> Vec<LinearFunction> {
    let rows = Rows::of(problem, longest(&problem.facts));
    let weights = rows.likeliest();
    rows.outputs(&weights, problem.intercept)
}

/// Noise on the lower half of a symmetric matrix: `sd` on the diagonal and sd/√2 off it, where
/// entries count twice in the norm.
fn add_noise(matrix: &mut [Vec<f64>], sd: f64, source: &mut Source) {
    for (j, line) in matrix.iter_mut().enumerate() {
        for entry in &mut line[..j] {
            *entry += sd * std::f64::consts::FRAC_1_SQRT_2 * source.normal();
        }
        line[j] += sd * source.normal();
    }
}

/// The symmetric matrix of which this is the lower half.
fn whole(mut lower: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let order = lower.len();
    for (j, k) in (0..order).flat_map(|j| (0..j).map(move |k| (j, k))) {
        lower[k][j] = lower[j][k];
    }
    lower
}

/// Records followed by a constant, the weight of each, and its class.
struct Rows {
    /// Row by row, `order` entries each.
    values: Vec<f64>,
    weight: Vec<f64>,
    class: Vec<usize>,
    order: usize,
    /// Linear functions: one for two classes.
    outputs: usize,
    /// The constant; 0 if there is no intercept.
    constant: f64,
    /// C.
    length: f64,
}

impl Rows {
    fn of(problem: &Problem, length: f64) -> Self {
        let (RecordBound::Linf(bound) | RecordBound::L2(bound)) = problem.facts.rows;
        let constant = if problem.intercept { bound } else { 0.0 };
        let features = problem.held.real();
        // Without an intercept there is no column for one.
        let order = features.width() + usize::from(problem.intercept);
        let mut values = vec![constant; features.rows() * order];
        for (i, row) in values.chunks_exact_mut(order).enumerate() {
            row[..features.width()].fill(0.0);
            features.for_row(i, |column, x| row[column] = f64::from(x));
        }
        let targets = problem.held.targets().iter();
        let class = targets.map(|&class| class as usize).collect();
        let outputs = problem.task.outputs();
        Self::new(values, order, class, outputs, constant, length)
    }

    fn new(
        values: Vec<f64>,
        order: usize,
        class: Vec<usize>,
        outputs: usize,
        constant: f64,
        length: f64,
    ) -> Self {
        let weigh = |row: &[f64]| {
            let squared = inner(row, row).max(f64::MIN_POSITIVE);
            (length * length / squared).min(1.0)
        };
        Self {
            weight: values.chunks_exact(order).map(weigh).collect(),
            values,
            class,
            order,
            outputs,
            constant,
            length,
        }
    }

    fn weights(&self) -> usize {
        self.outputs * self.order
    }

    /// How far a curvature can move, in Frobenius norm.
    fn curvature_sensitivity(&self) -> f64 {
        let most = if self.outputs == 1 { 0.25 } else { 0.5 };
        std::f64::consts::SQRT_2 * most * self.length * self.length
    }

    /// The gradient and the lower half of the curvature, residuals being clipped to the norm `slope`.
    fn derivatives(&self, weights: &[f64], slope: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
        let (order, outputs) = (self.order, self.outputs);
        let mut gradient = vec![0.0; weights.len()];
        let mut curvature = vec![vec![0.0; weights.len()]; weights.len()];
        let rows = self.values.chunks_exact(order);
        for ((z, &v), &class) in rows.zip(&self.weight).zip(&self.class) {
            let mut margins = weights.chunks_exact(order).map(|w| inner(w, z));
            let (residuals, bend) = match outputs {
                1 => of_two(margins.next().unwrap_or(0.0), class, slope),
                _ => of_several(margins.collect(), class, slope),
            };
            for (k, r) in residuals.iter().enumerate() {
                let sums = &mut gradient[k * order..(k + 1) * order];
                add(sums, v * r, z);
                for (l, b) in bend[k * outputs..][..=k].iter().enumerate() {
                    for (j, &x) in z.iter().enumerate() {
                        // Blocks on the diagonal: the lower half is enough.
                        let until = if k == l { j + 1 } else { order };
                        let line = &mut curvature[k * order + j][l * order..l * order + until];
                        add(line, v * b * x, &z[..until]);
                    }
                }
            }
        }
        (gradient, curvature)
    }

    /// The sum of the weighed losses.
    fn loss(&self, weights: &[f64]) -> f64 {
        let of = |((z, &class), v): ((&[f64], &usize), &f64)| {
            let mut margins: Vec<f64> = weights.chunks(self.order).map(|w| inner(w, z)).collect();
            if self.outputs == 1 {
                margins.insert(0, 0.0);
            }
            let most = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = margins.iter().map(|m| (m - most).exp()).sum();
            v * (sum.ln() + most - margins[class])
        };
        let records = self.values.chunks(self.order).zip(&self.class);
        records.zip(&self.weight).map(of).sum()
    }

    /// The weights of the least loss: Newton steps, each halved until the loss falls.
    fn likeliest(&self) -> Vec<f64> {
        let mut weights = vec![0.0; self.weights()];
        let mut least = self.loss(&weights);
        for _ in 0..MOST_STEPS {
            let (gradient, curvature) = self.derivatives(&weights, std::f64::consts::SQRT_2);
            let moves = self.step(gradient, curvature, 0.0);
            let halved = (0..MOST_HALVINGS).map(|k| {
                let mut next = weights.clone();
                add(&mut next, -0.5f64.powi(k), &moves);
                (self.loss(&next), next)
            });
            let Some((loss, next)) = halved.into_iter().find(|(loss, _)| *loss < least) else {
                break;
            };
            (least, weights) = (loss, next);
        }
        weights
    }

    /// The Newton step for a gradient and the lower half of a curvature with noise of deviation `sd`:
    /// eigenvalues that may be noise are raised to its level.
    fn step(&self, mut gradient: Vec<f64>, curvature: Vec<Vec<f64>>, sd: f64) -> Vec<f64> {
        self.centre(&mut gradient);
        let order = gradient.len() as f64;
        let eigen = Eigen::of(whole(curvature));
        let mean = eigen.values.iter().sum::<f64>() / order;
        let floor = (1e-9 * mean).max(sd * order.sqrt());
        let mut moves = eigen.apply(&gradient, |i| 1.0 / eigen.values[i].max(floor));
        self.centre(&mut moves);
        moves
    }

    /// Residuals of several classes sum to 0 and so does their gradient, class by class: what does
    /// not is noise. Weights that all classes share change nothing.
    fn centre(&self, vector: &mut [f64]) {
        if self.outputs == 1 {
            return;
        }
        for j in 0..self.order {
            let places = || (0..self.outputs).map(|k| k * self.order + j);
            let mean = places().map(|place| vector[place]).sum::<f64>() / self.outputs as f64;
            places().for_each(|place| vector[place] -= mean);
        }
    }

    fn outputs(&self, weights: &[f64], intercept: bool) -> Vec<LinearFunction> {
        let output = |w: &[f64]| match intercept {
            true => LinearFunction::of(&w[..self.order - 1], self.constant * w[self.order - 1]),
            false => LinearFunction::of(w, 0.0),
        };
        weights.chunks_exact(self.order).map(output).collect()
    }
}

/// The residual and curvature of the logistic loss. Where the residual is clipped the loss is
/// linear.
fn of_two(margin: f64, class: usize, slope: f64) -> (Vec<f64>, Vec<f64>) {
    let share = 1.0 / (1.0 + (-margin).exp());
    let residual = share - class as f64;
    if residual.abs() > slope {
        return (vec![residual.signum() * slope], vec![0.0]);
    }
    (vec![residual], vec![share * (1.0 - share)])
}

/// The residuals p − e_y and curvature diag p − ppᵀ of the multinomial loss, both scaled where the
/// residuals are clipped.
fn of_several(margins: Vec<f64>, class: usize, slope: f64) -> (Vec<f64>, Vec<f64>) {
    let most = margins.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut shares: Vec<f64> = margins.iter().map(|m| (m - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|p| *p /= sum);
    let mut residuals = shares.clone();
    residuals[class] -= 1.0;
    let norm = inner(&residuals, &residuals).sqrt();
    let scale = (slope / norm.max(f64::MIN_POSITIVE)).min(1.0);
    residuals.iter_mut().for_each(|r| *r *= scale);
    let entry = |k: usize, l: usize| f64::from(u8::from(k == l)) - shares[l];
    let all = (0..shares.len()).flat_map(|k| (0..shares.len()).map(move |l| (k, l)));
    let bend = all.map(|(k, l)| scale * shares[k] * entry(k, l)).collect();
    (residuals, bend)
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sums: &mut [f64], factor: f64, z: &[f64]) {
    for (sum, z) in sums.iter_mut().zip(z) {
        *sum += factor * z;
    }
}

#[cfg(test)]
mod tests;
