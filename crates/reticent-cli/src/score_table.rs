//! A table, read for a model, and the model's predictions.

use std::path::Path;

use reticent::model::{Model, Predictions};
use reticent::table::{Layout, Reading, Table, WantedTarget, read};

use crate::failure::Failure;

/// A model, a table and the predictions.
pub struct Scored {
    pub model: Model,
    pub table: Table<'static>,
    pub predictions: Predictions,
}

/// Whether the target of the table is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// As in the model.
    Target,
    /// Features only.
    Features,
}

/// Reads the model, then the table with the model's columns, classes and schema. The columns
/// of a LIBSVM file are numbered as those that the model was fitted on, unless `zero_based`.
pub fn score(model: &Path, data: &Path, need: Need, zero_based: bool) -> Result<Scored, Failure> {
    let model = Model::read(model).map_err(Failure::of_model)?;
    let (columns, first, schema) = match model.layout() {
        Layout::Numbered { first, width } => (Some(*width), *first, None),
        Layout::Named(schema) => (None, 1, Some(schema)),
    };
    let wanted = match (need, model.outcome()) {
        (Need::Features, _) => WantedTarget::Nothing,
        (Need::Target, reticent::model::Outcome::Classes(classes)) => {
            WantedTarget::MultipleClasses(Some(classes))
        }
        (Need::Target, reticent::model::Outcome::Value(_)) => WantedTarget::Values,
    };
    let reading = Reading {
        wanted,
        columns,
        zero_based: zero_based || first == 0,
        schema,
        progress: &|_, _| {},
    };
    let table = read(data, &reading).map_err(Failure::of)?;
    let predictions = model
        .predict(&table.features)
        .map_err(|error| Failure::Failed(format!("{}: {error}", data.display())))?;
    Ok(Scored {
        model,
        table,
        predictions,
    })
}
