//! `reticent plan`: what a fit would do and spend, from public facts alone. Reads no data.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZeroU64;

use clap::Args;
use reticent::card;
use reticent::features::{DeclaredMap, FeatureMap};
use reticent::fit::{Facts, Guarantee, PlanEntry, Planned, Spending, Value};
use reticent::privacy::{Accountant, Adjacency, Basis, Charge, account_by};
use reticent::table::{ProtectedUnit, Schema};
use reticent::train::{CheckedRequest, ParameterStyle, TaskName};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::{self, Flags, rows_name};
use crate::format_number::{exact, rounded_up, short, short_numbers};
use crate::refusal::Refusal;
use crate::style::{ALARM, LOUD, NAME, QUIET};
use crate::text_layout::{facts_table, wrapped};
use crate::{parse_number, refusal};

/// The arguments of `reticent plan`: those of `fit`, with the size of the table instead of the
/// table.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// How many records the table has
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_number::option_count)]
    n: Option<NonZeroU64>,

    /// How many features it has [with --schema: taken from it]
    #[arg(long, value_name = "D", allow_negative_numbers = true, visible_alias = "columns", value_parser = parse_number::option_count)]
    d: Option<NonZeroU64>,

    /// How many classes there are, for --task multinomial [with --schema: taken from it]
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = parse_number::option_count)]
    k: Option<NonZeroU64>,

    #[command(flatten)]
    flags: Flags,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A plan that spends, and what to report about it.
struct PlanReport {
    checked: CheckedRequest,
    /// What rows are mapped to before they are clipped, if to anything.
    map: Option<FeatureMap>,
    plan: Box<dyn Planned>,
    spending: Spending,
    /// Why this method, if it was chosen.
    why: Option<String>,
    /// The width of the declared range of a number.
    width: Option<f64>,
    /// What is protected, if it is not the row.
    unit: Option<ProtectedUnit>,
    /// What each accountant that covers the events proves.
    by: Vec<(Accountant, f64)>,
}

impl PlanArgs {
    /// Plans, and reports what a fit would do.
    pub fn run(&self) -> Result<String, Failure> {
        let several = self.flags.task == Some(TaskName::Multinomial);
        let has_schema = self.flags.schema.is_some();
        let request = self.flags.request(self.d.map(NonZeroU64::get))?;
        let pixels = request.features.as_ref().and_then(DeclaredMap::inputs);
        let also = [
            (self.n.or(self.flags.public_n).is_some(), "n"),
            (self.d.is_some() || has_schema || pixels.is_some(), "d"),
            (!several || self.k.is_some() || has_schema, "k"),
        ];
        let also: Vec<&str> = also
            .iter()
            .filter(|(given, _)| !given)
            .map(|a| a.1)
            .collect();
        let checked = request.check_with(ParameterStyle::Flags, &also);
        let checked = checked.map_err(Refusal::from)?;
        if self.flags.method_flags.public.is_some() {
            return Err(refusal::conflict(
                "--public was given, but a plan reads no rows\n\n  \
                 tip: leave it out; generated rows are planned in their place",
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
        let schema = self.flags.unit.open(self.flags.schema.as_deref())?;
        let checked = match &schema {
            Some(schema) => checked.with_schema(schema).map_err(Refusal::from)?,
            None => checked,
        };
        let records = count(self.n.or(self.flags.public_n), 1);
        let columns = match (self.d, &schema) {
            (None, Some(schema)) => schema.width(),
            (d, _) => count(d, pixels.unwrap_or(1)),
        };
        let map = checked.feature_map(columns).map_err(refusal::other_rows)?;
        let facts = checked.facts(records, columns);
        let declared = schema.as_ref().and_then(Schema::classes);
        if let (TaskName::Logistic, Some(classes)) = (checked.task(), declared)
            && classes.len() > 2
        {
            return Err(refusal::conflict(flags::too_many_classes(classes.len())).into());
        }
        let classes = declared.map_or(count(self.k, 2), <[_]>::len);
        let planned = checked.plan(facts, classes);
        let (plan, why) = planned.map_err(|error| {
            refusal::unplanned(error, &self.flags.method_flags, schema.as_ref())
        })?;
        if let Guarantee::Nothing { reason, .. } = plan.guarantee() {
            return Err(refusal::conflict(format!(
                "nothing is proved about such a fit, so there is nothing to plan: {reason}\n\n  \
                 tip: {}",
                self.provable(facts, classes)?
            ))
            .into());
        }
        let unit = schema.as_ref().and_then(Schema::unit).map(|(_, unit)| unit);
        if let Some(why) = checked.unsuited(&*plan, unit.as_ref()) {
            return Err(refusal::conflict(why).into());
        }
        let of_schema = schema.as_ref().and_then(Schema::target_range);
        let of_schema = of_schema.map(|range| range.high() - range.low());
        let declared = self.flags.target_range;
        let width = declared.map(|range| range.high - range.low).or(of_schema);
        let report = PlanReport::of((checked, map, width, unit), plan, why);
        Ok(report.map_or(String::new(), |report| match self.json {
            true => report.json(),
            false => report.text(),
        }))
    }
}

impl PlanArgs {
    /// What to ask for instead of a fit about which nothing is proved.
    fn provable(&self, facts: Facts, classes: usize) -> Result<String, Refusal> {
        let published = self.flags.method_flags.options.get("as-published");
        if published.is_none() {
            return Ok("give a budget, such as --epsilon 1".to_owned());
        }
        let mut request = self.flags.request(None)?;
        request.options.set("iterations", NonZeroU64::MIN);
        let checked = request.check(ParameterStyle::Flags).ok();
        let plan = checked.and_then(|checked| checked.plan(facts, classes).ok());
        let remedy = match plan.is_some_and(|(plan, _)| plan.spending().is_some()) {
            true => "leave --as-published out, or add --iterations 1: of one step something is \
                     proved"
                .to_owned(),
            false => "leave --as-published out".to_owned(),
        };
        Ok(remedy)
    }
}

fn count(given: Option<NonZeroU64>, otherwise: usize) -> usize {
    given.map_or(otherwise, |count| {
        usize::try_from(count.get()).unwrap_or(usize::MAX)
    })
}

/// The accountants, from the simplest.
const ALL: [Accountant; 5] = [
    Accountant::Basic,
    Accountant::Zcdp,
    Accountant::Gaussian,
    Accountant::Rdp,
    Accountant::Pld,
];

impl PlanReport {
    /// The report on a plan that spends; none if it does not.
    fn of(
        (checked, map, width, unit): (
            CheckedRequest,
            Option<FeatureMap>,
            Option<f64>,
            Option<ProtectedUnit>,
        ),
        plan: Box<dyn Planned>,
        why: Option<String>,
    ) -> Option<Self> {
        let spending = plan.spending()?.clone();
        let (charges, delta) = (spending.charges(), spending.account().delta);
        // No other is proved for a filter.
        let proved = |accountant: &Accountant| {
            spending.basis() == Basis::Plan || *accountant == Accountant::Zcdp
        };
        let by = ALL
            .into_iter()
            .filter(proved)
            .filter_map(|accountant| {
                let total = account_by(accountant, charges, checked.adjacency(), delta);
                Some((accountant, total.ok()??.epsilon))
            })
            .collect();
        Some(Self {
            checked,
            map,
            plan,
            spending,
            why,
            width,
            unit,
            by,
        })
    }

    /// The largest noise of predictions, in the units of the target.
    fn worst_noise(&self) -> Option<f64> {
        let share = self.plan.worst_noise()?;
        Some(share * self.width?)
    }

    fn delta(&self) -> f64 {
        self.spending.account().delta.get()
    }

    fn warnings(&self) -> Vec<String> {
        let cost = self.spending.cost(&self.plan.facts());
        let mut warnings = self.claims(true);
        warnings.extend(self.checked.map_caution().map(str::to_owned));
        warnings.extend(cost.cautions().iter().map(ToString::to_string));
        warnings
    }

    /// What a paper claims for the noise, if more is proved, or else if not.
    fn claims(&self, more: bool) -> Vec<String> {
        let proved = self.spending.account().epsilon;
        let claim = self.spending.claimed().map(|(paper, claimed)| {
            let claimed = claimed.epsilon().get();
            (proved > claimed, flags::claim(paper, claimed, proved))
        });
        let wanted = claim.filter(|(is_more, _)| *is_more == more);
        wanted.into_iter().map(|(_, text)| text).collect()
    }

    fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            out,
            "{LOUD}ε = {}{LOUD:#}   by {}; no private data was read\n",
            rounded_up(self.spending.account().epsilon, 4),
            self.plan.name(),
        );
        if let Some(why) = &self.why {
            let _ = writeln!(out, "{}", wrapped(why, 2));
        }
        facts_table(&mut out, &self.lines());
        let warnings = self.warnings().into_iter().map(|it| (ALARM, "warning", it));
        let notes = self.claims(false).into_iter().map(|it| (NAME, "note", it));
        for (style, kind, text) in warnings.chain(notes) {
            let text = wrapped(&format!("{kind}: {text}"), 2);
            let text = text.trim_start().trim_start_matches(kind);
            let _ = write!(out, "\n  {style}{kind}{style:#}{text}");
        }
        out.push('\n');
        card::events(
            &mut out,
            self.spending.charges(),
            &self.spending.account().shares,
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
            "\n  {NAME}ε by accountant{NAME:#}, {QUIET}the smallest is used{QUIET:#}\n  {}",
            by.join("   ")
        );
        out
    }

    /// What the plan depends on and what it does, one line each.
    fn lines(&self) -> Vec<(&'static str, String, &'static str)> {
        let records = match (self.checked.adjacency(), &self.unit) {
            (Adjacency::ReplaceOne, None) => "records",
            (Adjacency::ReplaceOne, Some(_)) => "people; the number of rows is private",
            (Adjacency::AddRemove, None) => "stands for the number of records, which is private",
            (Adjacency::AddRemove, Some(_)) => "stands for the number of people, which is private",
        };
        let mut lines = vec![("task", self.checked.task().name().to_owned(), "")];
        if let Some(rho) = self.spending.rho() {
            lines.push(("rho", rounded_up(rho, 4), RHO));
        }
        lines.extend([
            ("delta", exact(self.delta()), "must be far below 1/n"),
            (
                "adjacency",
                self.checked.adjacency().name().to_owned(),
                "which tables count as neighbours",
            ),
            ("n", self.plan.facts().records.to_string(), records),
            ("d", self.plan.facts().columns.to_string(), "features"),
        ]);
        if let Some(map) = &self.map {
            lines.push(("features", short_numbers(&map.sentence()), "a public map"));
        }
        lines.extend([(
            "rows",
            rows_name(self.checked.rows()),
            match &self.map {
                Some(_) => "each row of features is clipped to it",
                None => "each row is clipped to it",
            },
        )]);
        if let Some(unit) = &self.unit {
            lines.push(("protected", unit.to_string(), ""));
        }
        lines.extend(self.plan.summary().iter().map(entry_text));
        if let Some(noise) = self.worst_noise() {
            let meaning =
                "the worst noise in the target's units; less if targets lie closer together";
            lines.push(("in units", short(noise), meaning));
        }
        lines
    }

    fn json(&self) -> String {
        let object = Object {
            task: self.checked.task().name(),
            n: self.plan.facts().records,
            d: self.plan.facts().columns,
            features: self.map.as_ref(),
            rows: rows_name(self.checked.rows()),
            epsilon: self.spending.account().epsilon,
            delta: self.delta(),
            rho: self.spending.rho(),
            adjacency: self.checked.adjacency(),
            unit: self.unit.as_ref(),
            accountant: self.spending.account().accountant,
            epsilon_by_accountant: self
                .by
                .iter()
                .map(|(accountant, epsilon)| (accountant.name(), *epsilon))
                .collect(),
            method: self.plan.name(),
            why: self.why.as_deref(),
            worst_noise: self.worst_noise(),
            parameters: parameters(&self.plan.summary()),
            events: self.spending.charges(),
            warnings: self.warnings(),
            notes: self.claims(false),
        };
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        let mut line = serde_json::to_string(&object).unwrap_or_default();
        line.push('\n');
        line
    }
}

/// What ρ is, in a few words.
pub const RHO: &str = "zCDP; adds up, under one adjacency";

/// A parameter for a person: long numbers are shortened.
pub fn entry_text(line: &PlanEntry) -> (&'static str, String, &'static str) {
    let value = match &line.value {
        Value::Number(number) => short(*number),
        Value::Text(text) => short_numbers(text),
    };
    (line.name, value, line.meaning)
}

/// The parameters of a plan for a program.
pub fn parameters(summary: &[PlanEntry]) -> BTreeMap<&'static str, serde_json::Value> {
    let named = |line: &PlanEntry| (line.name, json_of(&line.value));
    summary.iter().map(named).collect()
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
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<&'a FeatureMap>,
    rows: String,
    epsilon: f64,
    delta: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
    adjacency: Adjacency,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a ProtectedUnit>,
    accountant: Accountant,
    epsilon_by_accountant: BTreeMap<&'static str, f64>,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_noise: Option<f64>,
    parameters: BTreeMap<&'static str, serde_json::Value>,
    events: &'a [Charge],
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}
