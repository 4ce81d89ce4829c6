//! The flags of both `fit` and `plan`: the task, the budget, the bounds, the method.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use reticent::privacy::{Adjacency, Delta, Epsilon, OutOfRange, Rho};
use reticent::table::{ClassWeight, RecordBound, TargetRange};
use reticent::train::{FitRequest, MethodName, Nonzero, TaskName};

use crate::account_args::AdjacencyName;
use crate::feature_flags::FeatureFlags;
use crate::format_number::{exact, rounded_up};
use crate::methods::MethodFlags;
use crate::names::unknown;
use crate::parse_number;
use crate::refusal::Refusal;
use crate::unit_flags::UnitFlags;

/// All parameters of a fit except the location of its data.
#[derive(Debug, Args)]
pub struct Flags {
    /// What to fit: two classes (logistic), several (multinomial) or a number (linear)
    #[arg(long, value_name = "TASK", value_parser = tasks())]
    pub task: Option<TaskName>,

    /// How to fit it; auto chooses from public facts, and says why
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = methods())]
    pub method: MethodName,

    /// How many weights the model may have, over all classes together: a public number, or auto,
    /// which keeps those that exceed their noise (on average at most 1 in 10 of them by chance)
    /// [default: by the method]
    #[arg(long, value_name = "S|auto", allow_negative_numbers = true, value_parser = nonzero)]
    pub nonzero: Option<Nonzero>,

    /// The budget: one record changes the probability of any outcome by a factor of at most e^ε.
    /// Around 1 is strong, beyond 10 weak; inf fits without privacy, for public data
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = epsilon_choice)]
    pub epsilon: Option<EpsilonChoice>,

    /// The budget as ρ of zero-concentrated privacy, instead of --epsilon: for several releases
    /// about the same people, whose ρ simply add up; ε is quoted at --delta. 0.02 is strong,
    /// beyond 2 weak
    #[arg(long, value_name = "RHO", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = rho, conflicts_with = "epsilon")]
    pub rho: Option<Rho>,

    /// The probability with which the promise of ε may fail; far below 1/n for n records
    #[arg(long, value_name = "DELTA", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = delta)]
    pub delta: Option<Delta>,

    /// The bound of a row, enforced: l2=B scales longer rows down, linf=B clips larger
    /// values [with --schema: linf=1]
    ///
    /// With --features it is the bound of a row of features [default then: l2=1].
    ///
    /// l2=1 suits text (tf-idf, rows of length 1); linf=1 suits 0/1 features and features
    /// scaled to [−1, 1]. A schema maps its features to [−1, 1], so that linf=1 follows from it.
    #[arg(long, value_name = "l2=B|linf=B", help_heading = PRIVACY, value_parser = rows)]
    pub rows: Option<RecordBound>,

    /// The numbers between which the target of a linear model lies; values beyond are clipped
    /// [with --schema: its range]
    ///
    /// Take what any such table could hold (an age: 0,120), not the smallest and the largest
    /// of this one: those are facts about individuals.
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = range, conflicts_with = "schema")]
    pub target_range: Option<TargetRange>,

    /// Which tables count as neighbours [default: replace-one]
    #[arg(long, value_name = "NAME", help_heading = PRIVACY)]
    pub adjacency: Option<AdjacencyName>,

    /// A public number that takes the place of the number of records, which is private
    /// under add-remove
    #[arg(long, value_name = "N0", allow_negative_numbers = true, help_heading = PRIVACY, value_parser = parse_number::option_count)]
    pub public_n: Option<NonZeroU64>,

    #[command(flatten)]
    pub unit: UnitFlags,

    /// How much records count for by their class: balanced, such that all classes weigh the same,
    /// or a number per class; probabilities then refer to the weighted population
    #[arg(long, value_name = "balanced|W,W,..", allow_hyphen_values = true, value_parser = class_weight)]
    pub class_weight: Option<ClassWeight>,

    /// What the named columns of a table mean (TOML; `reticent schema FILE` writes a
    /// template)
    #[arg(long, value_name = "FILE", help_heading = TABLE)]
    pub schema: Option<PathBuf>,

    #[command(flatten)]
    pub features: FeatureFlags,

    #[command(flatten)]
    pub method_flags: MethodFlags,
}

pub const PRIVACY: &str = "Privacy (no silent defaults)";
pub const TABLE: &str = "Table";

/// The request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EpsilonChoice {
    /// A budget in ε.
    Private(Epsilon),
    /// No privacy at all.
    Open,
}

impl Flags {
    /// The declared parameters, of a table of so many columns, if the flags say how many.
    pub fn request(&self, columns: Option<u64>) -> Result<FitRequest, Refusal> {
        let epsilon = self.epsilon.map(|epsilon_choice| match epsilon_choice {
            EpsilonChoice::Private(epsilon) => epsilon.get(),
            EpsilonChoice::Open => f64::INFINITY,
        });
        Ok(FitRequest {
            task: self.task,
            method: self.method,
            epsilon,
            delta: self.delta.map(Delta::get),
            rho: self.rho.map(Rho::get),
            adjacency: self
                .adjacency
                .map_or(Adjacency::ReplaceOne, Adjacency::from),
            public_n: self.public_n.map(NonZeroU64::get),
            rows: self.rows,
            features: self.features.declared(columns)?,
            range: self.target_range,
            classes: None,
            schema: self.schema.is_some(),
            public: self.method_flags.public.is_some(),
            nonzero: self.nonzero,
            intercept: !self.method_flags.no_intercept,
            class_weight: self.class_weight.clone(),
            options: self.method_flags.options.clone(),
        })
    }
}

/// A choice among names of the engine, each with its meaning.
fn named<T: Copy + Send + Sync + 'static>(
    all: Vec<T>,
    name: fn(T) -> &'static str,
    meaning: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let value = |one: T| PossibleValue::new(name(one)).help(meaning(one));
    PossibleValuesParser::new(all.iter().copied().map(value)).try_map(move |given| {
        let found = all.iter().copied().find(|one| name(*one) == given);
        // Only names of the list get here.
        found.ok_or_else(|| format!("'{given}' is unknown"))
    })
}

pub fn tasks() -> impl TypedValueParser<Value = TaskName> {
    named(TaskName::ALL.to_vec(), TaskName::name, TaskName::meaning)
}

fn methods() -> impl TypedValueParser<Value = MethodName> {
    let all = MethodName::models().collect();
    named(all, MethodName::name, MethodName::meaning)
}

fn nonzero(text: &str) -> Result<Nonzero, String> {
    if text == Nonzero::AUTO {
        return Ok(Nonzero::Auto);
    }
    let count = parse_number::option_count(text)
        .map_err(
            |refusal| match text.starts_with(|c: char| c.is_alphabetic()) {
                true => {
                    format!("it is {text}; it must be a whole number from 1 on, like 30, or auto")
                }
                false => refusal,
            },
        )?
        .get();
    // More than a machine can count is more than any table has.
    Ok(Nonzero::Count(usize::try_from(count).unwrap_or(usize::MAX)))
}

pub fn delta(text: &str) -> Result<Delta, String> {
    parse_number::quantity(text, Delta::new)
}

pub fn rho(text: &str) -> Result<Rho, String> {
    parse_number::quantity(text, Rho::new)
}

/// A budget.
pub fn epsilon(text: &str) -> Result<Epsilon, String> {
    parse_number::quantity(text, Epsilon::new)
}

/// A budget, or `inf`.
fn epsilon_choice(text: &str) -> Result<EpsilonChoice, String> {
    match text.trim() {
        "inf" | "infinity" | "∞" => Ok(EpsilonChoice::Open),
        text => parse_number::quantity(text, |value| {
            Epsilon::new(value).map_err(|error| OutOfRange {
                allowed: "a number above 0, or inf for no privacy",
                ..error
            })
        })
        .map(EpsilonChoice::Private),
    }
}

pub fn positive(quantity: &'static str, given: f64) -> Result<f64, OutOfRange> {
    if given > 0.0 && given.is_finite() {
        Ok(given)
    } else {
        Err(OutOfRange {
            quantity,
            given,
            allowed: "a finite number above 0",
        })
    }
}

/// `l2=B` or `linf=B`.
pub fn rows(text: &str) -> Result<RecordBound, String> {
    let (norm, bound) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' is not NORM=BOUND; write l2=1 or linf=1"))?;
    let bound = |make: fn(f64) -> RecordBound| {
        parse_number::quantity(bound.trim(), |value| positive("the bound", value)).map(make)
    };
    match norm.trim() {
        "l2" => bound(RecordBound::L2),
        "linf" => bound(RecordBound::Linf),
        other => Err(unknown("norm", other, &["l2", "linf"], meant(other))),
    }
}

fn meant(norm: &str) -> Option<&'static str> {
    match norm.to_lowercase().as_str() {
        "l1" => Some("a row of l1 length at most 1 has linf length at most 1: write linf=1"),
        "max" | "inf" | "l∞" | "linfinity" | "l-inf" => Some("write linf=B"),
        "l₂" | "euclidean" | "norm" => Some("write l2=B"),
        _ => None,
    }
}

/// `balanced` or `W,W,..`.
fn class_weight(text: &str) -> Result<ClassWeight, String> {
    if text == ClassWeight::BALANCED {
        return Ok(ClassWeight::Balanced);
    }
    let weights = text.split(',').map(|weight| {
        let weight = weight.trim();
        parse_number::quantity(weight, |value| positive("a class weight", value))
    });
    match weights.collect::<Result<Vec<f64>, _>>() {
        Ok(weights) => Ok(ClassWeight::Numbers(weights)),
        Err(refusal) => Err(format!(
            "{refusal}; write balanced, or a number per class with commas between, like 1,5"
        )),
    }
}

/// `LO,HI`.
pub fn range(text: &str) -> Result<TargetRange, String> {
    let [low, high] = text.split(',').collect::<Vec<_>>()[..] else {
        return Err(format!(
            "'{text}' is not LO,HI; write two numbers with a comma between, like 0,120"
        ));
    };
    let (low, high) = (
        parse_number::real(low.trim())?,
        parse_number::real(high.trim())?,
    );
    Ok(TargetRange { low, high })
}

/// The refusal of a schema with more than two classes.
pub fn too_many_classes(classes: usize) -> String {
    format!(
        "--task logistic is for two classes, and the schema has {classes}\n\n  tip: use --task \
         multinomial, or put labels together, as in \"green|amber\""
    )
}

/// What is to be said about noise that is as published; a warning if more is proved than claimed.
pub fn claim(paper: &str, claimed: f64, proved: f64) -> String {
    let proved = match proved.is_finite() {
        true => format!("what is proved is epsilon = {}", rounded_up(proved, 4)),
        false => "nothing is proved".to_owned(),
    };
    format!(
        "the noise is as published: {paper} claims epsilon = {} for it, and {proved}",
        exact(claimed)
    )
}

/// The bound of the rows, as it is typed.
pub fn rows_name(rows: RecordBound) -> String {
    match rows {
        RecordBound::L2(bound) => format!("l2={}", exact(bound)),
        RecordBound::Linf(bound) => format!("linf={}", exact(bound)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_rows_are_read_as_written() {
        assert_eq!(rows("l2=1"), Ok(RecordBound::L2(1.0)));
        assert_eq!(rows("linf=0.5"), Ok(RecordBound::Linf(0.5)));
        for (bad, word) in [
            ("1", "l2=1 or linf=1"),
            ("l1=1", "linf=1"),
            ("L2=1", "did you mean l2?"),
            ("l2=0", "above 0"),
            ("l2=-1", "above 0"),
            ("l2=inf", "finite"),
            ("l2=", "not a number"),
        ] {
            let message = rows(bad).unwrap_err();
            assert!(message.contains(word), "{bad}: {message}");
        }
    }

    #[test]
    fn target_ranges_are_read_as_written() {
        let expected = TargetRange {
            low: -5.0,
            high: 120.0,
        };
        assert_eq!(range("-5,120"), Ok(expected));
        for bad in ["5", "1,2,3", "a,b", ""] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
