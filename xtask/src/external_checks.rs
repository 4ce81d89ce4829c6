//! The outside checks, each in a Python environment of its own under the target folder:
//! `reticent account` against dp-accounting, exported models against onnxruntime.

use std::process::Command;

use crate::python::{Absent, environment};
use crate::step::{Failure, Outcome, run, without};
use crate::{root, target};

/// The environments and their pins: of the check of accountants, and of that of ONNX.
const ENVIRONMENTS: [(&str, &str); 2] = [
    ("outside-check", "requirements.txt"),
    ("onnx-check", "onnx-requirements.txt"),
];

/// Makes the environments if need be. What is absent, the checks will say.
pub fn prepare() -> Result<(), Failure> {
    for (name, pins) in ENVIRONMENTS {
        environment(name, pins)?.ok();
    }
    Ok(())
}

/// Compares the accountants with dp-accounting.
pub fn accounting() -> Result<Outcome, Failure> {
    let undone = "The accountants were NOT compared with dp-accounting";
    check(ENVIRONMENTS[0], "check_accounting.py", undone)
}

/// Compares what exported models predict in onnxruntime with `reticent predict`.
pub fn onnx() -> Result<Outcome, Failure> {
    let undone = "Exported models were NOT compared with onnxruntime";
    check(ENVIRONMENTS[1], "check_onnx.py", undone)
}

/// Makes the environment if need be, and compares. The command is the one that the tests
/// have just built and run; building it alone would choose other features and take a minute.
fn check((name, pins): (&str, &str), script: &str, undone: &str) -> Result<Outcome, Failure> {
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
