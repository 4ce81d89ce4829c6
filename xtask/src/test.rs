//! `cargo xtask test`: everything that must hold before a change is merged.

use std::process::{Command, ExitCode, Stdio};
use std::thread::Scope;

use crate::background::{self, Beside};
use crate::python::{self, Absent, Engine};
use crate::step::{self, Failure, Outcome, Report};
use crate::{arrows, cargo, data, deny, external_checks, fuzz, root};

/// How much is tested.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// Formatting, lints and unit tests.
    Quick,
    /// Everything, as in CI.
    Full,
}

/// What takes no more than seconds, and lints.
fn first(report: &mut Report) -> Result<(), Failure> {
    report.step("arrows between modules", arrows::check)?;
    report.step("licences and versions", deny::check)?;
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
    })
}

/// Formatting, lints and unit tests.
fn quick(report: &mut Report) -> Result<(), Failure> {
    first(report)?;
    report.step("unit tests", || {
        step::run(&mut tests(Extent::Quick, "--no-fail-fast"))
    })
}

/// Every step, up to the first that fails. What leaves a core idle (an installation, tests that wait
/// for a process) has something to compile beside it.
fn full<'scope>(report: &mut Report, scope: &'scope Scope<'scope, '_>) -> Result<(), Failure> {
    report.step("real data sets", real_data)?;
    let environments = Beside::begin(scope, "Python environments", environments)?;
    first(report)?;
    let fuzzing = Beside::begin(scope, "fuzzing", || fuzz::all(FUZZ_SECONDS))?;
    report.step("documentation", || {
        step::run(cargo().env("RUSTDOCFLAGS", "-D warnings").args([
            "doc",
            "--locked",
            "--workspace",
            "--no-deps",
        ]))
    })?;
    report.step("build of the tests", || {
        step::run(&mut tests(Extent::Full, "--no-run"))
    })?;
    report.join(environments)?;
    let package = Beside::begin(scope, "build of the Python package", build_package)?;
    report.step("tests", || {
        step::run(&mut tests(Extent::Full, "--no-fail-fast"))
    })?;
    report.join(package)?;
    report.step("documentation tests", || {
        step::run(cargo().args(["test", "--locked", "--workspace", "--doc"]))
    })?;
    report.step("tests of the Python package", test_package)?;
    report.step("outside check of accountants", external_checks::accounting)?;
    report.step("outside check of ONNX", external_checks::onnx)?;
    report.join(fuzzing)
}

/// Tests that need real data say so one by one, where cargo-nextest shows no one: hence this line.
fn real_data() -> Result<Outcome, Failure> {
    let folder = data();
    match folder.exists() {
        true => Ok(Outcome::Passed),
        false => Ok(Outcome::Skipped(format!("needs {}", folder.display()))),
    }
}

/// Makes every Python environment. What is absent is said by the steps that need it.
fn environments() -> Result<Outcome, Failure> {
    python::package_environment()?.ok();
    external_checks::prepare()?;
    Ok(Outcome::Passed)
}

/// Builds the Python package and installs it into an environment of its own.
fn build_package() -> Result<Outcome, Failure> {
    match python::package(Engine::Tested)? {
        Ok(_) => Ok(Outcome::Passed),
        Err(Absent(what)) => step::without(what, "The Python package was NOT built"),
    }
}

/// Checks the package that was installed: format, lints, tests.
fn test_package() -> Result<Outcome, Failure> {
    let python = match python::package_environment()? {
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

/// Runs the steps and prints what came of them.
pub fn run(extent: Extent) -> ExitCode {
    let mut report = Report::default();
    let result = match extent {
        Extent::Quick => quick(&mut report),
        Extent::Full => std::thread::scope(|scope| {
            let result = full(&mut report, scope);
            // Whatever still runs after a failure is not waited for.
            background::stop();
            result
        }),
    };
    report.summary(result.as_ref().err());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The tests, to be built or run: by cargo-nextest if it is installed.
fn tests(extent: Extent, action: &str) -> Command {
    let nextest = nextest();
    let mut command = cargo();
    match nextest {
        true => command.args(["nextest", "run"]),
        false => command.arg("test"),
    };
    command.args(["--locked", "--workspace", action]);
    match extent {
        // A changed declaration is to be seen in the table of methods at once.
        Extent::Quick => command.args(["--lib", "--bins", "--test", "methods_table"]),
        Extent::Full if nextest => &mut command,
        Extent::Full => command.arg("--all-targets"),
    };
    command
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
