//! The ledger: what may be spent, what was, and the only door to spending it.
//!
//! There are two honest ways to keep count, and a ledger is opened in one of them:
//!
//! * **Planned** ([`Ledger::planned`]): every release is listed beforehand, the list is
//!   accounted for as a whole by the tightest valid accountant, and a release must be on the
//!   list. The list is certified in full even if a loop stops early.
//!
//!   *Why the order may be adaptive.* Let (Pᵢ, Qᵢ) dominate release i whatever came before.
//!   Given the first outcome, what remains is a fixed multiset of releases, dominated by
//!   induction by the product of its pairs, and products commute; so the whole is dominated
//!   by ∏(Pᵢ, Qᵢ) (Zhu–Dong–Wang 2022 for one step). Releases that are not made
//!   can be simulated from nothing.
//!
//! * **Filter** ([`Ledger::filter`]): nothing is listed; each release may depend, in kind and
//!   in noise, on earlier outcomes. Then only one accountant, fixed beforehand, may decide: we
//!   use zCDP, where "refuse whatever would take Σρ past ρ_max" is proved for such adaptivity
//!   (Feldman–Zrnic 2021, the Rényi filter, at every order α at once). The least of several
//!   accountants, or of several Rényi orders, picked path by path, is *not* proved, nor is
//!   PLD. What a filter certifies is its whole budget: how much of it was used depends on
//!   the outcomes, and a smaller figure read off afterwards is not a guarantee.

use std::num::NonZeroU64;

use super::account::{Account, AccountError, Accountant, account, account_by};
use super::event::{Adjacency, Charge, Event};
use super::quantity::{Delta, Epsilon};

/// What may be spent in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// Keeps count of what is released, and refuses what the budget does not cover.
///
/// It can not be cloned: two copies would each grant the same budget.
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

/// What a ledger certifies, as plain data.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// The ε that holds, rounded up.
    pub epsilon: f64,
    /// The δ at which it holds.
    pub delta: Delta,
    /// The accountant that proved it.
    pub accountant: Accountant,
    /// The releases that it covers.
    pub charges: Vec<Charge>,
    /// False when any release drew its noise from a repeatable generator: then nothing is
    /// private, whatever ε says.
    pub secure: bool,
}

/// Why the ledger refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LedgerError {
    /// The total would pass the budget.
    #[error(
        "the budget is epsilon = {} at delta = {}, and these releases cost epsilon = {epsilon:.6}; \
         use more noise, fewer releases or a larger budget", .budget.epsilon, .budget.delta
    )]
    OverBudget {
        /// ε with the refused release included.
        epsilon: f64,
        /// The budget.
        budget: Budget,
    },
    /// A planned ledger was asked for a release that its plan does not have (left).
    #[error(
        "{count} × {event:?} is not left in the plan; \
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
        "a {} release has no zCDP cost, so a filter can not cover it; open the ledger with a plan",
        .event.name()
    )]
    NotForFilter {
        /// The release.
        event: Event,
    },
    /// The events can not be accounted for at all.
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
        let total = account(&plan, adjacency, budget.delta)?;
        within(total.epsilon, budget)?;
        let left = plan.iter().map(|charge| charge.count.get()).collect();
        Ok(Self {
            adjacency,
            budget,
            mode: Mode::Planned { plan, left, total },
            secure: true,
        })
    }

    /// A ledger for releases that are not known beforehand, which it refuses once they would
    /// pass the budget.
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
        let (epsilon, accountant, charges) = match &self.mode {
            Mode::Planned { plan, total, .. } => (total.epsilon, total.accountant, plan),
            Mode::Filter { charges } => (self.budget.epsilon.get(), Accountant::Zcdp, charges),
        };
        Statement {
            adjacency: self.adjacency,
            epsilon,
            delta: self.budget.delta,
            accountant,
            charges: charges.clone(),
            secure: self.secure,
        }
    }

    /// Charges releases that are about to be drawn, or refuses and changes nothing.
    /// `secure` tells whether their randomness is.
    pub(crate) fn charge(&mut self, charge: Charge, secure: bool) -> Result<(), LedgerError> {
        match &mut self.mode {
            Mode::Planned { plan, left, .. } => take_from_plan(plan, left, charge)?,
            Mode::Filter { charges } => {
                let with = added(charges, charge);
                let total = account_by(Accountant::Zcdp, &with, self.adjacency, self.budget.delta)?
                    .ok_or(LedgerError::NotForFilter {
                        event: charge.event,
                    })?;
                within(total.epsilon, self.budget)?;
                *charges = with;
            }
        }
        self.secure &= secure;
        Ok(())
    }
}

fn within(epsilon: f64, budget: Budget) -> Result<(), LedgerError> {
    if epsilon <= budget.epsilon.get() {
        Ok(())
    } else {
        Err(LedgerError::OverBudget { epsilon, budget })
    }
}

/// Takes the charge off the entries of the plan that hold the same event; all or nothing.
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

/// The list with one more charge; equal events share an entry, so that a long loop keeps a
/// short list.
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
