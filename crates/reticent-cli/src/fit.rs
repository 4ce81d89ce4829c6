//! `reticent fit`: from a file to a private model with its certificate.

mod report;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use reticent::data::{ClassPattern, Reading, Schema, Table, Target, TargetRange, Wanted, read};
use reticent::fit::{Facts, FitError, Fitted, Plan, Task};
use reticent::model::{Certificate, Model, Outcome, Published};
use reticent::noise::{SecureGenerator, SeededGenerator};
use reticent::privacy::Adjacency;

use crate::decimal::{exact, rounded_up};
use crate::failure::Failure;
use crate::flags::{self, Flags, Settled};
use crate::interrupt::{self, Phase};
use crate::missing::Missing;
use crate::progress::Progress;
use crate::refusal::{self, Refusal};
use crate::{number, output};
use report::{Measured, Report, Seconds};

/// What `reticent fit` is told.
#[derive(Debug, Args)]
pub struct Fit {
    /// The table: LIBSVM text, or CSV or Parquet with --schema; .gz, .bz2, .xz and .zst are
    /// opened
    #[arg(value_name = "DATA")]
    data: PathBuf,

    #[command(flatten)]
    flags: Flags,

    /// The two classes, the positive one second: no,yes or '1|2|3,*' (* is all others)
    /// [default: the two labels of the file, listed as assumed public]
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, help_heading = flags::TABLE, value_parser = classes, conflicts_with = "schema")]
    classes: Option<Pair>,

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

/// Two classes; a type of its own, or clap would take it for a list.
type Pair = Box<[ClassPattern; 2]>;

fn classes(text: &str) -> Result<Pair, String> {
    let pair = ClassPattern::parse_pair(text).map_err(|error| error.to_string())?;
    Ok(Box::new(pair))
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
        if settled.adjacency == Adjacency::AddRemove
            && let Some(columns) = self.columns.or(schema.as_ref().map(Schema::width))
        {
            // All that the plan rests on is declared: it can fail before the data are read.
            self.plan(&settled, self.facts(&settled, columns, 0))?;
        }
        interrupt::listen();
        let job = Job {
            fit: self,
            settled,
            range: settled.range.or(schema.as_ref().and_then(range_of)),
            schema: schema.as_ref(),
            out,
        };
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
        if settled.task == Task::Linear && self.classes.is_some() {
            return Err(refusal::conflict(
                "--classes was given, but --task linear has numbers, not classes\n\n  \
                 tip: leave --classes out, or use --task logistic",
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
            Task::Logistic => schema.classes().is_some(),
            Task::Linear => schema.target_range().is_some(),
        };
        if fits {
            return Ok(Some(schema));
        }
        let (task, needs) = match settled.task {
            Task::Logistic => ("logistic", "classes = [\"no\", \"yes\"]"),
            Task::Linear => ("linear", "range = [0, 120]"),
        };
        Err(Failure::Failed(format!(
            "{}: --task {task} needs a target column with {needs}; the schema has none",
            path.display()
        )))
    }

    fn inputs(&self) -> Vec<&Path> {
        [
            Some(&self.data),
            self.test.as_ref(),
            self.flags.schema.as_ref(),
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

    fn plan(&self, settled: &Settled, facts: Facts) -> Result<Plan, Failure> {
        let plan = self.flags.parameters(settled).plan(facts);
        plan.map_err(|error| Failure::from(refusal::unplanned(error)))
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
    fn run(&self) -> Result<String, Failure> {
        let started = Instant::now();
        let declared = self.declared_classes();
        let table = self.read(&self.fit.data, self.fit.columns, declared)?;
        let read = started.elapsed();
        let outcome = self.outcome(&table)?;
        // A test table that can not be read is found out before anything is spent.
        let test = self.read_test(&table, &outcome)?;
        let nnz = nonzeros(&table);

        let started = Instant::now();
        let facts = self
            .fit
            .facts(&self.settled, table.layout.width(), table.features.rows());
        let plan = self.fit.plan(&self.settled, facts)?;
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        let records = table
            .enforce(
                self.settled.rows,
                self.range,
                self.centred(),
                self.settled.adjacency,
            )
            .map_err(Failure::of)?;
        let fitted = self.spend(&plan, &records)?;
        let model = Model::new(
            &fitted,
            outcome,
            self.centred(),
            layout,
            self.certificate(&fitted, facts, &plan, assumed),
        )
        .map_err(|error| spent(error, &plan))?;
        let seconds = Seconds {
            read: read.as_secs_f64(),
            fit: started.elapsed().as_secs_f64(),
        };
        let replaced = self.out.exists();
        interrupt::enter(Phase::Writing);
        model.write(self.out).map_err(|error| spent(error, &plan))?;

        let metrics = test.map(|test| Measured::on(&model, test)).transpose()?;
        let report = Report {
            model: &model,
            plan: &plan,
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

    /// A numeric target is centred where an intercept can take its middle.
    fn centred(&self) -> bool {
        !self.fit.flags.no_intercept
    }

    fn declared_classes(&self) -> Option<&[ClassPattern; 2]> {
        let given = self.fit.classes.as_deref();
        given.or_else(|| self.schema.and_then(Schema::classes))
    }

    fn read(
        &self,
        path: &Path,
        columns: Option<usize>,
        classes: Option<&[ClassPattern; 2]>,
    ) -> Result<Table, Failure> {
        let progress = Progress::reading(path);
        let reading = Reading {
            wanted: match self.settled.task {
                Task::Logistic => Wanted::Classes(classes),
                Task::Linear => Wanted::Values,
            },
            columns,
            zero_based: self.fit.zero_based,
            schema: self.schema,
            progress: &|done, total| progress.at(done, total),
        };
        read(path, &reading).map_err(Failure::of)
    }

    /// What the model predicts: the declared classes or those of the file, or the range.
    fn outcome(&self, table: &Table) -> Result<Outcome, Failure> {
        match (&table.target, self.range) {
            (Target::Classes { names, .. }, _) => {
                Ok(Outcome::Classes(match self.declared_classes() {
                    Some(declared) => declared.clone(),
                    None => names.clone().map(|name| ClassPattern {
                        labels: Some(vec![name.clone()]),
                        name,
                    }),
                }))
            }
            (_, Some(range)) => Ok(Outcome::Value(range)),
            (_, None) => {
                let mut missing = Missing::default();
                missing.unless(false, "target-range");
                Err(missing.refusal().into())
            }
        }
    }

    fn read_test(
        &self,
        table: &Table,
        outcome: &Outcome,
    ) -> Result<Option<(PathBuf, Table)>, Failure> {
        let Some(path) = &self.fit.test else {
            return Ok(None);
        };
        let classes = match outcome {
            Outcome::Classes(classes) => Some(classes),
            Outcome::Value(_) => None,
        };
        // A schema fixes the columns itself.
        let columns = self.schema.is_none().then(|| table.layout.width());
        let test = self.read(path, columns, classes)?;
        Ok(Some((path.clone(), test)))
    }

    /// The fit itself: from here on the budget is being spent.
    fn spend(&self, plan: &Plan, records: &reticent::data::Records) -> Result<Fitted, Failure> {
        let mut progress = Progress::fitting();
        interrupt::enter(Phase::Fitting);
        let fitted = match self.fit.seed {
            Some(seed) => plan.run(
                records,
                &mut SeededGenerator::not_private(seed),
                &mut progress,
            ),
            None => {
                let mut randomness = SecureGenerator::from_system().map_err(Failure::of)?;
                plan.run(records, &mut randomness, &mut progress)
            }
        };
        fitted.map_err(|error| stopped(error, plan))
    }

    fn certificate(
        &self,
        fitted: &Fitted,
        facts: Facts,
        plan: &Plan,
        assumed: Vec<String>,
    ) -> Certificate {
        let mut certificate =
            Certificate::new(fitted.statement.clone(), facts, self.fit.flags.method(plan));
        certificate.target = match self.settled.task {
            Task::Logistic => None,
            Task::Linear => self.range,
        };
        certificate.assumed_public = assumed;
        if self.settled.adjacency == Adjacency::AddRemove {
            // An empty file is refused, which tells it from one with a record.
            let not_empty = "that the table has at least one record".to_owned();
            certificate.assumed_public.push(not_empty);
        }
        certificate.published = plan.claimed().map(|claimed| Published {
            source: flags::PAPER.to_owned(),
            epsilon: claimed.epsilon.get(),
            delta: claimed.delta.get(),
        });
        let from_data = self.schema.map(Schema::not_private).unwrap_or_default();
        from_data
            .into_iter()
            .fold(certificate, Certificate::not_private)
    }
}

/// Why a fit did not finish.
fn stopped(error: FitError, plan: &Plan) -> Failure {
    match error {
        FitError::Stopped {
            done,
            total,
            statement,
        } => Failure::Interrupted(format!(
            "interrupted after {done} of {total} steps; no model was written. What was charged \
             stays spent: count this run as epsilon = {} at delta = {}, like a finished one",
            rounded_up(statement.epsilon, 4),
            exact(statement.delta.get()),
        )),
        FitError::Release(error) => spent(error, plan),
        // Anything else is found out before the first release.
        error => Failure::of(error),
    }
}

/// A failure after releases were made: the person must know that they count.
fn spent(error: impl std::fmt::Display, plan: &Plan) -> Failure {
    Failure::Failed(format!(
        "{error}\n\n  No model was written, but noise was drawn: count this run as epsilon = {} at \
         delta = {}",
        rounded_up(plan.account().epsilon, 4),
        exact(plan.account().delta.get()),
    ))
}

/// The entries of a table that are not zero.
fn nonzeros(table: &Table) -> u64 {
    let features = &table.features;
    let mut count = 0;
    for row in 0..features.rows() {
        features.for_row(row, |_, value| count += u64::from(value != 0.0));
    }
    count
}
