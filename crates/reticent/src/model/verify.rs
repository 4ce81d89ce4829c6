//! Verification: the arithmetic of a certificate, recomputed from its events; [`replan`] compares
//! them with the plan.
//!
//! [`replan`]: super::replan

use serde::Serialize;

use super::Certificate;
use super::replan::PLAN;
use crate::privacy::{Accountant, Basis, Budget, Rho, account, account_by, total_rho};

/// Differences of ε below this, relatively, are rounding.
const ROUNDING: f64 = 1e-9;

/// A total that is lower than stated by more than this, relatively, is not explained by another
/// machine.
const SAME: f64 = 1e-6;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It holds, but deserves attention.
    Warns,
    /// It does not hold.
    Fails,
}

/// One check of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, in a few words.
    pub name: &'static str,
    /// Its result.
    pub verdict: Verdict,
    /// What was found, in a sentence.
    pub found: String,
}

/// All checks of a certificate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Each check, in order.
    pub checks: Vec<Check>,
    /// ε of the releases, recomputed; none if no accountant bounds them.
    pub epsilon: Option<f64>,
    /// Σρ of the releases, recomputed, where a ρ is stated; none if some release has no ρ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rho: Option<f64>,
}

impl Verification {
    /// Whether everything holds. A certificate that says "not private", and why, holds if the
    /// rest of it does.
    pub fn holds(&self) -> bool {
        self.checks
            .iter()
            .all(|check| check.verdict != Verdict::Fails)
    }

    /// Whether the releases were compared with those of the plan. If not, only the arithmetic was
    /// recomputed.
    pub fn plan_checked(&self) -> bool {
        self.checks
            .iter()
            .any(|check| check.name == PLAN && check.verdict != Verdict::Warns)
    }

    pub(super) fn add(&mut self, name: &'static str, verdict: Verdict, found: impl Into<String>) {
        let found = found.into();
        self.checks.push(Check {
            name,
            verdict,
            found,
        });
    }
}

impl Certificate {
    /// Recomputes (ε, δ) from the releases, with the accountants and nothing else, and checks that
    /// the certificate claims no more than that; then plans again from the request and the public
    /// facts, and checks that the releases are those of that plan.
    ///
    /// What this cannot find is a certificate whose request was changed *together with* the
    /// releases and ε: see [`Certificate`].
    pub fn verify(&self) -> Verification {
        let mut all = Verification {
            checks: Vec::new(),
            epsilon: None,
            rho: None,
        };
        match self.check() {
            Ok(()) => all.add("consistency", Verdict::Holds, "internally consistent"),
            Err(reason) => all.add("consistency", Verdict::Fails, reason),
        }
        match self.statement.basis {
            Basis::Plan => {
                self.verify_total(
                    "the releases cost epsilon",
                    self.statement.accountant,
                    &mut all,
                );
                self.verify_difference(&mut all);
                self.verify_rho(&mut all);
                self.verify_plan(&mut all);
                self.verify_delta(&mut all);
            }
            Basis::Filter => {
                // The only accountant that is proved for a filter.
                self.verify_total("the releases fit the budget", Accountant::Zcdp, &mut all);
                self.verify_rho(&mut all);
                self.verify_budget(&mut all);
                self.verify_plan(&mut all);
                self.verify_delta(&mut all);
            }
            Basis::NoGuarantee => {
                let found = "nothing is proved about how this model was fitted: no epsilon holds";
                all.add("epsilon", Verdict::Fails, found);
            }
        }
        self.verify_randomness(&mut all);
        self.verify_claim(&mut all);
        all
    }

    /// Checks that the accountant proves the stated ε, or less.
    fn verify_total(&self, name: &'static str, accountant: Accountant, all: &mut Verification) {
        let statement = &self.statement;
        let total = account_by(
            accountant,
            &statement.charges,
            statement.adjacency,
            statement.delta,
        );
        let stated = statement.epsilon;
        match total {
            Err(error) => all.add(name, Verdict::Fails, error.to_string()),
            Ok(None) => all.add(
                name,
                Verdict::Fails,
                format!(
                    "the accountant {} has no theorem for these releases",
                    accountant.name()
                ),
            ),
            Ok(Some(total)) => {
                all.epsilon = Some(total.epsilon);
                let holds = total.epsilon <= stated * (1.0 + ROUNDING);
                let verdict = if holds {
                    Verdict::Holds
                } else {
                    Verdict::Fails
                };
                let found = format!(
                    "recomputed {} by {}; stated {}",
                    shown(total.epsilon, holds),
                    accountant.name(),
                    shown(stated, holds)
                );
                all.add(name, verdict, found);
            }
        }
        if statement.basis == Basis::Filter && statement.accountant != Accountant::Zcdp {
            let found = format!(
                "it names {}, and only zcdp is proved for a filter",
                statement.accountant.name()
            );
            all.add("the accountant of the filter", Verdict::Fails, found);
        }
    }

    /// Checks that ε of a plan is the total of its releases: they cannot cost much less either.
    fn verify_difference(&self, all: &mut Verification) {
        let statement = &self.statement;
        let Ok(least) = account(&statement.charges, statement.adjacency, statement.delta) else {
            return; // The total has failed already.
        };
        if least.epsilon >= statement.epsilon * (1.0 - SAME) {
            let found = "no accountant proves less for these releases";
            return all.add("epsilon is their total", Verdict::Holds, found);
        }
        let same_code = self.version == env!("CARGO_PKG_VERSION");
        let (verdict, why) = if same_code {
            (
                Verdict::Fails,
                "and the ledger of this version would have said so: ε or the releases were \
                 changed afterwards",
            )
        } else {
            (
                Verdict::Warns,
                "which another version of the accountants may explain, or a change by hand",
            )
        };
        let found = format!(
            "{} proves {} for these releases, less than stated, {why}",
            least.accountant.name(),
            least.epsilon
        );
        all.add("epsilon is their total", verdict, found);
    }

    /// Checks the stated ρ, if there is one: for a plan the sum of its releases', which is the same
    /// on any machine, for a filter at least that.
    fn verify_rho(&self, all: &mut Verification) {
        let Some(stated) = self.statement.rho else {
            return;
        };
        let (name, least) = match self.statement.basis {
            Basis::Filter => ("the releases fit the budget of rho", 0.0),
            _ => ("rho is the sum of the releases", stated * (1.0 - ROUNDING)),
        };
        match total_rho(&self.statement.charges) {
            Err(error) => all.add(name, Verdict::Fails, error.to_string()),
            Ok(rho) => {
                all.rho = Some(rho);
                let near = (least..=stated * (1.0 + ROUNDING)).contains(&rho);
                // Both may overflow, and then prove nothing.
                let holds = near && rho.is_finite();
                let verdict = if holds {
                    Verdict::Holds
                } else {
                    Verdict::Fails
                };
                let found = format!(
                    "recomputed {}; stated {}",
                    shown(rho, holds),
                    shown(stated, holds)
                );
                all.add(name, verdict, found);
            }
        }
    }

    /// Checks that ε of a filter of ρ is no less than ρ proves.
    fn verify_budget(&self, all: &mut Verification) {
        let name = "epsilon follows from rho";
        let Some(rho) = self.statement.rho else {
            return;
        };
        match Rho::new(rho).and_then(|rho| Budget::zcdp(rho, self.statement.delta)) {
            Err(error) => all.add(name, Verdict::Fails, error.to_string()),
            Ok(budget) => {
                let (proved, stated) = (budget.epsilon().get(), self.statement.epsilon);
                let holds = proved <= stated * (1.0 + ROUNDING);
                let verdict = if holds {
                    Verdict::Holds
                } else {
                    Verdict::Fails
                };
                let found = format!(
                    "rho = {} proves {}; stated {}",
                    shown(rho, holds),
                    shown(proved, holds),
                    shown(stated, holds)
                );
                all.add(name, verdict, found);
            }
        }
    }

    /// Checks that δ is small for the number of records.
    fn verify_delta(&self, all: &mut Verification) {
        if !self.statement.has_guarantee() {
            return; // Nothing is promised that could fail with this probability.
        }
        let delta = self.statement.delta.get();
        if delta * self.records as f64 >= 1.0 {
            let found = format!(
                "{delta:e} is 1/n or more for n = {}: it allows publishing a whole record",
                self.records
            );
            all.add("delta is below 1/n", Verdict::Warns, found);
        } else {
            let found = format!("{delta:e} for n = {}", self.records);
            all.add("delta is below 1/n", Verdict::Holds, found);
        }
    }

    /// Checks whether the result is private at all.
    fn verify_randomness(&self, all: &mut Verification) {
        if self.private && self.statement.secure {
            let found = "it states that the noise came from a cryptographic generator";
            all.add("the noise is secret", Verdict::Holds, found);
        } else if self.private {
            let found = "it claims privacy for noise from a repeatable generator";
            all.add("the noise is secret", Verdict::Fails, found);
        } else {
            let found = format!(
                "the certificate says so itself: {}",
                self.reasons_not_private.join("; ")
            );
            all.add("NOT PRIVATE", Verdict::Warns, found);
        }
    }

    /// Compares a paper's claim with what is proved, and warns if that is more.
    fn verify_claim(&self, all: &mut Verification) {
        let Some(claim) = &self.published else {
            return;
        };
        let verdict = match claim.epsilon < self.statement.epsilon {
            true => Verdict::Warns,
            false => Verdict::Holds,
        };
        let proved = match self.statement.has_guarantee() {
            true => format!(
                "what is proved for its noise is {}",
                shown(self.statement.epsilon, true)
            ),
            false => "nothing is proved for it".to_owned(),
        };
        let found = format!(
            "{} claims epsilon = {}; {proved}",
            claim.source, claim.epsilon
        );
        all.add("as published", verdict, found);
    }
}

/// A number in four digits, or exactly where a check fails: what is wrong may be in the last one.
fn shown(value: f64, holds: bool) -> String {
    match holds && value != 0.0 && value.is_finite() {
        // At most four significant digits, without trailing zeros.
        true => match format!("{value:.3e}").parse::<f64>() {
            Ok(short) => format!("{short}"),
            Err(_) => format!("{value}"),
        },
        false => format!("{value}"),
    }
}
