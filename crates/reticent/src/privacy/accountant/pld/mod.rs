//! The privacy loss distribution of a list of releases.

mod composition;
mod inversion;
mod law;
mod normal;
mod spectrum;
mod subsampled;
#[cfg(test)]
mod tests;

use composition::Composition;
use inversion::Inversion;
use law::Law;
use subsampled::{Direction, Resolution, Subsampled};

use crate::privacy::event::{Charge, Event, Sampling};
use crate::privacy::quantity::Delta;

/// An ε such that the list is (ε, δ)-differentially private, at most a few parts in 10⁴
/// above the least one; `None` when an event has no dominating pair here.
///
/// 0 when δ alone covers the list; ∞ when nothing better can be shown.
pub(crate) fn epsilon(charges: &[Charge], delta: Delta) -> Option<f64> {
    let parts = Parts::new(charges)?;
    let delta = delta.get();
    if parts.total_variation() <= delta {
        return Some(0.0);
    }
    let remove = parts.solve(Direction::Remove, delta);
    if !parts.one_sided() {
        return Some(remove);
    }
    Some(remove.max(parts.solve(Direction::Add, delta)))
}

/// Below this noise a batch is taken to be all records: there are no bounds on the number
/// of cells that the loss would need, and ε is in the hundreds.
const LEAST_NOISE: f64 = 0.05;
/// The share of δ that may be spent on infinite losses.
const INFINITE_SHARE: f64 = 3e-6;
/// The share of ε that the extra Gaussian may cost, by Chernoff's bound.
const SLACK: f64 = 3e-5;
/// The relative width of a cell, at first and then.
const COARSE: f64 = 0.1;
const FINE: f64 = 0.025;
const FINEST: f64 = 0.004;

/// The list, merged: one Gaussian, and each other event once.
struct Parts {
    mu_squared: f64,
    pure: Vec<(f64, f64)>,
    subsampled: Vec<(Subsampled, Sampling, f64)>,
}

impl Parts {
    fn new(charges: &[Charge]) -> Option<Self> {
        let mut parts = Self { mu_squared: 0.0, pure: Vec::new(), subsampled: Vec::new() };
        for charge in charges {
            let count = charge.count.get() as f64;
            match charge.event {
                Event::Gaussian { noise } => parts.gaussian(noise.get(), count),
                Event::Pure { epsilon } => merge(&mut parts.pure, epsilon.get(), count),
                Event::SubsampledGaussian { noise, rate, sampling } => {
                    let event = Subsampled { noise: noise.get(), rate: rate.get() };
                    if event.rate >= 1.0 || event.noise < LEAST_NOISE {
                        parts.gaussian(event.noise, count);
                    } else {
                        parts.subsampled.push((event, sampling, count));
                    }
                }
                Event::Exponential { .. } | Event::Zcdp { .. } => return None,
            }
        }
        Some(parts)
    }

    fn gaussian(&mut self, noise: f64, count: f64) {
        self.mu_squared += count / (noise * noise);
    }

    fn one_sided(&self) -> bool {
        self.subsampled.iter().any(|(_, sampling, _)| *sampling == Sampling::Poisson)
    }

    /// An upper bound on δ(0): total variations add up.
    fn total_variation(&self) -> f64 {
        let pure: f64 = self.pure.iter().map(|(e, n)| n * (0.5 * e).tanh()).sum();
        let subsampled: f64 = self
            .subsampled
            .iter()
            .map(|(event, _, n)| n * event.rate * normal::total_variation(1.0 / event.noise))
            .sum();
        let gaussian = normal::total_variation(self.mu_squared.sqrt());
        (pure + subsampled + gaussian) * (1.0 + 1e-9)
    }

    fn solve(&self, direction: Direction, delta: f64) -> f64 {
        let log_delta = delta.ln();
        let coarse = self.composition(direction, delta, COARSE, None);
        let (theta, _) = coarse.chernoff(log_delta);
        let mut composition = self.composition(direction, delta, FINE, Some((&coarse, theta)));
        let left = delta - composition.infinite();
        if left <= 0.0 {
            return f64::INFINITY;
        }
        let log_left = left.ln() - 1e-13;
        let (mut theta, mut best) = composition.chernoff(log_left);
        let mut guess = best;
        for _ in 0..8 {
            if best == 0.0 || !best.is_finite() {
                break;
            }
            theta = composition.saddle(guess, theta);
            let found = Inversion::new(&composition, (theta, guess), log_left, SLACK)
                .map_or(best, |inversion| inversion.solve(log_left, best));
            best = best.min(found);
            if best > 0.6 * guess {
                break;
            }
            guess = best;
        }
        best
    }

    fn composition(&self, direction: Direction, delta: f64, relative: f64, previous: Option<(&Composition, f64)>) -> Composition {
        let total: f64 = self.subsampled.iter().map(|(_, _, n)| n).sum();
        let mut laws = Vec::new();
        for (i, (event, sampling, count)) in self.subsampled.iter().enumerate() {
            let direction = match sampling {
                Sampling::Poisson => direction,
                Sampling::WithoutReplacement => Direction::Replace,
            };
            let (scale, tilt) = match previous {
                None => (event.rough_scale(), 0.0),
                Some((composition, theta)) => (composition.laws[i].0.tilted(theta).scale, theta),
            };
            let resolution = Resolution { relative, scale, tilt, negligible: INFINITE_SHARE * delta / total };
            laws.push((event.law(direction, &resolution), *count));
        }
        for &(epsilon, count) in &self.pure {
            let high = 1.0 / (1.0 + (-epsilon).exp());
            let low = 1.0 / (1.0 + epsilon.exp());
            laws.push((Law::new([(epsilon, high), (-epsilon, low)], 0.0), count));
        }
        Composition { laws, mu_squared: self.mu_squared }
    }
}

/// Adds a count to the entry of that value.
fn merge(entries: &mut Vec<(f64, f64)>, value: f64, count: f64) {
    match entries.iter_mut().find(|(v, _)| *v == value) {
        Some((_, n)) => *n += count,
        None => entries.push((value, count)),
    }
}
