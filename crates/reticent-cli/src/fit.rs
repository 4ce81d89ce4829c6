//! `reticent fit`: from a file to a private model with its certificate.

mod report;
mod tables;
mod unfinished;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use reticent::features::DeclaredMap;
use reticent::fit::PlanError;
use reticent::privacy::Adjacency;
use reticent::table::{AFTER_LOOK, ClassPattern, FeaturesError, Schema};
use reticent::train::{CheckedRequest, FitRequest, ParameterStyle, TaskName, TrainError};

use crate::failure::Failure;
use crate::flags::{self, Flags};
use crate::interrupt::{self, Phase};
use crate::output::Overwrite;
use crate::progress::FitProgress;
use crate::refusal::{self, Refusal};
use crate::{output, parse_number};
use report::{Measured, Report, Seconds};
pub use unfinished::cost_text;

/// The arguments of `reticent fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// The table: LIBSVM text, or CSV or Parquet with --schema; .gz, .bz2, .xz and .zst are
    /// opened
    #[arg(value_name = "DATA")]
    data: PathBuf,

    #[command(flatten)]
    flags: Flags,

    /// The classes, of two the positive one second: no,yes or '1|2|3,*' (* stands for all others);
    /// for --task multinomial all of them [default: the labels of the file, listed as assumed
    /// public]
    #[arg(long, value_name = "A,B,..", allow_hyphen_values = true, help_heading = flags::TABLE, value_parser = classes, conflicts_with = "schema")]
    classes: Option<Classes>,

    /// How many columns a LIBSVM table has [default: the last one in the file, listed as
    /// assumed public]
    #[arg(long, value_name = "N", allow_negative_numbers = true, help_heading = flags::TABLE, value_parser = columns, conflicts_with = "schema")]
    columns: Option<usize>,

    /// The first column of a LIBSVM table is called 0, not 1
    #[arg(long, help_heading = flags::TABLE, conflicts_with = "schema")]
    zero_based: bool,

    /// Bounds, levels or classes were changed after a look at the data (`reticent check`, or any
    /// other): the certificate lists that among what is assumed public
    #[arg(long, help_heading = flags::TABLE)]
    declared_after_look: bool,

    /// Where the model goes; it is written whole or not at all
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,

    /// Measure the model on this table; the certificate does not cover the figures
    #[arg(long, value_name = "DATA")]
    test: Option<PathBuf>,

    /// Repeatable noise, for tests and comparisons: the result is NOT PRIVATE, and its
    /// certificate says so
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_number::seed)]
    seed: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Declared classes; a separate type, or clap would take it for a list of flags.
pub type Classes = Box<[ClassPattern]>;

pub fn classes(text: &str) -> Result<Classes, String> {
    let list = ClassPattern::parse_list(text).map_err(|error| error.to_string())?;
    Ok(list.into())
}

pub fn columns(text: &str) -> Result<usize, String> {
    let count = parse_number::option_count(text)?.get();
    u32::try_from(count)
        .ok()
        .and_then(|count| usize::try_from(count).ok())
        .ok_or_else(|| format!("it is {text}; columns are numbered up to {}", u32::MAX))
}

impl FitArgs {
    /// Fits, and reports the result.
    pub fn run(&self) -> Result<String, Failure> {
        let (checked, out) = self.settle()?;
        let schema = self.schema(checked.task())?;
        let checked = match &schema {
            Some(schema) => checked.with_schema(schema).map_err(Refusal::from)?,
            None => checked,
        };
        output::check("--out", out, &self.inputs(), self.overwrite)?;
        let job = Job {
            fit: self,
            checked,
            schema: schema.as_ref(),
            out,
        };
        job.check_width()?;
        job.plan_early()?;
        interrupt::install_handler();
        job.run()
    }

    /// Everything that can be checked without reading anything.
    fn settle(&self) -> Result<(CheckedRequest, &Path), Refusal> {
        let request = FitRequest {
            classes: self.classes.as_deref().map(<[_]>::to_vec),
            ..self
                .flags
                .request(self.columns.map(|columns| columns as u64))?
        };
        let out = self.out.as_deref();
        let also: &[&str] = if out.is_some() { &[] } else { &["out"] };
        let checked = request.check_with(ParameterStyle::Flags, also)?;
        // The check passed, so it is there.
        let out = out.unwrap_or(Path::new(""));
        let public = self.flags.method_flags.public.as_deref();
        if public.is_some_and(|public| output::same(public, &self.data)) {
            return Err(refusal::conflict(
                "--public is the private table itself: the teacher's answers on it would be about \
                 its own records\n\n  tip: give rows that anyone may see, or leave --public out",
            ));
        }
        let region = self.flags.method_flags.files.first();
        if region.is_some_and(|file| output::same(file, &self.data)) {
            return Err(refusal::conflict(
                "--region is the private table itself: where weights may lie must be public\n\n  \
                 tip: give vertices that anyone may see",
            ));
        }
        if checked.adjacency() == Adjacency::AddRemove && self.tested_on_itself() {
            return Err(refusal::conflict(
                "--test is the table that is fitted, whose size is private under add-remove \
                 adjacency: its confusion table would reveal it\n\n  \
                 tip: measure on other records, or leave --test out",
            ));
        }
        Ok((checked, out))
    }

    /// Whether the test table is the private table itself.
    fn tested_on_itself(&self) -> bool {
        let test = self.test.as_deref();
        test.is_some_and(|test| output::same(test, &self.data))
    }

    fn schema(&self, task: TaskName) -> Result<Option<Schema>, Failure> {
        let path = self.flags.schema.as_deref();
        let (Some(schema), Some(path)) = (self.flags.unit.open(path)?, path) else {
            return Ok(None);
        };
        if schema.unit().is_some() && self.tested_on_itself() {
            return Err(refusal::conflict(
                "--test is the table that is fitted, whose number of rows is private where people \
                 are protected: its confusion table would reveal it\n\n  \
                 tip: measure on other records, or leave --test out",
            )
            .into());
        }
        let fits = match task {
            TaskName::Linear => schema.target_range().is_some(),
            TaskName::Logistic => schema.classes().is_some_and(|classes| classes.len() == 2),
            TaskName::Multinomial => schema.classes().is_some(),
        };
        if fits {
            return Ok(Some(schema));
        }
        if let (TaskName::Logistic, Some(classes)) = (task, schema.classes()) {
            return Err(refusal::conflict(flags::too_many_classes(classes.len())).into());
        }
        let needs = match task {
            TaskName::Linear => "a range, for example range = [0, 120]",
            TaskName::Logistic => "classes, for example classes = [\"no\", \"yes\"]",
            TaskName::Multinomial => "classes, for example classes = [\"a\", \"b\", \"c\"]",
        };
        Err(Failure::Failed(format!(
            "{}: --task {} needs a target column with {needs}; the schema has none",
            path.display(),
            task.name()
        )))
    }

    fn inputs(&self) -> Vec<&Path> {
        [
            Some(&self.data),
            self.test.as_ref(),
            self.flags.schema.as_ref(),
            self.flags.method_flags.public.as_ref(),
        ]
        .into_iter()
        .flatten()
        .chain(&self.flags.method_flags.files)
        .map(PathBuf::as_path)
        .collect()
    }
}

/// A fit with everything but the data.
struct Job<'a> {
    fit: &'a FitArgs,
    checked: CheckedRequest,
    schema: Option<&'a Schema>,
    out: &'a Path,
}

impl Job<'_> {
    /// How many columns the table has, if that was declared: by flags, a schema, or the images that
    /// rows are.
    fn columns(&self) -> Option<usize> {
        let of_images = || self.checked.features().and_then(DeclaredMap::inputs);
        let given = self.fit.columns.or(self.schema.map(Schema::width));
        given.or_else(of_images)
    }

    /// Refuses a map of other rows before anything is read.
    fn check_width(&self) -> Result<(), Refusal> {
        let Some(columns) = self.columns() else {
            return Ok(());
        };
        let map = self.checked.feature_map(columns);
        map.map(drop).map_err(refusal::other_rows)
    }

    /// Under add-remove everything that a plan depends on may be declared: then it can fail before
    /// the data are read.
    fn plan_early(&self) -> Result<(), Failure> {
        let columns = self.columns();
        let classes = match (self.checked.task(), self.declared_classes()) {
            (TaskName::Multinomial, None) => return Ok(()),
            (_, classes) => classes.map_or(2, <[_]>::len),
        };
        if self.checked.adjacency() == Adjacency::AddRemove
            && let Some(columns) = columns
        {
            let facts = self.checked.facts(0, columns);
            let planned = self.checked.plan(facts, classes);
            planned.map_err(|error| self.unplanned(error))?;
        }
        Ok(())
    }

    fn run(&self) -> Result<String, Failure> {
        let started = Instant::now();
        let declared = self.declared_classes();
        let columns = self.columns().filter(|_| self.schema.is_none());
        let mut table = self.read(&self.fit.data, columns, declared)?;
        let read = started.elapsed();
        let outcome = self.checked.outcome(&table).map_err(Failure::of)?;
        // A test table or public rows that cannot be read are detected before anything is spent.
        let test = self.read_test(&table, &outcome)?;
        let public = self.read_public(&table)?;
        if let Some(file) = &self.fit.flags.method_flags.public {
            let file = file.display();
            let fact = format!("that the rows of {file} hold nothing of the private records");
            table.assumed.push(fact);
        }
        if self.fit.declared_after_look {
            table.assume(AFTER_LOOK);
        }
        let nnz = tables::nonzeros(&table);

        let started = Instant::now();
        interrupt::enter(Phase::Fitting);
        let trained = self
            .checked
            .train(table, public, self.fit.seed, &mut FitProgress::default())
            .map_err(|error| match error {
                TrainError::Plan(error) => self.unplanned(error).into(),
                TrainError::Unsuited(why) => refusal::conflict(why).into(),
                TrainError::Features(FeaturesError::Map(error)) => {
                    refusal::other_rows(error).into()
                }
                error => unfinished::failure(error),
            })?;
        let model = &trained.model;
        let seconds = Seconds {
            read: read.as_secs_f64(),
            fit: started.elapsed().as_secs_f64(),
        };
        let replaced = self.out.exists();
        interrupt::enter(Phase::Writing);
        model
            .write(self.out)
            .map_err(|error| unfinished::no_file(error, model))?;

        let metrics = test
            .map(|test| Measured::measure(model, test))
            .transpose()?;
        let report = Report {
            trained: &trained,
            out: self.out,
            replaced,
            nnz,
            seconds,
            metrics,
            tested_on_itself: self.fit.tested_on_itself(),
            map_caution: self.checked.map_caution(),
            schema: self.schema.is_some(),
        };
        report.warn();
        Ok(if self.fit.json {
            report.json()
        } else {
            report.text()
        })
    }

    /// The refusal of parameters that make no plan.
    fn unplanned(&self, error: PlanError) -> Refusal {
        refusal::unplanned(error, &self.fit.flags.method_flags, self.schema)
    }

    fn declared_classes(&self) -> Option<&[ClassPattern]> {
        let given = self.checked.classes();
        given.or_else(|| self.schema.and_then(Schema::classes))
    }
}
