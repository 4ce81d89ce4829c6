//! The project's own commands: `cargo xtask test | bench | fuzz`.
//!
//! No dependencies, so that it is built in a second on a fresh clone.

mod fuzz;
mod outside;
mod step;
mod test;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask <COMMAND>

Commands:
  test   Everything that must hold before a change is merged: formatting, lints,
         documentation, tests, ten seconds of each fuzz target (which needs a C++
         compiler), and the outside check of the accountants, which compares
         `reticent account` with Google's dp-accounting in a Python environment of its own
         under target/ (made on the first run). Stops at the first failure and shows the
         command to run again.
  bench  The samplers and accountants against their goals and against OpenDP, measured in
         the same run. Arguments after it are passed on.
  fuzz [--seconds N] [TARGET...]
         Random input for all that reads a file, N seconds (60) for each target. An input
         that breaks one is kept in target/fuzz/broken.
  help   This page.

Environment:
  CI     When set, nothing may be skipped for want of Python, a network or a compiler.
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("test") => match arguments.next() {
            None => test::run(),
            Some(extra) => misused(&format!("test takes no argument; '{extra}' was given")),
        },
        Some("bench") => bench(arguments.collect()),
        Some("fuzz") => fuzz::command(arguments.collect()),
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Some(other) => misused(&format!(
            "'{other}' is not a command; allowed: test, bench, fuzz, help"
        )),
        None => {
            eprint!("{HELP}");
            ExitCode::from(2)
        }
    }
}

fn misused(message: &str) -> ExitCode {
    eprintln!("error: {message}\n\nFor more information, try 'cargo xtask help'.");
    ExitCode::from(2)
}

/// Runs the bench crate, which has its own workspace, optimised.
fn bench(arguments: Vec<String>) -> ExitCode {
    let manifest = root().join("crates/reticent-bench/Cargo.toml");
    let status = cargo()
        .args(["run", "--release", "--locked", "--manifest-path"])
        .arg(manifest)
        .arg("--")
        .args(arguments)
        .status();
    match status {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: cargo could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The cargo that runs us, at the root of the repository.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.current_dir(root());
    command
}

/// The root of the repository: the folder above this crate's.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), PathBuf::from)
}

/// Where cargo builds.
fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}
