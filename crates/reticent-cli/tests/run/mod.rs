//! Runs the command as a person would, with its output in a pipe.

use std::fs;
use std::path::PathBuf;
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

/// Each line of arguments must be refused with every one of the words.
#[allow(dead_code, reason = "not every test binary has refusals")]
pub fn refused(arguments: &str, words: &[&str]) {
    for json in ["", " --json"] {
        let run = reticent(&format!("{arguments}{json}"));
        assert_eq!(run.code, 2, "{arguments}\n{}{}", run.out, run.err);
        assert_eq!(run.out, "", "{arguments}");
        for word in words {
            assert!(
                run.err.contains(word),
                "{arguments}\nlacks: {word}\n{}",
                run.err
            );
        }
    }
}

/// The same of an event and what may follow it.
#[allow(dead_code, reason = "not every test binary has refusals")]
pub fn event_refused(event: &str, words: &[&str]) {
    refused(&format!("account --delta 1e-6 --event {event}"), words);
}

/// No line is wider than a plain terminal.
#[allow(dead_code, reason = "not every test binary looks at widths")]
pub fn fits_80_columns(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

/// A folder of its own, removed at the end.
#[allow(dead_code, reason = "not every test binary writes files")]
pub struct Folder(pub PathBuf);

#[allow(dead_code, reason = "not every test binary writes files")]
impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("reticent-test-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A file in it, by its path.
    pub fn with(&self, name: &str, content: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
