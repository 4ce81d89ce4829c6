//! The choice of columns alone: held to its bounds, shut, chosen, certified.

use super::run::{generator, unfinished};
use super::{Order, TrainError};
use crate::fit::{Choose, Method, PlanError, Watch};
use crate::model::{Certificate, Outcome};
use crate::table::Table;

/// Columns that were chosen, and what that cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// By their number from 0, in increasing order.
    pub columns: Vec<u32>,
    /// What was spent, and everything that it rests on.
    pub certificate: Certificate,
}

impl Order {
    /// Chooses as many columns as the order wants weights, or 1.5·√d of them, and fits no model. With
    /// a `seed` the noise can be repeated, and the certificate says that the result is not private.
    pub fn choose(
        &self,
        table: Table<'_>,
        seed: Option<u64>,
        watch: &mut dyn Watch,
    ) -> Result<Selected, TrainError> {
        // Without a budget there is nothing private to do.
        let budget = self.budget.ok_or(PlanError::Task {
            method: "a choice of columns",
            task: "open",
            instead: "it is private by design; give it a budget",
        })?;
        let outcome = self.outcome(&table)?;
        let classes = match &outcome {
            Outcome::Classes(classes) => classes.len(),
            Outcome::Value(_) => 0,
        };
        let width = table.layout.width();
        let facts = self.facts(table.features.rows(), width)?;
        // Never all of them.
        let by_default =
            ((1.5 * (width as f64).sqrt()) as usize).clamp(1, width.saturating_sub(1).max(1));
        let plan = Choose {
            adjacency: self.adjacency,
            intercept: self.intercept,
            ..Choose::new(
                self.task.of(classes),
                budget,
                self.nonzero.unwrap_or(by_default),
            )
        }
        .plan(facts)?;
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        let range = self.range_of(&layout);
        let records = table
            .hold(self.rows, range, self.centred())?
            .shut(self.adjacency);
        let chosen = plan.run(&records, &mut generator(seed)?, watch);
        let chosen = chosen.map_err(|error| unfinished(error, plan.spending(), seed.is_none()))?;
        let method = Method::new("choose", &plan.outline());
        let rests_on = (&outcome, &layout, assumed);
        Ok(Selected {
            columns: chosen.columns,
            certificate: self.certificate(chosen.statement, facts, method, rests_on),
        })
    }
}
