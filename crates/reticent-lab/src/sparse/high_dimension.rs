//! More columns than records, or nearly so: `--method auto` against ε.

use std::path::Path;

use reticent::fit::Task;

use super::case::{Case, Cases};
use super::trial::{Figures, Trial, figures, over, plan};
use super::{SEEDS, note, save};
use crate::chart::{Axis, Chart, Line, Point, Scale};
use crate::memo::Memo;
use crate::summary::Summary;

const BUDGETS: [f64; 5] = [0.5, 1.0, 2.0, 5.0, 10.0];

/// Measures every case at every budget.
pub fn study(cases: &Cases, results: &Path, memo: &Memo, page: &mut String) {
    note(page, INTRODUCTION);
    let heads = BUDGETS.map(|epsilon| format!(" ε = {epsilon} |")).concat();
    note(
        page,
        &format!(
            "| table | n × d | figure |{heads} without privacy | non-zeros at ε = 1, and without privacy | method |"
        ),
    );
    note(
        page,
        &format!("|---|---|---|{}---|---|---|", "---|".repeat(BUDGETS.len())),
    );
    let rows = [
        &cases.dexter,
        &cases.dorothea,
        &cases.leu,
        &cases.reuters,
        &cases.news20,
        &cases.news20_classes,
    ];
    let mut lines = Vec::new();
    let mut small = Vec::new();
    for case in rows {
        lines.extend(row(case, memo, page, &mut small));
    }
    note(
        page,
        "\n![Accuracy against ε in high dimension](sparse-high-dimension.svg)\n",
    );
    note(page, &small.join("\n"));
    let chart = Chart {
        title: "High dimension: AUC (20 classes: accuracy) against ε".to_owned(),
        x: Axis {
            label: "ε proved, δ = 1/n²",
            scale: Scale::Logarithmic,
        },
        y: Axis {
            label: "on records not trained on",
            scale: Scale::Linear,
        },
        lines,
    };
    save(results, "sparse-high-dimension.svg", &chart.svg());
}

const INTRODUCTION: &str = "
## High dimension

`--method auto` at δ = 1/n², the number of non-zeros left to it. Rows: `dexter` l2 = 999 (its
counts are scaled to at most 999), `dorothea` linf = 1 (binary), `leu` linf = 3 (standardised by
whoever published it), the others l2 = 1. Those that have a test set are measured on it; of
`news20` each seed learns from a random four fifths; with 20 classes one fit is without privacy.
Without privacy: the LASSO with the least AIC along its path, and for 20 classes with the
penalty 1/n.
";

/// AUC, or of several classes the accuracy.
fn figure(case: &Case) -> (&'static str, fn(&Figures) -> f64, f64) {
    match case.task {
        Task::Multinomial { classes } => ("accuracy", |f| f.accuracy, 1.0 / f64::from(classes)),
        _ => ("AUC", |f| f.auc, 0.5),
    }
}

/// A row of the table, the lines of the chart, and a sentence where nothing is learned.
fn row(case: &Case, memo: &Memo, page: &mut String, small: &mut Vec<String>) -> [Line; 2] {
    let auto = |epsilon| Trial::Auto {
        epsilon,
        nonzero: None,
    };
    let mut found = figures("high dimension", case, &BUDGETS.map(auto), memo);
    found.extend(figures(
        "high dimension",
        case,
        &[Trial::Baseline { nonzero: None }],
        memo,
    ));
    let baseline = found.pop().expect("the last trial");
    let (label, read, chance) = figure(case);
    let reached: Vec<Summary> = found.iter().map(|fits| over(fits, read)).collect();
    let best = over(&baseline, read);
    let facts = case.facts();
    let (plan, _) = plan(case.task, facts, auto(1.0));
    let cells: String = reached
        .iter()
        .map(|summary| format!(" {summary} |"))
        .collect();
    note(
        page,
        &format!(
            "| {} | {} × {} | {label} |{cells} {best} | {:.0}, {:.0} | {} |",
            case.name,
            facts.records,
            facts.columns,
            over(&found[1], |f| f.nonzero).mean,
            over(&baseline, |f| f.nonzero).mean,
            plan.name(),
        ),
    );
    small.extend(sentence(case, &reached, best, chance));
    let point = |(x, summary): (f64, Summary)| Point {
        x,
        mean: summary.mean,
        deviation: summary.deviation,
    };
    let reference = Summary {
        deviation: 0.0,
        ..best
    };
    [
        Line {
            name: case.name.to_owned(),
            points: BUDGETS.into_iter().zip(reached).map(point).collect(),
            dashed: false,
        },
        Line {
            name: String::new(),
            points: BUDGETS.into_iter().map(|x| point((x, reference))).collect(),
            dashed: true,
        },
    ]
}

/// Where the mean lies within two standard errors of what guessing reaches, n is too small.
fn sentence(case: &Case, reached: &[Summary], best: Summary, chance: f64) -> Option<String> {
    let guesses =
        |summary: &Summary| summary.mean < chance + 2.0 * summary.deviation / (SEEDS as f64).sqrt();
    let lost: Vec<String> = BUDGETS
        .iter()
        .zip(reached)
        .filter(|(_, summary)| guesses(summary))
        .map(|(epsilon, _)| epsilon.to_string())
        .collect();
    let records = case.facts().records;
    (!lost.is_empty()).then(|| {
        format!(
            "- `{}`: {records} records are too few for a private model at ε = {}: the mean is \
             within two standard errors of guessing, {chance}. Without privacy it is {:.3}.",
            case.name,
            lost.join(", "),
            best.mean
        )
    })
}
