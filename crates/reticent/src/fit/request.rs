//! A requested method as plain data: the command, Python and Rust fill it in, a certificate records
//! it, and here alone it becomes a plan.

use serde::{Deserialize, Serialize};

use super::declaration::{PlanAndReason, PlanInput, TakesNonzero};
use super::{
    Auxiliary, Facts, MethodName, MethodOptions, Nonzero, OptionValue, PlanError, TaskName,
};
use crate::privacy::{Adjacency, Budget};
use crate::table::ClassWeight;

/// Why a number of weights is not found where there is no privacy.
const NO_NOISE: &str = "auto compares weights with their noise, and without privacy there is none: \
                        the number of weights is the default's";

/// Everything that a plan depends on except the public [`Facts`] of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodRequest {
    /// What the result is to predict.
    pub task: TaskName,
    /// How it is fitted.
    pub method: MethodName,
    /// What may be spent; `None` fits without privacy.
    pub budget: Option<Budget>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights or columns there may be, over all classes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonzero: Option<Nonzero>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// How much records count for by their class, if they do not count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_weight: Option<ClassWeight>,
    /// Options that only some methods have.
    #[serde(default, skip_serializing_if = "MethodOptions::is_empty")]
    pub options: MethodOptions,
    /// How many classes there are, if several: known once there is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u32>,
    /// How many rows of a public file a teacher answers on: known once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_rows: Option<usize>,
}

impl MethodRequest {
    /// The plan for a table with these public `facts`, and why it is this one, if that was not asked for. It
    /// knows only the number of public rows, and cannot be run if it needs them.
    pub fn plan(&self, facts: Facts) -> Result<PlanAndReason, PlanError> {
        let elsewhere = self.public_rows.map(|rows| Auxiliary::Elsewhere { rows });
        self.plan_with(facts, elsewhere)
    }

    /// The same, with the rows that a teacher answers on.
    pub fn plan_with(
        &self,
        facts: Facts,
        rows: Option<Auxiliary>,
    ) -> Result<PlanAndReason, PlanError> {
        let task = self.task.of(self.classes.unwrap_or(0));
        let declaration = self.method.declaration();
        let Some(budget) = self.budget else {
            let baseline = declaration
                .baseline
                .ok_or(PlanError::NoBudget(declaration.name))?;
            let plan = baseline(self, task, facts)?;
            let why = (self.nonzero == Some(Nonzero::Auto)).then(|| NO_NOISE.to_owned());
            return Ok((plan, why));
        };
        let finds = declaration.nonzero == TakesNonzero::CountOrAuto;
        if self.nonzero == Some(Nonzero::Auto) && !finds {
            return Err(PlanError::NonzeroAuto(declaration.name));
        }
        let build = declaration
            .build
            .ok_or(PlanError::NoPrivacy(declaration.name))?;
        build(PlanInput {
            request: self,
            budget,
            task,
            facts,
            rows,
        })
    }

    /// The number of weights that is asked for, if it is a number; methods that find it themselves
    /// declare that they do, and no other is asked to.
    pub(super) fn count(&self) -> Option<usize> {
        self.nonzero.and_then(Nonzero::count)
    }

    /// Whether the vertices of a region were declared.
    pub fn has_vertices(&self) -> bool {
        let mut values = self.options.iter().map(|(_, value)| value);
        values.any(|value| matches!(value, OptionValue::Vertices(_)))
    }
}
