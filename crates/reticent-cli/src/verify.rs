//! `reticent verify`: recomputes the arithmetic of a certificate, and its plan.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use reticent::model::{Certificate, Check, Verdict, Verification, read_certificate};
use reticent::privacy::{Adjacency, Delta};
use serde::Serialize;

use crate::failure::Failure;
use crate::promise;
use crate::style::{ALARM, LOUD, WRONG};
use crate::text_layout::{printable, wrapped};

pub const CAVEAT: &str = "\
Verification recomputes ε from the releases that the certificate lists, plans the
fit or summary again from the request and the public facts, checks that the releases
are those of that plan, and that nothing is contradictory. A certificate of
another version of reticent is checked by its arithmetic alone, with a warning.
It cannot know whether that is what was run: a certificate is a
claim by whoever distributes the file.

Exit code: 0 it holds; 1 it does not, it is not private, or the file is neither a model nor a summary.";

/// The arguments of `reticent verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// What `reticent fit` or `reticent summary --out` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    pub json: bool,
}

/// The answer as one JSON object.
#[derive(Serialize)]
struct Report<'a> {
    holds: bool,
    plan_checked: bool,
    private: bool,
    #[serde(with = "reticent::privacy::infinite")]
    epsilon: f64,
    delta: Delta,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
    adjacency: Adjacency,
    recomputed: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recomputed_rho: Option<f64>,
    assumed_public: &'a [String],
    checks: &'a [Check],
}

/// Verifies the certificate of a model or of a summary.
pub fn run(request: &VerifyArgs) -> Result<String, Failure> {
    let certificate = &read_certificate(&request.model).map_err(Failure::of_model)?;
    let verification = certificate.verify();
    let text = if request.json {
        json(certificate, &verification)
    } else {
        text(certificate, &verification)
    };
    if verification.holds() && certificate.private {
        Ok(text)
    } else {
        Err(Failure::No(text))
    }
}

fn json(certificate: &Certificate, verification: &Verification) -> String {
    let report = Report {
        holds: verification.holds(),
        plan_checked: verification.plan_checked(),
        private: certificate.private,
        epsilon: certificate.statement.epsilon,
        delta: certificate.statement.delta,
        rho: certificate.statement.rho,
        adjacency: certificate.statement.adjacency,
        recomputed: verification.epsilon,
        recomputed_rho: verification.rho,
        assumed_public: &certificate.assumed_public,
        checks: &verification.checks,
    };
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}

/// The verdict first, then each check.
fn text(certificate: &Certificate, verification: &Verification) -> String {
    let mut out = String::new();
    let statement = &certificate.statement;
    let headline = promise::headline(certificate);
    // Writing to a String cannot fail, here and below.
    let _ = match (verification.holds(), certificate.private) {
        _ if !statement.has_guarantee() => writeln!(
            out,
            "{WRONG}NOT PRIVATE{WRONG:#}   no guarantee: nothing is proved about it\n"
        ),
        (true, true) if verification.plan_checked() => {
            writeln!(out, "{LOUD}holds{LOUD:#}   {headline}\n")
        }
        (true, true) => writeln!(
            out,
            "{ALARM}the arithmetic holds; the plan was not checked{ALARM:#}   {headline}\n"
        ),
        (true, false) => writeln!(
            out,
            "{WRONG}NOT PRIVATE{WRONG:#}   though the arithmetic holds\n"
        ),
        (false, _) => writeln!(out, "{WRONG}does not hold{WRONG:#}   {headline}\n"),
    };
    for check in &verification.checks {
        let (style, mark) = match check.verdict {
            Verdict::Holds => (LOUD, '✓'),
            Verdict::Warns => (ALARM, '!'),
            Verdict::Fails => (WRONG, '✗'),
        };
        let _ = writeln!(out, "  {style}{mark}{style:#} {}", check.name);
        out.push_str(&wrapped(&printable(&check.found), 6));
    }
    if !certificate.assumed_public.is_empty() {
        let _ = writeln!(out, "\n  Assumed to be public, and not checked:");
        for fact in &certificate.assumed_public {
            let lines = wrapped(&printable(fact), 6);
            let _ = write!(out, "    - {}", lines.trim_start());
        }
    }
    let checked = match verification.plan_checked() {
        true => "Checked: the accounting and the plan.",
        false => "Checked: the accounting alone.",
    };
    let claim =
        format!("{checked} That this is what was run is a claim by whoever distributes the file.");
    let _ = write!(out, "\n{}", wrapped(&claim, 0));
    out
}
