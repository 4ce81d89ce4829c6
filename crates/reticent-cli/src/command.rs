//! The commands: one file each, with its arguments and `run`, which gives what to print.

use clap::{Parser, Subcommand};

use crate::args::{self, Request};
use crate::failure::Failure;
use crate::{account, json, text};

/// Sparse linear models under differential privacy
#[derive(Debug, Parser)]
#[command(name = "reticent", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// What a list of private releases costs: ε at a δ, or the noise that fits a budget
    #[command(long_about = args::ABOUT, after_help = args::EXAMPLES, after_long_help = args::TEACHING)]
    Account(Request),
}

impl Command {
    /// As it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Account(_) => "account",
        }
    }

    /// Does what was asked; what belongs on standard output comes back.
    pub fn run(&self) -> Result<String, Failure> {
        match self {
            Self::Account(request) => {
                let answer = account::answer(request)?;
                Ok(if request.json {
                    json::render(&answer)
                } else {
                    text::render(&answer)
                })
            }
        }
    }
}
