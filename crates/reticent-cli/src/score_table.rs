//! A table, read for a model, and the model's predictions.

use std::path::Path;

use reticent::model::{Model, Predictions};
use reticent::table::{
    Layout, ReadError, ReadProblem, Reading, Table, WantedTarget, has_names, read, read_columns,
};

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

/// What is wrong with a table; one with other columns than the model's is called that.
fn of_table(error: ReadError) -> Failure {
    let foreign = match &error.problem {
        ReadProblem::ColumnUnknown => "the model has no such column".to_owned(),
        ReadProblem::ColumnAbsent(name) => format!("there is no column '{name}'"),
        ReadProblem::IndexBeyondColumns(columns) => {
            format!("the index lies beyond the {columns} columns of the model")
        }
        _ => return Failure::of(error),
    };
    let place: String = [error.line, error.column]
        .into_iter()
        .map_while(|number| number.map(|number| format!(":{number}")))
        .collect();
    Failure::Failed(format!(
        "{}{place}: this is not a table like the one the model was fitted on: {foreign}",
        error.file.display()
    ))
}

/// Reads the model, then the table with the model's columns, classes and schema. The columns
/// of a LIBSVM file are numbered as those that the model was fitted on, unless `zero_based`; those
/// of other files are found by their names.
pub fn score(model: &Path, data: &Path, need: Need, zero_based: bool) -> Result<Scored, Failure> {
    let model = Model::read(model).map_err(Failure::of_model)?;
    let (columns, first, schema) = match model.layout() {
        Layout::Numbered { first, width } => (Some(*width), *first, None),
        // Whose a row is does not matter here.
        Layout::Named(schema) => (None, 1, Some(schema.clone().without_unit())),
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
        schema: schema.as_ref(),
        progress: &|_, _| {},
    };
    let table = match &model.origin().column_names {
        Some(names) if has_names(data) => by_name(data, names, need)?,
        _ => read(data, &reading).map_err(of_table)?,
    };
    let predictions = model
        .predict(&table.features)
        .map_err(|error| Failure::Failed(format!("{}: {error}", data.display())))?;
    Ok(Scored {
        model,
        table,
        predictions,
    })
}

/// Reads the columns of a model that has names for them and no schema.
fn by_name(data: &Path, names: &[String], need: Need) -> Result<Table<'static>, Failure> {
    if need == Need::Target {
        return Err(Failure::Failed(format!(
            "{}: the model was fitted in memory on named columns, and does not know which column \
             of a file is the target; measure it in Python, or fit with a schema",
            data.display()
        )));
    }
    read_columns(data, names).map_err(of_table)
}
