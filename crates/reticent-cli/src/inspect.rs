//! `reticent inspect`: the model card.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use reticent::fit::{Parameter, Task};
use reticent::model::{Certificate, Model, Outcome};
use reticent::privacy::{Basis, account_by};
use reticent::table::{ClassPattern, Layout, RecordBound};
use serde::Serialize;

use crate::account_text::events;
use crate::evaluate::{class_names, short, short_numbers};
use crate::failure::Failure;
use crate::format_number::{exact, significant};
use crate::promise;
use crate::style::{ALARM, BAR, LOUD, NAME, bar};
use crate::text_layout::{cut, printable, wrapped};
use crate::verify::WRONG;

/// How many weights are shown.
const SHOWN: usize = 20;

/// Columns of the longest bar.
const BAR_WIDTH: usize = 20;

/// Columns of a class's name before a feature's.
const CLASS_WIDTH: usize = 16;

/// Columns of a feature's name.
const FEATURE_WIDTH: usize = 36;

/// The arguments of `reticent inspect`.
#[derive(Debug, Args)]
pub struct InspectArgs {
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
    classes: Option<&'a [ClassPattern]>,
    columns: usize,
    nonzero: usize,
    #[serde(flatten)]
    functions: Functions<'a>,
    /// Whether the certificate holds, according to `reticent verify`.
    holds: bool,
    certificate: &'a Certificate,
}

/// The linear functions of a model: a single one, or one per class.
#[derive(Serialize)]
#[serde(untagged)]
enum Functions<'a> {
    One(Function),
    Several { outputs: Vec<OfClass<'a>> },
}

#[derive(Serialize)]
struct Function {
    intercept: f64,
    largest: Vec<Weight>,
}

#[derive(Serialize)]
struct OfClass<'a> {
    class: &'a str,
    nonzero: usize,
    #[serde(flatten)]
    function: Function,
}

#[derive(Serialize)]
struct Weight {
    feature: String,
    weight: f64,
}

/// Shows the card of a model.
pub fn run(request: &InspectArgs) -> Result<String, Failure> {
    let model = Model::read(&request.model).map_err(Failure::of_model)?;
    Ok(if request.json {
        json(&model)
    } else {
        text(&model)
    })
}

/// A function with its largest weights, the largest first.
fn function(model: &Model, score: usize) -> Function {
    let mut weights = model.predictor().weights(score).to_vec();
    weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    weights.truncate(SHOWN);
    let named = |(column, weight): (u32, f64)| Weight {
        feature: model.layout().name(column as usize),
        weight,
    };
    Function {
        intercept: model.predictor().intercept(score),
        largest: weights.into_iter().map(named).collect(),
    }
}

/// The functions of a model of this kind.
fn functions(model: &Model) -> Functions<'_> {
    let names = class_names(model).unwrap_or_default();
    match model.predictor().scores() {
        1 => Functions::One(function(model, 0)),
        _ => Functions::Several {
            outputs: (names.into_iter().enumerate())
                .map(|(score, class)| OfClass {
                    class,
                    nonzero: model.predictor().weights(score).len(),
                    function: function(model, score),
                })
                .collect(),
        },
    }
}

fn json(model: &Model) -> String {
    let report = Report {
        task: model.task(),
        classes: match model.outcome() {
            Outcome::Classes(classes) => Some(classes),
            Outcome::Value(_) => None,
        },
        columns: model.layout().width(),
        nonzero: model.nonzero(),
        functions: functions(model),
        holds: model.certificate().verify().holds(),
        certificate: model.certificate(),
    };
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
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
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
        for sentence in sentences {
            let lines = wrapped(&printable(&sentence), 4);
            let _ = write!(out, "  - {}", lines.trim_start());
        }
    }
    weights(&mut out, model, SHOWN);
    spent(&mut out, certificate);
    out
}

/// Whether it is private, and whether that claim can be trusted: the first thing to know.
fn headline(out: &mut String, certificate: &Certificate) {
    if certificate.statement.has_guarantee() && !certificate.verify().holds() {
        let _ = writeln!(
            out,
            "{WRONG}The certificate does not hold{WRONG:#}; reticent verify says why\n"
        );
        return;
    }
    if certificate.private {
        let headline = promise::headline(certificate);
        let _ = writeln!(out, "{LOUD}A private model{LOUD:#}   {headline}\n");
        return;
    }
    let no_guarantee = match certificate.statement.has_guarantee() {
        true => "",
        false => "   no guarantee",
    };
    let _ = writeln!(out, "{WRONG}NOT PRIVATE{no_guarantee}{WRONG:#}");
    for reason in &certificate.reasons_not_private {
        let lines = wrapped(&printable(reason), 2);
        let _ = write!(out, "{WRONG}{lines}{WRONG:#}");
    }
    out.push('\n');
}

/// What it is, one line each.
fn facts(out: &mut String, model: &Model) {
    let certificate = model.certificate();
    let rows = match certificate.rows {
        RecordBound::L2(bound) => format!("clipped to l2 = {}", exact(bound)),
        RecordBound::Linf(bound) => format!("clipped to linf = {}", exact(bound)),
    };
    let predicts = match model.outcome() {
        Outcome::Classes(classes) => one_of(classes),
        Outcome::Value(range) => format!(
            "a number; targets were clipped to {} to {}",
            exact(range.low),
            exact(range.high)
        ),
    };
    let kind = match model.task() {
        Task::Logistic => "logistic regression",
        Task::Linear => "linear regression",
        Task::Multinomial { .. } => "multinomial logistic regression",
    };
    let columns = match model.layout() {
        Layout::Numbered { .. } => "numbered columns",
        Layout::Named(_) => "features of a schema",
    };
    let width = model.layout().width();
    let nonzero = model.nonzero();
    let weights = match model.predictor().scores() {
        1 => format!("{nonzero} of {width} {columns}"),
        classes => format!("{nonzero} of {classes} × {width}: {columns}, for each class"),
    };
    let noise = certificate.noise.map(|noise| {
        let noise = short(noise);
        format!("predictions are off by about {noise}, in the target's units, for noise alone")
    });
    let noise = noise.map(|noise| ("noise", noise));
    let map = model.predictor().map().map(|map| {
        let points = map.points().len();
        let text =
            format!("an increasing map of the weighted sum, straight between {points} points");
        ("log-odds", text)
    });
    let ranges = match model.predictor().ranges().len() {
        0 => None,
        count => Some((
            "ranges",
            format!(
                "of {count} columns the fit found where in their bounds they lie: a value beyond \
                 that counts as the end of it"
            ),
        )),
    };
    let weighted = certificate.class_weight().map(|weight| {
        let text = format!("{weight}: probabilities refer to the population so weighted");
        ("classes", text)
    });
    for (name, value) in [("model", kind.to_owned()), ("predicts", predicts)]
        .into_iter()
        .chain(noise)
        .chain([("weights", weights)])
        .chain(ranges)
        .chain(map)
        .chain(weighted)
        .chain([
            match certificate.unit {
                Some(_) => ("people", certificate.records.to_string()),
                None => ("records", certificate.records.to_string()),
            },
            ("rows", rows),
            ("made by", format!("reticent {}", certificate.version)),
            ("method", certificate.method.name.clone()),
        ])
    {
        let lines = wrapped(&printable(&value), 12);
        let _ = write!(out, "  {NAME}{name:<8}{NAME:#}  {}", lines.trim_start());
    }
    let parameters = &certificate.method.parameters;
    let names = parameters.iter().map(|it| it.name.chars().count());
    let width = names.max().unwrap_or_default();
    for Parameter { name, value } in parameters {
        let on_scale = model.task() == Task::Linear
            && ["radius", "region", "huber-threshold"].contains(&name.as_str());
        let scale = match on_scale {
            true => "   (the target scaled to [−1, 1])",
            false => "",
        };
        let (name, value) = (printable(name), printable(&short_numbers(value)));
        let lines = wrapped(&format!("{value}{scale}"), 14 + width);
        let _ = write!(out, "            {name:<width$}  {}", lines.trim_start());
    }
}

/// The names of classes; of many, the first.
fn one_of(classes: &[ClassPattern]) -> String {
    let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
    match &names[..] {
        [first @ .., last] if names.len() <= SHOWN => format!("{} or {last}", first.join(", ")),
        _ => format!(
            "one of {} classes: {}, …",
            names.len(),
            names[..SHOWN.min(names.len())].join(", ")
        ),
    }
}

/// At most so many of the largest weights, as bars; for several functions with their class.
pub fn weights(out: &mut String, model: &Model, most: usize) {
    let names = class_names(model).unwrap_or_default();
    let predictor = model.predictor();
    let several = predictor.scores() > 1;
    let of_class = |class: usize, text: &str| match several {
        true => {
            let class = cut(&printable(names[class]), CLASS_WIDTH);
            format!("{class}: {}", cut(text, FEATURE_WIDTH))
        }
        false => cut(text, FEATURE_WIDTH),
    };
    let mut all: Vec<(usize, u32, f64)> = (0..predictor.scores())
        .flat_map(|class| {
            let weights = predictor.weights(class).iter();
            weights.map(move |&(j, w)| (class, j, w))
        })
        .collect();
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    let count = all.len();
    all.truncate(most);
    let title = match count {
        0 => "No weights except the intercept".to_owned(),
        _ if count <= most => "Weights, the largest first".to_owned(),
        _ => format!("The {most} largest of {count} weights"),
    };
    let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
    let rows: Vec<(String, f64)> = (all.into_iter())
        .map(|(class, column, weight)| {
            let feature = printable(&model.layout().name(column as usize));
            (of_class(class, &feature), weight)
        })
        .collect();
    // The intercepts of many classes are in the JSON.
    let intercepts: Vec<(String, f64)> = (0..predictor.scores())
        .take(most)
        .map(|class| (of_class(class, "(intercept)"), predictor.intercept(class)))
        .collect();
    let width = rows
        .iter()
        .chain(&intercepts)
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or_default();
    let most = rows.first().map_or(1.0, |(_, weight)| weight.abs());
    for (name, weight) in &rows {
        let style = if *weight < 0.0 { ALARM } else { BAR };
        let _ = writeln!(
            out,
            "  {name:<width$}  {:>11}  {style}{}{style:#}",
            significant(*weight, 4),
            bar(weight.abs() / most, BAR_WIDTH)
        );
    }
    for (name, intercept) in intercepts {
        let _ = writeln!(out, "  {name:<width$}  {:>11}", significant(intercept, 4));
    }
}

/// The releases that were charged, as `account` shows them.
fn spent(out: &mut String, certificate: &Certificate) {
    let statement = &certificate.statement;
    let title = match statement.basis {
        Basis::Plan => "What was spent: all of a plan",
        Basis::Filter => "What was spent, of a budget that is certified in full",
        Basis::NoGuarantee => {
            let _ = writeln!(
                out,
                "\n{NAME}What was spent{NAME:#}\n  no release is certified: no guarantee"
            );
            return;
        }
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
