//! The outside checks, each in a Python environment of its own under the target folder:
//! `reticent account` against dp-accounting, exported models against onnxruntime.

use std::process::Command;

use crate::python::{Absent, environment};
use crate::step::{Failure, Outcome, run, without};
use crate::{root, target};

/// Compares the accountants with dp-accounting.
pub fn accounting() -> Result<Outcome, Failure> {
    let undone = "The accountants were NOT compared with dp-accounting";
    check(
        "outside-check",
        "requirements.txt",
        "check_accounting.py",
        undone,
    )
}

/// Compares what exported models predict in onnxruntime with `reticent predict`.
pub fn onnx() -> Result<Outcome, Failure> {
    let undone = "Exported models were NOT compared with onnxruntime";
    check(
        "onnx-check",
        "onnx-requirements.txt",
        "check_onnx.py",
        undone,
    )
}

/// Makes the environment if need be, and compares. The command is the one that the tests
/// have just built and run; building it alone would choose other features and take a minute.
fn check(name: &str, pins: &str, script: &str, undone: &str) -> Result<Outcome, Failure> {
    let python = match environment(name, pins)? {
        Ok(python) => python,
        Err(Absent(what)) => return without(what, undone),
    };
    let binary = target()
        .join("debug")
        .join(format!("reticent{}", std::env::consts::EXE_SUFFIX));
    run(Command::new(python)
        .arg(root().join("xtask/python").join(script))
        .arg(binary))
}
