//! `reticent predict`: what a model predicts for each record.

use std::path::PathBuf;

use clap::Args;
use reticent::model::{Predictions, likeliest, probabilities, probability, write_atomically};

use crate::failure::{Failure, unwritten};
use crate::format_number::exact;
use crate::output::{self, Overwrite};
use crate::score_table::{Need, score};

pub const EXAMPLES: &str = "\
The answer is CSV, one line per record in the order of DATA: label,probability for
classes (for two, the probability is that of the second, whatever the label; for
a multinomial model, that of the label), value for numbers. A value may lie
beyond the range that the target was clipped to.

Examples:
  reticent predict patients.csv --model model.json
  reticent predict a9a.t --model model.json --out predictions.csv
  reticent predict news20.t --model model.json --probabilities";

/// The arguments of `reticent predict`.
#[derive(Debug, Args)]
pub struct PredictArgs {
    /// The records: LIBSVM, CSV or Parquet, as the model was fitted on; columns with names are
    /// found by them; compressed or not
    #[arg(value_name = "DATA")]
    pub data: PathBuf,

    /// The model that `reticent fit` wrote
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,

    /// Write here instead of standard output, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    #[command(flatten)]
    pub overwrite: Overwrite,

    /// Add one column per class, with its probability
    #[arg(long)]
    pub probabilities: bool,

    /// Columns of DATA are numbered from 0 [default: as in the file the model was fitted on]
    #[arg(long)]
    pub zero_based: bool,
}

/// Predicts each record.
pub fn run(request: &PredictArgs) -> Result<String, Failure> {
    if let Some(out) = &request.out {
        output::check(
            "--out",
            out,
            &[&request.data, &request.model],
            request.overwrite,
        )?;
    }
    let scored = score(
        &request.model,
        &request.data,
        Need::Features,
        request.zero_based,
    )?;
    let numbers = matches!(scored.predictions, Predictions::Values(_));
    if numbers && request.probabilities {
        let model = request.model.display();
        return Err(Failure::Failed(format!(
            "{model}: it predicts numbers, which have no probabilities; leave out --probabilities"
        )));
    }
    let text = render(&scored.predictions, request.probabilities);
    let Some(out) = &request.out else {
        return Ok(text);
    };
    write_atomically(out, text.as_bytes())
        .map_err(|error| Failure::Failed(format!("{}: {}", out.display(), unwritten(&error))))?;
    let records = scored.table.features.rows();
    Ok(format!(
        "{records} predictions written to {}\n",
        out.display()
    ))
}

/// The predictions as CSV, with the probability of every class if `all`; numbers read back as
/// exactly the same floats.
fn render(predictions: &Predictions, all: bool) -> String {
    match predictions {
        Predictions::Classes { scores, names } => {
            let mut table = Lines::of_classes(names, all);
            for &score in scores {
                let second = probability(score);
                table.class(usize::from(score > 0.0), second, &[1.0 - second, second]);
            }
            table.out
        }
        Predictions::Multiclass { scores, names } => {
            let mut table = Lines::of_classes(names, all);
            for row in scores.chunks_exact(names.len()) {
                let all_probabilities = probabilities(row);
                let class = likeliest(row);
                table.class(class, all_probabilities[class], &all_probabilities);
            }
            table.out
        }
        Predictions::Values(values) => {
            let mut out = "value\n".to_owned();
            for &value in values {
                out.push_str(&exact(value));
                out.push('\n');
            }
            out
        }
    }
}

/// Lines of predicted classes.
struct Lines {
    /// As fields of CSV.
    names: Vec<String>,
    all: bool,
    out: String,
}

impl Lines {
    /// The head, and no line yet.
    fn of_classes(names: &[String], all: bool) -> Self {
        let mut out = "label,probability".to_owned();
        if all {
            for name in names {
                out.push(',');
                out.push_str(&quoted(&format!("probability of {name}")));
            }
        }
        out.push('\n');
        let names = names.iter().map(|name| quoted(name)).collect();
        Self { names, all, out }
    }

    /// A line: the class, a probability, and those of every class if they are wanted.
    fn class(&mut self, class: usize, probability: f64, all_probabilities: &[f64]) {
        self.out.push_str(&self.names[class]);
        let all_probabilities = if self.all { all_probabilities } else { &[] };
        for &probability in std::iter::once(&probability).chain(all_probabilities) {
            self.out.push(',');
            self.out.push_str(&exact(probability));
        }
        self.out.push('\n');
    }
}

/// A field of a CSV line, in quotes where it needs them (RFC 4180).
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_labels_and_the_probability_of_the_second() {
        let predictions = Predictions::Classes {
            scores: vec![0.0, 2.0, -1000.0],
            names: ["no".to_owned(), "yes, \"very\"".to_owned()],
        };
        let expected =
            "label,probability\nno,0.5\n\"yes, \"\"very\"\"\",0.8807970779778823\nno,0\n";
        assert_eq!(render(&predictions, false), expected);
        let all = render(&predictions, true);
        let head = "label,probability,probability of no,\"probability of yes, \"\"very\"\"\"\n";
        assert!(all.starts_with(&format!("{head}no,0.5,0.5,0.5\n")), "{all}");
    }

    #[test]
    fn several_classes_are_labels_and_their_probability() {
        let predictions = Predictions::Multiclass {
            scores: vec![0.0, 0.0, 1000.0, 2.0, 2.0, 2.0],
            names: ["a", "b", "c"].map(str::to_owned).to_vec(),
        };
        let expected = "label,probability\nc,1\na,0.3333333333333333\n";
        assert_eq!(render(&predictions, false), expected);
        let all = "label,probability,probability of a,probability of b,probability of c\n\
                   c,1,0,0,1\n\
                   a,0.3333333333333333,0.3333333333333333,0.3333333333333333,0.3333333333333333\n";
        assert_eq!(render(&predictions, true), all);
    }

    #[test]
    fn values_read_back_exactly() {
        let values = vec![0.1 + 0.2, -1e-300, 3.0];
        let text = render(&Predictions::Values(values.clone()), false);
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("value"));
        let read: Vec<f64> = lines.map(|line| line.parse().unwrap()).collect();
        assert_eq!(read, values);
    }
}
