//! What happens to a table: it is clipped to its bounds, sealed, fitted and certified.

use super::{CheckedRequest, MethodName, RunCost, TrainError};
use crate::features::FeatureMap;
use crate::fit::{
    Auxiliary, FitError, FitInput, Fitted, Guarantee, Method, MethodRequest, PlanEntry, Planned,
    ProgressObserver, Spending,
};
use crate::matrix::Matrix;
use crate::model::{Certificate, Model, Outcome, PUBLIC_VERTICES, Published};
use crate::noise::{Generator, NoEntropy};
use crate::privacy::Adjacency;
use crate::table::{ClippedTable, FeaturesError, Layout, RowMap, Table};

/// A model, and how it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The model with its certificate.
    pub model: Model,
    /// Why this method, if it was chosen.
    pub why: Option<String>,
    /// The method's public parameters.
    pub summary: Vec<PlanEntry>,
}

/// The chosen columns, and the cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// By their number from 0, in increasing order.
    pub columns: Vec<u32>,
    /// What was spent, and everything that the guarantee depends on.
    pub certificate: Certificate,
}

/// Assumed to be public under add-remove: an empty table is refused, which distinguishes it from one
/// with a record.
pub(super) const NOT_EMPTY: &str = "that the table has at least one record";

/// The result of a plan, before it is a model.
struct PlanOutcome {
    fitted: Fitted,
    certificate: Certificate,
    outcome: Outcome,
    layout: Layout,
    why: Option<String>,
    summary: Vec<PlanEntry>,
}

impl CheckedRequest {
    /// Fits a model of the table. With a `seed` the noise can be repeated, and the certificate
    /// says that the result is not private; without, it is drawn from the system's generator.
    /// A teacher answers on the `public` rows.
    ///
    /// # Privacy
    ///
    /// The plan depends on declared facts alone (under replace-one adjacency they include the
    /// number of records), the table is sealed before the fit sees it, and the plan opens its own
    /// ledger. Where there is a map of features, each row is mapped by itself and then clipped, so
    /// that all of this is said of the mapped table ([`Table::map_features`]). What was taken from the table before that (the labels of its classes, its width) is
    /// in [`Table::assumed`], and goes into the certificate.
    pub fn train(
        &self,
        table: Table<'_>,
        public: Option<Matrix<'static>>,
        seed: Option<u64>,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Trained, TrainError> {
        if self.method.method == MethodName::CHOOSE {
            return Err(TrainError::NoModel);
        }
        let request = self.for_table(&table)?;
        let classes = request.classes_of(&table)?;
        let method = request.method_of(classes, public.as_ref().map(Matrix::rows));
        let spent = request.spend(method, table, public, seed, watch)?;
        let statement = spent.certificate.statement.clone();
        let (fitted, outcome, layout) = (&spent.fitted, spent.outcome, spent.layout);
        let model = Model::new(fitted, outcome, self.centred(), layout, spent.certificate)
            .map_err(|error| match statement.has_guarantee() {
                true => TrainError::Spent {
                    reason: error.to_string(),
                    cost: RunCost::of(&statement),
                },
                false => error.into(),
            })?;
        Ok(Trained {
            model,
            why: spent.why,
            summary: spent.summary,
        })
    }

    /// Chooses columns, as many as the request wants weights, or 1.5·√d of them: by a selection
    /// alone, or those with weights in the model of the named method.
    pub fn choose(
        &self,
        table: Table<'_>,
        seed: Option<u64>,
        watch: &mut dyn ProgressObserver,
    ) -> Result<Selected, TrainError> {
        let request = self.for_table(&table)?;
        let facts = request.facts_of(&table);
        let method = request.method_of(request.classes_of(&table)?, None);
        let spent = request.spend(method.for_columns(facts), table, None, seed, watch)?;
        Ok(Selected {
            columns: spent.fitted.released.columns(),
            certificate: spent.certificate,
        })
    }

    /// How many classes a table has; 0 if its targets are numbers.
    fn classes_of(&self, table: &Table) -> Result<usize, TrainError> {
        Ok(match self.outcome(table)? {
            Outcome::Classes(classes) => classes.len(),
            Outcome::Value(_) => 0,
        })
    }

    /// Plans, clips the table to its bounds, runs the plan on it, and certifies the result.
    fn spend(
        &self,
        method: MethodRequest,
        table: Table<'_>,
        public: Option<Matrix<'static>>,
        seed: Option<u64>,
        watch: &mut dyn ProgressObserver,
    ) -> Result<PlanOutcome, TrainError> {
        let outcome = self.outcome(&table)?;
        let facts = self.facts_of(&table);
        let map = self.feature_map(table.layout.width());
        let map = map.map_err(FeaturesError::Map)?;
        let public = match (&map, public) {
            (Some(map), Some(rows)) => Some(features_of(map, &rows, watch)?),
            (_, public) => public,
        };
        let (plan, why) = method.plan_with(facts, public.map(Auxiliary::Public))?;
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        // Without privacy nobody is protected, and every row counts as one.
        let unit = table.units.as_ref().map(|units| units.declared().clone());
        let unit = unit.filter(|_| plan.spending().is_some());
        if let Layout::Named(schema) = &layout
            && unit.is_some()
            && unit != schema.unit().map(|(_, unit)| unit)
        {
            let what =
                "whose each row is was given beside a schema that says otherwise; declare it there";
            return Err(TrainError::Unsuited(what.to_owned()));
        }
        if let Some(why) = self.unsuited(&*plan, unit.as_ref()) {
            return Err(TrainError::Unsuited(why));
        }
        let table = match &map {
            Some(map) => table.map_features(map, &mut |share| watch.mapping(share))?,
            None => table,
        };
        let mut held = table.clip(self.rows, self.range_of(&layout), self.centred())?;
        if let Some(class_weight) = &method.class_weight {
            held = held.weighted(class_weight.clone())?;
        }
        let fitted = run(&*plan, held, seed, watch)?;
        let summary = plan.summary();
        let named = Method::new(plan.name(), &summary);
        let mut certificate = Certificate::new(fitted.statement.clone(), facts, named);
        certificate.request = Some(method);
        certificate.unit = unit;
        certificate.features = map;
        certificate.target = match &outcome {
            Outcome::Value(range) => Some(*range),
            Outcome::Classes(_) => None,
        };
        certificate.assumed_public = assumed;
        if certificate
            .request
            .as_ref()
            .is_some_and(MethodRequest::has_vertices)
        {
            certificate.assumed_public.push(PUBLIC_VERTICES.to_owned());
        }
        if self.adjacency() == Adjacency::AddRemove {
            certificate.assumed_public.push(NOT_EMPTY.to_owned());
        }
        if let Layout::Named(schema) = &layout {
            let from_data = schema.not_private().into_iter();
            certificate = from_data.fold(certificate, Certificate::not_private);
        }
        let guarantee = plan.guarantee();
        certificate.published = guarantee.claimed().map(Published::of);
        if let Guarantee::Nothing { reason, .. } = guarantee {
            certificate = certificate.not_private(reason);
        }
        Ok(PlanOutcome {
            fitted,
            certificate,
            outcome,
            layout,
            why,
            summary,
        })
    }
}

/// The features of public rows.
fn features_of(
    map: &FeatureMap,
    rows: &Matrix,
    watch: &mut dyn ProgressObserver,
) -> Result<Matrix<'static>, FeaturesError> {
    map.check_columns(rows.width())?;
    RowMap::new(map)?.matrix(rows, &mut |share| watch.mapping(share))
}

/// Runs the plan on the table, sealed or open: from here on a budget is being spent, if there is
/// one.
fn run(
    plan: &dyn Planned,
    held: ClippedTable<'_>,
    seed: Option<u64>,
    watch: &mut dyn ProgressObserver,
) -> Result<Fitted, TrainError> {
    let mut randomness = generator(seed)?;
    match plan.guarantee() {
        Guarantee::Spends(spending) => {
            let records = held.seal(spending.adjacency());
            let fitted = plan.run(FitInput::Sealed(&records), &mut randomness, watch);
            fitted.map_err(|error| unfinished(error, spending, seed.is_none()))
        }
        Guarantee::Nothing { .. } => {
            let fitted = plan.run(FitInput::Open(&held), &mut randomness, watch);
            fitted.map_err(TrainError::Facts)
        }
    }
}

/// Secret random bits, or those of a seed.
pub(super) fn generator(seed: Option<u64>) -> Result<Generator, NoEntropy> {
    match seed {
        Some(seed) => Ok(Generator::not_private(seed)),
        None => Generator::from_system(),
    }
}

/// Why a plan was not completed, and what it cost.
fn unfinished(error: FitError, spending: &Spending, secure: bool) -> TrainError {
    let account = spending.account();
    match error {
        FitError::Stopped {
            done,
            total,
            statement,
        } => TrainError::Stopped {
            done,
            total,
            statement,
        },
        // These are found before the first release.
        error @ (FitError::Facts { .. }
        | FitError::NotSealed(_)
        | FitError::NotCentral(_)
        | FitError::ClassWeight) => TrainError::Facts(error),
        // Any other may follow a release, and then depend on what was released.
        error => TrainError::Spent {
            reason: error.to_string(),
            cost: RunCost {
                epsilon: account.epsilon,
                delta: account.delta,
                rho: spending.rho(),
                secure,
            },
        },
    }
}
