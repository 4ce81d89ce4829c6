//! Private Frank–Wolfe: accuracy against privacy, and the excess risk against the theorem.

mod accuracy;
mod risk;

use std::fmt::Write;
use std::path::Path;

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
[docs/frank-wolfe.md](../frank-wolfe.md)).
";

/// Writes a file of results.
fn save(results: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(results).expect("the folder of results can be made");
    let path = results.join(name);
    std::fs::write(&path, text).expect("a result can be written");
    println!("wrote {}", path.display());
}

/// Adds a line to the page, and shows it.
fn note(page: &mut String, line: &str) {
    println!("{line}");
    // Writing to a string can not fail.
    let _ = writeln!(page, "{line}");
}
