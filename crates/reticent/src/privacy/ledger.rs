//! The ledger: what may be spent, what was spent, and the only way to spend it.

use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::account::{Account, AccountError, Accountant, account, account_by, total_rho};
use super::budget::{Budget, Excess};
use super::event::{Adjacency, Charge, Event};
use super::quantity::{Delta, Rho};

/// Records what is released, and refuses what the budget does not cover.
///
/// There are two sound ways to do so, and a ledger is opened in one of them:
///
/// * **Planned** ([`Ledger::planned`]): every release is listed beforehand, the list is
///   accounted for as a whole by the tightest valid accountant, and a release must be on the
///   list. The list is certified in full even if a loop stops early.
///
///   *Why the order may be adaptive.* Let (Pᵢ, Qᵢ) dominate release i whatever came before.
///   Given the first outcome, what remains is a fixed multiset of releases, dominated by
///   induction by the product of its pairs, and products commute; so the whole is dominated
///   by ∏(Pᵢ, Qᵢ) (Zhu–Dong–Wang 2022 for one step). Releases that are not made can be simulated
///   without data.
///
/// * **Filter** ([`Ledger::filter`]): nothing is listed; each release may depend, in kind and
///   in noise, on earlier outcomes. Then only one accountant, fixed beforehand, may decide: we
///   use zCDP, where "refuse whatever would raise Σρ above ρ_max" is proved for such adaptivity
///   (Feldman–Zrnic 2021, the Rényi filter, at every order α at once). The least of several
///   accountants, or of several Rényi orders, picked path by path, is *not* proved, nor is PLD.
///   What a filter certifies is its whole budget: how much of it was used depends on the outcomes,
///   and a smaller figure computed afterwards is not a guarantee.
///
/// It cannot be cloned: two copies would each allow the same budget. A second ledger over the same
/// data is a second budget: what the two certify adds up, and neither knows of the other.
///
/// ```
/// use reticent::population::Count;
/// use reticent::mechanism::geometric;
/// use reticent::noise::SecureGenerator;
/// use reticent::privacy::{Adjacency, Budget, Delta, Epsilon, Ledger};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let budget = Budget::new(Epsilon::new(2.0)?, Delta::new(1e-6)?);
/// let mut ledger = Ledger::filter(budget, Adjacency::ReplaceOne);
/// let mut randomness = SecureGenerator::from_system()?;
/// let smokers = Count::of([true, false, true, true]);
/// let each = Epsilon::new(0.1)?;
/// while let Ok(noisy) = geometric(&smokers, each, &mut ledger, &mut randomness) {
///     println!("about {noisy}");
/// }
/// // The filter has stopped us; what it certifies is the whole budget.
/// assert_eq!(ledger.statement().epsilon, 2.0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Ledger {
    adjacency: Adjacency,
    budget: Budget,
    mode: Mode,
    secure: bool,
}

#[derive(Debug)]
enum Mode {
    Planned {
        plan: Vec<Charge>,
        left: Vec<u64>,
        total: Account,
    },
    Filter {
        charges: Vec<Charge>,
    },
}

/// What a ledger certifies, as plain data: about the releases charged to it, and no others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// Where ε comes from. Recomputing the total of the charges gives ε for a plan, and for a
    /// filter a smaller figure that is not a guarantee.
    pub basis: Basis,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// The ε that holds, rounded up; infinite if none does, which files call `"inf"`.
    #[serde(with = "super::infinite")]
    pub epsilon: f64,
    /// The δ at which it holds.
    pub delta: Delta,
    /// If the budget was in ρ, the ρ that holds, rounded up: for a plan the total of its charges,
    /// for a filter its budget. It adds up with the ρ of other statements about the same records
    /// under the same adjacency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
    /// The accountant that proved ε.
    pub accountant: Accountant,
    /// The releases that it covers.
    pub charges: Vec<Charge>,
    /// False when any release drew its noise from a repeatable generator: then nothing is
    /// private, whatever ε says.
    pub secure: bool,
}

/// What the ε of a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The total of the charges, all of which were planned.
    Plan,
    /// The budget of a filter, however much of it was used.
    Filter,
    /// Infinite: nothing is proved about how the numbers were made, without noise or by a method
    /// that has no proof.
    NoGuarantee,
}

impl Statement {
    /// The statement about numbers that are not private: no release is covered, and no ε holds.
    pub fn without_guarantee(adjacency: Adjacency, delta: Delta) -> Self {
        Self {
            basis: Basis::NoGuarantee,
            adjacency,
            epsilon: f64::INFINITY,
            delta,
            rho: None,
            // The sum of nothing: the simplest accountant.
            accountant: Accountant::Basic,
            charges: Vec::new(),
            secure: true,
        }
    }

    /// Whether an ε is proved at all.
    pub fn has_guarantee(&self) -> bool {
        self.basis != Basis::NoGuarantee
    }

    /// Why it is not a valid statement of its basis, if it is not. What takes an accountant is not
    /// checked.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let guarantee = self.has_guarantee();
        if guarantee && !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            return Err("epsilon must be a finite number, at least 0");
        }
        if self.rho.is_some_and(|rho| !(rho >= 0.0 && rho.is_finite())) {
            return Err("rho must be a finite number, at least 0");
        }
        if !guarantee && *self != Self::without_guarantee(self.adjacency, self.delta) {
            return Err("without a guarantee, epsilon is \"inf\" and no release is listed");
        }
        Ok(())
    }
}

/// Why the ledger refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LedgerError {
    /// The total would exceed the budget.
    #[error(
        "the budget is epsilon = {} at delta = {}, and these releases cost epsilon = {epsilon:.6} \
         by {}; use more noise, fewer releases or a larger budget",
        .budget.epsilon(), .budget.delta(), .accountant.name()
    )]
    OverBudget {
        /// ε with the refused release included.
        epsilon: f64,
        /// The accountant that decided.
        accountant: Accountant,
        /// The budget.
        budget: Budget,
    },
    /// Their ρ would exceed a budget in ρ.
    #[error(
        "the budget is rho = {budget}, and these releases cost rho = {rho}; use more noise, fewer \
         releases or a larger budget"
    )]
    OverRho {
        /// Σρ with the refused release included, rounded up.
        rho: f64,
        /// The budget's ρ.
        budget: Rho,
    },
    /// A planned ledger was asked for a release that is not left in its plan.
    #[error(
        "{event},count={count} is not left in the plan; \
         a planned ledger covers exactly the releases it was opened with"
    )]
    NotInPlan {
        /// The release.
        event: Event,
        /// How many were asked for.
        count: NonZeroU64,
    },
    /// A filter was asked for a release that has no zCDP cost.
    #[error(
        "a {} release has no zCDP cost, so a filter cannot cover it; open the ledger with a plan",
        .event.name()
    )]
    NotForFilter {
        /// The release.
        event: Event,
    },
    /// The events cannot be accounted for at all.
    #[error(transparent)]
    Account(#[from] AccountError),
}

impl Ledger {
    /// A ledger for exactly the releases of `plan`; fails, before anything is read or drawn,
    /// when they cost more than the budget.
    pub fn planned(
        budget: Budget,
        adjacency: Adjacency,
        plan: Vec<Charge>,
    ) -> Result<Self, LedgerError> {
        let total = account(&plan, adjacency, budget.delta())?;
        within(budget, &plan, &total)?;
        let left = plan.iter().map(|charge| charge.count.get()).collect();
        Ok(Self {
            adjacency,
            budget,
            mode: Mode::Planned { plan, left, total },
            secure: true,
        })
    }

    /// A ledger for releases that are not known beforehand, which it refuses once they would exceed
    /// the budget.
    ///
    /// A budget in ρ suits it best: Σρ is compared with ρ itself. (Both are floats, and Σρ is
    /// rounded up: shares that add up to exactly ρ exceed it slightly.)
    ///
    /// It counts in zCDP, where an ε-DP release costs ρ = ε²/2. For a few pure releases that is
    /// far more than ε (one of ε = 0.5 costs 2.42 at δ = 1e-6), and for many far less: plan a
    /// few, filter many.
    pub fn filter(budget: Budget, adjacency: Adjacency) -> Self {
        Self {
            adjacency,
            budget,
            mode: Mode::Filter {
                charges: Vec::new(),
            },
            secure: true,
        }
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// What may be spent in all.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// What the ledger certifies: its plan in full, or the budget of a filter.
    pub fn statement(&self) -> Statement {
        let asked = self.budget.rho();
        let (basis, epsilon, rho, accountant, charges) = match &self.mode {
            Mode::Planned { plan, total, .. } => {
                // A plan that has no ρ was refused.
                let rho = asked.and_then(|_| total_rho(plan).ok());
                (Basis::Plan, total.epsilon, rho, total.accountant, plan)
            }
            Mode::Filter { charges } => {
                let (epsilon, rho) = (self.budget.epsilon().get(), asked.map(Rho::get));
                (Basis::Filter, epsilon, rho, Accountant::Zcdp, charges)
            }
        };
        Statement {
            basis,
            adjacency: self.adjacency,
            epsilon,
            delta: self.budget.delta(),
            rho,
            accountant,
            charges: charges.clone(),
            secure: self.secure,
        }
    }

    /// Charges releases that are about to be drawn, or that are planned and will not be, or refuses and
    /// changes nothing. `secure` says whether their randomness is.
    pub(crate) fn charge(&mut self, charge: Charge, secure: bool) -> Result<(), LedgerError> {
        match &mut self.mode {
            Mode::Planned { plan, left, .. } => take_from_plan(plan, left, charge)?,
            Mode::Filter { charges } => {
                let with = added(charges, charge);
                let total =
                    account_by(Accountant::Zcdp, &with, self.adjacency, self.budget.delta())?
                        .ok_or(LedgerError::NotForFilter {
                            event: charge.event,
                        })?;
                within(self.budget, &with, &total)?;
                *charges = with;
            }
        }
        self.secure &= secure;
        Ok(())
    }
}

fn within(budget: Budget, charges: &[Charge], total: &Account) -> Result<(), LedgerError> {
    budget
        .covers(charges, total)
        .map_err(|excess| match excess {
            Excess::Rho { rho, budget } => LedgerError::OverRho { rho, budget },
            Excess::NotInRho(error) => error.into(),
            Excess::Epsilon => LedgerError::OverBudget {
                epsilon: total.epsilon,
                accountant: total.accountant,
                budget,
            },
        })
}

/// Deducts the charge from the entries of the plan with the same event; all or nothing.
fn take_from_plan(plan: &[Charge], left: &mut [u64], charge: Charge) -> Result<(), LedgerError> {
    let matching = |entry: &Charge| entry.event == charge.event;
    let available = plan
        .iter()
        .zip(&*left)
        .filter(|(entry, _)| matching(entry))
        .fold(0u64, |sum, (_, left)| sum.saturating_add(*left));
    let mut wanted = charge.count.get();
    if available < wanted {
        return Err(LedgerError::NotInPlan {
            event: charge.event,
            count: charge.count,
        });
    }
    for (_, left) in plan.iter().zip(left).filter(|(entry, _)| matching(entry)) {
        let taken = wanted.min(*left);
        *left -= taken;
        wanted -= taken;
    }
    Ok(())
}

/// The list with one more charge; equal events share an entry, so that the list of a long loop
/// stays short.
fn added(charges: &[Charge], charge: Charge) -> Vec<Charge> {
    let mut with = charges.to_vec();
    let same = with.iter_mut().find(|entry| {
        entry.event == charge.event && entry.count.checked_add(charge.count.get()).is_some()
    });
    match same {
        Some(entry) => entry.count = entry.count.saturating_add(charge.count.get()),
        None => with.push(charge),
    }
    with
}

#[cfg(test)]
mod tests;
