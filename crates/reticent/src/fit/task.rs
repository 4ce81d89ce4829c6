//! What a model is to predict: the task, before and after its classes are counted.

use serde::{Deserialize, Serialize};

use crate::loss::Loss;

/// What kind of model is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Two classes, by logistic regression.
    Logistic,
    /// A number, by linear regression.
    Linear,
    /// Several classes, by multinomial logistic regression: one linear function per class.
    Multinomial {
        /// How many classes there are: 2 or more.
        classes: u32,
    },
}

impl Task {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Linear => "linear",
            Self::Multinomial { .. } => "multinomial",
        }
    }

    /// How many classes there are; 0 if a number is predicted.
    pub fn classes(self) -> u32 {
        match self {
            Self::Linear => 0,
            Self::Logistic => 2,
            Self::Multinomial { classes } => classes,
        }
    }

    /// The loss of one linear function, with this Huber threshold if it is a number's.
    pub(super) fn loss(self, threshold: f64) -> Loss {
        match self {
            Self::Logistic | Self::Multinomial { .. } => Loss::Logistic,
            Self::Linear => Loss::Squared { threshold },
        }
    }

    /// How many linear functions a model has.
    pub fn outputs(self) -> usize {
        match self {
            Self::Logistic | Self::Linear => 1,
            Self::Multinomial { classes } => classes as usize,
        }
    }
}

impl serde::Serialize for Task {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// The tasks by name, before the classes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskName {
    /// Two classes, by logistic regression.
    Logistic,
    /// Several classes, by multinomial logistic regression.
    Multinomial,
    /// A number, by linear regression.
    Linear,
}

impl TaskName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Logistic, Self::Multinomial, Self::Linear];

    /// The name for a person to type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Logistic => "logistic",
            Self::Multinomial => "multinomial",
            Self::Linear => "linear",
        }
    }

    /// What it is, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Logistic => "Two classes, by logistic regression",
            Self::Multinomial => "Several classes, by multinomial logistic regression",
            Self::Linear => "A number, by linear regression",
        }
    }

    /// The task with so many classes.
    pub fn of(self, classes: u32) -> Task {
        match self {
            Self::Logistic => Task::Logistic,
            Self::Linear => Task::Linear,
            Self::Multinomial => Task::Multinomial { classes },
        }
    }
}
