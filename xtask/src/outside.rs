//! The outside check: `reticent account` against dp-accounting, in a Python environment of
//! its own under the target folder.

use std::process::Command;

use crate::python::{Absent, environment};
use crate::step::{Failure, Outcome, run, without};
use crate::{root, target};

/// Makes the environment if need be, and compares. The command is the one that the tests
/// have just built and run; building it alone would choose other features and take a minute.
pub fn check() -> Result<Outcome, Failure> {
    let python = match environment("outside-check", "requirements.txt")? {
        Ok(python) => python,
        Err(Absent(what)) => {
            return without(what, "The accountants were NOT compared with dp-accounting");
        }
    };
    let binary = target()
        .join("debug")
        .join(format!("reticent{}", std::env::consts::EXE_SUFFIX));
    run(Command::new(python)
        .arg(root().join("xtask/python/check_accounting.py"))
        .arg(binary))
}
