//! Verification: the arithmetic of a certificate, done again from its events alone.

use serde::Serialize;

use super::Certificate;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds.
    Holds,
    /// It holds, but look at it.
    Warns,
    /// It does not hold.
    Fails,
}

/// One check of a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was checked, in a few words.
    pub name: &'static str,
    /// What came of it.
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
}

impl Verification {
    /// Whether everything holds.
    pub fn holds(&self) -> bool {
        self.checks
            .iter()
            .all(|check| check.verdict != Verdict::Fails)
    }
}

impl Certificate {
    /// Recomputes (ε, δ) from the releases, with the accountants and nothing else, and checks
    /// that the certificate says no more than that.
    pub fn verify(&self) -> Verification {
        todo!()
    }
}
