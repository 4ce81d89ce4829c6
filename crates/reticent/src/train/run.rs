//! The way of a table: held to its bounds, shut, fitted, certified.

use super::{Cost, MethodName, Order, TrainError};
use crate::fit::{
    Facts, FitError, Fitted, Line, Method, Planned, Spending, Twin, TwinMethod, Watch, transfer,
};
use crate::matrix::Matrix;
use crate::mechanism::ReleaseError;
use crate::model::{Certificate, Model, Outcome, Published};
use crate::noise::{Generator, NoEntropy};
use crate::privacy::{Adjacency, Budget, Statement};
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

/// What came of a fit, before it is a model.
struct Spent {
    fitted: Fitted,
    method: &'static str,
    why: Option<String>,
    outline: Vec<Line>,
    published: Option<Published>,
    /// Why nobody is protected.
    reason: Option<&'static str>,
}

impl Order {
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
        let outcome = self.outcome(&table)?;
        let classes = match &outcome {
            Outcome::Classes(classes) => classes.len(),
            Outcome::Value(_) => 0,
        };
        let facts = self.facts(table.features.rows(), table.layout.width())?;
        let range = self.range_of(&table.layout);
        let (layout, assumed) = (table.layout.clone(), table.assumed.clone());
        let held = table.hold(self.rows, range, self.centred())?;
        let spent = match self.budget {
            Some(budget) if self.published_transfer() => {
                self.published(budget, facts, &held, seed)?
            }
            Some(budget) => {
                let (plan, why) = self.plan(budget, classes, facts, public)?;
                let fitted = spend(&plan, held, &mut generator(seed)?, watch);
                let fitted =
                    fitted.map_err(|error| unfinished(error, plan.spending(), seed.is_none()))?;
                let claimed = plan.spending().claimed();
                Spent {
                    fitted,
                    method: plan.name(),
                    why,
                    outline: plan.outline(),
                    published: claimed.map(|(paper, claimed)| published(paper, claimed)),
                    reason: None,
                }
            }
            None => self.open(classes, facts, &held)?,
        };
        let statement = spent.fitted.statement.clone();
        let method = Method::new(spent.method, &spent.outline);
        let rests_on = (&outcome, &layout, assumed);
        let mut certificate = self.certificate(statement.clone(), facts, method, rests_on);
        certificate.published = spent.published;
        if let Some(reason) = spent.reason {
            certificate = certificate.not_private(reason);
        }
        let model = Model::new(&spent.fitted, outcome, self.centred(), layout, certificate)
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

    /// A fit of which nothing is private.
    fn open(&self, classes: usize, facts: Facts, held: &Held) -> Result<Spent, TrainError> {
        let twin = Twin {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            radius: self.details.l1,
            intercept: self.intercept,
            method: match self.method {
                MethodName::FrankWolfe => TwinMethod::FrankWolfe,
                MethodName::Ight => TwinMethod::Ight,
                _ => TwinMethod::Lasso,
            },
            ..Twin::new(self.task.of(classes))
        };
        Ok(Spent {
            fitted: twin.fit(facts, held)?,
            method: twin.method.name(),
            why: None,
            outline: twin.outline(),
            published: None,
            reason: Some("it was fitted without noise (epsilon = inf)"),
        })
    }

    /// Knowledge transfer as published, of which nothing is proved.
    fn published(
        &self,
        budget: Budget,
        facts: Facts,
        held: &Held,
        seed: Option<u64>,
    ) -> Result<Spent, TrainError> {
        let by_default = (1.5 * (facts.columns as f64).sqrt()) as usize;
        let nonzero = self.nonzero.unwrap_or(by_default.max(1));
        // Several classes are refused when the order is checked.
        let task = self.task.of(2);
        let paper = transfer::Published::new(task, budget, &facts, nonzero.min(facts.columns));
        let fitted = transfer::as_published(held, &paper, self.adjacency, &mut generator(seed)?);
        Ok(Spent {
            fitted: fitted.map_err(|error: ReleaseError| TrainError::Facts(error.into()))?,
            method: "transfer",
            why: None,
            outline: vec![
                Line::text("non-zeros", paper.nonzero, "of teacher and student"),
                Line::text("rows", paper.rows, "generated, that the teacher answers on"),
                Line::number("lambda", paper.lambda, "the strength of its ridge"),
                Line::text("noise", "as published", "how it is calibrated"),
            ],
            published: Some(published(
                "knowledge transfer (Wang and Gu 2020), theorem 4.3",
                budget,
            )),
            reason: Some(
                "the published teacher is thresholded, one record can decide what it keeps, and \
                 nothing is proved for its noise",
            ),
        })
    }

    /// What was spent and everything that it rests on.
    pub(super) fn certificate(
        &self,
        statement: Statement,
        facts: Facts,
        method: Method,
        (outcome, layout, assumed): (&Outcome, &Layout, Vec<String>),
    ) -> Certificate {
        let mut certificate = Certificate::new(statement, facts, method);
        certificate.target = match outcome {
            Outcome::Value(range) => Some(*range),
            Outcome::Classes(_) => None,
        };
        certificate.assumed_public = assumed;
        if self.adjacency == Adjacency::AddRemove {
            // An empty table is refused, which tells it from one with a record.
            let not_empty = "that the table has at least one record".to_owned();
            certificate.assumed_public.push(not_empty);
        }
        let from_data = match layout {
            Layout::Named(schema) => schema.not_private(),
            Layout::Numbered { .. } => Vec::new(),
        };
        from_data
            .into_iter()
            .fold(certificate, Certificate::not_private)
    }
}

fn published(paper: &str, claimed: Budget) -> Published {
    Published {
        source: paper.to_owned(),
        epsilon: claimed.epsilon().get(),
        delta: claimed.delta().get(),
    }
}

/// Secret random bits, or those of a seed.
pub(super) fn generator(seed: Option<u64>) -> Result<Generator, NoEntropy> {
    match seed {
        Some(seed) => Ok(Generator::not_private(seed)),
        None => Generator::from_system(),
    }
}

/// Runs the plan: from here on the budget is being spent.
fn spend(
    plan: &impl Planned,
    held: Held,
    randomness: &mut Generator,
    watch: &mut dyn Watch,
) -> Result<Fitted, FitError> {
    let records = held.shut(plan.spending().adjacency());
    plan.run(&records, randomness, watch)
}

/// Why a plan was not done to its end, and what that cost.
pub(super) fn unfinished(error: FitError, spending: &Spending, secure: bool) -> TrainError {
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
        error @ (FitError::Facts { .. } | FitError::InParts(_)) => TrainError::Facts(error),
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
