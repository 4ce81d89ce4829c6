//! The privacy loss distribution of a list of releases: ε at a given δ, never too small.
//!
//! # What is computed
//!
//! A pair (P, Q) *dominates* a release if δ(ε) = sup over neighbours of H_{e^ε} is at most
//! that of the pair for every real ε. Pairs compose: the product of dominating pairs
//! dominates the (adaptive) list (Zhu–Dong–Wang 2022, arXiv:2106.08567). With
//! L the sum of independent losses ℓ = log dP/dQ under P, δ(ε) = E(1 − e^{ε−L})₊.
//!
//! | event | pair |
//! |---|---|
//! | Gaussian | N(μ,1), N(0,1); all merge into μ² = Σ count/noise² (Dong–Roth–Su 2019) |
//! | Poisson | N(0) and the mixture, in both orders, each composed over the whole list (Zhu–Dong–Wang 2022; that neither order is always the worse: Lebeda et al. 2024, arXiv:2405.20769) |
//! | without replacement | the profile of Balle–Barthe–Gaboardi 2018, its own mirror image: see `subsampled` |
//! | pure ε, exponential of range ε | randomised response (Kairouz–Oh–Viswanath 2015) |
//!
//! # Why it is an upper bound
//!
//! 1. **Atoms dominate.** Each loss is replaced by finitely many atoms by *connecting the
//!    dots* (Doroshenko et al. 2022, arXiv:2207.04380): every point's mass under P and Q is
//!    split between two neighbouring knots, which puts a chord above the convex
//!    α ↦ H_α. The last cell ends at +∞: its share is added to δ, count times. The knots
//!    need not be equidistant: they follow the scale of the loss. Rounding errors of the
//!    masses are moved upwards: see `law`.
//! 2. **The sum over frequencies errs upwards.** With the law tilted by e^{θL}, δ is a
//!    Fourier integral of the product of the characteristic functions. Summing it at
//!    frequencies 2πj/W adds Σ_{k≠0} e^{θkW}·δ(ε+kW) ≥ 0: aliasing cannot make δ smaller. The tilt
//!    is the saddle point, so that δ = 1e-30 loses no digit to cancellation (the idea of tilting:
//!    Alghamdi et al. 2023, arXiv:2208.09595; wrapping without it: Gopi et al. 2021,
//!    arXiv:2106.02848). See `inversion`.
//! 3. **The band is limited by a release.** A small Gaussian release is added to the list,
//!    which can only increase δ, and cuts the frequencies off like e^{−S²ω²/2}. What is
//!    left out has a closed bound, which is added. There is no grid of losses, so a
//!    billion releases need no multi-stage grid (Ghazi et al. 2022, arXiv:2207.04381): their
//!    characteristic function is one, to the power of 10⁹.
//!    The characteristic function of the atoms, which are not equidistant, is summed
//!    directly (`spectrum`), at a cost of atoms × frequencies.
//! 4. **Or by the grid.** Where more frequencies are needed than that cost allows, for losses
//!    spread over many scales, the atoms are moved to a uniform grid, dots connected once
//!    more, and real FFTs do the rest: all frequencies of the grid, and no extra Gaussian. See
//!    `lattice`; both are bounds, so the lesser is taken.
//! 5. **Roundings are bounded and added**: of each characteristic function, relative to
//!    E min(2, ω|L|) so that the power keeps its accuracy, of the power, of the sum.
//!
//! None of this depends on how θ, W, the knots or the extra Gaussian are chosen: they come from
//! drafts of the result, and a bad choice only costs sharpness.
//!
//! A single subsampled release needs none of this: see `single`.
//!
//! # How sharp it is
//!
//! ε is too large by about 1e-4 of itself, up to 1e-3 as δ approaches δ(0) and ε vanishes, except
//! in three corners.
//!
//! - A noise below 0.5, a rate below 1e-4 and δ so near δ(0) that ε is less than 1e-3 of
//!   the losses that decide it. The grid, of at most 2²⁰ points, is then visible: ε is good to a
//!   few millionths of the largest of those losses, 0.2% to 2% of itself at 0.3·δ(0) and 100
//!   releases, and many times too large nearer to δ(0), where it vanishes.
//! - A δ below 1e-280, or below about 1e-60 with a noise below 0.1: nothing is proved, and ε is ∞.
//!   Above that, RDP can be sharper where δ is that small.
//! - A rate below 1e-4 with δ a billion times below δ(0): there is so little mass in the tail, even
//!   when tilted, that the bounds on rounding are visible, by a few 1e-3.

mod composition;
mod inversion;
mod lattice;
mod law;
mod normal;
mod parts;
mod search;
mod single;
mod spectrum;
mod subsampled;
#[cfg(test)]
mod tests;

use parts::Parts;
use subsampled::Direction;

use crate::privacy::event::Charge;
use crate::privacy::quantity::Delta;

/// An ε such that the list is (ε, δ)-differentially private, at most a few parts in 10⁴
/// above the least one; `None` when an event has no dominating pair here.
///
/// 0 when δ alone covers the list; ∞ when nothing better can be proved.
pub(crate) fn epsilon(charges: &[Charge], delta: Delta) -> Option<f64> {
    epsilon_within(charges, delta, FINAL)
}

/// The same, as sharp as asked.
fn epsilon_within(charges: &[Charge], delta: Delta, quality: Quality) -> Option<f64> {
    let parts = Parts::new(charges)?;
    let delta = delta.get();
    if delta < LEAST_DELTA {
        return Some(f64::INFINITY);
    }
    if parts.total_variation() <= delta {
        return Some(0.0);
    }
    if let Some(epsilon) = parts.only().and_then(|event| event.epsilon_alone(delta)) {
        return Some(epsilon);
    }
    let remove = parts.solve(Direction::Remove, delta, quality, 0.0);
    if !parts.one_sided() {
        return Some(remove);
    }
    Some(remove.max(parts.solve(Direction::Add, delta, quality, remove)))
}

/// Below this, masses that matter would underflow.
const LEAST_DELTA: f64 = 1e-280;

/// How sharp a computation is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Quality {
    /// The relative width of a cell.
    cell: f64,
    /// The share of ε that the extra Gaussian may cost, by Chernoff's bound.
    slack: f64,
    /// The largest atoms × frequencies; about 10⁹ take a second.
    work: f64,
    /// The largest number of points of a grid, a power of two.
    grid: usize,
    /// ε may be as low as this share of the expected value.
    reach: f64,
}

const DRAFT: Quality = Quality {
    cell: 0.06,
    slack: 1e-3,
    work: 3e6,
    grid: 1 << 14,
    reach: 0.5,
};
const FINAL: Quality = Quality {
    cell: 0.02,
    slack: 2e-5,
    work: 2e7,
    grid: 1 << 20,
    reach: 0.97,
};

/// Where the result is expected, and the tilt that centres it.
#[derive(Debug, Clone, Copy)]
struct Point {
    epsilon: f64,
    theta: f64,
}
