//! The privacy loss of one release as a finite list of atoms that dominates it.

/// Bound on the relative error of a mass handed to [`Law::new`]. The masses are integrals
/// of products of exponentials whose arguments stay below 1e3: 1e3 roundings, plus a
/// quadrature error below 1e-14 (see `subsampled`).
const MASS_ERROR: f64 = 1e-12;
/// The same for the position of an atom: at most 1e3 roundings, where log q is added to a
/// likelihood ratio near 1/q.
pub(super) const LOSS_ERROR: f64 = 1e-12;
/// Bound on the relative error of a sum of at most 2¹⁴ rounded terms of one sign.
const SUM_ERROR: f64 = 2e-12;

/// A privacy loss: atoms away from 0, an atom at 0 that holds whatever mass is left, and
/// an atom at +∞.
#[derive(Debug, Clone)]
pub(super) struct Law {
    losses: Vec<f64>,
    masses: Vec<f64>,
    /// Mass that the atoms have beyond 1 (rounding); counted at loss 0.
    excess: f64,
    /// The mass at +∞: it counts towards δ.
    pub(super) infinite: f64,
}

/// A law reweighted by e^{θ·loss} and normalised.
#[derive(Debug, Clone)]
pub(super) struct Tilted {
    pub(super) losses: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// E|loss|.
    pub(super) mean_abs: f64,
    /// √E loss².
    pub(super) scale: f64,
    /// Bound on the relative error of the weights.
    pub(super) error: f64,
}

impl Law {
    /// The law with these (loss, mass) atoms, masses known up to [`MASS_ERROR`].
    ///
    /// Positive losses get more mass than they may have, negative ones less, and 0 the
    /// rest; every loss is rounded up. So each upper tail is at least the true one, and
    /// so is δ(ε) = E(1 − e^{ε−L})₊ of any sum of such losses: it is increasing in L.
    pub(super) fn new(atoms: impl IntoIterator<Item = (f64, f64)>, infinite: f64) -> Self {
        let (mut losses, mut masses) = (Vec::new(), Vec::new());
        let mut total = 0.0;
        for (loss, mass) in atoms {
            if loss == 0.0 || mass <= 0.0 {
                continue;
            }
            let mass = mass * (1.0 + MASS_ERROR.copysign(loss));
            losses.push(loss + LOSS_ERROR * loss.abs());
            masses.push(mass);
            total += mass;
        }
        Self {
            losses,
            masses,
            excess: (total - 1.0).max(0.0),
            infinite,
        }
    }

    /// How many atoms there are away from 0.
    pub(super) fn len(&self) -> usize {
        self.losses.len()
    }

    /// log E e^{θL} over the finite losses, rounded up.
    pub(super) fn log_mgf(&self, theta: f64) -> f64 {
        let top = self
            .losses
            .iter()
            .fold(0.0, |top: f64, loss| top.max(theta * loss));
        if top > 600.0 {
            return self.log_mgf_of_large(theta, top);
        }
        let (mut sum, mut magnitude) = (self.excess, 0.0);
        for (&loss, &mass) in self.losses.iter().zip(&self.masses) {
            let term = mass * (theta * loss).exp_m1();
            sum += term;
            magnitude += term.abs();
        }
        (sum + SUM_ERROR * magnitude).ln_1p()
    }

    /// The same where e^{θL} may overflow: the largest exponent is taken out of the sum.
    fn log_mgf_of_large(&self, theta: f64, top: f64) -> f64 {
        let at_zero = (1.0 + self.excess) * (-top).exp();
        let terms = self.losses.iter().zip(&self.masses);
        let sum: f64 = terms
            .map(|(loss, mass)| mass * (theta * loss - top).exp())
            .sum();
        top + (sum + at_zero).ln() + SUM_ERROR + 4.0 * f64::EPSILON * top
    }

    /// The law under e^{θL}. The normaliser is rounded up: what is then missing from the weights
    /// counts as mass at 0, and mass only adds to δ.
    pub(super) fn tilted(&self, theta: f64) -> Tilted {
        let log_mgf = self.log_mgf(theta);
        let (mut mean_abs, mut square, mut exponent) = (0.0, 0.0, 0.0f64);
        let weights: Vec<f64> = self
            .losses
            .iter()
            .zip(&self.masses)
            .map(|(&loss, &mass)| {
                let weight = (theta * loss + mass.ln() - log_mgf).exp();
                exponent = exponent.max((theta * loss).abs() + mass.ln().abs());
                mean_abs += weight * loss.abs();
                square += weight * loss * loss;
                weight
            })
            .collect();
        Tilted {
            losses: self.losses.clone(),
            weights,
            mean_abs,
            scale: square.sqrt(),
            error: (f64::EPSILON * (exponent + log_mgf.abs() + 2.0)).exp_m1(),
        }
    }
}
