//! `--method auto` against the figures that it is to reach.

use reticent::fit::default_nonzero;

use super::case::{Case, Cases};
use super::note;
use super::trial::{Figures, Trial, figures, over, plan};
use crate::memo::Memo;

/// Which figure a goal is about.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Auc,
    Accuracy,
    Support,
}

impl Of {
    fn name(self) -> &'static str {
        match self {
            Self::Auc => "AUC",
            Self::Accuracy => "accuracy",
            Self::Support => "support F₁",
        }
    }

    fn read(self, figures: &Figures) -> f64 {
        match self {
            Self::Auc => figures.auc,
            Self::Accuracy => figures.accuracy,
            Self::Support => figures.support,
        }
    }
}

/// The least that a trial must reach, and what a prototype reached.
struct Goal {
    epsilon: f64,
    of: Of,
    least: Option<f64>,
    prototype: Option<f64>,
}

const fn goal(epsilon: f64, of: Of, least: f64, prototype: f64) -> Goal {
    let (least, prototype) = (Some(least), Some(prototype));
    Goal {
        epsilon,
        of,
        least,
        prototype,
    }
}

/// Without a figure of the prototype.
const fn floor(epsilon: f64, of: Of, least: f64) -> Goal {
    Goal {
        epsilon,
        of,
        least: Some(least),
        prototype: None,
    }
}

/// No goal: shown for comparison.
const fn shown(epsilon: f64, of: Of) -> Goal {
    Goal {
        epsilon,
        of,
        least: None,
        prototype: None,
    }
}

/// A case, how many non-zeros it may have, and its goals.
type Row<'a> = (&'a Case, Option<usize>, Vec<Goal>);

fn rows(cases: &Cases) -> Vec<Row<'_>> {
    use Of::{Accuracy, Auc, Support};
    let root = |case: &Case| Some(default_nonzero(case.facts().columns));
    vec![
        (
            &cases.a9a,
            root(&cases.a9a),
            vec![goal(1.0, Auc, 0.885, 0.8895), goal(0.1, Auc, 0.85, 0.8525)],
        ),
        (
            &cases.mushrooms,
            root(&cases.mushrooms),
            vec![goal(1.0, Auc, 0.99, 0.9905), goal(0.1, Auc, 0.95, 0.956)],
        ),
        (
            &cases.synthetic,
            Some(10),
            vec![
                goal(1.0, Accuracy, 0.98, 0.9885),
                goal(1.0, Support, 0.85, 0.889),
                shown(0.1, Accuracy),
                shown(0.1, Support),
            ],
        ),
        (
            &cases.a9a,
            None,
            vec![goal(1.0, Auc, 0.895, 0.898), goal(0.1, Auc, 0.865, 0.869)],
        ),
        (
            &cases.reuters,
            None,
            vec![goal(1.0, Auc, 0.92, 0.921), goal(4.0, Auc, 0.972, 0.975)],
        ),
        (
            &cases.news20,
            None,
            vec![goal(1.0, Auc, 0.865, 0.869), goal(4.0, Auc, 0.915, 0.917)],
        ),
        (
            &cases.kddcup99,
            root(&cases.kddcup99),
            vec![floor(1.0, Auc, 0.99)],
        ),
    ]
}

/// Measures every goal.
pub fn study(cases: &Cases, memo: &Memo, page: &mut String) {
    note(page, INTRODUCTION);
    note(
        page,
        "| table | non-zeros wanted | ε proved | figure | auto | floor | prototype | LASSO, same size | LASSO, free | non-zeros | method |",
    );
    note(page, "|---|---|---|---|---|---|---|---|---|---|---|");
    let mut reasons = String::new();
    let mut missed = Vec::new();
    for (case, nonzero, goals) in rows(cases) {
        row(case, nonzero, &goals, memo, page, &mut reasons, &mut missed);
    }
    note(page, &format!("\nWhy `auto` took each method:\n{reasons}"));
    let verdict = match &missed[..] {
        [] => "Every floor is reached.".to_owned(),
        _ => format!("**Below its floor:** {}.", missed.join("; ")),
    };
    note(page, &verdict);
}

const INTRODUCTION: &str = "
## Goals

`--method auto` at δ = 1/n², which is given the number of non-zeros or, at “–”, finds it. *Floor*
is the least that was asked for; *prototype* is the best of a small grid of settings of a prototype
with valid noise, where `auto` has no settings. The LASSO has no privacy: it has the same number of
weights, or as many as the least AIC along its path takes. `mushrooms`, `kddcup99` and `news20`
learn from a random four fifths, another one for each seed, and are measured on the rest;
`synthetic` is made anew for each seed: 8 000 records to learn from, 10 000 to measure on. Rows:
linf = 1, for `synthetic` 3, for text l2 = 1.
";

fn row(
    case: &Case,
    nonzero: Option<usize>,
    goals: &[Goal],
    memo: &Memo,
    page: &mut String,
    reasons: &mut String,
    missed: &mut Vec<String>,
) {
    let mut budgets: Vec<f64> = goals.iter().map(|goal| goal.epsilon).collect();
    budgets.dedup();
    let trials: Vec<Trial> = budgets
        .iter()
        .map(|&epsilon| Trial::Auto { epsilon, nonzero })
        .collect();
    let found = figures("goals", case, &trials, memo);
    let free = Trial::Baseline { nonzero: None };
    let baselines = match nonzero {
        Some(_) => vec![free, Trial::Baseline { nonzero }],
        None => vec![free],
    };
    let baselines = figures("goals", case, &baselines, memo);
    let wanted = nonzero.map_or("–".to_owned(), |s| s.to_string());
    for goal in goals {
        let at = budgets
            .iter()
            .position(|e| *e == goal.epsilon)
            .expect("a budget of the goals");
        let fits = &found[at];
        let reached = over(fits, |f| goal.of.read(f));
        let (plan, why) = plan(case.task, case.facts(), trials[at]);
        let name = format!("{} at ε = {}, {}", case.name, goal.epsilon, goal.of.name());
        if goal.least.is_some_and(|least| reached.mean < least) {
            missed.push(format!("{name}: {:.4}", reached.mean));
        }
        if goal.of != Of::Support {
            *reasons += &format!(
                "- {}, {wanted} wanted, ε = {}: `{}`: {why}\n",
                case.name,
                goal.epsilon,
                plan.name()
            );
        }
        let same = baselines.get(1).map_or("–".to_owned(), |baselines| {
            over(baselines, |f| goal.of.read(f)).to_string()
        });
        note(
            page,
            &format!(
                "| {} | {wanted} | {:.3} | {} | {reached} | {} | {} | {same} | {} | {:.0} | {} |",
                case.name,
                over(fits, |f| f.epsilon).mean,
                goal.of.name(),
                optional(goal.least),
                optional(goal.prototype),
                over(&baselines[0], |f| goal.of.read(f)),
                over(fits, |f| f.nonzero).mean,
                plan.name(),
            ),
        );
    }
}

fn optional(figure: Option<f64>) -> String {
    figure.map_or("–".to_owned(), |figure| figure.to_string())
}
