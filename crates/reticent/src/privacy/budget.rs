//! What may be spent in all: (ε, δ), or ρ of zCDP.

use serde::{Deserialize, Serialize};

use super::account::{Account, AccountError, total_rho};
use super::accountant::zcdp;
use super::event::Charge;
use super::quantity::{Delta, Epsilon, OutOfRange, Rho};

/// What may be spent in all: ε at δ, or ρ of zero-concentrated differential privacy.
///
/// A budget in ρ is for repeated releases from the same people: under one adjacency ρ simply adds
/// up, over releases and over fits, whereas the ε of two fits together is less than their sum and
/// takes an accountant.
///
/// *ρ binds.* A budget made by [`Budget::zcdp`] also has the ε that ρ-zCDP proves at δ, for code
/// that needs an ε; a list is within the budget when its Σρ is at most ρ.
///
/// *Why that ε then always holds.* The conversion is an infimum over orders α of
/// αρ + a function of α and δ alone, so that it grows with ρ: Σρ ≤ ρ gives the zCDP accountant an
/// ε of at most the budget's, and the tightest of the accountants proves no more than that one.
/// Numerically both search for the best order, and may miss it by slightly different amounts: the
/// budget's ε is rounded up by more than that.
///
/// ```
/// use reticent::privacy::{Budget, Delta, Rho};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let budget = Budget::zcdp(Rho::new(0.02)?, Delta::new(1e-6)?)?;
/// assert!(budget.epsilon().get() < 0.9);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BudgetForm")]
pub struct Budget {
    epsilon: Epsilon,
    delta: Delta,
    /// ρ, if the budget is in ρ.
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<Rho>,
}

/// The budget's ε is above what the conversion finds by this factor: the search for the best order
/// ends within 1e-6 of its logarithm, where the ε of a neighbouring ρ differs in the twelfth digit.
const GUARD: f64 = 1.0 + 1e-9;

/// The logarithm of a ρ that no budget is worth as little as.
const LN_LEAST: f64 = -200.0;

/// An ε in a file that is further than this from the one that ρ proves, relatively, is not of
/// that ρ.
const SAME: f64 = 1e-6;

impl Budget {
    /// ε at δ.
    pub fn new(epsilon: Epsilon, delta: Delta) -> Self {
        Self {
            epsilon,
            delta,
            rho: None,
        }
    }

    /// ρ of zCDP, and the ε that it proves at δ, rounded up. A ρ so large that its ε overflows is
    /// refused.
    pub fn zcdp(rho: Rho, delta: Delta) -> Result<Self, OutOfRange> {
        let proved = GUARD * zcdp::converted(rho.get(), delta);
        // Above 0: it is 0 where δ alone covers the releases.
        let epsilon = Epsilon::new(proved.max(f64::MIN_POSITIVE))?;
        Ok(Self {
            epsilon,
            delta,
            rho: Some(rho),
        })
    }

    /// ε.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// δ.
    pub fn delta(&self) -> Delta {
        self.delta
    }

    /// ρ, if the budget is in ρ: then that is what binds.
    pub fn rho(&self) -> Option<Rho> {
        self.rho
    }

    /// The largest budget in ρ whose ε is within this one: what may be spent by releases that only the
    /// zCDP accountant covers. (To a relative 1e-12, and never more.) An ε so small that no ρ is within it
    /// is refused.
    pub fn in_rho(&self) -> Result<Self, OutOfRange> {
        if self.rho.is_some() {
            return Ok(*self);
        }
        let within = |ln: f64| {
            let budget = Rho::new(ln.exp()).and_then(|rho| Self::zcdp(rho, self.delta));
            budget.ok().filter(|budget| budget.epsilon <= self.epsilon)
        };
        // A ρ above ε is within only if δ is near 1.
        let (mut low, mut high) = (LN_LEAST, self.epsilon.get().ln());
        let mut found = within(low);
        while found.is_some() && high - low > 1e-12 {
            let middle = 0.5 * (low + high);
            match within(middle) {
                Some(budget) => (found, low) = (Some(budget), middle),
                None => high = middle,
            }
        }
        found.ok_or(OutOfRange {
            quantity: "epsilon of a filter",
            given: self.epsilon.get(),
            allowed: "large enough for some rho of zCDP",
        })
    }

    /// Whether releases that cost `total` are within it.
    pub(super) fn covers(&self, charges: &[Charge], total: &Account) -> Result<(), Excess> {
        if let Some(budget) = self.rho {
            let rho = total_rho(charges).map_err(Excess::NotInRho)?;
            if rho > budget.get() {
                return Err(Excess::Rho { rho, budget });
            }
        }
        if total.epsilon > self.epsilon.get() {
            return Err(Excess::Epsilon);
        }
        Ok(())
    }
}

/// How releases exceed a budget.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Excess {
    /// Their ρ is too much.
    Rho { rho: f64, budget: Rho },
    /// Their ε is too much.
    Epsilon,
    /// They have no ρ.
    NotInRho(AccountError),
}

/// A budget as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BudgetForm {
    epsilon: Epsilon,
    delta: Delta,
    rho: Option<Rho>,
}

impl TryFrom<BudgetForm> for Budget {
    type Error = String;

    /// An inconsistent pair is refused, not repaired: one of its numbers is not what was meant.
    fn try_from(form: BudgetForm) -> Result<Self, String> {
        let Some(rho) = form.rho else {
            return Ok(Self::new(form.epsilon, form.delta));
        };
        let budget = Self::zcdp(rho, form.delta).map_err(|error| error.to_string())?;
        let (given, proved) = (form.epsilon.get(), budget.epsilon().get());
        if (given - proved).abs() <= SAME * proved {
            Ok(budget)
        } else {
            Err(format!(
                "rho = {rho} proves epsilon = {proved} at delta = {}; the budget says {given}",
                form.delta
            ))
        }
    }
}

#[cfg(test)]
mod tests;
