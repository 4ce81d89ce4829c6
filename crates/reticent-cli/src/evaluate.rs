//! `reticent evaluate`: how well a model predicts.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use reticent::data::Target;
use reticent::fit::Task;
use reticent::metric::{self, ClassMetrics, ValueMetrics};
use reticent::model::{Outcome, Predictions};
use serde::Serialize;

use crate::decimal::exact;
use crate::failure::Failure;
use crate::scored::{Need, Scored, score};
use crate::text::{ALARM, NAME, QUIET};
use crate::words::{cut, shown, wrapped};

pub const EXAMPLES: &str = "\
Two classes: accuracy, AUC, log-loss and the confusion table. Numbers: MSE, MAE
and R². They are computed without noise: the model's certificate does not cover
them, and of private records they are as private as the records.

Example:
  reticent evaluate a9a.t --model model.json";

/// Columns of a class's name in the confusion table.
const CLASS_WIDTH: usize = 16;

const NOT_COVERED: &str = "These figures come from the records as they are, without noise: the \
certificate of the model does not cover them. If the records are private, so are the figures.";

/// What `reticent evaluate` is asked.
#[derive(Debug, Args)]
pub struct Request {
    /// The records, with the target: LIBSVM, CSV or Parquet, compressed or not
    #[arg(value_name = "DATA")]
    pub data: PathBuf,

    /// The model that `reticent fit` wrote
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,

    /// Columns of DATA are numbered from 0 [default: as in the file the model was fitted on]
    #[arg(long)]
    pub zero_based: bool,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    pub json: bool,
}

/// The answer as one JSON object.
#[derive(Serialize)]
struct Report<'a> {
    records: usize,
    task: Task,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<[&'a str; 2]>,
    metrics: &'a Metrics,
    covered_by_certificate: bool,
}

/// Metrics of either task.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Metrics {
    Classes(ClassMetrics),
    Values(ValueMetrics),
}

/// Evaluates the model.
pub fn run(request: &Request) -> Result<String, Failure> {
    let scored = score(
        &request.model,
        &request.data,
        Need::Target,
        request.zero_based,
    )?;
    let metrics = metrics(&scored.predictions, &scored.table.target).ok_or_else(|| {
        let data = request.data.display();
        Failure::Failed(format!("{data}: there are no records to evaluate on"))
    })?;
    Ok(if request.json {
        json(&scored, &metrics)
    } else {
        text(&scored, &metrics)
    })
}

/// The metrics of predictions against a target of their kind; none if there are no records, or
/// the target is of another kind.
pub fn metrics(predictions: &Predictions, target: &Target) -> Option<Metrics> {
    match (predictions, target) {
        (Predictions::Classes { scores, .. }, Target::Classes { second, .. }) => {
            metric::classes(scores, second).map(Metrics::Classes)
        }
        (Predictions::Values(values), Target::Values(target)) => {
            metric::values(values, target).map(Metrics::Values)
        }
        _ => None,
    }
}

fn names(scored: &Scored) -> Option<[&str; 2]> {
    match scored.model.outcome() {
        Outcome::Classes(classes) => Some(classes.each_ref().map(|class| class.name.as_str())),
        Outcome::Value(_) => None,
    }
}

fn json(scored: &Scored, metrics: &Metrics) -> String {
    let report = Report {
        records: scored.table.features.rows(),
        task: scored.model.task(),
        classes: names(scored),
        metrics,
        covered_by_certificate: false,
    };
    // Serialisation can fail only for maps with odd keys or for writers: there are none.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}

fn text(scored: &Scored, metrics: &Metrics) -> String {
    let mut out = String::new();
    // Writing to a String can not fail, here and below.
    let _ = writeln!(out, "{} records\n", scored.table.features.rows());
    render(&mut out, metrics, names(scored).unwrap_or_default());
    let _ = write!(out, "\n{ALARM}{}{ALARM:#}", wrapped(NOT_COVERED, 0));
    out
}

/// A line a metric, and the confusion table of two classes with these names.
pub fn render(out: &mut String, metrics: &Metrics, names: [&str; 2]) {
    let mut line = |name: &str, value: Option<f64>, meaning: &str| {
        let value = value.map_or_else(|| "—".to_owned(), short);
        let _ = writeln!(
            out,
            "  {NAME}{name:<8}{NAME:#}  {value:>10}  {QUIET}{meaning}{QUIET:#}"
        );
    };
    match metrics {
        Metrics::Classes(classes) => {
            let accuracy = "share of the records whose class was predicted";
            line("accuracy", Some(classes.accuracy), accuracy);
            let auc = match classes.auc {
                Some(_) => "how often the second class scores above the first",
                None => "one of the classes is absent",
            };
            line("AUC", classes.auc, auc);
            line("log-loss", Some(classes.log_loss), "0.693 for even odds");
            confusion(out, &classes.confusion, names);
        }
        Metrics::Values(values) => {
            line("MSE", Some(values.mse), "mean squared error");
            line("MAE", Some(values.mae), "mean absolute error");
            let r2 = match values.r2 {
                Some(_) => "share of the variance that is explained",
                None => "the target does not vary",
            };
            line("R²", values.r2, r2);
        }
    }
}

/// True classes down, predicted ones across.
fn confusion(out: &mut String, counts: &[[u64; 2]; 2], names: [&str; 2]) {
    let names = names.map(|name| cut(&shown(name), CLASS_WIDTH));
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .chain(counts.iter().flatten().map(|count| count.to_string().len()))
        .fold(8, usize::max);
    let _ = writeln!(
        out,
        "\n  {NAME}{:<width$}  {:>width$}  {:>width$}{NAME:#}  {QUIET}predicted{QUIET:#}",
        "true", names[0], names[1]
    );
    for (name, row) in names.iter().zip(counts) {
        let _ = writeln!(
            out,
            "  {NAME}{name:<width$}{NAME:#}  {:>width$}  {:>width$}",
            row[0], row[1]
        );
    }
}

/// Four significant digits.
pub fn short(value: f64) -> String {
    format!("{value:.3e}")
        .parse()
        .map_or_else(|_| value.to_string(), exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_read_like_this() {
        let metrics = Metrics::Classes(ClassMetrics {
            accuracy: 0.85321,
            auc: Some(0.9),
            log_loss: 0.33,
            confusion: [[11360, 1075], [1500, 2346]],
        });
        let mut out = String::new();
        render(&mut out, &metrics, ["<=50K", ">50K"]);
        let expected = "  accuracy      0.8532  share of the records whose class was predicted
  AUC              0.9  how often the second class scores above the first
  log-loss        0.33  0.693 for even odds

  true         <=50K      >50K  predicted
  <=50K        11360      1075
  >50K          1500      2346
";
        assert_eq!(anstream::adapter::strip_str(&out).to_string(), expected);
    }

    #[test]
    fn what_has_no_answer_is_a_dash_with_the_reason() {
        let metrics = Metrics::Values(ValueMetrics {
            mse: 1.0,
            mae: 1.0,
            r2: None,
        });
        let mut out = String::new();
        render(&mut out, &metrics, ["", ""]);
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert!(plain.ends_with("—  the target does not vary\n"), "{plain}");
    }

    #[test]
    fn four_digits_are_shown() {
        assert_eq!(short(0.123456), "0.1235");
        assert_eq!(short(-12345.6), "-12350");
        assert_eq!(short(1.5e-9), "1.5e-9");
        assert_eq!(short(0.0), "0");
    }
}
