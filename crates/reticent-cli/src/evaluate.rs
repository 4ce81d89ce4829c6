//! `reticent evaluate`: how well a model predicts.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use reticent::fit::Task;
use reticent::metric::{self, ClassMetrics, MulticlassMetrics, ValueMetrics};
use reticent::model::Predictions;
use reticent::table::Target;
use serde::Serialize;

use crate::failure::Failure;
use crate::format_number::short;
use crate::score_table::{Need, Scored, score};
use crate::style::{ALARM, NAME, QUIET};
use crate::text_layout::{cut, printable, wrapped};

pub const EXAMPLES: &str = "\
Classes: accuracy, AUC, log-loss and the confusion table, or the recall of each
class if there are many. Numbers: MSE, MAE and R². They are computed without
noise: the model's certificate does not cover them, and metrics of private
records are as private as the records.

Example:
  reticent evaluate a9a.t --model model.json";

/// Columns of a class's name.
const CLASS_WIDTH: usize = 16;

/// Columns of a confusion table of several classes, at most.
const TABLE_WIDTH: usize = 80;

/// With more classes than this, their recall is shown instead of the confusion table.
const MOST_CONFUSED: usize = 10;

/// How many classes are shown with their recall, the worst first.
const WORST: usize = 20;

const NOT_COVERED: &str = "These figures were computed from the records without noise: the \
certificate of the model does not cover them. If the records are private, so are the figures.";

/// The arguments of `reticent evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArgs {
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
    classes: Option<Vec<&'a str>>,
    metrics: &'a Metrics,
    covered_by_certificate: bool,
}

/// Metrics of either task.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Metrics {
    Classes(ClassMetrics),
    Several(MulticlassMetrics),
    Values(ValueMetrics),
}

/// Evaluates the model.
pub fn run(request: &EvaluateArgs) -> Result<String, Failure> {
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

/// The metrics of predictions against a target of their kind; none if there are no records, or the
/// target is of another kind.
pub fn metrics(predictions: &Predictions, target: &Target) -> Option<Metrics> {
    match (predictions, target) {
        (Predictions::Classes { scores, .. }, Target::Classes { class, .. }) => {
            metric::classes(scores, class).map(Metrics::Classes)
        }
        (Predictions::Multiclass { scores, names }, Target::Classes { class, .. }) => {
            metric::multiclass(scores, class, names.len()).map(Metrics::Several)
        }
        (Predictions::Values(values), Target::Values(target)) => {
            metric::values(values, target).map(Metrics::Values)
        }
        _ => None,
    }
}

fn json(scored: &Scored, metrics: &Metrics) -> String {
    let report = Report {
        records: scored.table.features.rows(),
        task: scored.model.task(),
        classes: scored.model.class_names(),
        metrics,
        covered_by_certificate: false,
    };
    // Serialisation fails only for maps with unusual keys or for writers: there are none.
    let mut line = serde_json::to_string(&report).unwrap_or_default();
    line.push('\n');
    line
}

fn text(scored: &Scored, metrics: &Metrics) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "{} records\n", scored.table.features.rows());
    let names = scored.model.class_names().unwrap_or_default();
    render(&mut out, metrics, &names);
    let _ = write!(out, "\n{ALARM}{}{ALARM:#}", wrapped(NOT_COVERED, 0));
    out
}

/// One line per metric, and the confusion table, or the recall, of classes with these names.
pub fn render(out: &mut String, metrics: &Metrics, names: &[&str]) {
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
        Metrics::Several(several) => {
            let accuracy = "share of the records whose class was predicted";
            line("accuracy", Some(several.accuracy), accuracy);
            if several.top5.is_some() {
                let top5 = "share whose class is one of the five likeliest";
                line("top 5", several.top5, top5);
            }
            line("macro F1", Some(several.macro_f1), "mean F1 of the classes");
            let auc = match several.auc {
                Some(_) => "each class against all others, the mean",
                None => "fewer than two classes occur",
            };
            line("AUC", several.auc, auc);
            let even = (several.classes.len() as f64).ln();
            let even = format!("{} for even odds", short(even));
            line("log-loss", Some(several.log_loss), &even);
            let fits = |table: &&Vec<Vec<u64>>| {
                let (_, width) = columns(table, names);
                table.len() <= MOST_CONFUSED && (table.len() + 1) * (width + 2) <= TABLE_WIDTH
            };
            match several.confusion.as_ref().filter(fits) {
                Some(table) => confusion(out, table, names),
                None => recalls(out, several, names),
            }
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

/// The names as a confusion table shows them, and the width of its columns.
fn columns(counts: &[impl AsRef<[u64]>], names: &[&str]) -> (Vec<String>, usize) {
    let names: Vec<String> = (names.iter())
        .map(|name| cut(&printable(name), CLASS_WIDTH))
        .collect();
    let counts = counts.iter().flat_map(|row| row.as_ref());
    let width = names
        .iter()
        .map(|name| name.chars().count())
        .chain(counts.map(|count| count.to_string().len()));
    // Two classes have wide columns; with more they are as narrow as possible.
    let least = if names.len() == 2 { 8 } else { 4 };
    let width = width.fold(least, usize::max);
    (names, width)
}

/// True classes down, predicted ones across.
fn confusion(out: &mut String, counts: &[impl AsRef<[u64]>], names: &[&str]) {
    let (names, width) = columns(counts, names);
    let _ = write!(out, "\n  {NAME}{:<width$}", "true");
    for name in &names {
        let _ = write!(out, "  {name:>width$}");
    }
    let _ = writeln!(out, "{NAME:#}  {QUIET}predicted{QUIET:#}");
    for (name, row) in names.iter().zip(counts) {
        let _ = write!(out, "  {NAME}{name:<width$}{NAME:#}");
        for count in row.as_ref() {
            let _ = write!(out, "  {count:>width$}");
        }
        out.push('\n');
    }
}

/// The share of each class that was found, the worst first.
fn recalls(out: &mut String, metrics: &MulticlassMetrics, names: &[&str]) {
    let mut classes: Vec<_> = (names.iter().zip(&metrics.classes))
        .filter_map(|(name, count)| {
            Some((cut(&printable(name), CLASS_WIDTH), count, count.recall()?))
        })
        .collect();
    classes.sort_by(|a, b| a.2.total_cmp(&b.2));
    let hidden = classes.len().saturating_sub(WORST);
    classes.truncate(WORST);
    let width = classes
        .iter()
        .map(|(name, ..)| name.chars().count())
        .fold(8, usize::max);
    let title = match hidden {
        0 => "recall of each class, the worst first".to_owned(),
        _ => format!("recall of the {WORST} worst of {} classes", WORST + hidden),
    };
    let _ = writeln!(out, "\n  {QUIET}{title}{QUIET:#}");
    for (name, count, recall) in classes {
        let _ = writeln!(
            out,
            "  {NAME}{name:<width$}{NAME:#}  {:>10}  {QUIET}{} of {}{QUIET:#}",
            short(recall),
            count.both,
            count.records
        );
    }
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
        render(&mut out, &metrics, &["<=50K", ">50K"]);
        let expected = "  accuracy      0.8532  share of the records whose class was predicted
  AUC              0.9  how often the second class scores above the first
  log-loss        0.33  0.693 for even odds

  true         <=50K      >50K  predicted
  <=50K        11360      1075
  >50K          1500      2346
";
        assert_eq!(anstream::adapter::strip_str(&out).to_string(), expected);
    }

    /// Metrics of a model that says class 0 of the first record of each class, and is right of
    /// the others.
    fn several(classes: u32) -> Metrics {
        let class: Vec<u32> = (0..classes).flat_map(|class| [class; 2]).collect();
        let scores = class.iter().enumerate().flat_map(|(i, &class)| {
            let predicted = if i % 2 == 0 { 0 } else { class };
            (0..classes).map(move |other| f64::from(u8::from(other == predicted)))
        });
        let scores: Vec<f64> = scores.collect();
        Metrics::Several(metric::multiclass(&scores, &class, classes as usize).unwrap())
    }

    #[test]
    fn three_classes_read_like_this() {
        let mut out = String::new();
        render(&mut out, &several(3), &["a", "bird", "c"]);
        let expected = "  accuracy      0.6667  share of the records whose class was predicted
  macro F1      0.6667  mean F1 of the classes
  AUC             0.75  each class against all others, the mean
  log-loss      0.8848  1.099 for even odds

  true     a  bird     c  predicted
  a        2     0     0
  bird     1     1     0
  c        1     0     1
";
        assert_eq!(anstream::adapter::strip_str(&out).to_string(), expected);
    }

    #[test]
    fn of_many_classes_the_worst_are_shown() {
        let names: Vec<String> = (0..25).map(|class| format!("class {class}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut out = String::new();
        render(&mut out, &several(25), &names);
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert!(plain.contains("top 5"), "{plain}");
        let (_, table) = plain
            .split_once("recall of the 20 worst of 25 classes\n")
            .unwrap();
        assert_eq!(table.lines().count(), 20);
        assert_eq!(table.lines().next(), Some("  class 1          0.5  1 of 2"));
        assert!(
            plain.lines().all(|line| line.chars().count() <= 80),
            "{plain}"
        );
    }

    #[test]
    fn what_has_no_answer_is_a_dash_with_the_reason() {
        let metrics = Metrics::Values(ValueMetrics {
            mse: 1.0,
            mae: 1.0,
            r2: None,
        });
        let mut out = String::new();
        render(&mut out, &metrics, &[]);
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert!(plain.ends_with("—  the target does not vary\n"), "{plain}");
    }
}
