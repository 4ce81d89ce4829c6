//! The demonstration in words: what a budget is, what it bought, what the certificate says.

use std::fmt::Write;

use super::patients::MEASURES;
use super::{Findings, HELD_OUT, TRAINING};
use crate::format_number::{exact, rounded_up};
use crate::style::{BAR, LOUD, NAME, QUIET, bar};
use crate::text_layout::wrapped;

/// Columns of the longest bar.
const BAR_WIDTH: usize = 30;

/// How many weights are shown.
const SHOWN: usize = 10;

/// The whole story.
pub fn render(findings: &Findings) -> String {
    let mut out = String::new();
    opening(&mut out, findings);
    weights(&mut out, findings);
    quality(&mut out, findings);
    trade(&mut out, findings);
    certificate(&mut out, findings);
    next(&mut out, findings);
    out
}

fn title(out: &mut String, number: u8, text: &str) {
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "\n{LOUD}{number}. {text}{LOUD:#}");
}

fn opening(out: &mut String, findings: &Findings) {
    let measures = MEASURES.len();
    let matter = MEASURES
        .iter()
        .filter(|measure| measure.effect != 0.0)
        .count();
    let statement = &findings.trained.model.certificate().statement;
    title(out, 1, "The patients and the budget");
    let _ = writeln!(
        out,
        "{TRAINING} patients who never lived, {measures} measures each; who gets heart disease\n\
         depends on {matter} of them. We want a model that can be published although it was\n\
         learned from people: it must not tell whether any one of them was in the table,\n\
         or what their record said.\n\n\
         The budget is {NAME}ε = {}, δ = {}{NAME:#}: whatever one patient's record says, it\n\
         changes the probability of any model that could come out by a factor of at most\n\
         e^ε = {}, except with probability δ. A smaller ε protects more and costs\n\
         accuracy. Budgets of several models of the same people add up.",
        rounded_up(statement.epsilon, 4),
        exact(statement.delta.get()),
        rounded_up(statement.epsilon.exp(), 3),
    );
}

fn weights(out: &mut String, findings: &Findings) {
    let model = &findings.trained.model;
    title(out, 2, "The model");
    let why = match &findings.trained.why {
        Some(why) => format!(": {why}"),
        None => String::new(),
    };
    let text = format!(
        "The method is {}, which auto chose from public facts{why}. {} of {} weights are not \
         zero; how many are kept follows from what is released anyway. The largest, for a \
         measure that goes from the middle of its bounds to the top (* marks those that truly \
         matter):",
        model.certificate().method.name,
        model.nonzero(),
        MEASURES.len()
    );
    out.push_str(&wrapped(&text, 0));
    out.push('\n');
    let mut weights = model.predictor().weights(0).to_vec();
    weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let largest = weights.first().map_or(1.0, |weight| weight.1.abs());
    for &(column, weight) in weights.iter().take(SHOWN) {
        let name = model.layout().name(column as usize);
        let matters = MEASURES
            .iter()
            .any(|measure| measure.name == name && measure.effect != 0.0);
        let _ = writeln!(
            out,
            "  {} {name:<18} {weight:>+7.3}  {BAR}{}{BAR:#}",
            if matters { '*' } else { ' ' },
            bar(weight.abs() / largest, BAR_WIDTH)
        );
    }
}

fn quality(out: &mut String, findings: &Findings) {
    title(out, 3, "How good it is");
    let (private, exact) = (&findings.metrics, &findings.exact);
    let auc = |auc: Option<f64>| auc.map_or("-".to_owned(), |auc| format!("{auc:.3}"));
    let _ = writeln!(
        out,
        "Measured on {HELD_OUT} other patients (for real ones the certificate would not cover\n\
         such figures):\n\n  \
         {NAME}{:<18}  accuracy     AUC   weights{NAME:#}\n  \
         {:<18}  {:>8.3}  {:>6}  {:>8}\n  \
         {:<18}  {:>8.3}  {:>6}  {:>8}\n\n\
         AUC: how often an ill patient scores above a healthy one; 0.5 is chance.",
        "",
        "private",
        private.accuracy,
        auc(private.auc),
        findings.trained.model.nonzero(),
        "without privacy",
        exact.accuracy,
        auc(exact.auc),
        findings.exact_weights,
    );
}

fn trade(out: &mut String, findings: &Findings) {
    title(out, 4, "Privacy against accuracy");
    let best = findings.exact.auc.unwrap_or(1.0);
    let _ = writeln!(out, "The same table at other budgets:\n");
    let line = |out: &mut String, name: String, auc: f64| {
        let share = (auc - 0.5) / (best - 0.5);
        let _ = writeln!(
            out,
            "  {name:<15}  AUC {auc:.3}  {BAR}{}{BAR:#}",
            bar(share, BAR_WIDTH)
        );
    };
    for &(epsilon, auc) in &findings.curve {
        line(out, format!("ε = {}", exact(epsilon)), auc);
    }
    line(out, "without privacy".to_owned(), best);
    let _ = writeln!(out, "  {QUIET}bars start at 0.5, which is chance{QUIET:#}");
}

fn certificate(out: &mut String, findings: &Findings) {
    let certificate = findings.trained.model.certificate();
    let statement = &certificate.statement;
    let checked = if certificate.verify().holds() {
        "done just now, and it holds"
    } else {
        "done just now, and it does NOT hold: please report this"
    };
    title(out, 5, "The certificate");
    let text = format!(
        "Each model carries one. This one says: {} adjacency (one record replaced by any \
         other); every noisy release that was made; ε = {} at δ = {} in all, by the accountant \
         {}; noise from a cryptographic generator; rows clipped to declared bounds. Anyone can \
         recompute ε from the releases with `reticent verify`: {checked}.",
        statement.adjacency,
        rounded_up(statement.epsilon, 4),
        exact(statement.delta.get()),
        statement.accountant.name(),
    );
    out.push_str(&wrapped(&text, 0));
}

fn next(out: &mut String, findings: &Findings) {
    title(out, 6, "Your own file");
    match &findings.kept {
        Some(folder) => {
            let folder = folder.display();
            let _ = writeln!(
                out,
                "The patients are in {folder}. Try:\n  \
                 reticent fit {folder}/patients.csv --schema {folder}/schema.toml \\\n    \
                 --task logistic --epsilon 1 --delta 1e-6 --nonzero auto \\\n    \
                 --test {folder}/held-out.csv --out {folder}/again.json\n  \
                 reticent inspect {folder}/model.json\n  \
                 reticent verify {folder}/model.json"
            );
        }
        None => {
            let _ = writeln!(
                out,
                "  reticent schema table.csv --target NAME > schema.toml   {QUIET}then fill in the bounds{QUIET:#}\n  \
                 reticent fit table.csv --schema schema.toml --task logistic \\\n    \
                 --epsilon 1 --delta 1e-6 --nonzero auto --out model.json\n  \
                 reticent inspect model.json\n\
                 `reticent demo --keep FOLDER` leaves these patients there to practise on."
            );
        }
    }
}
