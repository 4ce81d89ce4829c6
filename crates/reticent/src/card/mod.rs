//! The card of a model: what it is, what it promises and what it does not, and what was spent. The
//! command `reticent inspect` and the Python package show it, and what it is written with serves
//! all answers of the command.
//!
//! Text has ANSI colours, which a stream may drop; [`plain`] drops them, and [`html`] makes them
//! styles of a notebook. What comes from users, such as names, is stripped of control characters
//! before it is written ([`text_layout::printable`]), so that the only escape sequences are ours.

mod events;
pub mod format_number;
mod html;
pub mod promise;
pub mod style;
#[cfg(test)]
mod tests;
pub mod text_layout;
mod weights;

use std::fmt::Write;

pub use events::{NOISE_DIGITS, events};
pub use html::{html, plain};
pub use weights::weights;

use crate::fit::{Parameter, Task};
use crate::model::{Certificate, Model, Outcome};
use crate::privacy::{Basis, account_by};
use crate::table::{ClassPattern, Layout, RecordBound};
use format_number::{exact, short, short_numbers};
use style::{LOUD, NAME, WRONG};
use text_layout::{printable, wrapped};

/// How many weights, classes and chosen features are shown.
const SHOWN: usize = 20;

/// The card of a model.
pub fn of_model(model: &Model) -> String {
    let mut out = String::new();
    let certificate = model.certificate();
    headline(&mut out, certificate, "model");
    let is_linear = model.task() == Task::Linear;
    facts(&mut out, facts_of(model), certificate, is_linear);
    sections(&mut out, certificate);
    weights(&mut out, model, SHOWN);
    spent(&mut out, certificate);
    out
}

/// The card of a choice of features, by the names of those that were chosen.
pub fn of_choice(certificate: &Certificate, chosen: &[String]) -> String {
    let mut out = String::new();
    headline(&mut out, certificate, "choice of features");
    let more = chosen.len().saturating_sub(SHOWN);
    let mut names = chosen[..chosen.len() - more].join(", ");
    if more > 0 {
        names = format!("{names} and {more} more");
    }
    let count = format!("{} of {} features", chosen.len(), certificate.columns);
    let is_linear = certificate.target.is_some();
    let lines = vec![("chosen", count), ("names", names)];
    facts(&mut out, lines, certificate, is_linear);
    sections(&mut out, certificate);
    spent(&mut out, certificate);
    out
}

/// What it promises and what not, in sentences.
fn sections(out: &mut String, certificate: &Certificate) {
    for (title, sentences) in promise::sections(certificate) {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(out, "\n{NAME}{title}{NAME:#}");
        for sentence in sentences {
            let lines = wrapped(&printable(&sentence), 4);
            let _ = write!(out, "  - {}", lines.trim_start());
        }
    }
}

/// Whether it is private, and whether that claim can be trusted: the first thing to know.
fn headline(out: &mut String, certificate: &Certificate, what: &str) {
    if certificate.statement.has_guarantee() && !certificate.verify().holds() {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            out,
            "{WRONG}The certificate does not hold{WRONG:#}; reticent verify says why\n"
        );
        return;
    }
    if certificate.private {
        let headline = promise::headline(certificate);
        let _ = writeln!(out, "{LOUD}A private {what}{LOUD:#}   {headline}\n");
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

/// A name and what there is to say about it.
type Fact = (&'static str, String);

/// What a model is, one line each.
fn facts_of(model: &Model) -> Vec<Fact> {
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
        _ if model.features().is_some() => "features of a public map",
        Layout::Numbered { .. } if model.origin().column_names.is_some() => "named columns",
        Layout::Numbered { .. } => "numbered columns",
        Layout::Named(_) => "features of a schema",
    };
    let width = model.certificate().columns;
    let nonzero = model.nonzero();
    let weights = match model.predictor().scores() {
        1 => format!("{nonzero} of {width} {columns}"),
        classes => format!("{nonzero} of {classes} × {width}: {columns}, for each class"),
    };
    let noise = model.certificate().noise.map(|noise| {
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
    let mut facts = vec![("model", kind.to_owned()), ("predicts", predicts)];
    facts.extend(noise);
    facts.push(("weights", weights));
    let weighted = model.certificate().class_weight().map(|weight| {
        let text = format!("{weight}: probabilities refer to the population so weighted");
        ("classes", text)
    });
    facts.extend(ranges.into_iter().chain(map).chain(weighted));
    facts
}

/// These facts, and those of the certificate.
fn facts(out: &mut String, facts: Vec<Fact>, certificate: &Certificate, is_linear: bool) {
    let rows = match certificate.rows {
        RecordBound::L2(bound) => format!("clipped to l2 = {}", exact(bound)),
        RecordBound::Linf(bound) => format!("clipped to linf = {}", exact(bound)),
    };
    let of_certificate = [
        match certificate.unit {
            Some(_) => ("people", certificate.records.to_string()),
            None => ("records", certificate.records.to_string()),
        },
        ("rows", rows),
    ];
    let features = certificate.features.as_ref();
    let features = features.map(|map| {
        (
            "features",
            format!("{}; public", short_numbers(&map.sentence())),
        )
    });
    let made = [
        ("made by", format!("reticent {}", certificate.version)),
        ("method", certificate.method.name.clone()),
    ];
    let all = facts.into_iter().chain(features).chain(of_certificate);
    for (name, value) in all.chain(made) {
        let lines = wrapped(&printable(&value), 12);
        let _ = write!(out, "  {NAME}{name:<8}{NAME:#}  {}", lines.trim_start());
    }
    let parameters = &certificate.method.parameters;
    let names = parameters.iter().map(|it| it.name.chars().count());
    let width = names.max().unwrap_or_default();
    for Parameter { name, value } in parameters {
        let on_scale =
            is_linear && ["radius", "region", "huber-threshold"].contains(&name.as_str());
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
