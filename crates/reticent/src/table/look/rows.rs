//! A table with named columns, record by record.

use super::super::read::{Cell, Key};
use super::super::schema::{Kind, Schema};
use super::column::Seen;
use super::shape::means_total;
use super::{FOR_THE_OWNER, Look, SAY_SO, Tally, findings};

/// The records, as far as they have been seen.
pub(in crate::table) struct Rows<'a> {
    missing: Vec<Key<'a>>,
    fields: usize,
    pub(super) columns: Vec<Seen<'a>>,
    pub(super) records: u64,
    /// Records with another number of fields.
    pub(super) ragged: Tally,
    /// Records in which every feature is missing.
    pub(super) empty: Tally,
    /// Records that repeat the header.
    pub(super) headers: Tally,
    /// Records that look like totals.
    pub(super) totals: Tally,
    pub(super) in_file: bool,
}

impl<'a> Rows<'a> {
    /// `fields` lists which field of a record each column of the schema is; `in_file` whether
    /// places are lines.
    pub(in crate::table) fn new(
        schema: &'a Schema,
        fields: &[Option<usize>],
        in_file: bool,
    ) -> Self {
        let columns = schema.columns().iter().zip(fields);
        Self {
            missing: (schema.missing().iter())
                .map(|text| Key::of_text(text.as_bytes()))
                .collect(),
            fields: fields.iter().flatten().count(),
            columns: columns.map(|(column, &at)| Seen::new(column, at)).collect(),
            records: 0,
            ragged: Tally::default(),
            empty: Tally::default(),
            headers: Tally::default(),
            totals: Tally::default(),
            in_file,
        }
    }

    /// The fields that are looked at, and whether each holds dates.
    #[cfg(feature = "parquet")]
    pub(in crate::table) fn used(&self) -> Vec<(usize, bool)> {
        let used = |seen: &Seen| match seen.column.kind {
            // Its type may be one that is not read.
            Kind::Ignored => None,
            Kind::Date { .. } => seen.field.map(|field| (field, true)),
            _ => seen.field.map(|field| (field, false)),
        };
        self.columns.iter().filter_map(used).collect()
    }

    /// Leaves out the columns that the schema ignores.
    #[cfg(feature = "parquet")]
    pub(in crate::table) fn without_ignored(mut self) -> Self {
        for seen in &mut self.columns {
            if matches!(seen.column.kind, Kind::Ignored) {
                seen.field = None;
            }
        }
        self
    }

    /// The next record, of so many fields.
    pub(in crate::table) fn see<'c>(
        &mut self,
        found: usize,
        cell: impl Fn(usize) -> Cell<'c>,
        line: impl Fn() -> u64,
    ) {
        self.records += 1;
        if found != self.fields {
            self.ragged.add(line);
            return;
        }
        let (mut present, mut names, mut total) = (false, 0, false);
        for seen in &mut self.columns {
            let Some(field) = seen.field else { continue };
            let cell = cell(field);
            let key = Key::of(cell).filter(|key| !self.missing.contains(key));
            if let Cell::Text(text) = cell {
                names += usize::from(text == seen.column.name.as_bytes());
                let text = std::str::from_utf8(text).unwrap_or_default();
                total |= text.len() <= 20 && means_total(text);
            }
            let feature = !matches!(
                seen.column.kind,
                Kind::Ignored | Kind::Unit { .. } | Kind::Target(_)
            );
            present |= feature && key.is_some();
            seen.see(cell, key, &line);
        }
        if !present {
            self.empty.add(&line);
        }
        if names > 1 && names * 2 > self.fields {
            self.headers.add(&line);
        }
        if total {
            self.totals.add(&line);
        }
    }

    /// What was seen.
    pub(in crate::table) fn look(self) -> Look {
        Look {
            notice: FOR_THE_OWNER,
            afterwards: SAY_SO,
            records: self.records,
            findings: findings::of(&self),
            columns: self.columns.iter().map(Seen::look).collect(),
        }
    }
}
