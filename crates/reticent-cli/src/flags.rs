//! What `fit` and `plan` are both told: the task, the budget, the bounds, the method.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reticent::data::{RecordBound, TargetRange};
use reticent::fit::{Calibration, FrankWolfe, Plan, Steps, Task};
use reticent::model::Method;
use reticent::privacy::{Adjacency, Budget, Delta, Epsilon, OutOfRange};
use reticent::solve::Region;

use crate::args::AdjacencyName;
use crate::decimal::{exact, rounded_up};
use crate::missing::Missing;
use crate::names::unknown;
use crate::number;
use crate::refusal::{Refusal, conflict};

/// Everything a fit is told but where its data are.
#[derive(Debug, Args)]
pub struct Flags {
    /// What to fit: two classes (logistic) or a number (linear)
    #[arg(long, value_name = "TASK")]
    pub task: Option<TaskName>,

    /// How to fit it
    #[arg(long, value_name = "NAME", default_value = "frank-wolfe")]
    pub method: MethodName,

    /// The budget: one record changes the odds of any outcome by a factor of at most e^ε.
    /// Around 1 is strong, beyond 10 weak
    #[arg(long, value_name = "EPSILON", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = epsilon)]
    pub epsilon: Option<Epsilon>,

    /// The probability that the promise of ε may fail by; far below 1/n for n records
    #[arg(long, value_name = "DELTA", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = delta)]
    pub delta: Option<Delta>,

    /// The bound of a row, enforced: l2=B scales longer rows down, linf=B clips larger
    /// values [with --schema: linf=1]
    ///
    /// l2=1 suits text (tf-idf, rows of length 1); linf=1 suits 0/1 features and features
    /// scaled to [−1, 1]. A schema maps its features to [−1, 1], so that linf=1 follows from it.
    #[arg(long, value_name = "l2=B|linf=B", help_heading = PRIVACY, value_parser = rows)]
    pub rows: Option<RecordBound>,

    /// Between which numbers the target of a linear model lies; what is beyond is clipped
    /// [with --schema: its range]
    ///
    /// Take what any such table could hold (an age: 0,120), not the least and the largest of
    /// this one: those are facts about single people.
    #[arg(long, value_name = "LO,HI", allow_hyphen_values = true, help_heading = PRIVACY, value_parser = range, conflicts_with = "schema")]
    pub target_range: Option<TargetRange>,

    /// Which tables count as neighbours [default: replace-one]
    #[arg(long, value_name = "NAME", help_heading = PRIVACY)]
    pub adjacency: Option<AdjacencyName>,

    /// A public number that takes the place of the number of records, which is private
    /// under add-remove
    #[arg(long, value_name = "N0", help_heading = PRIVACY, value_parser = number::option_count)]
    pub public_n: Option<NonZeroU64>,

    /// What the named columns of a table mean (TOML; `reticent schema FILE` writes a
    /// template)
    #[arg(long, value_name = "FILE", help_heading = TABLE)]
    pub schema: Option<PathBuf>,

    /// The weights lie in the ℓ₁ ball of this radius [default: from public facts]
    #[arg(long, value_name = "RADIUS", allow_hyphen_values = true, help_heading = METHOD, value_parser = l1)]
    pub l1: Option<f64>,

    /// How many steps [default: from public facts]
    #[arg(long, value_name = "T", help_heading = METHOD, value_parser = number::option_count)]
    pub iterations: Option<NonZeroU64>,

    /// How large the steps are
    #[arg(long, value_name = "NAME", default_value = "average", help_heading = METHOD)]
    pub steps: StepsName,

    /// Fit no intercept
    #[arg(long, help_heading = METHOD)]
    pub no_intercept: bool,

    /// The Laplace noise that the paper prints, certified at the ε that is proved for it;
    /// for comparison only
    #[arg(long, help_heading = METHOD)]
    pub as_published: bool,
}

const PRIVACY: &str = "Privacy (no silent defaults)";
const METHOD: &str = "Method";
pub const TABLE: &str = "Table";

/// The flags, once nothing is missing and nothing contradicts.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    pub task: Task,
    pub budget: Budget,
    pub rows: RecordBound,
    /// From the command line; a schema may have another.
    pub range: Option<TargetRange>,
    pub adjacency: Adjacency,
}

impl Flags {
    /// Checks everything that can be checked without reading; what is missing is added to
    /// `missing`, which has the last word.
    pub fn settle(&self, mut missing: Missing) -> Result<Settled, Refusal> {
        let adjacency = self
            .adjacency
            .map_or(Adjacency::ReplaceOne, Adjacency::from);
        let rows = match self.schema {
            Some(_) => self.rows.or(Some(RecordBound::Linf(1.0))),
            None => self.rows,
        };
        missing.unless(self.task.is_some(), "task");
        missing.unless(self.epsilon.is_some(), "epsilon");
        missing.unless(self.delta.is_some(), "delta");
        missing.unless(rows.is_some(), "rows");
        let linear = self.task == Some(TaskName::Linear);
        let ranged = self.target_range.is_some() || self.schema.is_some();
        missing.unless(!linear || ranged, "target-range");
        missing.unless(
            adjacency == Adjacency::ReplaceOne || self.public_n.is_some(),
            "public-n",
        );
        let (Some(task), Some(epsilon), Some(delta), Some(rows), true) = (
            self.task,
            self.epsilon,
            self.delta,
            rows,
            missing.is_empty(),
        ) else {
            return Err(missing.refusal());
        };
        self.contradictions(adjacency)?;
        Ok(Settled {
            task: task.into(),
            budget: Budget { epsilon, delta },
            rows,
            range: self.target_range,
            adjacency,
        })
    }

    fn contradictions(&self, adjacency: Adjacency) -> Result<(), Refusal> {
        if self.task == Some(TaskName::Logistic) && self.target_range.is_some() {
            return Err(conflict(
                "--target-range was given, but --task logistic has classes, not numbers\n\n  \
                 tip: leave --target-range out, or use --task linear",
            ));
        }
        if adjacency == Adjacency::ReplaceOne && self.public_n.is_some() {
            return Err(conflict(
                "--public-n was given, but under replace-one adjacency the number of records is \
                 public itself\n\n  \
                 tip: leave --public-n out, or use --adjacency add-remove to keep the number of \
                 records private",
            ));
        }
        Ok(())
    }

    /// The method and its parameters, for the certificate.
    pub fn method(&self, plan: &Plan) -> Method {
        Method::new(self.method.name())
            .with("iterations", plan.iterations())
            .with("l1 radius", exact(radius(plan)))
            .with("steps", self.steps.name())
            .with("intercept", if self.no_intercept { "no" } else { "yes" })
            .with(
                "noise",
                if self.as_published {
                    "as published"
                } else {
                    "exact"
                },
            )
    }

    /// The parameters of the method.
    pub fn parameters(&self, settled: &Settled) -> FrankWolfe {
        FrankWolfe {
            adjacency: settled.adjacency,
            region: self.l1.map(|radius| Region::L1 { radius }),
            iterations: self.iterations,
            steps: self.steps.into(),
            intercept: !self.no_intercept,
            calibration: if self.as_published {
                Calibration::AsPublished
            } else {
                Calibration::Exact
            },
            ..FrankWolfe::new(settled.task, settled.budget)
        }
    }
}

/// The ℓ₁ radius of the ball that the weights are held to.
pub fn radius(plan: &Plan) -> f64 {
    plan.region().l1_radius(plan.facts().columns)
}

/// The tasks by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskName {
    /// Two classes, by logistic regression
    Logistic,
    /// A number, by linear regression
    Linear,
}

impl From<TaskName> for Task {
    fn from(name: TaskName) -> Self {
        match name {
            TaskName::Logistic => Self::Logistic,
            TaskName::Linear => Self::Linear,
        }
    }
}

/// The methods by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Private Frank–Wolfe over the ℓ₁ ball: a private selection a step
    FrankWolfe,
}

impl MethodName {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::FrankWolfe => "frank-wolfe",
        }
    }
}

/// The step sizes by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StepsName {
    /// 2/(t + 2)
    Standard,
    /// 1/(t + 1): the model is the plain average of the vertices chosen
    Average,
}

impl StepsName {
    /// As on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Average => "average",
        }
    }
}

impl From<StepsName> for Steps {
    fn from(name: StepsName) -> Self {
        match name {
            StepsName::Standard => Self::Standard,
            StepsName::Average => Self::Average,
        }
    }
}

fn delta(text: &str) -> Result<Delta, String> {
    number::quantity(text, Delta::new)
}

fn epsilon(text: &str) -> Result<Epsilon, String> {
    number::quantity(text, Epsilon::new)
}

fn l1(text: &str) -> Result<f64, String> {
    number::quantity(text, |value| positive("the radius", value))
}

fn positive(quantity: &'static str, given: f64) -> Result<f64, OutOfRange> {
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
fn rows(text: &str) -> Result<RecordBound, String> {
    let (norm, bound) = text
        .split_once('=')
        .ok_or_else(|| format!("'{text}' is not NORM=BOUND; write l2=1 or linf=1"))?;
    let bound = |make: fn(f64) -> RecordBound| {
        number::quantity(bound.trim(), |value| positive("the bound", value)).map(make)
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

/// `LO,HI`.
fn range(text: &str) -> Result<TargetRange, String> {
    let [low, high] = text.split(',').collect::<Vec<_>>()[..] else {
        return Err(format!(
            "'{text}' is not LO,HI; write two numbers with a comma between, like 0,120"
        ));
    };
    let (low, high) = (number::real(low.trim())?, number::real(high.trim())?);
    if low < high && (high - low).is_finite() {
        Ok(TargetRange { low, high })
    } else {
        Err(format!(
            "the range {text} is empty or not finite; LO must be below HI, like 0,120"
        ))
    }
}

/// What to say of a δ of 1/n or more.
pub fn large_delta(delta: f64, records: u64) -> String {
    let n = records as f64;
    format!(
        "delta = {} is 1/n or more for n = {records}: it allows publishing a whole record; \
         choose 1/n² = {:.0e} or less",
        exact(delta),
        1.0 / (n * n)
    )
}

/// The paper whose calibration `--as-published` is.
pub const PAPER: &str = "nearly-optimal private LASSO (Talwar, Thakurta and Zhang 2015)";

/// What to say of noise that is as published.
pub fn claim(claimed: f64, proved: f64) -> String {
    format!(
        "the noise is as published: {PAPER} claims epsilon = {} for it, and what is proved is \
         epsilon = {}",
        exact(claimed),
        rounded_up(proved, 4)
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
        for bad in ["5", "5,5", "7,5", "0,inf", "nan,1", "1,2,3", "a,b", ""] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}
