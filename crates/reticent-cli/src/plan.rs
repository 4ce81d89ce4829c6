//! `reticent plan`: what a fit would do and spend, from public facts alone. Reads no data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroU64;

use clap::Args;
use reticent::fit::{Facts, Line, Plan as FitPlan, Planned, Value};
use reticent::privacy::{Accountant, Adjacency, Charge, Delta, account_by};
use reticent::table::Schema;
use reticent::train::{Order, TaskName};
use serde::Serialize;

use crate::decimal::{exact, rounded_up};
use crate::evaluate::short;
use crate::failure::Failure;
use crate::flags::{self, Flags, rows_name};
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

    /// How many classes there are, for --task multinomial [with --schema: as it says]
    #[arg(long, value_name = "K", value_parser = number::option_count)]
    k: Option<NonZeroU64>,

    #[command(flatten)]
    flags: Flags,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A plan, and what is to be said of it.
struct Outline {
    order: Order,
    delta: Delta,
    facts: Facts,
    plan: FitPlan,
    /// Why this method, if it was chosen.
    why: Option<String>,
    /// What each accountant that covers the events makes of them.
    by: Vec<(Accountant, f64)>,
}

impl Plan {
    /// Plans, and says what a fit would do.
    pub fn run(&self) -> Result<String, Failure> {
        let mut missing = Missing::default();
        missing.unless(self.n.or(self.flags.public_n).is_some(), "n");
        missing.unless(self.d.is_some() || self.flags.schema.is_some(), "d");
        let several = self.flags.task == Some(TaskName::Multinomial);
        let counted = self.k.is_some() || self.flags.schema.is_some();
        missing.unless(!several || counted, "k");
        let order = self.flags.settle(missing)?;
        let Some(budget) = order.budget else {
            return Err(refusal::conflict(
                "--epsilon inf spends nothing, so that there is nothing to plan\n\n  \
                 tip: give a budget, such as --epsilon 1",
            )
            .into());
        };
        if self.flags.details.public.is_some() {
            return Err(refusal::conflict(
                "--public was given, but a plan reads no rows\n\n  \
                 tip: leave it out; made-up rows are planned in their place",
            )
            .into());
        }
        match (several, self.k.map(NonZeroU64::get)) {
            (false, Some(_)) => {
                return Err(refusal::conflict(
                    "--k was given, but only --task multinomial has a number of classes\n\n  \
                     tip: leave it out",
                )
                .into());
            }
            (true, Some(1)) => {
                return Err(refusal::conflict("--k is 1; there must be 2 classes or more").into());
            }
            _ => {}
        }
        if order.published_transfer() {
            return Err(refusal::conflict(
                "nothing is proved for the published transfer, so that there is nothing to plan\n\n  \
                 tip: leave --as-published out",
            )
            .into());
        }
        let schema = self.flags.schema.as_deref().map(Schema::open);
        let schema = schema.transpose().map_err(Failure::of)?;
        let records = count(self.n.or(self.flags.public_n), 1);
        let columns = match (self.d, &schema) {
            (None, Some(schema)) => schema.width(),
            (d, _) => count(d, 1),
        };
        let facts = order.facts(records, columns).map_err(refusal::unplanned)?;
        let declared = schema.as_ref().and_then(Schema::classes);
        if let (TaskName::Logistic, Some(classes)) = (order.task, declared)
            && classes.len() > 2
        {
            return Err(refusal::conflict(flags::too_many_classes(classes.len())).into());
        }
        let classes = declared.map_or(count(self.k, 2), <[_]>::len);
        let (plan, why) = order
            .plan(budget, classes, facts, None)
            .map_err(refusal::unplanned)?;
        let outline = Outline::of(order, budget.delta(), facts, plan, why);
        Ok(if self.json {
            outline.json()
        } else {
            outline.text()
        })
    }
}

fn count(given: Option<NonZeroU64>, otherwise: usize) -> usize {
    given.map_or(otherwise, |count| {
        usize::try_from(count.get()).unwrap_or(usize::MAX)
    })
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
    fn of(order: Order, delta: Delta, facts: Facts, plan: FitPlan, why: Option<String>) -> Self {
        let charges = plan.spending().charges();
        let by = ALL
            .into_iter()
            .filter_map(|accountant| {
                let total = account_by(accountant, charges, order.adjacency, delta);
                Some((accountant, total.ok()??.epsilon))
            })
            .collect();
        Self {
            order,
            delta,
            facts,
            plan,
            why,
            by,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let delta = self.delta.get();
        let mut warnings: Vec<String> = self
            .plan
            .spending()
            .claimed()
            .map(|(paper, claimed)| {
                let proved = self.plan.spending().account().epsilon;
                flags::claim(paper, claimed.epsilon().get(), proved)
            })
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
            "{LOUD}ε = {}{LOUD:#}   by {}; nothing was read\n",
            rounded_up(self.plan.spending().account().epsilon, 4),
            self.plan.name(),
        );
        if let Some(why) = &self.why {
            let _ = writeln!(out, "{}", wrapped(why, 2));
        }
        for (name, value, meaning) in self.lines() {
            let _ = writeln!(
                out,
                "  {NAME}{name:<14}{NAME:#}  {value:<12}  {QUIET}{meaning}{QUIET:#}"
            );
        }
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
            self.plan.spending().charges(),
            &self.plan.spending().account().shares,
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
            "\n  {NAME}ε by accountant{NAME:#}, {QUIET}the least holds{QUIET:#}\n  {}",
            by.join("   ")
        );
        out
    }

    /// What the plan rests on and what it does, a line each.
    fn lines(&self) -> Vec<(&'static str, String, &'static str)> {
        let records = match self.order.adjacency {
            Adjacency::ReplaceOne => "records",
            Adjacency::AddRemove => "stands for the number of records, which is private",
        };
        let mut lines = vec![("task", self.order.task.name().to_owned(), "")];
        if let Some(rho) = self.plan.spending().rho() {
            lines.push(("rho", rounded_up(rho, 4), RHO));
        }
        lines.extend([
            ("delta", exact(self.delta.get()), "must be far below 1/n"),
            (
                "adjacency",
                self.order.adjacency.name().to_owned(),
                "which tables count as neighbours",
            ),
            ("n", self.facts.records.to_string(), records),
            ("d", self.facts.columns.to_string(), "features"),
            ("rows", rows_name(self.order.rows), "each row is held to it"),
        ]);
        lines.extend(self.plan.outline().iter().map(shown));
        lines
    }

    fn json(&self) -> String {
        let object = Object {
            task: self.order.task.name(),
            n: self.facts.records,
            d: self.facts.columns,
            rows: rows_name(self.order.rows),
            epsilon: self.plan.spending().account().epsilon,
            delta: self.delta.get(),
            rho: self.plan.spending().rho(),
            adjacency: self.order.adjacency,
            accountant: self.plan.spending().account().accountant,
            epsilon_by_accountant: self
                .by
                .iter()
                .map(|(accountant, epsilon)| (accountant.name(), *epsilon))
                .collect(),
            method: self.plan.name(),
            why: self.why.as_deref(),
            parameters: parameters(&self.plan.outline()),
            events: self.plan.spending().charges(),
            warnings: self.warnings(),
        };
        // Serialisation can fail only for maps with odd keys or for writers: there are none.
        let mut line = serde_json::to_string(&object).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// What ρ is, in a few words.
pub const RHO: &str = "zCDP; adds up, under one adjacency";

/// A parameter for a person: long numbers are shortened.
pub fn shown(line: &Line) -> (&'static str, String, &'static str) {
    let value = match &line.value {
        Value::Number(number) => short(*number),
        Value::Text(text) => text.clone(),
    };
    (line.name, value, line.meaning)
}

/// The parameters of a plan for a program.
pub fn parameters(outline: &[Line]) -> BTreeMap<&'static str, serde_json::Value> {
    let named = |line: &Line| (line.name, json_of(&line.value));
    outline.iter().map(named).collect()
}

/// A parameter for a program: numbers as numbers, where they look like one.
fn json_of(value: &Value) -> serde_json::Value {
    match value {
        Value::Number(number) => (*number).into(),
        Value::Text(text) => match text.parse::<u64>() {
            Ok(count) => count.into(),
            Err(_) => text.as_str().into(),
        },
    }
}

#[derive(Serialize)]
struct Object<'a> {
    task: &'static str,
    n: u64,
    d: usize,
    rows: String,
    epsilon: f64,
    delta: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
    adjacency: Adjacency,
    accountant: Accountant,
    epsilon_by_accountant: BTreeMap<&'static str, f64>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    parameters: BTreeMap<&'static str, serde_json::Value>,
    events: &'a [Charge],
    warnings: Vec<String>,
}
