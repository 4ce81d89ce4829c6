//! `cargo xtask bench`: speed against goals, and against what people would run instead.

use std::process::{Command, ExitCode};

use crate::python::{Absent, environment};
use crate::step::{Failure, Outcome, run};
use crate::{cargo, misused, root, shared, target, told};

/// Runs what was asked for.
pub fn bench(arguments: &[String]) -> ExitCode {
    match arguments {
        [] => told(crate_with(&[])),
        [name] if name == "news20" => told(news20()),
        [other, ..] => misused(&format!(
            "bench takes nothing or 'news20'; '{other}' was given"
        )),
    }
}

/// Runs the bench crate, which has its own workspace, optimised.
fn crate_with(arguments: &[&str]) -> Result<Outcome, Failure> {
    run(cargo()
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(root().join("crates/reticent-bench/Cargo.toml"))
        .arg("--")
        .args(arguments))
}

/// Reading and fitting news20: scikit-learn and SciPy first, then ours beside their figures.
fn news20() -> Result<Outcome, Failure> {
    let compressed = shared("news20.xz")?;
    let figures = target().join("news20-yardstick.txt");
    let text = target().join("news20.txt");
    match environment("bench-yardstick", "bench-requirements.txt")? {
        Ok(python) => run(Command::new(python)
            .arg(root().join("xtask/python/bench_news20.py"))
            .args([&compressed, &text, &figures]))?,
        Err(Absent(what)) => {
            return Err(Failure {
                reason: format!("{what}; the yardstick needs Python with SciPy"),
                again: "cargo xtask bench news20".to_owned(),
            });
        }
    };
    let shown = |path: &std::path::Path| path.display().to_string();
    crate_with(&["news20", &shown(&text), &shown(&figures)])
}
