//! `reticent plan`: what a fit would do and spend, from public facts alone. Reads no data.

use std::fmt::Write;
use std::num::NonZeroU64;

use clap::Args;
use reticent::data::{RecordBound, Schema};
use reticent::fit::{Facts, Plan as FitPlan, Task};
use reticent::privacy::{Accountant, Adjacency, Charge, account_by};
use serde::Serialize;

use crate::decimal::{exact, rounded_up};
use crate::evaluate::short;
use crate::failure::Failure;
use crate::flags::{self, Flags, Settled, rows_name};
use crate::missing::Missing;
use crate::style::{ALARM, LOUD, NAME, QUIET};
use crate::words::wrapped;
use crate::{number, refusal, text};

/// What `reticent plan` is told: what `fit` is, and the size of the table instead of the table.
#[derive(Debug, Args)]
pub struct Plan {
    /// How many records the table has
    #[arg(long, value_name = "N", value_parser = number::option_count)]
    n: Option<NonZeroU64>,

    /// How many features it has [with --schema: as it says]
    #[arg(long, value_name = "D", visible_alias = "columns", value_parser = number::option_count)]
    d: Option<NonZeroU64>,

    #[command(flatten)]
    flags: Flags,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A plan, and what is to be said of it.
struct Outline {
    settled: Settled,
    facts: Facts,
    plan: FitPlan,
    /// What each accountant that covers the events makes of them.
    by: Vec<(Accountant, f64)>,
}

impl Plan {
    /// Plans, and says what a fit would do.
    pub fn run(&self) -> Result<String, Failure> {
        let mut missing = Missing::default();
        missing.unless(self.n.or(self.flags.public_n).is_some(), "n");
        missing.unless(self.d.is_some() || self.flags.schema.is_some(), "d");
        let settled = self.flags.settle(missing)?;
        let facts = Facts {
            records: self.flags.public_n.or(self.n).map_or(1, NonZeroU64::get),
            columns: self.columns()?,
            rows: settled.rows,
        };
        let plan = self
            .flags
            .parameters(&settled)
            .plan(facts)
            .map_err(refusal::unplanned)?;
        let outline = Outline::of(settled, facts, plan);
        Ok(if self.json {
            outline.json()
        } else {
            outline.text()
        })
    }

    fn columns(&self) -> Result<usize, Failure> {
        match (self.d, &self.flags.schema) {
            (None, Some(path)) => Ok(Schema::open(path).map_err(Failure::of)?.width()),
            (d, _) => Ok(d.map_or(1, |d| usize::try_from(d.get()).unwrap_or(usize::MAX))),
        }
    }
}

/// The accountants, from the plainest.
const ALL: [Accountant; 5] = [
    Accountant::Basic,
    Accountant::Zcdp,
    Accountant::Gaussian,
    Accountant::Rdp,
    Accountant::Pld,
];

impl Outline {
    fn of(settled: Settled, facts: Facts, plan: FitPlan) -> Self {
        let delta = settled.budget.delta;
        let charges = plan.charges();
        let by = ALL
            .into_iter()
            .filter_map(|accountant| {
                let total = account_by(accountant, charges, settled.adjacency, delta);
                Some((accountant, total.ok()??.epsilon))
            })
            .collect();
        Self {
            settled,
            facts,
            plan,
            by,
        }
    }

    /// About how far a feature must move the mean gradient to stand out of the noise: the
    /// largest of 2d Gumbel variables of scale b lies around b·log(2d).
    fn signal(&self) -> f64 {
        self.plan.gradient_noise() * (2.0 * self.facts.columns as f64).ln()
    }

    /// The furthest that a feature can move the mean gradient: R·B.
    fn most(&self) -> f64 {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = self.facts.rows;
        self.plan.loss().slope_bound() * bound
    }

    fn warnings(&self) -> Vec<String> {
        let delta = self.settled.budget.delta.get();
        let mut warnings: Vec<String> = self
            .plan
            .claimed()
            .map(|claimed| flags::claim(claimed.epsilon.get(), self.plan.account().epsilon))
            .into_iter()
            .collect();
        let too_large = delta * self.facts.records as f64 >= 1.0;
        warnings.extend(too_large.then(|| flags::large_delta(delta, self.facts.records)));
        warnings
    }

    fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a String can not fail, here and below.
        let _ = writeln!(
            out,
            "{LOUD}ε = {}{LOUD:#}   for {} steps; nothing was read\n",
            rounded_up(self.plan.account().epsilon, 4),
            self.plan.iterations(),
        );
        for (name, value, meaning) in self.lines() {
            let _ = writeln!(
                out,
                "  {NAME}{name:<10}{NAME:#}  {value:<12}  {QUIET}{meaning}{QUIET:#}"
            );
        }
        let _ = writeln!(
            out,
            "\n  A feature must move the mean gradient by about {} to be seen; {} is the\n  \
             most that it can.",
            short(self.signal()),
            short(self.most())
        );
        for warning in self.warnings() {
            let _ = write!(
                out,
                "\n  {ALARM}warning:{ALARM:#} {}",
                wrapped(&warning, 2).trim_start()
            );
        }
        out.push('\n');
        text::events(
            &mut out,
            self.plan.charges(),
            &self.plan.account().shares,
            None,
        );
        let by: Vec<String> = self
            .by
            .iter()
            .map(|(accountant, epsilon)| {
                format!("{} {}", accountant.name(), rounded_up(*epsilon, 4))
            })
            .collect();
        let _ = writeln!(
            out,
            "\n  {NAME}ε by accountant{NAME:#}  {}   {QUIET}(the least holds){QUIET:#}",
            by.join("   ")
        );
        out
    }

    /// What the plan rests on and what it does, a line each.
    fn lines(&self) -> Vec<(&'static str, String, String)> {
        let records = match self.settled.adjacency {
            Adjacency::ReplaceOne => "records",
            Adjacency::AddRemove => "stands for the number of records, which is private",
        };
        let task = match self.settled.task {
            Task::Logistic => "logistic",
            Task::Linear => "linear",
        };
        vec![
            ("task", task.to_owned(), String::new()),
            (
                "delta",
                exact(self.settled.budget.delta.get()),
                "must be far below 1/n".to_owned(),
            ),
            (
                "adjacency",
                self.settled.adjacency.name().to_owned(),
                "which tables count as neighbours".to_owned(),
            ),
            ("n", self.facts.records.to_string(), records.to_owned()),
            ("d", self.facts.columns.to_string(), "features".to_owned()),
            (
                "rows",
                rows_name(self.settled.rows),
                "each row is held to it".to_owned(),
            ),
            (
                "radius",
                short(flags::radius(&self.plan)),
                "of the ℓ₁ ball that holds the weights".to_owned(),
            ),
            (
                "steps",
                self.plan.iterations().to_string(),
                "each chooses one feature privately".to_owned(),
            ),
            (
                "noise",
                short(self.plan.gradient_noise()),
                "its scale, on each feature of the mean gradient".to_owned(),
            ),
        ]
    }

    fn json(&self) -> String {
        let object = Object {
            task: self.settled.task,
            n: self.facts.records,
            d: self.facts.columns,
            rows: rows_name(self.settled.rows),
            epsilon: self.plan.account().epsilon,
            delta: self.settled.budget.delta.get(),
            adjacency: self.settled.adjacency,
            accountant: self.plan.account().accountant,
            epsilon_by_accountant: self
                .by
                .iter()
                .map(|(accountant, epsilon)| (accountant.name(), *epsilon))
                .collect(),
            iterations: self.plan.iterations().get(),
            radius: flags::radius(&self.plan),
            gradient_noise: self.plan.gradient_noise(),
            intercept_noise: self.plan.intercept_noise(),
            signal: self.signal(),
            events: self.plan.charges(),
            warnings: self.warnings(),
        };
        // Serialisation can fail only for maps with odd keys or for writers: there are none.
        let mut line = serde_json::to_string(&object).unwrap_or_default();
        line.push('\n');
        line
    }
}

#[derive(Serialize)]
struct Object<'a> {
    task: Task,
    n: u64,
    d: usize,
    rows: String,
    epsilon: f64,
    delta: f64,
    adjacency: Adjacency,
    accountant: Accountant,
    epsilon_by_accountant: std::collections::BTreeMap<&'static str, f64>,
    iterations: u64,
    radius: f64,
    gradient_noise: f64,
    intercept_noise: Option<f64>,
    signal: f64,
    events: &'a [Charge],
    warnings: Vec<String>,
}
