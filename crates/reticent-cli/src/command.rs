//! The commands: one file each, with its arguments and `run`, which gives what to print.

use clap::{Parser, Subcommand};

use crate::args::{self, Request};
use crate::failure::Failure;
use crate::{account, evaluate, inspect, json, predict, text, verify};

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
    /// What a model says of each record of a file
    #[command(after_help = predict::EXAMPLES)]
    Predict(predict::Request),
    /// How well a model predicts the records of a file
    #[command(after_help = evaluate::EXAMPLES)]
    Evaluate(evaluate::Request),
    /// The model card: what it is, what it promises and to whom, what was spent
    Inspect(inspect::Request),
    /// Recomputes (ε, δ) from a model's certificate, and fails if they do not hold
    #[command(after_help = verify::CAVEAT)]
    Verify(verify::Request),
}

impl Command {
    /// As it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Account(_) => "account",
            Self::Predict(_) => "predict",
            Self::Evaluate(_) => "evaluate",
            Self::Inspect(_) => "inspect",
            Self::Verify(_) => "verify",
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
            Self::Predict(request) => predict::run(request),
            Self::Evaluate(request) => evaluate::run(request),
            Self::Inspect(request) => inspect::run(request),
            Self::Verify(request) => verify::run(request),
        }
    }
}
