//! Contradictions within a request, found from the declarations alone and reported in the caller's
//! parameter style.

use super::{Declaration, MethodName, MethodOption, ParameterStyle, TakesNonzero};
use crate::fit::{MethodRequest, Nonzero};

/// Why options do not make a valid request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A value that the option does not allow.
    #[error("{0}")]
    Value(String),
    /// Parameters that contradict each other.
    #[error("{what}; {remedy}")]
    Conflict {
        /// What contradicts what.
        what: String,
        /// What to do about it.
        remedy: String,
    },
}

fn conflict(what: String, remedy: impl Into<String>) -> Result<(), OptionError> {
    let remedy = remedy.into();
    Err(OptionError::Conflict { what, remedy })
}

impl MethodRequest {
    /// Refuses parameters that contradict each other or do not apply to the method; `public`
    /// says whether there are public rows.
    pub fn check_options(&self, style: ParameterStyle, public: bool) -> Result<(), OptionError> {
        let check = Check {
            request: self,
            declaration: self.method.declaration(),
            style,
            public,
        };
        check.use_of_parameters()?;
        check.task_and_adjacency()?;
        for option in check.given() {
            check.option(option)?;
        }
        check.without_privacy()
    }
}

struct Check<'a> {
    request: &'a MethodRequest,
    declaration: &'static Declaration,
    style: ParameterStyle,
    public: bool,
}

impl Check<'_> {
    /// The given options of the method.
    fn given(&self) -> impl Iterator<Item = &'static MethodOption> {
        let options = self.declaration.options.iter();
        options.filter(|option| self.is_given(option.name))
    }

    /// Whether a parameter is given.
    fn is_given(&self, parameter: &str) -> bool {
        match parameter {
            "nonzero" => self.request.nonzero.is_some(),
            "rho" => self
                .request
                .budget
                .is_some_and(|budget| budget.rho().is_some()),
            "public" => self.public,
            option => self.request.options.get(option).is_some(),
        }
    }

    fn method(&self) -> String {
        self.style.set("method", self.declaration.name)
    }

    /// Refuses parameters that only other methods have.
    fn use_of_parameters(&self) -> Result<(), OptionError> {
        let takes = self.declaration.nonzero;
        match self.request.nonzero {
            Some(Nonzero::Count(_)) if takes == TakesNonzero::No => {
                return self.no_use("nonzero", |other| other.nonzero > TakesNonzero::No);
            }
            Some(auto @ Nonzero::Auto) if takes < TakesNonzero::CountOrAuto => {
                let finds = |other: &Declaration| other.nonzero == TakesNonzero::CountOrAuto;
                let given = self.style.set("nonzero", &auto.to_string());
                return self.does_not_apply(given, finds);
            }
            _ => {}
        }
        if self.public && self.declaration.option("public").is_none() {
            return self.no_use("public", |other| other.option("public").is_some());
        }
        let mut options = self.request.options.iter();
        match options.find(|(name, _)| self.declaration.option(name).is_none()) {
            Some((name, _)) => self.no_use(name, |other| other.option(name).is_some()),
            None => Ok(()),
        }
    }

    fn no_use(
        &self,
        parameter: &str,
        takes_it: impl Fn(&Declaration) -> bool,
    ) -> Result<(), OptionError> {
        self.does_not_apply(self.style.name(parameter), takes_it)
    }

    fn does_not_apply(
        &self,
        given: String,
        takes_it: impl Fn(&Declaration) -> bool,
    ) -> Result<(), OptionError> {
        let takers = MethodName::models().filter(|method| takes_it(method.declaration()));
        let names: Vec<&str> = takers.map(MethodName::name).collect();
        let remedy = match names.is_empty() {
            true => "leave it out".to_owned(),
            false => format!(
                "leave it out, or use {}",
                self.style.any_of("method", &names)
            ),
        };
        let method = self.method();
        conflict(
            format!("{given} was given, but it does not apply to {method}"),
            remedy,
        )
    }

    fn task_and_adjacency(&self) -> Result<(), OptionError> {
        let (style, task, adjacency) = (self.style, self.request.task, self.request.adjacency);
        let others = |fits: &dyn Fn(&Declaration) -> bool| {
            let suited = MethodName::models().filter(|method| {
                let declaration = method.declaration();
                declaration.build.is_some() && fits(declaration)
            });
            let names: Vec<&str> = suited.map(MethodName::name).collect();
            style.any_of("method", &names)
        };
        if !self.declaration.tasks.contains(&task) {
            return conflict(
                format!("{} does not fit {} models", self.method(), task.name()),
                format!("use {}", others(&|other| other.tasks.contains(&task))),
            );
        }
        if !self.declaration.adjacencies.contains(&adjacency) {
            let proved = self
                .declaration
                .adjacencies
                .first()
                .map_or("no", |one| one.name());
            return conflict(
                format!("{} is built for {proved} adjacency only", self.method()),
                format!(
                    "use {}, or {}",
                    style.set("adjacency", proved),
                    others(&|other| {
                        other.adjacencies.contains(&adjacency) && other.tasks.contains(&task)
                    })
                ),
            );
        }
        Ok(())
    }

    /// Checks one given option of the method: its value, its task, and the parameters that it needs
    /// or excludes.
    fn option(&self, option: &'static MethodOption) -> Result<(), OptionError> {
        let style = self.style;
        let name = style.name(option.name);
        let value = self.request.options.get(option.name);
        if let Some(value) = value.filter(|value| !option.accepts(value)) {
            let allowed = option.allowed();
            let what = format!("{name} is {value}; it must be {allowed}");
            return Err(OptionError::Value(what));
        }
        if !option.tasks.contains(&self.request.task) {
            let tasks: Vec<&str> = option.tasks.iter().map(|task| task.name()).collect();
            let task = style.set("task", self.request.task.name());
            return conflict(
                format!("{name} was given, but it does not apply to {task}"),
                format!("leave it out, or use {}", style.any_of("task", &tasks)),
            );
        }
        if let Some(other) = option.needs.iter().find(|other| !self.is_given(other)) {
            return conflict(
                format!("{name} needs {}", style.name(other)),
                format!("add {}", style.value(other, 'S')),
            );
        }
        if let Some(other) = option.excludes.iter().find(|other| self.is_given(other)) {
            let remedy = match *other {
                "rho" => format!(
                    "the papers print their noise for epsilon and delta: use {} in place of {}, or \
                     leave {name} out",
                    style.name("epsilon"),
                    style.name("rho")
                ),
                _ => "leave one out".to_owned(),
            };
            let other = style.name(other);
            return conflict(format!("{name} and {other} contradict each other"), remedy);
        }
        Ok(())
    }

    /// Some methods have a baseline without privacy, by a solver of its own.
    fn without_privacy(&self) -> Result<(), OptionError> {
        let open = self.style.without_privacy();
        let method = self.method();
        if self.request.budget.is_some() {
            return match self.declaration.build {
                Some(_) => Ok(()),
                None => conflict(
                    format!("{method} has no privacy"),
                    format!("use {open} if the data are public, or another method"),
                ),
            };
        }
        if self.declaration.baseline.is_none() {
            let with = MethodName::models().filter(|one| one.declaration().baseline.is_some());
            let names: Vec<&str> = with.map(MethodName::name).collect();
            return conflict(
                format!("{method} is private by design; there is nothing to fit without privacy"),
                format!("{open} goes with {}", self.style.any_of("method", &names)),
            );
        }
        match self.given().find(|option| !option.without_privacy) {
            None => Ok(()),
            Some(option) => conflict(
                format!(
                    "{open} fits without noise, by other steps: {} has no effect there",
                    self.style.name(option.name)
                ),
                "leave it out",
            ),
        }
    }
}
