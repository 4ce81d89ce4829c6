//! The commands: one file each, with its arguments and `run`, which returns what to print.

use clap::{Parser, Subcommand};

use crate::account_args::{self, AccountArgs};
use crate::demo::DemoArgs;
use crate::failure::Failure;
use crate::fit::FitArgs;
use crate::plan::PlanArgs;
use crate::summary::{self, SummaryArgs};
use crate::{
    account, account_json, account_text, completions, evaluate, export, help, inspect, man,
    predict, schema, verify,
};

/// Sparse linear models under differential privacy
#[derive(Debug, Parser)]
#[command(name = "reticent", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fits a private model of synthetic patients, and explains it; needs no file
    #[command(long_about = help::DEMO_ABOUT)]
    Demo(DemoArgs),
    /// Writes a schema template for a table; reads no value
    #[command(after_help = schema::EXAMPLES)]
    Schema(schema::SchemaArgs),
    /// Says what a fit would do and spend, from public facts alone; reads no data
    #[command(long_about = help::PLAN_ABOUT, after_help = help::PLAN_EXAMPLES)]
    Plan(Box<PlanArgs>),
    /// Fits a private sparse model to a file, and writes it with its certificate
    #[command(long_about = help::FIT_ABOUT, after_help = help::FIT_EXAMPLES, after_long_help = help::FIT_TEACHING)]
    Fit(Box<FitArgs>),
    /// Releases private counts, means, quantiles and histograms of columns
    #[command(long_about = summary::ABOUT, after_help = summary::EXAMPLES, after_long_help = summary::TEACHING)]
    Summary(Box<SummaryArgs>),
    /// Predicts each record of a file
    #[command(after_help = predict::EXAMPLES)]
    Predict(predict::PredictArgs),
    /// Measures how well a model predicts the records of a file
    #[command(after_help = evaluate::EXAMPLES)]
    Evaluate(evaluate::EvaluateArgs),
    /// Shows the model card: what it is, what it promises and to whom, what was spent
    Inspect(inspect::InspectArgs),
    /// Recomputes (ε, δ) from the certificate of a model or summary, and fails if they do not hold
    #[command(after_help = verify::CAVEAT)]
    Verify(verify::VerifyArgs),
    /// Writes a model as ONNX, for other programs
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArgs),
    /// Says what a list of private releases costs: ε at a δ, or the noise that fits a budget
    #[command(long_about = account_args::ABOUT, after_help = account_args::EXAMPLES, after_long_help = account_args::TEACHING)]
    Account(AccountArgs),
    /// Prints what a shell needs to complete the command
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
    /// Prints the manual page, or writes one for each command
    #[command(after_help = man::EXAMPLES)]
    Man(man::ManArgs),
}

impl Command {
    /// The name as it is typed.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fit(_) => "fit",
            Self::Plan(_) => "plan",
            Self::Summary(_) => "summary",
            Self::Schema(_) => "schema",
            Self::Demo(_) => "demo",
            Self::Account(_) => "account",
            Self::Predict(_) => "predict",
            Self::Evaluate(_) => "evaluate",
            Self::Inspect(_) => "inspect",
            Self::Verify(_) => "verify",
            Self::Export(_) => "export",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }

    /// Runs the command; returns what belongs on standard output.
    pub fn run(&self) -> Result<String, Failure> {
        match self {
            Self::Fit(fit) => fit.run(),
            Self::Plan(plan) => plan.run(),
            Self::Summary(summary) => summary.run(),
            Self::Schema(request) => schema::run(request),
            Self::Demo(demo) => demo.run(),
            Self::Account(request) => {
                let answer = account::answer(request)?;
                Ok(if request.json {
                    account_json::render(&answer)
                } else {
                    account_text::render(&answer)
                })
            }
            Self::Predict(request) => predict::run(request),
            Self::Evaluate(request) => evaluate::run(request),
            Self::Inspect(request) => inspect::run(request),
            Self::Verify(request) => verify::run(request),
            Self::Export(request) => export::run(request),
            Self::Completions(request) => completions::run(request),
            Self::Man(request) => man::run(request),
        }
    }
}
