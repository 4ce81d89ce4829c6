//! `reticent check`: the owner's own look at a table, before anything is spent.

use std::path::PathBuf;

use clap::Args;
use reticent::table::{
    FOR_THE_OWNER, Look, NumberedLook, Reading, RecordBound, Schema, TargetRange, WantedTarget,
    look, look_numbered, read,
};
use reticent::train::TaskName;
use serde::Serialize;

use crate::failure::Failure;
use crate::fit::{self, Classes};
use crate::flags::{self, PRIVACY, TABLE};
use crate::progress::Progress;
use crate::style::ALARM;

pub const ABOUT: &str = "\
Looks at a table for its owner: what the declared bounds would clip, levels and
labels that are not declared (and which declared one they may be meant for),
columns of one value, identifiers and free text among the features, empty rows,
missing values, and everything that a fit would refuse, all at once.

For the owner's eyes only: nothing of it is private, and levels are quoted. It is
written into no model and no certificate. Do not publish, mail or log it.";

pub const EXAMPLES: &str = "\
Whoever changes a declaration after this look says so: declared_after_look = true
at the top of the schema, or --declared-after-look of fit. The certificate then
lists \"bounds declared after a look at the data\" among what is assumed public.

Examples:
  reticent check patients.csv --schema patients.toml
  reticent check table.svm --task logistic --classes 0,1 --columns 123 --rows l2=1

Exit code: 0 nothing to mend was found (there may be notes); 1 there is something
to mend, which is printed, or the file could not be read; 2 the request makes no
sense.";

/// The arguments of `reticent check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The table: LIBSVM text, or CSV or Parquet with --schema; .gz, .bz2, .xz and .zst are
    /// opened
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// What the named columns of a table mean (TOML; `reticent schema FILE` writes a
    /// template)
    #[arg(long, value_name = "FILE", help_heading = TABLE, conflicts_with_all = ["task", "rows", "target_range"])]
    schema: Option<PathBuf>,

    /// What is to be fitted to a LIBSVM table
    #[arg(long, value_name = "TASK", value_parser = flags::tasks(), help_heading = TABLE)]
    task: Option<TaskName>,

    /// The bound of a row of a LIBSVM table, as fit takes it
    #[arg(long, value_name = "l2=B|linf=B", help_heading = PRIVACY, value_parser = flags::rows)]
    rows: Option<RecordBound>,

    /// The range of the target of a LIBSVM table, as fit takes it
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = flags::range)]
    target_range: Option<TargetRange>,

    /// The classes of a LIBSVM table, as fit takes them
    #[arg(long, value_name = "A,B,..", allow_hyphen_values = true, help_heading = TABLE, value_parser = fit::classes, conflicts_with = "schema")]
    classes: Option<Classes>,

    /// How many columns a LIBSVM table has
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = TABLE, value_parser = fit::columns, conflicts_with = "schema")]
    columns: Option<usize>,

    /// The first column of a LIBSVM table is called 0, not 1
    #[arg(long, help_heading = TABLE, conflicts_with = "schema")]
    zero_based: bool,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    json: bool,
}

impl CheckArgs {
    /// Looks, and reports; exit code 1 if something is to be mended.
    pub fn run(&self) -> Result<String, Failure> {
        let (text, mend) = match &self.schema {
            Some(schema) => {
                let look = self.through(&Schema::open(schema).map_err(Failure::of)?)?;
                (self.shown(&look), look.wants_mending())
            }
            None => {
                let look = self.numbered()?;
                (self.shown(&look), look.wants_mending())
            }
        };
        match mend {
            true => Err(Failure::No(text)),
            false => Ok(text),
        }
    }

    fn through(&self, schema: &Schema) -> Result<Look, Failure> {
        let progress = Progress::reading(&self.data);
        look(&self.data, schema, &|done, total| progress.at(done, total)).map_err(Failure::of)
    }

    fn numbered(&self) -> Result<NumberedLook, Failure> {
        let classes = self.classes.as_deref();
        let wanted = match self.task {
            Some(TaskName::Logistic) => WantedTarget::Classes(classes),
            Some(TaskName::Multinomial) => WantedTarget::MultipleClasses(classes),
            Some(TaskName::Linear) => WantedTarget::Values,
            None if classes.is_some() => WantedTarget::MultipleClasses(classes),
            None if self.target_range.is_some() => WantedTarget::Values,
            None => WantedTarget::Nothing,
        };
        let progress = Progress::reading(&self.data);
        let reading = Reading {
            wanted,
            columns: self.columns,
            zero_based: self.zero_based,
            schema: None,
            progress: &|done, total| progress.at(done, total),
        };
        let table = read(&self.data, &reading).map_err(Failure::of)?;
        Ok(look_numbered(&table, self.rows, self.target_range))
    }

    /// The warning comes first, whoever reads on.
    fn shown(&self, look: &(impl Serialize + ToString)) -> String {
        if self.json {
            // Serialisation fails only for maps with unusual keys or for writers: there are none.
            let mut line = serde_json::to_string(look).unwrap_or_default();
            line.push('\n');
            return line;
        }
        let text = look.to_string();
        let title = FOR_THE_OWNER
            .split_inclusive(':')
            .next()
            .unwrap_or_default();
        text.replacen(title, &format!("{ALARM}{title}{ALARM:#}"), 1)
    }
}
