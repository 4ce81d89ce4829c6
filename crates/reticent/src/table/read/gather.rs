//! Encoded records, gathered into a table.

use std::collections::HashMap;
use std::ops::Range;

use super::classes::{HowMany, LabelProblem};
use super::csv::Problem;
use super::encode::{Cell, Encoder, Part, RowError};
use super::error::ReadProblem;
use crate::matrix::{Csr, Dense, Matrix, dense_is_smaller};
use crate::table::schema::Schema;
use crate::table::{Layout, Table, Target, Units};

/// The rows so far.
pub(super) struct Gathered {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    numbers: Vec<f64>,
    class: Vec<u32>,
    /// The number of each record's unit, and the numbers of those seen so far.
    units: Vec<u32>,
    known: HashMap<Vec<u8>, u32>,
}

impl Gathered {
    pub(super) fn new() -> Self {
        Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            numbers: Vec::new(),
            class: Vec::new(),
            units: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// Appends a part with its classes, if there are any.
    pub(super) fn append(&mut self, part: Part, class: &[u32]) {
        let before = self.columns.len();
        self.starts.extend(part.ends.iter().map(|end| before + end));
        self.columns.extend_from_slice(&part.columns);
        self.values.extend_from_slice(&part.values);
        self.numbers.extend_from_slice(&part.numbers);
        self.class.extend_from_slice(class);
        for unit in part.units {
            // No more than rows, which are fewer than 2³².
            let next = self.known.len() as u32;
            self.units.push(*self.known.entry(unit).or_insert(next));
        }
    }

    /// The table, its matrix stored in the smaller form.
    pub(super) fn into_table(
        self,
        encoder: &Encoder,
        schema: &Schema,
    ) -> Result<Table<'static>, ReadProblem> {
        if self.starts.len() == 1 {
            return Err(ReadProblem::Empty);
        }
        let target = match encoder.classes() {
            Some((_, patterns)) => Target::Classes {
                class: self.class,
                names: patterns
                    .iter()
                    .map(|pattern| pattern.name.clone())
                    .collect(),
            },
            None if encoder.wants_numbers() => Target::Values(self.numbers),
            None => Target::Absent,
        };
        Ok(Table {
            features: smallest(self.starts, self.columns, self.values, schema.width()),
            target,
            layout: Layout::Named(schema.clone()),
            assumed: schema.assumed(),
            units: schema
                .unit()
                .map(|(_, declared)| Units::new(self.units, declared)),
        })
    }
}

/// The class of each record of a part.
pub(super) fn classes(part: &mut Part, encoder: &Encoder) -> Result<Vec<u32>, LabelProblem> {
    let Some((_, patterns)) = encoder.classes() else {
        return Ok(Vec::new());
    };
    // Classes are declared, and the encoder has counted them: nothing is assumed.
    let labels = std::mem::take(&mut part.labels);
    match labels.into_classes(Some(patterns), HowMany::Several, &mut Vec::new())? {
        Target::Classes { class, .. } => Ok(class),
        Target::Values(_) | Target::Absent => Ok(Vec::new()),
    }
}

/// The features and classes of some rows, or the first error; its line is the row, from 1.
pub(super) fn encoded<'c>(
    rows: Range<usize>,
    cell: impl Fn(usize, usize) -> Cell<'c>,
    encoder: &Encoder,
) -> Result<(Part, Vec<u32>), Problem> {
    let mut part = Part::default();
    let mut fault = Ok(());
    for row in rows.clone() {
        fault = encoder.record(|field| cell(field, row), &mut part).map_err(
            |RowError { field, problem }| Problem {
                line: Some(row as u64 + 1),
                field: Some(field),
                problem,
            },
        );
        if fault.is_err() {
            break;
        }
    }
    // A label that is no class comes before a later error.
    let class = classes(&mut part, encoder).map_err(|label| Problem {
        line: label.record.map(|record| (rows.start + record) as u64 + 1),
        field: encoder.classes().map(|(field, _)| field + 1),
        problem: label.problem,
    })?;
    fault.map(|()| (part, class))
}

/// Sparse rows, or dense ones if they take fewer bytes.
fn smallest(
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
    width: usize,
) -> Matrix<'static> {
    let rows = starts.len() - 1;
    if dense_is_smaller(rows, width, columns.len()) {
        let mut cells = vec![0.0; rows * width];
        for (row, range) in starts.windows(2).enumerate() {
            for entry in range[0]..range[1] {
                cells[row * width + columns[entry] as usize] = values[entry];
            }
        }
        let dense = Dense::new(cells, rows, width);
        Matrix::Dense(dense.expect("rows times width cells, and encoded values are finite"))
    } else {
        let sparse = Csr::new(starts, columns, values, width);
        Matrix::Sparse(sparse.expect("the encoder goes through the features in order"))
    }
}
