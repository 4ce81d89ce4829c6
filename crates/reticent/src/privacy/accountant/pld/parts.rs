//! A list of charges merged into its kinds of loss, and the search for its ε.

use std::num::NonZeroU64;

use super::composition::Composition;
use super::inversion::Inversion;
use super::lattice::Lattice;
use super::law::Law;
use super::search::least_epsilon;
use super::subsampled::{Direction, Resolution, Subsampled};
use super::{DRAFT, Point, Quality, normal};
use crate::privacy::event::{Charge, Event, Sampling};

/// Below this noise a batch is taken to be all records: the number of cells that the loss would
/// need has no bound, and ε is in the hundreds.
const LEAST_NOISE: f64 = 0.05;
/// The share of δ that may be spent on infinite losses.
const INFINITE_SHARE: f64 = 5e-5;
/// The relative width of the very first cells.
const COARSE: f64 = 0.1;

/// The list, merged: one Gaussian, and each other event once.
pub(super) struct Parts {
    mu_squared: f64,
    pure: Vec<(f64, f64)>,
    subsampled: Vec<(Subsampled, Sampling, f64)>,
}

impl Parts {
    pub(super) fn new(charges: &[Charge]) -> Option<Self> {
        let mut parts = Self {
            mu_squared: 0.0,
            pure: Vec::new(),
            subsampled: Vec::new(),
        };
        for charge in charges {
            let count = rounded_up(charge.count);
            match charge.event {
                Event::Gaussian { noise } => parts.gaussian(noise.get(), count),
                Event::Pure { epsilon } => merge(&mut parts.pure, epsilon.get(), count),
                Event::SubsampledGaussian {
                    noise,
                    rate,
                    sampling,
                } => {
                    let event = Subsampled {
                        noise: noise.get(),
                        rate: rate.get(),
                    };
                    if event.rate >= 1.0 || event.noise < LEAST_NOISE {
                        parts.gaussian(event.noise, count);
                    } else {
                        parts.subsampled.push((event, sampling, count));
                    }
                }
                // Of range η, hence η-DP.
                Event::Exponential { range } => merge(&mut parts.pure, range.get(), count),
                Event::Zcdp { .. } => return None,
            }
        }
        // The cost of one is good to 2 ε, a product and a sum to half an ε each.
        parts.mu_squared *= 1.0 + (charges.len() as f64 + 4.0) * f64::EPSILON;
        Some(parts)
    }

    fn gaussian(&mut self, noise: f64, count: f64) {
        self.mu_squared += count / (noise * noise);
    }

    /// The one subsampled release, if there is nothing else.
    pub(super) fn only(&self) -> Option<&Subsampled> {
        match &self.subsampled[..] {
            [(event, _, 1.0)] if self.pure.is_empty() && self.mu_squared == 0.0 => Some(event),
            _ => None,
        }
    }

    pub(super) fn one_sided(&self) -> bool {
        self.subsampled
            .iter()
            .any(|(_, sampling, _)| *sampling == Sampling::Poisson)
    }

    /// An upper bound on δ(0): total variations add up.
    pub(super) fn total_variation(&self) -> f64 {
        let pure: f64 = self.pure.iter().map(|(e, n)| n * (0.5 * e).tanh()).sum();
        let subsampled: f64 = self
            .subsampled
            .iter()
            .map(|(event, _, n)| n * event.rate * normal::total_variation(1.0 / event.noise))
            .sum();
        let gaussian = normal::total_variation(self.mu_squared.sqrt());
        (pure + subsampled + gaussian) * (1.0 + 1e-9)
    }

    /// ε in one direction; no sharper than needed to see that it is below `floor`.
    ///
    /// Every ε on the way is a valid one. Drafts find out where the result will be, so that the
    /// knots, the tilt and the period of the final computation suit it.
    pub(super) fn solve(
        &self,
        direction: Direction,
        delta: f64,
        target: Quality,
        floor: f64,
    ) -> f64 {
        let negligible = INFINITE_SHARE * delta;
        let mut composition = self.composition(direction, negligible, None);
        let (theta, mut best) = composition.chernoff(log_left(&composition, delta));
        let mut at = Point {
            epsilon: best,
            theta,
        };
        let mut quality = DRAFT;
        for _ in 0..12 {
            if best <= floor || !best.is_finite() {
                break;
            }
            at = Point {
                epsilon: best,
                theta: composition.saddle(best, at.theta),
            };
            composition = self.composition(
                direction,
                negligible,
                Some((&composition, at, quality.cell)),
            );
            let log_left = log_left(&composition, delta);
            if let Some(inversion) = Inversion::new(&composition, at, log_left, quality) {
                let epsilon = least_epsilon(|e| inversion.log_delta(e), log_left, best);
                best = best.min(epsilon);
                if inversion.cut_short {
                    best = best.min(on_lattice(&composition, at, delta, quality, best));
                }
            }
            let near = best > quality.reach * at.epsilon && at.theta * (at.epsilon - best) < 1.0;
            if near && quality == target {
                break;
            }
            if near {
                quality = target;
            }
        }
        best
    }

    /// The list's losses, on knots that suit the computation.
    fn composition(
        &self,
        direction: Direction,
        negligible: f64,
        previous: Option<(&Composition, Point, f64)>,
    ) -> Composition {
        let total: f64 = self.subsampled.iter().map(|(_, _, n)| n).sum();
        let mut laws = Vec::new();
        for (i, (event, sampling, count)) in self.subsampled.iter().enumerate() {
            let direction = match sampling {
                Sampling::Poisson => direction,
                Sampling::WithoutReplacement => Direction::Replace,
            };
            let negligible = negligible / total;
            let resolution = match previous {
                None => Resolution {
                    relative: COARSE,
                    scale: event.rough_scale(),
                    tilt: 0.0,
                    negligible,
                },
                Some((composition, at, relative)) => {
                    let tilt = at.theta.max(1.0 / at.epsilon);
                    let scale = composition.laws[i].0.tilted(at.theta).scale;
                    let most = (4.0 * at.epsilon / ((tilt + 1.0) * count)).sqrt();
                    Resolution {
                        relative,
                        scale: scale.min(most),
                        tilt,
                        negligible,
                    }
                }
            };
            laws.push((event.law(direction, &resolution), *count));
        }
        for &(epsilon, count) in &self.pure {
            let high = 1.0 / (1.0 + (-epsilon).exp());
            let low = 1.0 / (1.0 + epsilon.exp());
            laws.push((Law::new([(epsilon, high), (-epsilon, low)], 0.0), count));
        }
        Composition {
            laws,
            mu_squared: self.mu_squared,
        }
    }
}

/// The same on a uniform grid, given that `upper` is an ε.
fn on_lattice(
    composition: &Composition,
    at: Point,
    delta: f64,
    quality: Quality,
    upper: f64,
) -> f64 {
    let tilt = at.theta.max(1.0 / at.epsilon);
    let resolution = Resolution {
        relative: quality.cell,
        scale: (4.0 * at.epsilon / (tilt + 1.0)).sqrt(),
        tilt,
        negligible: INFINITE_SHARE * delta,
    };
    let epsilon = || {
        let composition = composition.in_atoms(resolution)?;
        let log_left = log_left(&composition, delta);
        let lattice = Lattice::new(&composition, at, log_left, quality)?;
        Some(least_epsilon(|e| lattice.log_delta(e), log_left, upper))
    };
    epsilon().unwrap_or(upper)
}

/// log of the part of δ that is left for the finite losses, rounded down.
fn log_left(composition: &Composition, delta: f64) -> f64 {
    let left = (delta - composition.infinite()).max(0.0);
    left.ln() - 1e-13
}

/// A count as a float that is not below it.
fn rounded_up(count: NonZeroU64) -> f64 {
    let float = count.get() as f64;
    if count.get() < 1 << 53 {
        float
    } else {
        float.next_up()
    }
}

/// Adds a count to the entry of that value.
fn merge(entries: &mut Vec<(f64, f64)>, value: f64, count: f64) {
    match entries.iter_mut().find(|(v, _)| *v == value) {
        // As in `rounded_up`.
        Some((_, n)) if *n + count < (1u64 << 53) as f64 => *n += count,
        Some((_, n)) => *n = (*n + count).next_up(),
        None => entries.push((value, count)),
    }
}
