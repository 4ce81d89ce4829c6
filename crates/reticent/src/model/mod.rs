//! Models: weights, what was spent on them, the file format, prediction.
//!
//! ```text
//! fit ─ Fitted ─┐
//!               ├─> Model ─ write ─> model.json ─ read ─> Model ─ predict ─> Predictions
//!  Certificate ─┘     └─ certificate().verify() ─> Verification
//! ```
//!
//! A model predicts in the target's own units, from rows that are held to the same bounds as
//! those it was fitted on. Its file is JSON; [`Model::from_json`] refuses whatever it did not
//! write itself.

mod certificate;
mod error;
mod file;
mod predict;
mod verify;
mod write;

use std::collections::HashSet;

use crate::data::{ClassPattern, Clip, Layout, TargetRange, clip_for};
use crate::fit::{Fitted, Task};

pub use certificate::{Certificate, Method, Parameter, Published};
pub use error::{ModelError, ModelFileError};
pub use file::{FORMAT, VERSION};
pub use predict::{Predictions, WidthError, probability};
pub use verify::{Check, Verdict, Verification};
pub use write::write_atomically;

/// What a model predicts.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// One of two classes, and which labels of a file make them up.
    Classes([ClassPattern; 2]),
    /// A number, in the units of the declared range of the target.
    Value(TargetRange),
}

/// A linear model that can be published: few weights, and a certificate of what was spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// By column, increasing; none is zero.
    weights: Vec<(u32, f64)>,
    intercept: f64,
    outcome: Outcome,
    layout: Layout,
    certificate: Certificate,
    /// What holds a row to the certificate's bound, as in training.
    clip: Clip,
}

impl Model {
    /// The model of a fit.
    ///
    /// A numeric target was fitted on [−1, 1]; weights and intercept are converted to its own
    /// units: times half the width of its range, plus its middle, if `centred`; else times the
    /// larger end (as [`Table::enforce`](crate::data::Table::enforce) maps it).
    pub fn new(
        fitted: &Fitted,
        outcome: Outcome,
        centred: bool,
        layout: Layout,
        certificate: Certificate,
    ) -> Result<Self, ModelError> {
        if fitted.statement != certificate.statement {
            return Err(ModelError::Statement);
        }
        let (scale, middle) = match &outcome {
            Outcome::Classes(_) => (1.0, 0.0),
            Outcome::Value(range) if centred => (
                0.5 * range.high - 0.5 * range.low,
                0.5 * range.high + 0.5 * range.low,
            ),
            Outcome::Value(range) => (range.low.abs().max(range.high.abs()), 0.0),
        };
        let scaled = |&(column, weight): &(u32, f64)| (column, weight * scale);
        let weights = fitted
            .weights
            .iter()
            .map(scaled)
            .filter(|&(_, weight)| weight != 0.0)
            .collect();
        let intercept = fitted.intercept * scale + middle;
        Self::of(weights, intercept, outcome, layout, certificate)
    }

    /// What kind of model.
    pub fn task(&self) -> Task {
        match self.outcome {
            Outcome::Classes(_) => Task::Logistic,
            Outcome::Value(_) => Task::Linear,
        }
    }

    /// The weights that are not zero, by column, in increasing order.
    pub fn weights(&self) -> &[(u32, f64)] {
        &self.weights
    }

    /// The intercept.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// What it predicts.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// What its columns are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What was spent on it, and what that rests on.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The model of these parts, if they fit together.
    fn of(
        weights: Vec<(u32, f64)>,
        intercept: f64,
        outcome: Outcome,
        layout: Layout,
        certificate: Certificate,
    ) -> Result<Self, ModelError> {
        certificate.check().map_err(ModelError::Certificate)?;
        let clip = clip_for(certificate.rows)
            .map_err(|error| ModelError::Certificate(error.to_string()))?;
        let model = Self {
            weights,
            intercept,
            outcome,
            layout,
            certificate,
            clip,
        };
        model.check_outcome()?;
        model.check_reasons()?;
        model.check_weights()?;
        Ok(model)
    }

    /// A certificate of privacy lists releases if there are weights, and owns up to what the
    /// schema took from the data.
    fn check_reasons(&self) -> Result<(), ModelError> {
        let certificate = &self.certificate;
        let fail = |reason: &str| Err(ModelError::Certificate(reason.to_owned()));
        let unpaid = certificate.statement.charges.is_empty() && !self.weights.is_empty();
        if certificate.private && unpaid {
            return fail("the model has weights, and no release is listed");
        }
        let Layout::Named(schema) = &self.layout else {
            return Ok(());
        };
        let reasons = &certificate.reasons_not_private;
        let owned_up = |from: &String| reasons.contains(from);
        if schema.not_private().iter().all(owned_up) {
            return Ok(());
        }
        fail("the schema took values from the data, and it does not say that this is not private")
    }

    /// Finite weights, none of them zero, in the order of the columns that there are.
    fn check_weights(&self) -> Result<(), ModelError> {
        let width = self.layout.width();
        let first = match self.layout {
            Layout::Numbered { first, .. } => first,
            Layout::Named(_) => 0,
        };
        if !(1..=u32::MAX as usize).contains(&width) || first > 1 {
            return Err(ModelError::Layout);
        }
        if self.certificate.columns != width as u64 {
            return Err(ModelError::Columns {
                certificate: self.certificate.columns,
                layout: width as u64,
            });
        }
        if !self.intercept.is_finite() {
            return Err(ModelError::NotFinite("the intercept".to_owned()));
        }
        let mut least = 0;
        for &(column, weight) in &self.weights {
            if column as usize >= width {
                return Err(ModelError::Beyond { column, width });
            }
            let name = || format!("the weight of '{}'", self.layout.name(column as usize));
            if u64::from(column) < least {
                return Err(ModelError::Order(name()));
            }
            if !weight.is_finite() {
                return Err(ModelError::NotFinite(name()));
            }
            if weight == 0.0 {
                return Err(ModelError::Zero(name()));
            }
            least = u64::from(column) + 1;
        }
        Ok(())
    }

    /// Classes that can be told apart, or the range that the certificate states.
    fn check_outcome(&self) -> Result<(), ModelError> {
        match &self.outcome {
            Outcome::Classes([first, second]) => {
                let apart = match (&first.labels, &second.labels) {
                    (Some(first), Some(second)) => {
                        let first: HashSet<&String> = first.iter().collect();
                        !first.is_empty()
                            && !second.is_empty()
                            && !second.iter().any(|label| first.contains(label))
                    }
                    (Some(listed), None) | (None, Some(listed)) => !listed.is_empty(),
                    (None, None) => false,
                };
                if !apart || first.name == second.name || self.certificate.target.is_some() {
                    return Err(ModelError::Classes);
                }
            }
            Outcome::Value(range) => {
                if self.certificate.target != Some(*range) {
                    return Err(ModelError::Range);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
