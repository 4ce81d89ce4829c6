//! A method as it is asked for, in plain data: what the command, Python and Rust fill in, what a
//! certificate records, and the one place where it becomes a plan.

use serde::{Deserialize, Serialize};

use super::transfer::Published;
use super::{
    Auto, Auxiliary, Ball, Calibration, Choose, Details, Facts, Fitting, Form, FrankWolfe, Ight,
    MethodName, Multinomial, PlanError, Planned, Select, Sparsifier, Steps, Task, TaskName,
    Teacher, Transfer, Twin, TwinMethod, TwoStage,
};
use crate::privacy::{Adjacency, Budget};
use crate::solve::Region;

/// Everything that a plan rests on but the public [`Facts`] of the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodRequest {
    /// What the result is to tell.
    pub task: TaskName,
    /// How it is fitted.
    pub method: MethodName,
    /// What may be spent; `None` fits without privacy.
    pub budget: Option<Budget>,
    /// Which tables count as neighbours.
    pub adjacency: Adjacency,
    /// How many weights or columns there may be, over all classes together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonzero: Option<usize>,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// What only some methods are told.
    pub details: Details,
    /// How many classes there are, if several: known when there is a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<u32>,
    /// How many rows of a public file a teacher answers on: known when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_rows: Option<usize>,
}

/// A plan, and why this method, if it was chosen.
type Chosen = (Box<dyn Planned>, Option<String>);

impl MethodRequest {
    /// The plan for a table of which `facts` are known, and why this method, if it was chosen. It
    /// speaks of public rows by their number, and can not be run where it needs them.
    pub fn plan(&self, facts: Facts) -> Result<Chosen, PlanError> {
        let elsewhere = self.public_rows.map(|rows| Auxiliary::Elsewhere { rows });
        self.plan_with(facts, elsewhere)
    }

    /// The same, with the rows that a teacher answers on.
    pub fn plan_with(&self, facts: Facts, rows: Option<Auxiliary>) -> Result<Chosen, PlanError> {
        let task = self.task.of(self.classes.unwrap_or(0));
        let Some(budget) = self.budget else {
            return Ok((Box::new(self.twin(task)?.plan(facts)?), None));
        };
        let asked = Asked {
            request: self,
            budget,
            task,
        };
        let plan: Box<dyn Planned> = match self.method {
            MethodName::Auto => {
                let (plan, why) = asked.auto().plan(facts)?;
                return Ok((plan, Some(why)));
            }
            MethodName::FrankWolfe if self.task == TaskName::Multinomial => {
                Box::new(asked.multinomial().plan(facts)?)
            }
            MethodName::FrankWolfe => Box::new(asked.frank_wolfe().plan(facts)?),
            MethodName::Sparsifier => Box::new(asked.sparsifier().plan(facts)?),
            MethodName::Ight => Box::new(asked.ight().plan(facts)?),
            MethodName::Select => Box::new(asked.select().plan(facts)?),
            MethodName::TwoStage => Box::new(asked.two_stage().plan(facts)?),
            MethodName::Transfer if self.details.as_published => {
                Box::new(asked.published().plan(facts)?)
            }
            MethodName::Transfer => Box::new(asked.transfer(rows).plan(facts)?),
            MethodName::Choose => Box::new(asked.choose().plan(facts)?),
            MethodName::Lasso => return Err(PlanError::NoPrivacy(self.method.name())),
        };
        Ok((plan, None))
    }

    /// The same model without privacy, of a method that has one.
    fn twin(&self, task: Task) -> Result<Twin, PlanError> {
        let method = match self.method {
            MethodName::FrankWolfe => TwinMethod::FrankWolfe,
            MethodName::Ight => TwinMethod::Ight,
            MethodName::Auto | MethodName::Lasso => TwinMethod::Lasso,
            other => return Err(PlanError::NoBudget(other.name())),
        };
        Ok(Twin {
            adjacency: self.adjacency,
            nonzero: self.nonzero,
            radius: self.details.l1,
            intercept: self.intercept,
            method,
            ..Twin::new(task)
        })
    }
}

/// A request with its budget, and with the classes counted.
struct Asked<'a> {
    request: &'a MethodRequest,
    budget: Budget,
    task: Task,
}

impl Asked<'_> {
    fn calibration(&self) -> Calibration {
        match self.request.details.as_published {
            true => Calibration::AsPublished,
            false => Calibration::Exact,
        }
    }

    fn auto(&self) -> Auto {
        Auto {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            intercept: self.request.intercept,
            ..Auto::new(self.task, self.budget)
        }
    }

    fn frank_wolfe(&self) -> FrankWolfe {
        let details = &self.request.details;
        FrankWolfe {
            adjacency: self.request.adjacency,
            region: details.l1.map(|radius| Region::L1 { radius }),
            iterations: details.iterations,
            steps: details.steps.unwrap_or(Steps::Average),
            intercept: self.request.intercept,
            calibration: self.calibration(),
            ..FrankWolfe::new(self.task, self.budget)
        }
    }

    fn multinomial(&self) -> Multinomial {
        let details = &self.request.details;
        Multinomial {
            adjacency: self.request.adjacency,
            ball: details.ball.unwrap_or(Ball::PerClass),
            radius: details.l1,
            iterations: details.iterations,
            steps: details.steps.unwrap_or(Steps::Average),
            intercept: self.request.intercept,
            ..Multinomial::new(self.task, self.budget)
        }
    }

    fn sparsifier(&self) -> Sparsifier {
        let details = &self.request.details;
        let basis = match self.calibration() {
            Calibration::Exact => Sparsifier::new(self.task, self.budget),
            Calibration::AsPublished => Sparsifier::as_published(self.budget),
        };
        Sparsifier {
            task: self.task,
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            radius: details.l1.or(basis.radius),
            iterations: details.iterations.or(basis.iterations),
            steps: details.steps.unwrap_or(basis.steps),
            ball: details.ball.unwrap_or(Ball::PerClass),
            intercept: basis.intercept && self.request.intercept,
            ..basis
        }
    }

    fn ight(&self) -> Ight {
        let details = &self.request.details;
        Ight {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            form: match (details.peeling, details.as_published) {
                (true, _) => Form::Peeling,
                (false, true) => Form::EachStep,
                (false, false) => Form::Staged,
            },
            intercept: self.request.intercept,
            calibration: self.calibration(),
            ..Ight::new(self.task, self.budget)
        }
    }

    fn select(&self) -> Select {
        Select {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            fitting: self.request.details.fitting.unwrap_or(Fitting::Gradients),
            intercept: self.request.intercept,
            ..Select::new(self.task, self.budget)
        }
    }

    fn two_stage(&self) -> TwoStage {
        TwoStage {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            intercept: self.request.intercept,
            ..TwoStage::new(self.task, self.budget)
        }
    }

    fn transfer(&self, rows: Option<Auxiliary>) -> Transfer {
        let parameters = Transfer::new(self.task, self.budget);
        Transfer {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            teacher: self.request.details.teacher.unwrap_or(Teacher::Support),
            auxiliary: rows.unwrap_or(parameters.auxiliary),
            intercept: self.request.intercept,
            ..parameters
        }
    }

    fn published(&self) -> Published {
        Published {
            adjacency: self.request.adjacency,
            nonzero: self.request.nonzero,
            ..Published::new(self.task, self.budget)
        }
    }

    fn choose(&self) -> Choose {
        Choose {
            adjacency: self.request.adjacency,
            columns: self.request.nonzero,
            intercept: self.request.intercept,
            ..Choose::new(self.task, self.budget)
        }
    }
}
