//! `reticent predict`: what a model says of each record.

use std::path::PathBuf;

use clap::Args;
use reticent::model::{Predictions, probability, write_atomically};

use crate::decimal::exact;
use crate::failure::Failure;
use crate::scored::{Need, score};

pub const EXAMPLES: &str = "\
The answer is CSV, a line a record in the order of DATA: label,probability for
two classes (the probability is that of the second, whatever the label), value
for numbers. A value may lie beyond the range that the target was held to.

Examples:
  reticent predict patients.csv --model model.json
  reticent predict a9a.t --model model.json --out predictions.csv";

/// What `reticent predict` is asked.
#[derive(Debug, Args)]
pub struct Request {
    /// The records: LIBSVM, CSV or Parquet, as the model was fitted on; compressed or not
    #[arg(value_name = "DATA")]
    pub data: PathBuf,

    /// The model that `reticent fit` wrote
    #[arg(long, value_name = "FILE")]
    pub model: PathBuf,

    /// Write here instead of standard output, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Columns of DATA are numbered from 0 [default: as in the file the model was fitted on]
    #[arg(long)]
    pub zero_based: bool,
}

/// Predicts each record.
pub fn run(request: &Request) -> Result<String, Failure> {
    let scored = score(
        &request.model,
        &request.data,
        Need::Features,
        request.zero_based,
    )?;
    let text = render(&scored.predictions);
    let Some(out) = &request.out else {
        return Ok(text);
    };
    write_atomically(out, text.as_bytes())
        .map_err(|error| Failure::Failed(format!("{}: {error}", out.display())))?;
    let records = scored.table.features.rows();
    Ok(format!(
        "{records} predictions written to {}\n",
        out.display()
    ))
}

/// The predictions as CSV; numbers read back as exactly the same floats.
fn render(predictions: &Predictions) -> String {
    let mut out = String::new();
    match predictions {
        Predictions::Classes { scores, names } => {
            out.push_str("label,probability\n");
            let names = names.each_ref().map(|name| quoted(name));
            for &score in scores {
                out.push_str(&names[usize::from(score > 0.0)]);
                out.push(',');
                out.push_str(&exact(probability(score)));
                out.push('\n');
            }
        }
        Predictions::Values(values) => {
            out.push_str("value\n");
            for &value in values {
                out.push_str(&exact(value));
                out.push('\n');
            }
        }
    }
    out
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
        assert_eq!(render(&predictions), expected);
    }

    #[test]
    fn values_read_back_exactly() {
        let values = vec![0.1 + 0.2, -1e-300, 3.0];
        let text = render(&Predictions::Values(values.clone()));
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("value"));
        let read: Vec<f64> = lines.map(|line| line.parse().unwrap()).collect();
        assert_eq!(read, values);
    }
}
