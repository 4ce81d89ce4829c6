//! `reticent fit`: from a file to a private model with its certificate.

mod report;
mod spend;
mod tables;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use reticent::data::{ClassPattern, Matrix, Schema, TargetRange};
use reticent::fit::{Facts, Method};
use reticent::model::{Certificate, Model, Outcome};
use reticent::privacy::{Adjacency, Budget};

use crate::failure::Failure;
use crate::flags::{self, Flags, Settled, TaskName};
use crate::interrupt::{self, Phase};
use crate::missing::Missing;
use crate::refusal::{self, Refusal};
use crate::{methods, number, output};
use report::{Measured, Report, Seconds};
use spend::Spent;

/// What `reticent fit` is told.
#[derive(Debug, Args)]
pub struct Fit {
    /// The table: LIBSVM text, or CSV or Parquet with --schema; .gz, .bz2, .xz and .zst are
    /// opened
    #[arg(value_name = "DATA")]
    data: PathBuf,

    #[command(flatten)]
    flags: Flags,

    /// The classes, of two the positive one second: no,yes or '1|2|3,*' (* is all others), and
    /// as many as there are for --task multinomial [default: the labels of the file, listed as
    /// assumed public]
    #[arg(long, value_name = "A,B,..", allow_hyphen_values = true, help_heading = flags::TABLE, value_parser = classes, conflicts_with = "schema")]
    classes: Option<Classes>,

    /// How many columns a LIBSVM table has [default: the last one in the file, listed as
    /// assumed public]
    #[arg(long, value_name = "N", help_heading = flags::TABLE, value_parser = columns, conflicts_with = "schema")]
    columns: Option<usize>,

    /// The first column of a LIBSVM table is called 0, not 1
    #[arg(long, help_heading = flags::TABLE, conflicts_with = "schema")]
    zero_based: bool,

    /// Where the model goes; it is written whole or not at all
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Measure the model on this table; the certificate does not cover what is printed of it
    #[arg(long, value_name = "DATA")]
    test: Option<PathBuf>,

    /// Repeatable noise, for tests and comparisons: the result is NOT PRIVATE, and its
    /// certificate says so
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Classes as they were declared; a type of its own, or clap would take it for a list of flags.
type Classes = Box<[ClassPattern]>;

fn classes(text: &str) -> Result<Classes, String> {
    let list = ClassPattern::parse_list(text).map_err(|error| error.to_string())?;
    Ok(list.into())
}

fn columns(text: &str) -> Result<usize, String> {
    let count = number::option_count(text)?.get();
    u32::try_from(count)
        .ok()
        .and_then(|count| usize::try_from(count).ok())
        .ok_or_else(|| format!("it is {text}; columns are numbered up to {}", u32::MAX))
}

impl Fit {
    /// Fits, and says what came of it.
    pub fn run(&self) -> Result<String, Failure> {
        let (settled, out) = self.settle()?;
        let schema = self.schema(&settled)?;
        output::check(out, &self.inputs())?;
        let job = Job {
            fit: self,
            settled,
            range: settled.range.or(schema.as_ref().and_then(range_of)),
            schema: schema.as_ref(),
            out,
        };
        job.plan_early()?;
        interrupt::listen();
        job.run()
    }

    /// Everything that can be checked without reading anything.
    fn settle(&self) -> Result<(Settled, &Path), Refusal> {
        let mut missing = Missing::default();
        missing.unless(self.out.is_some(), "out");
        let settled = self.flags.settle(missing)?;
        let Some(out) = &self.out else {
            // It was missing, and settling has refused.
            let mut missing = Missing::default();
            missing.unless(false, "out");
            return Err(missing.refusal());
        };
        if settled.task == TaskName::Linear && self.classes.is_some() {
            return Err(refusal::conflict(
                "--classes was given, but --task linear has numbers, not classes\n\n  \
                 tip: leave --classes out, or use --task logistic or multinomial",
            ));
        }
        let public = self.flags.details.public.as_deref();
        if public.is_some_and(|public| output::same(public, &self.data)) {
            return Err(refusal::conflict(
                "--public is the private table itself: the teacher's answers on it would be about \
                 its own records\n\n  tip: give rows that anyone may see, or leave --public out",
            ));
        }
        if settled.adjacency == Adjacency::AddRemove && self.tested_on_itself() {
            return Err(refusal::conflict(
                "--test is the table that is fitted, whose size is private under add-remove \
                 adjacency: its confusion table would tell\n\n  \
                 tip: measure on other records, or leave --test out",
            ));
        }
        Ok((settled, out))
    }

    /// Whether what is measured would be the private table itself.
    fn tested_on_itself(&self) -> bool {
        let test = self.test.as_deref();
        test.is_some_and(|test| output::same(test, &self.data))
    }

    fn schema(&self, settled: &Settled) -> Result<Option<Schema>, Failure> {
        let Some(path) = &self.flags.schema else {
            return Ok(None);
        };
        let schema = Schema::open(path).map_err(Failure::of)?;
        let fits = match settled.task {
            TaskName::Linear => schema.target_range().is_some(),
            TaskName::Logistic => schema.classes().is_some_and(|classes| classes.len() == 2),
            TaskName::Multinomial => schema.classes().is_some(),
        };
        if fits {
            return Ok(Some(schema));
        }
        if let (TaskName::Logistic, Some(classes)) = (settled.task, schema.classes()) {
            return Err(refusal::conflict(flags::too_many_classes(classes.len())).into());
        }
        let needs = match settled.task {
            TaskName::Linear => "range = [0, 120]",
            TaskName::Logistic => "classes = [\"no\", \"yes\"]",
            TaskName::Multinomial => "classes = [\"a\", \"b\", \"c\"]",
        };
        Err(Failure::Failed(format!(
            "{}: --task {} needs a target column with {needs}; the schema has none",
            path.display(),
            settled.task.name()
        )))
    }

    fn inputs(&self) -> Vec<&Path> {
        [
            Some(&self.data),
            self.test.as_ref(),
            self.flags.schema.as_ref(),
            self.flags.details.public.as_ref(),
        ]
        .into_iter()
        .flatten()
        .map(PathBuf::as_path)
        .collect()
    }

    /// What is public about the table.
    fn facts(&self, settled: &Settled, columns: usize, records: usize) -> Facts {
        Facts {
            records: match (settled.adjacency, self.flags.public_n) {
                (Adjacency::AddRemove, Some(public)) => public.get(),
                _ => records as u64,
            },
            columns,
            rows: settled.rows,
        }
    }
}

fn range_of(schema: &Schema) -> Option<TargetRange> {
    let range = schema.target_range()?;
    Some(TargetRange {
        low: range.low(),
        high: range.high(),
    })
}

/// A fit of which everything but the data is known.
struct Job<'a> {
    fit: &'a Fit,
    settled: Settled,
    range: Option<TargetRange>,
    schema: Option<&'a Schema>,
    out: &'a Path,
}

impl Job<'_> {
    /// Under add-remove all that a plan rests on may be declared: then it can fail before the
    /// data are read.
    fn plan_early(&self) -> Result<(), Failure> {
        let columns = self.fit.columns.or(self.schema.map(Schema::width));
        let classes = match (self.settled.task, self.declared_classes()) {
            (TaskName::Multinomial, None) => return Ok(()),
            (_, classes) => classes.map_or(2, <[_]>::len),
        };
        if self.settled.adjacency == Adjacency::AddRemove
            && let Some(columns) = columns
            && let Some(budget) = self.settled.budget
        {
            let facts = self.fit.facts(&self.settled, columns, 0);
            self.wanted(budget, classes, None)
                .plan(facts)
                .map_err(refusal::unplanned)?;
        }
        Ok(())
    }

    fn run(&self) -> Result<String, Failure> {
        let started = Instant::now();
        let declared = self.declared_classes();
        let table = self.read(&self.fit.data, self.fit.columns, declared)?;
        let read = started.elapsed();
        let outcome = self.outcome(&table)?;
        // A test table or public rows that can not be read are found out before anything is spent.
        let test = self.read_test(&table, &outcome)?;
        let public = self.read_public(&table)?;
        let nnz = tables::nonzeros(&table);

        let started = Instant::now();
        let facts = self
            .fit
            .facts(&self.settled, table.layout.width(), table.features.rows());
        let classes = match &outcome {
            Outcome::Classes(classes) => classes.len(),
            Outcome::Value(_) => 0,
        };
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        let held = table
            .hold(self.settled.rows, self.range, self.centred())
            .map_err(Failure::of)?;
        let spent = match self.settled.budget {
            Some(budget) if self.fit.flags.published_transfer() => {
                spend::published_transfer(self, budget, facts, &held)?
            }
            Some(budget) => {
                let wanted = self.wanted(budget, classes, public);
                spend::fit(wanted, facts, held, self.fit.seed)?
            }
            None => spend::without_privacy(self, classes, facts, &held)?,
        };
        let certificate = self.certificate(&spent, facts, assumed);
        let model = Model::new(&spent.fitted, outcome, self.centred(), layout, certificate)
            .map_err(|error| spent.failed(error))?;
        let seconds = Seconds {
            read: read.as_secs_f64(),
            fit: started.elapsed().as_secs_f64(),
        };
        let replaced = self.out.exists();
        interrupt::enter(Phase::Writing);
        model.write(self.out).map_err(|error| spent.failed(error))?;

        let metrics = test.map(|test| Measured::on(&model, test)).transpose()?;
        let report = Report {
            model: &model,
            spent: &spent,
            out: self.out,
            replaced,
            nnz,
            seconds,
            metrics,
            tested_on_itself: self.fit.tested_on_itself(),
            schema: self.schema.is_some(),
        };
        report.warn();
        Ok(if self.fit.json {
            report.json()
        } else {
            report.text()
        })
    }

    fn wanted(
        &self,
        budget: Budget,
        classes: usize,
        public: Option<Matrix>,
    ) -> methods::Wanted<'_> {
        let flags = &self.fit.flags;
        methods::Wanted {
            method: flags.method,
            details: &flags.details,
            nonzero: flags.nonzero(),
            task: self.settled.task.of(classes),
            budget,
            adjacency: self.settled.adjacency,
            public,
        }
    }

    /// A numeric target is centred where an intercept can take its middle.
    fn centred(&self) -> bool {
        !self.fit.flags.details.no_intercept
    }

    fn declared_classes(&self) -> Option<&[ClassPattern]> {
        let given = self.fit.classes.as_deref();
        given.or_else(|| self.schema.and_then(Schema::classes))
    }

    fn certificate(&self, spent: &Spent, facts: Facts, assumed: Vec<String>) -> Certificate {
        let method = Method::new(spent.method, &spent.outline);
        let mut certificate = Certificate::new(spent.fitted.statement.clone(), facts, method);
        certificate.target = match self.settled.task {
            TaskName::Linear => self.range,
            _ => None,
        };
        certificate.assumed_public = assumed;
        if self.settled.adjacency == Adjacency::AddRemove {
            // An empty file is refused, which tells it from one with a record.
            let not_empty = "that the table has at least one record".to_owned();
            certificate.assumed_public.push(not_empty);
        }
        if let Some(public) = &self.fit.flags.details.public {
            certificate.assumed_public.push(format!(
                "that the rows of {} hold nothing of the private records",
                public.display()
            ));
        }
        certificate.published = spent.published.clone();
        let from_data = self.schema.map(Schema::not_private).unwrap_or_default();
        let reasons = spent.reasons.iter().map(|reason| (*reason).to_owned());
        reasons
            .chain(from_data)
            .fold(certificate, Certificate::not_private)
    }
}
