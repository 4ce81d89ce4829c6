//! The way of a table: held to its bounds, shut, fitted, certified.

use super::{Checked, Cost, Details, MethodName, TrainError};
use crate::fit::{
    Auxiliary, FitError, Fitted, Guarantee, Line, Method, MethodRequest, Planned, Released,
    Spending, Subject, Watch,
};
use crate::matrix::Matrix;
use crate::model::{Certificate, Model, Outcome, Published};
use crate::noise::{Generator, NoEntropy};
use crate::privacy::Adjacency;
use crate::table::{Held, Layout, Table};

/// A model, and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The model with its certificate.
    pub model: Model,
    /// Why this method, if it was chosen.
    pub why: Option<String>,
    /// The method's public parameters.
    pub outline: Vec<Line>,
}

/// Columns that were chosen, and what that cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// By their number from 0, in increasing order.
    pub columns: Vec<u32>,
    /// What was spent, and everything that it rests on.
    pub certificate: Certificate,
}

/// What came of a plan, before it is a model.
struct Spent {
    fitted: Fitted,
    certificate: Certificate,
    outcome: Outcome,
    layout: Layout,
    why: Option<String>,
    outline: Vec<Line>,
}

impl Checked {
    /// Fits a model of the table. With a `seed` the noise can be repeated, and the certificate
    /// says that the result is not private; without, it is drawn from the system's generator.
    /// A teacher answers on the `public` rows.
    ///
    /// # Privacy
    ///
    /// The plan rests on declared facts alone (under replace-one adjacency the number of records is
    /// one), the table is shut before the fit sees it, and the plan opens its own ledger. What was
    /// taken from the table before that (the labels of its classes, its width) is in
    /// [`Table::assumed`], and goes into the certificate.
    pub fn train(
        &self,
        table: Table<'_>,
        public: Option<Matrix<'static>>,
        seed: Option<u64>,
        watch: &mut dyn Watch,
    ) -> Result<Trained, TrainError> {
        if self.method.method == MethodName::Choose {
            return Err(TrainError::NoModel);
        }
        let classes = self.classes_of(&table)?;
        let method = self.method_of(classes, public.as_ref().map(Matrix::rows));
        let spent = self.spend(method, table, public, seed, watch)?;
        let statement = spent.certificate.statement.clone();
        let (fitted, outcome, layout) = (&spent.fitted, spent.outcome, spent.layout);
        let model = Model::new(fitted, outcome, self.centred(), layout, spent.certificate)
            .map_err(|error| match statement.has_guarantee() {
                true => TrainError::Spent {
                    reason: error.to_string(),
                    cost: Cost::of(&statement),
                },
                false => error.into(),
            })?;
        Ok(Trained {
            model,
            why: spent.why,
            outline: spent.outline,
        })
    }

    /// Chooses as many columns as the request wants weights, or 1.5·√d of them, and fits no model,
    /// whichever method it names.
    pub fn choose(
        &self,
        table: Table<'_>,
        seed: Option<u64>,
        watch: &mut dyn Watch,
    ) -> Result<Selected, TrainError> {
        let method = MethodRequest {
            method: MethodName::Choose,
            details: Details::default(),
            ..self.method_of(self.classes_of(&table)?, None)
        };
        let spent = self.spend(method, table, None, seed, watch)?;
        match spent.fitted.released {
            Released::Columns(columns) => Ok(Selected {
                columns,
                certificate: spent.certificate,
            }),
            Released::Linear(_) => Err(TrainError::Spent {
                reason: "a model was fitted, and no columns were chosen".to_owned(),
                cost: Cost::of(&spent.certificate.statement),
            }),
        }
    }

    /// How many classes a table has; 0 if its targets are numbers.
    fn classes_of(&self, table: &Table) -> Result<usize, TrainError> {
        Ok(match self.outcome(table)? {
            Outcome::Classes(classes) => classes.len(),
            Outcome::Value(_) => 0,
        })
    }

    /// Plans, holds the table to its bounds, runs the plan on it, and certifies what came of it.
    fn spend(
        &self,
        method: MethodRequest,
        table: Table<'_>,
        public: Option<Matrix<'static>>,
        seed: Option<u64>,
        watch: &mut dyn Watch,
    ) -> Result<Spent, TrainError> {
        let outcome = self.outcome(&table)?;
        let facts = self.facts(table.features.rows(), table.layout.width());
        let (plan, why) = method.plan_with(facts, public.map(Auxiliary::Public))?;
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        let held = table.hold(self.rows, self.range_of(&layout), self.centred())?;
        let fitted = run(&*plan, held, seed, watch)?;
        let outline = plan.outline();
        let named = Method::new(plan.name(), &outline);
        let mut certificate = Certificate::new(fitted.statement.clone(), facts, named);
        certificate.request = Some(method);
        certificate.target = match &outcome {
            Outcome::Value(range) => Some(*range),
            Outcome::Classes(_) => None,
        };
        certificate.assumed_public = assumed;
        if self.adjacency() == Adjacency::AddRemove {
            // An empty table is refused, which tells it from one with a record.
            let not_empty = "that the table has at least one record".to_owned();
            certificate.assumed_public.push(not_empty);
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
        Ok(Spent {
            fitted,
            certificate,
            outcome,
            layout,
            why,
            outline,
        })
    }
}

/// Runs the plan on what it takes: from here on a budget is being spent, if there is one.
fn run(
    plan: &dyn Planned,
    held: Held<'_>,
    seed: Option<u64>,
    watch: &mut dyn Watch,
) -> Result<Fitted, TrainError> {
    let mut randomness = generator(seed)?;
    match plan.guarantee() {
        Guarantee::Spends(spending) => {
            let records = held.shut(spending.adjacency());
            let fitted = plan.run(Subject::Sealed(&records), &mut randomness, watch);
            fitted.map_err(|error| unfinished(error, spending, seed.is_none()))
        }
        Guarantee::Nothing { .. } => {
            let fitted = plan.run(Subject::Open(&held), &mut randomness, watch);
            fitted.map_err(TrainError::Facts)
        }
    }
}

/// Secret random bits, or those of a seed.
fn generator(seed: Option<u64>) -> Result<Generator, NoEntropy> {
    match seed {
        Some(seed) => Ok(Generator::not_private(seed)),
        None => Generator::from_system(),
    }
}

/// Why a plan was not done to its end, and what that cost.
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
        // Found out before the first release.
        error @ (FitError::Facts { .. } | FitError::NotSealed(_) | FitError::InParts(_)) => {
            TrainError::Facts(error)
        }
        // Any other may come after one, and then depend on what it released.
        error => TrainError::Spent {
            reason: error.to_string(),
            cost: Cost {
                epsilon: account.epsilon,
                delta: account.delta,
                rho: spending.rho(),
                secure,
            },
        },
    }
}
