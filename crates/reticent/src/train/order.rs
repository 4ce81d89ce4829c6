//! Everything that a person declares of a fit, and the plan that follows.

use super::{Details, MethodName, TaskName};
use crate::fit::{
    Auto, Auxiliary, Ball, Calibration, Facts, Fitting, Form, FrankWolfe, Ight, Multinomial, Plan,
    PlanError, Select, Sparsifier, Steps, Task, Teacher, Transfer, TwoStage,
};
use crate::matrix::Matrix;
use crate::model::Outcome;
use crate::privacy::{Adjacency, Budget};
use crate::solve::Region;
use crate::table::{ClassPattern, EnforceError, Layout, RecordBound, Table, Target, TargetRange};

/// Everything that a person declares of a fit; nothing in it comes from the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// What kind of model.
    pub task: TaskName,
    /// How it is fitted.
    pub method: MethodName,
    /// What may be spent; `None` fits without privacy.
    pub budget: Option<Budget>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// What stands for the number of records where that is private.
    pub public_n: Option<u64>,
    /// The bound of a row, enforced.
    pub rows: RecordBound,
    /// The range of a numeric target, enforced.
    pub range: Option<TargetRange>,
    /// The classes; those of the table if `None`, which it lists as assumed public.
    pub classes: Option<Vec<ClassPattern>>,
    /// How many weights there may be, over all classes together.
    pub nonzero: Option<usize>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// What only some methods are told.
    pub details: Details,
}

impl Order {
    /// What is public about a table of this size: under add-remove not its size, but what was
    /// declared in its place.
    pub fn facts(&self, records: usize, columns: usize) -> Result<Facts, PlanError> {
        let records = match self.adjacency {
            Adjacency::ReplaceOne => records as u64,
            Adjacency::AddRemove => self.public_n.ok_or(PlanError::PrivateSize)?,
        };
        Ok(Facts {
            records,
            columns,
            rows: self.rows,
        })
    }

    /// The range of the target, declared here or by the table's schema.
    pub fn range_of(&self, layout: &Layout) -> Option<TargetRange> {
        self.range.or_else(|| match layout {
            Layout::Named(schema) => schema.target_range().map(|range| TargetRange {
                low: range.low(),
                high: range.high(),
            }),
            Layout::Numbered { .. } => None,
        })
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
            None => Ok(Outcome::Classes(names.iter().map(own).collect())),
        }
    }

    /// A numeric target is centred where an intercept can take its middle.
    pub(super) fn centred(&self) -> bool {
        self.intercept
    }

    /// Whether the published knowledge transfer is asked for, of which nothing is proved.
    pub fn published_transfer(&self) -> bool {
        self.method == MethodName::Transfer && self.details.as_published
    }

    /// The plan that spends `budget` on a table with so many classes of which `facts` are known,
    /// and why this method, if it was chosen. A teacher answers on the `public` rows.
    pub fn plan(
        &self,
        budget: Budget,
        classes: usize,
        facts: Facts,
        public: Option<Matrix<'static>>,
    ) -> Result<(Plan, Option<String>), PlanError> {
        let wanted = Wanted {
            order: self,
            budget,
            task: self.task.of(classes),
        };
        let plan = match self.method {
            MethodName::Auto => {
                let (plan, why) = wanted.auto().plan(facts)?;
                return Ok((plan, Some(why)));
            }
            MethodName::FrankWolfe if self.task == TaskName::Multinomial => {
                Plan::Multinomial(wanted.multinomial().plan(facts)?)
            }
            MethodName::FrankWolfe => Plan::FrankWolfe(wanted.frank_wolfe().plan(facts)?),
            MethodName::Sparsifier => Plan::Sparsifier(wanted.sparsifier().plan(facts)?),
            MethodName::Ight => Plan::Ight(wanted.ight().plan(facts)?),
            MethodName::Select => Plan::Select(wanted.select().plan(facts)?),
            MethodName::TwoStage => Plan::TwoStage(wanted.two_stage().plan(facts)?),
            MethodName::Transfer => Plan::Transfer(wanted.transfer(public).plan(facts)?),
            MethodName::Lasso => {
                return Err(PlanError::Task {
                    method: "lasso",
                    task: "private",
                    instead: "fit it without privacy, or use another method",
                });
            }
        };
        Ok((plan, None))
    }
}

/// An order with a budget, and with the classes counted.
struct Wanted<'a> {
    order: &'a Order,
    budget: Budget,
    task: Task,
}

impl Wanted<'_> {
    fn calibration(&self) -> Calibration {
        match self.order.details.as_published {
            true => Calibration::AsPublished,
            false => Calibration::Exact,
        }
    }

    fn auto(&self) -> Auto {
        Auto {
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            intercept: self.order.intercept,
            ..Auto::new(self.task, self.budget)
        }
    }

    fn frank_wolfe(&self) -> FrankWolfe {
        let details = &self.order.details;
        FrankWolfe {
            adjacency: self.order.adjacency,
            region: details.l1.map(|radius| Region::L1 { radius }),
            iterations: details.iterations,
            steps: details.steps.unwrap_or(Steps::Average),
            intercept: self.order.intercept,
            calibration: self.calibration(),
            ..FrankWolfe::new(self.task, self.budget)
        }
    }

    fn multinomial(&self) -> Multinomial {
        let details = &self.order.details;
        Multinomial {
            adjacency: self.order.adjacency,
            ball: details.ball.unwrap_or(Ball::PerClass),
            radius: details.l1,
            iterations: details.iterations,
            steps: details.steps.unwrap_or(Steps::Average),
            intercept: self.order.intercept,
            ..Multinomial::new(self.task, self.budget)
        }
    }

    fn sparsifier(&self) -> Sparsifier {
        let details = &self.order.details;
        let basis = match self.calibration() {
            Calibration::Exact => Sparsifier::new(self.task, self.budget),
            Calibration::AsPublished => Sparsifier::as_published(self.budget),
        };
        Sparsifier {
            task: self.task,
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            radius: details.l1.or(basis.radius),
            iterations: details.iterations.or(basis.iterations),
            steps: details.steps.unwrap_or(basis.steps),
            ball: details.ball.unwrap_or(Ball::PerClass),
            intercept: basis.intercept && self.order.intercept,
            ..basis
        }
    }

    fn ight(&self) -> Ight {
        let details = &self.order.details;
        Ight {
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            form: match (details.peeling, details.as_published) {
                (true, _) => Form::Peeling,
                (false, true) => Form::EachStep,
                (false, false) => Form::Staged,
            },
            intercept: self.order.intercept,
            calibration: self.calibration(),
            ..Ight::new(self.task, self.budget)
        }
    }

    fn select(&self) -> Select {
        Select {
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            fitting: self.order.details.fitting.unwrap_or(Fitting::Gradients),
            intercept: self.order.intercept,
            ..Select::new(self.task, self.budget)
        }
    }

    fn two_stage(&self) -> TwoStage {
        TwoStage {
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            intercept: self.order.intercept,
            ..TwoStage::new(self.task, self.budget)
        }
    }

    fn transfer(&self, public: Option<Matrix<'static>>) -> Transfer {
        let parameters = Transfer::new(self.task, self.budget);
        Transfer {
            adjacency: self.order.adjacency,
            nonzero: self.order.nonzero,
            teacher: self.order.details.teacher.unwrap_or(Teacher::Support),
            auxiliary: public.map_or(parameters.auxiliary, Auxiliary::Public),
            intercept: self.order.intercept,
            ..parameters
        }
    }
}
