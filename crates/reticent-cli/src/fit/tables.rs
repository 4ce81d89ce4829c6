//! The tables of a fit: the private one, one to measure on, public rows.

use std::path::{Path, PathBuf};

use reticent::matrix::Matrix;
use reticent::model::Outcome;
use reticent::table::{ClassPattern, Reading, Schema, Table, WantedTarget, read};
use reticent::train::TaskName;

use super::Job;
use crate::failure::Failure;
use crate::progress::Progress;

impl Job<'_> {
    pub fn read(
        &self,
        path: &Path,
        columns: Option<usize>,
        classes: Option<&[ClassPattern]>,
    ) -> Result<Table<'static>, Failure> {
        let wanted = match self.checked.task() {
            TaskName::Linear => WantedTarget::Values,
            TaskName::Logistic => WantedTarget::Classes(classes),
            TaskName::Multinomial => WantedTarget::MultipleClasses(classes),
        };
        self.read_wanted(path, columns, self.schema, wanted)
    }

    /// Any further table: whose its rows are does not matter.
    fn read_other(
        &self,
        path: &Path,
        table: &Table,
        wanted: WantedTarget<'_>,
    ) -> Result<Table<'static>, Failure> {
        let schema = self.schema.cloned().map(Schema::without_unit);
        self.read_wanted(path, self.columns_of(table), schema.as_ref(), wanted)
    }

    fn read_wanted(
        &self,
        path: &Path,
        columns: Option<usize>,
        schema: Option<&Schema>,
        wanted: WantedTarget<'_>,
    ) -> Result<Table<'static>, Failure> {
        let progress = Progress::reading(path);
        let reading = Reading {
            wanted,
            columns,
            zero_based: self.fit.zero_based,
            schema,
            progress: &|done, total| progress.at(done, total),
        };
        read(path, &reading).map_err(Failure::of)
    }

    pub fn read_test(
        &self,
        table: &Table,
        outcome: &Outcome,
    ) -> Result<Option<(PathBuf, Table<'static>)>, Failure> {
        let Some(path) = &self.fit.test else {
            return Ok(None);
        };
        let classes = match outcome {
            Outcome::Classes(classes) => Some(classes.as_slice()),
            Outcome::Value(_) => None,
        };
        let wanted = match outcome {
            Outcome::Classes(_) => WantedTarget::MultipleClasses(classes),
            Outcome::Value(_) => WantedTarget::Values,
        };
        let test = self.read_other(path, table, wanted)?;
        Ok(Some((path.clone(), test)))
    }

    /// The rows of --public: features alone.
    pub fn read_public(&self, table: &Table) -> Result<Option<Matrix<'static>>, Failure> {
        let Some(path) = &self.fit.flags.method_flags.public else {
            return Ok(None);
        };
        let public = self.read_other(path, table, WantedTarget::Nothing)?;
        Ok(Some(public.features))
    }

    /// The columns of any further table; a schema determines them itself.
    fn columns_of(&self, table: &Table) -> Option<usize> {
        self.schema.is_none().then(|| table.layout.width())
    }
}

/// The entries of a table that are not zero.
pub fn nonzeros(table: &Table) -> u64 {
    let features = &table.features;
    let mut count = 0;
    for row in 0..features.rows() {
        features.for_row(row, |_, value| count += u64::from(value != 0.0));
    }
    count
}
