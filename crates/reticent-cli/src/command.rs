//! The commands: one file each, with its arguments and `run`, which gives what to print.

use clap::{Parser, Subcommand};

use crate::args::{self, Request};
use crate::demo::Demo;
use crate::failure::Failure;
use crate::fit::Fit;
use crate::plan::Plan;
use crate::{account, evaluate, export, help, inspect, json, predict, schema, text, verify};

/// Sparse linear models under differential privacy
#[derive(Debug, Parser)]
#[command(name = "reticent", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// A private model of invented patients, explained; needs no file
    #[command(long_about = help::DEMO_ABOUT)]
    Demo(Demo),
    /// A template of what the columns of a table are, to be filled in; looks at no value
    #[command(after_help = schema::EXAMPLES)]
    Schema(schema::Request),
    /// What a fit would do and spend, from public facts alone; reads no data
    #[command(long_about = help::PLAN_ABOUT, after_help = help::PLAN_EXAMPLES)]
    Plan(Box<Plan>),
    /// Fits a private sparse model to a file, and writes it with its certificate
    #[command(long_about = help::FIT_ABOUT, after_help = help::FIT_EXAMPLES, after_long_help = help::FIT_TEACHING)]
    Fit(Box<Fit>),
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
    /// Writes a model as ONNX, for programs that are not reticent
    #[command(after_help = export::EXAMPLES)]
    Export(export::Request),
    /// What a list of private releases costs: ε at a δ, or the noise that fits a budget
    #[command(long_about = args::ABOUT, after_help = args::EXAMPLES, after_long_help = args::TEACHING)]
    Account(Request),
}

impl Command {
    /// As it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fit(_) => "fit",
            Self::Plan(_) => "plan",
            Self::Schema(_) => "schema",
            Self::Demo(_) => "demo",
            Self::Account(_) => "account",
            Self::Predict(_) => "predict",
            Self::Evaluate(_) => "evaluate",
            Self::Inspect(_) => "inspect",
            Self::Verify(_) => "verify",
            Self::Export(_) => "export",
        }
    }

    /// Does what was asked; what belongs on standard output comes back.
    pub fn run(&self) -> Result<String, Failure> {
        match self {
            Self::Fit(fit) => fit.run(),
            Self::Plan(plan) => plan.run(),
            Self::Schema(request) => schema::run(request),
            Self::Demo(demo) => demo.run(),
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
            Self::Export(request) => export::run(request),
        }
    }
}
