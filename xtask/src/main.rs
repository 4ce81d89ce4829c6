//! The project's own commands: `cargo xtask test | arrows | attack | bench | deny | fuzz | reproduce | wheel`.
//!
//! No dependencies, so that it is built in a second on a fresh clone.

mod arrows;
mod attack;
mod background;
mod bench;
mod deny;
mod external_checks;
mod fuzz;
mod image_sets;
mod python;
mod reproduce;
mod step;
mod test;
mod wheel;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask <COMMAND>

Commands:
  test   Everything that must hold before a change is merged: arrows, licences and versions of
         what is depended on (deny.toml), formatting, lints, documentation, tests, those of the Python package, which is built and installed for
         them, five seconds of each fuzz target (which needs a C++ compiler), and the outside
         checks: `reticent account` against Google's dp-accounting, and what exported models
         predict in onnxruntime against `reticent predict`. What needs Python has environments
         of its own under target/, made on the first run. Stops at the first failure and shows
         the command to run again. Fuzzing and the build of the Python package run beside the
         tests; what they print is shown when they are waited for.
  test --quick
         What is worth a look after each change: arrows, formatting, lints and the unit tests.
         A minute or two.
  arrows
         Compares which module of the library imports from which with the list under Arrows in
         ARCHITECTURE.md. Names file and line of an import that is not allowed there, and fails;
         else prints how often each arrow is used. Milliseconds.
  deny   Compares the licences, versions and sources of all that is depended on, on any system, with
         the lists of deny.toml. Advisories are left to cargo-deny, which CI runs.
  attack [--minutes N] [--seed N]
         Hostile tables and their neighbours, for N minutes (5): what a fit released on one is
         replayed to the same fit on the other, and at each release what really moved is compared
         with the sensitivity that was charged. Prints the largest ratio of each kind of release,
         and fails above 1. A few hundred tries of it are among the tests.
  bench  The samplers and accountants against their goals and against OpenDP, measured in
         the same run.
  bench news20
         Reading and fitting the news20 table (../shared/data/news20.xz) beside scikit-learn
         and SciPy, in the same run, in a Python environment of its own.
  bench steps [TABLE...]
         A step of the default method (noisy gradient of all columns, unit rows) beside the same
         in NumPy and SciPy, by turns in one run: on a9a, news20 with two and with all classes,
         kddcup99, and a table of half a million rows and a million columns, which is made up.
         Fails if a goal is missed.
  fuzz [--seconds N] [TARGET...]
         Random input for all that reads a file, N seconds (60) for each target. An input
         that breaks one is kept in target/fuzz/broken.
  reproduce frank-wolfe
         The figures of docs/results/frank-wolfe.md: accuracy on real and synthetic tables over
         seeds and budgets, and the excess risk against the theorem. Some minutes; writes
         docs/results/.
  reproduce sparse [PART]
         The figures of docs/results/sparse.md: every method of the sparse family, at the ε that
         is proved for it. Three quarters of an hour at most on two cores; may be stopped at any
         time, and goes on where it was. A part (goals, table2, figures, recovery or
         high-dimension) is renewed alone. Writes docs/results/.
  reproduce fits
         The figures of docs/results/fits.md: the private fits on columns that are public, each with
         the whole budget. Some minutes; may be stopped at any time, and goes on where it was. Writes
         docs/results/.
  reproduce trust [PART]
         The figures of docs/results/trust.md: models from honest, wide declarations and small
         budgets, against a private mean, whether probabilities of classes are probabilities, and
         whether the weights that nonzero auto keeps are true ones. A part (linear, classes or
         sparsity) is renewed alone. Some minutes; may be stopped at any time.
         Writes docs/results/.
  reproduce batches [--quick] [PART]
         The figures of docs/results/batches.md: private stochastic optimisation against the
         tables of the thesis, a linear model on scattering of images, and batches beside
         gradients of all records. An hour on two idle cores; may be stopped at any time, and goes
         on where it was. A part (nonconvex, smoothing, features or many-records) is renewed
         alone. Writes docs/results/. --quick has one seed and few settings to choose from: under
         half an hour; it writes to target/reproduce/quick. Fashion-MNIST is looked for where
         RETICENT_FASHION_MNIST says, or where Debian's package dataset-fashion-mnist puts it;
         CIFAR-10 where RETICENT_CIFAR10 says, or is made by the tool beside the data sets.
  reproduce python [PART]
         The figures of docs/results/python.md: the Python package beside diffprivlib and a
         DP-SGD in NumPy, each in a Python environment of its own, and what a call from Python
         costs in time and memory. About 40 minutes; each part (rivals, rare-classes or calls) is
         written as soon as it is measured, and may be renewed alone. Writes docs/results/.
  wheel  The Python package as one wheel for every Python from 3.10 on, in target/wheels. On Linux
         it is linked by zig, so that it runs from glibc 2.17 on (manylinux2014). Then a fresh
         environment, with no cargo on the path, installs it and fits. Some minutes.
  help   This page.

Environment:
  CI     When set, nothing may be skipped for want of Python, a network or a compiler.
  RETICENT_DATA
         The folder of the real data sets, where it is not ../shared/data. Tests that need them
         are skipped where there is none, and fail under CI where one of them is missing.
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("test") => match &arguments.collect::<Vec<_>>()[..] {
            [] => test::run(test::Extent::Full),
            [flag] if flag == "--quick" => test::run(test::Extent::Quick),
            [extra, ..] => misused(&format!(
                "test takes nothing or --quick; '{extra}' was given"
            )),
        },
        Some("arrows") => match arguments.next().as_deref() {
            None => exit_code(arrows::check()),
            Some("help" | "--help" | "-h") => {
                print!("{}", arrows::HELP);
                ExitCode::SUCCESS
            }
            Some(extra) => misused(&format!("arrows takes no argument; '{extra}' was given")),
        },
        Some("deny") => match arguments.next() {
            None => exit_code(deny::check()),
            Some(extra) => misused(&format!("deny takes no argument; '{extra}' was given")),
        },
        Some("attack") => attack::command(&arguments.collect::<Vec<_>>()),
        Some("bench") => bench::bench(&arguments.collect::<Vec<_>>()),
        Some("reproduce") => reproduce::reproduce(&arguments.collect::<Vec<_>>()),
        Some("fuzz") => fuzz::command(arguments.collect()),
        Some("wheel") => match arguments.next() {
            None => exit_code(wheel::build_and_try()),
            Some(extra) => misused(&format!("wheel takes no argument; '{extra}' was given")),
        },
        Some("help" | "--help" | "-h") => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Some(other) => misused(&format!(
            "'{other}' is not a command; allowed: test, arrows, attack, bench, deny, fuzz, reproduce, wheel, help"
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

/// The exit code of a command that ran, with the reason of a failure told.
fn exit_code(result: Result<step::Outcome, step::Failure>) -> ExitCode {
    match result {
        Ok(_) => ExitCode::SUCCESS,
        Err(step::Failure { reason, again }) => {
            eprintln!("\nerror: {reason}\n\n  run again: {again}");
            ExitCode::FAILURE
        }
    }
}

/// Where the data sets are, if they are: beside the repository and never in it.
fn data() -> PathBuf {
    match std::env::var_os("RETICENT_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => root().join("../shared/data"),
    }
}

/// A data set.
fn shared(name: &str) -> Result<PathBuf, step::Failure> {
    let path = data().join(name);
    if path.exists() {
        return Ok(path);
    }
    Err(step::Failure {
        reason: format!(
            "{} is not there: the data sets live beside the repository, or where RETICENT_DATA says",
            path.display()
        ),
        again: "the same command, once it is".to_owned(),
    })
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
