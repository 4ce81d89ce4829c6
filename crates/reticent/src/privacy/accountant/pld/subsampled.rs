//! The privacy loss of one subsampled Gaussian, discretised by connecting the dots.
//!
//! Let Q₀ = N(0, 1) and e^y the likelihood ratio of N(1/σ, 1) to Q₀, y = z/σ − 1/(2σ²).
//! The mixture (1−q)·Q₀ + q·N(1/σ, 1) has ratio R = 1 − q + q·e^y to Q₀: log R is the loss
//! of Poisson sampling when the record is *removed* (Zhu–Dong–Wang 2022). *Adding* it is
//! the same pair in the other order: the loss −log R under Q₀.
//!
//! Without replacement, q·H_{1+(α−1)/q}(N(1/σ,1)‖Q₀) = ∫(q·dP₁ − q·dQ₀ − (α−1)·dQ₀)₊ =
//! ∫(R − α)₊ dQ₀: for α ≥ 1 the profile is that of the mixture, so the positive losses are
//! log R where y > 0. δ(α) = 1 − α + α·δ(1/α) says that the pair is its own mirror image: the loss
//! −ℓ has under P the mass that ℓ has under Q, that is Q₀ where y > 0. What remains,
//! (1−q)(1 − 2Φ(−1/(2σ))), is an atom at 0, the one that [`Law`] leaves implicit.
//!
//! Between knots y_a < y_b a point is split so that its masses under both P and Q are
//! kept: the share of b is (R−R_a)/(R_b−R_a) = expm1(y−y_a)/expm1(y_b−y_a) of its Q-mass,
//! whatever q. R being linear in e^y, that is a piecewise linear δ above the convex true
//! one (Doroshenko et al. 2022). Beyond the last knot T the upper end of the cell is
//! ∞: it gets the P-mass ∫(R − e^T)₊ dQ₀ = δ(e^T), and T the rest.

use super::law::Law;
use super::normal::{FAR, density, upper_tail};

/// σ/Δ₂ and the sampling rate (below 1) of the release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Subsampled {
    pub(super) noise: f64,
    pub(super) rate: f64,
}

/// Which pair's loss is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// Poisson, the record is in the first table only.
    Remove,
    /// Poisson, the record is in the second table only.
    Add,
    /// Without replacement, one record differs.
    Replace,
}

/// How fine the knots are.
///
/// A cell of width w at loss ℓ multiplies E e^{θL} of the mass in it by at most about
/// 1 + θ(θ+1)·w²/12. With w = c·min(m, √(2m/(θ+1))), m = max(|ℓ|, scale), this adds a share
/// c²/6 or so to the loss's second moment, and to its mean where θ|ℓ| is large.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolution {
    /// c.
    pub(super) relative: f64,
    /// The typical size of the loss.
    pub(super) scale: f64,
    /// θ.
    pub(super) tilt: f64,
    /// The largest mass at +∞ that does not matter.
    pub(super) negligible: f64,
}

impl Subsampled {
    /// Atoms that dominate the loss.
    pub(super) fn law(&self, direction: Direction, resolution: &Resolution) -> Law {
        let knots = self.knots(direction, resolution);
        let hats = self.hats(&knots);
        // Neither is empty: both ends of the march push their starting point.
        let (first, last) = (knots[0], knots[knots.len() - 1]);
        let (below, above) = (upper_tail(-first), upper_tail(last));
        let top = hats.len() - 1;
        let atoms = knots.iter().zip(&hats).enumerate().map(|(i, (&z, &hat))| {
            let hat = if i == top { hat + above } else { hat };
            (i, self.loss(z), self.loss_error(z), hat)
        });
        let to_p = |loss: f64, error: f64, mass: f64| (loss + error, (loss + mass.ln()).exp());
        match direction {
            // Below the first knot R ≥ 1 − q, and the mass moves up to the knot.
            Direction::Remove => Law::new(
                atoms.map(|(i, loss, error, mass)| {
                    let (loss, mass) = to_p(loss, error, mass);
                    let below = if i == 0 {
                        (1.0 - self.rate) * below
                    } else {
                        0.0
                    };
                    (loss, mass + below)
                }),
                self.beyond(last),
            ),
            // Losses above the first knot's are at most −log(1−q); of the mass there,
            // the share going to ∞ is 1 − R/R_first ≤ 1 − (1−q)/R_first.
            Direction::Add => Law::new(
                atoms.map(|(i, loss, error, mass)| {
                    (error - loss, if i == 0 { mass + below } else { mass })
                }),
                below * self.posterior(first) * (1.0 + 1e-9),
            ),
            Direction::Replace => Law::new(
                atoms.flat_map(|(_, loss, error, mass)| {
                    [to_p(loss, error, mass), (error - loss, mass)]
                }),
                self.beyond(last),
            ),
        }
    }

    /// δ(1), the total variation, is the rate times that of the whole Gaussian; this is
    /// the scale of the loss where it is small: q·√(χ² of the whole Gaussian).
    pub(super) fn rough_scale(&self) -> f64 {
        let inverse = 1.0 / self.noise;
        (self.rate * (inverse * inverse).exp_m1().sqrt()).min(inverse)
    }

    /// y at z.
    fn log_ratio(&self, z: f64) -> f64 {
        (z - 0.5 / self.noise) / self.noise
    }

    /// log R at z.
    pub(super) fn loss(&self, z: f64) -> f64 {
        let y = self.log_ratio(z);
        if y > 30.0 {
            // Either form is good to 1e-12, but not where the other is used: the first
            // cancels where q·e^y is small, the second overflows where it is large.
            let top = y + self.rate.ln();
            if top > 0.0 {
                top + ((1.0 - self.rate) / self.rate * (-y).exp()).ln_1p()
            } else {
                (top.exp() - self.rate).ln_1p()
            }
        } else if y < -0.5 && self.rate > 0.25 {
            (1.0 - self.rate + self.rate * y.exp()).ln()
        } else {
            (self.rate * y.exp_m1()).ln_1p()
        }
    }

    /// The effect on the loss at z of the rounding errors of y, relative to its parts and not to
    /// itself. At the knot of loss 0 there are none: y is 0.
    pub(super) fn loss_error(&self, z: f64) -> f64 {
        if self.log_ratio(z) == 0.0 {
            return 0.0;
        }
        4.0 * f64::EPSILON * (z.abs() + 1.0 / self.noise) / self.noise * self.posterior(z)
    }

    /// q·e^y/R at z: the slope of the loss in y.
    fn posterior(&self, z: f64) -> f64 {
        1.0 / (1.0 + (1.0 - self.rate) / self.rate * (-self.log_ratio(z)).exp())
    }

    /// An upper bound on ∫(R − R(z))₊ dQ₀ = q·(P(Z > z − 1/σ) − e^y·P(Z > z)).
    pub(super) fn beyond(&self, z: f64) -> f64 {
        let tail = upper_tail(z - 1.0 / self.noise);
        // Further out P(Z > z) is subnormal, and has lost its relative accuracy.
        let kept = if z <= FAR {
            (self.log_ratio(z) + upper_tail(z).ln()).exp()
        } else {
            0.0
        };
        self.rate * (tail - kept).max(0.0) + self.beyond_error(z)
    }

    /// The bound's allowance for its own rounding errors.
    pub(super) fn beyond_error(&self, z: f64) -> f64 {
        self.rate * 4e-12 * upper_tail(z - 1.0 / self.noise)
    }

    /// Increasing knots z around the one where the loss is exactly 0.
    fn knots(&self, direction: Direction, resolution: &Resolution) -> Vec<f64> {
        let zero = 0.5 / self.noise;
        let mut knots = Vec::new();
        if direction != Direction::Replace {
            let mut z = zero;
            let mut cells = 0;
            while z > -FAR && upper_tail(-z) * self.posterior(z) > resolution.negligible {
                z -= self.cell(z, resolution, &mut cells);
                knots.push(z);
            }
            knots.reverse();
        }
        knots.push(zero);
        let mut z = zero;
        let mut cells = 0;
        // Not beyond `FAR`, where Q₀-masses, which all others are made of, underflow: what
        // lies there counts as infinite.
        while z < FAR && self.beyond(z) > resolution.negligible {
            z += self.cell(z, resolution, &mut cells);
            knots.push(z);
        }
        knots
    }

    /// The width in z of the cell next to z. Whatever the resolution asks, half a cell is
    /// at most 1/|z| and σ/4, so that the integrands of [`Self::hats`] are e^{λt},
    /// |λ| ≤ 1.3, times e^{−t²/128}, t in [−1, 1].
    fn cell(&self, z: f64, resolution: &Resolution, cells: &mut u32) -> f64 {
        *cells += 1;
        let size = self.loss(z).abs().max(resolution.scale);
        let width = resolution.relative * size.min((2.0 * size / (resolution.tilt + 1.0)).sqrt());
        // Keeps the number of cells below 2¹³: past 1500 they grow.
        let growth = 1.0 + (f64::from(*cells) / 1500.0).powi(8);
        let wanted =
            (width * self.noise / self.posterior(z)).max(1e-4 * self.noise.min(1.0)) * growth;
        wanted.min(0.25).min(2.0 / z.abs()).min(0.5 * self.noise)
    }

    /// The Q₀-mass of each knot, minus what lies beyond the first and the last.
    ///
    /// Eight-point Gauss–Legendre on each cell: its error, 2.3e-18 times the sixteenth
    /// derivative of integrands as above, is below 1e-14 of the integral.
    fn hats(&self, knots: &[f64]) -> Vec<f64> {
        let mut hats = vec![0.0; knots.len()];
        for (i, pair) in knots.windows(2).enumerate() {
            let half = 0.5 * (pair[1] - pair[0]);
            let middle = 0.5 * (pair[1] + pair[0]);
            let whole = (2.0 * half / self.noise).exp_m1();
            for &(node, weight) in &NODES {
                for t in [-node, node] {
                    let mass = weight * half * density(middle + half * t);
                    let left = half * (1.0 + t) / self.noise;
                    let right = half * (1.0 - t) / self.noise;
                    hats[i + 1] += mass * left.exp_m1() / whole;
                    hats[i] += mass * left.exp() * right.exp_m1() / whole;
                }
            }
        }
        hats
    }
}

/// The positive nodes and the weights of the eight-point Gauss–Legendre rule.
const NODES: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];
