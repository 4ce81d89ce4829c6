//! `reticent summary`: private counts, means, quantiles and histograms of columns.

mod report;

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::error::ErrorKind;
use reticent::privacy::{Adjacency, Delta, Epsilon, Rho};
use reticent::table::{AFTER_LOOK, Layout, Reading, RecordBound, Schema, Table, read};
use reticent::train::{CheckedSummary, DeclaredSummary, ParameterStyle, RunCost, SummaryError};

use crate::account_args::AdjacencyName;
use crate::failure::Failure;
use crate::fit::cost_text;
use crate::flags::{self, PRIVACY, TABLE};
use crate::interrupt::{self, Phase};
use crate::output::{self, Overwrite};
use crate::parse_number;
use crate::progress::Progress;
use crate::refusal::{self, Refusal};
use crate::unit_flags::UnitFlags;

pub const ABOUT: &str = "\
Releases private figures of columns for a budget: the number of records, and for each numeric \
column its mean, quantiles and a histogram, for each categorical column how many records have \
which level. Every figure is printed with what the privacy noise leaves open, and the budget is \
spent once for all of them.";

pub const EXAMPLES: &str = "\
Examples (--help has more, and how to choose):
  reticent summary table.csv --schema schema.toml --epsilon 1 --delta 1e-8
  reticent summary table.csv --schema schema.toml --only age,cost \\
    --quantiles 0.1,0.5,0.9 --epsilon 1 --delta 1e-8 --out summary.json";

pub const TEACHING: &str = "\
How to choose, before you look at the data:

  ranges      Of each numeric column, in the schema: what any such table could
              hold. A range that is ten or a thousand times too wide costs
              little: the values are found first, by histograms whose bins get
              narrower where the records are. But features are read in steps of
              a millionth of half their range, which intervals account for.
  --only      The budget is spent once for all columns: the noise of each grows
              with the root of their number. Name those that matter.
  --epsilon   Around 1 is a strong promise, beyond 10 a weak one. What is spent
              here adds up with every other release about the same people; with
              --rho it simply adds.
  --delta     Far below 1/n for n records; 1/n² is a good choice.
  --adjacency replace-one: neighbours differ in one record, n is public.
              add-remove: n is private, --public-n takes its place in the plan,
              and the number of records is released like any other figure.

± and intervals hold the privacy noise of 95 of 100 runs, not what another
sample of people would change. A mean is that of values clipped to the part of
the range that is printed with it; how many lie beyond is in the histogram. A
quantile is as exact as the cells that it was read off. A count is printed as it
was released: noise may make it less than 0. A missing number counts as what the
schema puts in its place, the middle of the range if it says nothing: that is
printed with each column.

--out writes the figures and the certificate as JSON, which `reticent verify`
checks: the arithmetic, and that the releases are those of the plan.

Examples:
  reticent summary table.svm --rows linf=100 --columns 40 --only 3,7 \\
    --epsilon 1 --delta 1e-8
  reticent summary table.csv --schema schema.toml --adjacency add-remove \\
    --public-n 30000 --rho 0.01 --delta 1e-9 --out summary.json
  reticent verify summary.json

Exit code: 0 summarised; 2 the question makes no sense or has no answer; 1 a file could not be \
read or written; 130 interrupted.";

/// The arguments of `reticent summary`.
#[derive(Debug, Args)]
pub struct SummaryArgs {
    /// The table: CSV or Parquet with --schema, or LIBSVM text; .gz, .bz2, .xz and .zst are
    /// opened
    #[arg(value_name = "DATA")]
    data: PathBuf,

    /// Which columns, by their names, or by their numbers without a schema [default: all]
    #[arg(long, value_name = "A,B,..", value_delimiter = ',')]
    only: Option<Vec<String>>,

    /// Which quantiles of numbers: 0.5 is the median
    #[arg(long, value_name = "Q,..", allow_negative_numbers = true, value_delimiter = ',', default_value = "0.25,0.5,0.75", value_parser = parse_number::real)]
    quantiles: Vec<f64>,

    /// About how many bins a histogram has where the values are, between round numbers; one
    /// more on either side reaches to the end of the range
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value = "10", value_parser = parse_number::option_count)]
    bins: NonZeroU64,

    /// The budget: one record changes the probability of any outcome by a factor of at most e^ε.
    /// Around 1 is strong, beyond 10 weak
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = flags::epsilon)]
    epsilon: Option<Epsilon>,

    /// The budget as ρ of zero-concentrated privacy, instead of --epsilon: for several releases
    /// about the same people, whose ρ simply add up; ε is quoted at --delta
    #[arg(long, value_name = "RHO", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = flags::rho, conflicts_with = "epsilon")]
    rho: Option<Rho>,

    /// The probability with which the promise of ε may fail; far below 1/n for n records
    #[arg(long, value_name = "DELTA", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = flags::delta)]
    delta: Option<Delta>,

    /// The bound of each value of a table without a schema, enforced: linf=B clips it to ±B
    #[arg(long, value_name = "linf=B", help_heading = PRIVACY, value_parser = flags::rows, conflicts_with = "schema")]
    rows: Option<RecordBound>,

    /// Which tables count as neighbours [default: replace-one]
    #[arg(long, value_name = "NAME", help_heading = PRIVACY)]
    adjacency: Option<AdjacencyName>,

    /// A public number that takes the place of the number of records in the plan, which is
    /// private under add-remove
    #[arg(long, value_name = "N0", allow_negative_numbers = true, help_heading = PRIVACY, value_parser = parse_number::option_count)]
    public_n: Option<NonZeroU64>,

    #[command(flatten)]
    unit: UnitFlags,

    /// What the named columns of a table mean (TOML; `reticent schema FILE` writes a
    /// template)
    #[arg(long, value_name = "FILE", help_heading = TABLE)]
    schema: Option<PathBuf>,

    /// The number of columns of a table without a schema: public, and never taken from the file
    #[arg(long, value_name = "D", allow_negative_numbers = true, help_heading = TABLE, value_parser = crate::fit::columns, conflicts_with = "schema")]
    columns: Option<usize>,

    /// The first column of a LIBSVM table is called 0, not 1
    #[arg(long, help_heading = TABLE, conflicts_with = "schema")]
    zero_based: bool,

    /// Bounds or levels were changed after a look at the data (`reticent check`, or any other): the
    /// certificate lists that among what is assumed public
    #[arg(long, help_heading = TABLE)]
    declared_after_look: bool,

    /// Also write the figures and their certificate here (JSON), whole or not at all
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    overwrite: Overwrite,

    /// Repeatable noise, for tests and comparisons: the result is NOT PRIVATE, and its
    /// certificate says so
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_number::seed)]
    seed: Option<u64>,

    /// Print one JSON object, with exact numbers
    #[arg(long)]
    json: bool,
}

impl SummaryArgs {
    /// Summarises, and reports the figures.
    pub fn run(&self) -> Result<String, Failure> {
        let checked = self.declared().check(ParameterStyle::Flags);
        let checked = checked.map_err(Refusal::from)?;
        let schema = self.unit.open(self.schema.as_deref())?;
        let schema = schema.map(|schema| schema.for_summary());
        // Columns that are not declared are refused before anything is read.
        let layout = match &schema {
            Some(schema) => Layout::Named(schema.clone()),
            None => Layout::Numbered {
                first: u32::from(!self.zero_based),
                width: self.width()?,
            },
        };
        checked.columns(&layout).map_err(Refusal::from)?;
        if let Some(out) = &self.out {
            output::check("--out", out, &self.inputs(), self.overwrite)?;
        }
        interrupt::install_handler();
        let mut table = self.read(&checked, schema.as_ref())?;
        if self.declared_after_look {
            table.assume(AFTER_LOOK);
        }
        // From here on noise is drawn: a Ctrl-C waits for the figures, which take one pass each.
        interrupt::enter(Phase::Writing);
        let found = checked.summarise(table, self.seed).map_err(failure)?;
        if let Some(out) = &self.out {
            found.write(out).map_err(|error| {
                let cost = RunCost::of(&found.certificate.statement);
                counted(error, cost)
            })?;
        }
        report::warn(&found.certificate);
        Ok(match self.json {
            true => report::json(&found),
            false => report::text(&found, self.out.as_deref()),
        })
    }

    fn declared(&self) -> DeclaredSummary {
        DeclaredSummary {
            epsilon: self.epsilon.map(Epsilon::get),
            delta: self.delta.map(Delta::get),
            rho: self.rho.map(Rho::get),
            adjacency: self
                .adjacency
                .map_or(Adjacency::ReplaceOne, Adjacency::from),
            public_n: self.public_n.map(NonZeroU64::get),
            rows: self.rows,
            schema: self.schema.is_some(),
            columns: self.only.clone(),
            quantiles: self.quantiles.clone(),
            bins: usize::try_from(self.bins.get()).unwrap_or(usize::MAX),
        }
    }

    /// The declared number of columns of a table without a schema. The largest number that a file has is
    /// that of some record: noise, certificate and refusals would tell it.
    fn width(&self) -> Result<usize, Refusal> {
        let missing = "--columns was not given\n\n  tip: --columns 123 declares how many columns the \
                       table has; taken from the file, the number would tell of a record";
        self.columns
            .ok_or_else(|| Refusal::new(ErrorKind::MissingRequiredArgument, missing.to_owned()))
    }

    fn inputs(&self) -> Vec<&Path> {
        let schema = self.schema.iter().map(PathBuf::as_path);
        schema.chain([self.data.as_path()]).collect()
    }

    fn read(
        &self,
        checked: &CheckedSummary,
        schema: Option<&Schema>,
    ) -> Result<Table<'static>, Failure> {
        let progress = Progress::reading(&self.data);
        let reading = Reading {
            wanted: checked.wanted(schema),
            columns: schema.is_none().then(|| self.width()).transpose()?,
            zero_based: self.zero_based,
            schema,
            progress: &|done, total| progress.at(done, total),
        };
        read(&self.data, &reading).map_err(Failure::of)
    }
}

/// Why there is no summary.
fn failure(error: SummaryError) -> Failure {
    match error {
        SummaryError::Columns(refused) => Refusal::from(refused).into(),
        SummaryError::Plan(error) => refusal::conflict(error.to_string()).into(),
        SummaryError::Spent { reason, cost } => counted(reason, cost),
        error => Failure::of(error),
    }
}

fn counted(error: impl std::fmt::Display, cost: RunCost) -> Failure {
    Failure::Failed(format!(
        "{error}\n\n  No summary was written, but noise was drawn: count this run as {}",
        cost_text(cost)
    ))
}
