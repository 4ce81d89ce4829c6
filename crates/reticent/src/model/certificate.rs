//! The certificate: what was spent on a model, and everything that the guarantee depends on.

use serde::{Deserialize, Serialize};

use crate::features::FeatureMap;
use crate::fit::{Facts, Method, MethodRequest};
use crate::privacy::{Budget, Caution, Cost, Statement};
use crate::summary::SummaryRequest;
use crate::table::{ClassWeight, MOST_UNIT_ROWS, ProtectedUnit, RecordBound, TargetRange};

/// What was spent on a model, and everything that the guarantee depends on: plain data, which
/// anyone can read and recompute.
///
/// A certificate is a claim by whoever distributes the file. [`verify`](Self::verify) checks its
/// arithmetic, that it does not contradict itself, and that its releases are those of the plan
/// which the `request`, `records`, `columns` and `rows` make: an ε lowered by hand, noise that was
/// raised, releases that were dropped or counted once instead of 32 times are detected, even if ε
/// was adjusted to match. A person who also changes the request, consistently, makes the
/// certificate of another fit, which no recomputation can detect. Nor can it detect a changed
/// range, assumption, bound, unit, class weight or map of features that the plan does not depend
/// on: noise is relative to the sensitivity, which these determine. (The unit of a model has to be that of its
/// schema, if it has one.) Against that, sign the file.
///
/// Plans differ between versions of reticent: a certificate of another version is checked by its
/// arithmetic alone, and `verify` says so; one without a request fails, unless it is from before 0.2.0. A
/// filter, whose releases followed from outcomes, is checked against its budget, and that against the
/// request: the ρ of what it lists is bounded from above alone, so that the list is no evidence of what ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Whether the result is private: there is no reason against it.
    pub private: bool,
    /// Why it is not, if it is not.
    pub reasons_not_private: Vec<String>,
    /// (ε, δ), the adjacency, each release that was charged, the accountant.
    pub statement: Statement,
    /// The number of records: the real one under replace-one adjacency, the declared public
    /// stand-in under add-remove.
    pub records: u64,
    /// What is protected, if it is not the row: a person with all rows, and then `records` is a number
    /// of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<ProtectedUnit>,
    /// The number of features.
    pub columns: u64,
    /// The public map from each row to its features, which were then clipped; in prediction the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureMap>,
    /// The bound that each row, or its features, was clipped to, and is clipped to in prediction.
    pub rows: RecordBound,
    /// The range that a numeric target was clipped to.
    pub target: Option<TargetRange>,
    /// About the standard deviation of the noise in predictions, in the units of the target: from
    /// what was released. Not part of the guarantee, and not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// How the model was fitted.
    pub method: Method,
    /// What the plan was made from, together with the records, columns and rows above: so that it
    /// can be made again. Certificates before 0.2.0 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<MethodRequest>,
    /// The same for a summary, in place of a fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryRequest>,
    /// What a paper claims for this noise, if its own calibration was used; what is proved is in
    /// the statement.
    pub published: Option<Published>,
    /// What is assumed to be public and was not checked: what was taken from the data, and what was
    /// declared to hold nothing of them.
    pub assumed_public: Vec<String>,
    /// The version of reticent that fitted the model.
    pub version: String,
}

/// What a certificate of a fit among declared vertices lists as assumed public.
pub(crate) const PUBLIC_VERTICES: &str =
    "that the vertices of the region hold nothing of the private records";

/// What a paper claims for noise that was calibrated as it prints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Which paper, and where in it.
    pub source: String,
    /// The ε that it claims.
    pub epsilon: f64,
    /// The δ that it claims.
    pub delta: f64,
}

impl Published {
    /// The claim of a paper for noise that was calibrated for this budget.
    pub fn of((paper, claimed): (&str, Budget)) -> Self {
        Self {
            source: paper.to_owned(),
            epsilon: claimed.epsilon().get(),
            delta: claimed.delta().get(),
        }
    }
}

impl Certificate {
    /// The certificate of a fit with these public facts, by this version of reticent. It is
    /// not private if the statement says that the randomness was repeatable, or that nothing is
    /// proved; other reasons are added with [`not_private`](Self::not_private).
    pub fn new(statement: Statement, facts: Facts, method: Method) -> Self {
        let (secure, guarantee) = (statement.secure, statement.has_guarantee());
        let mut certificate = Self {
            private: true,
            reasons_not_private: Vec::new(),
            statement,
            records: facts.records,
            unit: None,
            columns: facts.columns as u64,
            features: None,
            rows: facts.rows,
            target: None,
            noise: None,
            method,
            request: None,
            summary: None,
            published: None,
            assumed_public: Vec::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        if !secure {
            certificate = certificate.not_private(
                "the noise was drawn from a fixed seed, so that whoever knows the seed can \
                 subtract it",
            );
        }
        if !guarantee {
            certificate = certificate.not_private(
                "nothing is proved about how it was fitted: the weights may reveal any record",
            );
        }
        certificate
    }

    /// How much records count for by their class, if they do not count alike.
    pub fn class_weight(&self) -> Option<&ClassWeight> {
        self.request.as_ref()?.class_weight.as_ref()
    }

    /// With a reason why the result is not private.
    pub fn not_private(mut self, reason: impl Into<String>) -> Self {
        self.private = false;
        self.reasons_not_private.push(reason.into());
        self
    }

    /// What is worth a warning about what was spent; nothing where nothing is proved, which is
    /// another reason to worry.
    pub fn cautions(&self) -> Vec<Caution> {
        let statement = &self.statement;
        if !statement.has_guarantee() {
            return Vec::new();
        }
        let cost = Cost {
            epsilon: statement.epsilon,
            delta: statement.delta.get(),
            adjacency: statement.adjacency,
            charges: &statement.charges,
            records: self.records,
        };
        cost.cautions()
    }

    /// Why it contradicts itself, if it does. What takes an accountant is left to
    /// [`verify`](Self::verify).
    pub(super) fn check(&self) -> Result<(), String> {
        let fail = |reason: &str| Err(reason.to_owned());
        if self.private != self.reasons_not_private.is_empty() {
            return fail("it must be private, or give reasons why it is not; and not both");
        }
        if self.private && !self.statement.secure {
            return fail("it claims privacy for noise from a repeatable generator");
        }
        if self.private && !self.statement.has_guarantee() {
            return fail("it claims privacy, and states that nothing is proved");
        }
        self.statement.check().map_err(str::to_owned)?;
        if let Some(claim) = &self.published {
            let sensible = |value: f64| value >= 0.0 && value.is_finite();
            if !sensible(claim.epsilon) || !sensible(claim.delta) {
                return fail(
                    "the epsilon and delta that a paper claims must be finite, at least 0",
                );
            }
        }
        if self.records == 0 {
            return fail("a fit has at least one record");
        }
        if let Some(unit) = &self.unit
            && unit.rows.get() > MOST_UNIT_ROWS
        {
            return fail("more rows of one person count than may be declared");
        }
        if let Some(map) = &self.features {
            map.check().map_err(|error| error.to_string())?;
            if map.outputs() as u64 != self.columns {
                return fail("the map of features has not as many as there are columns");
            }
        }
        if self.request.is_some() && self.summary.is_some() {
            return fail("it is of a fit and of a summary");
        }
        if let Some(range) = self.target {
            let width = range.high - range.low;
            if !(width > 0.0 && width.is_finite()) {
                return fail("the range of the target must be finite, low < high");
            }
        }
        let adjacency = self.statement.adjacency;
        for charge in &self.statement.charges {
            if let Some(required) = charge.event.required_adjacency()
                && required != adjacency
            {
                return Err(format!(
                    "a {} release is accounted for under {required} adjacency, and it states {adjacency}",
                    charge.event.name()
                ));
            }
        }
        Ok(())
    }
}
