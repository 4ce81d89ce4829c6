//! Tables that are in memory already, column by column, through a schema.
//!
//! Cells go through the same code as those of CSV and Parquet, so that one table gives the same bits
//! wherever it is. Each thread encodes some rows at a time, which are appended in order.

use std::borrow::Cow;

use rayon::prelude::*;

use super::WantedTarget;
use super::by_name::ByName;
use super::csv::Problem;
use super::encode::{Cell, Encoder};
use super::error::ReadProblem;
use super::gather::{self, Gathered};
use super::unit_key::unit_key;
use crate::table::look::Rows;
use crate::table::schema::Schema;
use crate::table::{ProtectedUnit, Table, Units};

/// How many rows are encoded at a time by one thread.
const ROWS: usize = 1 << 13;

/// The values of a column, one per row.
#[derive(Debug, Clone)]
pub enum ColumnValues<'a> {
    /// Numbers; NaN stands for a missing one.
    Numbers(Cow<'a, [f64]>),
    /// Whole numbers; levels and labels are compared as floats, which have 15 digits.
    Integers {
        /// One per row.
        values: Cow<'a, [i64]>,
        /// Whether it is missing, if any is.
        missing: Option<Cow<'a, [bool]>>,
    },
    /// Truth values: `true` and `false` as levels or labels, 1 and 0 as numbers.
    Truths {
        /// One per row.
        values: Cow<'a, [bool]>,
        /// Whether it is missing, if any is.
        missing: Option<Cow<'a, [bool]>>,
    },
    /// Days since 1970-01-01, for a column of dates; `i64::MIN` is missing, as in NumPy.
    Days(Cow<'a, [i64]>),
    /// Texts, without blanks around them; those that the schema lists as missing are missing.
    Texts(Vec<Option<&'a str>>),
    /// Values of any kind, each encoded as it would be in a column of its own kind.
    Mixed(Vec<AnyValue<'a>>),
}

/// A value of any kind.
#[derive(Debug, Clone, Copy)]
pub enum AnyValue<'a> {
    /// None.
    Missing,
    /// A number; NaN is missing.
    Number(f64),
    /// A truth value.
    Truth(bool),
    /// A text.
    Text(&'a str),
}

impl ColumnValues<'_> {
    fn rows(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Integers { values, .. } => values.len(),
            Self::Truths { values, .. } => values.len(),
            Self::Days(values) => values.len(),
            Self::Texts(values) => values.len(),
            Self::Mixed(values) => values.len(),
        }
    }

    /// Whether there is one value per row, and if missing ones are marked, one mark per row.
    fn has_rows(&self, rows: usize) -> bool {
        let marks = match self {
            Self::Integers { missing, .. } | Self::Truths { missing, .. } => missing.as_ref(),
            Self::Numbers(_) | Self::Days(_) | Self::Texts(_) | Self::Mixed(_) => None,
        };
        self.rows() == rows && marks.is_none_or(|marks| marks.len() == rows)
    }

    #[inline]
    fn cell(&self, row: usize) -> Cell<'_> {
        let there =
            |missing: &Option<Cow<[bool]>>| missing.as_ref().is_none_or(|marks| !marks[row]);
        match self {
            Self::Numbers(values) if !values[row].is_nan() => Cell::Number(values[row]),
            Self::Integers { values, missing } if there(missing) => {
                Cell::Integer(i128::from(values[row]))
            }
            Self::Truths { values, missing } if there(missing) => Cell::Truth(values[row]),
            Self::Days(values) if values[row] != i64::MIN => Cell::Day(values[row]),
            Self::Texts(values) => {
                values[row].map_or(Cell::Null, |text| Cell::Text(text.as_bytes().trim_ascii()))
            }
            Self::Mixed(values) => match values[row] {
                AnyValue::Number(value) if !value.is_nan() => Cell::Number(value),
                AnyValue::Truth(value) => Cell::Truth(value),
                AnyValue::Text(text) => Cell::Text(text.as_bytes().trim_ascii()),
                AnyValue::Number(_) | AnyValue::Missing => Cell::Null,
            },
            _ => Cell::Null,
        }
    }
}

/// A table in memory that cannot be encoded: the place, the reason, the remedy.
///
/// No content of the table is quoted: a message is a release.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", place(column.as_deref(), *row))]
pub struct EncodeError {
    /// The column, if one is concerned: its name in quotes if the schema has it, else its number
    /// from 1, as a name that the schema does not have may be a record.
    pub column: Option<String>,
    /// The row, from 1.
    pub row: Option<u64>,
    /// What is wrong.
    pub problem: ReadProblem,
}

fn place(column: Option<&str>, row: Option<u64>) -> String {
    match (column, row) {
        (Some(column), Some(row)) => format!("column {column}, row {row}: "),
        (Some(column), None) => format!("column {column}: "),
        (None, Some(row)) => format!("row {row}: "),
        (None, None) => String::new(),
    }
}

/// Encodes a table by a schema. Columns are found by their names; all that the schema describes
/// must be there, except the target if none is wanted, and no others.
///
/// The features are what a model sees before rows are clipped to their bound, named by
/// [`Schema::features`]. This is the view of those who own the table, and of those who predict: the
/// table in another form, not private and not protected.
///
/// ```
/// use reticent::table::{ColumnValues, Schema, Target, WantedTarget, encode};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = Schema::from_toml(
///     r#"
///     version = 1
///     [[column]]
///     name = "age"
///     kind = "numeric"
///     bounds = [0, 100]
///     [[column]]
///     name = "ill"
///     kind = "target"
///     classes = ["no", "yes"]
///     "#,
/// )?;
/// let columns = [
///     ("age", ColumnValues::Numbers(vec![50.0, f64::NAN, 75.0].into())),
///     ("ill", ColumnValues::Texts(vec![Some("no"), Some("yes"), Some("no")])),
/// ];
/// let table = encode(&columns, &schema, WantedTarget::Classes(None))?;
/// assert_eq!((table.features.rows(), table.features.width()), (3, 1));
/// # Ok(())
/// # }
/// ```
pub fn encode(
    columns: &[(&str, ColumnValues)],
    schema: &Schema,
    wanted: WantedTarget,
) -> Result<Table<'static>, EncodeError> {
    let error = |Problem {
                     line,
                     field,
                     problem,
                 }| EncodeError {
        column: field.map(|field| called(columns, field, schema)),
        row: line,
        problem,
    };
    table(columns, schema, wanted).map_err(error)
}

/// What an error calls a field: by its number from 1, or its name if that is the schema's.
fn called(columns: &[(&str, ColumnValues)], field: usize, schema: &Schema) -> String {
    let name = columns.get(field - 1).map(|(name, _)| *name);
    let declared = |name: &&str| schema.columns().iter().any(|column| column.name == *name);
    match name.filter(declared) {
        Some(name) => format!("'{name}'"),
        None => field.to_string(),
    }
}

/// The units of a table in memory, by one value per row: whose it is, each value by itself.
pub fn units(values: &ColumnValues, declared: ProtectedUnit) -> Result<Units, EncodeError> {
    let name = || {
        let column = declared.column.clone();
        column.unwrap_or_else(|| "groups".to_owned())
    };
    let key = |row: usize| {
        let refused = |problem: fn(String) -> ReadProblem| EncodeError {
            column: None,
            row: Some(row as u64 + 1),
            problem: problem(name()),
        };
        match values.cell(row) {
            Cell::Null | Cell::Text(b"") => Err(refused(ReadProblem::UnitMissing)),
            cell => match unit_key(cell) {
                Some(key) => Ok(key.into_owned()),
                None => Err(refused(ReadProblem::UnitInexact)),
            },
        }
    };
    let keys: Vec<Vec<u8>> = (0..values.rows()).map(key).collect::<Result<_, _>>()?;
    Ok(Units::new(keys, declared))
}

/// Every record of a table in memory, also those that a fit would refuse.
pub(super) fn look<'a>(
    columns: &[(&str, ColumnValues)],
    schema: &'a Schema,
) -> Result<Rows<'a>, EncodeError> {
    let error = |Problem { field, problem, .. }| EncodeError {
        column: field.map(|field| called(columns, field, schema)),
        row: None,
        problem,
    };
    let (fields, rows) = found(columns, schema).map_err(error)?;
    let mut seen = Rows::new(schema, &fields, false);
    for row in 0..rows {
        let cell = |field: usize| columns[field].1.cell(row);
        seen.see(columns.len(), cell, || row as u64 + 1);
    }
    Ok(seen)
}

/// Which field each column of the schema is, and how many rows there are.
fn found(
    columns: &[(&str, ColumnValues)],
    schema: &Schema,
) -> Result<(Vec<Option<usize>>, usize), Problem> {
    let rows = columns.first().map_or(0, |(_, values)| values.rows());
    let mut names = ByName::new(schema);
    for (field, (name, values)) in columns.iter().enumerate() {
        let at_field = |problem| Problem {
            line: None,
            field: Some(field + 1),
            problem,
        };
        names.put_once(field, name.as_bytes()).map_err(at_field)?;
        if !values.has_rows(rows) {
            return Err(at_field(ReadProblem::ColumnLength));
        }
    }
    Ok((names.fields()?, rows))
}

fn table(
    columns: &[(&str, ColumnValues)],
    schema: &Schema,
    wanted: WantedTarget,
) -> Result<Table<'static>, Problem> {
    let (fields, rows) = found(columns, schema)?;
    let target = schema.target().and_then(|(at, _)| fields[at]);
    let encoder = Encoder::new(schema, fields).with_target(target, schema, wanted)?;
    let starts: Vec<usize> = (0..rows).step_by(ROWS).collect();
    let mut gathered = Gathered::new();
    for batch in starts.chunks(rayon::current_num_threads()) {
        let encode = |&start: &usize| {
            let cell = |field: usize, row: usize| columns[field].1.cell(row);
            gather::encoded(start..rows.min(start + ROWS), cell, &encoder)
        };
        let parts: Vec<_> = batch.par_iter().map(encode).collect();
        for part in parts {
            let (part, class) = part?;
            gathered.append(part, &class);
        }
    }
    Ok(gathered.into_table(&encoder, schema)?)
}

#[cfg(test)]
mod tests;
