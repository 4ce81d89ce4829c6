//! What a plan will charge, what that costs, and the ledger that enforces it.

use super::class_outputs::{Around, ClassOutputs};
use super::{Facts, PlanEntry, PlanError, Task};
use crate::privacy::{
    Account, AccountError, Accountant, Adjacency, Basis, Budget, CalibrateError, Charge, Cost,
    Epsilon, Event, Ledger, LedgerError, NoiseMultiplier, Rho, account, account_by, calibrate,
    total_rho,
};

/// What a plan will charge and what that costs.
///
/// There are three ways to make one: the least noise that fits a budget, the budget itself for a filter, or
/// noise as printed in a paper, at the cost that is proved for it. So none costs more than it states.
#[derive(Debug, Clone, PartialEq)]
pub struct Spending {
    asked: Budget,
    adjacency: Adjacency,
    charges: Vec<Charge>,
    account: Account,
    published: Option<&'static str>,
    class_outputs: Option<ClassOutputs>,
    basis: Basis,
}

impl Spending {
    /// The least noise at which `plan` fits the budget, and that noise.
    ///
    /// `plan` gives the releases as a function of one multiplier; a larger one must never cost more.
    pub(super) fn within(
        budget: Budget,
        adjacency: Adjacency,
        plan: impl Fn(NoiseMultiplier) -> Vec<Charge>,
    ) -> Result<(Self, NoiseMultiplier), PlanError> {
        let found = calibrate(plan, adjacency, budget).map_err(of_batches)?;
        let spending = Self {
            asked: budget,
            adjacency,
            charges: found.charges,
            account: found.account,
            published: None,
            class_outputs: None,
            basis: Basis::Plan,
        };
        Ok((spending, found.noise))
    }

    /// The same with what is released around a fit of classes, and the noise of the fit: `plan` pays
    /// ρ = 1/(2z²) so many `times`.
    pub(super) fn around(
        (task, around): (Task, Around),
        times: f64,
        budget: Budget,
        adjacency: Adjacency,
        plan: impl Fn(NoiseMultiplier) -> Vec<Charge>,
    ) -> Result<(Self, NoiseMultiplier), PlanError> {
        let around = around.affordable(budget);
        let left = 1.0 - around.share(task);
        let inner = |z: NoiseMultiplier| multiplier(z.get() / left.sqrt());
        let outputs = |z: NoiseMultiplier| {
            ClassOutputs::new(multiplier(z.get() / times.sqrt()), task, around)
        };
        let charges = |z| {
            let of_outputs = outputs(z).map(|outputs| outputs.charges());
            let of_fit = plan(inner(z)).into_iter();
            of_fit.chain(of_outputs.into_iter().flatten()).collect()
        };
        let (spending, z) = Self::within(budget, adjacency, charges)?;
        let spending = Self {
            class_outputs: outputs(z),
            ..spending
        };
        Ok((spending, inner(z)))
    }

    /// Noise as `paper` prints it for the budget that it claims, which is in ε and δ.
    pub(super) fn as_published(
        claimed: Budget,
        adjacency: Adjacency,
        charges: Vec<Charge>,
        paper: &'static str,
    ) -> Result<Self, PlanError> {
        if claimed.rho().is_some() {
            return Err(PlanError::PublishedInRho(paper));
        }
        let account = account(&charges, adjacency, claimed.delta())?;
        Ok(Self {
            asked: claimed,
            adjacency,
            charges,
            account,
            published: Some(paper),
            class_outputs: None,
            basis: Basis::Plan,
        })
    }

    /// For a fit whose noise or number of steps depends on what it has released, with what is released
    /// around it: a filter. Also what its steps may spend in all, ρ = 1/(2z²), which stands among the
    /// charges as one event of zCDP.
    ///
    /// A filter is proved for zCDP alone (see [`Ledger`]), so that the budget is first turned into the
    /// largest ρ within it; and what it certifies is the whole budget.
    pub(super) fn filter(
        (task, around): (Task, Around),
        budget: Budget,
        adjacency: Adjacency,
    ) -> Result<(Self, Rho), PlanError> {
        let in_rho = budget.in_rho()?;
        let rho = |z: NoiseMultiplier| {
            // Of a multiplier from 1e-6 to 1e12.
            Rho::new(0.5 / (z.get() * z.get())).expect("a finite number above 0")
        };
        let steps = |z| vec![Charge::once(Event::Zcdp { rho: rho(z) })];
        let (found, z) = Self::around((task, around), 1.0, in_rho, adjacency, steps)?;
        let account = account_by(Accountant::Zcdp, &found.charges, adjacency, budget.delta())?;
        let spending = Self {
            asked: budget,
            // Each of these events has a ρ.
            account: account.unwrap_or(found.account),
            basis: Basis::Filter,
            ..found
        };
        Ok((spending, rho(z)))
    }

    /// Everything that will be charged.
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// What it costs: ε, δ, the accountant that proved it and each charge's share.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Whether exactly the charges will be made, or a filter lets others be made within the budget.
    pub fn basis(&self) -> Basis {
        self.basis
    }

    /// If the budget is in ρ, the total of the charges in ρ, rounded up.
    pub fn rho(&self) -> Option<f64> {
        // Charges without a total in ρ do not fit such a budget.
        self.asked.rho().and_then(|_| total_rho(&self.charges).ok())
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// The budget of the ledger: the one asked for, or, for published noise, what is proved for it.
    pub fn budget(&self) -> Budget {
        // Above 0: the account may be 0 where δ alone covers the releases.
        let proved = Epsilon::new(self.account.epsilon.max(f64::MIN_POSITIVE));
        match (self.claimed(), proved) {
            (Some((_, claimed)), Ok(epsilon)) => Budget::new(epsilon, claimed.delta()),
            _ => self.asked,
        }
    }

    /// The paper that the noise comes from and what it claims, if the noise is as published; the
    /// account is what is proved.
    pub fn claimed(&self) -> Option<(&'static str, Budget)> {
        self.published.map(|paper| (paper, self.asked))
    }

    /// What is released around a fit of classes.
    pub(super) fn class_outputs(&self) -> Option<ClassOutputs> {
        self.class_outputs
    }

    /// Whether class counts are released first, from which class weights follow.
    pub fn counts_classes(&self) -> bool {
        self.class_outputs.is_some()
    }

    /// Whether probabilities are calibrated.
    pub fn calibrates(&self) -> bool {
        self.class_outputs
            .is_some_and(|outputs| outputs.calibrates())
    }

    /// Whether the probabilities of a model of classes are calibrated, as an entry of its plan.
    pub(super) fn entry(&self, task: Task) -> Option<PlanEntry> {
        let entry = |value, meaning| PlanEntry::text("probabilities", value, meaning);
        match task {
            Task::Linear => None,
            _ if self.calibrates() => Some(entry("calibrated", "within the same budget")),
            _ => Some(entry("as fitted", "not calibrated")),
        }
    }

    /// What it costs for a table with these facts, for whoever warns of it.
    pub fn cost(&self, facts: &Facts) -> Cost<'_> {
        Cost {
            epsilon: self.account.epsilon,
            delta: self.account.delta.get(),
            adjacency: self.adjacency,
            charges: &self.charges,
            records: facts.records,
        }
    }

    /// What a plan says of features that are lost in noise, where there are classes.
    pub(super) fn entry_if_lost(&self, task: Task, facts: &Facts) -> Option<PlanEntry> {
        let lost = task != Task::Linear && self.cost(facts).is_lost();
        let meaning =
            "too few records for the budget: even a perfect feature hardly exceeds the noise";
        lost.then(|| PlanEntry::text("features", "lost in noise", meaning))
    }

    /// A ledger for exactly these charges, or a filter for the budget.
    pub(super) fn ledger(&self) -> Result<Ledger, LedgerError> {
        if self.basis == Basis::Filter {
            return Ok(Ledger::filter(self.budget(), self.adjacency));
        }
        Ledger::planned(self.budget(), self.adjacency, self.charges.clone())
    }
}

/// What a plan releases before its own steps, within the same spending.
#[derive(Default)]
pub(super) struct Before {
    /// What it charges.
    pub charges: Vec<Charge>,
    /// If the noise is as published: the paper, and what it claims for everything together.
    pub claim: Option<(&'static str, Budget)>,
}

impl Before {
    /// These charges and then others.
    pub fn then(&self, charges: Vec<Charge>) -> Vec<Charge> {
        self.charges.iter().copied().chain(charges).collect()
    }
}

/// What a person can do about batches without a ρ, rather than which event has none.
fn of_batches(error: CalibrateError) -> PlanError {
    match error {
        CalibrateError::Account(AccountError::NoRho {
            event: Event::SubsampledGaussian { .. },
        }) => PlanError::BatchesInRho,
        error => error.into(),
    }
}

/// The valid multiplier nearest to `value`: a calibration may probe beyond the ends, but never
/// settles there.
pub(super) fn multiplier(value: f64) -> NoiseMultiplier {
    // The clamp keeps to the range that `new` accepts.
    NoiseMultiplier::new(value.clamp(1e-6, 1e12)).expect("between 1e-6 and 1e12")
}

/// The ρ of a budget, or about the ρ that corresponds to (ε, δ), from ε = ρ + 2√(ρ·log(1/δ))
/// (Bun–Steinke 2016). It is used for defaults only; the accountants decide what is spent.
pub(super) fn rho(budget: Budget) -> f64 {
    if let Some(rho) = budget.rho() {
        return rho.get();
    }
    let log = -budget.delta().get().ln();
    let root = (log + budget.epsilon().get()).sqrt() - log.sqrt();
    root * root
}

#[cfg(test)]
mod tests;
