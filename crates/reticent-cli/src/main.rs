//! The `reticent` command as a program of its own; all of it is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(reticent_cli::main(std::env::args_os()))
}
