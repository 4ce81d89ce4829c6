//! `cargo xtask fuzz`: random bytes against everything that reads a file.
//!
//! The targets are the crate `fuzz`, built for libFuzzer with coverage counters. Stable Rust does
//! that when LLVM is told directly, so no nightly compiler and no cargo-fuzz are needed; only a C++
//! compiler, for libFuzzer itself.

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use crate::step::{Failure, Outcome, Report, run, without};
use crate::{cargo, misused, root, target};

/// One for each kind of input; each is a binary of the crate, with seeds in `fuzz/corpus`.
const TARGETS: [&str; 6] = ["libsvm", "compressed", "csv", "parquet", "schema", "model"];

/// How long each target runs when nobody says.
const SECONDS: u32 = 60;

/// Tells LLVM to count edges and to show comparisons to libFuzzer.
const COVERAGE: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// The command: `[--seconds N] [TARGET…]`.
pub fn command(arguments: Vec<String>) -> ExitCode {
    let (seconds, targets) = match parsed(arguments) {
        Ok(parsed) => parsed,
        Err(message) => return misused(&message),
    };
    let mut report = Report::default();
    let result = targets.iter().try_for_each(|target| {
        report.step(&format!("fuzz {target}"), || {
            one(target, seconds, Start::Anywhere)
        })
    });
    report.summary(result.as_ref().err());
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn parsed(arguments: Vec<String>) -> Result<(u32, Vec<String>), String> {
    let mut seconds = SECONDS;
    let mut targets = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--seconds" {
            seconds = arguments
                .next()
                .and_then(|text| text.parse().ok())
                .filter(|&seconds| seconds > 0)
                .ok_or("--seconds takes a whole number above 0")?;
        } else if TARGETS.contains(&argument.as_str()) {
            targets.push(argument);
        } else {
            let allowed = TARGETS.join(", ");
            return Err(format!("'{argument}' is not a target; allowed: {allowed}"));
        }
    }
    if targets.is_empty() {
        targets = TARGETS.map(str::to_owned).to_vec();
    }
    Ok((seconds, targets))
}

/// Where the random inputs of a run begin.
#[derive(Clone, Copy, PartialEq)]
enum Start {
    /// Always at the same input: how far it gets is up to the machine.
    Fixed,
    /// At another one each time.
    Anywhere,
}

/// Every target in turn, as a test: each begins where it began the last time.
pub fn all(seconds: u32) -> Result<Outcome, Failure> {
    // Together, so that they are linked on all cores.
    if compiler() {
        build(&TARGETS.map(|name| ["--bin", name]).concat())?;
    }
    for target in TARGETS {
        if let Outcome::Skipped(why) = one(target, seconds, Start::Fixed)? {
            return Ok(Outcome::Skipped(why));
        }
    }
    Ok(Outcome::Passed)
}

/// Builds targets, and says where they are.
fn build(which: &[&str]) -> Result<PathBuf, Failure> {
    let host = host()?;
    let built = target().join("fuzz");
    run(cargo()
        .env("RUSTFLAGS", COVERAGE)
        .args(["build", "--release", "--locked"])
        .args(["--manifest-path", "fuzz/Cargo.toml"])
        .args(which)
        // With the host named, build scripts are spared the counters.
        .args(["--target", &host, "--target-dir"])
        .arg(&built))?;
    Ok(built.join(&host).join("release"))
}

/// Builds a target and runs it. What it finds in passing stays under the target folder, and is
/// where the next run starts; an input that breaks it is kept beside.
fn one(name: &str, seconds: u32, start: Start) -> Result<Outcome, Failure> {
    if !compiler() {
        let what = "no C++ compiler was found, which libFuzzer needs".to_owned();
        return without(what, "The readers were NOT fuzzed");
    }
    let program = build(&["--bin", name])?.join(name);
    let found = folder(target().join("fuzz/found").join(name))?;
    let broken = folder(target().join("fuzz/broken").join(name))?;
    // A trailing separator: libFuzzer puts the name of a file right behind it.
    let prefix = broken.join("");
    // The parquet crate (60.1) skips a list of any stated length in a page header, one element
    // after the other without reading a byte: a damaged file can keep it busy, and nothing that
    // calls it can help that. Such an input is kept and ends the run, but does not fail it.
    let late = if name == "parquet" { 0 } else { 70 };
    run(Command::new(program)
        .current_dir(root())
        // One worker: the counters of an input do not depend on who parsed what.
        .env("RAYON_NUM_THREADS", "1")
        .arg(format!("-max_total_time={seconds}"))
        // A seed of 0 is another one each time.
        .arg(format!("-seed={}", u8::from(start == Start::Fixed)))
        .arg(format!("-timeout_exitcode={late}"))
        .arg(format!("-artifact_prefix={}", prefix.display()))
        .args(["-timeout=10", "-verbosity=0", "-print_final_stats=1"])
        .arg(found)
        .arg(format!("fuzz/corpus/{name}")))
}

/// Whether there is a C++ compiler, called as the build of libFuzzer calls it.
fn compiler() -> bool {
    let program = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The platform that the compiler runs on.
fn host() -> Result<String, Failure> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    let failed = |reason: String| Failure {
        reason,
        again: "rustc -vV".to_owned(),
    };
    let output = rustc
        .arg("-vV")
        .output()
        .map_err(|error| failed(format!("rustc could not be started: {error}")))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .find_map(|line| line.strip_prefix("host: ").map(str::to_owned))
        .ok_or_else(|| failed("rustc does not tell its host".to_owned()))
}

fn folder(path: PathBuf) -> Result<PathBuf, Failure> {
    match std::fs::create_dir_all(&path) {
        Ok(()) => Ok(path),
        Err(error) => Err(Failure {
            reason: format!("{} could not be made: {error}", path.display()),
            again: "cargo xtask fuzz".to_owned(),
        }),
    }
}
