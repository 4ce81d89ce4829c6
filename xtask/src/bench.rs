//! `cargo xtask bench`: speed against goals, and against what people would run instead.

use std::process::{Command, ExitCode};

use crate::python::{Absent, environment};
use crate::step::{Failure, Outcome, run};
use crate::{cargo, misused, root, shared, target, told};

/// Runs what was asked for.
pub fn bench(arguments: &[String]) -> ExitCode {
    match arguments {
        [] => told(samplers_and_accountants()),
        [name] if name == "news20" => told(news20()),
        [other, ..] => misused(&format!(
            "bench takes nothing or 'news20'; '{other}' was given"
        )),
    }
}

/// Runs the bench crate, which has its own workspace, optimised.
fn samplers_and_accountants() -> Result<Outcome, Failure> {
    run(cargo()
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(root().join("crates/reticent-bench/Cargo.toml")))
}

/// The command on news20, beside scikit-learn and SciPy, by a script that runs them all.
fn news20() -> Result<Outcome, Failure> {
    let table = shared("news20.xz")?;
    run(cargo().args(["build", "--release", "--locked", "--bin", "reticent"]))?;
    let python = match environment("bench-yardstick", "bench-requirements.txt")? {
        Ok(python) => python,
        Err(Absent(what)) => {
            return Err(Failure {
                reason: format!("{what}; the yardstick needs Python with SciPy"),
                again: "cargo xtask bench news20".to_owned(),
            });
        }
    };
    let command = format!("release/reticent{}", std::env::consts::EXE_SUFFIX);
    run(Command::new(python)
        .arg(root().join("xtask/python/bench_news20.py"))
        .args([table, target().join(command), target().join("bench-news20")]))
}
