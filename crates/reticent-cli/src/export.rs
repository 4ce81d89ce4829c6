//! `reticent export`: a model for programs that are not reticent.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use reticent::model::{Model, Outcome, write_atomically};
use reticent::table::Layout;

use crate::failure::{Failure, unwritten};
use crate::output::{self, Overwrite};
use crate::promise;
use crate::refusal::Refusal;
use crate::style::{LOUD, NAME, WRONG};
use crate::text_layout::wrapped;

pub const EXAMPLES: &str = "\
The ONNX file predicts what `reticent predict` does: rows go through the map of
features, if the model has one, and are clipped to the bound of training first.
Its input is features, floats, one row per record; its
output is label and probabilities for classes, values for numbers. The metadata
say whether the model is private, and have its certificate; `reticent verify`
reads only MODEL.

With a schema each of its columns is an input, raw, of shape [records, 1] and
with the column's name: doubles for numbers, and for categories that are all
numbers, NaN where one is missing; days since 1970-01-01 for dates; strings
without blanks around them for other categories.

Example:
  reticent export model.json --onnx model.onnx

In Python, where X is a NumPy array of float32, one row per record:
  import onnxruntime
  session = onnxruntime.InferenceSession(\"model.onnx\")
  label, probabilities = session.run(None, {\"features\": X})";

/// The arguments of `reticent export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The model that `reticent fit` wrote
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,

    /// Write an ONNX file here, whole or not at all
    #[arg(long, value_name = "FILE")]
    pub onnx: Option<PathBuf>,

    #[command(flatten)]
    pub overwrite: Overwrite,
}

/// Writes the model in another form.
pub fn run(request: &ExportArgs) -> Result<String, Failure> {
    let Some(out) = &request.onnx else {
        return Err(nothing_asked().into());
    };
    output::check("--onnx", out, &[&request.model], request.overwrite)?;
    let model = Model::read(&request.model).map_err(Failure::of_model)?;
    let failed = |error: &dyn std::fmt::Display, file: &Path| {
        Failure::Failed(format!("{}: {error}", file.display()))
    };
    let file = model
        .to_onnx()
        .map_err(|error| failed(&error, &request.model))?;
    write_atomically(out, &file).map_err(|error| failed(&unwritten(&error), out))?;
    Ok(report(&model, out, file.len()))
}

/// The refusal of an export without a format.
fn nothing_asked() -> Refusal {
    Refusal::new(
        ErrorKind::MissingRequiredArgument,
        "what to write was not given; there is one format so far\n\n  \
         --onnx FILE   a graph for onnxruntime and others, such as model.onnx"
            .to_owned(),
    )
}

/// What was written, and how it is used.
fn report(model: &Model, out: &Path, bytes: usize) -> String {
    let certificate = model.certificate();
    let mut text = format!("{bytes} bytes of ONNX written to {}\n\n", out.display());
    let gives = match model.outcome() {
        Outcome::Classes(classes) => vec![
            "label          strings  [records]".to_owned(),
            format!("probabilities  doubles  [records, {}]", classes.len()),
        ],
        Outcome::Value(_) => vec!["values         doubles  [records]".to_owned()],
    };
    let columns = model.layout().width();
    let takes = match model.layout() {
        Layout::Numbered { .. } => format!("features       floats   [records, {columns}]"),
        Layout::Named(_) => "each column    raw      [records, 1]".to_owned(),
    };
    let rows = std::iter::once(("takes", takes)).chain(gives.into_iter().map(|row| ("gives", row)));
    for (name, row) in rows {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "  {NAME}{name}{NAME:#}  {row}");
    }
    if matches!(model.layout(), Layout::Named(_)) {
        let note = "Each column of the schema is an input of its name: doubles for numbers, and for \
                    categories that are all numbers, NaN where one is missing; days since 1970-01-01 \
                    for dates; strings for other categories. The names of the features that are made of \
                    them are in the metadata, under feature_names.";
        let _ = write!(text, "\n{}", wrapped(note, 0));
    }
    let _ = match certificate.private {
        true => writeln!(
            text,
            "\n{LOUD}A private model{LOUD:#}   {}",
            promise::headline(certificate)
        ),
        false => writeln!(
            text,
            "\n{WRONG}NOT PRIVATE{WRONG:#}   the metadata say so, and why"
        ),
    };
    text
}
