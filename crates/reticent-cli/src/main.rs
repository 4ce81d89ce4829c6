//! The `reticent` command.
//!
//! Exit codes: 0 when it answered, 2 when what was asked makes no sense or has no answer
//! (the reason on standard error, nothing on standard output), 1 when the answer or the help
//! could not be written.

mod account;
mod args;
mod decimal;
mod json;
mod names;
mod number;
mod refusal;
mod settings;
mod spec;
mod text;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};

fn main() -> ExitCode {
    let request = match Cli::try_parse() {
        Ok(Cli {
            command: Command::Account(request),
        }) => request,
        // Help and version: clap would not notice that they could not be written.
        Err(asked) if !asked.use_stderr() => return print(&asked.render().ansi().to_string()),
        Err(error) => error.exit(),
    };
    match account::answer(&request) {
        Ok(answer) if request.json => print(&json::render(&answer)),
        Ok(answer) => print(&text::render(&answer)),
        Err(refusal) => {
            let mut command = Cli::command();
            command.build();
            let command = command.find_subcommand_mut("account");
            match command {
                Some(command) => command.error(refusal.kind, refusal.message).exit(),
                None => clap::Error::raw(refusal.kind, refusal.message).exit(),
            }
        }
    }
}

/// Writes the whole output at once. A reader that stopped listening (`| head`) is no error;
/// colours are dropped where nobody would see them.
fn print(text: &str) -> ExitCode {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing is left to tell if standard error is closed as well.
            let _ = writeln!(
                anstream::stderr(),
                "error: the output could not be written: {error}"
            );
            ExitCode::FAILURE
        }
    }
}
