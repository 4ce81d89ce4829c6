//! The `reticent` command, as a library: the binary of this crate and the Python package both call
//! [`main`].
//!
//! Exit codes: 0 when it answered; 2 when what was asked makes no sense or has no answer; 1
//! when a file could not be read or written, or the output could not be; 130 after Ctrl-C.
//! Unless it is 0, the reason is on standard error and nothing is on standard output; but
//! `verify` and `check` answer there when the answer is no, with exit code 1.

mod account;
mod account_args;
mod account_json;
mod account_text;
mod check;
mod command;
mod completions;
mod demo;
mod evaluate;
mod event_keys;
mod event_spec;
mod export;
mod failure;
mod feature_flags;
mod fit;
mod flags;
mod help;
mod inspect;
mod interrupt;
mod man;
mod memory;
mod methods;
mod names;
mod output;
mod parse_number;
mod plan;
mod predict;
mod progress;
mod refusal;
mod schema;
mod score_table;
mod summary;
mod unit_flags;
mod verify;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};

use clap::Parser;
// What the card is written with serves all answers.
use reticent::card::{format_number, promise, style, text_layout};

use command::Cli;
use failure::Failure;

/// Runs the command with these arguments, of which the first is the name that usage lines give it.
/// Returns the exit code, with which the process should end at once: a handler of Ctrl-C may be
/// installed by then, and after a second Ctrl-C it is that handler which ends the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        // Help and version: clap would not notice that they could not be written.
        Err(asked) if !asked.use_stderr() => return print(&asked.render().ansi().to_string()),
        Err(error) => return failure::misused(&error),
    };
    match command.run() {
        Ok(text) => print(&text),
        Err(Failure::No(text)) => {
            print(&text);
            failure::CODE
        }
        Err(failure) => failure.report(command.name()),
    }
}

/// Writes the whole output at once. A reader that stopped reading (`| head`) is not an error;
/// colours are dropped where they would not be shown.
fn print(text: &str) -> u8 {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => 0,
        Err(error) => {
            let failure = Failure::Failed(format!("the output could not be written: {error}"));
            failure.report("")
        }
    }
}
