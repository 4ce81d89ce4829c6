//! What a summary is: released figures, each with what the privacy noise leaves open.

use serde::{Deserialize, Serialize};

/// A released figure, and the interval that holds what it stands for in 95 of 100 runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A summary of some columns of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The number of records: exact where it is public, released where it is private.
    pub records: Estimate,
    /// One summary per column.
    pub columns: Vec<ColumnSummary>,
}

/// A summary of one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ColumnSummary {
    /// Of a number.
    Numeric {
        /// What it is called.
        name: String,
        /// The declared range.
        range: (f64, f64),
        /// The steps that values are read in: where they are larger than 0, intervals hold what
        /// that hides.
        step: f64,
        /// What a missing value counts as; `None` if it refuses the table, or if there are none.
        missing: Option<f64>,
        /// The mean.
        mean: Mean,
        /// The quantiles that were asked for.
        quantiles: Vec<Quantile>,
        /// How many records have which value: bins next to each other over the whole range.
        histogram: Vec<Bin>,
    },
    /// Of levels.
    Categorical {
        /// What it is called.
        name: String,
        /// How many records have which.
        levels: Vec<Level>,
    },
}

/// A mean of values that were clipped to a part of their range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mean {
    /// The mean of the clipped values; its interval holds the noise alone.
    pub estimate: Estimate,
    /// What values were clipped to, found from released counts.
    pub clipped_to: (f64, f64),
}

/// The value below which a share of the records lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantile {
    /// The share.
    pub share: f64,
    /// The value.
    pub estimate: Estimate,
}

/// A bin of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// How many records it has, as released: noise may make it less than 0, and counts add up
    /// without bias.
    pub count: Estimate,
}

/// A level of a categorical column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// What it is called.
    pub name: String,
    /// How many records have it.
    pub count: Estimate,
}

/// 95 % of a normal distribution lie within so many standard deviations.
pub(super) const DEVIATIONS: f64 = 1.959_963_984_540_054;

impl Estimate {
    /// With Gaussian noise of a standard deviation.
    pub(super) fn gaussian(value: f64, noise: f64) -> Self {
        Self {
            value,
            low: value - DEVIATIONS * noise,
            high: value + DEVIATIONS * noise,
        }
    }

    /// Whether the figure is in the middle of its interval, so that ± says all.
    pub fn is_symmetric(&self) -> bool {
        let (below, above) = (self.value - self.low, self.high - self.value);
        (above - below).abs() <= 1e-3 * (above + below)
    }

    /// Half of the interval: what stands behind ±.
    pub fn half_width(&self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }
}

impl ColumnSummary {
    /// What the column is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Numeric { name, .. } | Self::Categorical { name, .. } => name,
        }
    }
}
