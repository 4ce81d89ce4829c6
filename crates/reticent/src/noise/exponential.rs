//! A standard exponential real, drawn lazily.

use super::bernoulli::below_exp;
use super::generator::Randomness;
use super::interval::exp_neg;
use super::lazy::Lazy;

/// E ~ Exp(1), exactly, with its undrawn bits fair.
///
/// Draw U uniform on \[0, 1) and keep it with probability exp(−U); let m count the U that
/// were not kept. One is kept with probability ∫₀¹exp(−u)du = 1 − e⁻¹, so m failures have
/// probability e⁻ᵐ, and m + U has density e⁻ᵐ·exp(−u) = exp(−(m+u)) on \[0, ∞): it is E. (von
/// Neumann 1951 draws the same m and U; his coin is replaced by a comparison.) Whether a U
/// is kept is decided by its drawn bits, so the others stay fair.
pub(super) fn exponential<const STEP: u32, R: Randomness>(rng: &mut R) -> Lazy {
    let mut m = 0;
    loop {
        let mut u = Lazy::uniform::<STEP, R>(rng);
        let mut w = Lazy::uniform::<STEP, R>(rng);
        let enclosure = exp_neg::<STEP>(u.interval());
        let kept =
            below_exp::<STEP, R>(rng, &mut w, 1, enclosure, |rng, p| u.at::<STEP, R>(rng, p));
        if kept {
            return u.plus(m);
        }
        m += 1;
    }
}
