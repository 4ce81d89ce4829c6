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
    /// How many records it has.
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

    /// The same of a count: its interval does not go below 0. The figure itself may, as it was
    /// released.
    pub(super) fn count(value: f64, noise: f64) -> Self {
        let Self { value, low, high } = Self::gaussian(value, noise);
        Self {
            value,
            low: low.max(0.0),
            high: high.max(0.0),
        }
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
