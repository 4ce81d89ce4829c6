//! `cargo xtask bench`: speed against goals, and against what people would run instead.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::python::environment;
use crate::step::{Failure, Outcome, run};
use crate::{cargo, exit_code, misused, root, shared, target};

/// Runs what was asked for.
pub fn bench(arguments: &[String]) -> ExitCode {
    match arguments {
        [] => exit_code(samplers_and_accountants()),
        [name] if name == "news20" => exit_code(news20()),
        [name, tables @ ..] if name == "steps" => exit_code(steps(tables)),
        [other, ..] => misused(&format!(
            "bench takes nothing, 'news20' or 'steps'; '{other}' was given"
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
    let command = command()?;
    let python = environment("bench-yardstick", "bench-requirements.txt")?;
    let python = python.map_err(|absent| absent.fatal("cargo xtask bench news20"))?;
    run(Command::new(python)
        .arg(root().join("xtask/python/bench_news20.py"))
        .args([table, command, target().join("bench-news20")]))
}

/// A step of the default method beside SciPy's, on some tables or all, by a script that alternates
/// between the two.
fn steps(tables: &[String]) -> Result<Outcome, Failure> {
    let data = shared("kddcup99-10pct.csv.xz")?.with_file_name("");
    run(cargo().args([
        "build",
        "--release",
        "--locked",
        "-p",
        "reticent-lab",
        "--bin",
        "steps",
    ]))?;
    let program = target().join(format!("release/steps{}", std::env::consts::EXE_SUFFIX));
    let python = environment("bench-yardstick", "bench-requirements.txt")?;
    let python = python.map_err(|absent| absent.fatal("cargo xtask bench steps"))?;
    run(Command::new(python)
        .arg(root().join("xtask/python/bench_steps.py"))
        .args([program, data, target().join("bench-steps")])
        .args(tables))
}

/// The `reticent` command, built for speed.
pub fn command() -> Result<PathBuf, Failure> {
    run(cargo().args(["build", "--release", "--locked", "--bin", "reticent"]))?;
    let name = format!("release/reticent{}", std::env::consts::EXE_SUFFIX);
    Ok(target().join(name))
}
