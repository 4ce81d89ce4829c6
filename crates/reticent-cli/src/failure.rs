//! Why a command gave no answer, and its exit code.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

use clap::CommandFactory;
use reticent::model::ModelFileError;

use crate::command::Cli;
use crate::interrupt;
use crate::refusal::Refusal;

/// The exit code when a file fails, or when the answer is no.
pub const CODE: u8 = 1;
/// The exit code when what was typed makes no sense, as in clap.
const MISUSED: u8 = 2;

/// Why there is no answer. Nothing is on standard output then.
pub enum Failure {
    /// The question makes no sense or has no answer.
    Refused(Refusal),
    /// A file could not be read or written, or does not hold what it should.
    Failed(String),
    /// There is an answer, for standard output, and it is no.
    No(String),
    /// The person pressed Ctrl-C.
    Interrupted(String),
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl Failure {
    /// What went wrong with a file or its content; the message names it.
    pub fn of(error: impl Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// What went wrong with the file of a model that is read.
    pub fn of_model(error: ModelFileError) -> Self {
        match error {
            ModelFileError::Io { file, error } => {
                let why = match error.kind() {
                    ErrorKind::NotFound => "there is no such file; check the path".to_owned(),
                    _ => error.to_string(),
                };
                Self::Failed(format!("{}: {why}", file.display()))
            }
            error => Self::of(error),
        }
    }

    /// Says why on standard error; the exit code is 2 for a refused question, 1 for files
    /// that fail, 130 for an interrupt, as shells have it.
    pub fn report(self, command: &str) -> u8 {
        match self {
            Self::Refused(refusal) => {
                let mut cli = Cli::command();
                cli.build();
                misused(&match cli.find_subcommand_mut(command) {
                    Some(command) => command.error(refusal.kind, refusal.message),
                    None => clap::Error::raw(refusal.kind, refusal.message),
                })
            }
            Self::Failed(message) | Self::No(message) => complain(&message, CODE),
            Self::Interrupted(message) => complain(&message, interrupt::CODE),
        }
    }
}

/// Why a file could not be written, and what to do.
pub fn unwritten(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such folder; create it".to_owned(),
        _ => error.to_string(),
    }
}

/// Says what is wrong with what was typed.
pub fn misused(error: &clap::Error) -> u8 {
    // Nothing can be reported if standard error is closed.
    let _ = error.print();
    MISUSED
}

fn complain(message: &str, code: u8) -> u8 {
    let style = clap::builder::Styles::default();
    let style = style.get_error();
    // Nothing can be reported if standard error is closed.
    let _ = writeln!(anstream::stderr(), "{style}error:{style:#} {message}");
    code
}
