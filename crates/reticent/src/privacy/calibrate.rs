//! The least noise for a budget.

use super::account::{Account, AccountError, Effort, account, check_adjacency, least, total_rho};
use super::accountant::pld_may_help;
use super::budget::{Budget, Excess};
use super::event::{Adjacency, Charge};
use super::quantity::{Epsilon, NoiseMultiplier, Rho};
use super::special::last_positive;

/// The least noise multiplier that fits a budget, and what it then costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The multiplier.
    pub noise: NoiseMultiplier,
    /// The events at that multiplier.
    pub charges: Vec<Charge>,
    /// Their total, which is at most the budget.
    pub account: Account,
}

/// Why no noise multiplier fits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    /// The plan cannot be accounted for at all.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// Even the largest multiplier costs too much: the rest of the plan is too expensive.
    #[error(
        "no noise is enough: the events whose noise is fixed already cost epsilon = {fixed:.6}, and the budget is {budget}"
    )]
    TooDear {
        /// ε at the largest multiplier.
        fixed: f64,
        /// The budget.
        budget: Epsilon,
    },
    /// The same for a budget in ρ.
    #[error(
        "no noise is enough: the events whose noise is fixed already cost rho = {fixed:.6}, and the budget is {budget}"
    )]
    TooDearInRho {
        /// Σρ at the largest multiplier.
        fixed: f64,
        /// The budget.
        budget: Rho,
    },
}

/// The least noise at which `plan` is within the budget. `plan` gives its events as a function of
/// one noise multiplier, which may enter any number of them; a larger multiplier must never cost
/// more.
///
/// The multiplier returned is checked itself: its [`account`] is the one returned and is at
/// most ε, and for a budget in ρ its Σρ is at most ρ. It exceeds the least such multiplier by a
/// factor of at most 1 + 1e-9 (for ρ, 1 + 1e-12), or 1 + 1e-4 where the PLD, which is costly, is
/// used.
pub fn calibrate(
    plan: impl Fn(NoiseMultiplier) -> Vec<Charge>,
    adjacency: Adjacency,
    budget: Budget,
) -> Result<Calibrated, CalibrateError> {
    let largest = plan(at(LN_MOST));
    check_adjacency(&largest, adjacency)?;
    let ln_noise = match budget.rho() {
        Some(rho) => {
            total_rho(&largest)?;
            least_for_rho(&plan, rho)
        }
        None => least_for_epsilon(&plan, budget),
    };
    let noise = at(ln_noise);
    let charges = plan(noise);
    let account = account(&charges, adjacency, budget.delta())?;
    match budget.covers(&charges, &account) {
        Ok(()) => Ok(Calibrated {
            noise,
            charges,
            account,
        }),
        Err(Excess::Rho { rho, budget }) => {
            Err(CalibrateError::TooDearInRho { fixed: rho, budget })
        }
        Err(Excess::NotInRho(error)) => Err(error.into()),
        Err(Excess::Epsilon) => Err(CalibrateError::TooDear {
            fixed: account.epsilon,
            budget: budget.epsilon(),
        }),
    }
}

/// The logarithm of the least multiplier for ε; of the greatest one, if even that costs too much. A
/// bracket over all multipliers by the cheap accountants, then, if the PLD may help, a few steps
/// down from there.
fn least_for_epsilon(plan: impl Fn(NoiseMultiplier) -> Vec<Charge>, budget: Budget) -> f64 {
    let over = |ln_noise: f64, effort: Effort| {
        let cost = least(&plan(at(ln_noise)), budget.delta(), effort).1.epsilon;
        excess(cost, budget.epsilon().get())
    };
    let mut most = (LN_MOST, over(LN_MOST, Effort::Cheap));
    if most.1 <= 0.0 {
        let cheap = |ln_noise| over(ln_noise, Effort::Cheap);
        most = descend(cheap, most, LN_SPAN, CHEAP_TOLERANCE);
    }
    if pld_may_help(&plan(at(most.0))) {
        let cheap = over(most.0, Effort::Cheap);
        most.1 = over(most.0, Effort::All);
        // Where the PLD is no better than a cheap accountant that just fits, less noise does
        // not fit either. (One whose ε falls to 0 at once does not "just fit".)
        if most.1 <= 0.0 && (most.1 < cheap || cheap < -1e-6) {
            let full = |ln_noise| over(ln_noise, Effort::All);
            most = descend(full, most, FIRST_STEP, PLD_TOLERANCE);
        }
    }
    most.0
}

/// The same for ρ: one accountant, and a sum.
fn least_for_rho(plan: impl Fn(NoiseMultiplier) -> Vec<Charge>, budget: Rho) -> f64 {
    let over = |ln_noise: f64| {
        let cost = total_rho(&plan(at(ln_noise))).unwrap_or(f64::INFINITY);
        excess(cost, budget.get())
    };
    let most = (LN_MOST, over(LN_MOST));
    if most.1 <= 0.0 {
        descend(over, most, LN_SPAN, RHO_TOLERANCE).0
    } else {
        LN_MOST
    }
}

/// ln(cost) − ln(budget), above 0 exactly when the cost is above the budget, whatever the
/// logarithms round to; +∞ if it is unbounded.
fn excess(cost: f64, budget: f64) -> f64 {
    let excess = cost.max(f64::MIN_POSITIVE).ln() - budget.ln();
    if cost <= budget {
        excess.min(0.0)
    } else {
        excess.max(f64::MIN_POSITIVE)
    }
}

/// The logarithms of the least and the greatest [`NoiseMultiplier`].
const LN_LEAST: f64 = -13.815_510_557_964_274;
const LN_MOST: f64 = 27.631_021_115_928_547;
const LN_SPAN: f64 = LN_MOST - LN_LEAST;
/// The precision of the logarithm of a multiplier by the cheap accountants.
const CHEAP_TOLERANCE: f64 = 1e-9;
/// The same for ρ, which is a sum.
const RHO_TOLERANCE: f64 = 1e-12;
/// The same by the PLD.
const PLD_TOLERANCE: f64 = 5e-5;
/// The PLD seldom saves more than a tenth of the noise: the first step down.
const FIRST_STEP: f64 = 0.125;

/// The multiplier of a logarithm.
fn at(ln_noise: f64) -> NoiseMultiplier {
    let noise = if ln_noise <= LN_LEAST {
        1e-6
    } else {
        ln_noise.exp().clamp(1e-6, 1e12)
    };
    // The clamp keeps to the range that `new` accepts.
    NoiseMultiplier::new(noise).expect("between 1e-6 and 1e12")
}

/// The least logarithm at which `excess` is at most 0, given one: doubling steps down until
/// it is positive (or the least multiplier fits), then a safeguarded secant.
fn descend(
    excess: impl Fn(f64) -> f64,
    mut most: (f64, f64),
    mut step: f64,
    tolerance: f64,
) -> (f64, f64) {
    while most.0 > LN_LEAST {
        let below = (most.0 - step).max(LN_LEAST);
        let there = (below, excess(below));
        if there.1 > 0.0 {
            let found = last_positive(&excess, there, most, tolerance);
            return (found, f64::NEG_INFINITY);
        }
        most = there;
        step *= 2.0;
    }
    most
}
