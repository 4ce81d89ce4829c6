//! Parameters that contradict each other, told in the words of whoever asked.

use super::{Details, MethodName, Order, TaskName};
use crate::fit::Fitting;
use crate::privacy::Adjacency;

/// How parameters are written where the order comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// `--target-range`, `--method select`.
    Flags,
    /// `target_range`, `method='select'`.
    Arguments,
}

impl Voice {
    /// A parameter.
    fn name(self, parameter: &str) -> String {
        match self {
            Self::Flags => format!("--{parameter}"),
            Self::Arguments => parameter.replace('-', "_"),
        }
    }

    /// A parameter with a value.
    fn set(self, parameter: &str, value: &str) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{}='{value}'", parameter.replace('-', "_")),
        }
    }

    /// A parameter with a number.
    fn number(self, parameter: &str, value: char) -> String {
        match self {
            Self::Flags => format!("--{parameter} {value}"),
            Self::Arguments => format!("{}={value}", parameter.replace('-', "_")),
        }
    }

    /// No privacy.
    fn open(self) -> &'static str {
        match self {
            Self::Flags => "--epsilon inf",
            Self::Arguments => "epsilon=float('inf')",
        }
    }
}

/// Two parameters that can not both be meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}; {remedy}")]
pub struct Conflict {
    /// What contradicts what.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

fn conflict(what: String, remedy: impl Into<String>) -> Result<(), Conflict> {
    let remedy = remedy.into();
    Err(Conflict { what, remedy })
}

impl Order {
    /// Refuses parameters that contradict each other or that nothing has a use for.
    pub fn check(&self, voice: Voice) -> Result<(), Conflict> {
        self.of_budget(voice)?;
        self.of_table(voice)?;
        self.of_method(voice)?;
        self.of_papers(voice)?;
        self.without_privacy(voice)
    }

    fn of_budget(&self, voice: Voice) -> Result<(), Conflict> {
        let published = voice.name("as-published");
        if self.budget.is_some_and(|budget| budget.rho().is_some()) && self.details.as_published {
            let (rho, epsilon) = (voice.name("rho"), voice.name("epsilon"));
            return conflict(
                format!(
                    "{published} was given with {rho}, but the papers print their noise for \
                     epsilon and delta"
                ),
                format!("use {epsilon} in place of {rho}, or leave {published} out"),
            );
        }
        Ok(())
    }

    fn of_table(&self, voice: Voice) -> Result<(), Conflict> {
        if self.task != TaskName::Linear && self.range.is_some() {
            let range = voice.name("target-range");
            return conflict(
                format!(
                    "{range} was given, but {} has classes, not numbers",
                    voice.set("task", self.task.name())
                ),
                match voice {
                    Voice::Flags => format!("leave {range} out, or use --task linear"),
                    Voice::Arguments => format!("leave {range} out"),
                },
            );
        }
        if self.adjacency == Adjacency::ReplaceOne && self.public_n.is_some() {
            let public = voice.name("public-n");
            return conflict(
                format!(
                    "{public} was given, but under replace-one adjacency the number of records is \
                     public itself"
                ),
                format!(
                    "leave {public} out, or use {} to keep the number of records private",
                    voice.set("adjacency", "add-remove")
                ),
            );
        }
        // Before the table is read, of which a later message might tell the size.
        if self.public_n == Some(0) {
            return conflict(
                format!(
                    "{} was given, but a table has at least one record",
                    voice.number("public-n", '0')
                ),
                "give a public guess at the number of records, such as 30000",
            );
        }
        Ok(())
    }

    /// Parameters that the method has no use for.
    fn of_method(&self, voice: Voice) -> Result<(), Conflict> {
        use MethodName::{FrankWolfe, Ight, Lasso, Select, Sparsifier, Transfer};
        let Details {
            l1,
            iterations,
            steps,
            ball,
            peeling,
            fitting,
            teacher,
            as_published,
        } = self.details;
        let sparse: Vec<MethodName> = MethodName::ALL
            .into_iter()
            .filter(|method| *method != FrankWolfe)
            .collect();
        let of: [(bool, &str, &[MethodName]); 9] = [
            (self.nonzero.is_some(), "nonzero", &sparse),
            (l1.is_some(), "l1", &[FrankWolfe, Sparsifier, Lasso]),
            (
                iterations.is_some(),
                "iterations",
                &[FrankWolfe, Sparsifier],
            ),
            (steps.is_some(), "steps", &[FrankWolfe, Sparsifier]),
            (ball.is_some(), "ball", &[FrankWolfe, Sparsifier]),
            (peeling, "peeling", &[Ight]),
            (fitting.is_some(), "fitting", &[Select]),
            (teacher.is_some(), "teacher", &[Transfer]),
            (
                as_published,
                "as-published",
                &[FrankWolfe, Sparsifier, Ight, Transfer],
            ),
        ];
        for (given, parameter, methods) in of {
            if given {
                self.has_use(voice, parameter, methods)?;
            }
        }
        if ball.is_some() && self.task != TaskName::Multinomial {
            return conflict(
                format!(
                    "{} was given, but there is one ball unless there are several classes",
                    voice.name("ball")
                ),
                format!("leave it out, or use {}", voice.set("task", "multinomial")),
            );
        }
        if fitting == Some(Fitting::Statistics) && self.task != TaskName::Linear {
            return conflict(
                format!(
                    "{} was given, but classes have no such statistics",
                    voice.set("fitting", "statistics")
                ),
                format!("leave it out, or use {}", voice.set("task", "linear")),
            );
        }
        Ok(())
    }

    /// Refuses a parameter that only other methods take.
    pub fn has_use(
        &self,
        voice: Voice,
        parameter: &str,
        methods: &[MethodName],
    ) -> Result<(), Conflict> {
        if methods.contains(&self.method) {
            return Ok(());
        }
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        conflict(
            format!(
                "{} was given, but {} has no use for it",
                voice.name(parameter),
                voice.set("method", self.method.name())
            ),
            match voice {
                Voice::Flags => format!("leave it out, or use --method {}", names.join(", ")),
                Voice::Arguments => format!("leave it out, or use method='{}'", names.join("', '")),
            },
        )
    }

    /// What the papers print leaves less to say.
    fn of_papers(&self, voice: Voice) -> Result<(), Conflict> {
        let published = voice.name("as-published");
        let peeling = voice.name("peeling");
        let as_published = self.details.as_published;
        if as_published && self.task == TaskName::Multinomial {
            return conflict(
                format!(
                    "{published} was given, but the papers' noise is for two classes or a number"
                ),
                format!("leave it out, or use {}", voice.set("task", "logistic")),
            );
        }
        let cuts_each_step =
            self.details.peeling || (as_published && self.method == MethodName::Ight);
        if cuts_each_step && self.nonzero.is_none() {
            return conflict(
                format!("{peeling} and {published} keep a stated number of weights in each step"),
                format!("add {}", voice.number("nonzero", 'S')),
            );
        }
        if self.details.peeling && as_published {
            return conflict(
                format!("{peeling} and {published} are two forms of ight"),
                "leave one out",
            );
        }
        if as_published && self.details.teacher.is_some() {
            let teacher = voice.name("teacher");
            return conflict(
                "the published transfer has its own teacher, and generates its rows".to_owned(),
                format!("leave {teacher} out, or {published}"),
            );
        }
        Ok(())
    }

    /// Models without privacy are solved to the end, by some methods.
    fn without_privacy(&self, voice: Voice) -> Result<(), Conflict> {
        use MethodName::{Auto, FrankWolfe, Ight, Lasso};
        let open = voice.open();
        let method = voice.set("method", self.method.name());
        if self.budget.is_some() {
            return match self.method {
                Lasso => conflict(
                    format!("{method} has no privacy"),
                    format!("use {open} if the data are public, or another method"),
                ),
                _ => Ok(()),
            };
        }
        let Details {
            iterations,
            steps,
            ball,
            peeling,
            as_published,
            ..
        } = self.details;
        let of_steps = iterations.is_some() || steps.is_some() || ball.is_some();
        if of_steps || peeling || as_published {
            let names = ["iterations", "steps", "ball", "peeling"].map(|name| voice.name(name));
            return conflict(
                format!(
                    "{open} solves to the end, without noise: {} and {} have no use there",
                    names.join(", "),
                    voice.name("as-published")
                ),
                "leave them out",
            );
        }
        if [Auto, FrankWolfe, Ight, Lasso].contains(&self.method) {
            return Ok(());
        }
        conflict(
            format!("{method} is private by design; there is nothing to fit without privacy"),
            format!(
                "{open} goes with {}, ight and frank-wolfe",
                voice.set("method", "lasso")
            ),
        )
    }
}
