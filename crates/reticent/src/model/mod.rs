//! Models: weights, what was spent on them, the file format, prediction.
//!
//! ```text
//! fit ─ Fitted ─┐
//!               ├─> Model ─ write ─> model.json ─ read ─> Model ─ predict ─> Predictions
//!  Certificate ─┘     ├─ certificate().verify() ─> Verification
//!                     └─ to_onnx ─> a graph for other programs
//! ```
//!
//! A model predicts in the target's own units, from rows that are clipped to the same bounds as
//! those it was fitted on. Its file is JSON; [`Model::from_json`] refuses whatever it did not write
//! itself.

mod certificate;
mod error;
mod file;
mod onnx;
mod origin;
mod predict;
mod predictor;
mod replan;
mod summary_file;
mod verify;
mod write;

use std::borrow::Cow;

use crate::features::FeatureMap;
use crate::fit::{Fitted, MethodName, Task, TaskName};
use crate::table::{ClassPattern, Clip, Layout, LazyMap, TargetRange, clip_for};

pub use crate::fit::{Method, Parameter};
pub(crate) use certificate::PUBLIC_VERTICES;
pub use certificate::{Certificate, Published};
pub use error::{ModelError, ModelFileError, OnnxError};
pub use file::{FORMAT, VERSION};
pub use origin::{LabelType, Origin};
pub use predict::{Predictions, WidthError, likeliest, probabilities, probability};
pub use predictor::Predictor;
pub(crate) use summary_file::SUMMARY;
pub use summary_file::{CertifiedSummary, read_certificate};
pub use verify::{Check, Verdict, Verification};
pub use write::{check_writable, write_atomically, write_new};

/// What a model predicts.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// One of two or more classes, and which labels of a file make them up.
    Classes(Vec<ClassPattern>),
    /// A number, in the units of the declared range of the target.
    Value(TargetRange),
}

/// A model that can be published: few weights, and a certificate of what was spent.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    predictor: Predictor,
    outcome: Outcome,
    layout: Layout,
    certificate: Certificate,
    origin: Origin,
    /// The map of the certificate, if there is one, as it runs.
    map: LazyMap,
    /// Clips a row to the certificate's bound, as in training.
    clip: Clip,
}

impl Model {
    /// The model of a fit.
    ///
    /// A numeric target was fitted on [−1, 1]; weights and intercept are converted to its own
    /// units: times half the width of its range, plus its centre, if `centred`; else times the
    /// larger end (as [`Table::enforce`](crate::table::Table::enforce) maps it).
    pub fn new(
        fitted: &Fitted,
        outcome: Outcome,
        centred: bool,
        layout: Layout,
        mut certificate: Certificate,
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
        certificate.noise = fitted.released.noise().map(|noise| noise * scale);
        let predictor = Predictor::of(&fitted.released, scale, middle)?;
        Self::of(predictor, outcome, layout, certificate)
    }

    /// What kind of model.
    pub fn task(&self) -> Task {
        match (&self.outcome, self.predictor.scores()) {
            (Outcome::Value(_), _) => Task::Linear,
            (Outcome::Classes(_), 1) => Task::Logistic,
            (Outcome::Classes(classes), _) => Task::Multinomial {
                // No more than `MOST_CLASSES`.
                classes: classes.len() as u32,
            },
        }
    }

    /// What predicts: of a multinomial model it has a score for each class, in their order.
    pub fn predictor(&self) -> &Predictor {
        &self.predictor
    }

    /// How many weights are not zero.
    pub fn nonzero(&self) -> usize {
        self.predictor.nonzero()
    }

    /// What it predicts.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// The names of the classes, if it predicts one of them.
    pub fn class_names(&self) -> Option<Vec<&str>> {
        match &self.outcome {
            Outcome::Classes(classes) => {
                Some(classes.iter().map(|class| class.name.as_str()).collect())
            }
            Outcome::Value(_) => None,
        }
    }

    /// The columns of a table that it predicts from.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The public map that rows go through before they are clipped and weighed, if there is one.
    pub fn features(&self) -> Option<&FeatureMap> {
        self.certificate.features.as_ref()
    }

    /// What weights belong to: the columns, or the features of the map.
    fn weighed(&self) -> Cow<'_, Layout> {
        weighed(&self.layout, &self.certificate)
    }

    /// What was spent on it, and what the guarantee depends on.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The model of these parts, if they fit together.
    fn of(
        predictor: Predictor,
        outcome: Outcome,
        layout: Layout,
        certificate: Certificate,
    ) -> Result<Self, ModelError> {
        certificate.check().map_err(ModelError::Certificate)?;
        let clip = clip_for(certificate.rows)
            .map_err(|error| ModelError::Certificate(error.to_string()))?;
        let model = Self {
            predictor,
            outcome,
            layout,
            certificate,
            origin: Origin::default(),
            map: LazyMap::default(),
            clip,
        };
        model.check_outcome()?;
        model.check_reasons()?;
        model.check_columns()?;
        model.predictor.check(&model.weighed())?;
        model.check_request()?;
        Ok(model)
    }

    /// Checks that the request was for a model with this outcome: a certificate of another fit
    /// certifies nothing here.
    fn check_request(&self) -> Result<(), ModelError> {
        if self.certificate.summary.is_some() {
            let reason = "what was asked for is a summary, and no model";
            return Err(ModelError::Certificate(reason.to_owned()));
        }
        let Some(request) = &self.certificate.request else {
            return Ok(());
        };
        let fits = request.method != MethodName::CHOOSE
            && match &self.outcome {
                Outcome::Value(_) => request.task == TaskName::Linear,
                Outcome::Classes(classes) => match request.task {
                    TaskName::Linear => false,
                    TaskName::Logistic => classes.len() == 2,
                    TaskName::Multinomial => request.classes == Some(classes.len() as u32),
                },
            };
        match fits {
            true => Ok(()),
            false => Err(ModelError::Certificate(
                "what was asked for is not such a model: another method, task or number of classes"
                    .to_owned(),
            )),
        }
    }

    /// A certificate of privacy lists releases if there are weights, and states what the schema
    /// took from the data.
    fn check_reasons(&self) -> Result<(), ModelError> {
        let certificate = &self.certificate;
        let fail = |reason: &str| Err(ModelError::Certificate(reason.to_owned()));
        let unpaid = certificate.statement.charges.is_empty() && self.nonzero() > 0;
        if certificate.private && unpaid {
            return fail("the model has weights, and no release is listed");
        }
        let Layout::Named(schema) = &self.layout else {
            return Ok(());
        };
        let unit = schema.unit().map(|(_, unit)| unit);
        if certificate.statement.has_guarantee() && certificate.unit != unit {
            return fail("what is protected is not what the schema says: whose each row is");
        }
        let reasons = &certificate.reasons_not_private;
        let owned_up = |from: &String| reasons.contains(from);
        if schema.not_private().iter().all(owned_up) {
            return Ok(());
        }
        fail("the schema took values from the data, and it does not say that this is not private")
    }

    /// Checks that columns are valid, and as many as the certificate states.
    fn check_columns(&self) -> Result<(), ModelError> {
        let width = self.layout.width();
        let first = match self.layout {
            Layout::Numbered { first, .. } => first,
            Layout::Named(_) => 0,
        };
        if !(1..=u32::MAX as usize).contains(&width) || first > 1 {
            return Err(ModelError::Layout);
        }
        let features = self.weighed().width() as u64;
        if self.certificate.columns != features {
            return Err(ModelError::Columns {
                certificate: self.certificate.columns,
                layout: features,
            });
        }
        self.check_features(width)
    }

    /// Checks that the map takes these columns, and is the one that the schema declares.
    fn check_features(&self, columns: usize) -> Result<(), ModelError> {
        let map = self.features();
        if let Some(map) = map {
            map.check_columns(columns).map_err(ModelError::Features)?;
        }
        let Layout::Named(schema) = &self.layout else {
            return Ok(());
        };
        let declared = schema.feature_map().map(|declared| declared.of(columns));
        match declared.transpose().map_err(ModelError::Features)? {
            Some(declared) if map != Some(&declared) => Err(ModelError::OtherFeatures),
            _ => Ok(()),
        }
    }

    /// Checks that classes are distinct, or that the range is the certificate's; and that there are
    /// as many scores as needed.
    fn check_outcome(&self) -> Result<(), ModelError> {
        let outputs = self.predictor.scores();
        match &self.outcome {
            Outcome::Classes(classes) => {
                ClassPattern::check(classes).map_err(ModelError::Classes)?;
                if self.certificate.target.is_some() {
                    return Err(ModelError::Task);
                }
                let classes = classes.len();
                if outputs != classes && (outputs, classes) != (1, 2) {
                    return Err(ModelError::Outputs { outputs, classes });
                }
            }
            Outcome::Value(_) if outputs != 1 || self.predictor.map().is_some() => {
                return Err(ModelError::Task);
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

/// What the weights of a model of this layout and certificate belong to. Features of a map are
/// numbered, so that a file cannot make its reader write down the names of a million of them.
fn weighed<'a>(layout: &'a Layout, certificate: &Certificate) -> Cow<'a, Layout> {
    match &certificate.features {
        Some(map) => Cow::Owned(Layout::of_features(map.outputs())),
        None => Cow::Borrowed(layout),
    }
}

#[cfg(test)]
mod tests;
