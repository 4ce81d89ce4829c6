//! Private Frank–Wolfe: accuracy against privacy, and the excess risk against the theorem.

mod accuracy;
mod risk;

use std::path::Path;

use crate::page::{note, save};

/// Runs the study, and writes a page and its charts.
pub fn study(data: &Path, results: &Path) {
    let mut page = String::from(INTRODUCTION);
    accuracy::study(data, results, &mut page);
    risk::study(results, &mut page);
    save(results, "frank-wolfe.md", &page);
}

const INTRODUCTION: &str = "\
# Private Frank–Wolfe: results

Written by `cargo xtask reproduce frank-wolfe`; nothing here was typed by hand. Each figure is a
mean ± standard deviation over seeds, at the ε that the certificate proves. Radius, iterations
and everything else are the defaults, which follow from public facts (see
[derivations/frank-wolfe.md](../derivations/frank-wolfe.md)).
";
