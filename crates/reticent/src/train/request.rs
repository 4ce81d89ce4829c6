//! Everything that a person declares about a fit, before it is checked.

use super::{CheckedRequest, MethodName, MethodOptions, ParameterStyle, Refused, TaskName};
use crate::features::DeclaredMap;
use crate::fit::{MethodRequest, Nonzero};
use crate::privacy::{Adjacency, Budget, Delta, Epsilon, Rho};
use crate::table::{ClassPattern, ClassWeight, FEATURE_BOUND, RecordBound, TargetRange};

/// Everything that a person declares about a fit; nothing in it comes from the data. What has no
/// default is `None` until it is declared, and [`check`](Self::check) asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct FitRequest {
    /// What kind of model.
    pub task: Option<TaskName>,
    /// How it is fitted.
    pub method: MethodName,
    /// The ε that may be spent; infinity fits without privacy.
    pub epsilon: Option<f64>,
    /// The δ at which ε holds.
    pub delta: Option<f64>,
    /// The ρ that may be spent, in place of ε.
    pub rho: Option<f64>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// The number that stands for the number of records where that is private.
    pub public_n: Option<u64>,
    /// The bound of a row, enforced: of a row of features, if there is a map. If `None`, it is
    /// ℓ₂ = 1 for features of a map, and [−1, 1] for a table with a schema.
    pub rows: Option<RecordBound>,
    /// The map from rows to their features, if the model is to be one of features; a schema may
    /// declare its own.
    pub features: Option<DeclaredMap>,
    /// The range of a numeric target, enforced; a schema declares its own.
    pub range: Option<TargetRange>,
    /// The classes; those of the table if `None`, which it lists as assumed public.
    pub classes: Option<Vec<ClassPattern>>,
    /// Whether the table has a schema, which declares bounds, range and classes.
    pub schema: bool,
    /// Whether there are public rows for a teacher to answer on.
    pub public: bool,
    /// How many weights there may be, over all classes together.
    pub nonzero: Option<Nonzero>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// How much records count for by their class, if they do not count alike.
    pub class_weight: Option<ClassWeight>,
    /// Options that only some methods have.
    pub options: MethodOptions,
}

/// Nothing declared.
impl Default for FitRequest {
    fn default() -> Self {
        Self {
            task: None,
            method: MethodName::AUTO,
            epsilon: None,
            delta: None,
            rho: None,
            adjacency: Adjacency::ReplaceOne,
            public_n: None,
            rows: None,
            features: None,
            range: None,
            classes: None,
            schema: false,
            public: false,
            nonzero: None,
            intercept: true,
            class_weight: None,
            options: MethodOptions::default(),
        }
    }
}

impl FitRequest {
    /// The checked request, or what is missing, impossible or contradictory, in the caller's words.
    /// It reads no data.
    pub fn check(&self, style: ParameterStyle) -> Result<CheckedRequest, Refused> {
        self.check_with(style, &[])
    }

    /// The same for a caller that also lacks the parameters `also`, which only it needs: everything
    /// missing is reported at once.
    pub fn check_with(
        &self,
        style: ParameterStyle,
        also: &[&'static str],
    ) -> Result<CheckedRequest, Refused> {
        self.check_one_budget(style)?;
        let implied = match &self.features {
            Some(_) => Some(FEATURE_BOUND),
            None => self.schema.then_some(RecordBound::Linf(1.0)),
        };
        let rows = self.rows.or(implied);
        let missing = self.missing(rows, also);
        let (Some(task), Some(rows), []) = (self.task, rows, &missing[..]) else {
            return Err(Refused::missing(style, missing));
        };
        let budget = self.budget(style)?;
        self.check_values(style, rows)?;
        let method = MethodRequest {
            task,
            method: self.method,
            budget,
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            intercept: self.intercept,
            class_weight: self.class_weight.clone(),
            options: self.options.clone(),
            classes: None,
            public_rows: None,
        };
        self.check_table(style, task)?;
        method.check_options(style, self.public)?;
        Ok(CheckedRequest {
            method,
            public_n: self.public_n,
            rows,
            rows_declared: self.rows.is_some(),
            features: self.features.clone(),
            schema: self.schema,
            range: self.range,
            classes: self.classes.clone(),
        })
    }

    /// Refuses a budget in ε and in ρ.
    pub(super) fn check_one_budget(&self, style: ParameterStyle) -> Result<(), Refused> {
        if self.epsilon.is_some() && self.rho.is_some() {
            let (epsilon, rho) = (style.name("epsilon"), style.name("rho"));
            let what = format!("{epsilon} and {rho} were both given");
            return Err(Refused::conflict(what, "a budget is in one of them"));
        }
        Ok(())
    }

    /// What has no default and was not declared.
    fn missing(&self, rows: Option<RecordBound>, also: &[&'static str]) -> Vec<&'static str> {
        let open = self.epsilon == Some(f64::INFINITY);
        let linear = self.task == Some(TaskName::Linear);
        let private_size = self.adjacency == Adjacency::AddRemove;
        let asked = [
            (self.task.is_some(), "task"),
            (self.epsilon.is_some() || self.rho.is_some(), "epsilon"),
            (open || self.delta.is_some(), "delta"),
            (rows.is_some(), "rows"),
            (
                !linear || self.schema || self.range.is_some(),
                "target-range",
            ),
            (!private_size || self.public_n.is_some(), "public-n"),
        ];
        let missing = asked.into_iter().filter(|(given, _)| !given);
        missing
            .map(|(_, name)| name)
            .chain(also.iter().copied())
            .collect()
    }

    /// The budget; `None` without privacy.
    pub(super) fn budget(&self, style: ParameterStyle) -> Result<Option<Budget>, Refused> {
        let delta = self.delta.map(Delta::new).transpose()?;
        match (self.epsilon, self.rho, delta) {
            (Some(f64::INFINITY), ..) => Ok(None),
            (Some(epsilon), _, Some(delta)) => Ok(Some(Budget::new(Epsilon::new(epsilon)?, delta))),
            (None, Some(rho), Some(delta)) => {
                let budget = Budget::zcdp(Rho::new(rho)?, delta);
                budget.map(Some).map_err(|error| {
                    let rho = style.value("rho", rho);
                    Refused::Value(format!("{rho} is not a budget: {error}"))
                })
            }
            // Missing ones were reported before.
            _ => Ok(None),
        }
    }

    /// Refuses numbers that their parameters do not allow.
    pub(super) fn check_values(
        &self,
        style: ParameterStyle,
        rows: RecordBound,
    ) -> Result<(), Refused> {
        let (RecordBound::L2(bound) | RecordBound::Linf(bound)) = rows;
        if !(bound > 0.0 && bound.is_finite()) {
            return Err(Refused::Value(format!(
                "the bound of the rows is {bound}; it must be a finite number above 0"
            )));
        }
        if let Some(TargetRange { low, high }) = self.range
            && !(low < high && (high - low).is_finite())
        {
            let (range, example) = match style {
                ParameterStyle::Flags => (format!("--target-range is {low},{high}"), "0,120"),
                ParameterStyle::Arguments => {
                    (format!("target_range is ({low}, {high})"), "(0, 120)")
                }
            };
            return Err(Refused::Value(format!(
                "{range}; it must be two finite numbers, the lower one first, like {example}"
            )));
        }
        if let Some(features) = &self.features
            && let Err(error) = features.check()
        {
            return Err(Refused::Value(error.to_string()));
        }
        if self.public_n == Some(0) {
            return Err(Refused::Value(format!(
                "{} is 0; it stands for the number of records, and a fit needs at least one record",
                style.name("public-n")
            )));
        }
        Ok(())
    }
}
