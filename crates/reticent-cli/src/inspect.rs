//! `reticent inspect`: the model card, which `reticent::card` writes.

use std::path::PathBuf;

use clap::Args;
use reticent::card;
use reticent::fit::Task;
use reticent::model::{Certificate, Model, Outcome};
use reticent::table::ClassPattern;
use serde::Serialize;

use crate::failure::Failure;

/// How many weights are shown.
const SHOWN: usize = 20;

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
        card::of_model(&model)
    })
}

/// A function with its largest weights, the largest first.
fn function(model: &Model, score: usize) -> Function {
    let mut weights = model.predictor().weights(score).to_vec();
    weights.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    weights.truncate(SHOWN);
    let named = |(column, weight): (u32, f64)| Weight {
        feature: model.feature_name(column as usize),
        weight,
    };
    Function {
        intercept: model.predictor().intercept(score),
        largest: weights.into_iter().map(named).collect(),
    }
}

/// The functions of a model of this kind.
fn functions(model: &Model) -> Functions<'_> {
    let names = model.class_names().unwrap_or_default();
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
