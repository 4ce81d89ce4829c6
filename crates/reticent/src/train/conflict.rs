//! Parameters that contradict each other, told in the words of whoever asked.

use super::{Details, MethodName, Refused, Request, TaskName, Voice};
use crate::fit::{Fitting, MethodRequest};
use crate::privacy::Adjacency;

fn conflict(what: String, remedy: impl Into<String>) -> Result<(), Refused> {
    Err(Refused::conflict(what, remedy))
}

impl Request {
    /// Refuses parameters that contradict each other or that nothing has a use for.
    pub(super) fn contradictions(
        &self,
        voice: Voice,
        method: &MethodRequest,
    ) -> Result<(), Refused> {
        self.of_table(voice, method.task)?;
        let wanted = Wanted {
            request: method,
            voice,
            public: self.public,
        };
        wanted.of_budget()?;
        wanted.of_method()?;
        wanted.of_papers()?;
        wanted.without_privacy()
    }

    fn of_table(&self, voice: Voice, task: TaskName) -> Result<(), Refused> {
        if task != TaskName::Linear && self.range.is_some() {
            let range = voice.name("target-range");
            return conflict(
                format!(
                    "{range} was given, but {} has classes, not numbers",
                    voice.set("task", task.name())
                ),
                match voice {
                    Voice::Flags => format!("leave {range} out, or use --task linear"),
                    Voice::Arguments => format!("leave {range} out"),
                },
            );
        }
        if self.schema && self.range.is_some() {
            let range = voice.name("target-range");
            let what = format!("{range} was given, and the schema declares it");
            return conflict(what, "leave it out");
        }
        if self.schema && self.classes.is_some() {
            let classes = voice.name("classes");
            let what = format!("{classes} was given, and the schema declares them");
            return conflict(what, "leave it out");
        }
        if task == TaskName::Linear && self.classes.is_some() {
            let classes = voice.name("classes");
            let linear = voice.set("task", "linear");
            return conflict(
                format!("{classes} was given, but {linear} has numbers, not classes"),
                match voice {
                    Voice::Flags => {
                        format!("leave {classes} out, or use --task logistic or multinomial")
                    }
                    Voice::Arguments => format!("leave {classes} out"),
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
        Ok(())
    }
}

/// A method as it is asked for, and who asked.
struct Wanted<'a> {
    request: &'a MethodRequest,
    voice: Voice,
    /// Whether there are public rows.
    public: bool,
}

impl Wanted<'_> {
    fn of_budget(&self) -> Result<(), Refused> {
        let (voice, request) = (self.voice, self.request);
        let published = voice.name("as-published");
        if request.budget.is_some_and(|budget| budget.rho().is_some())
            && request.details.as_published
        {
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

    /// Parameters that the method has no use for.
    fn of_method(&self) -> Result<(), Refused> {
        let (voice, request) = (self.voice, self.request);
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
        } = request.details;
        let sparse: Vec<MethodName> = MethodName::ALL
            .into_iter()
            .filter(|method| *method != FrankWolfe)
            .collect();
        let of: [(bool, &str, &[MethodName]); 10] = [
            (request.nonzero.is_some(), "nonzero", &sparse),
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
            (self.public, "public", &[Transfer]),
            (
                as_published,
                "as-published",
                &[FrankWolfe, Sparsifier, Ight, Transfer],
            ),
        ];
        for (given, parameter, methods) in of {
            if given {
                self.has_use(parameter, methods)?;
            }
        }
        if ball.is_some() && request.task != TaskName::Multinomial {
            return conflict(
                format!(
                    "{} was given, but there is one ball unless there are several classes",
                    voice.name("ball")
                ),
                format!("leave it out, or use {}", voice.set("task", "multinomial")),
            );
        }
        if fitting == Some(Fitting::Statistics) && request.task != TaskName::Linear {
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
    fn has_use(&self, parameter: &str, methods: &[MethodName]) -> Result<(), Refused> {
        let (voice, request) = (self.voice, self.request);
        if methods.contains(&request.method) {
            return Ok(());
        }
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        conflict(
            format!(
                "{} was given, but {} has no use for it",
                voice.name(parameter),
                voice.set("method", request.method.name())
            ),
            match voice {
                Voice::Flags => format!("leave it out, or use --method {}", names.join(", ")),
                Voice::Arguments => format!("leave it out, or use method='{}'", names.join("', '")),
            },
        )
    }

    /// What the papers print leaves less to say.
    fn of_papers(&self) -> Result<(), Refused> {
        let (voice, request) = (self.voice, self.request);
        let published = voice.name("as-published");
        let peeling = voice.name("peeling");
        let as_published = request.details.as_published;
        if as_published && request.task == TaskName::Multinomial {
            return conflict(
                format!(
                    "{published} was given, but the papers' noise is for two classes or a number"
                ),
                format!("leave it out, or use {}", voice.set("task", "logistic")),
            );
        }
        let cuts_each_step =
            request.details.peeling || (as_published && request.method == MethodName::Ight);
        if cuts_each_step && request.nonzero.is_none() {
            return conflict(
                format!("{peeling} and {published} keep a stated number of weights in each step"),
                format!("add {}", voice.number("nonzero", 'S')),
            );
        }
        if request.details.peeling && as_published {
            return conflict(
                format!("{peeling} and {published} are two forms of ight"),
                "leave one out",
            );
        }
        if as_published && (request.details.teacher.is_some() || self.public) {
            let (teacher, public) = (voice.name("teacher"), voice.name("public"));
            return conflict(
                "the published transfer has its own teacher, and generates its rows".to_owned(),
                format!("leave {public} and {teacher} out, or {published}"),
            );
        }
        Ok(())
    }

    /// Models without privacy are solved to the end, by some methods.
    fn without_privacy(&self) -> Result<(), Refused> {
        let (voice, request) = (self.voice, self.request);
        use MethodName::{Auto, FrankWolfe, Ight, Lasso};
        let open = voice.open();
        let method = voice.set("method", request.method.name());
        if request.budget.is_some() {
            return match request.method {
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
        } = request.details;
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
        if [Auto, FrankWolfe, Ight, Lasso].contains(&request.method) {
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
