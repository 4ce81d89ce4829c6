//! A request without gaps or contradictions, and the plan that follows.

use super::{Refused, TaskName, TrainError};
use crate::features::{DeclaredMap, FeatureMap, FeatureMapError};
use crate::fit::{Facts, FitError, MethodRequest, PlanError, Planned, Spending};
use crate::model::Outcome;
use crate::population::NotCentral;
use crate::privacy::{Adjacency, Budget, Caution};
use crate::table::{
    ClassPattern, ClassPatternError, EnforceError, FEATURE_BOUND, Layout, MOST_UNIT_ROWS,
    MOST_UNIT_ROWS_OF_PRIVATE_NUMBER, ProtectedUnit, RecordBound, Schema, Table, Target,
    TargetRange,
};

/// A checked request: the only kind that can be trained.
/// [`FitRequest::check`](super::FitRequest::check) makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedRequest {
    pub(super) method: MethodRequest,
    /// Always declared under add-remove adjacency.
    pub(super) public_n: Option<u64>,
    pub(super) rows: RecordBound,
    /// Whether a person declared the bound of the rows.
    pub(super) rows_declared: bool,
    pub(super) features: Option<DeclaredMap>,
    /// Whether the table has a schema, which scales its columns.
    pub(super) schema: bool,
    pub(super) range: Option<TargetRange>,
    pub(super) classes: Option<Vec<ClassPattern>>,
}

impl CheckedRequest {
    /// What kind of model.
    pub fn task(&self) -> TaskName {
        self.method.task
    }

    /// What may be spent; `None` fits without privacy.
    pub fn budget(&self) -> Option<Budget> {
        self.method.budget
    }

    /// Which tables count as neighbours.
    pub fn adjacency(&self) -> Adjacency {
        self.method.adjacency
    }

    /// The bound of a row: of a row of features, if there is a map.
    pub fn rows(&self) -> RecordBound {
        self.rows
    }

    /// The declared classes.
    pub fn classes(&self) -> Option<&[ClassPattern]> {
        self.classes.as_deref()
    }

    /// The declared map from rows to their features.
    pub fn features(&self) -> Option<&DeclaredMap> {
        self.features.as_ref()
    }

    /// The map for a table of so many columns, if there is one; refuses columns that it does not
    /// take.
    pub fn feature_map(&self, columns: usize) -> Result<Option<FeatureMap>, FeatureMapError> {
        let declared = self.features.as_ref();
        declared.map(|declared| declared.of(columns)).transpose()
    }

    /// The same request for tables of a schema, which may declare a map of features.
    pub fn with_schema(&self, schema: &Schema) -> Result<Self, Refused> {
        let mut request = self.clone();
        request.schema = true;
        match (schema.feature_map(), &self.features) {
            (Some(of_schema), Some(given)) if of_schema != given => {
                return Err(Refused::conflict(
                    "a map of features was given, and the schema declares another".to_owned(),
                    "keep one of them",
                ));
            }
            (Some(of_schema), None) => {
                request.features = Some(of_schema.clone());
                if !self.rows_declared {
                    request.rows = FEATURE_BOUND;
                }
            }
            _ => {}
        }
        Ok(request)
    }

    /// The same request with what the schema of a table declares.
    pub(super) fn for_table(&self, table: &Table) -> Result<Self, TrainError> {
        match &table.layout {
            Layout::Numbered { .. } => Ok(self.clone()),
            Layout::Named(schema) => {
                let request = self.with_schema(schema);
                request.map_err(|refused| TrainError::Unsuited(refused.to_string()))
            }
        }
    }

    /// What is public about a table of this size: under add-remove adjacency not its size, but the
    /// number declared in its place. Where there is a map, its features are the columns.
    pub fn facts(&self, records: usize, columns: usize) -> Facts {
        let private = self.adjacency() == Adjacency::AddRemove;
        Facts {
            records: self.public_n.filter(|_| private).unwrap_or(records as u64),
            columns: self.features.as_ref().map_or(columns, DeclaredMap::outputs),
            rows: self.rows,
        }
    }

    /// What is public about a table: of its size the number of people, where these are protected.
    /// Without privacy nobody is, and every row counts as one.
    pub(super) fn facts_of(&self, table: &Table) -> Facts {
        let records = match self.budget() {
            Some(_) => table.protected(),
            None => table.features.rows(),
        };
        self.facts(records, table.layout.width())
    }

    /// What will be done and spent with a table of so many classes with these public `facts`, and
    /// why this method, if it was chosen.
    pub fn plan(
        &self,
        facts: Facts,
        classes: usize,
    ) -> Result<(Box<dyn Planned>, Option<String>), PlanError> {
        self.method_of(classes, None).plan(facts)
    }

    /// Why a plan can not be run on people with several rows, or with the class weights that are asked
    /// for: found before anything is read or spent.
    pub fn unsuited(&self, plan: &dyn Planned, unit: Option<&ProtectedUnit>) -> Option<String> {
        let weighted = self.method.class_weight.is_some();
        let counted = plan.spending().is_some_and(Spending::counts_classes);
        if plan.spending().is_some() && unit.is_some() && plan.is_central() {
            return Some(NotCentral::InUnits.to_string());
        }
        if weighted && plan.is_central() {
            return Some(NotCentral::Weighted.to_string());
        }
        if weighted && !counted {
            return Some(FitError::ClassWeight.to_string());
        }
        let most = match self.adjacency() {
            Adjacency::ReplaceOne => MOST_UNIT_ROWS,
            Adjacency::AddRemove => MOST_UNIT_ROWS_OF_PRIVATE_NUMBER,
        };
        let too_many = plan.spending().is_some() && unit.is_some_and(|unit| unit.rows.get() > most);
        too_many.then(|| EnforceError::UnitRows(most).to_string())
    }

    /// What is worth a warning about a fit before it is made: what [`plan`](Self::plan) would spend,
    /// with so many rows of a public file. Nothing where there is no plan, which the fit reports.
    pub fn cautions(
        &self,
        facts: Facts,
        classes: usize,
        public_rows: Option<usize>,
    ) -> Vec<Caution> {
        let planned = self.method_of(classes, public_rows).plan(facts);
        let cautions = planned.ok().and_then(|(plan, _)| {
            let cost = plan.spending()?.cost(&facts).cautions();
            Some(cost)
        });
        cautions.unwrap_or_default()
    }

    /// What is worth a warning about a map of features, from what is declared alone: the default
    /// scale of random Fourier features is for columns in [−1, 1], which only a schema promises.
    pub fn map_caution(&self) -> Option<&'static str> {
        let Some(DeclaredMap::Fourier(map)) = &self.features else {
            return None;
        };
        (map.scale.is_none() && !self.schema).then_some(
            "the default scale of random Fourier features is for columns within about [-1, 1], which \
             nothing that was declared promises: on others (pixels from 0 to 255) they say nothing. \
             Divide the columns by public numbers, declare a schema, or give the scale: the distance \
             at which two rows cease to be alike",
        )
    }

    /// The method for a table with so many classes, and with so many rows of a public file.
    pub(super) fn method_of(&self, classes: usize, public_rows: Option<usize>) -> MethodRequest {
        let several = self.task() == TaskName::Multinomial;
        MethodRequest {
            // Readers and patterns refuse more than about ten thousand.
            classes: several.then_some(classes as u32),
            public_rows,
            ..self.method.clone()
        }
    }

    /// What a model of the table predicts: the declared classes or those of the table, or the
    /// declared range.
    pub fn outcome(&self, table: &Table) -> Result<Outcome, EnforceError> {
        let Target::Classes { names, .. } = &table.target else {
            let range = self.range_of(&table.layout).ok_or(EnforceError::Range)?;
            return Ok(Outcome::Value(range));
        };
        let of_schema = match &table.layout {
            Layout::Named(schema) => schema.classes(),
            Layout::Numbered { .. } => None,
        };
        let own = |name: &String| ClassPattern {
            labels: Some(vec![name.clone()]),
            name: name.clone(),
        };
        match self.classes.as_deref().or(of_schema) {
            Some(declared) if declared.len() != names.len() => Err(EnforceError::Classes),
            Some(declared) => Ok(Outcome::Classes(declared.to_vec())),
            None => {
                let found: Vec<ClassPattern> = names.iter().map(own).collect();
                match ClassPattern::check(&found) {
                    Ok(()) => Ok(Outcome::Classes(found)),
                    // They are not quoted: a label may be that of one record.
                    Err(ClassPatternError::InTwo(_) | ClassPatternError::SameName(_)) => {
                        Err(EnforceError::SameLabels)
                    }
                    Err(_) => Err(EnforceError::Classes),
                }
            }
        }
    }

    /// The range of the target, declared here or by the table's schema.
    pub(super) fn range_of(&self, layout: &Layout) -> Option<TargetRange> {
        self.range.or_else(|| match layout {
            Layout::Named(schema) => schema.target_range().map(|range| TargetRange {
                low: range.low(),
                high: range.high(),
            }),
            Layout::Numbered { .. } => None,
        })
    }

    /// A numeric target is centred if there is an intercept for its centre.
    pub(super) fn centred(&self) -> bool {
        self.method.intercept
    }
}
