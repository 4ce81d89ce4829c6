//! Which field of a record is which column of a schema, by their names.

use std::collections::HashMap;

use super::error::ReadProblem;
use crate::table::schema::{Column, Kind, Schema};

/// The fields found so far.
pub(super) struct ByName<'a> {
    schema: &'a Schema,
    columns: HashMap<&'a [u8], usize>,
    fields: Vec<Option<usize>>,
}

impl<'a> ByName<'a> {
    pub(super) fn new(schema: &'a Schema) -> Self {
        let columns = schema.columns().iter().enumerate();
        Self {
            schema,
            columns: columns
                .map(|(at, column)| (column.name.as_bytes(), at))
                .collect(),
            fields: vec![None; schema.columns().len()],
        }
    }

    /// The column of a field of this name, and whether an earlier field has the same column.
    pub(super) fn put(
        &mut self,
        field: usize,
        name: &[u8],
    ) -> Result<(&'a Column, bool), ReadProblem> {
        let at = *self.columns.get(name).ok_or(ReadProblem::ColumnUnknown)?;
        let before = self.fields[at].replace(field);
        Ok((&self.schema.columns()[at], before.is_some()))
    }

    /// The same, where no two fields may have one column.
    pub(super) fn put_once(
        &mut self,
        field: usize,
        name: &[u8],
    ) -> Result<&'a Column, ReadProblem> {
        match self.put(field, name)? {
            (column, false) => Ok(column),
            (_, true) => Err(ReadProblem::ColumnTwice),
        }
    }

    /// The field of each column. Ignored columns may be absent, and the target too, as in a file to
    /// predict; no other column.
    pub(super) fn fields(self) -> Result<Vec<Option<usize>>, ReadProblem> {
        let absent = |(column, field): (&'a Column, &Option<usize>)| {
            let needed = !matches!(column.kind, Kind::Ignored | Kind::Target(_));
            (needed && field.is_none()).then(|| column.name.clone())
        };
        match self
            .schema
            .columns()
            .iter()
            .zip(&self.fields)
            .find_map(absent)
        {
            None => Ok(self.fields),
            Some(name) => Err(ReadProblem::ColumnAbsent(name)),
        }
    }
}
