//! The declarations of the methods: name, meaning, tasks, options, and how a request becomes a
//! plan.
//!
//! The command's flags and help, Python's parameters, the checks of both, the coupled replay of the
//! attack and the table of methods in the docs all come from [`METHODS`]. To add a method, write its
//! folder with a `DECLARATION`, and add that to the list.

mod check;
mod option;
mod shared;
mod style;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    Auxiliary, Facts, MethodRequest, PlanError, Planned, Task, TaskName, admm, agd, auto, baseline,
    frank_wolfe, ight, select, sgd, sparsifier, transfer, two_stage,
};
use crate::privacy::{Adjacency, Budget};

pub use check::OptionError;
pub use option::{MethodOption, MethodOptions, NamedChoice, OptionType, OptionValue, choices};
pub(super) use shared::{
    AS_PUBLISHED, CLIP, HUBER_THRESHOLD, ITERATIONS, RADIUS, SATURATING_PENALTY,
};
pub use style::ParameterStyle;

/// The methods, in the order in which they are listed.
pub static METHODS: &[&Declaration] = &[
    &auto::DECLARATION,
    &ight::DECLARATION,
    &select::DECLARATION,
    &sgd::DECLARATION,
    &agd::DECLARATION,
    &frank_wolfe::DECLARATION,
    &sparsifier::DECLARATION,
    &two_stage::DECLARATION,
    &transfer::DECLARATION,
    &admm::DECLARATION,
    &baseline::DECLARATION,
    &select::CHOOSE,
];

/// Both adjacencies.
pub(super) const BOTH: &[Adjacency] = &[Adjacency::ReplaceOne, Adjacency::AddRemove];

/// The declaration of a method.
pub struct Declaration {
    /// The name for a person to type.
    pub name: &'static str,
    /// What it does, in one line.
    pub meaning: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it can fit.
    pub tasks: &'static [TaskName],
    /// The adjacencies that it is proved for.
    pub adjacencies: &'static [Adjacency],
    /// What `nonzero` may be.
    pub nonzero: TakesNonzero,
    /// Its other options.
    pub options: &'static [MethodOption],
    /// The same model without privacy, if there is one.
    pub(super) baseline: Option<BaselineBuilder>,
    /// What it releases.
    pub releases: Releases,
    /// How a request with a budget becomes a plan; `None` if the method has no privacy.
    pub(super) build: Option<Builder>,
}

/// What `nonzero` may be for a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakesNonzero {
    /// Nothing: it does not apply.
    No,
    /// How many weights it keeps.
    Count,
    /// The same, or `auto`: it finds how many there are.
    CountOrAuto,
}

/// What a method releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Releases {
    /// A model that predicts.
    Model,
    /// Columns alone.
    Columns,
}

/// Turns a request into a plan.
pub(super) type Builder = fn(PlanInput<'_>) -> Result<PlanAndReason, PlanError>;

/// Turns a request without a budget into the plan of the same model without privacy.
pub(super) type BaselineBuilder =
    fn(&MethodRequest, Task, Facts) -> Result<Box<dyn Planned>, PlanError>;

/// A plan, and why this method, if it was chosen.
pub type PlanAndReason = (Box<dyn Planned>, Option<String>);

/// A request with its budget, its counted classes, and the public facts of the table.
pub(super) struct PlanInput<'a> {
    pub request: &'a MethodRequest,
    pub budget: Budget,
    pub task: Task,
    pub facts: Facts,
    /// Public rows for a teacher to answer on.
    pub rows: Option<Auxiliary>,
}

/// A plan that was not chosen among several.
pub(super) fn built(plan: impl Planned + 'static) -> Result<PlanAndReason, PlanError> {
    Ok((Box::new(plan), None))
}

/// A method by its name: one of [`METHODS`].
#[derive(Clone, Copy)]
pub struct MethodName(&'static Declaration);

impl MethodName {
    /// Whichever method suits the public facts.
    pub const AUTO: Self = Self(&auto::DECLARATION);
    /// Columns alone, without a model.
    pub const CHOOSE: Self = Self(&select::CHOOSE);
    pub(super) const IGHT: Self = Self(&ight::DECLARATION);
    pub(super) const SELECT: Self = Self(&select::DECLARATION);

    /// Every method.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        METHODS.iter().map(|declaration| Self(declaration))
    }

    /// Those that fit a model, for a person to choose from.
    pub fn models() -> impl Iterator<Item = Self> + Clone {
        Self::all().filter(|method| method.declaration().releases == Releases::Model)
    }

    /// The name for a person to type.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it does, in one line.
    pub fn meaning(self) -> &'static str {
        self.0.meaning
    }

    /// Its declaration.
    pub fn declaration(self) -> &'static Declaration {
        self.0
    }
}

impl PartialEq for MethodName {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for MethodName {}

impl fmt::Debug for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no method of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is not a method; allowed: {}", names().join(", "))]
pub struct UnknownMethod {
    /// What was asked for.
    pub given: String,
}

fn names() -> Vec<&'static str> {
    MethodName::all().map(MethodName::name).collect()
}

impl FromStr for MethodName {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let found = Self::all().find(|method| method.name() == name);
        found.ok_or_else(|| UnknownMethod {
            given: name.to_owned(),
        })
    }
}

impl Serialize for MethodName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for MethodName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl Declaration {
    /// Its option of this name.
    pub fn option(&self, name: &str) -> Option<&'static MethodOption> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// Every option of the methods that fit a model, once each, with the methods that have it.
pub fn declared_options() -> Vec<(&'static MethodOption, Vec<MethodName>)> {
    let mut all: Vec<(&MethodOption, Vec<MethodName>)> = Vec::new();
    for method in MethodName::models() {
        for option in method.declaration().options {
            match all.iter_mut().find(|(other, _)| other.name == option.name) {
                Some((_, methods)) => methods.push(method),
                None => all.push((option, vec![method])),
            }
        }
    }
    all
}
