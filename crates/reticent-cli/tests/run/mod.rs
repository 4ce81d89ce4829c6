//! Runs the command as a person would, with its output in a pipe.

use std::process::{Command, Output};

/// What a run left behind.
pub struct Run {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// `reticent` and its arguments, split at spaces.
pub fn reticent(arguments: &str) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_reticent"))
        .args(arguments.split_whitespace())
        .env_remove("CLICOLOR_FORCE")
        .output()
        .unwrap();
    Run {
        code: status.code().unwrap(),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// The JSON answer of `reticent account`, which must be one.
#[allow(dead_code, reason = "not every test binary asks for JSON")]
pub fn account(arguments: &str) -> serde_json::Value {
    let run = reticent(&format!("account --json {arguments}"));
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap()
}
