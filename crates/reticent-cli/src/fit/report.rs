//! The report of `reticent fit` on the model that it wrote: for a program, or for a person.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use reticent::card;
use reticent::features::FeatureMap;
use reticent::fit::Task;
use reticent::model::{Model, Outcome};
use reticent::privacy::{Accountant, Adjacency};
use reticent::table::{ClassWeight, ProtectedUnit, RecordBound, Table};
use reticent::train::Trained;
use serde::Serialize;

use crate::evaluate::{self, Metrics};
use crate::failure::Failure;
use crate::flags::{self, rows_name};
use crate::format_number::{exact, rounded_up, short, short_numbers};
use crate::promise::one_protected;
use crate::style::{ALARM, LOUD, NAME, QUIET};
use crate::text_layout::{NAME_WIDTH, facts_table, printable, wrapped};
use crate::{memory, plan};

/// How many weights are shown.
const SHOWN: usize = 8;

/// What weights do not mean where probabilities were calibrated by a map.
const NO_ODDS_RATIO: &str = "; probabilities come from an increasing map of the weighted sum, so \
                             that exp(weight) is not an odds ratio";

/// How long things took.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    pub read: f64,
    pub fit: f64,
}

/// A model that was written, and what to report about it.
pub struct Report<'a> {
    pub trained: &'a Trained,
    pub out: &'a Path,
    /// Whether there was a file before, which --overwrite allowed to be replaced.
    pub replaced: bool,
    /// Entries of the table that are not zero.
    pub nnz: u64,
    pub seconds: Seconds,
    pub metrics: Option<Measured>,
    /// Whether the metrics are those of the fitted table.
    pub tested_on_itself: bool,
    /// What to warn of about the map of features.
    pub map_caution: Option<&'static str>,
    /// Whether the rows' bound follows from a schema.
    pub schema: bool,
}

/// How good the model is on a table that the certificate does not cover.
pub struct Measured {
    file: PathBuf,
    metrics: Metrics,
}

impl Measured {
    /// Measures the model on a table.
    pub fn measure(model: &Model, (file, table): (PathBuf, Table)) -> Result<Self, Failure> {
        let predictions = model.predict(&table.features).map_err(Failure::of)?;
        match evaluate::metrics(&predictions, &table.target) {
            Some(metrics) => Ok(Self { file, metrics }),
            None => Err(Failure::Failed(format!(
                "{}: the table has no targets to measure the model by (the model was written)",
                file.display()
            ))),
        }
    }

    fn note(&self) -> String {
        format!(
            "measured on {}; not covered by the certificate",
            self.file.display()
        )
    }
}

#[derive(Serialize)]
struct Object<'a> {
    task: Task,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    n: u64,
    d: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<&'a FeatureMap>,
    nnz: Option<u64>,
    nonzero: usize,
    #[serde(with = "reticent::privacy::infinite")]
    epsilon: f64,
    delta: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rho: Option<f64>,
    adjacency: Adjacency,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a ProtectedUnit>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class_weight: Option<&'a ClassWeight>,
    accountant: Accountant,
    private: bool,
    parameters: BTreeMap<&'static str, serde_json::Value>,
    rows: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<&'a Metrics>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics_note: Option<String>,
    seconds: SecondsObject,
    peak_memory_bytes: Option<u64>,
    /// The facts about the table or the machine, which no certificate covers.
    not_covered: [&'static str; 4],
    out: String,
    assumed_public: &'a [String],
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct SecondsObject {
    read: Option<f64>,
    fit: Option<f64>,
}

impl Report<'_> {
    /// Whether the number of records may be reported, and with it whatever depends on it.
    fn size_is_public(&self) -> bool {
        let certificate = self.trained.model.certificate();
        // Where people are protected, their number is public, and that of rows is not.
        certificate.statement.adjacency == Adjacency::ReplaceOne && certificate.unit.is_none()
    }

    /// The warnings.
    fn warnings(&self) -> Vec<String> {
        let certificate = self.trained.model.certificate();
        let mut warnings = Vec::new();
        if !certificate.private {
            let reasons = certificate.reasons_not_private.join("; ");
            let claim = match &certificate.published {
                Some(claim) if !certificate.statement.has_guarantee() => {
                    format!(
                        ". {} claims epsilon = {} for its noise",
                        claim.source,
                        exact(claim.epsilon)
                    )
                }
                _ => String::new(),
            };
            warnings.push(format!("the result is NOT PRIVATE: {reasons}{claim}"));
        }
        warnings.extend(certificate.cautions().iter().map(ToString::to_string));
        warnings.extend(self.map_caution.map(str::to_owned));
        warnings.extend(self.claim(true));
        if self.tested_on_itself {
            warnings.push(
                "--test is the table that was fitted: its figures are facts about the private \
                 records, and flatter the model"
                    .to_owned(),
            );
        }
        if self.replaced {
            warnings.push(format!(
                "{} was replaced; if the model that was there came from the same people, what \
                 was spent on it stays spent, and the two budgets add up",
                self.out.display()
            ));
        }
        warnings
    }

    /// What a paper claims for noise about which something is proved: if that is more, or else if not.
    fn claim(&self, more: bool) -> Option<String> {
        let certificate = self.trained.model.certificate();
        let claim = certificate.published.as_ref()?;
        let proved = certificate.statement.epsilon;
        let wanted = certificate.statement.has_guarantee() && (proved > claim.epsilon) == more;
        wanted.then(|| flags::claim(&claim.source, claim.epsilon, proved))
    }

    /// Prints warnings and notes on standard error.
    pub fn warn(&self) {
        let mut err = anstream::stderr();
        for warning in self.warnings() {
            // Nothing can be reported if standard error is closed.
            let _ = writeln!(err, "{ALARM}warning:{ALARM:#} {warning}");
        }
        if let Some(note) = self.claim(false) {
            let _ = writeln!(err, "{NAME}note:{NAME:#} {note}");
        }
    }

    /// One line: an object. Whatever reveals the number of records is left out where that is
    /// private.
    pub fn json(&self) -> String {
        let certificate = self.trained.model.certificate();
        let statement = &certificate.statement;
        let public = self.size_is_public();
        let object = Object {
            task: self.trained.model.task(),
            method: &certificate.method.name,
            why: self.trained.why.as_deref(),
            n: certificate.records,
            d: certificate.columns,
            features: certificate.features.as_ref(),
            nnz: public.then_some(self.nnz),
            nonzero: self.trained.model.nonzero(),
            epsilon: statement.epsilon,
            delta: statement.delta.get(),
            rho: statement.rho,
            adjacency: statement.adjacency,
            unit: certificate.unit.as_ref(),
            class_weight: certificate.class_weight(),
            accountant: statement.accountant,
            private: certificate.private,
            parameters: plan::parameters(&self.trained.summary),
            rows: rows_name(certificate.rows),
            metrics: self.metrics.as_ref().map(|measured| &measured.metrics),
            metrics_note: self.metrics.as_ref().map(Measured::note),
            seconds: SecondsObject {
                read: public.then_some(self.seconds.read),
                fit: public.then_some(self.seconds.fit),
            },
            peak_memory_bytes: memory::peak().filter(|_| public),
            not_covered: ["nnz", "metrics", "seconds", "peak_memory_bytes"],
            out: self.out.display().to_string(),
            assumed_public: &certificate.assumed_public,
            warnings: self.warnings(),
            notes: self.claim(false).into_iter().collect(),
        };
        // Serialisation fails only for maps with unusual keys or for writers: there are none.
        let mut line = serde_json::to_string(&object).unwrap_or_default();
        line.push('\n');
        line
    }

    /// A page for a person.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.headline(&mut out);
        self.facts(&mut out);
        card::weights(&mut out, &self.trained.model, SHOWN);
        self.speaks_for(&mut out);
        self.measured(&mut out);
        self.assumed(&mut out);
        self.next(&mut out);
        out
    }

    fn headline(&self, out: &mut String) {
        let what = match self.trained.model.task() {
            Task::Logistic => "logistic regression",
            Task::Multinomial { .. } => "multinomial logistic regression",
            Task::Linear => "linear regression",
        };
        let certificate = self.trained.model.certificate();
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            out,
            "{LOUD}{}{LOUD:#}   {what}, {} of {} weights {} non-zero\n",
            self.out.display(),
            self.trained.model.nonzero(),
            self.trained.model.predictor().size(certificate.columns),
            if self.trained.model.nonzero() == 1 {
                "is"
            } else {
                "are"
            }
        );
        if !certificate.private {
            let _ = writeln!(out, "  {ALARM}NOT PRIVATE{ALARM:#}: do not publish it\n");
        }
    }

    fn facts(&self, out: &mut String) {
        let certificate = self.trained.model.certificate();
        let statement = &certificate.statement;
        let one = one_protected(certificate);
        let records = match (statement.adjacency, &certificate.unit) {
            (Adjacency::ReplaceOne, None) => "records in the table",
            (Adjacency::ReplaceOne, Some(_)) => "people in the table; how many rows is private",
            (Adjacency::AddRemove, None) => "stands for the number of records, which is private",
            (Adjacency::AddRemove, Some(_)) => "stands for the number of people, which is private",
        };
        let neighbours = match statement.adjacency {
            Adjacency::ReplaceOne => format!("one {one} replaced by any other; n is public"),
            Adjacency::AddRemove => format!("one {one} added or removed; n is private"),
        };
        let rows = if certificate.features.is_some() {
            "each row of features is clipped to it"
        } else if self.schema && certificate.rows == RecordBound::Linf(1.0) {
            "the schema maps features to [−1, 1]"
        } else {
            "each row is clipped to it"
        };
        let (epsilon, factor) = if statement.has_guarantee() {
            let factor = statement.epsilon.exp();
            let factor = if factor < 1e6 {
                let factor = rounded_up(factor, 5);
                format!("one {one} changes any probability ≤ {factor}×")
            } else {
                "hardly a promise: around 1 is strong, beyond 10 weak".to_owned()
            };
            (rounded_up(statement.epsilon, 4), factor)
        } else {
            ("∞".to_owned(), "no guarantee".to_owned())
        };
        let mut facts: Vec<(&str, String, &str)> = vec![
            ("epsilon", epsilon, factor.as_str()),
            (
                "adjacency",
                statement.adjacency.name().to_owned(),
                neighbours.as_str(),
            ),
            ("n", certificate.records.to_string(), records),
            ("d", certificate.columns.to_string(), "features"),
            ("rows", rows_name(certificate.rows), rows),
        ];
        if let Some(map) = &certificate.features {
            facts.push(("features", short_numbers(&map.sentence()), "a public map"));
        }
        let unit = certificate
            .unit
            .as_ref()
            .map(|unit| ("protected", unit.to_string(), ""));
        facts.extend(unit);
        if statement.has_guarantee() {
            let delta = exact(statement.delta.get());
            facts.insert(1, ("delta", delta, "except with this probability"));
        }
        if let Some(rho) = statement.rho {
            facts.insert(0, ("rho", rounded_up(rho, 4), plan::RHO));
        }
        for (name, value, meaning) in self.trained.summary.iter().map(plan::entry_text) {
            facts.push((name, value, meaning));
        }
        if let Some(weight) = certificate.class_weight() {
            let meaning = "probabilities refer to the population so weighted";
            facts.push(("class weights", weight.to_string(), meaning));
        }
        if let Some(noise) = certificate.noise {
            let meaning = "of predictions, in the target's units, as it came out";
            facts.push(("noise found", short(noise), meaning));
        }
        let method = &certificate.method.name;
        let _ = writeln!(out, "  {NAME}{:<NAME_WIDTH$}{NAME:#}  {method}", "method");
        if let Some(why) = &self.trained.why {
            let _ = write!(out, "{QUIET}{}{QUIET:#}", wrapped(why, NAME_WIDTH + 4));
        }
        facts_table(out, &facts);
    }

    fn speaks_for(&self, out: &mut String) {
        let model = &self.trained.model;
        if model.nonzero() > 0
            && let Outcome::Classes(classes) = model.outcome()
            && model.task() == Task::Logistic
            && let Some(second) = classes.get(1)
        {
            let mut meaning = format!("a weight above 0 favours class {}", printable(&second.name));
            if model.predictor().map().is_some() {
                meaning.push_str(NO_ODDS_RATIO);
            }
            let _ = write!(out, "{QUIET}{}{QUIET:#}", wrapped(&meaning, 2));
        }
    }

    fn measured(&self, out: &mut String) {
        let Some(measured) = &self.metrics else {
            return;
        };
        let _ = writeln!(out, "\n{NAME}How good{NAME:#}, {}", measured.note());
        let names = self.trained.model.class_names().unwrap_or_default();
        evaluate::render(out, &measured.metrics, &names);
    }

    fn assumed(&self, out: &mut String) {
        let assumed = &self.trained.model.certificate().assumed_public;
        if assumed.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n{NAME}Assumed to be public{NAME:#}, and not checked");
        for fact in assumed {
            let _ = writeln!(out, "  - {fact}");
        }
    }

    fn next(&self, out: &mut String) {
        let model = self.out.display();
        let _ = writeln!(
            out,
            "\n{NAME}Next{NAME:#}\n  \
             reticent inspect {model}    {QUIET}the model card{QUIET:#}"
        );
        if self.trained.model.certificate().statement.has_guarantee() {
            let meaning = "recomputes what was spent";
            let _ = writeln!(
                out,
                "  reticent verify {model}     {QUIET}{meaning}{QUIET:#}"
            );
        }
        let _ = writeln!(out, "  reticent predict NEW --model {model}");
    }
}
