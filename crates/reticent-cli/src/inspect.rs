//! `reticent inspect`: the model card.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use reticent::data::{ClassPattern, Layout, RecordBound};
use reticent::fit::Task;
use reticent::model::{Certificate, Model, Outcome};
use reticent::privacy::{Basis, account_by};
use serde::Serialize;

use crate::decimal::exact;
use crate::evaluate::short;
use crate::failure::Failure;
use crate::promise;
use crate::style::{ALARM, BAR, LOUD, NAME, bar};
use crate::text::events;
use crate::verify::WRONG;
use crate::words::{cut, shown, wrapped};

/// How many weights are shown.
const SHOWN: usize = 20;

/// Columns of the longest bar.
const BAR_WIDTH: usize = 20;

/// Columns of a feature's name.
const FEATURE_WIDTH: usize = 36;

/// What `reticent inspect` is asked.
#[derive(Debug, Args)]
pub struct Request {
    /// The model that `reticent fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    pub json: bool,
}

/// The card as one JSON object.
#[derive(Serialize)]
struct Report<'a> {
    task: Task,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<&'a [ClassPattern; 2]>,
    columns: usize,
    nonzero: usize,
    intercept: f64,
    largest: Vec<Weight>,
    /// Whether the certificate holds, as `reticent verify` has it.
    holds: bool,
    certificate: &'a Certificate,
}

#[derive(Serialize)]
struct Weight {
    feature: String,
    weight: f64,
}

/// Shows the card of a model.
pub fn run(request: &Request) -> Result<String, Failure> {
    let model = Model::read(&request.model).map_err(Failure::of)?;
    Ok(if request.json {
        json(&model)
    } else {
        text(&model)
    })
}

/// The weights of the largest size, the largest first.
fn largest(model: &Model) -> Vec<Weight> {
    let mut weights = model.weights().to_vec();
    weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    weights.truncate(SHOWN);
    let named = |(column, weight): (u32, f64)| Weight {
        feature: model.layout().name(column as usize),
        weight,
    };
    weights.into_iter().map(named).collect()
}

fn json(model: &Model) -> String {
    let report = Report {
        task: model.task(),
        classes: match model.outcome() {
            Outcome::Classes(classes) => Some(classes),
            Outcome::Value(_) => None,
        },
        columns: model.layout().width(),
        nonzero: model.weights().len(),
        intercept: model.intercept(),
        largest: largest(model),
        holds: model.certificate().verify().holds(),
        certificate: model.certificate(),
    };
    // Serialisation can fail only for maps with odd keys or for writers: there are none.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}

fn text(model: &Model) -> String {
    let mut out = String::new();
    let certificate = model.certificate();
    headline(&mut out, certificate);
    facts(&mut out, model);
    for (title, sentences) in promise::sections(certificate) {
        // Writing to a String can not fail, here and below.
        let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
        for sentence in sentences {
            let lines = wrapped(&shown(&sentence), 4);
            let _ = write!(out, "  - {}", lines.trim_start());
        }
    }
    weights(&mut out, model, SHOWN);
    spent(&mut out, certificate);
    out
}

/// Whether it is private, and whether that may be believed: the first thing to know.
fn headline(out: &mut String, certificate: &Certificate) {
    if !certificate.verify().holds() {
        let _ = writeln!(
            out,
            "{WRONG}The certificate does not hold{WRONG:#}; reticent verify says why\n"
        );
        return;
    }
    if certificate.private {
        let said = promise::headline(certificate);
        let _ = writeln!(out, "{LOUD}A private model{LOUD:#}   {said}\n");
        return;
    }
    let _ = writeln!(out, "{WRONG}NOT PRIVATE{WRONG:#}");
    for reason in &certificate.reasons_not_private {
        let lines = wrapped(&shown(reason), 2);
        let _ = write!(out, "{WRONG}{lines}{WRONG:#}");
    }
    out.push('\n');
}

/// What it is, a line each.
fn facts(out: &mut String, model: &Model) {
    let certificate = model.certificate();
    let rows = match certificate.rows {
        RecordBound::L2(bound) => format!("held to l2 = {}", exact(bound)),
        RecordBound::Linf(bound) => format!("held to linf = {}", exact(bound)),
    };
    let predicts = match model.outcome() {
        Outcome::Classes([first, second]) => format!("{} or {}", first.name, second.name),
        Outcome::Value(range) => format!(
            "a number; targets were held to {} to {}",
            exact(range.low),
            exact(range.high)
        ),
    };
    let kind = match model.task() {
        Task::Logistic => "logistic regression",
        Task::Linear => "linear regression",
    };
    let columns = match model.layout() {
        Layout::Numbered { .. } => "numbered columns",
        Layout::Named(_) => "features of a schema",
    };
    let parameters: Vec<String> = certificate
        .method
        .parameters
        .iter()
        .map(|parameter| format!("{}={}", parameter.name, parameter.value))
        .collect();
    let method = format!("{} {}", certificate.method.name, parameters.join(" "));
    let width = model.layout().width();
    let nonzero = model.weights().len();
    for (name, value) in [
        ("model", kind.to_owned()),
        ("predicts", predicts),
        ("weights", format!("{nonzero} of {width} {columns}")),
        ("records", certificate.records.to_string()),
        ("rows", rows),
        ("method", method),
        ("made by", format!("reticent {}", certificate.version)),
    ] {
        let lines = wrapped(&shown(&value), 12);
        let _ = write!(out, "  {NAME}{name:<8}{NAME:#}  {}", lines.trim_start());
    }
}

/// At most so many of the largest weights, as bars.
pub fn weights(out: &mut String, model: &Model, most: usize) {
    let mut shown_weights = largest(model);
    shown_weights.truncate(most);
    let count = model.weights().len();
    let title = match count {
        0 => "No weight but the intercept".to_owned(),
        _ if count <= most => "Weights, the largest first".to_owned(),
        _ => format!("The {most} largest of {count} weights"),
    };
    let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
    let rows: Vec<(String, f64)> = shown_weights
        .into_iter()
        .map(|weight| (cut(&shown(&weight.feature), FEATURE_WIDTH), weight.weight))
        .collect();
    let intercept = ("(intercept)".to_owned(), model.intercept());
    let width = rows
        .iter()
        .map(|(name, _)| name.chars().count())
        .fold(intercept.0.len(), usize::max);
    let most = rows.first().map_or(1.0, |(_, weight)| weight.abs());
    for (name, weight) in &rows {
        let style = if *weight < 0.0 { ALARM } else { BAR };
        let _ = writeln!(
            out,
            "  {name:<width$}  {:>11}  {style}{}{style:#}",
            short(*weight),
            bar(weight.abs() / most, BAR_WIDTH)
        );
    }
    let _ = writeln!(out, "  {:<width$}  {:>11}", intercept.0, short(intercept.1));
}

/// The releases that were charged, as `account` shows them.
fn spent(out: &mut String, certificate: &Certificate) {
    let statement = &certificate.statement;
    let title = match statement.basis {
        Basis::Plan => "What was spent: all of a plan",
        Basis::Filter => "What was spent, of a budget that is certified in full",
    };
    let _ = writeln!(
        out,
        "\n{NAME}{title}, by {}{NAME:#}",
        statement.accountant.name()
    );
    let total = account_by(
        statement.accountant,
        &statement.charges,
        statement.adjacency,
        statement.delta,
    );
    match total {
        Ok(Some(total)) if !statement.charges.is_empty() => {
            events(out, &statement.charges, &total.shares, None);
        }
        Ok(Some(_)) => out.push_str("  nothing\n"),
        _ => {
            let _ = writeln!(
                out,
                "  {WRONG}the accountant does not cover these releases: see reticent verify{WRONG:#}"
            );
        }
    }
}
