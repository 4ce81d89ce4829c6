//! Files of tables.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use reticent::table::{ClassPattern, Reading, Schema, Table, WantedTarget, read};

/// A table that is read when it is first asked for.
pub struct Lazy {
    pub path: PathBuf,
    /// As in `reticent fit --classes`; the labels that occur if none.
    pub classes: Option<&'static str>,
    pub columns: Option<usize>,
    pub schema: Option<&'static str>,
    pub several: bool,
    pub table: OnceLock<Table<'static>>,
}

impl Lazy {
    /// A LIBSVM file with two classes, those that it has.
    pub fn new(data: &Path, name: &str, columns: usize) -> Self {
        Self {
            path: data.join(format!("{name}.xz")),
            classes: None,
            columns: Some(columns),
            schema: None,
            several: false,
            table: OnceLock::new(),
        }
    }

    pub fn get(&self) -> &Table<'static> {
        self.table.get_or_init(|| {
            let schema = self
                .schema
                .map(|text| Schema::from_toml(text).expect("a schema"));
            let classes = self
                .classes
                .map(|text| ClassPattern::parse_list(text).expect("classes"));
            let reading = Reading {
                wanted: match self.several {
                    true => WantedTarget::MultipleClasses(classes.as_deref()),
                    false => WantedTarget::Classes(classes.as_deref()),
                },
                columns: self.columns,
                zero_based: false,
                schema: schema.as_ref(),
                progress: &|_, _| (),
            };
            read(&self.path, &reading).expect("the data set can be read")
        })
    }
}
