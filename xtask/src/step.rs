//! Steps with a name and a time, and what to do about a failure.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::background::{self, Beside, say};

/// How a step ended.
#[derive(Debug)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It could not be tried, and why.
    Skipped(String),
}

/// Why a step does not hold: what to tell, and what to run again.
#[derive(Debug)]
pub struct Failure {
    /// What went wrong.
    pub reason: String,
    /// The command to run again, as typed in a shell at the root.
    pub again: String,
}

/// What was done so far.
#[derive(Debug)]
pub struct Report {
    start: Instant,
    lines: Vec<(String, String, Duration)>,
    skipped: bool,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            lines: Vec::new(),
            skipped: false,
        }
    }
}

impl Report {
    /// Runs one step and prints its name first and its time after.
    pub fn step(
        &mut self,
        name: &str,
        work: impl FnOnce() -> Result<Outcome, Failure>,
    ) -> Result<(), Failure> {
        println!("── {name}");
        let start = Instant::now();
        let result = work();
        self.ended(name, result, start.elapsed())
    }

    /// Notes how a step ended that took so long, and prints it.
    fn ended(
        &mut self,
        name: &str,
        result: Result<Outcome, Failure>,
        time: Duration,
    ) -> Result<(), Failure> {
        let word = match &result {
            Ok(Outcome::Passed) => "ok".to_owned(),
            Ok(Outcome::Skipped(why)) => {
                self.skipped = true;
                format!("SKIPPED: {why}")
            }
            Err(_) => "FAILED".to_owned(),
        };
        println!("── {name}: {word} ({:.1} s)\n", time.as_secs_f64());
        self.lines.push((name.to_owned(), word, time));
        result.map(|_| ())
    }

    /// Waits for a step that was begun beside others, shows what it printed, and notes how it ended.
    pub fn join(&mut self, beside: Beside<'_>) -> Result<(), Failure> {
        let name = beside.name();
        println!("── {name} (begun before)");
        let (result, time) = beside.join();
        self.ended(name, result, time)
    }

    /// Prints every step, and the failure with its remedy if there was one. Steps that ran beside
    /// others have their own time; the total is that of the clock.
    pub fn summary(&self, failure: Option<&Failure>) {
        println!("summary");
        for (name, word, time) in &self.lines {
            println!("  {:>7.1} s  {name:<28}  {word}", time.as_secs_f64());
        }
        let total = self.start.elapsed();
        let verdict = match failure {
            Some(_) => "FAILED",
            None if self.skipped => "ok, but for what was skipped",
            None => "all ok",
        };
        println!("  {:>7.1} s  {verdict}", total.as_secs_f64());
        if let Some(Failure { reason, again }) = failure {
            eprintln!("\nerror: {reason}\n\n  run again: {again}");
        }
    }
}

/// Runs a command with its output shown, now or when this step is waited for; a failure names it.
pub fn run(command: &mut Command) -> Result<Outcome, Failure> {
    let again = shown(command);
    command.stdin(Stdio::null());
    let status = background::status(command).unwrap_or_else(|| command.status());
    match status {
        Ok(status) if status.success() => Ok(Outcome::Passed),
        Ok(status) => Err(Failure {
            reason: format!("the command ended with {status}"),
            again,
        }),
        Err(error) => Err(Failure {
            reason: format!("the command could not be started: {error}"),
            again,
        }),
    }
}

/// Without the means, a step is skipped on a person's machine, with a notice of what was left
/// undone, and fails in CI.
pub fn without(what: String, undone: &str) -> Result<Outcome, Failure> {
    if std::env::var_os("CI").is_some_and(|value| !value.is_empty()) {
        return Err(Failure {
            reason: format!("{what}; with CI set, this step may not be skipped"),
            again: "cargo xtask test".to_owned(),
        });
    }
    say(&format!("   {undone}: {what}."));
    Ok(Outcome::Skipped(what))
}

/// The command as one would type it: its added variables, its program, its arguments.
pub fn shown(command: &Command) -> String {
    let quoted = |text: &std::ffi::OsStr| {
        let text = text.to_string_lossy();
        if text.contains([' ', '\'', '"', '$', '\\']) {
            format!("'{}'", text.replace('\'', "'\\''"))
        } else {
            text.into_owned()
        }
    };
    let mut words: Vec<String> = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.display(), quoted(value?))))
        .collect();
    // Cargo is called by its path; a person calls it by its name.
    let program = std::path::Path::new(command.get_program());
    match program.file_stem() {
        Some(stem) if stem == "cargo" => words.push("cargo".to_owned()),
        _ => words.push(quoted(command.get_program())),
    }
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}
