//! `cargo xtask test`: everything that must hold before a change is merged.

use std::process::{Command, ExitCode, Stdio};

use crate::python::{self, Absent};
use crate::step::{self, Failure, Outcome, Report};
use crate::{arrows, cargo, fuzz, outside, root};

/// Runs every step in turn, up to the first that fails.
fn steps(report: &mut Report) -> Result<(), Failure> {
    report.step("arrows between rooms", arrows::check)?;
    report.step("format", || {
        step::run(cargo().args(["fmt", "--all", "--check"]))
    })?;
    report.step("format of the bench crate", || {
        // It is not built here: its yardstick takes minutes.
        step::run(cargo().args(["fmt", "--check", "--manifest-path", BENCH]))
    })?;
    report.step("format of the fuzz crate", || {
        step::run(cargo().args(["fmt", "--check", "--manifest-path", FUZZ]))
    })?;
    report.step("lints", || {
        step::run(
            cargo()
                .args(["clippy", "--locked", "--workspace", "--all-targets"])
                .args(["--", "-D", "warnings"]),
        )
    })?;
    report.step("documentation", || {
        step::run(cargo().env("RUSTDOCFLAGS", "-D warnings").args([
            "doc",
            "--locked",
            "--workspace",
            "--no-deps",
        ]))
    })?;
    if nextest() {
        report.step("tests (cargo nextest)", || {
            step::run(cargo().args([
                "nextest",
                "run",
                "--locked",
                "--workspace",
                "--no-fail-fast",
            ]))
        })?;
    } else {
        report.step("tests (cargo test)", || {
            step::run(cargo().args([
                "test",
                "--locked",
                "--workspace",
                "--all-targets",
                "--no-fail-fast",
            ]))
        })?;
    }
    report.step("documentation tests", || {
        step::run(cargo().args(["test", "--locked", "--workspace", "--doc"]))
    })?;
    report.step("tests of the Python package", package)?;
    report.step("fuzzing", || fuzz::all(FUZZ_SECONDS))?;
    report.step("outside check of accountants", outside::accounting)?;
    report.step("outside check of ONNX", outside::onnx)
}

/// Builds the Python package, installs it into an environment of its own, and checks it there:
/// format, lints, tests.
fn package() -> Result<Outcome, Failure> {
    let python = match python::package()? {
        Ok(python) => python,
        Err(Absent(what)) => return step::without(what, "The Python package was NOT tested"),
    };
    let module = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        step::run(command.arg("-m").args(arguments).current_dir(root()))
    };
    let sources = ["python", "docs/tutorial.ipynb"];
    module(&[&["ruff", "format", "--check"], &sources[..]].concat())?;
    module(&[&["ruff", "check"], &sources[..]].concat())?;
    module(&["pytest", "--quiet"])
}

const BENCH: &str = "crates/reticent-bench/Cargo.toml";
const FUZZ: &str = "fuzz/Cargo.toml";

/// How long each fuzz target runs here; `cargo xtask fuzz` runs longer.
const FUZZ_SECONDS: u32 = 5;

/// Runs every step and prints what came of it.
pub fn run() -> ExitCode {
    let mut report = Report::default();
    let result = steps(&mut report);
    report.summary(result.as_ref().err());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Whether cargo-nextest is installed.
fn nextest() -> bool {
    let mut command: Command = cargo();
    command
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
