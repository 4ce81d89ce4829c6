//! Options of methods and their values, as plain data.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::{Deserialize, Serialize};

use super::METHODS;
use crate::fit::{PlanError, TaskName};

/// One option of a method.
pub struct MethodOption {
    /// Its name on the command line; in Python with `_` for `-`.
    pub name: &'static str,
    /// The placeholder for its value in help.
    pub placeholder: &'static str,
    /// What it sets, in one sentence.
    pub meaning: &'static str,
    /// Its type.
    pub value: OptionType,
    /// Its default, in words; empty for a flag.
    pub default: &'static str,
    /// The tasks that it applies to.
    pub tasks: &'static [TaskName],
    /// Whether it applies without privacy.
    pub without_privacy: bool,
    /// Parameters that must be given with it.
    pub needs: &'static [&'static str],
    /// Parameters that it contradicts.
    pub excludes: &'static [&'static str],
}

/// The type of an option.
#[derive(Clone, Copy)]
pub enum OptionType {
    /// A finite number above 0.
    Positive,
    /// A whole number, 1 or more.
    Count,
    /// Given or not.
    Flag,
    /// One of some names, each with its meaning.
    Name(fn() -> Vec<(&'static str, &'static str)>),
    /// One of some names, or the vertices of a polytope.
    NameOrVertices(fn() -> Vec<(&'static str, &'static str)>),
    /// Public rows with the columns of the table. They are passed beside the request, which holds
    /// only their number.
    PublicRows,
}

impl MethodOption {
    /// An option for every task under a budget, compatible with all others.
    pub(in crate::fit) const fn new(value: OptionType) -> Self {
        Self {
            name: "",
            placeholder: "NAME",
            meaning: "",
            value,
            default: "from public facts",
            tasks: &TaskName::ALL,
            without_privacy: false,
            needs: &[],
            excludes: &[],
        }
    }

    /// The allowed values, in a few words.
    pub fn allowed(&self) -> String {
        let listed = |names: fn() -> Vec<(&'static str, &'static str)>| {
            let names: Vec<&str> = names().iter().map(|(name, _)| *name).collect();
            names.join(", ")
        };
        match self.value {
            OptionType::Positive => "a finite number above 0".to_owned(),
            OptionType::Count => "a whole number from 1 on".to_owned(),
            OptionType::Flag => "true or false".to_owned(),
            OptionType::Name(names) => format!("one of {}", listed(names)),
            OptionType::NameOrVertices(names) => {
                format!("one of {}, or the vertices of a polytope", listed(names))
            }
            OptionType::PublicRows => "rows with the columns of the table".to_owned(),
        }
    }

    /// Whether this value is allowed.
    pub fn accepts(&self, value: &OptionValue) -> bool {
        let named = |names: fn() -> Vec<(&'static str, &'static str)>, given: &str| {
            names().iter().any(|(name, _)| *name == given)
        };
        match (self.value, value) {
            (OptionType::Positive, value) => {
                value.number().is_some_and(|x| x > 0.0 && x.is_finite())
            }
            (OptionType::Count, OptionValue::Count(_))
            | (OptionType::Flag, OptionValue::Flag(_)) => true,
            (
                OptionType::Name(names) | OptionType::NameOrVertices(names),
                OptionValue::Name(given),
            ) => named(names, given),
            (OptionType::NameOrVertices(_), OptionValue::Vertices(_)) => true,
            _ => false,
        }
    }
}

/// A choice with a name.
pub trait NamedChoice: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];
    /// The name for a person to type.
    fn name(self) -> &'static str;
    /// What it means, in one line.
    fn meaning(self) -> &'static str;
}

/// The names of a choice, each with its meaning.
pub fn choices<T: NamedChoice>() -> Vec<(&'static str, &'static str)> {
    let both = |one: &T| (one.name(), one.meaning());
    T::ALL.iter().map(both).collect()
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// Given or not.
    Flag(bool),
    /// A whole number, 1 or more.
    Count(NonZeroU64),
    /// A number.
    Number(f64),
    /// A name.
    Name(String),
    /// Points, one value per column each.
    Vertices(Vec<Vec<f64>>),
}

impl OptionValue {
    /// Its number, if it is one.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Count(count) => Some(count.get() as f64),
            _ => None,
        }
    }
}

/// As a person would write it.
impl std::fmt::Display for OptionValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "'{name}'"),
            Self::Vertices(points) => write!(f, "a list of {} points", points.len()),
        }
    }
}

impl From<bool> for OptionValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<NonZeroU64> for OptionValue {
    fn from(count: NonZeroU64) -> Self {
        Self::Count(count)
    }
}

impl From<f64> for OptionValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for OptionValue {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<Vec<Vec<f64>>> for OptionValue {
    fn from(points: Vec<Vec<f64>>) -> Self {
        Self::Vertices(points)
    }
}

/// Options that only some methods have; those not given follow from public facts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(
    try_from = "BTreeMap<String, OptionValue>",
    into = "BTreeMap<String, OptionValue>"
)]
pub struct MethodOptions {
    given: BTreeMap<String, OptionValue>,
}

impl From<MethodOptions> for BTreeMap<String, OptionValue> {
    fn from(options: MethodOptions) -> Self {
        options.given
    }
}

/// Options read from a certificate; one that no method has is refused.
impl TryFrom<BTreeMap<String, OptionValue>> for MethodOptions {
    type Error = String;

    fn try_from(read: BTreeMap<String, OptionValue>) -> Result<Self, String> {
        let mut options = Self::default();
        for (name, value) in read {
            let declared = METHODS.iter().any(|method| method.option(&name).is_some());
            match declared {
                true => options.set(&name, value),
                false => return Err(format!("no method has an option '{name}'")),
            }
        }
        Ok(options)
    }
}

impl MethodOptions {
    /// Sets an option by its name; a flag that is not set counts as not given.
    pub fn set(&mut self, name: &str, value: impl Into<OptionValue>) {
        match value.into() {
            OptionValue::Flag(false) => self.given.remove(name),
            value => self.given.insert(name.to_owned(), value),
        };
    }

    /// The same with one more option.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OptionValue>) -> Self {
        self.set(name, value);
        self
    }

    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// All given options, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.given
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The value of an option, if it is given.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.given.get(name)
    }

    /// The value of an option, if it is given and allowed.
    pub(in crate::fit) fn value(
        &self,
        option: &'static MethodOption,
    ) -> Result<Option<&OptionValue>, PlanError> {
        match self.given.get(option.name) {
            Some(value) if !option.accepts(value) => Err(PlanError::Option {
                option: option.name,
                allowed: option.allowed(),
            }),
            value => Ok(value),
        }
    }

    /// A number above 0.
    pub(in crate::fit) fn positive(
        &self,
        option: &'static MethodOption,
    ) -> Result<Option<f64>, PlanError> {
        Ok(self.value(option)?.and_then(OptionValue::number))
    }

    /// A whole number, 1 or more.
    pub(in crate::fit) fn count(
        &self,
        option: &'static MethodOption,
    ) -> Result<Option<NonZeroU64>, PlanError> {
        Ok(match self.value(option)? {
            Some(OptionValue::Count(count)) => Some(*count),
            _ => None,
        })
    }

    /// Whether a flag is set.
    pub(in crate::fit) fn flag(&self, option: &'static MethodOption) -> Result<bool, PlanError> {
        Ok(self.value(option)? == Some(&OptionValue::Flag(true)))
    }

    /// A choice by its name.
    pub(in crate::fit) fn choice<T: NamedChoice>(
        &self,
        option: &'static MethodOption,
    ) -> Result<Option<T>, PlanError> {
        let Some(OptionValue::Name(given)) = self.value(option)? else {
            return Ok(None);
        };
        Ok(T::ALL.iter().copied().find(|one| one.name() == given))
    }
}
