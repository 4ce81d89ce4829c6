//! From an open table to a certified summary of some of its columns.

use super::missing::RANGES;
use super::run::{NOT_EMPTY, generator};
use super::{FitRequest, ParameterStyle, Refused, RunCost};
use crate::fit::{Facts, Method};
use crate::model::{Certificate, CertifiedSummary, SUMMARY};
use crate::noise::NoEntropy;
use crate::privacy::{Adjacency, Budget, LedgerError};
use crate::summary::{
    ColumnKind, Figures, SummaryColumn, SummaryPlan, SummaryPlanError, SummaryRequest,
};
use crate::table::{
    Column, EnforceError, Kind, Layout, MOST_UNIT_ROWS, RecordBound, Scale, Schema, Table, Target,
    TargetKind, TargetRange, WantedTarget,
};

/// The most columns of a summary: the noise of each grows with the root of their number.
pub const MOST_SUMMARY_COLUMNS: usize = 1000;
/// How many columns a message lists.
const LISTED: usize = 12;
/// The most bins of a histogram.
const MOST_BINS: usize = 1000;

/// Everything that a person declares about a summary; nothing in it comes from the data.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredSummary {
    /// The ε that may be spent.
    pub epsilon: Option<f64>,
    /// The δ at which ε holds.
    pub delta: Option<f64>,
    /// The ρ that may be spent, in place of ε.
    pub rho: Option<f64>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// The number that stands for the number of records where that is private.
    pub public_n: Option<u64>,
    /// The bound of the values of a table without a schema.
    pub rows: Option<RecordBound>,
    /// Whether the table has a schema, which declares ranges and levels.
    pub schema: bool,
    /// The names of the columns; all if `None`.
    pub columns: Option<Vec<String>>,
    /// The shares below quantiles.
    pub quantiles: Vec<f64>,
    /// About how many bins a histogram has.
    pub bins: usize,
}

/// The quartiles, ten bins, and nothing else declared.
impl Default for DeclaredSummary {
    fn default() -> Self {
        Self {
            epsilon: None,
            delta: None,
            rho: None,
            adjacency: Adjacency::ReplaceOne,
            public_n: None,
            rows: None,
            schema: false,
            columns: None,
            quantiles: vec![0.25, 0.5, 0.75],
            bins: 10,
        }
    }
}

/// A checked declaration: the only kind that is summarised.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSummary {
    budget: Budget,
    declared: DeclaredSummary,
    rows: RecordBound,
    /// The bound of each value.
    bound: f64,
}

/// Why there is no summary.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummaryError {
    /// There is no such column; nothing was spent.
    #[error(transparent)]
    Columns(#[from] Refused),
    /// The parameters make no plan; nothing was spent.
    #[error(transparent)]
    Plan(#[from] SummaryPlanError),
    /// The bounds cannot be enforced; nothing was spent.
    #[error(transparent)]
    Enforce(#[from] EnforceError),
    /// The system gives no random bits; nothing was spent.
    #[error(transparent)]
    System(#[from] NoEntropy),
    /// The ledger refuses the plan; nothing was spent.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// It failed when noise may have been drawn.
    #[error("{reason}; there is no summary, but noise was drawn: count this run as {cost}")]
    Spent {
        /// What went wrong.
        reason: String,
        /// What it cost.
        cost: RunCost,
    },
}

impl DeclaredSummary {
    /// The checked declaration, or what is missing, impossible or contradictory, in the caller's
    /// words. It reads no data.
    pub fn check(&self, style: ParameterStyle) -> Result<CheckedSummary, Refused> {
        let common = FitRequest {
            epsilon: self.epsilon,
            delta: self.delta,
            rho: self.rho,
            adjacency: self.adjacency,
            public_n: self.public_n,
            ..FitRequest::default()
        };
        common.check_one_budget(style)?;
        let rows = match self.schema {
            true => Some(RecordBound::Linf(1.0)),
            false => self.rows,
        };
        let private_size = self.adjacency == Adjacency::AddRemove;
        let asked = [
            (self.epsilon.is_some() || self.rho.is_some(), "epsilon"),
            (self.delta.is_some(), "delta"),
            (rows.is_some(), RANGES),
            (!private_size || self.public_n.is_some(), "public-n"),
        ];
        let missing = asked.into_iter().filter(|(given, _)| !given);
        let missing: Vec<&str> = missing.map(|(_, name)| name).collect();
        let (Some(rows), []) = (rows, &missing[..]) else {
            return Err(Refused::missing(style, missing));
        };
        let Some(budget) = common.budget(style)? else {
            let epsilon = style.name("epsilon");
            return Err(Refused::Value(format!(
                "{epsilon} is infinite; a summary needs a finite budget, such as 1"
            )));
        };
        common.check_values(style, rows)?;
        common.check_public_n(style)?;
        let Some(bound) = SummaryColumn::bound_of(rows) else {
            let given = style.name(match style {
                ParameterStyle::Flags => "rows",
                ParameterStyle::Arguments => "bounds",
            });
            return Err(Refused::conflict(
                format!(
                    "{given} bounds the length of rows, and a summary needs that of each value"
                ),
                "give linf=B, for values within ±B, or a schema with a range per column",
            ));
        };
        self.check_figures(style)?;
        Ok(CheckedSummary {
            budget,
            declared: self.clone(),
            rows,
            bound,
        })
    }

    fn check_figures(&self, style: ParameterStyle) -> Result<(), Refused> {
        let inside = |share: &f64| *share > 0.0 && *share < 1.0;
        if let Some(share) = self.quantiles.iter().find(|share| !inside(share)) {
            return Err(Refused::Value(format!(
                "{} has {share}; a quantile is above 0 and below 1: 0.5 is the median",
                style.name("quantiles")
            )));
        }
        let twice = |(at, share): &(usize, &f64)| self.quantiles[..*at].contains(share);
        if let Some((_, share)) = self.quantiles.iter().enumerate().find(twice) {
            return Err(Refused::Value(format!(
                "{} has {share} twice; name each quantile once",
                style.name("quantiles")
            )));
        }
        if !(1..=MOST_BINS).contains(&self.bins) {
            return Err(Refused::Value(format!(
                "{} is {}; it must be between 1 and {MOST_BINS}",
                style.name("bins"),
                self.bins
            )));
        }
        Ok(())
    }
}

impl CheckedSummary {
    /// What is to be read as the target of a table with a schema: its own kind, if it is summarised.
    pub fn wanted(&self, schema: Option<&Schema>) -> WantedTarget<'static> {
        let Some(schema) = schema else {
            return WantedTarget::Nothing;
        };
        let Some((at, kind)) = schema.target() else {
            return WantedTarget::Nothing;
        };
        let name = &schema.columns()[at].name;
        let columns = self.declared.columns.as_ref();
        match kind {
            _ if columns.is_some_and(|columns| !columns.contains(name)) => WantedTarget::Nothing,
            TargetKind::Classes { .. } => WantedTarget::MultipleClasses(None),
            TargetKind::Range { .. } => WantedTarget::Values,
        }
    }

    /// The columns of a table with this layout that are summarised.
    pub fn columns(&self, layout: &Layout) -> Result<Vec<SummaryColumn>, Refused> {
        linear(layout)?;
        let Some(names) = &self.declared.columns else {
            if let Layout::Numbered { width, .. } = layout {
                few(*width)?;
            }
            let all = SummaryColumn::all(layout, self.bound);
            few(all.len())?;
            return Ok(all);
        };
        let mut chosen: Vec<SummaryColumn> = Vec::new();
        for name in names {
            if chosen.iter().any(|column| column.name == *name) {
                let what = format!("column '{name}' was asked for twice");
                return Err(Refused::conflict(what, "name each column once"));
            }
            match SummaryColumn::find(name, layout, self.bound) {
                Some(column) => chosen.push(column),
                None => return Err(Refused::Value(unknown(name, layout, self.bound))),
            }
        }
        few(chosen.len())?;
        Ok(chosen)
    }

    /// The plan for these columns of a table of so many records; under add-remove the declared
    /// number takes their place.
    pub fn plan(
        &self,
        columns: &[SummaryColumn],
        records: u64,
    ) -> Result<SummaryPlan, SummaryPlanError> {
        let numeric = columns.iter();
        let numeric = numeric.filter(|column| matches!(column.kind, ColumnKind::Numeric { .. }));
        let numeric = numeric.count();
        let request = SummaryRequest {
            budget: self.budget,
            adjacency: self.declared.adjacency,
            numeric,
            categorical: columns.len() - numeric,
        };
        request.plan(self.declared.public_n.unwrap_or(records))
    }

    /// Summarises a table. With a `seed` the noise can be repeated, and the certificate says that
    /// the result is not private.
    ///
    /// # Privacy
    ///
    /// As of a fit: the plan depends on declared facts alone (under replace-one adjacency they
    /// include the number of records), the table is sealed before anything is asked of it, and the
    /// ledger holds exactly the charges of the plan.
    pub fn summarise(
        &self,
        mut table: Table<'_>,
        seed: Option<u64>,
    ) -> Result<CertifiedSummary, SummaryError> {
        let columns = self.columns(&table.layout)?;
        let plan = self.plan(&columns, table.protected() as u64)?;
        let unit = table.units.as_ref().map(|units| units.declared().clone());
        if unit
            .as_ref()
            .is_some_and(|unit| unit.rows.get() > MOST_UNIT_ROWS)
        {
            return Err(EnforceError::UnitRows(MOST_UNIT_ROWS).into());
        }
        let layout = table.layout.clone();
        let assumed = std::mem::take(&mut table.assumed);
        let adjacency = self.declared.adjacency;
        if let Target::Absent = table.target {
            // Sealed records have targets. Nobody asks for these.
            table.target = Target::Values(vec![0.0; table.features.rows()]);
        }
        let records = table.enforce(self.rows, Some(range(&layout)), true, adjacency)?;
        let mut ledger = plan.ledger()?;
        let mut randomness = generator(seed)?;
        let figures = Figures {
            quantiles: &self.declared.quantiles,
            bins: self.declared.bins,
        };
        let run = plan.run(&records, &columns, figures, &mut ledger, &mut randomness);
        let (summary, statement) = run.map_err(|error| SummaryError::Spent {
            reason: error.to_string(),
            cost: RunCost::of(&ledger.statement()),
        })?;
        let facts = Facts {
            records: plan.records(),
            columns: layout.width(),
            rows: self.rows,
        };
        let mut certificate = Certificate::new(statement, facts, Method::new(SUMMARY, &[]));
        certificate.summary = Some(plan.request());
        certificate.unit = unit;
        certificate.assumed_public = assumed;
        if adjacency == Adjacency::AddRemove {
            certificate.assumed_public.push(NOT_EMPTY.to_owned());
        }
        if let Layout::Named(schema) = &layout {
            let from_data = schema.not_private().into_iter();
            certificate = from_data.fold(certificate, Certificate::not_private);
        }
        Ok(CertifiedSummary::new(summary, certificate))
    }
}

/// The range of a numeric target; of one that nobody asks for, any.
fn range(layout: &Layout) -> TargetRange {
    let declared = match layout {
        Layout::Named(schema) => schema.target_range(),
        Layout::Numbered { .. } => None,
    };
    declared.map_or(
        TargetRange {
            low: -1.0,
            high: 1.0,
        },
        |range| TargetRange {
            low: range.low(),
            high: range.high(),
        },
    )
}

/// Refuses a logarithmic scale, whose means and bins would be those of logarithms.
fn linear(layout: &Layout) -> Result<(), Refused> {
    let Layout::Named(schema) = layout else {
        return Ok(());
    };
    let log = |column: &&Column| match column.kind {
        Kind::Numeric { scale, .. } => scale == Scale::Log,
        _ => false,
    };
    match schema.columns().iter().find(log) {
        None => Ok(()),
        Some(column) => Err(Refused::conflict(
            format!("column '{}' was read on a logarithmic scale", column.name),
            "read the table by `Schema::for_summary`",
        )),
    }
}

/// Refuses so many columns that nothing would be left of any.
fn few(columns: usize) -> Result<(), Refused> {
    if columns == 0 {
        let what = "there is no column to summarise".to_owned();
        return Err(Refused::conflict(what, "name one that is not ignored"));
    }
    if columns > MOST_SUMMARY_COLUMNS {
        return Err(Refused::conflict(
            format!(
                "a summary has at most {MOST_SUMMARY_COLUMNS} columns, and these are {columns}"
            ),
            "name those that matter: the noise of each grows with the root of their number",
        ));
    }
    Ok(())
}

/// The refusal of a column that is not there.
fn unknown(name: &str, layout: &Layout, bound: f64) -> String {
    match layout {
        Layout::Numbered { first, width } => format!(
            "there is no column {name}; they are numbered from {first} to {}",
            (*width + *first as usize).saturating_sub(1)
        ),
        Layout::Named(schema) => {
            let described = schema.columns().iter().find(|column| column.name == name);
            let unused = match described.map(|column| &column.kind) {
                Some(Kind::Ignored) => Some("the schema ignores column"),
                Some(Kind::Unit { .. }) => Some("the schema takes for whose a row is the column"),
                _ => None,
            };
            let all = SummaryColumn::all(layout, bound);
            let names = all.iter().take(LISTED).map(|column| column.name.as_str());
            let mut names = names.collect::<Vec<_>>().join(", ");
            if all.len() > LISTED {
                names.push_str(&format!(" and {} more", all.len() - LISTED));
            }
            match unused {
                Some(unused) => format!(
                    "{unused} '{name}'; describe it there as numeric or categorical, or name \
                     another: {names}"
                ),
                None => {
                    format!("the schema describes no column '{name}'; there are {names}")
                }
            }
        }
    }
}
